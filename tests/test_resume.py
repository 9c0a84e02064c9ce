"""`gko config test --resume`: however a suite ended, the rest is run, and the report is that of an undisturbed run."""

import json
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve, field

from gekko.record.reading import Record, read_begun, read_record
from tests.plugins import plug_in
from tests.processes import SIGNALS, SOON_SECS, end, until
from tests.project import Finished, Project
from tests.stub_server import Received, Script, StubServer, delay, say, stall, status

OK = 'contains = ["ok"]'

NEVER = 'contains = ["never"]'

RESUME = ("config", "test", "--resume")

BROKEN = status(500, "out of order")

HINT = "gko config test --resume"


@pytest.fixture
def project(project: Project) -> Project:
    """Five cases, `c0` to `c4`, whose input is their name; `c1` fails."""
    project.command("ask", 'description = "A"\nmodel = "fast"\n', "{{ input }}")
    for number in range(5):
        project.case(f"ask/c{number}", NEVER if number == 1 else OK, f'input = "c{number}"')
    return project


def said(received: Received) -> str:
    """Return the input of the case that a request is of."""
    return str(received.json["messages"][-1]["content"]).split()[-1]


def asked(server: StubServer) -> list[str]:
    """Return the inputs of all requests since the last call."""
    inputs = [said(received) for received in server.requests]
    server.requests.clear()
    return inputs


def rows(run: Finished, *without: str) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key not in without} for row in json.loads(run.stdout)]


def journals(project: Project) -> list[Path]:
    """Return the journals, the newest last."""
    return sorted((project.folder / "home/.local/state/gekko/journals").glob("*/*.jsonl"))


def newest(project: Project) -> Record:
    """Return what the newest journal says that got as far as a run."""
    begun = (read_begun(path) for path in reversed(journals(project)))
    return next(record for record in begun if record is not None)


def unnamed(run: Finished) -> Finished:
    """Return a run without the line that says which suite it goes on with."""
    first, _, rest = run.stderr.partition("\n")
    return evolve(run, stderr=rest) if first.startswith("resuming `") else run


def fails_at(server: StubServer, name: str, failure: Script = BROKEN) -> None:
    """Answer "ok" to all requests but those of one case."""
    server.answer_with(lambda received: failure if said(received) == name else say("ok"))


@pytest.fixture
def stopped(project: Project, server: StubServer) -> Project:
    """The project after a suite that was stopped at `c3`."""
    fails_at(server, "c3")
    assert project.gko("config", "test").exit_code == 3
    server.say("ok")
    asked(server)
    return project


