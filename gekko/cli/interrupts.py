"""Ctrl-C, SIGTERM and SIGHUP: the first ends the program where it stands, with its code, and a second one at once."""

import atexit
import os
import signal
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from gekko.checks.ending import Ending
from gekko.cli.exits import Exit

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

Handler: TypeAlias = Callable[[int, FrameType | None], None]

CODES: Final = {
    "SIGINT": Exit.INTERRUPTED,
    "SIGTERM": Exit.TERMINATED,
    "SIGHUP": Exit.HANGUP,  # which Windows does not have
}

ASKING: Final = ("SIGUSR1", "SIGINFO")
"""Signals that ask how it goes; Windows has neither, Linux only the first."""

_debts: Final[list[Callable[[], None]]] = []
"""What is to be undone even where the program ends at once."""

PATIENCE_SECS: Final = 0.25
"""An event loop has so long to close what it opened; an expectation at work does not let it come to that."""

ECHO_SECS: Final = 0.1
"""A second signal within this time is taken for the first: a terminal sends Ctrl-C to all that runs in it, and some
programs pass on to those that they have started what they got."""

GRACE_SECS: Final = 1.0
"""So long after its time a suite that is still there is taken for one that never gets to look at the clock."""


class Interrupted(Ending):
    """A signal asked the program to end with this code; what is open is closed on the way out.

    No KeyboardInterrupt, of which click makes something else, and no SystemExit, which plug-ins raise.
    """

    def __init__(self, code: Exit) -> None:
        super().__init__(code)
        self.code = code


class OutOfTime(Interrupted):
    """The time that a suite was given ran out while something kept the program busy."""

    def __init__(self, seconds: float) -> None:
        super().__init__(Exit.BACKEND)
        self.seconds = seconds


def heed_signals() -> None:
    """From now on, raise Interrupted where a signal meets the program."""

    def interrupt(number: int, _: FrameType | None) -> None:
        interrupted = _interrupted(number)
        _raise_again(interrupted)
        raise interrupted

    _install(interrupt)
    _heed_questions(_say_nothing)


@contextmanager
def answering(answer: Callable[[], None]) -> Iterator[None]:
    """Call *answer*, wherever the program is then, when a signal asks how it goes while the block lasts."""
    _heed_questions(lambda _, __: answer())
    try:
        yield
    finally:
        _heed_questions(_say_nothing)


def end_deaf() -> None:
    """Ignore whoever asks how it goes: the interpreter is about to forget the handlers, and would end with 138."""
    _heed_questions(signal.SIG_IGN)


def undo_at_the_latest(undo: Callable[[], None]) -> None:
    """Have *undo* called when the program ends, also where nothing is closed; it has no effect once it was called."""
    atexit.register(undo)
    _debts.append(undo)


def disarm() -> None:
    """Stop raising what was heeded: it has arrived where it is dealt with."""
    _set_alarm(0)


def ignore_signals() -> None:
    """From now on let no signal change how the program ends, which it is about to do.

    At its end the interpreter takes handlers of ours away, and the system's would give the program another exit code.
    """
    disarm()
    _install(signal.SIG_IGN)


def run_heedful(main: Coroutine[Any, Any, T], limit_secs: float | None = None) -> T:
    """Run *main* in an event loop and return its result; a signal cancels it, and is raised as Interrupted afterwards.

    Raised at once, it could meet any task, or the loop between two of them, and whoever waits for those would be left.

    *main* ends by itself after *limit_secs*, unless something keeps the loop busy; a little later it is ended as by a
    signal, with the code of a backend that gives no answer.
    """
    import asyncio

    heedful = _Heedful(main)
    if limit_secs is not None:
        _end_after(limit_secs, heedful.met)
    try:
        _install(heedful.cancel)  # now already: an exception must not meet the loop while it is being made
        return asyncio.run(heedful.run())
    finally:
        disarm()
        main.close()  # it may never have been begun
        heedful.raise_met()
        heed_signals()


class _Heedful(Generic[T]):
    """A coroutine that is cancelled by the first signal, or ends at once where that came before it began."""

    def __init__(self, main: Coroutine[Any, Any, T]) -> None:
        self._main = main
        self._under_way: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self.met: list[Interrupted] = []

    async def run(self) -> T:
        from asyncio import current_task, get_running_loop

        if (task := current_task()) is not None:
            self._under_way = get_running_loop(), task
        self.raise_met()
        return await self._main

    def cancel(self, number: int, _: FrameType | None) -> None:
        self.met.append(_interrupted(number))
        if self._under_way is not None:
            loop, task = self._under_way
            if loop.is_closed():
                self.raise_met()
            loop.call_soon_threadsafe(task.cancel)
        _raise_again(self.met[0])

    def raise_met(self) -> None:
        if self.met:
            raise self.met[0]


def _say_nothing(_: int, __: FrameType | None) -> None:
    """There is nothing to tell yet, or any more; by default the program would end."""


def _heed_questions(handler: Handler | signal.Handlers) -> None:
    _install(handler, ASKING)


def _install(handler: Handler | signal.Handlers, names: Iterable[str] = CODES) -> None:
    for name in names:
        number = getattr(signal, name, None)
        # Whoever starts a program with a signal ignored, as nohup does, means it.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _interrupted(number: int) -> Interrupted:
    interrupted = Interrupted(CODES[signal.Signals(number).name])
    first = monotonic()

    def end_at_once(_: int, __: FrameType | None) -> None:
        # Nothing is closed, but nothing outlives this either: the engine ends when its pipe does.
        if monotonic() - first > ECHO_SECS:
            try:
                disarm()
                for undo in _debts:
                    undo()
            finally:
                os._exit(interrupted.code)

    _install(end_at_once)
    return interrupted


def _raise_again(interrupted: Interrupted) -> None:
    """Raise it time and again until the program ends.

    A loop that is kept busy does not get to cancel its task; and what is raised inside of a callback of the interpreter
    or of the loop, such as the end of a weak reference, is lost.
    """

    def interrupt(_: int, __: FrameType | None) -> None:
        raise interrupted

    if hasattr(signal, "SIGALRM"):  # which Windows does not have
        signal.signal(signal.SIGALRM, interrupt)
        _set_alarm(PATIENCE_SECS)


def _end_after(seconds: float, met: list[Interrupted]) -> None:
    def interrupt(_: int, __: FrameType | None) -> None:
        if not met:
            met.append(OutOfTime(seconds))
        raise met[0]

    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, seconds + GRACE_SECS, PATIENCE_SECS)


def _set_alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
