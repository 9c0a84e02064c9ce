"""At most so many requests at a time to one server, over every process of this user on this machine.

Each place is a file in the state folder, and whoever holds its lock has the place.
"""

import asyncio
import hashlib
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from attrs import field, frozen

from gekko.errors import BackendError, InputOutputError
from gekko.run.locks import lock_one
from gekko.wording import counted

log = logging.getLogger(__name__)


@frozen
class Gate:
    """The places at the server *url*; *folder* is shared by all who may want one.

    The tasks of a process take their turns in the order in which they came, and only the first of them looks for a
    place. Processes take turns as well: between two tasks of one, whichever other waits has a chance.
    """

    folder: Path
    url: str
    places: int
    _turn: asyncio.Lock = field(factory=asyncio.Lock, init=False, eq=False, repr=False)
    _freed: asyncio.Event = field(factory=asyncio.Event, init=False, eq=False, repr=False)

    @asynccontextmanager
    async def place(self, *, waits: bool) -> AsyncIterator[None]:
        """Hold one of the places while the block lasts.

        Raises:
            BackendError: none is free, and *waits* is false.
            InputOutputError: the state folder cannot be written.
        """
        try:
            descriptor = await (self._awaited() if waits else lock_one(self._places(), self._refuse))
        except OSError as error:
            problem = f"the places of a backend cannot be kept here: {error.strerror}"
            raise InputOutputError(f"{self.folder}: {problem}") from error
        try:
            yield
        finally:
            os.close(descriptor)
            self._freed.set()

    async def _awaited(self) -> int:
        """Wait in line, and return a place.

        The line has room for two processes. The next task of one that got a place goes to the end of the line, behind
        whichever other process waits; were there only one spot, it would be back there before any other has looked.
        """
        tell = cache(self._tell_waiting)  # once, however many waits there are
        if self._turn.locked():
            tell()
        async with self._turn:
            second = await lock_one([self._file("second")], tell)
            try:
                first = await lock_one([self._file("first")], tell)
            finally:
                os.close(second)
            try:
                return await lock_one(self._places(), tell, self._freed)
            finally:
                os.close(first)

    def _places(self) -> list[Path]:
        # Whoever knows the server by another number of places takes part with those that both know.
        return [self._file(str(number)) for number in range(self.places)]

    def _file(self, name: str) -> Path:
        return self.folder / f"{hashlib.sha256(self.url.encode()).hexdigest()[:16]}-{name}.lock"

    def _tell_waiting(self) -> None:
        log.info("waiting for a place at %s, which takes %d at a time", self.url, self.places)

    def _refuse(self) -> None:
        taken = counted(self.places, "request")
        raise BackendError(f"{self.url} is busy: it takes {taken} at a time (max_concurrent)")
