"""Which process bears a number, and since when: a number is given again, a beginning is not."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from attrs import field, frozen

from gekko.errors import BackendError

PROC: Final = Path("/proc")
BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")

PS: Final = ("ps", "-ax", "-o", "pid=,pgid=,stat=,lstart=")


@frozen
class Process:
    """A process. Two are the same if their number and beginning are."""

    pid: int
    born: str
    """When it began, in the system's own words; the same at every look."""
    group: int = field(eq=False)
    has_ended: bool = field(eq=False)
    """Whether it only waits for its parent to take note of its end."""

    def signal(self, number: int) -> None:
        """Send a signal to this process, and to no other that was given its number since.

        Raises:
            BackendError: it belongs to somebody else.
        """
        with suppress(ProcessLookupError):
            try:
                self._signal(number)
            except PermissionError as error:
                raise BackendError(f"the process {self.pid} cannot be ended: {error.strerror}") from error

    def _signal(self, number: int) -> None:
        if not hasattr(os, "pidfd_open"):  # it is Linux's alone
            if process(self.pid) == self:
                os.kill(self.pid, number)
            return
        # The descriptor holds on to whichever process it is, so that what is looked at is what is met.
        descriptor = os.pidfd_open(self.pid)
        try:
            if process(self.pid) == self:
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)


def process(pid: int) -> Process | None:
    """Return the process that bears the number, or None."""
    if (PROC / "self").exists():
        return _from_proc(PROC / str(pid))
    return next((found for found in from_ps() if found.pid == pid), None)


def group_of(pid: int, born: str) -> tuple[Process, ...]:
    """Return all processes of the group that the process leads, if it is still that one; it may have ended."""
    leader = process(pid)
    if leader is None or leader.born != born:
        return ()
    return tuple(found for found in processes() if found.group == pid and not found.has_ended)


def processes() -> Iterator[Process]:
    """Yield every process that can be seen."""
    return from_proc() if (PROC / "self").exists() else from_ps()


def from_proc() -> Iterator[Process]:
    """Yield every process, as Linux tells."""
    for folder in PROC.glob("[0-9]*"):
        if (found := _from_proc(folder)) is not None:
            yield found


def _from_proc(folder: Path) -> Process | None:
    try:
        text = (folder / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The second field, the program's name, may hold spaces and brackets: proc_pid_stat(5).
    fields = text.rpartition(")")[2].split()
    state, group, ticks = fields[0], int(fields[2]), fields[19]
    return Process(int(folder.name), f"{ticks} ticks after boot {_boot()}", group, state in "ZX")


@cache
def _boot() -> str:
    return BOOT_ID.read_text("ascii").strip()


def from_ps() -> Iterator[Process]:
    """Yield every process, as `ps` tells where there is no /proc, as on macOS."""
    environ = {**os.environ, "LC_ALL": "C"}
    listed = subprocess.check_output(PS, stdin=subprocess.DEVNULL, env=environ, text=True)  # noqa: S603 - constant
    for line in listed.splitlines():
        pid, group, state, born = line.split(maxsplit=3)
        yield Process(int(pid), born, int(group), state.startswith("Z"))
