"""Servers that misbehave in every way: a command and a suite end with code 3, in time, and have nothing to report."""

import time

import pytest

from tests.project import Project
from tests.stub_server import (
    Script,
    StubServer,
    answer_json,
    drip,
    empty_choices,
    endless,
    error_object,
    garbage,
    hang_up,
    html,
    raw,
    redirect,
    refused_url,
    reset,
    reset_in_body,
    response,
    say,
    stall,
    status,
    truncated_body,
    truncated_json,
)

TIMEOUT_SECS = 1.0

START_UP_SECS = 4.0
"""What a busy machine may take to start the program, on top of the timeout."""


def choice(value: object) -> Script:
    return answer_json({"choices": [value]})


MISBEHAVIOURS = [
    pytest.param(reset, "connection", id="resets"),
    pytest.param(stall, "1 s", id="stalls"),
    pytest.param(drip(), "1 s", id="drips"),
    pytest.param(redirect("/elsewhere"), "307", id="redirects"),
    pytest.param(status(500, '{"error": {"message": "out of memory"}}'), "500: out of memory", id="500-says-why"),
    pytest.param(html, "JSON", id="a-page"),
    pytest.param(truncated_json, "JSON", id="half-a-JSON-text"),
    pytest.param(error_object, "the model is not loaded", id="200-with-an-error"),
    pytest.param(empty_choices, "choices", id="no-choice"),
    pytest.param(endless, "", id="endless"),
    pytest.param(truncated_body, "broke off", id="a-body-cut-off"),
    pytest.param(garbage, "not HTTP", id="garbage"),
]

FINER_ONES = [
    pytest.param(hang_up, "closed", id="hangs-up"),
    pytest.param(drip(response(500, b"x" * 4000)), "1 s", id="drips-an-error"),
    pytest.param(redirect("/elsewhere", 302), "302", id="redirects-as-a-GET"),
    pytest.param(status(500), "500", id="500-says-nothing"),
    pytest.param(status(404, "no such \x1b[31mpath\r\nhere"), "404", id="404-in-colour"),
    pytest.param(status(429, b"\xff\xfe" * 1000), "429", id="429-in-bytes"),
    pytest.param(status(204), "JSON", id="204"),
    pytest.param(status(200), "JSON", id="nothing-at-all"),
    pytest.param(status(200, "[" * 100_000), "200 levels", id="nested-deeply"),
    pytest.param(status(200, b'{"choices": "\xff"}'), "UTF-8", id="not-UTF-8"),
    pytest.param(status(200, '{"choices": ' + "1" * 100_000 + "}"), "JSON", id="an-endless-number"),
    pytest.param(answer_json("hello"), "object", id="a-string"),
    pytest.param(answer_json({"choices": {"0": {}}}), "choices", id="choices-that-are-no-array"),
    pytest.param(choice("text"), "choices", id="a-choice-that-is-no-object"),
    pytest.param(choice({"message": {}}), "content", id="no-content"),
    pytest.param(choice({"message": {"content": None}, "finish_reason": "stop"}), "content", id="content-null"),
    pytest.param(choice({"message": {"content": ["text"]}}), "content", id="content-is-an-array"),
    pytest.param(reset_in_body, "broke", id="reset-in-the-body"),
    pytest.param(
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), "not HTTP", id="two-lengths"
    ),
]


@pytest.fixture
def impatient(project: Project, server: StubServer) -> Project:
    """The project, its backend having a second for each request."""
    project.backend(server.url, f"[timeouts]\nrequest_secs = {TIMEOUT_SECS}")
    project.command("git/review")
    project.case("git/review/first")
    project.case("git/review/second")
    return project


@pytest.mark.parametrize(("script", "told"), [*MISBEHAVIOURS, *FINER_ONES])
def test_a_command_ends_with_code_3(impatient: Project, server: StubServer, script: Script, told: str) -> None:
    server.answer(script)
    began = time.monotonic()

    run = impatient.gko("git", "review", input=b"hello")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert time.monotonic() - began < TIMEOUT_SECS + START_UP_SECS
    assert server.url in run.stderr
    assert told in run.stderr
    assert_is_a_message(run.stderr)
    assert len(server.requests) == 1


@pytest.mark.parametrize(("script", "told"), MISBEHAVIOURS)
def test_a_suite_stops_at_the_first_case(impatient: Project, server: StubServer, script: Script, told: str) -> None:
    server.answer(script)
    began = time.monotonic()

    run = impatient.gko("config", "test", "--json", "--repeat", "2")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert time.monotonic() - began < TIMEOUT_SECS + START_UP_SECS
    assert ".gekko/tests/git/review/first.toml" in run.stderr
    assert told in run.stderr
    assert_is_a_message(run.stderr)
    assert len(server.requests) == 1


def assert_is_a_message(stderr: str) -> None:
    """One line, for people: no traceback, nothing that disturbs a terminal, not whatever the server chose to send."""
    assert stderr.startswith("error: ")
    assert stderr.count("\n") == 1
    assert stderr.removesuffix("\n").isprintable()
    assert len(stderr) < 600


@pytest.mark.parametrize("args", [("git", "review"), ("config", "test")])
def test_a_server_that_is_not_there(impatient: Project, args: tuple[str, ...]) -> None:
    url = refused_url()
    impatient.backend(url)

    run = impatient.gko(*args)

    assert (run.exit_code, run.stdout) == (3, b"")
    assert url in run.stderr
    assert_is_a_message(run.stderr)


@pytest.mark.parametrize("args", [("git", "review"), ("config", "test")])
def test_a_host_that_has_no_address(impatient: Project, args: tuple[str, ...]) -> None:
    impatient.backend("http://nowhere.invalid:8000")

    run = impatient.gko(*args)

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "nowhere.invalid" in run.stderr
    assert_is_a_message(run.stderr)


def test_results_of_cases_before_the_failure_are_not_reported(impatient: Project, server: StubServer) -> None:
    """A report of half a suite could be taken for one of the whole."""
    server.answer(say("fine"), reset)

    run = impatient.gko("config", "test")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert ".gekko/tests/git/review/second.toml" in run.stderr
    assert len(server.requests) == 2


def test_a_redirect_is_not_followed_to_another_server(impatient: Project, server: StubServer) -> None:
    with StubServer() as elsewhere:
        server.answer(redirect(f"{elsewhere.url}/v1/chat/completions"))

        run = impatient.gko("git", "review")

        assert run.exit_code == 3
        assert elsewhere.connections_accepted == 0


def test_an_answer_beyond_the_limit(project: Project, server: StubServer) -> None:
    project.command("git/review")
    server.answer(endless)

    run = project.gko("git", "review")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "64 MiB" in run.stderr
