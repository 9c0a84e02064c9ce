"""The server of the benchmarks, in a process of its own."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import PIPE, Popen


@contextmanager
def server(delay_secs: float) -> Iterator[str]:
    """Run the server in a process of its own, and yield its URL."""
    argv = (sys.executable, "-m", "benchmarks.server", str(delay_secs))
    with Popen(argv, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()  # the end of its input is the end of the server
