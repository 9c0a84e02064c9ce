"""Terminals in which `gko` runs in the foreground, with all three streams, and what they show."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TypeAlias

from attrs import define, field

from gekko.report.table import width
from tests.project import GKO, Project

PATIENCE_SECS = 20.0

ON_A_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes standard input the terminal of a session, so that its keys mean something."""

SHOWN = re.compile(r"\r\n|\r|\x1b\[2?K|\x1b\[[0-9;]*m|[^\r\x1b]+")


@define
class Window:
    """A terminal and the program that runs in it."""

    process: "subprocess.Popen[bytes]"
    controller: int
    terminal: int
    """The side of the program; kept open, or what was shown would be gone with it."""
    columns: int
    _shown: bytearray = field(factory=bytearray, init=False)
    _seen: int = field(default=0, init=False)

    def wait_for(self, text: str) -> None:
        """Return once *text* was shown since the last call of this."""
        ends = monotonic() + PATIENCE_SECS
        while (at := self._shown.find(text.encode(), self._seen)) < 0:
            assert self._read(ends - monotonic()), f"no {text!r} in {self.shown!r}"
        self._seen = at + len(text.encode())

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.controller, keys.encode())

    def resize(self, columns: int) -> None:
        """Make the window narrower, or wider."""
        self.columns = columns
        fcntl.ioctl(self.controller, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def finish(self) -> int:
        """Return the exit code, once the program has ended."""
        ends = monotonic() + PATIENCE_SECS
        while self.process.poll() is None:
            self._read(0.05)  # or it could not write on
            assert monotonic() < ends, self.shown
        while self._read(0):
            pass
        return self.process.returncode

    @property
    def shown(self) -> str:
        """All that was written to it."""
        return self._shown.decode()

    @property
    def screen(self) -> list[str]:
        """The lines as a person sees them; one that is too long would be several."""
        return screen(self.shown, self.columns)

    @property
    def settings(self) -> list[object]:
        """How it treats what is typed."""
        return termios.tcgetattr(self.terminal)

    @property
    def edits_lines(self) -> bool:
        """Whether what is typed is shown, and arrives line by line."""
        flags = termios.tcgetattr(self.terminal)[3]
        return bool(flags & termios.ICANON and flags & termios.ECHO)

    def _read(self, within_secs: float) -> bool:
        readable, _, _ = select.select([self.controller], [], [], max(0, within_secs))
        self._shown += os.read(self.controller, 65536) if readable else b""
        return bool(readable)


Open: TypeAlias = Callable[..., Window]


@contextmanager
def window(
    project: Project, *args: str, columns: int = 80, environ: Mapping[str, str] | None = None, raw: bool = False
) -> Iterator[Window]:
    """Run a program, `gko` unless *args* begin with a path, in a terminal; what still runs afterwards is ended."""
    controller, terminal = pty.openpty()
    program = args if args[0].startswith("/") else (str(GKO), *args)
    if raw:
        settings = termios.tcgetattr(terminal)
        settings[3] &= ~termios.ICANON
        termios.tcsetattr(terminal, termios.TCSANOW, settings)
    environment = project.environment({"TERM": "xterm", **(environ or {})})
    process = subprocess.Popen(
        [sys.executable, "-c", ON_A_TERMINAL, *program],
        cwd=project.folder,
        env={**environment, "PATH": f"{GKO.parent}:{environment['PATH']}"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    opened = Window(process, controller, terminal, columns)
    opened.resize(columns)
    with process:
        try:
            yield opened
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            process.kill()
            os.close(terminal)
            os.close(controller)


def screen(shown: str, columns: int) -> list[str]:
    """Return the lines that a terminal of so many columns shows in the end."""
    lines, at = [""], 0
    for piece in SHOWN.findall(shown):
        match piece:
            case "\r\n":
                lines.append("")
                at = 0
            case "\r":
                at = 0
            case "\x1b[2K":
                lines[-1] = ""
            case "\x1b[K":
                lines[-1] = lines[-1][:at]
            case _ if piece.startswith("\x1b"):
                pass
            case _:
                lines[-1] = lines[-1][:at] + piece + lines[-1][at + len(piece) :]
                at += len(piece)
                while width(lines[-1]) > columns:  # near enough for what has no wide characters
                    lines[-1:] = [lines[-1][:columns], lines[-1][columns:]]
                    at -= columns
    return lines
