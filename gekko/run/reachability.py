"""Whether a server accepts connections; nothing is sent to it."""

import asyncio
import socket
from urllib.parse import urlsplit

from gekko.run.names import look_up

CONNECT_SECS = 5.0
"""A server that takes longer than this to accept a connection is as good as gone."""


async def unreachable(url: str) -> str:
    """Return why no connection to the host of *url* is accepted, or nothing where one is."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(CONNECT_SECS):
            for family, kind, protocol, _, address in await look_up(host, port, socket.AF_UNSPEC, socket.getaddrinfo):
                with socket.socket(family, kind, protocol) as connection:
                    connection.setblocking(False)
                    try:
                        await asyncio.get_running_loop().sock_connect(connection, address)
                    except OSError as error:
                        reason = error.strerror or str(error)
                    else:
                        return ""
    except TimeoutError:
        return f"{host}:{port} accepts no connection within {CONNECT_SECS:g} seconds"
    except OSError as error:
        return f"the name '{host}' cannot be looked up: {error.strerror or error}"
    return f"{host}:{port} accepts no connection: {reason}"
