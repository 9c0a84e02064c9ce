"""Every kind of mistake, and the exact words for it: see `tests/golden/__init__.py`."""

import os
import re
from pathlib import Path
from typing import Final

import pytest

from tests.golden.scenario import Scenario
from tests.project import Project
from tests.stub_server import StubServer

GOLDEN: Final = Path(__file__).with_name("golden")
SOUND: Final = Scenario.parse((GOLDEN / "sound.txt").read_text("utf-8"))
KINDS: Final = sorted(path.relative_to(GOLDEN).with_suffix("").as_posix() for path in GOLDEN.glob("*/*.txt"))

PLACE: Final = re.compile(r"^error: (?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): ", re.MULTILINE)

is_regenerating = os.environ.get("GKO_REGENERATE_GOLDENS") == "1"


@pytest.fixture
def sound(tmp_path: Path, server: StubServer) -> Project:
    """The sound project, its backend being `server`."""
    server.say('{"category":"hardware"}')
    project = Project(tmp_path)
    project.backend(server.url)
    SOUND.lay_out(tmp_path)
    return project


def read(kind: str) -> Scenario:
    return Scenario.parse((GOLDEN / f"{kind}.txt").read_text("utf-8"))


def test_the_project_that_every_mistake_joins_is_sound(sound: Project, server: StubServer) -> None:
    run = sound.gko("config", "test")

    assert (run.exit_code, run.stderr) == (0, "")
    assert len(server.requests) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_mistake_has_exactly_these_words(sound: Project, server: StubServer, kind: str) -> None:
    golden = read(kind)

    played = golden.play(sound)

    if is_regenerating:
        assert "CI" not in os.environ, "goldens are written by people, who read what changed"
        (GOLDEN / f"{kind}.txt").write_text(str(played), "utf-8")
    assert str(played).splitlines() == str(golden).splitlines()
    assert server.requests == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_place_is_where_something_stands(kind: str, tmp_path: Path) -> None:
    golden = read(kind)
    SOUND.lay_out(tmp_path)
    golden.lay_out(tmp_path)

    for place in PLACE.finditer("".join(golden.expected.values())):
        lines = (tmp_path / place["file"]).read_bytes().decode("utf-8", "replace").split("\n")
        line = lines[int(place["line"]) - 1]
        assert 1 <= int(place["column"]) <= len(line) + 1


def test_more_than_ninety_kinds_are_covered() -> None:
    assert len(KINDS) > 90
