"""A server as a container, by way of the docker command line."""

import asyncio
import json
import subprocess
import tempfile
from subprocess import DEVNULL, PIPE
from typing import IO, Final

from attrs import frozen

from gekko.errors import BackendError
from gekko.plan.runtimes import ContainerLaunch
from gekko.run.last_words import Log
from gekko.run.runtimes.records import ContainerMark, Files, last_lines

PATIENCE_SECS: Final = 10
"""A container that was asked to end has so long to do so; docker itself sees to that."""

ANSWER_SECS: Final = 60
"""Docker answers within this; starting may take longer, for an image may have to be fetched first."""

KEPT_LINES: Final = 10_000
"""So much of a container's log is kept when it is removed."""


@frozen
class ContainerState:
    """What docker says of a container."""

    id: str
    is_running: bool
    exit_code: int


@frozen
class ContainerKeeper:
    """Keeps a container."""

    mark: ContainerMark
    files: Files
    log: Log

    async def is_alive(self) -> bool:
        """Return whether it runs."""
        state = await inspected(self.mark.id)
        return state is not None and state.is_running

    async def fate(self) -> str:
        """Say how it ended, and what its log says."""
        state = await inspected(self.mark.id)
        how = f"ended with exit status {state.exit_code}" if state is not None else "is gone"
        await self.end()
        return f"{how}; {self.log.tail()}"

    async def end(self) -> None:
        """Stop the container, keep its log, and remove it."""
        state = await inspected(self.mark.id)
        if state is None:
            return
        if state.is_running:
            await docker("stop", "-t", str(PATIENCE_SECS), state.id, within_secs=PATIENCE_SECS + ANSWER_SECS)
        await put_away(state, self.files)

    def kill(self) -> None:
        """Have the container removed, without waiting for it."""
        remove_later(self.mark.id)

    async def log_tail(self, lines: int) -> bytes:
        """Return the last lines that it wrote; once it was removed, those that were kept."""
        if await inspected(self.mark.id) is None:
            return self.files.log_tail(lines)
        with tempfile.TemporaryFile() as file:
            await docker("logs", "--tail", str(lines), self.mark.id, output=file)
            return last_lines(file, lines)


async def start_container(launch: ContainerLaunch, files: Files) -> ContainerKeeper:
    """Run a container; one of the same name that ended before is put away.

    Raises:
        BackendError: docker does not start it.
        InputOutputError: the log cannot be written.
    """
    before = await inspected(launch.name)
    if before is not None:
        await put_away(before, files)
    with files.open_log() as file:
        log = Log(files.log, file.tell())
    command = ("run", "-d", "--name", launch.name, *launch.options, launch.image, *launch.args)
    try:
        said = await docker(*command, within_secs=None)
    except BaseException:
        # Docker creates the container before it starts it, and the name would stay taken.
        remove_later(launch.name)
        raise
    return ContainerKeeper(ContainerMark(name=launch.name, id=said.split()[-1] if said else launch.name), files, log)


def known_container(mark: ContainerMark, files: Files) -> ContainerKeeper:
    """Return the keeper of a container that was started before."""
    return ContainerKeeper(mark, files, Log(files.log, 0))


async def inspected(container: str) -> ContainerState | None:
    """Return what docker says of the container with that name or id, or None where there is none."""
    try:
        said = await docker("container", "inspect", container)
    except BackendError as error:
        if "no such container" in str(error).casefold():
            return None
        raise
    try:
        (found,) = json.loads(said)
        state = found["State"]
        return ContainerState(str(found["Id"]), bool(state["Running"]), int(state["ExitCode"]))
    except (ValueError, LookupError, TypeError):
        raise BackendError("docker container inspect: not the answer of docker") from None


async def put_away(container: ContainerState, files: Files) -> None:
    """Keep the log of a container, and remove it; docker refuses where it still runs."""
    with files.open_log() as file:
        await docker("logs", "--tail", str(KEPT_LINES), container.id, output=file)
    await docker("rm", container.id)


def remove_later(container: str) -> None:
    """Have a container removed by a process that goes on when this one has ended."""
    command = ["docker", "rm", "--force", container]
    subprocess.Popen(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)  # noqa: S603


async def docker(*args: str, output: IO[bytes] | None = None, within_secs: float | None = ANSWER_SECS) -> str:
    """Run a command of docker to its end and return what it said, unless that goes to *output*.

    Raises:
        BackendError: it failed, or took too long; with docker's own words.
    """
    shown = " ".join(("docker", *args[: 2 if args[0] == "container" else 1]))
    out, err = (PIPE, PIPE) if output is None else (output, output)
    try:
        process = await asyncio.create_subprocess_exec("docker", *args, stdin=DEVNULL, stdout=out, stderr=err)
    except OSError as error:
        raise BackendError(f"docker cannot be run: {error.strerror}") from error
    try:
        async with asyncio.timeout(within_secs):
            said, complaint = await process.communicate()
    except TimeoutError:
        raise BackendError(f"{shown}: no answer within {within_secs:g} seconds") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        words = (complaint or b"").decode(errors="replace").strip()
        raise BackendError(f"{shown}: {words or f'ended with exit status {process.returncode}'}")
    return (said or b"").decode(errors="replace").strip()
