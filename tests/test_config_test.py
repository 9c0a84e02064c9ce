"""`gko config test` from end to end: cases in, one request for each run, a report out or nothing at all."""

import json
import re
from typing import Any

import pytest

from tests.plugins import plug_in
from tests.project import FRONT, JSON_OUTPUT, Finished, Project
from tests.stub_server import Received, Script, StubServer, answer_json, delay, reset, say

OK = 'contains = ["ok"]'
WRONG = 'contains = ["never"]\nlines = 3'

JSON_FRONT = f'description = "A"\nmodel = "fast"\n{JSON_OUTPUT}'


def rows(run: Finished) -> list[dict[str, Any]]:
    """Return the rows of a report, without their durations, which are numbers of milliseconds."""
    read: list[dict[str, Any]] = json.loads(run.stdout)
    for row in read:
        assert isinstance(row["duration_ms"], int)
        del row["duration_ms"]
    return read


def table(run: Finished) -> str:
    """Return the table of a report, with every duration as `N ms` and the wording of every reason as `…`."""
    timed = re.sub(r" +[\d.]+ m?s$", " N ms", run.stdout.decode(), flags=re.MULTILINE)
    return re.sub(r"^(  [^ :]+): .*$", r"\1: …", timed, flags=re.MULTILINE)


def failed(run: Finished, code: int) -> str:
    """Return what was said by a run that failed as it should."""
    assert (run.exit_code, run.stdout) == (code, b"")
    assert run.stderr.startswith("error: ")
    assert "Traceback" not in run.stderr
    return run.stderr


@pytest.fixture
def project(project: Project) -> Project:
    """The project with two commands, their cases out of order."""
    project.command("git/review")
    project.command("ask")
    project.case("git/review/software", WRONG)
    project.case("git/review/hardware", OK)
    project.case("ask/b", OK)
    project.case("ask/a", OK)
    return project


class TestTheReport:
    def test_is_a_table_in_order_of_command_and_case(self, project: Project, server: StubServer) -> None:
        run = project.gko("config", "test")

        assert run.exit_code == 4
        assert run.stderr == "1 of 4 cases failed\n"
        assert table(run) == (
            "COMMAND     CASE      RESULT  DURATION\n"
            "ask         a         pass N ms\n"
            "ask         b         pass N ms\n"
            "git/review  hardware  pass N ms\n"
            "git/review  software  fail N ms\n"
            "  contains: …\n"
            "    at .gekko/tests/git/review/software.toml:4:1\n"
            "  lines: …\n"
            "    at .gekko/tests/git/review/software.toml:5:1\n"
        )
        assert len(server.requests) == 4
        assert server.peak_in_flight == 1

    def test_is_json_with_these_keys_in_this_order(self, project: Project) -> None:
        run = project.gko("config", "test", "--json")

        keys = ["command", "case", "result", "duration_ms", "runs", "distinct_outputs"]
        assert [list(row) for row in json.loads(run.stdout)] == [keys, keys, keys, [*keys, "message"]]
        hardware, software = rows(run)[2:]
        told = software.pop("message").splitlines()
        row = {"command": "git/review", "runs": 1, "distinct_outputs": 1}
        assert hardware == {**row, "case": "hardware", "result": "pass"}
        assert software == {**row, "case": "software", "result": "fail"}
        assert [line.partition(":")[0] for line in told] == ["contains", "lines"]
        assert [value for value in ('"never"', '"ok"') if value not in told[0]] == []

    def test_has_code_0_when_all_pass(self, project: Project) -> None:
        run = project.gko("config", "test", "ask", "--json")

        assert (run.exit_code, run.stderr) == (0, "")
        assert [row["result"] for row in rows(run)] == ["pass", "pass"]

    def test_is_utf_8(self, project: Project, server: StubServer) -> None:
        server.say("größer → 🦎")

        run = project.gko("config", "test", "git", "--json")

        assert "größer → 🦎" in run.stdout.decode()
        assert "größer → 🦎" in project.gko("config", "test", "git").stdout.decode()

    def test_shows_control_characters_of_an_answer_harmlessly(self, project: Project, server: StubServer) -> None:
        server.say("\x1b[2J\x07 evil \u202e")

        run = project.gko("config", "test", "git")

        assert "\x1b" not in run.stdout.decode()
        assert "evil" in run.stdout.decode()

    def test_shortens_a_long_answer(self, project: Project, server: StubServer) -> None:
        server.say("x" * 1_000_000)

        assert len(project.gko("config", "test").stdout) < 4000


