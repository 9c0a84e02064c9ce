"""Suites at scale: many cases at once, several models, errors that stop nothing, and limits that always hold."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.plugins import plug_in
from tests.project import Finished, Project
from tests.stub_server import Received, Script, StubServer, delay, reset, say, stall, status

OK = 'contains = ["ok"]'
WRONG = 'contains = ["never"]'

BUG = """
def judge(self, value, outcome):
    raise ValueError("oh")
    yield
"""

ENDLESS = """
def judge(self, value, outcome):
    while True:
        pass
    yield
"""


@pytest.fixture
def project(project: Project) -> Project:
    project.command("ask", 'description = "A"\nmodel = "fast"\n', "{{ input }}")
    return project


def cases(project: Project, count: int, expect: str = OK) -> list[str]:
    """Write cases `c00`, `c01` … whose input is their name, and return the names."""
    names = [f"c{number:02}" for number in range(count)]
    for name in names:
        project.case(f"ask/{name}", expect, f'input = "{name}"')
    return names


def rows(run: Finished, *keys: str) -> list[Any]:
    """Return some keys of each row of a JSON report; of a single key its value."""
    read = json.loads(run.stdout)
    return [row[keys[0]] if len(keys) == 1 else tuple(row.get(key) for key in keys) for row in read]


def by_input(answers: Callable[[str], Script]) -> Callable[[Received], Script]:
    """Answer each request by the last message in it."""
    return lambda received: answers(received.json["messages"][-1]["content"])


class TestSideBySide:
    def test_the_report_is_the_one_of_jobs_1(self, project: Project, server: StubServer) -> None:
        names = cases(project, 12)
        # The first is the slowest, and every third answer is wrong.
        server.answer_with(
            by_input(lambda name: delay(0.3 - int(name[1:]) / 50, say("no" if int(name[1:]) % 3 == 0 else "ok")))
        )
        keys = ("command", "case", "result", "runs", "distinct_outputs", "message")

        one = project.gko("config", "test", "--json")
        many = project.gko("config", "test", "--json", "--jobs", "5")

        assert (many.exit_code, many.stderr) == (4, "4 of 12 cases failed\n")
        assert rows(many, *keys) == rows(one, *keys)
        assert rows(many, "case") == names

    @pytest.mark.parametrize(("jobs", "count"), [(4, 10), (8, 3)])
    def test_there_are_as_many_connections_as_can_be_used_and_all_are_used_again(
        self, project: Project, server: StubServer, jobs: int, count: int
    ) -> None:
        cases(project, count)
        server.answer(delay(0.1, say("ok")))

        assert project.gko("config", "test", "--jobs", str(jobs)).exit_code == 0

        assert len(server.requests) == count
        assert (server.connections_accepted, server.peak_in_flight) == (min(jobs, count),) * 2

    def test_a_backend_that_takes_fewer_is_never_asked_for_more(self, project: Project, server: StubServer) -> None:
        project.backend(server.url, "max_concurrent = 2")
        cases(project, 8)
        server.answer(delay(0.05, say("ok")))

        assert project.gko("config", "test", "--jobs", "6").exit_code == 0

        assert server.peak_in_flight == 2

    def test_other_backends_go_on_beside_one_that_is_busy(self, project: Project, server: StubServer) -> None:
        with StubServer() as other:
            project.backend(server.url, "max_concurrent = 1")
            project.backend(other.url, id="quick")
            project.model(id="quick", backend="quick")
            cases(project, 6)
            server.answer(delay(0.2, say("ok")))
            started = time.monotonic()
            quick_at: list[float] = []

            def answer(_: Received) -> Script:
                quick_at.append(time.monotonic() - started)
                return say("ok")

            other.answer_with(answer)
            run = project.gko("config", "test", "--jobs", "2", "--model", "fast", "--model", "quick", "--json")

        assert run.exit_code == 0
        assert rows(run, "case", "model")[:3] == [("c00", "fast"), ("c00", "quick"), ("c01", "fast")]
        assert server.peak_in_flight == 1
        # Taken in the order of the rows, the last of these would have waited for five slow answers.
        assert quick_at[-1] - quick_at[0] < 0.8

    def test_a_backend_error_stops_all_and_no_request_starts_after_it(
        self, project: Project, server: StubServer
    ) -> None:
        cases(project, 30)
        server.answer_with(by_input(lambda name: delay(0.2, reset) if name == "c02" else delay(0.25, say("ok"))))

        run = project.gko("config", "test", "--jobs", "4")

        assert (run.exit_code, run.stdout) == (3, b"")
        assert "tests/ask/c02.toml" in run.stderr
        assert "ExceptionGroup" not in run.stderr
        assert len(server.requests) == 4

    def test_an_expectation_with_a_bug_stops_all(self, project: Project, server: StubServer) -> None:
        plug_in(project, "polite", BUG)
        cases(project, 8)
        project.case("ask/c03", "polite = true", 'input = "c03"')

        run = project.gko("config", "test", "--jobs", "4")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "polite" in run.stderr
        assert "ValueError" in run.stderr
        assert "Traceback" not in run.stderr


class TestGoingOn:
    def test_a_case_without_an_answer_is_an_error_and_neither_pass_nor_fail(
        self, project: Project, server: StubServer
    ) -> None:
        cases(project, 4)
        server.answer_with(by_input(lambda name: status(500, "overloaded") if name == "c01" else say("ok")))

        run = project.gko("config", "test", "--keep-going", "--json")

        assert run.exit_code == 3
        assert rows(run, "result") == ["pass", "error", "pass", "pass"]
        assert "overloaded" in json.loads(run.stdout)[1]["message"]
        assert run.stderr == "1 of 4 cases got no answer\n"

    def test_a_failure_is_worse_than_an_error(self, project: Project, server: StubServer) -> None:
        cases(project, 2)
        project.case("ask/x", WRONG)
        server.answer(reset, say("ok"))

        run = project.gko("config", "test", "--keep-going", "--error-format", "json")

        told = json.loads(run.stderr)
        assert run.exit_code == 4
        assert (told["exit_code"], told["failed"], told["errors"], told["cases"]) == (4, 1, 1, 3)

    def test_the_table_names_errors(self, project: Project, server: StubServer) -> None:
        cases(project, 1)
        server.answer(status(503, "later"))

        run = project.gko("config", "test", "--keep-going")

        row, reason, *_ = run.stdout.decode().splitlines()[1:]
        assert row.split()[:3] == ["ask", "c00", "error"]
        assert "503" in reason

    @pytest.mark.parametrize("jobs", ["1", "3"])
    def test_enough_failures_end_the_suite(self, project: Project, server: StubServer, jobs: str) -> None:
        cases(project, 9, WRONG)
        server.answer(delay(0.05, say("ok")))

        run = project.gko("config", "test", "--max-fail", "2", "--jobs", jobs, "--json")

        assert run.exit_code == 4
        assert rows(run, "result") == ["fail", "fail"]
        assert len(server.requests) < 2 + int(jobs)
        assert "7 cases not run" in run.stderr

    def test_errors_count_as_failures_where_enough_is_enough(self, project: Project, server: StubServer) -> None:
        cases(project, 5)
        server.answer(reset)

        run = project.gko("config", "test", "--keep-going", "--max-fail", "1", "--error-format", "json")

        told = json.loads(run.stderr)
        assert (run.exit_code, told["errors"], told["not_run"]) == (3, 1, 4)

    def test_what_failed_before_does_not_keep_a_suite_from_going_on(self, project: Project, server: StubServer) -> None:
        cases(project, 3, WRONG)
        server.say("ok")
        project.gko("config", "test", "--max-fail", "1")

        run = project.gko("config", "test", "--resume", "--max-fail", "1", "--json")

        assert rows(run, "case") == ["c00", "c01"]
        assert (run.exit_code, len(server.requests)) == (4, 2)

    def test_an_empty_word_is_no_selection(self, project: Project, server: StubServer) -> None:
        """As a script has it whose variable is empty: it means something else than all cases."""
        cases(project, 1)

        runs = [project.gko("config", "test", word) for word in ("", "/")]

        assert [(run.exit_code, run.stdout) for run in runs] == [(2, b""), (2, b"")]
        assert server.requests == []


class TestTheTimeOfASuite:
    def test_ends_it_whatever_it_waits_for(self, project: Project, server: StubServer) -> None:
        cases(project, 5)
        server.answer(say("ok"), stall)
        started = time.monotonic()

        run = project.gko("config", "test", "--timeout", "0.7", "--jobs", "2")

        assert time.monotonic() - started < 5
        assert (run.exit_code, run.stdout) == (3, b"")
        assert "0.7" in run.stderr
        assert "tests/ask/c0" in run.stderr

    def test_leaves_what_was_judged_where_the_suite_keeps_going(self, project: Project, server: StubServer) -> None:
        cases(project, 3)
        server.answer(say("ok"), stall)

        run = project.gko("config", "test", "--timeout", "0.7", "--keep-going", "--json")

        assert run.exit_code == 3
        assert rows(run, "result") == ["pass", "error", "error"]

    def test_ends_an_expectation_that_never_ends(self, project: Project, server: StubServer) -> None:
        plug_in(project, "polite", ENDLESS)
        cases(project, 1, "polite = true")
        started = time.monotonic()

        run = project.gko("config", "test", "--timeout", "0.5")

        assert time.monotonic() - started < 6
        assert (run.exit_code, run.stdout) == (3, b"")
        assert "0.5" in run.stderr
        assert "Traceback" not in run.stderr

    @pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
    def test_is_a_number_of_seconds(self, project: Project, server: StubServer, seconds: str) -> None:
        cases(project, 1)

        run = project.gko("config", "test", f"--timeout={seconds}")

        assert (run.exit_code, run.stdout, len(server.requests)) == (2, b"", 0)
        assert "--timeout" in run.stderr


class TestSeveralModels:
    @pytest.fixture
    def project(self, project: Project) -> Project:
        project.model(id="slow")
        project.model(id="gpu-1")
        cases(project, 2)
        return project

    def test_each_case_is_tried_on_each(self, project: Project, server: StubServer) -> None:
        run = project.gko("config", "test", "--model", "slow", "--model", "fast", "--json")

        assert list(json.loads(run.stdout)[0])[:4] == ["command", "case", "model", "result"]
        assert rows(run, "case", "model") == [("c00", "slow"), ("c00", "fast"), ("c01", "slow"), ("c01", "fast")]
        assert [each.json["model"] for each in server.requests] == ["served-slow", "served-fast"] * 2

    def test_one_model_changes_nothing_of_the_report(self, project: Project, server: StubServer) -> None:
        once = project.gko("config", "test", "--model", "slow", "--json")
        twice = project.gko("config", "test", "--model", "slow", "--model", "slow", "--json")

        assert "model" not in json.loads(once.stdout)[0]
        assert rows(twice, "case") == ["c00", "c01"]

    def test_the_table_has_a_column_for_them(self, project: Project, server: StubServer) -> None:
        run = project.gko("config", "test", "--model", "slow", "--model", "fast")

        lines = run.stdout.decode().splitlines()
        assert lines[0].split() == ["COMMAND", "CASE", "MODEL", "RESULT", "DURATION"]
        assert lines[1].split()[:4] == ["ask", "c00", "slow", "pass"]

    def test_an_unknown_one_is_named_before_any_request(self, project: Project, server: StubServer) -> None:
        run = project.gko("config", "test", "--model", "slow", "--model", "slwo")

        assert (run.exit_code, run.stdout, len(server.requests)) == (2, b"", 0)
        assert "slwo" in run.stderr
        assert "'slow'" in run.stderr

    def test_a_case_can_expect_something_else_of_some(self, project: Project, server: StubServer) -> None:
        project.case("ask/c01", f'{OK}\n[model."gpu-*".expect]\ncontains = ["else"]\n[model.slow.expect]\nlines = 1')

        run = project.gko("config", "test", "--model", "fast", "--model", "slow", "--model", "gpu-1", "--json")

        assert rows(run, "result") == ["pass"] * 5 + ["fail"]
        assert "else" in json.loads(run.stdout)[5]["message"]

    def test_the_place_of_a_failure_is_the_table_that_counts(self, project: Project, server: StubServer) -> None:
        path = project.case("ask/c01", f'{OK}\n[model.slow.expect]\ncontains = ["else"]')

        run = project.gko("config", "test", "--model", "slow")

        line = path.read_text().splitlines().index('contains = ["else"]') + 1
        assert f"tests/ask/c01.toml:{line}:1" in run.stdout.decode()

    def test_a_known_failure_is_expected_and_strict(self, project: Project, server: StubServer) -> None:
        project.case("ask/c00", f'{WRONG}\n[model.slow]\nxfail = "cannot say never"')
        project.case("ask/c01", f'{OK}\n[model."sl*"]\nxfail = "cannot say ok"')

        run = project.gko("config", "test", "--model", "slow", "--json")

        assert run.exit_code == 4
        assert rows(run, "result") == ["xfail", "fail"]
        assert [("cannot" in message) for message in rows(run, "message")] == [True, True]
        project.case("ask/c01", OK)
        assert project.gko("config", "test", "--model", "slow").exit_code == 0

    @pytest.mark.parametrize(
        ("more", "culprits"),
        [
            ('[model.slwo]\nxfail = "x"', ("slwo", "'slow'")),
            ('[model."nothing-*"]\nxfail = "x"', ("nothing-*", "configured")),
            ("[model.slow]", ("model.slow", "expect", "xfail")),
            ("[model.slow.expect]\nlinse = 1", ("model.slow.expect.linse", "lines")),
            ('[model.slow]\nxfail = " "', ("model.slow.xfail",)),
        ],
    )
    def test_what_is_said_of_a_model_is_checked_whichever_is_run(
        self, project: Project, server: StubServer, more: str, culprits: tuple[str, ...]
    ) -> None:
        project.case("ask/c00", f"{OK}\n{more}")

        run = project.gko("config", "test", "--model", "fast")

        assert (run.exit_code, run.stdout, len(server.requests)) == (2, b"", 0)
        assert all(culprit in run.stderr for culprit in ("tests/ask/c00.toml", *culprits))


class TestRepeats:
    def test_a_rule_decides_and_says_what_it_saved(self, project: Project, server: StubServer) -> None:
        project.case("ask/a", OK, "repeat = { runs = 10, min_pass = 2 }\ninput = 'x'")
        server.say_each(["no", "ok", "ok", "never asked"])

        run = project.gko("config", "test", "--json")

        (row,) = json.loads(run.stdout)
        assert run.exit_code == 0
        assert (row["result"], row["verdict"], row["passes"], row["runs"], row["saved_runs"]) == (
            "pass",
            "flaky",
            2,
            3,
            7,
        )
        assert len(server.requests) == 3

    def test_flaky_fails_where_that_is_asked_for(self, project: Project, server: StubServer) -> None:
        project.case("ask/a", OK, "repeat = { runs = 2, min_rate = 0.5 }\ninput = 'x'")
        server.say_each(["no", "ok"])

        assert project.gko("config", "test", "--fail-on-flaky").exit_code == 4

    def test_an_option_replaces_the_number_and_not_the_rule(self, project: Project, server: StubServer) -> None:
        project.case("ask/a", OK, "repeat = { runs = 2, min_rate = 0.75 }\ninput = 'x'")
        server.say_each(["no", "ok"])

        run = project.gko("config", "test", "--repeat", "4", "--json")

        assert rows(run, "runs", "passes", "verdict") == [(4, 3, "flaky")]

    @pytest.mark.parametrize("share", ["1e-10", "1e-300", "0.001"])
    def test_no_rule_is_kept_by_runs_none_of_which_passed(
        self, project: Project, server: StubServer, share: str
    ) -> None:
        project.case("ask/a", WRONG, f"repeat = {{ runs = 2, min_rate = {share} }}\ninput = 'x'")
        server.say("ok")

        run = project.gko("config", "test", "--json")

        assert (run.exit_code, rows(run, "result", "passes")) == (4, [("fail", 0)])

    def test_rows_of_cases_without_a_rule_stay_as_they_are(self, project: Project, server: StubServer) -> None:
        project.case("ask/a", OK)
        project.case("ask/b", OK, "repeat = { runs = 2, min_pass = 1 }\ninput = 'x'")

        read = json.loads(project.gko("config", "test", "--json").stdout)

        assert list(read[0]) == ["command", "case", "result", "duration_ms", "runs", "distinct_outputs"]
        assert list(read[1])[6:] == ["passes", "verdict", "saved_runs"]

    @pytest.mark.parametrize(
        ("rule", "options", "culprit"),
        [
            ("{ runs = 2, min_pass = 3 }", (), "repeat.min_pass"),
            ("{ runs = 5, min_pass = 3 }", ("--repeat", "2"), "repeat.min_pass"),
            ("{ runs = 5 }", (), "min_rate"),
            ("{ runs = 5, min_pass = 1, min_rate = 0.5 }", (), "repeat"),
            ("{ runs = 0, min_pass = 1 }", (), "repeat.runs"),
            ("{ runs = 2, min_rate = 1.5 }", (), "repeat.min_rate"),
            ("{ min_rate = 1 }", (), "runs"),
        ],
    )
    def test_an_impossible_rule_is_a_malformed_case(
        self, project: Project, server: StubServer, rule: str, options: tuple[str, ...], culprit: str
    ) -> None:
        project.case("ask/a", OK, f"repeat = {rule}\ninput = 'x'")

        run = project.gko("config", "test", *options)

        assert (run.exit_code, run.stdout, len(server.requests)) == (2, b"", 0)
        assert "tests/ask/a.toml" in run.stderr
        assert culprit in run.stderr
