"""The backends of a run, as places to send requests to: servers as they are configured, the engine once it runs."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Self

from attrs import frozen

from gekko.errors import BackendError
from gekko.plan.access import Accesses, EngineAccess, Header
from gekko.plan.targets import Target
from gekko.run.engine import EngineSettings, Running, engine
from gekko.run.gate import Gate
from gekko.specs.backend import Server

log = logging.getLogger(__name__)


@frozen
class Route:
    """Where a target's requests go, and the headers that they carry."""

    url: str
    headers: tuple[Header, ...]


class Backends:
    """Finds the route to each target. An engine is started when it is needed, anew if it died, and ends with this."""

    def __init__(self, accesses: Accesses, state: Path) -> None:
        self._accesses = accesses
        self._state = state
        self._engines: dict[str, tuple[Running, AsyncExitStack]] = {}
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
        if isinstance(spec, Server) and not isinstance(access, EngineAccess):
            return Route(spec.url(target.operation), access.headers)
        async with self._starting:  # runs that go on side by side share one engine
            running = await self._running(spec.id, access)
        key = Header("Authorization", f"Bearer {running.key}")
        return Route(running.base_url.rstrip("/") + target.operation.path, (key,))

    @asynccontextmanager
    async def place(self, target: Target, *, waits: bool) -> AsyncIterator[None]:
        """Hold a place at the backend of *target*, where it takes only so many requests at a time.

        Raises:
            BackendError: it is busy, and *waits* is false.
            InputOutputError: the state folder cannot be written.
        """
        spec = target.backend.spec
        if not isinstance(spec, Server) or spec.max_concurrent is None:
            yield
            return
        gate = Gate(self._state / "places", spec.base_url.rstrip("/"), spec.max_concurrent)
        async with gate.place(waits=waits):
            yield

    async def _running(self, backend: str, access: object) -> Running:
        if backend in self._engines:
            running, life = self._engines[backend]
            if not running.has_ended:
                return running
            log.info("the engine of backend '%s' has died, and is started anew", backend)
            await life.aclose()  # or it would be blamed for whatever goes wrong from now on
        life = await self._stack.enter_async_context(AsyncExitStack())
        running = await self._start(backend, access, life)
        self._engines[backend] = running, life
        return running

    async def _start(self, backend: str, access: object, life: AsyncExitStack) -> Running:
        if not isinstance(access, EngineAccess):
            raise BackendError(f"the backend '{backend}' is no engine")
        given = access.settings
        settings = EngineSettings(access.weights, given.context, given.threads, given.startup_secs, given.max_tokens)
        log_path = self._state / f"engine-{backend}.log"
        log.info("the engine of backend '%s' is started; its log is %s", backend, log_path)
        started = perf_counter()
        running = await life.enter_async_context(engine(settings, log_path))
        log.info("the engine of backend '%s' is ready after %.1f s", backend, perf_counter() - started)
        return running
