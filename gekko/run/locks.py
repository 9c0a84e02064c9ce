"""The lock of a file, which the kernel takes away from a process that dies, however it dies.

So nobody ever waits for the dead. A lock's file stays: whoever removed it could take a lock on a file that others no
longer see.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

TAKEN = (BlockingIOError, PermissionError)
"""What POSIX and what Windows raise where somebody else has a lock."""

FIRST_PAUSE_SECS = 0.005
LONGEST_PAUSE_SECS = 0.1
"""Between two looks for a lock. The kernel could wake us, but nothing could then cancel the wait."""


async def lock_one(paths: Sequence[Path], wait: Callable[[], None], freed: asyncio.Event | None = None) -> int:
    """Wait for the lock of one of *paths*, and return its open file; whoever closes that gives the lock back.

    *wait* is called once if somebody else has all of them; it may raise instead of waiting. Who gives a lock back in
    this very process can set *freed*, so that the next look comes at once.

    Raises:
        OSError: a file or its folder cannot be opened, or their file system has no locks.
    """
    descriptor = _first_free(paths)
    if descriptor is None:
        wait()
    pause_secs = FIRST_PAUSE_SECS
    while descriptor is None:
        await _pause(pause_secs, freed)
        pause_secs = min(2 * pause_secs, LONGEST_PAUSE_SECS)
        descriptor = _first_free(paths)
    return descriptor


async def _pause(secs: float, freed: asyncio.Event | None) -> None:
    if freed is None:
        await asyncio.sleep(secs)
        return
    freed.clear()  # whatever was freed before was seen by the last look
    with suppress(TimeoutError):
        async with asyncio.timeout(secs):
            await freed.wait()


def _first_free(paths: Sequence[Path]) -> int | None:
    return next((descriptor for path in paths if (descriptor := lock_now(path)) is not None), None)


def lock_now(path: Path) -> int | None:
    """Return *path*, open and locked, or None where somebody else has its lock; raises as lock_one does."""
    descriptor = _opened(path)
    try:
        lock(descriptor)
    except OSError as error:
        os.close(descriptor)
        if isinstance(error, TAKEN):
            return None
        raise
    return descriptor


def lock(descriptor: int) -> None:
    """Lock an open file, or raise one of `TAKEN` at once."""
    if sys.platform == "win32":
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _opened(path: Path) -> int:
    # Python has the descriptor closed in every program that this one starts; it would keep the lock.
    flags = os.O_RDWR | os.O_CREAT
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path, flags, 0o600)
