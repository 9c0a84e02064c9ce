"""A key that is pressed while something runs: read from the terminal, whose settings are put back however that ends."""

import asyncio
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final

from attrs import define, field

from gekko.cli.interrupts import undo_at_the_latest
from gekko.cli.streams import is_terminal, result_descriptor

assert sys.platform != "win32"  # noqa: S101 - it has other terminals, and no jobs

import termios  # noqa: E402

STDIN: Final = 0

LFLAG: Final = 3
CC: Final = 6
"""Where `termios` has the flags of how lines are edited, and the special characters."""


def can_be_heard() -> bool:
    """Return whether standard input is a terminal, and nobody else reads it: what this is piped into may be a pager."""
    return is_terminal(sys.stdin) and not stat.S_ISFIFO(os.fstat(result_descriptor()).st_mode)


def in_foreground(terminal: int) -> bool | None:
    """Return whether this is the job that its *terminal* listens to; None where that is no terminal of jobs."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return None


@contextmanager
def heard(key: str, pressed: Callable[[], None], make_room: Callable[[], None]) -> Iterator[None]:
    """Call *pressed* whenever *key* is pressed while the block lasts; to be used in an event loop.

    *make_room* is called before the program is stopped by Ctrl-Z, and whoever started it has the terminal.
    """
    keys = _Keys(key.encode(), pressed, make_room)
    undo_at_the_latest(keys.put_back)
    before = {number: signal.getsignal(number) for number in (signal.SIGTSTP, signal.SIGQUIT, signal.SIGCONT)}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, keys.go_on if number == signal.SIGCONT else keys.leave)
        keys.take()
        yield
    finally:
        keys.put_back()
        keys.ignore()
        for number, handler in before.items():
            signal.signal(number, handler)


@define(eq=False)
class _Keys:
    """The keys of the terminal that is standard input, one by one and unseen; Ctrl-C stays what it is."""

    _key: bytes
    _pressed: Callable[[], None]
    _make_room: Callable[[], None]
    _loop: asyncio.AbstractEventLoop = field(factory=asyncio.get_running_loop, init=False)
    _found: list[Any] | None = field(default=None, init=False)
    """The settings that are to be put back."""

    def take(self) -> None:
        """Take the terminal, unless another job has it, or another program reads keys from it."""
        self.ignore()
        # A job in the background would be stopped for it.
        if not in_foreground(STDIN):
            return
        settings = termios.tcgetattr(STDIN)
        if settings[LFLAG] & termios.ICANON:
            self._found = termios.tcgetattr(STDIN)
            settings[LFLAG] &= ~(termios.ICANON | termios.ECHO)
            settings[CC][termios.VMIN], settings[CC][termios.VTIME] = 1, 0
            termios.tcsetattr(STDIN, termios.TCSANOW, settings)
        if self._found is not None:
            self._loop.add_reader(STDIN, self._read)

    def put_back(self) -> None:
        """Put back the settings that were found."""
        if self._found is not None and in_foreground(STDIN):
            # At once: between Ctrl-S and Ctrl-Q nothing that was written leaves.
            with suppress(termios.error):
                termios.tcsetattr(STDIN, termios.TCSANOW, self._found)
        self._found = None

    def ignore(self) -> None:
        """Leave what is typed to others."""
        self._loop.remove_reader(STDIN)

    def leave(self, number: int, _: FrameType | None) -> None:
        """Do what a signal does to a program that does not know it, with the terminal as it was found."""
        self._make_room()
        self.put_back()
        handler = signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, handler)  # where it goes on

    def go_on(self, _: int, __: FrameType | None) -> None:
        """Take the terminal again: somebody had the program go on, maybe in the foreground."""
        self._loop.call_soon_threadsafe(self.take)

    def _read(self) -> None:
        if not in_foreground(STDIN):
            self.ignore()
            return
        try:
            typed = os.read(STDIN, 1024)
        except OSError:
            typed = b""
        if not typed:  # the terminal is gone
            self.ignore()
        if self._key in typed:
            self._pressed()
