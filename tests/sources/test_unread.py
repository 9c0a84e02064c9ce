"""What is in a scope, was meant to be used, and is not."""

from pathlib import Path

import pytest

from gekko.sources.scopes import Scope
from gekko.sources.unread import unread
from tests.sources.test_likeness import TEXTS


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    return Scope("project", tmp_path / ".gekko")


def write(scope: Scope, path: str, kind: str) -> None:
    (scope.root / path).parent.mkdir(parents=True, exist_ok=True)
    (scope.root / path).write_text(TEXTS.get(kind, kind))


def told(scope: Scope) -> dict[str, str]:
    """Return the hints by the paths that they are about."""
    return {issue.where.path.relative_to(scope.root).as_posix(): issue.hint for issue in unread(scope)}


@pytest.mark.parametrize(
    ("path", "kind", "culprit", "hint"),
    [
        ("test/git/a.toml", "tests", "test", "'tests'"),
        ("Models/a.toml", "models", "Models", "'models'"),
        ("backend/a.toml", "backends", "backend", "'backends'"),
        ("command/git/a.md", "commands", "command", "'commands'"),
        ("cases/git/a.toml", "tests", "cases", "tests/COMMAND PATH/NAME.toml"),
        ("models/team/a.toml", "models", "models/team", "models/NAME.toml"),
        ("backends/x/y/a.toml", "backends", "backends/x", "backends/NAME.toml"),
        ("backends/a.TOML", "backends", "backends/a.TOML", "'a.toml'"),
        ("models/a.yaml", "models", "models/a.yaml", "'a.toml'"),
        ("models/a", "models", "models/a", "'a.toml'"),
        ("models/a.md", "commands", "models/a.md", "commands/COMMAND PATH.md"),
        ("a.toml", "models", "a.toml", "models/NAME.toml"),
        ("a.md", "commands", "a.md", "commands/COMMAND PATH.md"),
        ("commands/git/a.toml", "tests", "commands/git/a.toml", "tests/COMMAND PATH/NAME.toml"),
        ("schemas", "a file", "schemas", "expected"),
    ],
)
def test_what_reads_like_configuration_and_is_not_read_is_told(
    scope: Scope, path: str, kind: str, culprit: str, hint: str
) -> None:
    write(scope, path, kind)

    found = told(scope)

    assert list(found) == [culprit]
    assert hint in found[culprit]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("README.md", "# About"),
        ("notes/README.md", "# About"),
        ("shared/a.json", '{"type": "object"}'),
        ("schemas/a.yaml", "type: object"),
        ("partials/a.markdown", "Some text"),
        ("texts/a.md", "Some text"),
        ("backends/ca.pem", "-----BEGIN"),
        ("backends/compose.yaml", "services: {}"),
        ("backends/weights.gguf", "GGUF"),
        ("models/a.toml", "models"),
        ("models/a.toml.bak", "models"),
        ("models/.old/a.toml", "models"),
        (".tests/git/a.toml", "tests"),
        ("tests/git/a.md", "commands"),
        ("tests/git/a.toml", "tests"),
        ("commands/git/a.md", "commands"),
        ("commands/git/taplo.toml", "[formatting]"),
    ],
)
def test_what_may_stand_there_is_not(scope: Scope, path: str, kind: str) -> None:
    write(scope, path, kind)

    assert told(scope) == {}


def test_a_folder_is_told_of_once(scope: Scope) -> None:
    for name in ("a", "b", "c/d"):
        write(scope, f"test/git/{name}.toml", "tests")

    assert list(told(scope)) == ["test"]


def test_a_link_to_nowhere_in_the_place_of_a_folder_is_told(scope: Scope) -> None:
    scope.root.mkdir()
    (scope.root / "partials").symlink_to("nowhere")

    assert "'nowhere'" in told(scope)["partials"]


def test_folders_that_link_to_each_other_end(scope: Scope) -> None:
    write(scope, "notes/a.md", "Some text")
    (scope.root / "notes/up").symlink_to("..")

    assert told(scope) == {}
