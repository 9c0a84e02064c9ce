"""A golden file as data: the project that it lays out, the call that it makes, and what must come of it."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from attrs import field, frozen

from gekko import limits
from tests.project import Project

SECTION: Final = re.compile(r"^-- (.+) --\n", re.MULTILINE)
FILE: Final = re.compile(r"(?P<name>.+?)(?: -> (?P<target>.+)| \((?P<mark>escaped|1 MiB and a byte)\))?")
STDERR: Final = re.compile(r"stderr, exit code (\d+)")

FOLDER: Final = "$FOLDER"
"""What stands in a golden for the folder of the project, which is another one every time."""


@frozen
class Scenario:
    """What a golden file says."""

    head: str
    sections: Mapping[str, str] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return what the text of a golden file says."""
        head, *rest = SECTION.split(text)
        return cls(head, dict(zip(rest[::2], rest[1::2], strict=True)))

    def __str__(self) -> str:
        return self.head + "".join(f"-- {title} --\n{text}" for title, text in self.sections.items())

    @property
    def call(self) -> tuple[dict[str, str], list[str]]:
        """The environment variables and the arguments of the call."""
        (line,) = re.findall(r"^\$ (.+)$", self.head, re.MULTILINE)
        words = shlex.split(line)
        command = words.index("gko")
        assignments = (word.partition("=") for word in words[:command])
        return {name: _unescaped(value).decode() for name, _, value in assignments}, words[command + 1 :]

    @property
    def files(self) -> Mapping[str, str]:
        """The files with their contents, by their names and marks."""
        return {title: text for title, text in self.sections.items() if not STDERR.fullmatch(title)}

    @property
    def stderr(self) -> str:
        """What is to be said."""
        return "".join(text for title, text in self.sections.items() if STDERR.fullmatch(title))

    def lay_out(self, folder: Path) -> None:
        """Write the files below *folder*."""
        for title, text in self.files.items():
            match = FILE.fullmatch(title)
            assert match is not None
            _write(folder / match["name"], match["name"].endswith("/"), match["target"], match["mark"], text)

    def play(self, project: Project) -> Self:
        """Lay out the files, make the call, and return the scenario with what came of it."""
        self.lay_out(project.folder)
        environ, args = self.call
        finished = project.gko(*args, environ=environ)
        assert finished.stdout == b""
        said = finished.stderr.replace(str(project.folder), FOLDER)
        return type(self)(self.head, {**self.files, f"stderr, exit code {finished.exit_code}": said})


def _write(path: Path, is_folder: bool, target: str | None, mark: str | None, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_folder:
        path.mkdir()
    elif target is not None:
        path.symlink_to(target)
    elif mark == "escaped":
        path.write_bytes(_unescaped(text))
    elif mark is not None:
        path.write_bytes(text.encode().ljust(limits.SPEC_FILE_BYTES + 1))
    else:
        path.write_text(text, "utf-8")


def _unescaped(text: str) -> bytes:
    return text.encode("ascii").decode("unicode_escape").encode("latin-1")
