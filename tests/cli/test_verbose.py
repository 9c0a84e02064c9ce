"""`--verbose`: what is told on the way, and what never is."""

import pytest

from tests.project import Project
from tests.stub_server import StubServer, status

PROMPT = "Never tell anybody of the prompt: {{ input }}"
FRONT = 'model = "fast"\n'


@pytest.fixture
def project(project: Project, server: StubServer) -> Project:
    """The project with a command, its case, and a header that is a secret."""
    project.backend(server.url, '[headers]\nAuthorization = "Bearer {{ env.TOKEN }}"\n')
    project.environ["TOKEN"] = "canary"
    project.command("ask", FRONT, PROMPT)
    project.case("ask/first", 'contains = ["ok"]', 'input = "my input"')
    return project


def test_info_tells_what_happens(project: Project, server: StubServer) -> None:
    run = project.gko("ask", "-v", "info", input=b"my input")

    assert run.stdout == b"ok\n"
    lines = run.stderr.splitlines()
    assert lines[0] == "configuration: project .gekko"
    assert lines[1] == f"model 'fast' of backend 'stub' is asked: POST {server.url}/v1/chat/completions"
    assert lines[2] == f"{server.url}/v1/chat/completions answers with status 200"
    assert lines[3].startswith("model 'fast' answered after ")
    assert lines[3].endswith(' ms: 3 prompt tokens, 5 completion tokens, finish reason "stop"')
    assert len(lines) == 4


def test_info_tells_the_status_of_a_refusal(project: Project, server: StubServer) -> None:
    server.answer(status(503))

    run = project.gko("ask", "-v", "info")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert f"{server.url}/v1/chat/completions answers with status 503\n" in run.stderr


@pytest.mark.parametrize("args", [("ask",), ("config", "test")])
def test_info_tells_no_secret_no_prompt_and_no_answer(
    project: Project, server: StubServer, args: tuple[str, ...]
) -> None:
    server.say("ok, that is the answer")

    run = project.gko(*args, "-v", "info", input=b"my input")

    assert run.exit_code == 0
    for untold in ("canary", "Never tell", "my input", "that is the answer"):
        assert untold not in run.stderr


def test_info_tells_of_a_failure_when_it_happens(project: Project) -> None:
    project.case("ask/second", 'contains = ["never"]')
    project.case("ask/third", 'contains = ["ok"]')

    run = project.gko("config", "test", "-v", "info")

    lines = run.stderr.splitlines()
    failure = lines.index("ask second failed:")
    assert lines[failure + 1].startswith("  contains: expected ")
    assert lines[failure + 2].startswith("    at .gekko/tests/ask/second.toml:4:")
    assert any("is asked" in line for line in lines[failure:])
    assert lines[-1] == "1 of 3 cases failed"


@pytest.mark.parametrize(("level", "is_told"), [("error", False), ("warn", True), ("info", True)])
def test_a_warning_is_told_unless_errors_alone_are_wanted(project: Project, level: str, is_told: bool) -> None:
    run = project.gko("ask", "-v", level, environ={"GKO_STATS_FILE": "."})

    assert (run.exit_code, run.stdout) == (0, b"ok\n")
    assert ("warning: " in run.stderr) == is_told


@pytest.mark.parametrize(
    "args", [("-v", "info", "ask"), ("ask", "--verbose", "info"), ("ask", "--verbose=info"), ("ask", "-vinfo")]
)
def test_the_option_stands_anywhere(project: Project, args: tuple[str, ...]) -> None:
    assert project.gko(*args).stderr.startswith("configuration: ")


def test_errors_are_told_at_every_level(project: Project) -> None:
    assert project.gko("aks", "-v", "error").stderr.startswith("error: ")
