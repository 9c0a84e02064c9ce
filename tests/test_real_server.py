"""The installed program against a server that is not ours: llama.cpp's own, standing alone, with a key."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine_server import EngineServer, engine_server
from tests.project import JSON_OUTPUT, Finished, Project

# The server is started once, and by one worker.
pytestmark = pytest.mark.xdist_group("real-server")

KEY = "sk-real-5c1f09"

HEADERS = 'structured_output = true\n[headers]\nAuthorization = "Bearer {{ env.API_KEY }}"'

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "age"],
    "properties": {"name": {"const": "xylophone"}, "age": {"enum": [88]}},
}

LISTENING = "0A"
"""The state of a socket in /proc/net/tcp that no connection belongs to."""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineServer]:
    """The server: a context of 256 tokens, answers of 48 at most."""
    key_file = tmp_path_factory.mktemp("server") / "key"
    key_file.write_text(KEY)
    with engine_server("--key-file", str(key_file), "--context", "256", "--max-tokens", "48") as server:
        yield server


@pytest.fixture
def project(tmp_path: Path, real: EngineServer) -> Project:
    """A project with `gko say` (text) and `gko fill` (JSON), whose backend is the server, and the right key."""
    project = Project(tmp_path, {"API_KEY": KEY})
    project.backend(real.base_url, HEADERS)
    project.model("[generation]\ntemperature = 0.0")
    project.command("say", 'description = "Say"\nmodel = "fast"\n[output]\nallow_truncated = true\n', "{{ input }}")
    project.command("fill", f'description = "Fill"\nmodel = "fast"\n{JSON_OUTPUT}schema = "odd"\n', "{{ input }}")
    project.write("schemas/odd.json", json.dumps(SCHEMA))
    return project


def clients(server: EngineServer) -> set[str]:
    """Return the other ends of all connections to the server, of those as well that ended in the last minute."""
    port = f":{int(server.base_url.rpartition(':')[2]):04X}"
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ends = [{local, remote} for _, local, remote, state, *_ in sockets if state != LISTENING]
    return {
        end for pair in ends for end in pair if any(each.endswith(port) for each in pair) and not end.endswith(port)
    }


def test_the_right_key_gets_an_answer(project: Project) -> None:
    run = project.gko("say", input=b"Say hello.")

    assert (run.exit_code, run.stderr) == (0, "")
    assert run.stdout.strip()


def test_the_same_question_gets_the_same_answer(project: Project) -> None:
    project.case("say/colour", given='input = "Name a colour."')

    run = project.gko("config", "test", "--repeat", "3", "--json")

    (row,) = json.loads(run.stdout)
    assert (run.exit_code, row["runs"], row["distinct_outputs"]) == (0, 3, 1)


def test_an_answer_keeps_to_the_schema_that_is_sent(project: Project) -> None:
    """No model would fill in this of itself."""
    assert project.gko("fill", input=b"Who are you?") == Finished(0, b'{"name":"xylophone","age":88}\n', "")


def test_a_model_is_judged(project: Project) -> None:
    project.case("fill/right", '"/name" = "xylophone"\n"/age" = { min = 88 }', 'input = "Who are you?"')
    project.case("fill/wrong", '"/age" = { min = 89 }', 'input = "Who are you?"')

    run = project.gko("config", "test", "--json")

    assert run.exit_code == 4
    assert [row["result"] for row in json.loads(run.stdout)] == ["pass", "fail"]


@pytest.mark.parametrize("args", [("say",), ("config", "test")])
def test_a_wrong_key_is_refused_and_told_to_nobody(project: Project, real: EngineServer, args: tuple[str, ...]) -> None:
    project.environ["API_KEY"] = "sk-wrong-77aa31"
    project.environ["GKO_STATS_FILE"] = "runs.jsonl"
    project.case("say/hello")

    run = project.gko("--verbose", "info", *args)

    assert (run.exit_code, run.stdout) == (3, b"")
    assert f"{real.base_url}/v1/chat/completions answered 401" in run.stderr
    assert "sk-wrong" not in run.stderr + (project.folder / "runs.jsonl").read_text()


def test_a_path_that_the_server_does_not_have_is_a_404(project: Project, real: EngineServer) -> None:
    project.backend(f"{real.base_url}/elsewhere", HEADERS)

    run = project.gko("say", input=b"Say hello.")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert f"{real.base_url}/elsewhere/v1/chat/completions answered 404" in run.stderr


def test_a_prompt_beyond_the_context_is_refused_with_the_servers_reason(project: Project) -> None:
    run = project.gko("say", input=b"A printer is on fire. " * 100)

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "answered 400" in run.stderr
    assert "256" in run.stderr
    assert "context" in run.stderr


def test_a_schema_that_the_server_cannot_follow_is_refused_with_its_reason(project: Project) -> None:
    project.write("schemas/odd.json", '{"type": "string", "pattern": "^a{100000}$"}')

    run = project.gko("fill", input=b"Who are you?")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "answered 400" in run.stderr
    assert "grammar" in run.stderr


def test_a_transcription_that_this_server_cannot_make_is_refused(project: Project) -> None:
    project.model(id="ears", operation="speech")
    project.command("hear", 'description = "Hear"\nmodel = "ears"\n[input]\nmode = "binary"\n', "")

    run = project.gko("hear", input=b"RIFF")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "/v1/audio/transcriptions answered 501" in run.stderr


def test_the_cases_of_a_suite_share_one_connection(project: Project, real: EngineServer) -> None:
    for number in range(3):
        project.case(f"fill/case-{number}")
    before = clients(real)

    run = project.gko("config", "test")

    assert run.exit_code == 0, run.stderr
    assert len(clients(real) - before) == 1
