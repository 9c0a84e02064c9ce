"""Sentences 18 to 29: how a suite is selected, run and reported."""

import json
import re

import pytest

from tests.project import Project
from tests.seed.page import ANSWER, GIVEN, contents, results, rows
from tests.stub_server import (
    Script,
    StubServer,
    answer_json,
    delay,
    empty_choices,
    html,
    refused_url,
    reset,
    say,
    stall,
    status,
)


def test_all_cases_run_one_after_the_other(page: Project, server: StubServer) -> None:
    kind = 'args = { kind = "ticket" }\n'
    cases = ["git/message/b", "git/review/10", "git/review/9", "git/review/A", "zoo/a"]
    page.command("zoo", 'model = "fast"\n', "{{ input }}")
    for case in cases:
        page.case(case, "", (kind if "review" in case else "") + f'input = "{case}"')
    server.answer(delay(0.02, say(ANSWER)))

    run = page.gko("config", "test", "--json")

    assert run.exit_code == 0
    assert [f"{row['command']}/{row['case']}" for row in rows(run)] == cases
    assert server.peak_in_flight == 1
    sent = [contents(request)[0] for request in server.requests]
    assert [text.endswith(case) for text, case in zip(sent, cases, strict=True)] == [True] * len(cases)


@pytest.mark.parametrize("words", [("git", "review"), ("git/review",)])
def test_a_command_path_selects_its_cases(page: Project, server: StubServer, words: tuple[str, ...]) -> None:
    page.case("git/review/a", "", GIVEN)
    page.case("git/review/b", "", GIVEN)
    page.case("git/message/c", "", 'input = ""')
    page.write("tests/git/message/broken.toml", "not read when others are selected")

    run = page.gko("config", "test", *words, "--json")

    assert (run.exit_code, [row["case"] for row in rows(run)]) == (0, ["a", "b"])
    assert len(server.requests) == 2


def test_model_runs_the_same_cases_with_another_model(page: Project, server: StubServer) -> None:
    page.model(id="gpu-twin")
    page.case("git/review/a", '"/category" = "hardware"', GIVEN)
    page.case("git/message/b", "", 'input = ""')

    own = page.gko("config", "test", "--json")
    twin = page.gko("config", "test", "--model", "gpu-twin", "--json")

    assert (own.exit_code, twin.exit_code) == (0, 0)
    assert results(own) == results(twin) == {"a": "pass", "b": "pass"}
    assert [request.json["model"] for request in server.requests] == ["served-fast"] * 2 + ["served-gpu-twin"] * 2
    assert [contents(request) for request in server.requests[:2]] == [
        contents(request) for request in server.requests[2:]
    ]


def test_repeat_with_json_measures_distinct_final_outputs(page: Project, server: StubServer) -> None:
    page.case("git/review/a", '"/category" = "hardware"', GIVEN)
    server.say_each(['{"category":"hardware","n":1}', '{"category":"hardware","n":2}', '{"category":"hardware","n":1}'])

    run = page.gko("config", "test", "--repeat", "3", "--json")

    assert run.exit_code == 0
    assert [(row["runs"], row["distinct_outputs"], row["result"]) for row in rows(run)] == [(3, 2, "pass")]
    assert len(server.requests) == 3


def test_a_dry_run_with_json_lists_cases_and_rendered_messages(page: Project, server: StubServer) -> None:
    page.command(
        "polite", 'model = "fast"\nsystem = "Be kind."\n[[examples]]\nuser = "a"\nassistant = "b"\n', "{{ input }}"
    )
    page.case("polite/a", "", 'input = "c"')
    page.case("git/review/hardware", "", GIVEN)

    run = page.gko("config", "test", "--dry-run", "--json")

    assert (run.exit_code, run.stderr) == (0, "")
    assert rows(run) == [
        {
            "command": "git/review",
            "case": "hardware",
            "model": "fast",
            "messages": [{"role": "user", "content": "Classify this ticket: The printer is on fire"}],
        },
        {
            "command": "polite",
            "case": "a",
            "model": "fast",
            "messages": [
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "a"},
                {"role": "assistant", "content": "b"},
                {"role": "user", "content": "c"},
            ],
        },
    ]
    assert server.connections_accepted == 0


