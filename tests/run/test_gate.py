"""Tests of gekko.run.gate: places at a server, shared by tasks and by processes."""

import asyncio
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gekko.errors import BackendError, InputOutputError
from gekko.run.exchange import Request
from gekko.run.gate import Gate
from gekko.run.http import HttpTransport
from tests.stub_server import StubServer, delay, say

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

CROWD = """
import asyncio, sys
from pathlib import Path
from gekko.run.gate import Gate

async def visit(gate):
    async with gate.place(waits=True):
        print("in", flush=True)
        await asyncio.sleep(0.2)

async def main():
    gate = Gate(Path(sys.argv[1]), sys.argv[2], 1)
    await asyncio.gather(*(visit(gate) for _ in range(50)))

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


def test_places_are_given_in_the_order_of_arrival(tmp_path: Path) -> None:
    gate = Gate(tmp_path, URL, 2)
    served: list[int] = []

    async def visit(number: int) -> None:
        async with gate.place(waits=True):
            served.append(number)
            await asyncio.sleep(0.002 * (number % 3))

    async def main() -> None:
        await asyncio.gather(*map(visit, range(30)))

    asyncio.run(main())

    assert served == list(range(30))


@pytest.mark.parametrize("places", [1, 2])
def test_a_server_is_kept_busy_while_anybody_waits(tmp_path: Path, places: int) -> None:
    gate = Gate(tmp_path, URL, places)
    requests, answer_secs = 20, 0.08

    async def ask(transport: HttpTransport, url: str) -> None:
        async with gate.place(waits=True), transport.send(Request(url, b"{}"), 5) as answer:
            assert [chunk async for chunk in answer.chunks()]

    async def main(url: str) -> float:
        async with HttpTransport() as transport:
            started = time.monotonic()
            await asyncio.gather(*(ask(transport, url) for _ in range(requests)))
            return time.monotonic() - started

    with StubServer() as server:
        server.answer(delay(answer_secs, say("ok")))
        secs = asyncio.run(main(server.url))

        assert (len(server.requests), server.peak_in_flight) == (requests, places)
    idle_secs = secs - requests * answer_secs / places
    assert idle_secs * places / requests < 0.04  # looks for a free place come after 0.035, 0.075 and 0.155 s


def test_who_is_cancelled_in_line_holds_nobody_up(tmp_path: Path) -> None:
    gate = Gate(tmp_path, URL, 1)
    served: list[int] = []

    async def visit(number: int) -> None:
        async with gate.place(waits=True):
            served.append(number)

    async def main() -> None:
        async with asyncio.timeout(5):
            async with gate.place(waits=True):
                waiting = [asyncio.create_task(visit(number)) for number in range(6)]
                await asyncio.sleep(0.02)
                for number in (0, 1, 4):
                    waiting[number].cancel()
                await asyncio.sleep(0.02)
                assert served == []
            await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(main())

    assert served == [2, 3, 5]


def test_a_cancel_at_any_moment_loses_no_place(tmp_path: Path) -> None:
    gate = Gate(tmp_path, URL, 2)

    async def visit() -> None:
        async with gate.place(waits=True):
            await asyncio.sleep(0.001)

    async def main() -> None:
        chance = random.Random(1)
        visits = [asyncio.create_task(visit()) for _ in range(200)]
        for each in chance.sample(visits, 150):
            each.cancel()
            await asyncio.sleep(chance.choice([0, 0, 0.0005]))
        await asyncio.gather(*visits, return_exceptions=True)
        async with gate.place(waits=False), gate.place(waits=False):  # both are free
            pass

    asyncio.run(main())


def test_processes_take_turns(tmp_path: Path) -> None:
    """Whoever comes while another process has much to do does not wait until all of that is done."""
    crowd = [sys.executable, "-c", CROWD, str(tmp_path), URL]

    async def turn() -> None:
        async with Gate(tmp_path, URL, 1).place(waits=True):
            pass

    with subprocess.Popen(crowd, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"in\n"
        asyncio.run(turn())
        process.kill()
        before = 1 + process.stdout.read().count(b"in\n")

    assert before < 5


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
