"""Which requests are sent again, and when: those that got no answer for a reason that may be gone by then."""

import asyncio
import logging
from collections import defaultdict
from random import uniform
from typing import Final

from attrs import define, evolve, field

from gekko.plan.targets import Target
from gekko.run.asking import Answered, Asker, NewParser, NoAnswerError
from gekko.run.exchange import Body
from gekko.run.pacing import Pace
from gekko.run.showing import Showing
from gekko.run.waiting import waits_for
from gekko.specs.backend import Embedded

log = logging.getLogger(__name__)

TRIES: Final = 5
"""So often a request is sent at most."""

FIRST_WAIT_SECS: Final = 0.5
"""Before a request is sent again, where the server does not ask for more; twice as long each time."""

LONGEST_WAIT_SECS: Final = 60.0
"""A server that wants to be left alone for longer gives no answer as far as this suite is concerned."""

ALL_WAITS_SECS: Final = 120.0
"""So long one request waits to be sent again, all its waits together."""

CLOSED_SECS: Final = 10.0
"""So long nobody is sent to a backend that answered nobody while one request was sent five times."""


@define
class PacedAsker:
    """Asks through another, as many requests at a time as each backend makes good use of, and repeats what got lost.

    The embedded engine takes one request at a time anyway, and its connection breaks only where it dies. What is shown
    while it arrives cannot be taken back either. So neither is repeated.
    """

    _asker: Asker
    _paces: defaultdict[str, Pace] = field(factory=lambda: defaultdict(Pace), init=False)

    async def ask(self, target: Target, body: Body, new_parser: NewParser, showing: Showing | None = None) -> Answered:
        """Ask as Asker says. A duration is that of all tries together, without the waits between them."""
        spec = target.backend.spec
        if isinstance(spec, Embedded) or showing is not None:
            return await self._asker.ask(target, body, new_parser, showing)
        pace = self._paces[spec.base_url.rstrip("/")]
        tries = _Tries(pace.answers)
        waits_for("place")
        while True:
            try:
                async with pace.turn(comes_back=tries.retries > 0):
                    answered = await self._asker.ask(target, body, new_parser)
                return tries.answered(answered) if tries.retries else answered
            except NoAnswerError as error:
                wait_secs = tries.failed(error, pace)
                log.info("model '%s' is to be asked again, try %d: %s", target.id, tries.retries + 1, error)
            waits_for("retry")
            await asyncio.sleep(wait_secs)


@define
class _Tries:
    """The tries of one request so far. *answers* is how many requests its backend had answered before it."""

    _answers: int
    retries: int = field(default=0, init=False)
    _duration_ms: float = field(default=0.0, init=False)
    _waited_secs: float = field(default=0.0, init=False)

    def answered(self, answered: Answered) -> Answered:
        """Return an answer as that of all tries."""
        return evolve(answered, retries=self.retries, duration_ms=self._duration_ms + answered.duration_ms)

    def failed(self, error: NoAnswerError, pace: Pace) -> float:
        """Return the seconds after which to ask for another turn. Nobody gets one as long as the server asks for that.

        Raises:
            NoAnswerError: there is no sense in it.
        """
        self._duration_ms += error.duration_ms
        transient = error.transient
        if transient is None:
            raise self._given_up(error, "") from error
        wait_secs = transient.retry_after_secs or self._own_wait_secs()
        if (why := self._why_not(wait_secs)) is not None:
            given_up = self._given_up(error, why)
            if pace.answers == self._answers:
                pace.close(min(max(wait_secs, CLOSED_SECS), LONGEST_WAIT_SECS), str(given_up))
            raise given_up from error
        self._waited_secs += wait_secs
        self.retries += 1
        if not transient.retry_after_secs:
            return wait_secs
        pace.pause(wait_secs)
        return 0.0

    def _own_wait_secs(self) -> float:
        # By chance: what failed together shall not come back together.
        return FIRST_WAIT_SECS * 2.0**self.retries * uniform(0.5, 1)  # noqa: S311 - nothing to keep secret

    def _why_not(self, wait_secs: float) -> str | None:
        """Return why the request is not sent again after so long, None where it is."""
        if self.retries + 1 == TRIES:
            return f"it was sent {TRIES} times"
        if wait_secs > LONGEST_WAIT_SECS:
            return f"it asks to be left alone for {wait_secs:.0f} s, and at most {LONGEST_WAIT_SECS:.0f} s are waited"
        if self._waited_secs + wait_secs > ALL_WAITS_SECS:
            return f"{self._waited_secs:.0f} s were waited already"
        return None

    def _given_up(self, error: NoAnswerError, why: str) -> NoAnswerError:
        return NoAnswerError(f"{error}; {why}" if why else str(error), self._duration_ms, self.retries)
