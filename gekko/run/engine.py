"""The embedded model's process: started on a free port with a key of its own, ended with gko, however that ends."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from errno import ENOSPC
from pathlib import Path
from typing import IO, cast

from attrs import field, frozen

from gekko.errors import BackendError
from gekko.limits import MIB
from gekko.run.last_words import LastWords, Log, Unkept, ending

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
async def engine(
    name: str, settings: EngineSettings, log_path: Path, warn: Callable[[str], None]
) -> AsyncIterator[Running]:
    """Run an engine for as long as the block lasts; what it has to say goes to the file *log_path*.

    Messages call it *name*. Where the log cannot be written, *warn* is told, and the engine runs without one.

    Raises:
        BackendError: it does not start, or not in time; a BackendError out of the block says so if the engine died.
    """
    with outlet(log_path, warn) as (file, words):
        process = spawn(name, settings, file)
        with process:
            try:
                running = await started(name, process, settings.startup_secs, words)
                try:
                    yield running
                except BackendError as error:
                    if not await has_died(process):
                        raise
                    raise BackendError(f"{error}; {name} {ending(process)}; {words.tail()}") from error
            finally:
                process.kill()  # it has nothing to save, and unlike a farewell this cannot be interrupted


@contextmanager
def outlet(path: Path, warn: Callable[[str], None]) -> Iterator[tuple[IO[bytes], LastWords]]:
    """Yield the file for what the engine has to say, and the way to quote from it: the log at *path*, if possible."""
    try:
        file = open_log(path)
    except OSError as error:
        warn(f"{path}: cannot be written, so the embedded engine has no log: {error.strerror}")
        unkept = Unkept.open()
        with unkept.file:
            yield unkept.file, unkept
    else:
        with file:
            yield file, Log(path, file.tell())


def open_log(path: Path) -> IO[bytes]:
    """Open the log at its end, emptied where it has grown too long.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # An empty file fits on a full disk; what the engine says of its failure would not.
    disk = os.statvfs(path.parent)
    if disk.f_blocks and not disk.f_bavail:
        raise OSError(ENOSPC, os.strerror(ENOSPC))
    file = path.open("ab")
    if file.tell() > LOG_BYTES:
        file.seek(file.truncate(0))
    return file


def spawn(name: str, settings: EngineSettings, log: IO[bytes]) -> subprocess.Popen[bytes]:
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
        raise BackendError(f"{name} cannot be started: {error.strerror}") from error


async def started(name: str, process: subprocess.Popen[bytes], within_secs: float, words: LastWords) -> Running:
    """Return the engine's address and key, once it announces them."""
    announcement = cast("IO[bytes]", process.stdout)
    try:
        async with asyncio.timeout(within_secs):
            await readable(announcement)
    except TimeoutError:
        problem = f"was not ready within {within_secs:g} seconds (engine.startup_secs)"
        raise BackendError(f"{name} {problem}; {words.tail()}") from None
    line = announcement.readline()  # it arrives whole or not at all
    if not line:
        process.wait()
        raise BackendError(f"{name} {ending(process)} before it was ready; {words.tail()}")
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
