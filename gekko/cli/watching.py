"""Whoever watches a suite while it runs: a line that says how it gets on, and what is in flight for those who ask."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Final, Protocol

from attrs import define, field

from gekko.cli.interrupts import answering
from gekko.cli.session import Session
from gekko.cli.streams import json_line
from gekko.report.progress import progress_line, status_facts, status_headline, status_text
from gekko.suites.events import CaseFinished, Event, Follower
from gekko.suites.headway import Headway

if sys.platform != "win32":
    from gekko.cli.keys import can_be_heard, heard, in_foreground

STDERR: Final = 2

KEY: Final = "t"

COLUMNS: Final = 80
"""Of a terminal that does not know how wide it is."""

ERASE_LINE: Final = "\r\x1b[2K"
ERASE_REST: Final = "\x1b[K"


@contextmanager
def watched(session: Session, headway: Headway) -> Iterator[Follower]:
    """Show how a suite gets on while the block lasts, and yield what is to be told of every event.

    To be used in an event loop. SIGUSR1 is answered wherever stderr leads to; the rest is for terminals alone.
    """
    display = _display(session, headway)

    def follow(event: Event) -> None:
        headway.follow(event)
        if display is not None and isinstance(event, CaseFinished):
            display.show_in_time()

    def tell() -> None:
        session.make_room()
        _write(_status(session, headway))

    shown = nullcontext() if display is None else display.shown(session)
    with answering(tell), shown, _key_heard(session, tell):
        yield follow


class _Line(Protocol):
    """Where it is said, time and again, how things go."""

    every_secs: float

    def show(self, text: str) -> None:
        """Say how things go."""
        ...

    def clear(self) -> None:
        """Take away what would be in the way of other lines."""
        ...


@define
class _Rewritten:
    """The last line of a terminal, written over and over."""

    every_secs: float = 0.1
    _shown: str = ""

    def show(self, text: str) -> None:
        """Write the line anew, if it is another."""
        if text != self._shown:
            self._shown = text
            _write(f"\r{text}{ERASE_REST}")

    def clear(self) -> None:
        """Erase the line."""
        if self._shown:
            self._shown = ""
            _write(ERASE_LINE)


@define
class _Plain:
    """One line after the other, where none can be taken away."""

    every_secs: float = 10.0

    def show(self, text: str) -> None:
        """Write another line."""
        _write(f"{text}\n")

    def clear(self) -> None:
        """Leave what was written."""


@define(eq=False)
class _Display:
    """Shows the headway of a suite, also while nothing happens, for seconds go by."""

    _headway: Headway
    _line: _Line
    _next_at: float = field(default=0.0, init=False)
    _timer: asyncio.TimerHandle | None = field(default=None, init=False)

    @contextmanager
    def shown(self, session: Session) -> Iterator[None]:
        """Show it while the block lasts; what *session* says meanwhile takes its place."""
        session.make_room = self._line.clear
        self._wait()
        try:
            yield
        finally:
            if self._timer is not None:
                self._timer.cancel()
            self._line.clear()

    def show_in_time(self) -> None:
        """Show it if it is time.

        A suite that never waits, because it judges what is recorded, leaves the loop no time to do so.
        """
        if self._headway.clock() >= self._next_at:
            self._show()

    def _tick(self) -> None:
        self._show()
        self._wait()

    def _wait(self) -> None:
        self._next_at = self._headway.clock() + self._line.every_secs
        self._timer = asyncio.get_running_loop().call_later(self._line.every_secs, self._tick)

    def _show(self) -> None:
        self._next_at = self._headway.clock() + self._line.every_secs
        if not _is_in_background():
            self._line.show(progress_line(self._headway, _columns() - 1))


def _display(session: Session, headway: Headway) -> _Display | None:
    if not session.is_watched or session.verbosity == "info":  # which has lines of its own
        return None
    return _Display(headway, _Plain() if session.environ.get("TERM") == "dumb" else _Rewritten())


def _status(session: Session, headway: Headway) -> str:
    if session.error_format == "text":
        return status_text(headway)
    return json_line({"kind": "status", "message": status_headline(headway), **status_facts(headway)}) + "\n"


def _key_heard(session: Session, pressed: Callable[[], None]) -> AbstractContextManager[None]:
    if sys.platform == "win32" or not session.is_watched or not can_be_heard():
        return nullcontext()
    return heard(KEY, pressed, session.make_room)


def _is_in_background() -> bool:
    """Return whether the terminal is in use by another job, in whose lines this would write."""
    return sys.platform != "win32" and in_foreground(STDERR) is False


def _columns() -> int:
    """Return how wide the terminal is now; it may be another width than before."""
    try:
        return os.get_terminal_size(STDERR).columns or COLUMNS
    except OSError:
        return COLUMNS


def _write(text: str) -> None:
    """Write to stderr beside the stream of that name: a signal may have interrupted whoever writes to it."""
    rest = memoryview(text.encode("utf-8", "backslashreplace"))
    with suppress(OSError):  # nobody is there any more
        while rest:
            rest = rest[os.write(STDERR, rest) :]