class TestAfterAnError:
    def test_the_message_is_followed_by_how_to_go_on(self, project: Project, server: StubServer) -> None:
        fails_at(server, "c3")

        text = project.gko("config", "test")
        as_json = project.gko("config", "test", "--error-format", "json")

        assert text.stderr.splitlines()[-1] == f"try: {HINT}"
        told = json.loads(as_json.stderr)
        assert (told["kind"], told["exit_code"], told["resume"]) == ("backend", 3, HINT)

    def test_the_rest_is_run_and_the_report_is_whole(self, stopped: Project, server: StubServer) -> None:
        resumed = stopped.gko(*RESUME, "--json")
        again = stopped.gko("config", "test", "--json")

        assert asked(server)[:2] == ["c3", "c4"]
        assert (resumed.exit_code, unnamed(resumed).stderr) == (4, "1 of 5 cases failed\n")
        assert rows(resumed, "duration_ms") == rows(again, "duration_ms")

    def test_durations_are_those_that_were_measured(self, project: Project, server: StubServer) -> None:
        server.answer(delay(0.2, say("ok")), say("ok"), status(500))
        project.gko("config", "test")
        server.say("ok")

        durations = {row["case"]: row["duration_ms"] for row in rows(project.gko(*RESUME, "--json"))}

        assert durations["c0"] >= 200 > durations["c2"]

    def test_a_suite_that_ended_well_is_reported_without_a_request(self, project: Project, server: StubServer) -> None:
        first = project.gko("config", "test", "--json")
        asked(server)

        assert unnamed(project.gko(*RESUME, "--json")) == first
        assert asked(server) == []

    def test_what_got_no_answer_is_asked_again(self, project: Project, server: StubServer) -> None:
        fails_at(server, "c2")
        assert project.gko("config", "test", "--keep-going").exit_code == 4
        server.say("ok")
        asked(server)

        assert [row["result"] for row in rows(project.gko(*RESUME, "--json"))] == [
            "pass",
            "fail",
            "pass",
            "pass",
            "pass",
        ]
        assert asked(server) == ["c2"]

    def test_a_resumed_suite_can_be_resumed(self, project: Project, server: StubServer) -> None:
        fails_at(server, "c1")
        project.gko("config", "test")
        fails_at(server, "c3")
        assert project.gko(*RESUME).exit_code == 3
        server.say("ok")

        assert project.gko(*RESUME).exit_code == 4

        assert asked(server) == ["c0", "c1", "c1", "c2", "c3", "c3", "c4"]

    def test_the_folder_of_the_configuration_is_part_of_the_call(self, project: Project, server: StubServer) -> None:
        fails_at(server, "c3")

        run = project.gko("config", "test", "--config-dir", ".gekko")

        assert run.stderr.splitlines()[-1] == f"try: {HINT} --config-dir .gekko"


