"""At most so many requests at a time to one server, over every process of this user on this machine.

Each place is a file in the state folder, and whoever holds its lock has the place.
"""

import hashlib
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from attrs import frozen

from gekko.errors import BackendError, InputOutputError
from gekko.run.locks import lock_one
from gekko.wording import counted

log = logging.getLogger(__name__)


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
        try:
            descriptor = await lock_one(self._files(), self._wait if waits else self._refuse)
        except OSError as error:
            problem = f"the places of a backend cannot be kept here: {error.strerror}"
            raise InputOutputError(f"{self.folder}: {problem}") from error
        try:
            yield
        finally:
            os.close(descriptor)

    def _files(self) -> list[Path]:
        # Whoever knows the server by another number of places takes part with those that both know.
        name = hashlib.sha256(self.url.encode()).hexdigest()[:16]
        return [self.folder / f"{name}-{number}.lock" for number in range(self.places)]

    def _wait(self) -> None:
        log.info("waiting for a place at %s, which takes %d at a time", self.url, self.places)

    def _refuse(self) -> None:
        taken = counted(self.places, "request")
        raise BackendError(f"{self.url} is busy: it takes {taken} at a time (max_concurrent)")
