"""What is remembered of a server in the state folder: a record, its log, and a lock for whoever changes them."""

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Literal, TypeAlias

from attrs import asdict, frozen

from gekko.errors import InputOutputError
from gekko.limits import MIB
from gekko.run.locks import lock_one
from gekko.sources.writing import replace_file
from gekko.specs.structure import StructureError, structure

LOG_BYTES = 4 * MIB
"""A log that has grown beyond this is put aside when the server is started anew."""

SHOWN_LOG_BYTES = 4 * MIB
"""How far back a log is looked at."""


@frozen(kw_only=True)
class ProcessMark:
    """How a process is known again: a number alone may be another's tomorrow."""

    type: Literal["process"] = "process"
    pid: int
    born: str


@frozen(kw_only=True)
class ContainerMark:
    """How a container is known again."""

    type: Literal["docker"] = "docker"
    name: str
    id: str


Mark: TypeAlias = ProcessMark | ContainerMark


@frozen(kw_only=True)
class Record:
    """A server that was started: which, where, when (ISO 8601, UTC), and a digest of the settings that it has."""

    backend: str
    root: str
    url: str
    started: str
    settings: str
    server: Mark


@frozen
class Files:
    """The files of one server, all below *folder*; *name* is the server's own."""

    folder: Path
    name: str

    @property
    def log(self) -> Path:
        """What the server has to say."""
        return self.folder / f"{self.name}.log"

    @property
    def record(self) -> Path:
        """Where the record stands."""
        return self.folder / f"{self.name}.json"

    def read(self) -> Record | None:
        """Return what is remembered, or None.

        Raises:
            InputOutputError: it cannot be read, or is no record.
        """
        try:
            return structure(json.loads(self.record.read_bytes()), Record)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputOutputError(f"{self.record}: cannot be read: {error.strerror}") from error
        except (ValueError, StructureError) as error:
            raise InputOutputError(f"{self.record}: not a record of gko; remove the file") from error

    def write(self, record: Record) -> None:
        """Remember; a reader finds the old record or the new one, and never a part of it."""
        text = json.dumps(asdict(record), indent=2) + "\n"
        try:
            replace_file(self.record, text.encode())
        except OSError as error:
            raise InputOutputError(f"{self.record}: cannot be written: {error.strerror}") from error

    def forget(self) -> None:
        """Remove the record; the log stays."""
        self.record.unlink(missing_ok=True)

    def open_log(self) -> IO[bytes]:
        """Open the log at its end; one that has grown too long is put aside first."""
        try:
            if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
                self.log.replace(self.log.with_suffix(".log.1"))
            return self.log.open("ab")
        except OSError as error:
            raise InputOutputError(f"{self.log}: cannot be written: {error.strerror}") from error

    def log_tail(self, lines: int) -> bytes:
        """Return the last lines of the log, as many as the last few MiB have; nothing where there is none."""
        try:
            with self.log.open("rb") as file:
                return last_lines(file, lines)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise InputOutputError(f"{self.log}: cannot be read: {error.strerror}") from error


def last_lines(file: IO[bytes], lines: int) -> bytes:
    """Return the last lines of a file, not looking further back than `SHOWN_LOG_BYTES`."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - SHOWN_LOG_BYTES))
    # A server may go on writing, so what is read has an end of its own.
    return b"".join(file.read(SHOWN_LOG_BYTES).splitlines(keepends=True)[-lines:])


@asynccontextmanager
async def held(files: Files, what: str, wait: Callable[[], None] = lambda: None) -> AsyncIterator[None]:
    """Hold the lock *what* for as long as the block lasts; *wait* is called once if another process has it."""
    path = files.folder / f"{what}.lock"
    try:
        descriptor = await lock_one([path], wait)
    except OSError as error:
        raise InputOutputError(f"{path}: cannot be opened: {error.strerror}") from error
    try:
        yield
    finally:
        os.close(descriptor)