class TestWhatIsResumed:
    def test_the_selection_is_that_of_the_suite(self, project: Project, server: StubServer) -> None:
        project.model(id="slow")
        project.command("other", 'description = "B"\nmodel = "fast"\n', "{{ input }}")
        project.case("other/o", OK, 'input = "o"')
        project.case("ask/c2", OK, 'input = "c2"\ntags = ["quick"]')
        project.case("ask/c3", OK, 'input = "c3"\ntags = ["quick"]')
        options = ("ask", "--tag", "quick", "--repeat", "2", "--model", "fast", "--model", "slow", "--json")
        server.say("ok")
        undisturbed = project.gko("config", "test", *options)
        server.answer(say("ok"), say("ok"), say("ok"), status(500))
        project.gko("config", "test", *options)
        server.say("ok")
        asked(server)

        resumed = project.gko(*RESUME, "--json")

        assert rows(resumed, "duration_ms") == rows(undisturbed, "duration_ms")
        assert len(asked(server)) == 5

    def test_it_is_said_which_suite_goes_on(self, stopped: Project, server: StubServer) -> None:
        """After one that did not begin, it is another than the last that was called."""
        stopped.case("ask/broken", "oops = 1")
        assert stopped.gko("config", "test").exit_code == 2
        (stopped.root / "tests/ask/broken.toml").unlink()

        run = stopped.gko(*RESUME, "--json")

        told, count = run.stderr.splitlines()
        assert re.sub(r"\d", "0", told) == "resuming `gko config test` of 0000-00-00 00:00:00: 0 of 0 cases judged"
        assert told.endswith(": 3 of 5 cases judged")
        assert count == "1 of 5 cases failed"

    def test_that_can_be_silenced_and_read_by_programs(self, stopped: Project, server: StubServer) -> None:
        as_json = stopped.gko(*RESUME, "--error-format", "json")
        quiet = stopped.gko(*RESUME, "--json", "-v", "error")

        note = json.loads(as_json.stderr.splitlines()[0])
        assert note["kind"] == "note"
        assert "of 5 cases judged" in note["message"]
        assert "resuming" not in quiet.stderr

    def test_what_is_not_selected_any_more_is_told(self, project: Project, server: StubServer) -> None:
        for name in ("c2", "c3"):
            project.case(f"ask/{name}", OK, f'input = "{name}"\ntags = ["quick"]')
        server.say("ok")
        project.gko("config", "test", "--tag", "quick")
        project.case("ask/c3", OK, 'input = "c3"')

        run = project.gko(*RESUME, "--json")

        assert [row["case"] for row in rows(run)] == ["c2"]
        assert "warning: the suite that goes on had 1 case that is not there, or not selected, any more: ask c3\n" in (
            run.stderr
        )

    @pytest.mark.parametrize(
        "given",
        [("ask",), ("--model", "fast"), ("--tag", "a"), ("--case", "c*"), ("--shard", "1/2"), ("--repeat", "2")],
    )
    def test_a_selection_of_its_own_is_refused(
        self, stopped: Project, server: StubServer, given: tuple[str, ...]
    ) -> None:
        run = stopped.gko(*RESUME, *given)

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "--resume" in run.stderr
        assert given[0] in run.stderr
        assert asked(server) == []

    def test_how_it_runs_is_free(self, stopped: Project, server: StubServer) -> None:
        options = ("--jobs", "2", "--keep-going", "--max-fail", "3", "--timeout", "60", "--save", "record.jsonl")

        assert stopped.gko(*RESUME, *options).exit_code == 4

        assert sorted(asked(server)) == ["c3", "c4"]
        assert (stopped.folder / "record.jsonl").exists()

    def test_where_nothing_was_run_there_is_nothing_to_resume(self, project: Project, server: StubServer) -> None:
        run = project.gko(*RESUME)

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "nothing to resume" in run.stderr

    def test_neither_a_dry_run_nor_a_broken_suite_leaves_a_journal(self, project: Project) -> None:
        project.gko("config", "test", "--dry-run")
        project.gko("config", "test", "--list")
        project.case("ask/broken", "oops = 1")
        project.gko("config", "test")

        assert journals(project) == []

    def test_another_project_is_another_one(self, stopped: Project, server: StubServer, tmp_path: Path) -> None:
        other = tmp_path / "other"
        (other / ".gekko").mkdir(parents=True)

        run = stopped.gko(*RESUME, "--config-dir", "other/.gekko")

        assert run.exit_code == 2
        assert "nothing to resume" in run.stderr

    def test_a_suite_that_still_runs_is_left_alone(self, project: Project, server: StubServer) -> None:
        fails_at(server, "c3", stall)
        with project.start("config", "test") as process:
            until(lambda: len(server.requests) == 4, process)

            run = project.gko(*RESUME)
            process.kill()

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "still runs" in run.stderr
        assert len(server.requests) == 4


CHANGES: Mapping[str, tuple[Callable[[Project], object], list[str]]] = {
    "nothing": (lambda _: None, []),
    "prompt": (
        lambda project: project.command("ask", FRONT, "Say {{ partials.tone }} {{ input }}"),
        ["c0", "c1", "c2"],
    ),
    "partials": (lambda project: project.write("partials/tone.md", "Rudely."), ["c0", "c1", "c2"]),
    "schemas": (lambda project: project.write("schemas/word.json", '{"minLength": 2}'), ["c0", "c1", "c2"]),
    "output": (lambda project: project.command("ask", f"{FRONT}strip_reasoning = true\n", PROMPT), ["c0", "c1", "c2"]),
    "generation": (lambda project: project.model("[generation]\ntemperature = 0"), ["c0", "c1", "c2"]),
    "model": (lambda project: project.write("models/fast.toml", OTHER_MODEL), ["c0", "c1", "c2"]),
    "case": (lambda project: project.case("ask/c1", "exit_code = 0", 'input = "c1"'), ["c1"]),
    "input": (lambda project: project.write("tests/ask/c2.txt", "c2"), ["c2"]),
}

FRONT = """description = "A"
model = "fast"
partials.tone = "tone"
[output]
format = "json"
schema = "word"
"""

PROMPT = "{{ partials.tone }} {{ input }}"

OTHER_MODEL = 'id = "fast"\nbackend = "stub"\noperation = "chat"\nmodel = "another"\n'


