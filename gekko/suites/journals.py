"""The folders of journals: a file for each suite of a project, kept within bounds, and the newest of them read.

The newest is the one that was written last: of two suites that ran at the same time, the one that ended last. A clock
that was wrong hides none for long, because whatever is dated later than a journal that begins is dated back.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from gekko.errors import UsageError
from gekko.limits import MIB
from gekko.locations import shown_path
from gekko.record.reading import Record, read_begun
from gekko.run.locks import lock
from gekko.sources.files import digest
from gekko.sources.scopes import Scope
from gekko.suites.abandoned import delete_abandoned, is_being_written

KEPT: Final = 10
"""So many journals of a project are kept, the one that is being written among them."""

KEPT_IN_ALL: Final = 500
"""So many of all projects together: a machine that builds each commit in a folder of its own has as many projects."""

BYTES_IN_ALL: Final = 256 * MIB
"""The oldest journals beyond this are deleted, whatever project they are of."""

RECORDING: Final = "gko config test --replay=missing records what is missing yet, --record records everything anew"

SUFFIX: Final = ".jsonl"


def project_digest(scopes: Sequence[Scope]) -> str:
    """Return what tells a project from every other: the scopes that its configuration is read from."""
    roots = "\0".join(os.path.realpath(scope.root) for scope in scopes)
    return digest(roots.encode("utf-8", "surrogateescape")).sha256


def journal_folder(state: Path, project: str) -> Path:
    """Return where the journals of a project are."""
    return state / "journals" / project[:16]


def create_journal(folder: Path) -> tuple[Path, int]:
    """Return a new journal, locked, and open to be appended to; the oldest ones make room for it.

    Raises:
        OSError: it cannot be created, and nothing has made room.
    """
    path = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{os.getpid()}{SUFFIX}"
    _make(folder)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
    with suppress(OSError):  # not every file system has locks
        lock(descriptor)
    _date_back(path)
    _delete_superfluous(path)
    return path, descriptor


def last_record(state: Path, project: str) -> Record:
    """Return what the newest journal of a project says that a suite can go on with.

    Raises:
        UsageError: there is none, or its suite still runs, or it recorded what it was answered.
        InputOutputError: it cannot be read, or is damaged.
    """
    for path in _newest_first(journal_folder(state, project).glob(f"*{SUFFIX}")):
        record = read_begun(path)  # None of a suite that began no run: there is more in the one before
        if record is not None and not record.suite.invocation.replay:
            if is_being_written(record.path):
                raise UsageError(f"the last suite still runs; its journal is {shown_path(record.path)}")
            if record.suite.invocation.record:
                raise UsageError(f"the last suite recorded its answers, and --resume records none; {RECORDING}")
            return record
    raise UsageError(f"there is nothing to resume: {_why_none(journal_folder(state, project))}")


def last_runs(state: Path, project: str) -> tuple[Record, ...]:
    """Return what the last run of a project came to, and those that it continued, the newest first.

    Raises:
        UsageError: that is not known of one of them; what an older one came to is no answer.
        InputOutputError: a journal cannot be read, or is damaged.
    """
    records: list[Record] = []
    for path in _newest_first(journal_folder(state, project).glob(f"*{SUFFIX}")):
        record = read_begun(path)
        if record is None:
            which = "the last run" if not records else "the run that the last one continued"
            why = "has only just begun" if is_being_written(path) else "was cut off before the first case"
            raise UsageError(f"what {which} came to is not known, because its journal {why}: {shown_path(path)}")
        records.append(record)
        if not record.suite.invocation.failed:
            break
    return tuple(records)


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    """Return journals, beginning with the one that was written last; of several at once, that which began last."""
    return sorted(paths, key=lambda path: (_written_ns(path), path.name), reverse=True)


def _date_back(newest: Path) -> None:
    """Let a journal that begins be the newest: whatever is dated later was written under a clock that was wrong."""
    latest_ns = _written_ns(newest)
    for path in _newest_first(newest.parent.glob(f"*{SUFFIX}")):
        if path == newest:
            continue
        if _written_ns(path) < latest_ns:
            return
        latest_ns -= 1
        with suppress(OSError):  # another process has deleted it
            os.utime(path, ns=(latest_ns, latest_ns))


def _delete_superfluous(newest: Path) -> None:
    """Delete the oldest journals, but for *newest*, which has just begun."""
    own, every = (
        [path for path in _newest_first(paths) if path != newest]
        for paths in (newest.parent.glob(f"*{SUFFIX}"), newest.parent.parent.glob(f"*/*{SUFFIX}"))
    )
    for path in own[KEPT - 1 :]:
        delete_abandoned(path)
    size_bytes = 0
    for count, path in enumerate(every, 2):
        size_bytes += _size(path)
        if count > KEPT_IN_ALL or size_bytes > BYTES_IN_ALL:
            delete_abandoned(path)


def _written_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # another process has deleted it
        return 0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _make(folder: Path) -> None:
    # The mode is that of the last folder alone.
    folder.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _why_none(folder: Path) -> str:
    try:
        _make(folder)
    except OSError as error:
        return f"{folder} cannot be written: {error.strerror}"
    return f"{folder} has no journal of a suite that began"
