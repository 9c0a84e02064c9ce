"""The backends of a run, as places to send requests to: servers as they are configured, the engine once it runs."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Self
from urllib.parse import quote

from attrs import frozen

from gekko.plan.access import Accesses, EngineAccess, Header, ServerAccess
from gekko.plan.targets import Target
from gekko.run.engine import EngineSettings, Running, engine
from gekko.run.gate import Gate
from gekko.run.waiting import waits_for
from gekko.specs.backend import Embedded

log = logging.getLogger(__name__)


@frozen
class Route:
    """Where a target's requests go, the headers that they carry, and what messages call it."""

    url: str
    headers: tuple[Header, ...]
    shown: str


class Backends:
    """Finds the route to each target. An engine is started when it is needed, anew if it died, and ends with this.

    Logs and places at busy servers are kept in the folder *state*; *warn* is told where an engine has to do without.
    """

    def __init__(self, accesses: Accesses, state: Path, warn: Callable[[str], None]) -> None:
        self._accesses = accesses
        self._state = state
        self._warn = warn
        self._engines: dict[str, tuple[Running, AsyncExitStack]] = {}
        self._gates: dict[tuple[str, int], Gate] = {}
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._starting = asyncio.Lock()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._stack.__aexit__(kind, error, trace)

    async def route(self, target: Target) -> Route:
        """Return the route to *target*, starting its engine where it has one that is not running yet.

        Raises:
            BackendError: the engine does not start.
        """
        spec = target.backend.spec
        access = self._accesses[spec.id]
        if isinstance(access, ServerAccess):
            url = access.server.url(target.operation)
            return Route(url, access.headers, url.partition("?")[0])  # a query may hold a key
        async with self._starting:  # runs that go on side by side share one engine
            running = await self._running(spec.id, access)
        key = Header("Authorization", f"Bearer {running.key}")
        return Route(running.base_url.rstrip("/") + target.operation.path, (key,), engine_name(spec.id))

    @asynccontextmanager
    async def place(self, target: Target, *, waits: bool) -> AsyncIterator[None]:
        """Hold a place at the backend of *target*, where it takes only so many requests at a time.

        An engine takes one: what it lets wait would wait at the expense of its deadline.

        Raises:
            BackendError: it is busy, and *waits* is false.
            InputOutputError: the state folder cannot be written.
        """
        spec = target.backend.spec
        if isinstance(spec, Embedded):
            async with self._turns[spec.id]:
                yield
        elif spec.max_concurrent is not None:
            async with self._gate(spec.base_url.rstrip("/"), spec.max_concurrent).place(waits=waits):
                yield
        else:
            yield

    def _gate(self, url: str, places: int) -> Gate:
        # One for all requests, so that they know of each other.
        return self._gates.setdefault((url, places), Gate(self._state / "places", url, places))

    async def _running(self, backend: str, access: EngineAccess) -> Running:
        if backend in self._engines:
            running, life = self._engines[backend]
            if not running.has_ended:
                return running
            log.info("%s has died, and is started anew", engine_name(backend))
            await life.aclose()  # or it would be blamed for whatever goes wrong from now on
        life = await self._stack.enter_async_context(AsyncExitStack())
        running = await self._start(backend, access, life)
        self._engines[backend] = running, life
        return running

    async def _start(self, backend: str, access: EngineAccess, life: AsyncExitStack) -> Running:
        name, given = engine_name(backend), access.settings
        settings = EngineSettings(access.weights, given.context, given.threads, given.startup_secs, given.max_tokens)
        log_path = self._state / f"engine-{quote(backend, safe=' ')}.log"  # an id may hold anything
        log.info("%s is started; its log is %s", name, log_path)
        waits_for("engine")
        started = perf_counter()
        running = await life.enter_async_context(engine(name, settings, log_path, self._warn))
        log.info("%s is ready after %.1f s", name, perf_counter() - started)
        return running


def engine_name(backend: str) -> str:
    """Return what messages call the engine of a backend, of whose port nobody knows."""
    return f"the embedded engine of backend '{backend}'"
