"""Expectations that are content with every output: what a case makes of them lies with the engine alone."""

from typing import ClassVar

from attrs import frozen

from gekko import Checker, Fragment, Judging, Outcome, Place


@frozen
class Silent(Checker):
    """Nothing is ever wrong; the value says what the hooks answer.

    [expect]
    silent = { exit_code = 4, needs_output = false }
    """

    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT, Place.VALUE})
    fragment: ClassVar[Fragment] = {"type": "object"}
    exit_code: int | None = None
    needs_output: bool = True
    sees_missing: bool = False

    @property
    def expected_exit_code(self) -> int | None:
        return self.exit_code

    def judge(self, value: object, outcome: Outcome) -> Judging:
        yield from ()
