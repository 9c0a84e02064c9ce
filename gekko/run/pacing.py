"""Whose turn it is at a backend: as many requests at a time as pay, and none while it wants to be left alone."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeAlias

from attrs import define, field

from gekko.run.asking import NoAnswerError
from gekko.run.climbing import Climb

Turn: TypeAlias = "asyncio.Future[str | None]"
"""Is done once the turn comes, or with the reason why it will not."""


@define(eq=False)
class Pace:
    """The turns at one backend, in the order in which they are asked for."""

    answers: int = field(default=0, init=False)
    """How many turns ended with an answer."""
    _climb: Climb = field(factory=lambda: Climb(_now()), init=False)
    _under_way: int = field(default=0, init=False)
    _backed_off: int = field(default=0, init=False)
    _waiting: deque[Turn] = field(factory=deque, init=False)
    _pause: asyncio.TimerHandle | None = field(default=None, init=False)
    _closed_for: str | None = field(default=None, init=False)

    @asynccontextmanager
    async def turn(self, *, comes_back: bool = False) -> AsyncIterator[None]:
        """Wait for a turn and hold it while the block lasts; a block that raises got no answer.

        Who *comes_back* stands in front of those who had no turn yet, or each would have its first before any gives up.

        Raises:
            NoAnswerError: the backend is closed.
        """
        await self._enter(comes_back=comes_back)
        backed_off = self._backed_off
        try:
            yield
            self.answers += 1
            is_used = bool(self._waiting) or self._under_way >= self._climb.limit
            self._climb.answered(_now(), is_used=is_used)
        except NoAnswerError as error:
            # Of requests that were under way together, one is enough to show that they were too many.
            if error.transient and error.transient.is_overload and backed_off == self._backed_off:
                self._backed_off += 1
                self._climb.refused(_now())
            raise
        finally:
            self._leave()

    def pause(self, seconds: float) -> None:
        """Let nobody have a turn for so long; a longer pause that has begun stays as it is."""
        until = _now() + seconds
        if self._pause is not None:
            if self._pause.when() >= until:
                return
            self._pause.cancel()
        self._pause = asyncio.get_running_loop().call_at(until, self._resume)

    def close(self, seconds: float, reason: str) -> None:
        """Turn away whoever waits for a turn or asks for one, for so long."""
        self._closed_for = reason
        self.pause(seconds)
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(reason)

    async def _enter(self, *, comes_back: bool) -> None:
        if self._closed_for is not None:
            raise _turned_away(self._closed_for)
        if self._pause is None and not self._waiting and self._under_way < self._climb.limit:
            self._under_way += 1
            return
        turn: Turn = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if comes_back else self._waiting.append)(turn)
        try:
            closed_for = await turn
        except asyncio.CancelledError:
            self._give_up(turn)
            raise
        if closed_for is not None:
            raise _turned_away(closed_for)

    def _give_up(self, turn: Turn) -> None:
        """Leave the line, or what it led to: the turn may have come at the same moment as the end of its task."""
        if turn in self._waiting:
            self._waiting.remove(turn)
        elif not turn.cancelled() and turn.result() is None:
            self._leave()

    def _leave(self) -> None:
        self._under_way -= 1
        # Not at once: where this turn's failure ends the suite, whoever is next shall be cancelled, and send nothing.
        asyncio.get_running_loop().call_soon(self._admit)

    def _resume(self) -> None:
        self._pause = self._closed_for = None
        self._climb.restart(_now())
        self._admit()

    def _admit(self) -> None:
        while self._pause is None and self._waiting and self._under_way < self._climb.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self._under_way += 1
                turn.set_result(None)


def _turned_away(reason: str) -> NoAnswerError:
    return NoAnswerError(f"not asked: {reason}", 0.0)


def _now() -> float:
    return asyncio.get_running_loop().time()
