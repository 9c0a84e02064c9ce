"""The expectation `min`: a number that is large enough."""

from typing import ClassVar

from attrs import frozen

from gekko import Checker, Fragment, Judging, Mismatch, Outcome, Place, is_number


@frozen
class Min(Checker):
    """The value is a number and at least this.

    [expect]
    "/confidence" = { min = 0.8 }
    """

    api: ClassVar[int] = 1
    places: ClassVar[frozenset[Place]] = frozenset({Place.VALUE})
    fragment: ClassVar[Fragment] = {"type": "number"}
    bound: float

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield a mismatch for a smaller number, and for anything that is no number."""
        if not is_number(value) or value < self.bound:
            yield Mismatch(f"a number of at least {self.bound}", value)
