"""Send request after request over one connection, parse each answer and what it contains, and do nothing else."""

import asyncio
import json
import sys
from pathlib import Path

import aiohttp


async def main(url: str, bodies: list[bytes]) -> None:
    """Send every body."""
    headers = {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(headers=headers) as session:
        for body in bodies:
            async with session.post(url, data=body) as response:
                completion = json.loads(await response.read())
                json.loads(completion["choices"][0]["message"]["content"])


asyncio.run(main(sys.argv[1], Path(sys.argv[2]).read_bytes().splitlines()))
