"""How an earlier suite is named to a person: by what was called, and when."""

import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from gekko.locations import shown_path
from gekko.record.entries import OPTIONS, Invocation
from gekko.record.reading import Record
from gekko.wording import counted, cut, printable


def title(record: Record) -> str:
    """Return the call that began a suite, and the local time: "`gko config test git` of 2026-01-31 09:30:00"."""
    call = shlex.join(("gko", "config", "test", *_arguments(record.suite.invocation)))
    return f"`{cut(printable(call))}` of {_local_time(record.suite.started_ms)}"


def resumed_text(record: Record) -> str:
    """Return which suite goes on, and how far it came."""
    tallies = record.tallies().values()
    judged = sum(tally.is_settled and tally.result().result != "error" for tally in tallies)
    return f"resuming {title(record)}: {judged} of {counted(len(record.cases), 'case')} judged"


def left_text(records: Sequence[Record], left: int) -> str:
    """Return which run left so many cases; *records* are that of the last run, and of those that it continued."""
    known = {case.address for record in records for case in record.cases}
    *since, began = records
    then = f", and by {counted(len(since), 'run')} with --failed since" if since else ""
    return f"--failed: {left} of {counted(len(known), 'case')} left by {title(began)}{then}"


def _arguments(asked: Invocation) -> Iterator[str]:
    yield from asked.words
    yield from (shown_path(Path(file)) for file in asked.files)
    for field, option in OPTIONS.items():
        match getattr(asked, field):
            case True:
                yield option
            case tuple(values):
                yield from (f"{option}={value}" for value in values)
            case str() | int() as value if value is not False:
                yield f"{option}={value}"


def _local_time(ms: int) -> str:
    try:
        return f"{datetime.fromtimestamp(ms / 1000, UTC).astimezone():%Y-%m-%d %H:%M:%S}"
    except (OverflowError, OSError, ValueError):  # it is any number that a file has in this place
        return "an unknown time"
