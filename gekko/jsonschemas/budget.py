"""How long evaluating a schema may take: processor time, watched by the system wherever it can interrupt."""

import signal
from collections.abc import Callable
from threading import current_thread, main_thread
from types import FrameType
from typing import Final, TypeVar

T = TypeVar("T")

AGAIN_SECS: Final = 0.1
"""What was raised inside of a callback of the interpreter is lost, so it is raised again after so long."""


class OutOfTimeError(BaseException):
    """An evaluation used up its processor time; *spent_on* is what it was busy with, where that is known.

    No Exception: whatever is evaluated must not take it for a failure of its own.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds
        self.spent_on = ""


def within(seconds: float, work: Callable[[], T]) -> T:
    """Return what *work* returns, unless it takes more processor time than that.

    It has all the time it takes where nothing can interrupt it: outside of the main thread, and on Windows. Regular
    expressions look for signals while they match, so that they are interrupted too.

    Raises:
        OutOfTimeError: it takes more.
    """
    if not hasattr(signal, "setitimer") or current_thread() is not main_thread():
        return work()
    is_over = False

    def expire(_: int, __: FrameType | None) -> None:
        if not is_over:
            raise OutOfTimeError(seconds)

    # Virtual time: the alarm of real time belongs to Ctrl-C.
    timer = signal.getitimer(signal.ITIMER_VIRTUAL)
    handler = signal.signal(signal.SIGVTALRM, expire)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN_SECS)
        return work()
    finally:
        is_over = True  # first, so that the handler does no harm wherever a signal meets what follows
        signal.setitimer(signal.ITIMER_VIRTUAL, *timer)
        signal.signal(signal.SIGVTALRM, handler or signal.SIG_DFL)
