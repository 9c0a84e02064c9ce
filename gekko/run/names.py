"""How the name of a host becomes addresses, without keeping a run from ending."""

import socket
from collections.abc import Callable, Sequence
from typing import TypeAlias

from gekko.run.apart import apart

SocketAddress: TypeAlias = tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]
Found: TypeAlias = Sequence[tuple[socket.AddressFamily, socket.SocketKind, int, str, SocketAddress]]
LookUp: TypeAlias = Callable[[str, int, socket.AddressFamily, socket.SocketKind], Found]
"""A blocking look-up of host and port; raises OSError where there is nothing to be found."""


async def look_up(host: str, port: int, family: socket.AddressFamily, blocking: LookUp) -> Found:
    """Return what *blocking* finds; a cancelled look-up is abandoned at once.

    Raises:
        OSError: the name was not found.
    """
    return await apart(lambda: blocking(host, port, family, socket.SOCK_STREAM))
