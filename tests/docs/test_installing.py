"""The lines that install something are not run, but what they name is there."""

import re
import shlex
import tomllib
from importlib.util import find_spec
from typing import Final

import pytest

from gekko.sources.weights import KNOWN
from tests.docs.markdown import PAGES, ROOT, blocks

LINES: Final = [
    pytest.param(line, id=f"{path.name}-{line}")
    for path in PAGES
    for block in blocks(path.read_text())
    if block.language == "sh"
    for line in block.text.splitlines()
]

INSTALL: Final = re.compile(r"(uv tool|uv pip|pipx|pipx runpip gko|pip) install ")

EXTRAS: Final = re.compile(r"\.(?:\[(?P<extras>[\w,]+)\])?")


@pytest.mark.parametrize("line", LINES)
def test_every_line_that_installs_names_what_is_there(line: str) -> None:
    words = shlex.split(line, comments=True)

    if words[0] == "make":
        assert set(words[1:]) <= targets()
    elif INSTALL.match(line):
        assert is_known(words)
    else:
        assert words[:2] == ["python", "-m"]
        assert find_spec(words[2]) is not None


def is_known(words: list[str]) -> bool:
    """Return whether an installation is of this checkout, with extras that it has, or of the weights alone."""
    here = EXTRAS.fullmatch(words[-1])
    if here is None:
        return words[-1] == KNOWN and "--no-deps" in words
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return set((here["extras"] or "").split(",")) <= {"", *declared}


def targets() -> set[str]:
    """Return the targets of the Makefile."""
    return set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
