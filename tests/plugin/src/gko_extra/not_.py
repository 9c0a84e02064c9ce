"""The expectation `not`: nested comparisons that must not all hold."""

from typing import ClassVar, Self

from attrs import frozen

from gekko import (
    COMPARISONS,
    BindContext,
    Checker,
    Comparisons,
    Fragment,
    Judging,
    Mismatch,
    Outcome,
    Place,
    collect,
    shown,
)


@frozen
class Not(Checker):
    """At least one of the comparisons inside does not hold; a place that is missing fails all the same.

    [expect]
    "/category" = { is = { not = { equals = "other" } } }
    """

    places: ClassVar[frozenset[Place]] = frozenset({Place.VALUE})
    fragment: ClassVar[Fragment] = COMPARISONS
    written: object
    inner: Comparisons

    @classmethod
    def bind(cls, value: object, context: BindContext) -> Self:
        """Keep the table for messages, beside what it means."""
        return cls(value, context.comparisons(value))

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield a mismatch where the comparisons inside yield none."""
        missed = yield from collect(self.inner.judge(value, outcome))
        if not missed:
            yield Mismatch(f"a value that is not {shown(self.written)}", value)
