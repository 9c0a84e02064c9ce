"""Binding and judging without a run."""

from gekko import Checker, Format, Mismatch, Outcome, Place
from gekko.testkit import Context


def bound(checker_class: type[Checker], value: object, key: str = "key", place: Place = Place.VALUE) -> Checker:
    """Bind *value* as if it stood in a case."""
    return checker_class.bind(value, Context(key, place))


def mismatches(checker: Checker, output: object, output_format: Format = "json") -> list[Mismatch]:
    """Return what *checker* finds in *output*; no built-in checker asks anything."""
    outcome = Outcome(0, output_format, output=output)
    return [step for step in checker.judge(output, outcome) if isinstance(step, Mismatch)]
