"""The backends of a run, as places to send requests to: servers as they are configured, the engine once it runs."""

from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from attrs import frozen

from gekko.errors import BackendError
from gekko.plan.access import Accesses, EngineAccess, Header
from gekko.plan.targets import Target
from gekko.run.engine import EngineSettings, Running, engine
from gekko.specs.backend import Server


@frozen
class Route:
    """Where a target's requests go, and the headers that they carry."""

    url: str
    headers: tuple[Header, ...]


class Backends:
    """Finds the route to each target. An engine is started when it is first needed, and ends with this."""

    def __init__(self, accesses: Accesses, log_folder: Path) -> None:
        self._accesses = accesses
        self._log_folder = log_folder
        self._engines: dict[str, Running] = {}
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
        if spec.id not in self._engines:
            self._engines[spec.id] = await self._start(spec.id, access)
        running = self._engines[spec.id]
        key = Header("Authorization", f"Bearer {running.key}")
        return Route(running.base_url.rstrip("/") + target.operation.path, (key,))

    async def _start(self, backend: str, access: object) -> Running:
        if not isinstance(access, EngineAccess):
            raise BackendError(f"the backend '{backend}' is no engine")
        settings = access.settings
        return await self._stack.enter_async_context(
            engine(
                EngineSettings(
                    access.weights, settings.context, settings.threads, settings.startup_secs, settings.max_tokens
                ),
                self._log_folder / f"engine-{backend}.log",
            )
        )
