"""What the last run left to be done: the cases that it did not find good."""

from collections.abc import Iterable, Iterator

from attrs import frozen

from gekko.record.reading import Record
from gekko.sources.listing import Address


@frozen
class Outstanding:
    """The cases that are left, and the models that were asked for instead of the cases' own."""

    addresses: frozenset[Address]
    models: tuple[str, ...]


def outstanding(records: Iterable[Record]) -> Outstanding | None:
    """Return what is left of the last run; None where there was none.

    *records* begin with the newest. A run of what an earlier one had left continues that one: what it did not take up
    again is still left.
    """
    good: dict[Address, bool] = {}
    models: tuple[str, ...] | None = None
    for record in records:
        invocation = record.suite.invocation
        models = invocation.models if models is None else models
        for address, is_good in _judged(record):
            good.setdefault(address, is_good)
        if not invocation.failed:
            break
    if models is None:
        return None
    return Outstanding(frozenset(address for address, is_good in good.items() if not is_good), models)


def _judged(record: Record) -> Iterator[tuple[Address, bool]]:
    """Yield every case of a run, and whether it was judged to the end and found good."""
    for address, tally in record.tallies().items():
        yield address, tally.is_settled and tally.result().is_good
