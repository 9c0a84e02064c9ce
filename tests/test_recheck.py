"""`--recheck`: the outputs of a record are judged by today's expectations, and nobody is asked."""

import json
from collections.abc import Callable

import pytest

from tests.plugins import plug_in
from tests.project import FRONT, JSON_OUTPUT, Project
from tests.stub_server import StubServer, reset, say, status
from tests.test_questions import ASKS_A_MODEL

CONTACT = FRONT + JSON_OUTPUT

RECHECK = ("config", "test", "--recheck", "run.jsonl")


@pytest.fixture
def saved(project: Project, server: StubServer) -> Project:
    """A project with a record of one case, whose answer was a JSON document; its server has no further answer."""
    project.command("contact", CONTACT)
    project.case("contact/first", '"/name" = "Ann"')
    server.answer(say('{"name": "Ann", "age": 7}'), reset)
    assert project.gko("config", "test", "--save", "run.jsonl").exit_code == 0
    return project


def test_a_changed_expectation_changes_the_verdict_without_a_request(saved: Project, server: StubServer) -> None:
    same = saved.gko(*RECHECK)
    saved.case("contact/first", '"/age" = { min = 8 }')
    stricter = saved.gko(*RECHECK)
    saved.case("contact/first", '"/age" = { min = 7 }')
    laxer = saved.gko(*RECHECK, "--json")

    assert (same.exit_code, stricter.exit_code, laxer.exit_code) == (0, 4, 0)
    assert b"a number of at least 8, found 7" in stricter.stdout
    [row] = json.loads(laxer.stdout)
    assert (row["result"], row["replayed"], row["distinct_outputs"]) == ("pass", True, 1)
    assert "duration_ms" not in row
    assert len(server.requests) == 1


def test_a_text_and_a_broken_contract_are_what_they_were(project: Project, server: StubServer) -> None:
    project.command("say")
    project.command("strict", CONTACT)
    project.case("say/text", 'contains = ["fire"]')
    project.case("strict/json", "exit_code = 4")
    server.answer(say('"a fire"'), say("no JSON"), reset)
    project.gko("config", "test", "--save", "run.jsonl")
    project.case("strict/json", "exit_code = 0")

    run = project.gko(*RECHECK)

    assert run.exit_code == 4
    assert b"say      text  pass" in run.stdout
    assert b"the answer is not one JSON text" in run.stdout


CHANGES: dict[str, Callable[[Project], object]] = {
    "'prompt' has": lambda project: project.command("contact", CONTACT, "Say {{ input }}"),
    "'output' has": lambda project: project.command("contact", f'{CONTACT}extract = "/name"\n'),
    "'generation' has": lambda project: project.model("[generation]\nseed = 1"),
    "an argument or the input has": lambda project: project.case("contact/first", given='input = "other"'),
}


@pytest.mark.parametrize(("change", "told"), [(change, told) for told, change in CHANGES.items()], ids=CHANGES)
def test_an_output_of_another_request_is_no_verdict(
    saved: Project, server: StubServer, change: Callable[[Project], object], told: str
) -> None:
    change(saved)

    run = saved.gko(*RECHECK)
    went_on = saved.gko(*RECHECK, "--keep-going", "--json")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert f".gekko/tests/contact/first.toml: {told} changed since run.jsonl was written" in run.stderr
    assert (went_on.exit_code, json.loads(went_on.stdout)[0]["result"]) == (3, "error")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [('\\"age\\":7', '\\"age\\":8'), ('"output_digest"', '"model_answered"'), ("Ann", "Ann\\ud800")],
    ids=["another-output", "no-digest", "half-a-character"],
)
def test_an_output_that_was_edited_is_refused(saved: Project, server: StubServer, old: str, new: str) -> None:
    record = saved.folder / "run.jsonl"
    text = record.read_text()
    record.write_text(text.replace(old, new))

    run = saved.gko(*RECHECK)

    assert old in text
    assert (run.exit_code, run.stdout, len(server.requests)) == (1, b"", 1)
    assert [name for name in ("run.jsonl", "run number 1", "contact first", "'fast'") if name not in run.stderr] == []


def test_a_name_that_stands_twice_in_a_line_is_refused(saved: Project) -> None:
    record = saved.folder / "run.jsonl"
    record.write_text(record.read_text().replace('"result":"pass"', '"result":"fail","result":"pass"'))

    run = saved.gko(*RECHECK)

    assert (run.exit_code, run.stdout) == (1, b"")
    assert 'run.jsonl:3: not JSON: an object has the name "result" twice' in run.stderr


def test_a_case_without_an_output_is_no_verdict(saved: Project) -> None:
    saved.case("contact/second")

    run = saved.gko(*RECHECK)
    again = saved.gko(*RECHECK, "--repeat", "2", "--case", "first")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "tests/contact/second.toml: run.jsonl has no run of it" in run.stderr
    assert again.exit_code == 3
    assert "has 1 run of it on the model 'fast', and not number 2" in again.stderr


