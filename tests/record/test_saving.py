"""`--save FILE`: a complete record in a file, each line as `gko config schema record` says, and never half of one."""

import json
import signal
import stat
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from gekko.record.entries import RunEntry
from gekko.record.reading import read_record
from gekko.suites.saving import SavedRecord
from tests.processes import until
from tests.project import Project
from tests.stub_server import StubServer, answer_json, chat_completion, delay, reset, say, stall, status

TEST = ("config", "test", "--save", "record.jsonl")


@pytest.fixture
def project(project: Project) -> Project:
    project.command("ask", 'description = "A"\nmodel = "fast"\n', "{{ input }}")
    project.case("ask/a", 'contains = ["ok"]')
    project.case("ask/b", 'contains = ["never"]')
    return project


@pytest.fixture
def record(project: Project) -> Path:
    return project.folder / "record.jsonl"


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def types(path: Path) -> list[str]:
    return [line["type"] for line in lines(path)]


def test_everything_about_a_run_is_in_it(project: Project, server: StubServer, record: Path) -> None:
    completion = json.loads(chat_completion("It is ok", model="another", usage=(7, 3)))
    server.answer(answer_json({**completion, "system_fingerprint": "fp_1"}))

    project.gko(*TEST)

    suite, a, b, first, second, end = lines(record)
    assert (suite["type"], suite["version"], suite["cases"]) == ("suite", 1, 2)
    assert suite["checkers"] == [{"key": "contains", "distribution": "gko", "version": suite["gko"]}]
    assert [(each["command"], each["model"]) for each in suite["commands"]] == [("ask", "fast")]
    assert {"prompt", "partials", "schemas", "generation", "model", "operation"} <= suite["commands"][0]["parts"].keys()
    assert (a["case"], b["case"], a["runs"]) == ("a", "b", 1)
    assert (first["result"], first["output"], first["exit_code"]) == ("pass", "It is ok", 0)
    assert (first["prompt_tokens"], first["completion_tokens"], first["finish_reason"]) == (7, 3, "stop")
    assert (first["server_model"], first["system_fingerprint"]) == ("another", "fp_1")
    assert first["duration_ms"] > 0
    assert first["request"] == second["request"]
    assert [miss["key"] for miss in second["mismatches"]] == ["contains"]
    assert (end["reason"], end["exit_code"]) == ("finished", 4)


def test_every_line_is_as_the_schema_says(project: Project, server: StubServer, record: Path) -> None:
    validator = Draft7Validator(json.loads(project.gko("config", "schema", "record").stdout))
    project.case("ask/c", "[repeat]\nruns = 3\nmin_pass = 1")
    project.model('fallback = "slow"')
    project.model(id="slow")
    server.answer(reset, say("ok"), say("no", "length"), reset, reset, say("\u2028 \U0001f600"))

    project.gko(*TEST, "--keep-going", "--model", "fast", "--model", "slow", "--fail-on-flaky")

    assert {"suite", "case", "run", "error", "end"} == set(types(record))
    assert [list(validator.iter_errors(line)) for line in lines(record)] == [[]] * len(lines(record))
    assert not validator.is_valid({"type": "run"})
    assert not validator.is_valid({**lines(record)[0], "oops": 1})


def test_the_report_can_be_made_from_it(project: Project, server: StubServer, record: Path) -> None:
    project.case("ask/c", 'contains = ["o"]\n[repeat]\nruns = 3\nmin_pass = 2')
    server.answer(say("ok"), say("no"), say("yes"), say("ok"))

    rows = json.loads(project.gko(*TEST, "--json").stdout)

    results = [tally.result() for tally in read_record(record).tallies().values()]
    assert [(each.case, each.result, each.duration_ms, each.runs, each.distinct_outputs) for each in results] == [
        (row["case"], row["result"], row["duration_ms"], row["runs"], row["distinct_outputs"]) for row in rows
    ]


def test_outputs_are_complete_and_the_bytes_of_any_character(
    project: Project, server: StubServer, record: Path
) -> None:
    output = 'ok "\\\u2028\x7f\U0001f600' + "x" * 100_000
    server.say(output)

    project.gko(*TEST)

    runs = [run for run in read_record(record).runs if isinstance(run, RunEntry)]
    assert [run.output for run in runs] == [output, output]


