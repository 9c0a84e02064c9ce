"""The expectation `each`: nested comparisons for every item of an array."""

from typing import ClassVar, Self

from attrs import evolve, frozen

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
)


@frozen
class Each(Checker):
    """The value is an array, and the comparisons inside hold for each of its items.

    [expect]
    "/scores" = { is = { each = { min = 0, max = 1 } } }
    """

    places: ClassVar[frozenset[Place]] = frozenset({Place.VALUE})
    fragment: ClassVar[Fragment] = COMPARISONS
    inner: Comparisons

    @classmethod
    def bind(cls, value: object, context: BindContext) -> Self:
        """Bind the comparisons once, for all items."""
        return cls(context.comparisons(value))

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield every item's mismatches, each at its index."""
        if not isinstance(value, list):
            yield Mismatch("an array", value)
            return
        for index, item in enumerate(value):
            for mismatch in (yield from collect(self.inner.judge(item, outcome))):
                yield evolve(mismatch, at=f"/{index}{mismatch.at}")