def test_a_run_that_got_no_answer_has_none_now(project: Project, server: StubServer) -> None:
    project.command("contact", CONTACT)
    project.case("contact/first")
    server.answer(status(500, "out of memory"))
    project.gko("config", "test", "--save", "run.jsonl", "--keep-going")

    run = project.gko(*RECHECK)

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "out of memory" in run.stderr


def test_a_case_that_is_gone_is_told(saved: Project) -> None:
    saved.case("contact/second")
    (saved.root / "tests/contact/first.toml").unlink()

    run = saved.gko(*RECHECK, "--keep-going")

    assert run.exit_code == 3
    assert run.stderr.startswith("warning: run.jsonl")
    assert "contact first" in run.stderr


@pytest.mark.parametrize("shard", ["", "1", "0/4", "a/b", "1/2/3", "\0"])
def test_a_record_of_an_impossible_shard_is_named_with_line_and_key(saved: Project, shard: str) -> None:
    record = saved.folder / "run.jsonl"
    suite, rest = record.read_bytes().split(b"\n", 1)
    first = json.loads(suite)
    first["invocation"]["shard"] = shard
    record.write_bytes(json.dumps(first).encode() + b"\n" + rest)

    run = saved.gko(*RECHECK)

    assert (run.exit_code, run.stdout) == (1, b"")
    assert "run.jsonl:1: invocation.shard: " in run.stderr
    assert "Traceback" not in run.stderr


def test_the_selection_of_the_record_counts_where_there_is_no_other(saved: Project, server: StubServer) -> None:
    saved.model(id="slow")
    saved.command("other")
    saved.case("other/unrun")
    server.answer_with(lambda received: say(json.dumps({"name": received.json["model"]})))
    saved.case("contact/first")
    options = ("--model", "fast", "--model", "slow", "--repeat", "2", "contact")
    saved.gko("config", "test", "--save", "run.jsonl", *options)
    asked = len(server.requests)

    as_it_was = saved.gko(*RECHECK, "--json")
    of_one_model = saved.gko(*RECHECK, "--model", "slow", "contact", "--json")

    rows = json.loads(as_it_was.stdout)
    assert (as_it_was.exit_code, of_one_model.exit_code) == (0, 0)
    assert [(row["model"], row["runs"], row["distinct_outputs"]) for row in rows] == [("fast", 2, 1), ("slow", 2, 1)]
    assert [row["runs"] for row in json.loads(of_one_model.stdout)] == [2]
    assert len(server.requests) == asked


def test_the_answer_of_a_fallback_is_still_told_of(project: Project, server: StubServer) -> None:
    project.model('fallback = "slow"')
    project.model(id="slow")
    project.command("contact")
    project.case("contact/first")
    server.answer(status(500, "out of memory"), say("fine"))
    project.gko("config", "test", "--save", "run.jsonl")

    run = project.gko(*RECHECK)

    assert run.exit_code == 0
    assert "out of memory" in run.stderr


def test_an_expectation_that_asks_somebody_is_refused(saved: Project, server: StubServer) -> None:
    plug_in(saved, "polite", ASKS_A_MODEL)
    saved.model(id="judge")
    saved.case("contact/first", "polite = true")

    run = saved.gko(*RECHECK)

    assert (run.exit_code, run.stdout, len(server.requests)) == (2, b"", 1)
    assert ".gekko/tests/contact/first.toml: 'polite' asks a model" in run.stderr
    assert "--replay" in run.stderr


def test_needs_no_header_and_leaves_no_statistics(project: Project, server: StubServer) -> None:
    project.backend(server.url, '[headers]\nAuthorization = "Bearer {{ env.API_KEY }}"')
    project.command("contact")
    project.case("contact/first")
    server.answer(say("fine"), reset)
    project.gko("config", "test", "--save", "run.jsonl", environ={"API_KEY": "a key"})

    run = project.gko(*RECHECK, environ={"GKO_STATS_FILE": "stats.jsonl"})

    assert run.exit_code == 0
    assert not (project.folder / "stats.jsonl").exists()


@pytest.mark.parametrize(("content", "named"), [(None, "no such file"), ("nonsense\n", "run.jsonl:1")])
def test_what_is_no_record_is_refused(saved: Project, server: StubServer, content: str | None, named: str) -> None:
    record = saved.folder / "run.jsonl"
    record.unlink()
    if content is not None:
        record.write_text(content)

    run = saved.gko(*RECHECK)

    assert (run.exit_code, run.stdout, len(server.requests)) == (1, b"", 1)
    assert named in run.stderr


@pytest.mark.parametrize("other", ["--record", "--replay", "--resume", "--dry-run"])
def test_other_sources_of_answers_are_refused(saved: Project, other: str) -> None:
    run = saved.gko(*RECHECK, other)

    assert (run.exit_code, run.stdout) == (2, b"")
    assert other in run.stderr
