"""What is said of a program that has ended."""

import signal
import subprocess
import sys

import pytest

from gekko.run.last_words import ending


@pytest.mark.parametrize(
    ("end", "said"),
    [
        pytest.param("sys.exit(3)", "ended with exit status 3", id="status"),
        pytest.param("os.kill(os.getpid(), signal.SIGKILL)", "was ended by SIGKILL", id="signal"),
        pytest.param("os.kill(os.getpid(), signal.SIGRTMIN + 1)", "was ended by signal {nameless}", id="nameless"),
    ],
)
def test_how_it_ended_is_told(end: str, said: str) -> None:
    if "SIGRTMIN" in end and not hasattr(signal, "SIGRTMIN"):
        pytest.skip("a system without real-time signals")

    process = subprocess.Popen([sys.executable, "-c", f"import os, signal, sys; {end}"])
    process.wait()

    assert ending(process) == said.format(nameless=getattr(signal, "SIGRTMIN", 0) + 1)
