"""What a file reads like, whatever its name says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from gekko import limits
from gekko.plan.file_schemas import backend_schema, command_schema, model_schema
from gekko.sources.likeness import KINDS, Likeness, likeness

TEXTS: Final = {
    "backends": 'id = "stub"\ntype = "openai-compatible"\n',
    "models": 'id = "fast"\nbackend = "stub"\noperation = "chat"\n',
    "commands": '---\ndescription = "x"\nmodel = "fast"\n---\nHello\n',
    "tests": 'input = ""\n\n[expect]\nexit_code = 0\n',
}


@pytest.mark.parametrize(
    ("name", "kind", "right"),
    [
        ("stub.TOML", "backends", "stub.toml"),
        ("stub.toml", "backends", "stub.toml"),
        ("stub", "backends", "stub.toml"),
        ("fast.Toml", "models", "fast.toml"),
        ("fast.toml.txt", "models", "fast.toml"),
        ("review.MD", "commands", "review.md"),
        ("v1.2.markdown", "commands", "v1.2.md"),
        ("hardware.tml", "tests", "hardware.toml"),
    ],
)
def test_a_file_reads_like_its_kind_and_has_a_right_name(tmp_path: Path, name: str, kind: str, right: str) -> None:
    (tmp_path / name).write_text(TEXTS[kind])

    found = likeness(tmp_path / name)

    assert (found and found.kind, found and found.name) == (kind, right)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("stub.yaml", "id: stub\ntype: openai-compatible\n", "backends"),
        ("stub.json", '{"id": "stub", "type": "embedded", "weights": "w"}', "backends"),
        ("fast.yml", "backend: stub\noperation: chat\n", "models"),
        ("fast.json", '{"backend": "stub",\n "operation": "chat"}', "models"),
        ("a.TOML", 'expect."/a" = 1\n', "tests"),
        ("a.TOML", 'expect = { "/a" = 1 }\n', "tests"),
        ("x.MD", '\ufeff---\r\nmodel = "fast"\r\n---\r\n', "commands"),
    ],
)
def test_it_does_so_in_other_notations_too(tmp_path: Path, name: str, text: str, kind: str) -> None:
    (tmp_path / name).write_text(text)

    found = likeness(tmp_path / name)

    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", "---\ntitle: model = no key of YAML\n---\n"),
        ("README.md", 'A model file:\n\n    backend = "stub"\n    operation = "chat"\n'),
        ("compose.yaml", "services:\n  web:\n    type: volume\n"),
        ("tokenizer.json", '{"type": "BPE", "id": 1}'),
        ("settings.toml", '[tool]\ntype = "other"\nbackend = "agg"\n'),
        ("a.toml.off", TEXTS["models"]),
        ("a.toml~", TEXTS["models"]),
        ("a.txt", TEXTS["tests"]),
        ("a.html", TEXTS["tests"]),
        ("a.TOML", TEXTS["tests"] + " " * limits.SPEC_FILE_BYTES),
    ],
)
def test_what_may_stand_in_a_scope_reads_like_nothing(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)

    assert likeness(tmp_path / name) is None


@pytest.mark.parametrize("schema", [backend_schema, model_schema, command_schema])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_schema_for_editors_reads_like_nothing(
    tmp_path: Path, schema: Callable[[], dict[str, object]], indent: int | None
) -> None:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(schema(), indent=indent))

    assert likeness(path) is None


def test_a_copy_beside_the_file_that_it_was_made_from_reads_like_nothing(tmp_path: Path) -> None:
    for name in ("fast.toml", "fast.yaml"):
        (tmp_path / name).write_text(TEXTS["models"])

    assert likeness(tmp_path / "fast.yaml") is None
    assert likeness(tmp_path / "fast.toml") == Likeness("models", "fast.toml")


def test_nothing_but_a_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "folder.TOML").mkdir()
    (tmp_path / "nowhere.TOML").symlink_to("nowhere")

    assert [likeness(tmp_path / name) for name in ("folder.TOML", "nowhere.TOML", "missing")] == [None, None, None]


def test_only_kinds_that_are_asked_for_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TEXTS["models"])

    assert [kind for kind in KINDS if likeness(tmp_path / "a.toml", (kind,))] == ["models"]
