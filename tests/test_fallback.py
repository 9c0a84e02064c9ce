"""A model's fallback: asked once where the model gives no answer, and never unseen."""

import json
from collections.abc import Iterator

import pytest

from tests.project import Finished, Project
from tests.stub_server import Script, StubServer, error_object, garbage, refused_url, reset, say, stall, status


@pytest.fixture
def second() -> Iterator[StubServer]:
    with StubServer() as server:
        server.say("from the fallback")
        yield server


@pytest.fixture
def project(project: Project, server: StubServer, second: StubServer) -> Project:
    """The project; `fast` falls back on `slow`, which is served elsewhere."""
    project.backend(server.url, "[timeouts]\nrequest_secs = 0.5")
    project.backend(second.url, id="other")
    project.model('fallback = "slow"')
    project.model('[generation]\ntemperature = 0.5\nstop = ["."]', id="slow", backend="other")
    project.command("git/review")
    project.case("git/review/first")
    return project


FAILURES = {
    "resets": reset,
    "stalls": stall,
    "garbage": garbage,
    "error-object": error_object,
    "500": status(500),
    "404": status(404),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_answers_where_the_model_does_not(
    project: Project, server: StubServer, second: StubServer, failure: Script
) -> None:
    server.answer(failure)

    run = project.gko("git", "review", input=b"hello")

    assert run == Finished(0, b"from the fallback\n", "")
    assert [len(server.requests), len(second.requests)] == [1, 1]


def test_is_asked_the_same_with_its_own_parameters(project: Project, server: StubServer, second: StubServer) -> None:
    server.answer(reset)
    project.command("git/review", 'description = "A"\nmodel = "fast"\ngeneration.temperature = 0\n', "Say {{ input }}")

    project.gko("git", "review", input=b"hello")

    messages = [{"role": "user", "content": "Say hello"}]
    assert server.requests[0].json == {"model": "served-fast", "messages": messages, "temperature": 0}
    assert second.requests[0].json == {"model": "served-slow", "messages": messages, "temperature": 0, "stop": ["."]}


@pytest.mark.parametrize("answer", [say("cut", "length"), say("\ud800")], ids=["cut-off", "surrogate"])
def test_is_not_asked_about_an_answer_that_breaks_the_contract(
    project: Project, server: StubServer, second: StubServer, answer: Script
) -> None:
    server.answer(answer)

    assert project.gko("git", "review").exit_code == 4
    assert second.connections_accepted == 0


def test_is_judged_by_the_contract_too(project: Project, server: StubServer, second: StubServer) -> None:
    server.answer(reset)
    second.answer(say("cut", "length"))

    run = project.gko("git", "review")

    assert (run.exit_code, run.stdout) == (4, b"")


def test_is_told_of_where_all_is_to_be_told(project: Project, server: StubServer) -> None:
    server.answer(status(500, "out of memory"))

    run = project.gko("git", "review", "-v", "info")

    assert (run.exit_code, run.stdout) == (0, b"from the fallback\n")
    assert [part for part in ("'slow'", server.url, "500", "out of memory") if part not in run.stderr] == []


@pytest.mark.parametrize("args", [("git", "review"), ("config", "test")])
def test_where_both_fail_the_error_names_both(
    project: Project, server: StubServer, second: StubServer, args: tuple[str, ...]
) -> None:
    server.answer(status(500, "the first is ill"))
    second.answer(status(502, "the second is ill"))

    run = project.gko(*args)

    assert (run.exit_code, run.stdout) == (3, b"")
    told = ("'fast'", "'slow'", server.url, second.url, "the first is ill", "the second is ill")
    assert [part for part in told if part not in run.stderr] == []
    assert [len(server.requests), len(second.requests)] == [1, 1]


def test_one_of_a_fallback_is_not_asked(project: Project, server: StubServer, second: StubServer) -> None:
    project.model('fallback = "third"', id="slow", backend="other")
    project.model(id="third")
    server.answer(reset)
    second.answer(reset)

    assert project.gko("git", "review").exit_code == 3
    assert [len(server.requests), len(second.requests)] == [1, 1]


def test_in_a_suite_it_is_a_warning_for_every_run(project: Project, server: StubServer) -> None:
    server.answer(reset, say("from the model"), reset)

    run = project.gko("config", "test", "--repeat", "3", "--json")

    assert run.exit_code == 0
    assert [row["distinct_outputs"] for row in json.loads(run.stdout)] == [2]
    warnings = run.stderr.splitlines()
    assert len(warnings) == 2
    for warning in warnings:
        assert warning.startswith("warning: ")
        assert [part for part in ("git/review", "first", "'fast'", "'slow'") if part not in warning] == []


def test_the_header_of_the_fallback_is_needed_before_any_request(
    project: Project, server: StubServer, second: StubServer
) -> None:
    project.backend(second.url, '[headers]\nKey = "{{ env.UNSET_KEY }}"', id="other")

    run = project.gko("git", "review")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "UNSET_KEY" in run.stderr
    assert server.connections_accepted == 0


def test_a_model_that_the_command_line_names_brings_its_own(project: Project, server: StubServer) -> None:
    project.command("git/review", 'description = "A"\nmodel = "slow"\n', "{{ input }}")
    project.backend(refused_url())

    run = project.gko("config", "test", "--model", "fast")

    assert run.exit_code == 0
    assert "'slow'" in run.stderr