class TestSelections:
    @pytest.mark.parametrize(
        ("words", "cases"),
        [
            ((), ["a", "b", "hardware", "software"]),
            (("git",), ["hardware", "software"]),
            (("git", "review"), ["hardware", "software"]),
            (("git/review",), ["hardware", "software"]),
            (("git/",), ["hardware", "software"]),
            (("ask",), ["a", "b"]),
        ],
    )
    def test_name_a_command_or_a_group(self, project: Project, words: tuple[str, ...], cases: list[str]) -> None:
        assert [row["case"] for row in rows(project.gko("config", "test", *words, "--json"))] == cases

    @pytest.mark.parametrize("words", [("gi",), ("git", "reviews"), ("git/review", "hardware"), ("Git",)])
    def test_without_a_case_are_an_error(self, project: Project, server: StubServer, words: tuple[str, ...]) -> None:
        assert words[-1] in failed(project.gko("config", "test", *words), 2)
        assert server.requests == []

    def test_of_a_command_without_cases_are_an_error(self, project: Project) -> None:
        project.command("bare")

        assert "bare" in failed(project.gko("config", "test", "bare"), 2)

    def test_leave_the_mistakes_of_other_cases_alone(self, project: Project) -> None:
        project.case("git/review/broken", "lins = 3")

        assert project.gko("config", "test", "ask").exit_code == 0
        assert "broken.toml" in failed(project.gko("config", "test", "git"), 2)

    @pytest.mark.parametrize(
        ("words", "near"), [(("gti",), "git"), (("gti", "review"), "git review"), (("akk",), "ask")]
    )
    def test_misspelt_are_refused_with_the_nearest_group_or_command(
        self, project: Project, words: tuple[str, ...], near: str
    ) -> None:
        assert f"did you mean '{near}'?" in failed(project.gko("config", "test", *words), 2)


class TestModels:
    def test_one_stands_in_for_all(self, project: Project, server: StubServer) -> None:
        project.model(id="slow")

        assert project.gko("config", "test", "ask", "--model", "slow").exit_code == 0
        assert [request.json["model"] for request in server.requests] == ["served-slow"] * 2

    def test_an_unknown_one_is_an_error_before_any_request(self, project: Project, server: StubServer) -> None:
        assert "'fast'" in failed(project.gko("config", "test", "--model", "fats"), 2)
        assert server.requests == []

    def test_one_that_a_command_cannot_use_is_an_error_at_the_command(
        self, project: Project, server: StubServer
    ) -> None:
        project.model(id="ears", operation="speech")

        assert "commands/ask.md" in failed(project.gko("config", "test", "--model", "ears"), 2)
        assert server.requests == []


