"""How the name of a host becomes addresses, without keeping a run from ending."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import TypeAlias

SocketAddress: TypeAlias = tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]
Found: TypeAlias = Sequence[tuple[socket.AddressFamily, socket.SocketKind, int, str, SocketAddress]]
LookUp: TypeAlias = Callable[[str, int, socket.AddressFamily, socket.SocketKind], Found]
"""A blocking look-up of host and port; raises OSError where there is nothing to be found."""


async def look_up(host: str, port: int, family: socket.AddressFamily, blocking: LookUp) -> Found:
    """Return what *blocking* finds; a cancelled look-up is abandoned at once.

    The event loop's own executor will not do: the interpreter waits for its threads before it exits, and a resolver
    that gets no answer can sit in one for half a minute after Ctrl-C.

    Raises:
        OSError: the name was not found.
    """
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Found] = loop.create_future()

    def work() -> None:
        try:
            outcome: Found | Exception = blocking(host, port, family, socket.SOCK_STREAM)
        except Exception as error:  # whatever it is, it belongs to the one who waits
            outcome = error
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, found, outcome)

    Thread(target=work, name=f"look-up of {host}", daemon=True).start()
    return await found


def settle(found: asyncio.Future[Found], outcome: Found | Exception) -> None:
    """Hand *outcome* to whoever still waits for it."""
    if found.done():
        return
    if isinstance(outcome, Exception):
        found.set_exception(outcome)
    else:
        found.set_result(outcome)
