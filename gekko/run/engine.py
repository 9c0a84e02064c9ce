"""The embedded model's process: started on a free port with a key of its own, ended with gko, however that ends."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, cast

from attrs import field, frozen

from gekko.errors import BackendError, InputOutputError
from gekko.limits import MIB
from gekko.run.last_words import Log, ending

PROGRAM = Path(__file__).with_name("engine_child.py")

LOG_BYTES = 1 * MIB
"""A log that has grown beyond this is begun anew; a healthy engine writes nothing."""


@frozen
class EngineSettings:
    """How an embedded model is to run; *context* and *max_tokens* count tokens."""

    weights: Path
    context: int = 4096
    threads: int = 1
    startup_secs: float = 60
    max_tokens: int = 512


@frozen
class Running:
    """An engine that answers requests which bear its key."""

    base_url: str
    key: str = field(repr=False)
    process: subprocess.Popen[bytes] = field(repr=False, eq=False)

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self.process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it takes no requests any more, because its process is gone."""
        return self.process.poll() is not None


@asynccontextmanager
async def engine(settings: EngineSettings, log_path: Path) -> AsyncIterator[Running]:
    """Run an engine for as long as the block lasts; what it has to say goes to the file *log_path*.

    Raises:
        BackendError: it does not start, or not in time; a BackendError out of the block says so if the engine died.
        InputOutputError: the log cannot be written.
    """
    with open_log(log_path) as file:
        log = Log(log_path, file.tell())
        process = spawn(settings, file)
    with process:
        try:
            running = await started(process, settings.startup_secs, log)
            try:
                yield running
            except BackendError as error:
                if not await has_died(process):
                    raise
                raise BackendError(f"{error}; the embedded engine {ending(process)}; {log.tail()}") from error
        finally:
            process.kill()  # it has nothing to save, and unlike a farewell this cannot be interrupted


def open_log(path: Path) -> IO[bytes]:
    """Open the log at its end, emptied where it has grown too long."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        log = path.open("ab")
        if log.tell() > LOG_BYTES:
            log.seek(log.truncate(0))
    except OSError as error:
        raise InputOutputError(f"{path}: the log of the embedded engine cannot be written: {error.strerror}") from error
    return log


def spawn(settings: EngineSettings, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the program; the pipe to its standard input is what its life hangs on."""
    command = [
        # -P and the program's path instead of -m: nothing in the user's folder can pose as a module.
        *(sys.executable, "-P", str(PROGRAM)),
        *("--weights", str(settings.weights.absolute())),
        *("--context", str(settings.context)),
        *("--threads", str(settings.threads)),
        *("--max-tokens", str(settings.max_tokens)),
    ]
    try:
        return subprocess.Popen(  # noqa: S603 - the program is our own
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            # Threads that spin while they wait are up to fifteen times slower on a busy machine.
            env={**os.environ, "OMP_WAIT_POLICY": "passive"},
            start_new_session=True,  # Ctrl-C is for gko to judge
        )
    except OSError as error:
        raise BackendError(f"the embedded engine cannot be started: {error.strerror}") from error


async def started(process: subprocess.Popen[bytes], within_secs: float, log: Log) -> Running:
    """Return the engine's address and key, once it announces them."""
    outlet = cast("IO[bytes]", process.stdout)
    try:
        async with asyncio.timeout(within_secs):
            await readable(outlet)
    except TimeoutError:
        problem = f"was not ready within {within_secs:g} seconds (engine.startup_secs)"
        raise BackendError(f"the embedded engine {problem}; {log.tail()}") from None
    line = outlet.readline()  # it arrives whole or not at all
    if not line:
        process.wait()
        raise BackendError(f"the embedded engine {ending(process)} before it was ready; {log.tail()}")
    return Running(**json.loads(line), process=process)


async def has_died(process: subprocess.Popen[bytes]) -> bool:
    """Tell whether the process ended, allowing for the moment between its last connection and its end."""
    try:
        async with asyncio.timeout(0.2):
            await readable(cast("IO[bytes]", process.stdout))  # it says one line in its life: this is its end
    except TimeoutError:
        return False
    process.wait()
    return True


async def readable(pipe: IO[bytes]) -> None:
    """Wait until *pipe* has something to read, or has ended."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(pipe, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(pipe)
