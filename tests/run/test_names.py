"""Looking a name up must never keep anybody waiting who no longer wants to know."""

import asyncio
import socket
import time
from threading import Event, current_thread

import pytest

from gekko.run.names import Found, look_up

HERE: Found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))]


def test_what_is_found_comes_back_from_a_thread_that_no_exit_waits_for() -> None:
    asked: list[tuple[object, ...]] = []

    def blocking(*args: object) -> Found:
        asked.append((*args, current_thread().daemon))
        return HERE

    found = asyncio.run(look_up("backend.example", 80, socket.AF_UNSPEC, blocking))

    assert found == HERE
    assert asked == [("backend.example", 80, socket.AF_UNSPEC, socket.SOCK_STREAM, True)]


@pytest.mark.parametrize("error", [socket.gaierror(socket.EAI_NONAME, "unknown"), UnicodeError("label too long")])
def test_a_failure_reaches_whoever_waits(error: Exception) -> None:
    def blocking(*_: object) -> Found:
        raise error

    with pytest.raises(type(error)) as raised:
        asyncio.run(look_up("backend.example", 80, socket.AF_UNSPEC, blocking))

    assert raised.value is error


@pytest.mark.parametrize("loop_is_closed", [False, True])
def test_a_look_up_that_comes_too_late_disturbs_nobody(*, loop_is_closed: bool) -> None:
    answer, answered = Event(), Event()

    def blocking(*_: object) -> Found:
        answer.wait(10)
        try:
            return HERE
        finally:
            answered.set()

    async def give_up() -> None:
        start = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(look_up("slow.example", 80, socket.AF_UNSPEC, blocking), 0.05)
        assert time.monotonic() - start < 1
        if not loop_is_closed:
            answer.set()
            await asyncio.to_thread(answered.wait)
            await asyncio.sleep(0.05)

    asyncio.run(give_up())
    answer.set()

    assert answered.wait(5)
