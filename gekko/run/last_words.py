"""How a program that gko started has ended, and the last that it wrote: the end of a message about it."""

import os
import signal
import subprocess
from pathlib import Path

from attrs import frozen

TAIL_BYTES = 2000
TAIL_LINES = 5


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
        lines = ("".join(filter(str.isprintable, line)) for line in text.splitlines()[-TAIL_LINES:])
        return "\n  ".join((f"its log {self.path} ends with:", *lines))


def ending(process: subprocess.Popen[bytes]) -> str:
    """Say how a process ended."""
    code = process.returncode
    if code >= 0:
        return f"ended with exit status {code}"
    reason = " (this processor lacks an instruction that it needs)" if -code == signal.SIGILL else ""
    return f"was ended by {_named(-code)}{reason}"


def _named(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most of the real-time signals have no name
        return f"signal {number}"
