"""The expectation `equals`: the same value, as JSON compares."""

from collections.abc import Iterator
from typing import ClassVar, Self

from attrs import frozen

from gekko import (
    BindContext,
    BindError,
    Checker,
    Fragment,
    Judging,
    KeyPath,
    Mismatch,
    Outcome,
    Place,
    build_pointer,
    equal,
    shown,
    unfit,
)


@frozen
class Equals(Checker):
    """The value equals this one: numbers by value, strings exactly, arrays in order, tables in any order.

    [expect]
    "/limits" = { is = { equals = { min = 1 } } }
    """

    api: ClassVar[int] = 1
    places: ClassVar[frozenset[Place]] = frozenset({Place.VALUE})
    fragment: ClassVar[Fragment] = {}
    wanted: object

    @classmethod
    def bind(cls, value: object, context: BindContext) -> Self:  # noqa: ARG003 (the API says what it takes)
        """Take any value that JSON can hold."""
        if misfit := unfit(value):
            at, problem = misfit
            raise BindError(problem, "JSON has null, true, false, finite numbers, strings, arrays and objects", at)
        return cls(value)

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield a mismatch for each place that differs, and for nothing around it."""
        yield from _differences(self.wanted, value, ())


def _differences(wanted: object, found: object, at: KeyPath) -> Iterator[Mismatch]:
    if isinstance(wanted, dict) and isinstance(found, dict):
        yield from _in_tables(wanted, found, at)
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for index, (inner, there) in enumerate(zip(wanted, found, strict=True)):
            yield from _differences(inner, there, (*at, index))
    elif not equal(wanted, found):
        yield Mismatch(shown(wanted), found, build_pointer(at))


def _in_tables(wanted: dict[str, object], found: dict[str, object], at: KeyPath) -> Iterator[Mismatch]:
    for name, inner in wanted.items():
        if name in found:
            yield from _differences(inner, found[name], (*at, name))
        else:
            yield Mismatch(shown(inner), at=build_pointer((*at, name)))
    for name in (name for name in found if name not in wanted):
        yield Mismatch("no such member", found[name], build_pointer((*at, name)))
