"""Work that blocks, done in a thread that neither a cancelled task waits for, nor the interpreter at its end."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


async def apart(work: Callable[[], T]) -> T:
    """Return what *work* returns, or raise what it raises; if cancelled, it is abandoned at once.

    The event loop's own executor will not do: the interpreter waits for its threads before it exits. A resolver that
    gets no answer can sit in one for half a minute after Ctrl-C, and a read from standard input for ever.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def do() -> None:
        try:
            result = work()
        except Exception as error:  # whatever it is, it belongs to the one who waits
            settle = partial(done.set_exception, error)
        else:
            settle = partial(done.set_result, result)
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(_unless_over, done, settle)

    Thread(target=do, daemon=True).start()
    return await done


def _unless_over(done: "asyncio.Future[T]", settle: Callable[[], None]) -> None:
    if not done.done():  # whoever waited may have been cancelled
        settle()
