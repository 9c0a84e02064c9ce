"""The expectation `absent`: a place that is missing, or must not be."""

from typing import ClassVar

from attrs import frozen

from gekko import MISSING, Checker, Fragment, Judging, Mismatch, Outcome, Place


@frozen
class Absent(Checker):
    """The document does not have the place; with `false`, it has.

    [expect]
    "/error" = { is = { absent = true } }
    """

    places: ClassVar[frozenset[Place]] = frozenset({Place.VALUE})
    fragment: ClassVar[Fragment] = {"type": "boolean"}
    wanted: bool

    @property
    def sees_missing(self) -> bool:
        """Yes: a missing place is what this is about."""
        return True

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield a mismatch for a place that is there, or the other way round."""
        if (value is MISSING) != self.wanted:
            yield Mismatch("no such place" if self.wanted else "a value", value)
