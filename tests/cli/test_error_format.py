"""`--error-format json`: whatever goes wrong is one line of JSON, and so is all else that stderr gets."""

import json
import signal
from typing import Any

import pytest

from tests.plugins import plug_in
from tests.project import Finished, Project
from tests.stub_server import StubServer, stall, status

JSON = ("--error-format", "json")

NOTHING_KNOWN = {"file": None, "line": None, "column": None, "key": None}

CHOOSY = """\
model = "fast"
[args.depth]
type = "enum"
values = ["low", "high"]
[args.limit]
type = "integer"
required = true
"""


BUGGY = """\
@classmethod
def bind(cls, value, context):
    return cls(value)

def judge(self, value, outcome):
    raise ValueError(value)
    yield
"""


@pytest.fixture
def project(project: Project) -> Project:
    """The project with a command and a case that passes."""
    project.command("git/review")
    project.case("git/review/first", 'contains = ["ok"]')
    return project


def lines(run: Finished) -> list[dict[str, Any]]:
    """Return what stderr got, each line an object."""
    return [json.loads(line) for line in run.stderr.splitlines()]


def error(run: Finished) -> dict[str, Any]:
    """Return the error of a run that failed: stderr is that line, and stdout is empty."""
    (found,) = lines(run)
    assert run.stdout == b""
    assert run.exit_code == found["exit_code"]
    assert list(found) == ["kind", "message", "exit_code", "issues"]
    return found


class TestUsage:
    @pytest.mark.parametrize(
        ("args", "culprit"),
        [
            (("gti", *JSON), "'gti'"),
            (("git", "reveiw", *JSON), "did you mean 'review'?"),
            (("git", "review", "--modle", "x", "--error-format=json"), "'--modle'"),
            (
                ("config", "test", "--repeat", "often", *JSON),
                "--repeat: expected an integer of at least 1, found 'often'",
            ),
            (("config", "test", *JSON, "--model"), "--model"),
            (("config", "schema", *JSON), "KIND"),
            (("config", "schema", "tset", *JSON), "did you mean 'test'?"),
            (("doctor", "now", *JSON), "'now'; accepted: options alone"),
            (("git", "review", "a.txt", *JSON), "'a.txt'; the input is read from standard input"),
            (("git", "review", "--model", "fats", *JSON), "did you mean 'fast'?"),
            (("config", "test", "gti", *JSON), "'gti'"),
            ((*JSON,), "'gko' is a group of commands"),
            ((*JSON, "git"), "'gko git' is a group of commands"),
        ],
    )
    def test_a_mistake_is_one_line_wherever_the_option_stands(
        self, project: Project, args: tuple[str, ...], culprit: str
    ) -> None:
        found = error(project.gko(*args))

        assert (found["kind"], found["exit_code"], found["issues"]) == ("usage", 2, [])
        assert culprit in found["message"]
        assert "Usage:" not in found["message"]

    def test_an_option_after_two_dashes_is_none(self, project: Project) -> None:
        run = project.gko("gti", "--", *JSON)

        assert run.stderr.startswith("error: ")

    def test_the_last_format_counts(self, project: Project) -> None:
        assert project.gko(*JSON, "gti", "--error-format", "text").stderr.startswith("error: ")

    def test_several_wrong_arguments_are_issues_of_one_line(self, project: Project) -> None:
        project.command("choosy", CHOOSY, "{{ args.limit }} {{ input }}")

        found = error(project.gko("choosy", "--depth", "lwo", *JSON))

        assert found["kind"] == "usage"
        assert found["issues"] == [
            {
                **NOTHING_KNOWN,
                "key": "depth",
                "problem": 'the string "lwo" is not one of its values',
                "hint": "accepted: 'low' or 'high'; did you mean 'low'?",
            },
            {**NOTHING_KNOWN, "key": "limit", "problem": "the argument 'limit' is required, but missing", "hint": None},
        ]