@pytest.mark.parametrize("target", ["-", ".gekko/tests/ask/a.toml", ".gekko/commands/new.md", "notes.txt"])
def test_where_no_record_may_be_it_is_refused_before_any_request(
    project: Project, server: StubServer, target: str
) -> None:
    (project.folder / "notes.txt").write_text("mine")
    before = (project.root / "tests/ask/a.toml").read_bytes()

    run = project.gko("config", "test", "--save", target)

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "--save" in run.stderr
    assert target in run.stderr
    assert server.requests == []
    assert (project.root / "tests/ask/a.toml").read_bytes() == before
    assert (project.folder / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("target", ["nowhere/record.jsonl", ".", "/dev/full", "file/record.jsonl"])
def test_where_no_file_can_be_it_is_an_error_before_any_request(
    project: Project, server: StubServer, target: str
) -> None:
    (project.folder / "file").touch()

    run = project.gko("config", "test", "--save", target)

    assert (run.exit_code, run.stdout) == (1, b"")
    assert target in run.stderr
    assert server.requests == []


STREAMS = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/stderr", "/dev/fd/2")

INTO_FILES = ("> shown 2> told", "> shown 2>> shown")


@pytest.mark.parametrize(
    ("target", "into"),
    [
        *product(STREAMS, (*INTO_FILES, "2> told | cat > shown")),
        *product(["shown"], INTO_FILES),
    ],
)
def test_a_standard_stream_is_no_file(project: Project, server: StubServer, target: str, into: str) -> None:
    run = project.shell(f"touch told; gko config test --save {target} {into}")

    assert run.exit_code == 2
    told = (project.folder / ("shown" if "2>> shown" in into else "told")).read_text()
    assert told.startswith("error: --save: ")
    assert f"found {target}, " in told
    assert {path.name for path in project.folder.iterdir()} <= {".gekko", "home", "shown", "told"}
    assert server.requests == []


def test_a_pipe_is_no_file(project: Project, server: StubServer) -> None:
    run = project.shell("gko config test --save >(cat)")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "--save: " in run.stderr
    assert server.requests == []


def test_a_record_may_be_beside_the_configuration(project: Project, server: StubServer) -> None:
    (project.root / "records").mkdir()

    assert project.gko("config", "test", "--save", ".gekko/records/first.jsonl").exit_code == 4
    assert (project.root / "records/first.jsonl").exists()


@pytest.mark.parametrize("other", ["--dry-run", "--list"])
def test_what_sends_nothing_has_no_record(project: Project, other: str) -> None:
    run = project.gko(*TEST, other)

    assert run.exit_code == 2
    assert other in run.stderr


def test_a_suite_that_is_stopped_is_recorded(project: Project, server: StubServer, record: Path) -> None:
    server.answer(say("ok"), status(500))

    assert project.gko(*TEST).exit_code == 3

    assert types(record) == ["suite", "case", "case", "run", "error", "end"]
    assert (lines(record)[-1]["reason"], lines(record)[-1]["exit_code"]) == ("stopped", 3)


def test_an_older_record_stays_whole_until_the_new_one_is(project: Project, server: StubServer, record: Path) -> None:
    project.gko(*TEST)
    record.chmod(0o600)
    older = record.read_bytes()
    server.answer(delay(0.2, say("ok")), stall)

    with project.start(*TEST) as process:
        until(lambda: len(server.requests) == 4, process)
        while_it_runs = record.read_bytes()
        process.send_signal(signal.SIGINT)
        process.communicate()

    assert while_it_runs == older
    assert types(record) == ["suite", "case", "case", "run", "end"]
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert [path.name for path in project.folder.iterdir() if "unfinished" in path.name] == []


def test_what_is_left_by_one_that_was_killed_is_cleared_away(
    project: Project, server: StubServer, record: Path
) -> None:
    server.answer(stall)
    with project.start(*TEST) as process:
        until(lambda: server.requests, process)
        process.kill()
        process.communicate()
    left = [path for path in project.folder.iterdir() if "unfinished" in path.name]
    server.say("ok")

    project.gko(*TEST)

    assert len(left) == 1
    assert not left[0].exists()


def test_a_link_goes_on_leading_to_the_record(project: Project, server: StubServer, record: Path) -> None:
    target = project.folder / "nightly.jsonl"
    record.symlink_to(target)

    project.gko(*TEST)

    assert record.is_symlink()
    assert types(target)[-1] == "end"


def test_a_suite_without_cases_is_recorded_too(project: Project, server: StubServer, record: Path) -> None:
    shards = (f"{index}/40" for index in range(1, 41))
    empty = next(shard for shard in shards if project.gko("config", "test", "--list", "--shard", shard).stderr)

    assert project.gko(*TEST, "--shard", empty).exit_code == 0

    assert types(record) == ["suite", "end"]


def test_cases_for_which_no_time_was_left_are_recorded_as_reported(
    project: Project, server: StubServer, record: Path
) -> None:
    project.case("ask/b", 'contains = ["ok"]', 'input = "b"\n[repeat]\nruns = 3\nmin_pass = 2')
    project.case("ask/c")
    server.answer(say("ok"), say("ok"), stall)

    rows = json.loads(project.gko(*TEST, "--json", "--keep-going", "--timeout", "0.7").stdout)

    results = [tally.result() for tally in read_record(record).tallies().values()]
    reported = [(row["case"], row["result"], row["runs"]) for row in rows]
    assert [(each.case, each.result, each.runs) for each in results] == reported
    assert reported == [("a", "pass", 1), ("b", "error", 2), ("c", "error", 1)]


def test_a_run_that_is_remembered_is_in_it_once_where_no_time_was_left(
    project: Project, server: StubServer, record: Path
) -> None:
    project.case("ask/b", 'contains = ["ok"]', 'input = "b"\n[repeat]\nruns = 2\nmin_pass = 2')
    project.case("ask/c", 'contains = ["ok"]', 'input = "c"')
    server.answer_with(lambda received: stall if b'"c"' in received.body else say("ok"))
    assert project.gko("config", "test", "--jobs", "3", "--timeout", "0.9", "--keep-going").exit_code == 3
    project.case("ask/a", 'contains = ["k"]')
    server.answer(stall)

    resumed = project.gko(*TEST[:2], "--resume", *TEST[2:], "--keep-going", "--timeout", "0.7", "--json")

    reported = [(row["case"], row["result"]) for row in json.loads(resumed.stdout)]
    results = [tally.result() for tally in read_record(record).tallies().values()]
    assert reported == [("a", "error"), ("b", "pass"), ("c", "error")]
    assert [(each.case, each.result) for each in results] == reported


def test_what_cannot_be_cleared_away_hides_no_other_error(tmp_path: Path) -> None:
    saved = SavedRecord.begin(tmp_path / "record.jsonl")
    [beside] = tmp_path.iterdir()
    beside.unlink()
    beside.mkdir()

    saved.close()

    assert beside.is_dir()
