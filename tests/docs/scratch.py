"""A reader's machine, as far as the pages need one: a home, a project folder, a shell, and gko installed."""

import subprocess
import sysconfig
import venv
from pathlib import Path
from typing import Final

from attrs import frozen

from tests.docs.markdown import Block

READERS_HOME: Final = "/home/you"
"""How the pages call the home folder; the project is the folder `project` in it."""

BLOCK_SECS: Final = 120

END: Final = "\0"
"""Stands between the outputs of two commands: no command of the pages prints it."""


@frozen
class Scratch:
    """The machine of one page; blocks change it, and later blocks find it changed."""

    home: Path

    @property
    def project(self) -> Path:
        """The folder in which commands are run and files are written."""
        return self.home / "project"

    def prepare(self) -> None:
        """Make the home, and an environment of its own, so that a page may install and remove packages.

        It sees all packages of this one. gko is called as `python -m gekko`, for the script of this environment would
        not see what is installed there.
        """
        self.project.mkdir(parents=True)
        folder = self.home / ".venv"
        venv.create(folder, symlinks=True)
        packages = next((folder / "lib").glob("python*/site-packages"))
        (packages / "shared.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
        for name, module in {"gko": "gekko", "pip": "pip", "pytest": "pytest"}.items():
            script = folder / "bin" / name
            script.write_text(f'#!/bin/sh\nexec "{folder / "bin" / "python"}" -m {module} "$@"\n')
            script.chmod(0o755)

    def write(self, block: Block) -> Path:
        """Write the file that a block shows."""
        assert block.path is not None
        path = self.project / block.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
        return path

    def transcript(self, block: Block) -> str:
        """Run the commands of a `console` block in one shell, and return the block as it should read.

        Lines that begin with "$ " are commands; "> " continues one. Both streams are shown, as a terminal would.
        """
        commands = _commands(block.text)
        keep_code = "__code=$?; printf '\\000'; (exit $__code)\n"  # what `$?` is for the next command
        outputs = self.shell("".join(f"{command}\n{keep_code}" for command in commands)).split(END)
        return "".join(
            f"{_as_typed(command)}{output}" for command, output in zip(commands, outputs[:-1], strict=True)
        ).replace(str(self.home), READERS_HOME)

    def shell(self, script: str) -> str:
        """Run a script of the shell and return what it writes to both streams."""
        done = subprocess.run(
            ["/bin/sh", "-c", script],
            cwd=self.project,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=BLOCK_SECS,
            check=False,
        )
        return done.stdout

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.home / '.venv' / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.home),
            "GKO_SYSTEM_DIR": str(self.home / "no-system-scope"),
            "LANG": "C.UTF-8",
            "COLUMNS": "80",
            "API_KEY": "a-key-of-the-reader",
            # What a page installs it finds in the folder it is in; nothing is fetched.
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # pip's own reading of this variable: no isolation
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_ROOT_USER_ACTION": "ignore",
        }


def _commands(text: str) -> list[str]:
    commands: list[str] = []
    is_open = False
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append(line.removeprefix("$ "))
            is_open = True
        elif is_open and line.startswith("> "):
            commands[-1] += "\n" + line.removeprefix("> ")
        else:
            is_open = False
    return commands


def _as_typed(command: str) -> str:
    first, *more = command.split("\n")
    return "".join((f"$ {first}\n", *(f"> {line}\n" for line in more)))
