"""How a program that gko started has ended, and the last that it wrote: the end of a message about it."""

import os
import signal
import subprocess
from pathlib import Path
from typing import IO, Protocol

from attrs import field, frozen

TAIL_BYTES = 2000
TAIL_LINES = 5


class LastWords(Protocol):
    """What one program writes, as far as it can be quoted."""

    def tail(self) -> str:
        """Return the last lines, as the end of a message."""
        ...


@frozen
class Log:
    """What one program writes: everything in the file at *path* from the byte *start* on."""

    path: Path
    start: int

    def tail(self) -> str:
        """Return the last lines, as the end of a message that names the file."""
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(self.start, size - TAIL_BYTES))
                text = file.read(TAIL_BYTES).decode(errors="replace")
        except OSError as error:
            return f"its log {self.path} cannot be read: {error.strerror}"
        if not text:
            return f"its log {self.path} says nothing"
        return _quoted(f"its log {self.path} ends with:", text)


@frozen
class Unkept:
    """What one program writes where no log can be kept: it is gone with *file*, which nobody else can open."""

    file: IO[bytes] = field(repr=False)

    @classmethod
    def open(cls) -> "Unkept":
        """Return a place for words; on a system without any for temporary files they are lost at once."""
        from tempfile import TemporaryFile  # rarely needed, and costly to import

        try:
            return cls(TemporaryFile())
        except OSError:
            return cls(Path(os.devnull).open("r+b"))

    def tail(self) -> str:
        """Return the last lines, as the end of a message."""
        # The program writes where this file stands, so it must not be moved by a seek.
        descriptor = self.file.fileno()
        start = max(0, os.fstat(descriptor).st_size - TAIL_BYTES)
        text = os.pread(descriptor, TAIL_BYTES, start).decode(errors="replace")
        return _quoted("its last words:", text) if text else "it left no words"


def ending(process: subprocess.Popen[bytes]) -> str:
    """Say how a process ended."""
    code = process.returncode
    if code >= 0:
        return f"ended with exit status {code}"
    reason = " (this processor lacks an instruction that it needs)" if -code == signal.SIGILL else ""
    return f"was ended by {_named(-code)}{reason}"


def _quoted(head: str, text: str) -> str:
    lines = ("".join(filter(str.isprintable, line)) for line in text.splitlines()[-TAIL_LINES:])
    return "\n  ".join((head, *lines))


def _named(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most of the real-time signals have no name
        return f"signal {number}"