def test_the_normal_report_has_four_columns(page: Project, server: StubServer) -> None:
    page.case("git/message/much-too-long", "lines = 2", 'input = ""')
    page.case("git/review/hardware", "", GIVEN)

    run = page.gko("config", "test")

    assert run.exit_code == 4
    header, failed, *reasons, passed = run.stdout.decode().splitlines()
    assert header == "COMMAND      CASE           RESULT  DURATION"
    assert re.fullmatch(r"git/message  much-too-long  fail    (?= *\d+ ms$).{8}", failed)
    assert re.fullmatch(r"git/review   hardware       pass    (?= *\d+ ms$).{8}", passed)
    assert [reason[:2] for reason in reasons] == ["  ", "  "]
    assert "lines: expected exactly 2" in reasons[0]
    assert run.stdout.endswith(b"\n")


def test_the_rows_of_json_have_the_keys_that_are_named(page: Project, server: StubServer) -> None:
    page.case("git/message/fails", "lines = 2", 'input = ""')
    page.case("git/review/passes", "", GIVEN)
    named = ["command", "case", "result", "duration_ms", "runs", "distinct_outputs"]
    server.answer(delay(0.03, say(ANSWER)))

    run = page.gko("config", "test", "--json")

    assert run.exit_code == 4
    failed, passed = rows(run)
    assert list(passed) == named
    assert list(failed) == [*named, "message"]
    assert passed == {**passed, "command": "git/review", "case": "passes", "result": "pass", "runs": 1}
    assert isinstance(failed["message"], str)
    assert "lines: expected exactly 2" in failed["message"]
    assert [type(row["duration_ms"]) for row in (failed, passed)] == [int, int]
    assert all(30 <= row["duration_ms"] < 10_000 for row in (failed, passed))


def test_each_case_runs_as_often_as_repeat_says(page: Project, server: StubServer) -> None:
    page.case("git/message/a", "lines = 1", 'input = "a"')
    page.case("git/review/b", "", GIVEN)
    server.say_each(["one", "one\ntwo", "three", ANSWER])

    run = page.gko("config", "test", "--repeat", "3", "--json")

    assert (run.exit_code, results(run)) == (4, {"a": "fail", "b": "pass"})
    failed, passed = rows(run)
    assert (failed["runs"], failed["distinct_outputs"]) == (3, 3)
    assert failed["message"].startswith("1 of 3 runs failed\n")
    assert (passed["runs"], passed["distinct_outputs"]) == (3, 1)
    assert [contents(request)[0][:5] for request in server.requests] == ["Write"] * 3 + ["Class"] * 3


def test_distinct_outputs_are_counted_after_the_output_contract(page: Project, server: StubServer) -> None:
    page.case("git/review/a", "", GIVEN)
    server.say_each(['{"n": 1}', ' {"n":1}\n', '```json\n{"n" : 1}\n```', '{"n":2}', "no JSON", "none again"])

    run = page.gko("config", "test", "--repeat", "6", "--json")

    assert run.exit_code == 4
    [row] = rows(run)
    assert (row["runs"], row["distinct_outputs"]) == (6, 2)
    assert row["message"].startswith("2 of 6 runs failed\n")


@pytest.mark.parametrize(("expect", "result"), [("", "fail"), ("exit_code = 4", "pass")])
def test_distinct_outputs_are_zero_where_no_run_was_valid(
    page: Project, server: StubServer, expect: str, result: str
) -> None:
    page.case("git/review/a", expect, GIVEN)
    server.say_each(["no JSON", "none again"])

    run = page.gko("config", "test", "--repeat", "2", "--json")

    [row] = rows(run)
    assert (row["result"], row["runs"], row["distinct_outputs"]) == (result, 2, 0)


def test_the_suite_is_finished_when_expectations_fail(page: Project, server: StubServer) -> None:
    page.case("git/review/a", '"/category" = "software"', GIVEN)
    page.case("git/review/b", '"/category" = "hardware"', GIVEN)
    page.case("git/review/c", "exit_code = 4", GIVEN)
    page.case("git/review/d", "", GIVEN)

    run = page.gko("config", "test", "--json")

    assert (run.exit_code, results(run)) == (4, {"a": "fail", "b": "pass", "c": "fail", "d": "pass"})
    assert len(server.requests) == 4
    assert run.stderr == "2 of 4 cases failed\n"