class TestChanges:
    """What has changed since is run again: exactly the runs that depend on it."""

    @pytest.fixture
    def project(self, project: Project, server: StubServer) -> Project:
        project.write("partials/tone.md", "Kindly.")
        project.write("schemas/word.json", "true")
        project.command("ask", FRONT, PROMPT)
        for number in range(4):
            project.case(f"ask/c{number}", "", f'input = "c{number}"')
        project.write("tests/ask/c2.txt", "a c2")
        project.case("ask/c2", "", 'input = { file = "c2.txt" }')
        (project.root / "tests/ask/c4.toml").unlink()
        server.answer_with(lambda received: status(500) if said(received) == "c3" else say('"word"'))
        assert project.gko("config", "test").exit_code == 3
        server.say('"word"')
        asked(server)
        return project

    @pytest.mark.parametrize("part", CHANGES)
    def test_a_change_is_noticed_and_named(self, project: Project, server: StubServer, part: str) -> None:
        change, again = CHANGES[part]
        change(project)

        run = project.gko(*RESUME)

        assert asked(server) == [*again, "c3"]
        if again:
            assert f"remembered: {3 - len(again)} runs" in run.stderr
            assert f"{len(again)} ({part})" in run.stderr
        else:
            assert unnamed(run).stderr == ""

    def test_a_case_that_was_added_is_run_and_one_that_is_gone_is_not_reported(
        self, project: Project, server: StubServer
    ) -> None:
        (project.root / "tests/ask/c0.toml").unlink()
        project.case("ask/c00", "", 'input = "c00"')

        run = project.gko(*RESUME, "--json")

        assert ": ask c0\n" in run.stderr
        assert [row["case"] for row in rows(run)] == ["c00", "c1", "c2", "c3"]
        assert asked(server) == ["c00", "c3"]

    def test_another_version_of_an_expectation_judges_anew(self, project: Project, server: StubServer) -> None:
        plug_in(project, "calm", "def judge(self, value, outcome):\n    yield from ()")
        project.case("ask/c1", "calm = 1", 'input = "c1"')
        server.answer_with(lambda received: BROKEN if said(received) == "c3" else say('"word"'))
        project.gko("config", "test")
        (metadata,) = (project.folder / "site").rglob("METADATA")
        metadata.write_text(metadata.read_text().replace("Version: 3.2", "Version: 3.3"))
        asked(server)

        run = project.gko(*RESUME)

        assert asked(server) == ["c1", "c3"]
        assert "'calm'" in run.stderr


ASKS = """
@property
def commands_asked(self):
    return ("grade",)

@property
def models_asked(self):
    return ("judge",)

def judge(self, value, outcome):
    yield from ()
"""


@pytest.mark.parametrize("change", ["model", "command", None])
def test_what_an_expectation_asks_decides_as_well(project: Project, server: StubServer, change: str | None) -> None:
    plug_in(project, "graded", ASKS)
    project.command("grade", 'description = "B"\nmodel = "judge"\n', "Is it good? {{ input }}")
    project.model(id="judge")
    project.case("ask/c1", "graded = 1", 'input = "c1"')
    fails_at(server, "c3")
    project.gko("config", "test")
    server.say("ok")
    asked(server)
    match change:
        case "model":
            project.model("[generation]\ntemperature = 0", id="judge")
        case "command":
            project.command("grade", 'description = "B"\nmodel = "judge"\n', "Is it excellent? {{ input }}")

    run = project.gko(*RESUME)

    assert asked(server) == [*([] if change is None else ["c1"]), "c3", "c4"]
    assert run.stderr.count("1 (what its expectations ask)") == (change is not None)


