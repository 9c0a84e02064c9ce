"""A checker whose annotations are strings when its class is made."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from gekko import Checker, Judging, Outcome, Place


@frozen
class Late(Checker):
    """Nothing is asked."""

    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT})
    limit: int

    def judge(self, value: object, outcome: Outcome) -> Judging:
        yield from ()
