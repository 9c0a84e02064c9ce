"""`gko COMMAND` and `gko config test` of a model that speaks `embeddings`, from end to end; the server is a stub."""

import json
from pathlib import Path

import pytest

from tests.embeddings import EMBED, QUERY, lay_out
from tests.project import Finished, Project
from tests.stub_server import Script, StubServer, answer_json, say, status

VECTOR = {
    "data": [{"index": 0, "embedding": [0.25, -1, 1e-3]}],
    "model": "e5",
    "usage": {"prompt_tokens": 4, "total_tokens": 4},
}


@pytest.fixture
def project(tmp_path: Path, server: StubServer) -> Project:
    """A project with `gko embed`, whose server answers with a vector of three numbers."""
    server.answer(answer_json(VECTOR))
    project = Project(tmp_path)
    lay_out(project, server.url)
    return project


def test_the_prompt_is_sent_as_one_string_and_the_vector_is_written(project: Project, server: StubServer) -> None:
    run = project.gko("embed", input="Drücker\r\n".encode())

    assert run == Finished(0, b"[0.25,-1,0.001]\n", "")
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/v1/embeddings")
    assert request.json == {"model": "served-vec", "input": "query: Drücker\r\n"}


def test_a_schema_is_checked_and_never_sent(project: Project, server: StubServer) -> None:
    lay_out(project, server.url, "structured_output = true")
    project.write("schemas/pair.json", '{"type": "array", "maxItems": 2}')
    project.command("embed", EMBED + 'schema = "pair"\n', QUERY)

    run = project.gko("embed", input=b"a")

    assert (run.exit_code, run.stdout) == (4, b"")
    assert "[0.25,-1,0.001]" in run.stderr.replace(" ", "")
    assert set(server.requests[0].json) == {"model", "input"}


def test_a_number_can_be_taken_out(project: Project) -> None:
    project.command("embed", EMBED + 'extract = "/2"\n', QUERY)

    assert project.gko("embed", input=b"a").stdout == b"0.001\n"


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        pytest.param(answer_json({"data": [{"embedding": "AACAPw=="}]}), '"AACAPw=="', id="base64"),
        pytest.param(say("0.5"), "data", id="chat-completion"),
        pytest.param(status(400, b'{"error": {"message": "input is empty"}}'), "400: input is empty", id="refusal"),
    ],
)
def test_an_answer_without_a_vector_is_a_failure_of_the_backend(
    project: Project, server: StubServer, answer: Script, named: str
) -> None:
    server.answer(answer)

    run = project.gko("embed", input=b"a")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert f"{server.url}/v1/embeddings" in run.stderr
    assert named in run.stderr


def test_a_dry_run_shows_the_request(project: Project, server: StubServer) -> None:
    run = project.gko("embed", "--dry-run", input=b"a")

    assert run.exit_code == 0
    assert json.loads(run.stdout) == {
        "url": f"{server.url}/v1/embeddings",
        "headers": {},
        "body": {"model": "served-vec", "input": "query: a"},
    }
    assert server.connections_accepted == 0


def test_a_suite_judges_the_document(project: Project) -> None:
    project.case("embed/close", '"/0" = { min = 0.2 }\n"/1" = -1\n"/2" = 0.001', 'input = "a"')
    project.case("embed/wide", '"/3" = { min = 0 }', 'input = "a"')

    run = project.gko("config", "test", "--json", "--repeat", "2")

    close, wide = json.loads(run.stdout)
    assert run.exit_code == 4
    assert (close["result"], close["runs"], close["distinct_outputs"]) == ("pass", 2, 1)
    assert wide["result"] == "fail"
    assert "/3" in wide["message"]


def test_a_dry_run_of_cases_shows_one_message(project: Project, server: StubServer) -> None:
    project.case("embed/close", given='input = "a"')

    run = project.gko("config", "test", "--dry-run", "--json")

    assert json.loads(run.stdout) == [
        {"command": "embed", "case": "close", "model": "vec", "messages": [{"role": "user", "content": "query: a"}]}
    ]
    assert server.connections_accepted == 0


def test_a_record_has_the_tokens_of_the_prompt_alone(project: Project) -> None:
    project.gko("embed", input=b"a", environ={"GKO_STATS_FILE": "runs.jsonl"})

    record = json.loads((project.folder / "runs.jsonl").read_text())
    assert (record["prompt_tokens"], record["completion_tokens"], record["finish_reason"]) == (4, None, None)
    assert (record["backend"], record["exit_code"]) == ("vectors", 0)


def test_a_chat_command_cannot_be_tried_on_a_model_that_embeds(project: Project, server: StubServer) -> None:
    project.backend(server.url)
    project.model()
    project.command("say", 'model = "fast"\n', "{{ input }}")

    run = project.gko("say", "--model", "vec")

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert "output.format: an embedding needs format = \"json\"; the model 'vec' speaks" in run.stderr


def test_a_mismatch_is_found_before_the_input_is_read(project: Project) -> None:
    project.command("embed", 'model = "vec"\n', QUERY)

    with project.start("embed") as process:
        assert process.wait(timeout=20) == 2  # its standard input is still open
