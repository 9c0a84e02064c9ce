"""At most so many requests at a time to one server, over every process of this user on this machine.

Each place is a file in the state folder, and whoever holds its lock has the place. The kernel takes a lock away from a
process that dies, however it dies, so that nobody ever waits for the dead.
"""

import asyncio
import hashlib
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from attrs import frozen

from gekko.errors import BackendError, InputOutputError
from gekko.wording import counted

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

log = logging.getLogger(__name__)

TAKEN = (BlockingIOError, PermissionError)
"""What POSIX and what Windows raise where somebody else has a lock."""

FIRST_PAUSE_SECS = 0.005
LONGEST_PAUSE_SECS = 0.1
"""Between two looks for a free place. The kernel could wake us, but nothing could then cancel the wait."""


@frozen
class Gate:
    """The places at the server *url*; *folder* is shared by all who may want one."""

    folder: Path
    url: str
    places: int

    @asynccontextmanager
    async def place(self, *, waits: bool) -> AsyncIterator[None]:
        """Hold one of the places while the block lasts.

        Raises:
            BackendError: none is free, and *waits* is false.
            InputOutputError: the state folder cannot be written.
        """
        descriptor = self._try()
        if descriptor is None and not waits:
            taken = counted(self.places, "request")
            raise BackendError(f"{self.url} is busy: it takes {taken} at a time (max_concurrent)")
        if descriptor is None:
            log.info("waiting for a place at %s, which takes %d at a time", self.url, self.places)
        pause_secs = FIRST_PAUSE_SECS
        while descriptor is None:
            await asyncio.sleep(pause_secs)
            pause_secs = min(2 * pause_secs, LONGEST_PAUSE_SECS)
            descriptor = self._try()
        try:
            yield
        finally:
            os.close(descriptor)

    def _try(self) -> int | None:
        """Return the open file of a place that was free, now locked, or None."""
        # Whoever knows the server by another number of places takes part with those that both know.
        name = hashlib.sha256(self.url.encode()).hexdigest()[:16]
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in range(self.places):
                if (descriptor := _locked(self.folder / f"{name}-{number}.lock")) is not None:
                    return descriptor
        except OSError as error:
            problem = f"the places of a backend cannot be kept here: {error.strerror}"
            raise InputOutputError(f"{self.folder}: {problem}") from error
        return None


def _locked(path: Path) -> int | None:
    """Return *path*, open and locked, or None where somebody else has its lock.

    Raises:
        OSError: it cannot be opened, or its file system has no locks.
    """
    # Python has the descriptor closed in every program that this one starts; it would keep the lock.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor)
    except OSError as error:
        os.close(descriptor)
        if isinstance(error, TAKEN):
            return None
        raise
    return descriptor


def _lock(descriptor: int) -> None:
    """Lock an open file, or raise at once."""
    if sys.platform == "win32":
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