class TestRepeated:
    def test_runs_are_counted_and_each_distinct_reason_told_once(self, project: Project, server: StubServer) -> None:
        server.say_each(["bad", "ok", "bad", "worse"])

        run = project.gko("config", "test", "ask", "--repeat", "4", "--json")

        assert run.exit_code == 4
        first, second = rows(run)
        count, *reasons = first.pop("message").splitlines()
        assert first == {"command": "ask", "case": "a", "result": "fail", "runs": 4, "distinct_outputs": 3}
        assert count == "3 of 4 runs failed"
        assert ['"bad"' in reasons[0], '"worse"' in reasons[1], len(reasons)] == [True, True, 2]
        assert second["message"].startswith("4 of 4 runs failed\n")
        assert second["distinct_outputs"] == 1
        assert len(server.requests) == 8

    def test_outputs_are_distinct_as_written(self, project: Project, server: StubServer) -> None:
        """By the bytes of the canonical document, so neither white space nor `extract` makes a difference."""
        project.command("pick", JSON_FRONT + 'extract = "/a"\n', "{{ input }}")
        project.case("pick/one", '"/a" = 1')
        server.say_each(
            ['{"a": 1, "b": 1}', '{"a":1,"b":1}', '{"a": 1, "b": 2}', '{"b": 2, "a": 1}', '{"a": 1.0, "b": 2}']
        )

        (row,) = rows(project.gko("config", "test", "pick", "--repeat", "5", "--json"))

        assert (row["result"], row["distinct_outputs"]) == ("pass", 4)

    def test_rejected_answers_are_no_outputs(self, project: Project, server: StubServer) -> None:
        project.command("pick", JSON_FRONT, "{{ input }}")
        project.case("pick/one", "exit_code = 4")
        server.say("no JSON")

        (row,) = rows(project.gko("config", "test", "pick", "--repeat", "2", "--json"))

        assert (row["result"], row["distinct_outputs"]) == ("pass", 0)

    def test_the_table_says_how_many_runs_failed(self, project: Project, server: StubServer) -> None:
        server.say_each(["ok", "bad", "ok"])

        run = project.gko("config", "test", "ask", "--repeat", "2")

        assert "\n  1 of 2 runs failed\n  contains: " in run.stdout.decode()

    def test_the_duration_is_that_of_all_runs(self, project: Project, server: StubServer) -> None:
        server.answer(delay(0.2, say("ok")))

        run = project.gko("config", "test", "ask", "--repeat", "3", "--json")

        assert all(row["duration_ms"] >= 600 for row in json.loads(run.stdout))


class TestRejectedAnswers:
    @pytest.fixture
    def project(self, project: Project, server: StubServer) -> Project:
        project.command("pick", JSON_FRONT, "{{ input }}")
        return project

    def test_pass_where_code_4_is_expected(self, project: Project, server: StubServer) -> None:
        project.case("pick/one", "exit_code = 4")
        server.say("no JSON")

        assert project.gko("config", "test", "pick").exit_code == 0

    def test_fail_where_nothing_is_expected(self, project: Project, server: StubServer) -> None:
        project.case("pick/one", "")
        server.say("no JSON")

        (row,) = rows(project.gko("config", "test", "pick", "--json"))

        assert row["result"] == "fail"
        assert "no JSON" in row["message"]

    def test_an_accepted_answer_fails_where_code_4_is_expected(self, project: Project, server: StubServer) -> None:
        project.case("pick/one", "exit_code = 4")
        server.say("{}")

        (row,) = rows(project.gko("config", "test", "pick", "--json"))

        assert row["result"] == "fail"
        assert "exit code 4" in row["message"]


