"""Shells at a terminal of their own: something is typed, the tab key is pressed, and the words on the line count."""

import os
import pty
import re
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

from attrs import define

from tests.project import GKO, Project

PATIENCE_SECS: Final = 30

PROGRAMS: Final = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}

SET_UP: Final = {
    "bash": "source <(gko completion bash)",
    "zsh": "autoload -Uz compinit; compinit -u -D; source <(gko completion zsh)",
}

TO_THE_START: Final = "\x01"
SHOW_THE_WORDS: Final = f"{TO_THE_START}printf '<%s>' \n"
SHOWN_WORDS: Final = re.compile(r"<gko>(?:<[^<>\r\n]*>)*")


@define
class Shell:
    """A shell whose completion of gko is set up."""

    _terminal: int

    def completed(self, typed: str) -> list[str]:
        """Return the words of the line after *typed* and the tab key, as the shell would pass them."""
        self.say(f"{typed}\t{SHOW_THE_WORDS}")
        return self.hear(SHOWN_WORDS).strip("<>").split("><")

    def say(self, keys: str) -> None:
        """Press keys."""
        os.write(self._terminal, keys.encode())

    def hear(self, wanted: re.Pattern[str]) -> str:
        """Return the first match of *wanted* in what is shown from now on."""
        heard = ""
        ends = monotonic() + PATIENCE_SECS
        while (match := wanted.search(heard)) is None or match.end() == len(heard):
            ready, _, _ = select.select([self._terminal], [], [], max(ends - monotonic(), 0))
            assert ready, f"no {wanted.pattern!r} in {heard!r}"
            heard += os.read(self._terminal, 65536).decode(errors="replace")
        return match[0]


@contextmanager
def shell(name: str, project: Project) -> Iterator[Shell]:
    """Start a shell in the project's folder."""
    terminal, inner = pty.openpty()
    with subprocess.Popen(
        PROGRAMS[name],
        cwd=project.folder,
        env=environment(project),
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
    ) as process:
        os.close(inner)
        try:
            started = Shell(terminal)
            started.say(f"{SET_UP[name]}; printf 'rea%s\\n' dy\n")
            started.hear(re.compile("ready\r\n"))
            yield started
        finally:
            process.kill()
            os.close(terminal)


def environment(project: Project) -> dict[str, str]:
    """Return an environment in which `gko` is a command."""
    environ = project.environment({"TERM": "dumb", "LC_ALL": "C.UTF-8"})
    return {**environ, "PATH": f"{GKO.parent}:{environ['PATH']}"}
