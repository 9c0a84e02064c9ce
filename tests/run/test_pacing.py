"""Whose turn it is at a backend."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from gekko.run.asking import NoAnswerError
from gekko.run.climbing import FIRST
from gekko.run.pacing import Pace
from gekko.run.transient import TransientError


def in_loop(test: Callable[[Pace], Awaitable[None]]) -> None:
    """Run *test* with a pace of its own."""

    async def run() -> None:
        await test(Pace())

    asyncio.run(run())


async def hold(pace: Pace, until: asyncio.Event, held: list[str], name: str = "", *, comes_back: bool = False) -> None:
    async with pace.turn(comes_back=comes_back):
        held.append(name)
        await until.wait()


async def refused(pace: Pace, *, is_overload: bool = True) -> None:
    with suppress(NoAnswerError):
        async with pace.turn():
            await asyncio.sleep(0.01)
            raise NoAnswerError("no", 0.0) from TransientError("no", is_overload=is_overload)


async def passing() -> None:
    """Let everybody go as far as they get without waiting."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_so_many_have_a_turn_and_the_others_come_in_their_order() -> None:
    async def test(pace: Pace) -> None:
        end, held = asyncio.Event(), list[str]()
        async with asyncio.TaskGroup() as group:
            for number in range(FIRST + 3):
                group.create_task(hold(pace, end, held, str(number)))
            await passing()
            assert held == ["0", "1", "2", "3"]
            end.set()
        assert held == [str(number) for number in range(FIRST + 3)]
        assert pace.answers == FIRST + 3

    in_loop(test)


def test_who_comes_back_stands_in_front() -> None:
    async def test(pace: Pace) -> None:
        end, held = asyncio.Event(), list[str]()
        async with asyncio.TaskGroup() as group:
            for number in range(FIRST + 2):
                group.create_task(hold(pace, end, held, str(number)))
            await passing()
            group.create_task(hold(pace, end, held, "again", comes_back=True))
            await passing()
            end.set()
        assert held[FIRST:] == ["again", "4", "5"]

    in_loop(test)


def test_nobody_has_a_turn_in_a_pause_and_the_longest_counts() -> None:
    async def test(pace: Pace) -> None:
        started = time.monotonic()
        pace.pause(0.1)
        pace.pause(0.3)
        pace.pause(0.05)
        async with pace.turn():
            assert time.monotonic() - started >= 0.3

    in_loop(test)


def test_refusals_of_requests_that_were_under_way_together_count_once() -> None:
    async def test(pace: Pace) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(FIRST):
                group.create_task(refused(pace))
        end, held = asyncio.Event(), list[str]()
        async with asyncio.TaskGroup() as group:
            for _ in range(FIRST):
                group.create_task(hold(pace, end, held))
            await passing()
            assert len(held) == FIRST // 2
            end.set()

    in_loop(test)


def test_what_got_lost_without_an_overload_slows_nothing() -> None:
    async def test(pace: Pace) -> None:
        for _ in range(3):
            await refused(pace, is_overload=False)
        end, held = asyncio.Event(), list[str]()
        async with asyncio.TaskGroup() as group:
            for _ in range(FIRST):
                group.create_task(hold(pace, end, held))
            await passing()
            assert len(held) == FIRST
            end.set()

    in_loop(test)


def test_a_closed_backend_turns_away_all_who_wait_and_all_who_come_until_it_opens() -> None:
    async def test(pace: Pace) -> None:
        end, held = asyncio.Event(), list[str]()
        holders = [asyncio.create_task(hold(pace, end, held)) for _ in range(FIRST)]
        waiting = asyncio.create_task(hold(pace, end, held))
        await passing()

        pace.close(0.2, "it is down")

        with pytest.raises(NoAnswerError, match="it is down"):
            await waiting
        with pytest.raises(NoAnswerError, match="it is down"):
            await hold(pace, end, held)
        end.set()
        await asyncio.gather(*holders)
        await asyncio.sleep(0.25)
        await hold(pace, end, held)
        assert len(held) == FIRST + 1

    in_loop(test)


def test_who_is_cancelled_leaves_the_line_and_no_turn_is_lost() -> None:
    async def test(pace: Pace) -> None:
        end, held = asyncio.Event(), list[str]()
        holders = [asyncio.create_task(hold(pace, end, held)) for _ in range(FIRST)]
        waiting = [asyncio.create_task(hold(pace, end, held)) for _ in range(3)]
        await passing()
        waiting[0].cancel()
        end.set()
        # These come to their turn and are cancelled at the same moment, whichever of both is heard first.
        for _ in range(3):
            await asyncio.sleep(0)
            waiting[1].cancel()
        await asyncio.gather(*holders, *waiting, return_exceptions=True)

        end.clear()
        again = [asyncio.create_task(hold(pace, end, held, "again")) for _ in range(FIRST)]
        await passing()

        assert held.count("again") == FIRST
        end.set()
        await asyncio.gather(*again)

    in_loop(test)


def test_a_failure_that_ends_all_lets_nobody_else_begin() -> None:
    async def fail(pace: Pace, held: list[str]) -> None:
        async with pace.turn():
            held.append("fails")
            await asyncio.sleep(0.01)
            raise NoAnswerError("no", 0.0)

    async def all_together(pace: Pace, held: list[str]) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(FIRST):
                group.create_task(fail(pace, held))
            for _ in range(FIRST):
                group.create_task(hold(pace, asyncio.Event(), held, "others"))

    async def test(pace: Pace) -> None:
        held: list[str] = []
        with pytest.raises(ExceptionGroup):
            await all_together(pace, held)
        assert "others" not in held

    in_loop(test)
