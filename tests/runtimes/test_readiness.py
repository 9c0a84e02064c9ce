"""When a server takes requests, as far as can be told without sending one."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gekko.run.runtimes.readiness import unready
from tests.runtimes.served import free_port


async def holds(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await reader.read()
    finally:
        writer.close()


async def closes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def resets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def looked_at(serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]) -> tuple[str, str]:
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        return f"127.0.0.1:{port}", await unready(f"http://127.0.0.1:{port}/v1")


def test_a_server_that_holds_a_connection_is_ready() -> None:
    assert asyncio.run(looked_at(holds))[1] == ""


@pytest.mark.parametrize("serve", [closes, resets])
def test_a_server_that_closes_a_connection_at_once_is_not(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> None:
    address, reason = asyncio.run(looked_at(serve))

    assert reason == f"{address} closes connections at once"


def test_an_address_without_a_server_is_not() -> None:
    port = free_port()

    assert f"127.0.0.1:{port}" in asyncio.run(unready(f"http://127.0.0.1:{port}"))
