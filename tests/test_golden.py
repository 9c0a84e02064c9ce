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


def regenerate(kind: str, played: Scenario) -> None:
    assert "CI" not in os.environ, "goldens are written where a person reads what changed"
    assert "Traceback" not in played.stderr
    (GOLDEN / f"{kind}.txt").write_text(str(played), "utf-8")


def test_the_project_that_every_mistake_joins_is_sound(sound: Project, server: StubServer) -> None:
    run = sound.gko("config", "test")

    assert (run.exit_code, run.stderr) == (0, "")
    assert len(server.requests) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_mistake_has_exactly_these_words(sound: Project, server: StubServer, kind: str) -> None:
    golden = read(kind)

    played = golden.play(sound)

    if is_regenerating:
        regenerate(kind, played)
    assert str(played) == str(golden)
    assert server.requests == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_place_is_inside_its_file(sound: Project, kind: str) -> None:
    golden = read(kind)

    golden.lay_out(sound.folder)

    for place in PLACE.finditer(golden.stderr):
        lines = (sound.folder / place["file"]).read_bytes().decode("utf-8", "replace").split("\n")
        assert 1 <= int(place["column"]) <= len(lines[int(place["line"]) - 1]) + 1


def test_more_than_ninety_kinds_are_covered() -> None:
    assert len(KINDS) > 90


@pytest.mark.parametrize(("call", "usage"), [([], "gko"), (["config"], "gko config"), (["git"], "gko git")])
def test_a_group_alone_gets_its_help_on_stderr(sound: Project, call: list[str], usage: str) -> None:
    run = sound.gko(*call)

    assert (run.exit_code, run.stdout) == (2, b"")
    assert run.stderr.startswith(f"Usage: {usage} [OPTIONS] COMMAND")


def test_a_check_up_names_every_mistake_and_its_place(sound: Project, server: StubServer) -> None:
    sound.command("broken", 'model = "fast"\ndesciption = "Answers"\n')
    sound.command("-dashed")
    sound.case("triage/broken", "exit_cod = 0")
    sound.case("stray")

    run = sound.gko("config", "check")

    assert (run.exit_code, run.stderr) == (2, "")
    lines = run.stdout.decode().splitlines()
    found = [line.split(maxsplit=2)[2] for line in lines if line.startswith("failed")]
    assert found == ["command broken", "command -dashed", "case triage broken", "case .gekko/tests/stray.toml"]
    told = [line.split(": ")[0].strip() for line in lines if line.startswith("  ")]
    assert told == [
        ".gekko/commands/broken.md:3:1",
        ".gekko/commands/-dashed.md",
        ".gekko/tests/triage/broken.toml:4:1",
        ".gekko/tests/stray.toml",
    ]
    assert server.requests == []
