"""The expectation `lines`: a text with exactly so many lines."""

from typing import ClassVar

from attrs import frozen

from gekko import Checker, Format, Fragment, Judging, Mismatch, Outcome, Place, non_empty_lines


@frozen
class Lines(Checker):
    """The text has exactly so many lines, not counting empty ones.

    [expect]
    lines = 1
    """

    api: ClassVar[int] = 1
    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT, Place.VALUE})
    formats: ClassVar[frozenset[Format]] = frozenset({"text"})
    fragment: ClassVar[Fragment] = {"type": "integer", "minimum": 0}
    # Bound as an integer, which the fragment alone does not say: in JSON, 1.0 is one.
    count: int

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield a mismatch for any other number of lines, and for a value that is no string."""
        if not isinstance(value, str):
            yield Mismatch(f"a string of {_lines(self.count)}", value)
        elif (found := non_empty_lines(value)) != self.count:
            yield Mismatch(f"exactly {_lines(self.count)} (there {'are' if found != 1 else 'is'} {found})", value)


def _lines(count: int) -> str:
    return f"{count} non-empty {'line' if count == 1 else 'lines'}"
