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

RANGE_WORDS: Final = frozenset({"min", "max"})
"""A table of these alone is an exact value, but hardly ever meant as one."""


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
    range_hint: str = ""

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
                return cls(tokens, Equals.bind(value, context), _range_hint(value))

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield what differs at the place; where it is missing, say how far the document goes."""
        try:
            there = resolve(value, self.tokens)
            # Where a table is found, a table was meant.
            remark = "" if isinstance(there, dict) else self.range_hint
        except NoSuchPlace as missing:
            there, remark = MISSING, f" ({missing})"
        for mismatch in (yield from collect(self.comparisons.judge(there, outcome))):
            yield mismatch if mismatch.at else evolve(mismatch, expected=mismatch.expected + remark)


def _range_hint(value: object) -> str:
    if not isinstance(value, dict) or not value or not value.keys() <= RANGE_WORDS:
        return ""
    written = ", ".join(f"{name} = {shown(bound)}" for name, bound in value.items())
    return f" (an exact value; a range is written {{ is = {{ {written} }} }})"