class TestConfiguration:
    def test_every_issue_has_its_place_and_key(self, project: Project) -> None:
        project.case("git/review/odd", 'exit_cod = 0\n"/a" = { min = "x" }')
        project.case("git/review/worse", "lines = -1")

        found = error(project.gko("config", "test", *JSON))

        assert found["kind"] == "configuration"
        places = [(each["file"], each["line"], each["column"], each["key"]) for each in found["issues"]]
        assert places == [
            (".gekko/tests/git/review/odd.toml", 4, 1, "expect.exit_cod"),
            (".gekko/tests/git/review/odd.toml", 5, 1, 'expect."/a"'),
            (".gekko/tests/git/review/worse.toml", 4, 1, "expect.lines"),
        ]
        assert found["issues"][0]["problem"] == "unknown expectation"
        assert found["issues"][0]["hint"] == "did you mean 'exit_code'?"
        assert found["message"].count("\n") == 2

    def test_what_is_not_known_is_null(self, project: Project) -> None:
        found = error(project.gko("config", "test", "--config-dir", "gone", *JSON))

        assert found["issues"] == [
            {**NOTHING_KNOWN, "file": "gone", "problem": "no such folder, but named by --config-dir", "hint": None}
        ]

    def test_a_checker_with_a_bug_is_one(self, project: Project) -> None:
        plug_in(project, "buggy", BUGGY)
        project.case("git/review/first", "buggy = true")

        found = error(project.gko("config", "test", *JSON))

        assert (found["kind"], found["exit_code"], found["issues"]) == ("configuration", 2, [])
        assert "gko-made-up" in found["message"]


class TestTheRest:
    def test_a_file_that_is_not_there_is_io(self, project: Project) -> None:
        project.command("read", 'model = "fast"\n[input]\nmode = "file"\n', "{{ input }}")

        found = error(project.gko("read", "gone.txt", *JSON))

        assert (found["kind"], found["exit_code"]) == ("io", 1)
        assert found["message"] == "gone.txt: no such file"

    def test_a_closed_stdout_is_io(self, project: Project) -> None:
        found = error(project.shell("gko --error-format json --help >&-"))

        assert found["kind"] == "io"

    def test_no_answer_is_backend(self, project: Project, server: StubServer) -> None:
        server.answer(status(500))

        found = error(project.gko("git", "review", *JSON))

        assert (found["kind"], found["exit_code"], found["issues"]) == ("backend", 3, [])

    def test_an_answer_that_breaks_the_contract_is_output(self, project: Project, server: StubServer) -> None:
        project.command("two", 'model = "fast"\n[output]\nmax_lines = 1\n', "{{ input }}")
        server.say("one\ntwo")

        found = error(project.gko("two", *JSON))

        assert (found["kind"], found["exit_code"]) == ("output", 4)
        assert [each["problem"] for each in found["issues"]] == [found["message"]]

    def test_failed_cases_are_output_and_counted(self, project: Project) -> None:
        project.case("git/review/second", 'contains = ["never"]')

        run = project.gko("config", "test", "--json", *JSON)

        assert len(json.loads(run.stdout)) == 2
        assert lines(run) == [
            {"kind": "output", "message": "1 of 2 cases failed", "exit_code": 4, "failed": 1, "cases": 2}
        ]

    def test_a_warning_is_a_line_of_its_own(self, project: Project) -> None:
        run = project.gko("git", "review", *JSON, environ={"GKO_STATS_FILE": "."})

        assert (run.exit_code, run.stdout) == (0, b"ok\n")
        (found,) = lines(run)
        assert list(found) == ["kind", "message"]
        assert found["kind"] == "warning"
        assert "statistics" in found["message"]

    def test_what_is_told_on_the_way_is_a_line_of_its_own(self, project: Project) -> None:
        run = project.gko("config", "test", "-v", "info", *JSON)

        assert run.exit_code == 0
        assert {each["kind"] for each in lines(run)} == {"info"}

    def test_a_note_is_a_line_of_its_own(self, project: Project) -> None:
        run = project.gko("config", "init", "--config-dir", "new", "--base-url", "http://127.0.0.1:9", *JSON)

        assert lines(run) == [{"kind": "note", "message": "next: gko config test --config-dir new"}]

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_an_end_by_a_signal_is_silent(self, project: Project, server: StubServer, number: int) -> None:
        server.answer(stall)
        process = project.start("config", "test", *JSON)
        assert server.wait_for_requests()

        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=30)

        assert (process.returncode, stdout, stderr) == (128 + number, b"", b"")
