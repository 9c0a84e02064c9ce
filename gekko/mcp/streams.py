"""Lines from and to descriptors, waited for in threads that nobody waits for in turn."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import BinaryIO, Self, TypeVar

from attrs import frozen

T = TypeVar("T")
U = TypeVar("U")


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


async def apart(work: Callable[[], T]) -> T:
    """Return what *work* returns, done in a thread of its own; if cancelled, it is abandoned.

    The event loop's own executor will not do: the interpreter waits for its threads before it exits, and a read from
    standard input may never return.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def do() -> None:
        try:
            result = work()
        except Exception as error:  # whatever it is, it belongs to the one who waits
            settle = partial(_settle, done, done.set_exception, error)
        else:
            settle = partial(_settle, done, done.set_result, result)
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle)

    Thread(target=do, daemon=True).start()
    return await done


def write_all(descriptor: int, data: bytes) -> None:
    """Write *data* to its end; a pipe takes only so much at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _settle(done: "asyncio.Future[T]", settle: Callable[[U], None], outcome: U) -> None:
    if not done.done():  # whoever waited may have been cancelled
        settle(outcome)
