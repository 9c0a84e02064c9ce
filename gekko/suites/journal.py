"""The journal of a suite: its record, kept in the state folder while it runs, so that it can go on however it ends.

Each run is one write to a file that is only ever appended to: whoever kills the program cuts off the last line at most.
Nothing is forced to the disk, so a computer that goes down may lose the last lines.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Final, Self

from attrs import define, evolve

from gekko.errors import UsageError
from gekko.limits import MIB
from gekko.locations import shown_path
from gekko.record.entries import Entry, RunEntry, line
from gekko.record.reading import Record, read_begun
from gekko.run.locks import lock, lock_now
from gekko.sources.files import digest
from gekko.sources.scopes import Scope

KEPT: Final = 10
"""So many journals of a project are kept, the one that is being written among them."""

KEPT_IN_ALL: Final = 500
"""So many of all projects together: a machine that builds each commit in a folder of its own has as many projects."""

BYTES_IN_ALL: Final = 256 * MIB
"""The oldest journals beyond this are deleted, whatever project they are of."""

OUTPUT_BYTES: Final = 16 * MIB
"""A journal that would grow beyond this by an output goes on without outputs: their digests do for a report."""

SUFFIX: Final = ".jsonl"


def project_digest(scopes: Sequence[Scope]) -> str:
    """Return what tells a project from every other: the scopes that its configuration is read from."""
    roots = "\0".join(os.path.realpath(scope.root) for scope in scopes)
    return digest(roots.encode("utf-8", "surrogateescape")).sha256


@define
class Journal:
    """A journal that is being written; a failure to do so is a warning, and its end."""

    path: Path
    _descriptor: int
    _warn: Callable[[str], None]
    _size_bytes: int = 0
    is_kept: bool = True
    """Whether everything that happened is in it."""

    @classmethod
    def begin(cls, state: Path, project: str, warn: Callable[[str], None]) -> Self | None:
        """Return a new journal of a project; None, after a warning, where the state folder cannot be written."""
        folder = _folder(state, project)
        try:
            _delete_superfluous(folder)
            path, descriptor = _created(folder)
        except OSError as error:
            warn(f"{folder}: no journal can be written, so the suite cannot be resumed: {error.strerror}")
            return None
        return cls(path, descriptor, warn)

    def write(self, entries: Sequence[Entry]) -> None:
        """Append entries, in one write."""
        if not self.is_kept:
            return
        try:
            append(self._descriptor, b"".join(map(self._line, entries)))
        except OSError as error:
            # What follows half a line would make the whole file unreadable.
            self.is_kept = False
            reason = error.strerror
            self._warn(f"{self.path}: the journal cannot be written on, so not all can be resumed: {reason}")

    def close(self) -> None:
        """Close the file, and give its lock back."""
        os.close(self._descriptor)

    def _line(self, entry: Entry) -> bytes:
        written = line(entry)
        if isinstance(entry, RunEntry) and self._size_bytes + len(written) > OUTPUT_BYTES:
            written = line(evolve(entry, output=None))
        self._size_bytes += len(written)
        return written


def last_record(state: Path, project: str) -> Record:
    """Return what the newest journal of a project says that a suite can go on with.

    Raises:
        UsageError: there is none, or its suite still runs.
        InputOutputError: it cannot be read, or is damaged.
    """
    for record in recorded(state, project):
        if not record.suite.invocation.replay:
            if _is_being_written(record.path):
                raise UsageError(f"the last suite still runs; its journal is {shown_path(record.path)}")
            return record
    raise UsageError(f"there is nothing to resume: {_why_none(_folder(state, project))}")


def recorded(state: Path, project: str) -> Iterator[Record]:
    """Yield what the journals of a project say, beginning with the newest; those without a case are left out.

    Raises:
        InputOutputError: one cannot be read, or is damaged.
    """
    for path in reversed(_journals(_folder(state, project))):
        if (record := read_begun(path)) is not None:
            yield record


def append(descriptor: int, lines: bytes) -> None:
    """Write all of *lines* at once.

    Raises:
        OSError: they could not be written, or not whole.
    """
    if os.write(descriptor, lines) < len(lines):
        raise OSError(0, "the disk is full")


def _folder(state: Path, project: str) -> Path:
    return state / "journals" / project[:16]


def _created(folder: Path) -> tuple[Path, int]:
    started = datetime.fromtimestamp(time(), UTC).strftime("%Y%m%dT%H%M%S.%f")
    path = folder / f"{started}-{os.getpid()}{SUFFIX}"
    _make(folder)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
    with suppress(OSError):  # not every file system has locks
        lock(descriptor)
    return path, descriptor


def _make(folder: Path) -> None:
    # The mode is that of the last folder alone.
    folder.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _journals(folder: Path) -> list[Path]:
    """Return the journals of a project, the oldest first."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def _delete_superfluous(folder: Path) -> None:
    """Make room for one more journal."""
    for path in _journals(folder)[: -(KEPT - 1)]:
        _delete(path)
    newest_first = sorted(folder.parent.glob(f"*/*{SUFFIX}"), key=lambda path: path.name, reverse=True)
    size_bytes = 0
    for count, path in enumerate(newest_first, 2):
        size_bytes += _size(path)
        if count > KEPT_IN_ALL or size_bytes > BYTES_IN_ALL:
            _delete(path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # another process has deleted it
        return 0


def _delete(path: Path) -> None:
    """Delete a journal, unless a living process writes it."""
    with suppress(OSError):
        descriptor = lock_now(path)
        if descriptor is not None:
            path.unlink()
            os.close(descriptor)


def _is_being_written(path: Path) -> bool:
    try:
        descriptor = lock_now(path)
    except OSError:
        return False
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


def _why_none(folder: Path) -> str:
    try:
        _make(folder)
    except OSError as error:
        return f"{folder} cannot be written: {error.strerror}"
    return f"{folder} has no journal of a suite that began"
