"""Tests of gekko.run.gate: places at a server, shared by tasks and by processes."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gekko.errors import BackendError, InputOutputError
from gekko.run.gate import Gate

URL = "http://127.0.0.1:1"

HOLDER = """
import asyncio, sys
from pathlib import Path
from gekko.run.gate import Gate

async def main():
    async with Gate(Path(sys.argv[1]), sys.argv[2], 1).place(waits=False):
        print("in", flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


def test_no_more_are_in_than_there_are_places(tmp_path: Path) -> None:
    gate = Gate(tmp_path / "places", URL, 3)
    inside = 0
    most = 0

    async def visit() -> None:
        nonlocal inside, most
        async with gate.place(waits=True):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.01)
            inside -= 1

    async def main() -> None:
        await asyncio.gather(*(visit() for _ in range(12)))

    asyncio.run(main())

    assert most == 3


def test_who_does_not_wait_is_told_that_the_server_is_busy(tmp_path: Path) -> None:
    gate = Gate(tmp_path, URL, 1)

    async def main() -> None:
        async with gate.place(waits=False):
            with pytest.raises(BackendError, match=URL):
                await gate.place(waits=False).__aenter__()

    asyncio.run(main())


def test_another_server_is_another_gate(tmp_path: Path) -> None:
    async def main() -> None:
        async with Gate(tmp_path, URL, 1).place(waits=False), Gate(tmp_path, f"{URL}0", 1).place(waits=False):
            pass

    asyncio.run(main())


def test_a_process_that_is_killed_gives_its_place_back_within_a_second(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path, URL], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"in\n"

        async def wait_for_the_place() -> float:
            async with asyncio.timeout(10):
                waiting = asyncio.ensure_future(Gate(tmp_path, URL, 1).place(waits=True).__aenter__())
                await asyncio.sleep(0.3)
                assert not waiting.done()
                holder.kill()
                killed = time.monotonic()
                await waiting
                return time.monotonic() - killed

        assert asyncio.run(wait_for_the_place()) < 1


def test_a_wait_can_be_cancelled(tmp_path: Path) -> None:
    async def main() -> None:
        async with Gate(tmp_path, URL, 1).place(waits=False):
            waiting = asyncio.ensure_future(Gate(tmp_path, URL, 1).place(waits=True).__aenter__())
            await asyncio.sleep(0.05)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        async with Gate(tmp_path, URL, 1).place(waits=False):
            pass

    asyncio.run(main())


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    async def main() -> None:
        await Gate(tmp_path / "file", URL, 1).place(waits=True).__aenter__()

    with pytest.raises(InputOutputError, match="file"):
        asyncio.run(main())
