"""Whether a server that was started is ready, and waiting until it is."""

import asyncio
from contextlib import closing
from typing import Final
from urllib.parse import urlsplit

from gekko.errors import BackendError
from gekko.plan.runtimes import Service, port_of
from gekko.run.reachability import unreachable
from gekko.run.runtimes.keeper import Keeper

LOOK_SECS: Final = 0.1

HELD_SECS: Final = 0.2
"""A connection that is still open after this is meant."""


async def unready(url: str) -> str:
    """Return why the server at *url* takes no requests, or nothing where it does; nothing is sent to it.

    The proxy of a container's port accepts connections before anybody listens behind it, and closes them at once.
    """
    if reason := await unreachable(url):
        return reason
    host, port = urlsplit(url).hostname, port_of(url)
    try:
        async with asyncio.timeout(HELD_SECS):
            reader, writer = await asyncio.open_connection(host, port)
            with closing(writer):
                await reader.read(1)
    except TimeoutError:
        return ""
    except OSError as error:
        return f"{host}:{port} breaks connections off: {error.strerror or error}"
    return f"{host}:{port} closes connections at once"


async def until_ready(service: Service, url: str, keeper: Keeper) -> None:
    """Wait until the server, which was started at *url*, takes requests.

    Raises:
        BackendError: it ended, or is not ready in time.
    """
    server = f"the server of the backend '{service.id}'"
    within_secs = service.runtime.startup_timeout_secs
    reason = "its address does not answer"
    try:
        async with asyncio.timeout(within_secs):
            while reason := await unready(url):
                if not await keeper.is_alive():
                    break
                await asyncio.sleep(LOOK_SECS)
    except TimeoutError:
        problem = f"{server} was not ready within {within_secs:g} seconds (runtime.startup_timeout_secs): {reason}"
        raise BackendError(f"{problem}; its log: gko backend logs {service.model}") from None
    if reason:
        raise BackendError(f"{server} {await keeper.fate()}")
