"""A project whose backend gko can start, and what became of its server."""

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from gekko.run.runtimes.processes import process
from tests.project import Project

LITTLE_SERVER: Final = Path(__file__).with_name("little_server.py")

RUNTIME: Final = """
[runtime]
type = "process"
command = {command}
arguments = {arguments}
"""


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@frozen
class ServedProject:
    """A project with the model `fast`, whose backend `stub` is the little server on a port of its own."""

    project: Project
    port: int = field(factory=free_port)

    def declare(self, *habits: str, more: str = "", port: int | None = None, backend: str = "stub") -> None:
        """Write the backend and its model."""
        self.runtime(
            RUNTIME.format(
                command=json.dumps(sys.executable),
                arguments=json.dumps([str(LITTLE_SERVER), "{{ backend.port }}", *habits]),
            )
            + more,
            port=port,
            backend=backend,
        )

    def runtime(self, table: str, *, port: int | None = None, backend: str = "stub") -> None:
        """Write the backend with a `[runtime]`, and its model."""
        self.project.backend("http://127.0.0.1:{{ backend.port }}", f"port = {port or self.port}\n{table}", id=backend)
        self.project.model(backend=backend)

    @property
    def state(self) -> Path:
        """Where gko remembers servers."""
        return Path(self.project.environment()["XDG_STATE_HOME"]) / "gekko" / "runtimes"

    @property
    def records(self) -> list[Path]:
        """The files of the servers that are remembered."""
        return sorted(self.state.glob("*.json"))

    def record(self) -> dict[str, Any]:
        """Return the only record."""
        (path,) = self.records
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    @property
    def pid(self) -> int:
        """The number of the process that is remembered."""
        return int(self.record()["server"]["pid"])

    @property
    def log(self) -> str:
        """What all servers of the project wrote."""
        return "".join(path.read_text() for path in sorted(self.state.glob("*.log")))

    def said(self) -> list[dict[str, Any]]:
        """Return what each little server said when it began."""
        return [json.loads(line) for line in self.log.splitlines() if line.startswith("{")]

    def status(self, environ: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """Return the rows of `gko backend status`."""
        run = self.project.gko("backend", "status", "--json", environ=environ)
        assert (run.exit_code, run.stderr) == (0, "")
        rows: list[dict[str, Any]] = json.loads(run.stdout)
        return rows

    def end_all(self) -> None:
        """End whatever is remembered, however a test ended."""
        for path in self.records:
            mark = json.loads(path.read_text())["server"]
            found = process(mark["pid"]) if "pid" in mark else None
            if found is not None and found.born == mark["born"] and not found.has_ended:
                os.killpg(found.pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    """Return whether a process runs."""
    found = process(pid)
    return found is not None and not found.has_ended


def until(holds: Callable[[], object], within_secs: float = 10) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + within_secs
    while not holds():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.02)