@pytest.mark.parametrize("options", [(), ("--json",), ("--dry-run",)])
def test_a_malformed_case_stops_the_suite_with_empty_stdout(
    page: Project, server: StubServer, options: tuple[str, ...]
) -> None:
    page.case("git/review/a", "", GIVEN)
    page.case("git/review/b", "exit_code = 3", GIVEN)

    run = page.gko("config", "test", *options)

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert ".gekko/tests/git/review/b.toml:5:1: expect.exit_code: " in run.stderr


@pytest.mark.parametrize(
    ("failing", "options"),
    [
        pytest.param(status(500), (), id="a-server-error"),
        pytest.param(status(404), ("--json",), id="not-found"),
        pytest.param(reset, ("--json",), id="a-reset"),
        pytest.param(stall, (), id="no-answer-in-time"),
        pytest.param(html, ("--json",), id="a-page"),
        pytest.param(empty_choices, ("--repeat", "2"), id="not-in-the-protocol"),
        pytest.param(answer_json({}), (), id="an-empty-object"),
    ],
)
def test_a_backend_error_stops_the_suite_with_empty_stdout(
    page: Project, server: StubServer, failing: Script, options: tuple[str, ...]
) -> None:
    page.backend(server.url, "[timeouts]\nrequest_secs = 0.5")
    page.case("git/message/a", "lines = 2", 'input = ""')  # already failed when the backend does
    page.case("git/message/b", "", 'input = "never asked"')
    server.answer(*[say("one")] * (2 if "--repeat" in options else 1), failing)
    page.case("git/message/c", "", 'input = "never asked either"')

    run = page.gko("config", "test", *options)

    assert (run.exit_code, run.stdout) == (3, b"")
    assert ".gekko/tests/git/message/b.toml" in run.stderr
    assert len(server.requests) == (3 if "--repeat" in options else 2)


def test_a_dry_run_prints_the_rendered_messages_and_contacts_nobody(page: Project, server: StubServer) -> None:
    page.backend(refused_url(), id="nobody")
    page.model(id="unreachable", backend="nobody")
    page.case("git/review/a", '"/category" = "software"', GIVEN)
    page.case("git/message/b", "", 'input = "+ a\\n- b"')
    stats = page.folder / "stats.jsonl"

    run = page.gko("config", "test", "--dry-run", environ={"GKO_STATS_FILE": str(stats)})
    unreachable = page.gko("config", "test", "--dry-run", "--model", "unreachable")

    assert (run.exit_code, run.stderr) == (0, "")
    assert run.stdout.decode() == (
        "git/message b (model fast)\n  user: Write a message: + a\n    - b\n\n"
        "git/review a (model fast)\n  user: Classify this ticket: The printer is on fire\n"
    )
    assert unreachable.exit_code == 0
    assert unreachable.stdout == run.stdout.replace(b"(model fast)", b"(model unreachable)")
    assert server.connections_accepted == 0
    assert not stats.exists()


def test_every_run_of_a_case_appends_a_record_with_its_name(page: Project, server: StubServer) -> None:
    page.case("git/message/long", "lines = 1", 'input = ""')
    page.case("git/review/hardware", "", GIVEN)
    server.say_each(["one", "one\ntwo", ANSWER, "no JSON"])
    stats = page.folder / "stats.jsonl"
    stats.write_text("{}\n")

    run = page.gko("config", "test", "--repeat", "2", environ={"GKO_STATS_FILE": str(stats)})

    assert run.exit_code == 4
    before, *records = [json.loads(line) for line in stats.read_text().splitlines()]
    assert before == {}
    assert [(record["command"], record["case"], record["exit_code"]) for record in records] == [
        ("git/message", "long", 0),
        ("git/message", "long", 0),
        ("git/review", "hardware", 0),
        ("git/review", "hardware", 4),
    ]
    assert {record["model_requested"] for record in records} == {"fast"}
    assert [(record["prompt_tokens"], record["completion_tokens"]) for record in records] == [(3, 5)] * 4


def test_a_run_that_got_no_answer_is_recorded_too(page: Project, server: StubServer) -> None:
    page.case("git/message/a", "", 'input = ""')
    page.case("git/message/b", "", 'input = ""')
    server.answer(say("one"), status(500))
    stats = page.folder / "stats.jsonl"

    run = page.gko("config", "test", environ={"GKO_STATS_FILE": str(stats)})

    assert (run.exit_code, run.stdout) == (3, b"")
    records = [json.loads(line) for line in stats.read_text().splitlines()]
    assert [(record["case"], record["exit_code"]) for record in records] == [("a", 0), ("b", 3)]
