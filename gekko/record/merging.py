"""Several records as one report: those of the shards of a suite, if together they are all of it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gekko.errors import ConfigurationError, Issue
from gekko.locations import Location, shown_path
from gekko.record.entries import ErrorEntry
from gekko.record.reading import Record
from gekko.record.results import CaseResult, Tally
from gekko.record.sameness import differences, misfit_selections, misfit_shards
from gekko.sources.listing import Address
from gekko.wording import counted, first_of, printable

ENDS: Final = {"finished": "finished", "stopped": "was stopped", "interrupted": "was interrupted"}


def merge(records: Sequence[Record]) -> list[CaseResult]:
    """Return the results of the suite that *records* are of, in the order that they would have had undivided.

    Raises:
        ConfigurationError: with all that keeps the records from being one whole suite.
    """
    tallies = [record.tallies() for record in records]
    issues = [*misfit_shards(records), *misfit_selections(records), *differences(records), *_overlaps(records)]
    for record, counts in zip(records, tallies, strict=True):
        issues += _unjudged(record, counts)
    if issues:
        raise ConfigurationError(issues)
    models = records[0].suite.invocation.models
    results = (tally.result() for counts in tallies for tally in counts.values())
    return sorted(results, key=lambda result: _place(result, models))


def why_empty(records: Sequence[Record]) -> str:
    """Return why *records* of one suite, none of which has a case, are no mistake."""
    asked = records[0].suite.invocation
    names = first_of([shown_path(record.path) for record in records])
    reasons = [] if asked.changed is None else [f"nothing had changed since {printable(asked.changed)}"]
    reasons += ["the run before had left nothing to be done"] if asked.failed else []
    reasons += [f"shard {asked.shard} had none of the selected cases"] if asked.shard and not reasons else []
    why = f": {' or '.join(reasons)}" if reasons else ""
    return f"nothing to report: there is no case in {names}{why}"


def _place(result: CaseResult, models: Sequence[str]) -> tuple[Sequence[str], str, int]:
    """Return what a suite sorts its rows by: the words of the command, the case, the models as they were asked for."""
    return result.command.split("/"), result.case, models.index(result.model) if result.model in models else 0


def _overlaps(records: Sequence[Record]) -> Iterator[Issue]:
    """Yield which cases are in several records; two verdicts on one case cannot both be reported."""
    owners: dict[Address, Record] = {}
    for record in records:
        shared: dict[str, list[Address]] = {}
        for case in record.cases:
            owner = owners.setdefault(case.address, record)
            if owner is not record:
                shared.setdefault(shown_path(owner.path), []).append(case.address)
        for path, cases in shared.items():
            problem = f"{len(cases)} of {counted(len(record.cases), 'case')} in {path} as well: {_named(cases)}"
            yield Issue(Location(record.path), "given twice" if path == shown_path(record.path) else problem)


def _unjudged(record: Record, tallies: Mapping[Address, Tally]) -> Iterator[Issue]:
    """Yield that a suite ended before all of its cases were judged, if that is so."""
    missing = [address for address, tally in tallies.items() if not tally.is_settled]
    if missing:
        ended = ENDS[record.end.reason] if record.end else "was killed or still runs, for the record has no end"
        # They come first: one of them may be what stopped the suite.
        silent = dict.fromkeys(run.address for run in record.runs if isinstance(run, ErrorEntry))
        count = f"{len(silent) + len(missing)} of {counted(len(tallies), 'case')} not judged"
        named = first_of([*(_name(address, "got no answer") for address in silent), *map(_name, missing)])
        yield Issue(Location(record.path), f"its suite {ended}; {count}: {named}")


def _named(addresses: Sequence[Address]) -> str:
    return first_of([*map(_name, addresses)])


def _name(address: Address, note: str = "") -> str:
    command, case, model = address
    return f"{command} {case} (model {model}{note and ', '}{note})"
