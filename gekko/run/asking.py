"""One question to one model: the answer, whether from its backend now or from somewhere else."""

import logging
from collections.abc import Callable
from time import perf_counter
from typing import ClassVar, Protocol, TypeAlias

from attrs import frozen

from gekko.errors import BackendError
from gekko.plan.targets import Target
from gekko.run.backends import Backends
from gekko.run.exchange import Body, Parser, Reply, Request, Transport
from gekko.run.sending import reply_to
from gekko.run.showing import Showing
from gekko.run.transient import TransientError
from gekko.run.waiting import waits_for
from gekko.wording import shown

log = logging.getLogger(__name__)

NewParser: TypeAlias = Callable[[], Parser]


class NoAnswerError(BackendError):
    """A model gave no answer; *duration_ms* is how long its requests took, without what went before them."""

    has_asked: ClassVar[bool] = True
    """Whether a model was asked, now or when it was recorded; where none was, its fallback is not asked either."""

    def __init__(self, message: str, duration_ms: float, retries: int = 0) -> None:
        super().__init__(message)
        self.duration_ms = duration_ms
        self.retries = retries

    @property
    def transient(self) -> TransientError | None:
        """The failure that this comes of, where the same request may get an answer later."""
        return self.__cause__ if isinstance(self.__cause__, TransientError) else None


@frozen
class Answered:
    """What a model replied, how long that took, and how often the request had to be repeated until it arrived.

    A reply that *is_replayed* comes from a recording, or from a record; its duration is 0.
    """

    reply: Reply
    duration_ms: float
    retries: int = 0
    is_replayed: bool = False


class Asker(Protocol):
    """Whoever gets answers to requests."""

    async def ask(self, target: Target, body: Body, new_parser: NewParser, showing: Showing | None = None) -> Answered:
        """Put a request before *target*; what arrives of a chat answer goes to *showing* meanwhile.

        A request may be sent again, so *new_parser* makes a parser for each answer.

        Raises:
            NoAnswerError: there is no answer.
            InputOutputError: the state folder, where places at busy backends are kept, cannot be written.
        """
        ...


@frozen
class LiveAsker:
    """Asks the backends themselves; *waits* says whether one that is busy is waited for."""

    transport: Transport
    backends: Backends
    waits: bool = True

    async def ask(self, target: Target, body: Body, new_parser: NewParser, showing: Showing | None = None) -> Answered:
        """Send one request, as Asker says; time is measured from when there is a place for it."""
        spec, started = target.backend.spec, None
        waits_for("place")
        try:
            async with self.backends.place(target, waits=self.waits):
                route = await self.backends.route(target)  # last: while one waits, an engine can die and be another
                log.info("model '%s' of backend '%s' is asked: POST %s", target.id, spec.id, route.shown)
                waits_for("answer")
                started = perf_counter()
                request = Request(route.url, body, route.headers, route.shown)
                reply = await reply_to(request, spec.timeouts.request_secs, self.transport, new_parser(), showing)
            if showing is not None:
                showing.end()  # before anything is said about it
        except BackendError as error:
            raise NoAnswerError(str(error), 0.0 if started is None else _ms_since(started)) from error
        duration_ms = _ms_since(started)
        if log.isEnabledFor(logging.INFO):
            log.info("model '%s' answered after %.0f ms: %s", target.id, duration_ms, _figures(reply))
        return Answered(reply, duration_ms)


def _figures(reply: Reply) -> str:
    counts = {"prompt tokens": reply.usage.prompt_tokens, "completion tokens": reply.usage.completion_tokens}
    known = [f"{count} {name}" for name, count in counts.items() if count is not None]
    return ", ".join((*known, f"finish reason {shown(reply.finish_reason)}"))


def _ms_since(started: float) -> float:
    return (perf_counter() - started) * 1000
