"""From `[runtime]` to a running server and back: serve, stop, status and logs."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from attrs import frozen

from gekko.errors import BackendError
from gekko.plan.runtimes import ContainerLaunch, Launch, ProcessLaunch, Service, port_of
from gekko.run.reachability import unreachable
from gekko.run.runtimes.docker import known_container, start_container
from gekko.run.runtimes.keeper import Keeper
from gekko.run.runtimes.process import known_process, start_process
from gekko.run.runtimes.readiness import unready, until_ready
from gekko.run.runtimes.records import ContainerMark, Files, Mark, ProcessMark, Record, held

State: TypeAlias = Literal["running", "unready", "stopped", "unknown"]
"""`unready` is a server that is alive and takes no requests; `unknown` one whose family cannot be asked."""

Wait: TypeAlias = Callable[[], None]
"""Called once where another gko is at the same server."""


@frozen
class Served:
    """A server that takes requests, and whether it was started just now."""

    record: Record
    is_new: bool


@frozen
class Condition:
    """How a server is: what is remembered of it, and why it takes no requests where that is so."""

    service: Service
    state: State
    record: Record | None
    problem: str = ""


@frozen
class Runtimes:
    """The servers that are remembered in the folder *folder*."""

    folder: Path

    async def serve(self, service: Service, launch: Launch, wait: Wait) -> Served:
        """Start a server unless it runs, and wait until it takes requests.

        Raises:
            BackendError: it does not start, or not in time, or its address is another's.
            InputOutputError: it cannot be remembered.
        """
        files = self.files(service)
        async with held(files, service.name, wait):
            record = files.read()
            if record is not None:
                before = _known(record.server, files)
                if await before.is_alive():
                    await until_ready(service, record.url, before)
                    return Served(record, is_new=False)
                await before.end()
            # Two projects may have chosen one port, and begin at once.
            async with held(files, f"port-{port_of(service.url)}", wait):
                await _require_free(service)
                return Served(await _start(service, launch, files), is_new=True)

    async def stop(self, service: Service, wait: Wait) -> Record | None:
        """End a server and return what was remembered of it, or None where it did not run.

        Raises:
            BackendError: it lives on.
        """
        files = self.files(service)
        async with held(files, service.name, wait):
            record = files.read()
            if record is None:
                return None
            keeper = _known(record.server, files)
            was_alive = await keeper.is_alive()
            await keeper.end()
            files.forget()
            return record if was_alive else None

    async def condition(self, service: Service) -> Condition:
        """Return how a server is."""
        files = self.files(service)
        record = files.read()
        if record is None:
            return Condition(service, "stopped", None)
        try:
            is_alive = await _known(record.server, files).is_alive()
        except BackendError as error:
            return Condition(service, "unknown", record, str(error))
        if not is_alive:
            return Condition(service, "stopped", None)
        problem = await unready(record.url)
        return Condition(service, "unready" if problem else "running", record, problem)

    async def log_tail(self, service: Service, lines: int) -> bytes:
        """Return the last lines that a server wrote, running or not."""
        files = self.files(service)
        record = files.read()
        return files.log_tail(lines) if record is None else await _known(record.server, files).log_tail(lines)

    def files(self, service: Service) -> Files:
        """Return the files of a server; they need not exist."""
        return Files(self.folder, service.name)


async def _start(service: Service, launch: Launch, files: Files) -> Record:
    keeper = await _started(launch, files)
    try:
        record = Record(
            backend=service.id,
            root=str(service.root),
            url=service.url,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            settings=service.settings,
            server=keeper.mark,
        )
        # Before it is ready: should gko be killed while it waits, whoever comes next knows of the server.
        files.write(record)
        await until_ready(service, service.url, keeper)
    except BackendError:
        await keeper.end()
        files.forget()
        raise
    except BaseException:
        keeper.kill()
        files.forget()
        raise
    return record


async def _started(launch: Launch, files: Files) -> Keeper:
    match launch:
        # Nothing is awaited here, so that no signal comes between a process and its keeper.
        case ProcessLaunch():
            return start_process(launch, files)
        case ContainerLaunch():
            return await start_container(launch, files)


def _known(mark: Mark, files: Files) -> Keeper:
    match mark:
        case ProcessMark():
            return known_process(mark, files)
        case ContainerMark():
            return known_container(mark, files)


async def _require_free(service: Service) -> None:
    if not await unreachable(service.url):
        problem = f"another server accepts connections at {service.url} already"
        raise BackendError(f"{problem}; end it, or give the backend '{service.id}' another port")
