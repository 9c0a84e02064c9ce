"""Lines from and to descriptors, waited for in threads that nobody waits for in turn."""

import os
from typing import BinaryIO, Self

from attrs import frozen

from gekko.run.apart import apart


@frozen
class Lines:
    """The lines of a stream, as they come; the stream must be nobody else's."""

    stream: BinaryIO

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await apart(self.stream.readline)
        if not line:
            raise StopAsyncIteration
        return line.decode(errors="replace")


@frozen
class Outlet:
    """Writes texts whole to a descriptor."""

    descriptor: int

    async def write(self, text: str) -> None:
        """Write *text*; raises OSError where nobody reads it."""
        await apart(lambda: write_all(self.descriptor, text.encode()))

    async def flush(self) -> None:
        """Nothing is held back."""


def write_all(descriptor: int, data: bytes) -> None:
    """Write *data* to its end; a pipe takes only so much at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