class TestDryRuns:
    @pytest.fixture
    def project(self, project: Project, server: StubServer) -> Project:
        """A project where nothing could be sent: a header's variable is unset, weights are missing."""
        project.backend(server.url, '[headers]\nKey = "{{ env.UNSET_KEY }}"')
        project.write("backends/local.toml", 'id = "local"\ntype = "embedded"\nweights = "nowhere.gguf"\n')
        project.model(id="local", backend="local")
        project.model(id="ears", operation="speech")
        project.command("hear", 'description = "H"\nmodel = "ears"\n[input]\nmode = "binary"\n', "Żaneta")
        project.write("tests/hear/memo.wav", b"\xff\x00")
        project.case("hear/memo", given='input = { file = "memo.wav" }')
        return project

    def test_show_the_messages_and_send_nothing(self, project: Project, server: StubServer) -> None:
        run = project.gko("config", "test", "git", "--dry-run", environ={"GKO_STATS_FILE": "runs.jsonl"})

        assert (run.exit_code, run.stderr) == (0, "")
        assert run.stdout.decode() == (
            "git/review hardware (model fast)\n  user: Classify this ticket: The printer is on fire\n\n"
            "git/review software (model fast)\n  user: Classify this ticket: The printer is on fire\n"
        )
        assert server.connections_accepted == 0
        assert not (project.folder / "runs.jsonl").exists()

    def test_show_them_as_json(self, project: Project, server: StubServer) -> None:
        front = 'system = "Be {{ args.kind }}."\n' + FRONT + '[[examples]]\nuser = "u"\nassistant = "a"\n'
        project.command("ask", front)
        project.case("ask/a", given='args.kind = "mail"\ninput = "größer"')

        shown = json.loads(project.gko("config", "test", "ask", "--dry-run", "--json").stdout)

        assert shown[0] == {
            "command": "ask",
            "case": "a",
            "model": "fast",
            "messages": [
                {"role": "system", "content": "Be mail."},
                {"role": "user", "content": "u"},
                {"role": "assistant", "content": "a"},
                {"role": "user", "content": "Classify this mail: größer"},
            ],
        }
        assert list(shown[0]) == ["command", "case", "model", "messages"]
        assert server.connections_accepted == 0

    def test_name_the_file_of_a_binary_case(self, project: Project) -> None:
        shown = json.loads(project.gko("config", "test", "hear", "--dry-run", "--json").stdout)

        assert shown == [
            {
                "command": "hear",
                "case": "memo",
                "model": "ears",
                "messages": [{"role": "user", "content": "Żaneta"}],
                "file": "memo.wav",
            }
        ]
        assert b"memo.wav" in project.gko("config", "test", "hear", "--dry-run").stdout

    def test_leave_a_blank_prompt_of_a_transcription_out(self, project: Project) -> None:
        project.command("hear", 'description = "H"\nmodel = "ears"\n[input]\nmode = "binary"\n', " ")

        (row,) = json.loads(project.gko("config", "test", "hear", "--dry-run", "--json").stdout)

        assert row["messages"] == []

    def test_need_neither_engine_nor_weights(self, project: Project) -> None:
        shown = json.loads(project.gko("config", "test", "ask", "--dry-run", "--json", "--model", "local").stdout)

        assert [row["model"] for row in shown] == ["local", "local"]

    def test_check_every_case(self, project: Project) -> None:
        project.case("git/review/broken", "lins = 3")

        assert "broken.toml:4:1" in failed(project.gko("config", "test", "--dry-run"), 2)

    def test_without_it_the_header_is_missed_before_any_request(self, project: Project, server: StubServer) -> None:
        told = failed(project.gko("config", "test"), 2)

        assert "UNSET_KEY" in told
        assert "backends/stub.toml" in told
        assert server.connections_accepted == 0


