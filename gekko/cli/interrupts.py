"""Ctrl-C, SIGTERM and SIGHUP: each ends the program where it stands, with a code that names it."""

import signal
from types import FrameType

from gekko.cli.exits import Exit

CODES = {
    "SIGINT": Exit.INTERRUPTED,
    "SIGTERM": Exit.TERMINATED,
    "SIGHUP": Exit.HANGUP,  # which Windows does not have
}


class Interrupted(SystemExit):
    """A signal asked the program to end.

    A SystemExit, because an event loop lets that through at once, and everybody else too: what is open is closed on the
    way out.
    """


def heed_signals() -> None:
    """From now on, raise Interrupted where a signal meets the program."""
    for name in CODES:
        number = getattr(signal, name, None)
        # Whoever starts a program with a signal ignored, as nohup does, means it.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _interrupt(number: int, _: FrameType | None) -> None:
    # Once is enough: a second signal must not disturb the closing.
    for name in CODES:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    raise Interrupted(CODES[signal.Signals(number).name])
