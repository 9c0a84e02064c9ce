"""The folders of journals: a file for each suite of a project, kept within bounds, and the newest of them read."""

import os
from collections.abc import Iterator, Sequence
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
        OSError: it cannot be created.
    """
    _delete_superfluous(folder)
    path = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{os.getpid()}{SUFFIX}"
    _make(folder)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
    with suppress(OSError):  # not every file system has locks
        lock(descriptor)
    return path, descriptor


def last_record(state: Path, project: str) -> Record:
    """Return what the newest journal of a project says that a suite can go on with.

    Raises:
        UsageError: there is none, or its suite still runs.
        InputOutputError: it cannot be read, or is damaged.
    """
    for record in recorded(state, project):
        if not record.suite.invocation.replay:
            if is_being_written(record.path):
                raise UsageError(f"the last suite still runs; its journal is {shown_path(record.path)}")
            return record
    raise UsageError(f"there is nothing to resume: {_why_none(journal_folder(state, project))}")


def recorded(state: Path, project: str) -> Iterator[Record]:
    """Yield what the journals of a project say, beginning with the newest; those without a case are left out.

    Raises:
        InputOutputError: one cannot be read, or is damaged.
    """
    for path in reversed(_journals(journal_folder(state, project))):
        if (record := read_begun(path)) is not None:
            yield record


def _journals(folder: Path) -> list[Path]:
    """Return the journals of a project, the oldest first."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def _delete_superfluous(folder: Path) -> None:
    """Make room for one more journal."""
    for path in _journals(folder)[: -(KEPT - 1)]:
        delete_abandoned(path)
    newest_first = sorted(folder.parent.glob(f"*/*{SUFFIX}"), key=lambda path: path.name, reverse=True)
    size_bytes = 0
    for count, path in enumerate(newest_first, 2):
        size_bytes += _size(path)
        if count > KEPT_IN_ALL or size_bytes > BYTES_IN_ALL:
            delete_abandoned(path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # another process has deleted it
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