class TestChecks:
    def test_all_problems_of_all_cases_are_told_before_any_request(self, project: Project, server: StubServer) -> None:
        project.case("ask/a", "lins = 3\ncontains = []")
        project.case("git/review/software", "exit_code = true", given='input = { file = "gone.txt" }')
        project.case("git/reveiw/x")

        told = failed(project.gko("config", "test"), 2)

        places = ["ask/a.toml:4:1", "ask/a.toml:5:", "software.toml:1:", "software.toml:4:", "reveiw/x.toml"]
        assert [place for place in places if place not in told] == []
        assert server.connections_accepted == 0

    @pytest.mark.parametrize("name", ["given.txt", "first.toml"])
    def test_a_file_that_changed_meanwhile_stops_the_suite(
        self, project: Project, server: StubServer, name: str
    ) -> None:
        """Whether it is the input or, where the input is long and stands in it, the case itself."""
        project.command("late")
        project.case("late/early", OK)
        given = f'input = "{"x" * 5000}"' if name == "first.toml" else 'input = { file = "given.txt" }'
        project.write("tests/late/given.txt", "as it was checked")
        project.case("late/first", OK, given)

        def rewrite(_: Received) -> Script:
            with (project.root / "tests/late" / name).open("a") as file:
                file.write("\n# more")
            return say("ok")

        server.answer_with(rewrite)

        run = project.gko("config", "test", "late")

        assert f"tests/late/{name}" in failed(run, 2)
        assert len(server.requests) == 1

    def test_a_file_that_is_gone_meanwhile_stops_the_suite(self, project: Project, server: StubServer) -> None:
        project.case("ask/b", OK, 'input = { file = "given.txt" }')
        path = project.write("tests/ask/given.txt", "x")

        def remove(_: Received) -> Script:
            path.unlink(missing_ok=True)
            return say("ok")

        server.answer_with(remove)

        assert "tests/ask/given.txt" in failed(project.gko("config", "test", "ask"), 2)
        assert len(server.requests) == 1

    def test_an_input_arrives_as_it_is(self, project: Project, server: StubServer) -> None:
        project.write("tests/ask/given.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
        project.case("ask/a", OK, 'input = { file = "given.txt" }')
        project.case("ask/b", OK, 'input = "\\uFEFFone\\r\\n"')
        project.case("ask/c", OK, f'input = "{"é" * 5000}\\r\\n"')

        assert project.gko("config", "test", "ask").exit_code == 0
        assert [request.json["messages"][0]["content"] for request in server.requests] == [
            "Classify this ticket: one\r\ntwo\r\n",
            "Classify this ticket: one\r\n",
            f"Classify this ticket: {'é' * 5000}\r\n",
        ]

    def test_a_binary_input_is_uploaded_under_its_name(self, project: Project, server: StubServer) -> None:
        project.model(id="ears", operation="speech")
        project.command("hear", 'description = "H"\nmodel = "ears"\n[input]\nmode = "binary"\n', "")
        project.write("tests/hear/memo.wav", b"\xff\x00")
        project.case("hear/memo", 'contains = ["hello"]', 'input = { file = "memo.wav" }')
        server.answer(answer_json({"text": "hello"}))

        assert project.gko("config", "test", "hear").exit_code == 0
        assert b'filename="memo.wav"' in server.requests[0].body
        assert b"\r\n\r\n\xff\x00\r\n" in server.requests[0].body


class TestAnExpectationWithABug:
    JUDGE = "def judge(self, value, outcome):\n"
    RAISES = f"{JUDGE}    yield from ()\n    raise KeyError('the culprit')"
    ASK = "yield Ask(AskModel('fast', (Message('user', 'Well?'),)))"

    @pytest.fixture
    def project(self, project: Project) -> Project:
        project.case("ask/a", "strange = 1")
        return project

    @pytest.mark.parametrize(
        ("methods", "told"),
        [
            pytest.param(RAISES, "KeyError", id="raises"),
            pytest.param(f"{JUDGE}    raise SystemError('at once')", "at once", id="raises-at-once"),
            pytest.param(f"{JUDGE}    return []", "list", id="no-generator"),
            pytest.param(f"{JUDGE}    yield 'wrong'", "str", id="yields-something-else"),
            pytest.param(f"{JUDGE}    {ASK}", "'fast'", id="asks-what-it-did-not-announce"),
        ],
    )
    def test_is_no_verdict(self, project: Project, server: StubServer, methods: str, told: str) -> None:
        plug_in(project, "strange", methods)

        run = project.gko("config", "test", "--json")

        message = failed(run, 2)
        for named in ("'strange'", "gko-made-up", "3.2", ".gekko/tests/ask/a.toml", told):
            assert named in message
        assert len(server.requests) == 1

    def test_shows_its_traceback_where_all_is_to_be_told(self, project: Project) -> None:
        plug_in(project, "strange", self.RAISES)

        run = project.gko("config", "test", "-v", "info")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "Traceback" in run.stderr
        assert "made_up.py" in run.stderr
        assert "raise KeyError('the culprit')" in run.stderr
        assert "\nerror: .gekko/tests/ask/a.toml" in run.stderr

    def test_a_question_that_gets_no_answer_is_a_backend_error(self, project: Project, server: StubServer) -> None:
        plug_in(project, "strange", f"models_asked = ('fast',)\n\n{self.JUDGE}    {self.ASK}")
        server.answer(say("ok"), reset)

        assert ".gekko/tests/ask/a.toml" in failed(project.gko("config", "test"), 3)
        assert server.requests[1].json["messages"] == [{"role": "user", "content": "Well?"}]

    @pytest.mark.parametrize("code", ["0", "None", "4"])
    def test_cannot_end_the_suite_with_a_code_of_its_own(self, project: Project, code: str) -> None:
        plug_in(project, "strange", f"{self.JUDGE}    yield from ()\n    raise SystemExit({code})")

        told = failed(project.gko("config", "test"), 2)

        assert "'strange' of gko-made-up 3.2" in told
        assert f"sys.exit({code})" in told

    def test_cannot_end_it_while_it_is_bound_either(self, project: Project, server: StubServer) -> None:
        plug_in(
            project,
            "strange",
            f"@classmethod\ndef bind(cls, value, context):\n    raise SystemExit(0)\n\n{self.RAISES}",
        )

        told = failed(project.gko("config", "test"), 2)

        assert "'strange' of gko-made-up 3.2" in told
        assert "sys.exit(0)" in told
        assert server.requests == []
