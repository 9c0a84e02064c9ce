"""Running programs as tests watch and end them."""

import contextlib
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.project import Finished

Process: TypeAlias = subprocess.Popen[bytes]

SOON_SECS = 1.0
"""What happens at once may take so long on a busy machine."""

SIGNALS = [
    pytest.param(signal.SIGINT, 130, id="SIGINT"),
    pytest.param(signal.SIGTERM, 143, id="SIGTERM"),
    pytest.param(signal.SIGHUP, 129, id="SIGHUP"),
]


def end(process: Process, number: int) -> tuple[Finished, float]:
    """Send a signal, and return how the process ended and after how many seconds."""
    began = time.monotonic()
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=20)
    return Finished(process.returncode, stdout, stderr.decode()), time.monotonic() - began


def until(condition: Callable[[], object], process: Process | None = None, within_secs: float = 20) -> None:
    """Wait for *condition*; a *process* that ends before fails the test with what it said."""
    began = time.monotonic()
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() - began < within_secs
        time.sleep(0.01)


def engines_of(pid: int) -> list[int]:
    """Return the engine's processes below *pid*."""
    with contextlib.suppress(OSError):
        below = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        return [child for child in below if b"engine_child" in Path(f"/proc/{child}/cmdline").read_bytes()]
    return []


def lives(pid: int) -> bool:
    """Return whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