def test_a_fallback_that_answered_is_asked_again_where_it_has_changed(project: Project, server: StubServer) -> None:
    project.model('fallback = "slow"')
    project.model(id="slow")
    broken = {("c1", "served-fast"), ("c2", "served-fast"), ("c3", "served-fast"), ("c3", "served-slow")}
    server.answer_with(lambda received: BROKEN if (said(received), received.json["model"]) in broken else say("ok"))
    project.gko("config", "test")
    project.model("[generation]\ntemperature = 0", id="slow")
    server.say("ok")
    asked(server)

    run = project.gko(*RESUME)

    assert asked(server) == ["c1", "c2", "c3", "c4"]
    assert "2 (fallback)" in run.stderr


class TestAStateFolderThatCannotBeWritten:
    @pytest.fixture
    def project(self, project: Project, tmp_path: Path) -> Project:
        (tmp_path / "file").touch()
        project.environ["XDG_STATE_HOME"] = str(tmp_path / "file")
        return project

    def test_is_a_warning_and_changes_nothing_else(self, project: Project, server: StubServer) -> None:
        fails_at(server, "c3")

        run = project.gko("config", "test")

        assert run.exit_code == 3
        warning, error = run.stderr.splitlines()
        assert warning.startswith("warning: ")
        assert str(project.folder / "file") in warning
        assert error.startswith("error: .gekko/tests/ask/c3.toml")

    def test_is_why_there_is_nothing_to_resume(self, project: Project) -> None:
        run = project.gko(*RESUME)

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "nothing to resume" in run.stderr
        assert str(project.folder / "file") in run.stderr


def test_a_journal_that_is_damaged_is_named_with_its_line(stopped: Project, server: StubServer) -> None:
    (path,) = journals(stopped)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:7], b'{"type":', *lines[7:]]))

    run = stopped.gko(*RESUME)

    assert (run.exit_code, run.stdout) == (1, b"")
    assert f"{path.name}:8:" in run.stderr
    assert server.requests == []


def test_a_journal_ends_with_a_word_about_the_end(project: Project, server: StubServer) -> None:
    project.gko("config", "test")
    fails_at(server, "c3")
    project.gko("config", "test")
    project.gko("config", "test", "--max-fail", "1")

    ends = [read_record(path).end for path in journals(project)]
    assert [end and (end.reason, end.exit_code) for end in ends] == [("finished", 4), ("stopped", 3), ("stopped", 4)]


class TestSignals:
    @pytest.mark.parametrize(("number", "code"), SIGNALS)
    @pytest.mark.parametrize("jobs", ["1", "4"])
    def test_the_first_closes_and_records_and_says_how_to_go_on(
        self, project: Project, server: StubServer, jobs: str, number: int, code: int
    ) -> None:
        server.answer_with(lambda received: stall if said(received) in ("c3", "c4") else say("ok"))
        with project.start("config", "test", "--jobs", jobs, "--save", "record.jsonl") as process:
            until(lambda: {"c3"} <= {said(each) for each in server.requests} and len(server.requests) >= 4, process)
            time.sleep(0.1)

            began = time.monotonic()
            process.send_signal(number)
            assert server.wait_for_disconnect()
            seconds = time.monotonic() - began
            stdout, stderr = process.communicate(timeout=5)

        assert seconds < SOON_SECS
        assert (process.returncode, stdout) == (code, b"")
        assert stderr.decode().endswith(f"{HINT}\n")
        assert stderr.count(b"\n") == 1
        for record in (newest(project), read_begun(project.folder / "record.jsonl")):
            assert record is not None
            assert record.end is not None
            assert (record.end.reason, record.end.exit_code) == ("interrupted", code)
            assert sorted(run.case for run in record.runs) == ["c0", "c1", "c2"]

    def test_a_second_one_ends_at_once(self, project: Project, server: StubServer) -> None:
        """Even where something does not let go: an expectation that catches whatever is raised."""
        plug_in(project, "stubborn", STUBBORN)
        project.case("ask/c0", "stubborn = 1", 'input = "c0"')
        with project.start("config", "test") as process:
            until((project.folder / "working").exists, process)
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
            assert process.poll() is None

            run, seconds = end(process, signal.SIGTERM)

        assert (run.exit_code, run.stdout) == (130, b"")
        assert seconds < SOON_SECS

    def test_what_is_said_can_be_silenced(self, project: Project, server: StubServer) -> None:
        server.answer(stall)
        with project.start("config", "test", "-v", "error") as process:
            until(lambda: server.requests, process)

            assert end(process, signal.SIGINT)[0] == Finished(130, b"", "")


