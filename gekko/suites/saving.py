"""A record in a file that the user names: complete, and there only once the suite has ended, in whatever way."""

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Final, Self

from attrs import define

from gekko.errors import InputOutputError, UsageError
from gekko.locations import shown_path
from gekko.record.entries import Entry, line
from gekko.record.reading import is_record
from gekko.run.locks import lock
from gekko.sources.files import FileProblem
from gekko.sources.scopes import Scope
from gekko.sources.writing import append
from gekko.suites.abandoned import delete_abandoned

SUFFIX: Final = ".unfinished"


@define
class SavedRecord:
    """A record that is being written beside the file that it will replace."""

    _named: Path
    _target: Path
    _beside: Path
    _descriptor: int

    @classmethod
    def begin(cls, path: Path) -> Self:
        """Return a new record that will be at *path*.

        Raises:
            InputOutputError: it cannot be written there.
        """
        target = Path(os.path.realpath(path))  # or a link would be replaced by the file
        beside = target.with_name(f".{target.name}.{os.getpid()}{SUFFIX}")
        try:
            _delete_leftovers(target)
            descriptor = os.open(beside, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC, _mode(target))
        except OSError as error:
            raise _unwritable(path, error) from None
        with suppress(OSError):  # not every file system has locks
            lock(descriptor)
        return cls(path, target, beside, descriptor)

    def write(self, entries: Sequence[Entry]) -> None:
        """Append entries.

        Raises:
            InputOutputError: the disk is full, or the like.
        """
        try:
            append(self._descriptor, b"".join(map(line, entries)))
        except OSError as error:
            raise _unwritable(self._named, error) from error

    def finish(self) -> None:
        """Put the record in its place.

        Raises:
            InputOutputError: that is not possible.
        """
        try:
            self._beside.replace(self._target)
        except OSError as error:
            raise _unwritable(self._named, error) from error

    def close(self) -> None:
        """Close the file; a record that was not finished is gone."""
        os.close(self._descriptor)
        with suppress(OSError):  # whatever has ended the suite is told, and not that this is left behind
            self._beside.unlink(missing_ok=True)


def require_savable(path: Path, scopes: Iterable[Scope], streams: Iterable[int]) -> None:
    """Refuse a file in whose place no record should be; *streams* are descriptors that others write to.

    Raises:
        UsageError: it belongs to the configuration, holds something else than a record, or is a stream.
        InputOutputError: it cannot be read.
    """
    if _is_stream(path, streams):
        problem = f"found {shown_path(path)}, which is a pipe, or where standard output or standard error goes"
        raise UsageError(f"--save: expected the name of a file of its own, {problem}")
    target = Path(os.path.realpath(path))
    for scope in scopes:
        if target.is_relative_to(os.path.realpath(scope.root)) and target.suffix != ".jsonl":
            problem = f"{shown_path(path)} is in the folder of the {scope.name} scope, where files are configuration"
            raise UsageError(f"--save: {problem}; accepted there: a name that ends in .jsonl")
    try:
        if not target.exists() or is_record(target):
            return
    except FileProblem as error:
        raise InputOutputError(f"--save: {shown_path(path)}: {error}") from None
    raise UsageError(f"--save: {shown_path(path)} holds something else than a record, and is not replaced")


def _is_stream(path: Path, streams: Iterable[int]) -> bool:
    """Return whether *path* is a pipe, or the file of one of *streams*, such as /dev/stdout is.

    Links are followed by the system: it knows where /dev/fd/1 leads, be that a file or none that has a name.
    """
    try:
        found = path.stat()
    except OSError:  # there is none yet, or whoever opens it is told
        return False
    return stat.S_ISFIFO(found.st_mode) or any(_is_open_as(descriptor, found) for descriptor in streams)


def _is_open_as(descriptor: int, found: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), found)
    except OSError:  # it is closed
        return False


def _mode(target: Path) -> int:
    """Return the permissions of the file that is replaced: its owner may have made it private."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except OSError:
        return 0o666


def _delete_leftovers(target: Path) -> None:
    """Delete what a process left that was killed."""
    for path in target.parent.glob(f".{escape(target.name)}.*{SUFFIX}"):
        delete_abandoned(path)


def _unwritable(path: Path, error: OSError) -> InputOutputError:
    return InputOutputError(f"--save: {shown_path(path)} cannot be written: {error.strerror}")
