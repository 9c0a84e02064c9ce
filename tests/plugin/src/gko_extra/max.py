"""The expectation `max`: a number that is not too large."""

from typing import ClassVar

from attrs import frozen

from gekko import Checker, Fragment, Judging, Mismatch, Outcome, Place, is_number


@frozen
class Max(Checker):
    """The value is a number and at most this.

    [expect]
    "/confidence" = { is = { min = 0.8, max = 0.99 } }
    """

    places: ClassVar[frozenset[Place]] = frozenset({Place.VALUE})
    fragment: ClassVar[Fragment] = {"type": "number"}
    bound: float

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield a mismatch for a larger number, and for anything that is no number."""
        if not is_number(value) or value > self.bound:
            yield Mismatch(f"a number of at most {self.bound}", value)
