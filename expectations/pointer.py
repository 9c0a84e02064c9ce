"""The keys that begin with "/": what stands at one place of a JSON output."""

from typing import ClassVar, Final, Self

from attrs import evolve, frozen

from expectations.equals import Equals
from gekko import (
    COMPARISONS,
    MISSING,
    BindContext,
    BindError,
    Checker,
    Comparisons,
    Format,
    Fragment,
    Judging,
    NoSuchPlace,
    Outcome,
    Place,
    PointerError,
    collect,
    parse_pointer,
    resolve,
    shown,
)

TWIN_OF_MIN: Final = "max"
"""Whoever writes a range means a comparison, even if none of that name is installed."""

NO_COMPARISON: Final = "exit_code"
"""Registered, but never below a pointer; documents do have members of that name."""


@frozen
class Pointer(Checker):
    """The document has this place, and what stands there is this value, or passes these comparisons.

    [expect]
    "/category" = "hardware"
    "/confidence" = { min = 0.8 }
    "/summary" = { is = { lines = 1, contains = ["printer"] } }
    """

    api: ClassVar[int] = 1
    places: ClassVar[frozenset[Place]] = frozenset({Place.POINTER})
    formats: ClassVar[frozenset[Format]] = frozenset({"json"})
    fragment: ClassVar[Fragment] = {
        "if": {"type": "object", "required": ["min"], "maxProperties": 1},
        "then": COMPARISONS,
        "else": {
            "if": {"type": "object", "required": ["is"], "maxProperties": 1},
            "then": {"properties": {"is": COMPARISONS}},
        },
        # Accepts everything: editors look for completions in "anyOf", and never in "then".
        "anyOf": [{}, {"properties": {"min": {"type": "number"}, "is": COMPARISONS}}],
    }
    tokens: tuple[str, ...]
    comparisons: Comparisons
    form_hint: str = ""

    @classmethod
    def bind(cls, value: object, context: BindContext) -> Self:
        """Tell the two forms, `{ min = N }` and `{ is = { … } }`, from exact values; a table is one of these else."""
        try:
            tokens = parse_pointer(context.key)
        except PointerError as error:
            raise BindError(str(error)) from error
        match value:
            case {"min": _, **others} if not others:
                return cls(tokens, context.comparisons(value))
            case {"is": table, **others} if not others:
                return cls(tokens, context.comparisons(table, at=("is",)))
            case _:
                return cls(tokens, Equals.bind(value, context), _form_hint(value, context))

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield what differs at the place; where it is missing, say how far the document goes."""
        try:
            there = resolve(value, self.tokens)
            # Where a table is found, a table was meant.
            remark = "" if isinstance(there, dict) else self.form_hint
        except NoSuchPlace as missing:
            there, remark = MISSING, f" ({missing})"
        for mismatch in (yield from collect(self.comparisons.judge(there, outcome))):
            yield mismatch if mismatch.at else evolve(mismatch, expected=mismatch.expected + remark)


def _form_hint(value: object, context: BindContext) -> str:
    """Return how comparisons are written, for a table of them alone: it is hardly ever meant as an exact value."""
    if not isinstance(value, dict) or not value or not all(_is_comparison(name, context) for name in value):
        return ""
    written = ", ".join(f"{name} = {_written(wanted)}" for name, wanted in value.items())
    what = "a comparison is" if len(value) == 1 else "comparisons are"
    return f" (an exact value; {what} written {{ is = {{ {written} }} }})"


def _is_comparison(name: str, context: BindContext) -> bool:
    return name == TWIN_OF_MIN or (name != NO_COMPARISON and context.is_registered(name))


def _written(value: object) -> str:
    """Return a value as TOML writes it; a table, which JSON writes otherwise, is left out."""
    return "{ … }" if isinstance(value, dict) else shown(value)
