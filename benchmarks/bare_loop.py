"""Send request after request, so many at a time, parse each answer and what it contains, and do nothing else."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp


async def main(url: str, bodies: list[bytes], places: int) -> None:
    """Send every body; each place takes the next as soon as it is free."""
    headers = {"Content-Type": "application/json"}
    left = iter(bodies)
    async with aiohttp.ClientSession(headers=headers, connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(place(session, url, left) for _ in range(places)))


async def place(session: aiohttp.ClientSession, url: str, left: Iterator[bytes]) -> None:
    """Send bodies until none is left."""
    for body in left:
        async with session.post(url, data=body) as response:
            completion = json.loads(await response.read())
            json.loads(completion["choices"][0]["message"]["content"])


asyncio.run(main(sys.argv[1], Path(sys.argv[2]).read_bytes().splitlines(), int(sys.argv[3])))
