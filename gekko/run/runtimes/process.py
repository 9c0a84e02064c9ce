"""A server as a process of this machine: a session of its own, which goes on when gko has ended."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from attrs import field, frozen

from gekko.errors import BackendError
from gekko.plan.runtimes import ProcessLaunch
from gekko.run.last_words import Log, ending
from gekko.run.runtimes.processes import Process, group_of, process
from gekko.run.runtimes.records import Files, ProcessMark

PATIENCE_SECS: Final = 10
"""A server that was asked to end has so long to do so."""

KILLED_SECS: Final = 5
"""One that was forced to end is gone within this, unless the system itself is stuck."""

LOOK_SECS: Final = 0.05


@frozen
class ProcessKeeper:
    """Keeps a process, together with all of its group. *child* is there if this very gko started it."""

    mark: ProcessMark
    files: Files
    log: Log
    child: "subprocess.Popen[bytes] | None" = field(default=None, eq=False)
    patience_secs: float = PATIENCE_SECS

    async def is_alive(self) -> bool:
        """Return whether it runs, and is the one that was started."""
        found = process(self.mark.pid)
        return found is not None and found.born == self.mark.born and not found.has_ended

    async def fate(self) -> str:
        """Say how it ended, and what its log says."""
        if self.child is None:
            return f"ended; {self.log.tail()}"
        self.kill()
        return f"{ending(self.child)}; {self.log.tail()}"

    async def end(self) -> None:
        """End the group: SIGTERM, and SIGKILL for whoever is still there when patience ends."""
        members = set(self._group())
        _signal(members, signal.SIGTERM)
        if not await _gone(members, self.patience_secs):
            members |= set(self._group())  # it may have had children since
            _signal(members, signal.SIGKILL)
            if not await _gone(members, KILLED_SECS):
                raise BackendError(f"the process {self.mark.pid} does not end, not even by SIGKILL")
        if self.child is not None:
            self.child.wait()

    def kill(self) -> None:
        """End the group at once; only for a child of this process."""
        if self.child is not None and self.child.returncode is None:
            # Nobody took note of its end yet, so its number, which is that of the group as well, is still its own.
            with suppress(ProcessLookupError, PermissionError):  # macOS refuses where only the dead are left
                os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()

    async def log_tail(self, lines: int) -> bytes:
        """Return the last lines of its log."""
        return self.files.log_tail(lines)

    def _group(self) -> tuple[Process, ...]:
        return group_of(self.mark.pid, self.mark.born)


def start_process(launch: ProcessLaunch, files: Files) -> ProcessKeeper:
    """Start a program, its standard input empty and all that it says going to its log.

    Raises:
        BackendError: it cannot be started.
        InputOutputError: its log cannot be written.
    """
    with files.open_log() as file:
        log = Log(files.log, file.tell())
        try:
            child = subprocess.Popen(  # noqa: S603 - it is the user's own
                [launch.program, *launch.arguments],
                cwd=launch.folder,
                env=launch.environ,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        except OSError as error:
            raise BackendError(f"{launch.program} cannot be started: {error.strerror}") from error
    found = process(child.pid)
    # There until it was waited for, even if it has ended already.
    born = found.born if found is not None else ""
    return ProcessKeeper(ProcessMark(pid=child.pid, born=born), files, log, child)


def known_process(mark: ProcessMark, files: Files) -> ProcessKeeper:
    """Return the keeper of a process that was started before."""
    return ProcessKeeper(mark, files, Log(files.log, 0))


def _signal(members: Iterable[Process], number: int) -> None:
    for member in members:
        member.signal(number)


async def _gone(members: Iterable[Process], within_secs: float) -> bool:
    """Wait until all have ended; return whether they have."""
    for _ in range(int(within_secs / LOOK_SECS)):
        if not any(_is_there(member) for member in members):
            return True
        await asyncio.sleep(LOOK_SECS)
    return False


def _is_there(member: Process) -> bool:
    found = process(member.pid)
    return found == member and not found.has_ended
