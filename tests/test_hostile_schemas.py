"""An answer on which evaluating the output schema would not end: given up in time, and it hinders nothing else."""

import json
import time
from typing import Any

import pytest

from gekko.limits import SCHEMA_SECS
from tests.plugins import plug_in
from tests.processes import SIGNALS, SOON_SECS, end, until
from tests.project import Finished, Project
from tests.stub_server import Received, Script, StubServer, say

PATTERN = "^(a+)+$"
BAD = "a" * 60 + "b"

FRONT = 'description = "A"\nmodel = "fast"\n[output]\nformat = "json"\nschema = "names"\n'


@pytest.fixture
def project(project: Project) -> Project:
    """The project with a command that answers with a list of names, of which a pattern is asked."""
    project.write("schemas/names.json", json.dumps({"type": "array", "items": {"pattern": PATTERN}}))
    project.command("names", FRONT, "{{ input }}")
    return project


def test_a_run_is_given_up_and_told_why(project: Project, server: StubServer) -> None:
    server.say(json.dumps([BAD]))
    began = time.monotonic()

    run = project.gko("names")

    assert (run.exit_code, run.stdout) == (4, b"")
    assert f"{SCHEMA_SECS} s" in run.stderr
    assert PATTERN in run.stderr
    assert BAD in run.stderr
    assert time.monotonic() - began < SCHEMA_SECS * 12  # processor time is not always to be had


def test_other_cases_are_judged_all_the_same(project: Project, server: StubServer) -> None:
    def answer(received: Received) -> Script:
        return say(json.dumps([BAD if "bad" in received.json["messages"][-1]["content"] else "aaa"]))

    server.answer_with(answer)
    project.case("names/a-bad", given='input = "bad"')
    project.case("names/b-good", '"/0" = { is = { equals = "aaa" } }', given='input = "good"')

    run = project.gko("config", "test", "--json")

    rows: list[dict[str, Any]] = json.loads(run.stdout)
    assert run.exit_code == 4
    assert [(row["case"], row["result"]) for row in rows] == [("a-bad", "fail"), ("b-good", "pass")]
    assert PATTERN in json.dumps(rows[0])


@pytest.mark.parametrize("args", [("names",), ("config", "test")])
@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_ends_it_at_once(
    project: Project, server: StubServer, args: tuple[str, ...], number: int, code: int
) -> None:
    server.say(json.dumps([BAD]))
    project.case("names/bad")
    with project.start(*args) as process:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None  # or communicate() would try to close it again
        until(lambda: server.requests, process)
        time.sleep(0.4)

        run, seconds = end(process, number)

    assert run == Finished(code, b"", "")
    assert seconds < SOON_SECS


def test_a_case_whose_value_cannot_be_checked_is_named(project: Project, server: StubServer) -> None:
    plug_in(
        project, "named", f'fragment: ClassVar = {{"pattern": "{PATTERN}"}}\ndef judge(self, value, outcome): yield'
    )
    project.case("names/bad", f'named = "{BAD}"')

    run = project.gko("config", "test")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert ".gekko/tests/names/bad.toml:4:1: expect.named: " in run.stderr
    assert PATTERN in run.stderr
    assert server.requests == []