STUBBORN = """
def judge(self, value, outcome):
    Path("working").touch()
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
    yield
"""


KILLS = 25
"""In each of four tests."""

CASES = 24


@define
class Mortal:
    """A suite of cases that are answered after some milliseconds, and which is killed while it runs."""

    project: Project
    server: StubServer
    options: tuple[str, ...]
    random: random.Random
    kills: int = 0
    requests: Counter[str] = field(factory=Counter)
    settled: dict[str, int] = field(factory=dict)
    """How often each case had been asked for when all of its runs were first seen in a journal."""

    def lives(self, kills: int) -> Finished:
        """Return how the suite ended after it was killed, and resumed, so many times at most."""
        self.settled.clear()
        self.requests.clear()
        while kills and self._is_killed():
            kills -= 1
            self._note()
        run = self.project.gko(*self._call())
        self.requests.update(asked(self.server))
        assert {name: self.requests[name] for name in self.settled} == self.settled
        for path in journals(self.project):
            path.unlink()
        return run

    def _call(self) -> tuple[str, ...]:
        begun = map(read_begun, journals(self.project))
        return (*(RESUME if any(begun) else RESUME[:-1]), *self.options)

    def _is_killed(self) -> bool:
        """Run until a random point, and return whether it came to be killed there."""
        with self.project.start(*self._call()) as process:
            if self.random.random() < 0.2:
                time.sleep(self.random.uniform(0, 0.5))  # while it starts, or plans
            else:
                count = self.random.randint(1, CASES // 2)
                while len(self.server.requests) < count and process.poll() is None:
                    time.sleep(0.001)
                time.sleep(self.random.uniform(0, 0.03))
            process.kill()
            process.communicate()
        self.kills += process.returncode == -signal.SIGKILL
        return process.returncode == -signal.SIGKILL

    def _note(self) -> None:
        self.requests.update(asked(self.server))
        for record in filter(None, map(read_begun, journals(self.project))):
            runs = Counter(run.case for run in record.runs)
            for case in record.cases:
                if runs[case.case] == case.runs:
                    self.settled.setdefault(case.case, self.requests[case.case])


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_wherever_it_is_no_recorded_run_is_lost(
    project: Project, server: StubServer, jobs: int, seed: int
) -> None:
    """A hundred random points in all; each run that is in flight when the suite is killed is asked for once more."""
    for number in range(CASES):
        rule = "\n[repeat]\nruns = 2\nmin_pass = 1" if number % 6 == 5 else ""
        project.case(f"ask/c{number}", NEVER if number % 5 == 1 else OK, f'input = "c{number}"{rule}')
    server.answer(delay(0.015, say("ok")))
    undisturbed = project.gko("config", "test", "--json")
    needed = len(asked(server))
    for path in journals(project):
        path.unlink()
    suite = Mortal(project, server, ("--json", "--jobs", str(jobs)), random.Random(seed))
    more = 0

    while suite.kills < KILLS:
        before = suite.kills
        run = suite.lives(KILLS - suite.kills)

        assert (run.exit_code, unnamed(run).stderr) == (4, undisturbed.stderr)
        assert rows(run, "duration_ms") == rows(undisturbed, "duration_ms")
        assert suite.requests.total() - needed <= jobs * (suite.kills - before)
        more += suite.requests.total() - needed

    print(f"{suite.kills} kills with --jobs {jobs}: {more} requests more than were needed")
