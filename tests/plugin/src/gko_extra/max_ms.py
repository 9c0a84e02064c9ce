"""The expectation `max_ms`: an answer that did not take too long."""

from typing import ClassVar

from attrs import frozen

from gekko import Checker, Fragment, Judging, Mismatch, Outcome, Place


@frozen
class MaxMs(Checker):
    """The whole answer was there after at most so many milliseconds.

    [expect]
    max_ms = 1500
    """

    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT})
    fragment: ClassVar[Fragment] = {"type": "number", "exclusiveMinimum": 0}
    limit: float

    @property
    def needs_output(self) -> bool:
        """No: a rejected answer takes its time as well."""
        return False

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield a mismatch for an answer that took longer."""
        if outcome.duration_ms > self.limit:
            yield Mismatch(f"an answer within {self.limit} ms", round(outcome.duration_ms))
