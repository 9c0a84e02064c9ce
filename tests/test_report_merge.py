"""`gko report RECORD…`: what shards came to, as if the suite had never been divided; or why they are not one suite."""

import json
import signal
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from tests.plugins import plug_in
from tests.processes import end
from tests.project import Finished, Project
from tests.stub_server import Received, Script, StubServer, reset, say, stall
from tests.terminals import window

OK = 'contains = ["ok"]'

SHARDS = ("1.jsonl", "2.jsonl", "3.jsonl")

FRONT = 'description = "A"\nmodel = "fast"\n'


@pytest.fixture
def project(project: Project) -> Project:
    """A project with two models, and twelve cases of two commands, of which each shard of three has some."""
    project.model(id="slow")
    for command in ("ask", "git/review"):
        project.command(command, FRONT, "{{ input }}")
        for number in range(6):
            project.case(f"{command}/c{number}", OK, f'input = "{command} {number}"')
    return project


def words_of(received: Received) -> str:
    content: str = received.json["messages"][-1]["content"]
    return content


def answers(wrong: str) -> Callable[[Received], Script]:
    """Answer rightly, but for the cases that have one of these numbers."""
    return lambda received: say("no" if words_of(received)[-1] in wrong else "ok")


def run_shards(project: Project, *args: str, of: int = 3) -> list[Finished]:
    """Run every shard, and save its record as `1.jsonl` and so on."""
    shards = (("--shard", f"{index}/{of}", "--save", f"{index}.jsonl") for index in range(1, of + 1))
    return [project.gko("config", "test", *args, *shard) for shard in shards]


def rows(run: Finished) -> list[dict[str, Any]]:
    """Return the rows of a report; durations are another each time."""
    return [{key: value for key, value in row.items() if key != "duration_ms"} for row in json.loads(run.stdout)]


def table(run: Finished) -> list[list[str]]:
    """Return the words of each line, without the durations."""
    return [
        [word for word in line.split() if word != "ms" and not word.isdigit()]
        for line in run.stdout.decode().splitlines()
    ]


class TestTheReport:
    @pytest.mark.parametrize(
        "options",
        [
            (),
            ("--model", "slow", "--model", "fast"),
            ("--repeat", "2", "--fail-on-flaky"),
            ("git", "--case", "c[0-4]"),
        ],
        ids=" ".join,
    )
    def test_is_that_of_the_undivided_suite(
        self, project: Project, server: StubServer, options: tuple[str, ...]
    ) -> None:
        server.answer_with(answers("14"))
        run_shards(project, *options)
        whole, as_rows = (project.gko("config", "test", *options, *more) for more in ((), ("--json",)))

        merged, merged_rows = (
            project.gko("report", *more, "3.jsonl", "1.jsonl", "2.jsonl") for more in ((), ("--json",))
        )

        assert (merged.exit_code, merged.stderr) == (whole.exit_code, whole.stderr)
        assert table(merged) == table(whole)
        assert (merged_rows.exit_code, merged_rows.stderr) == (as_rows.exit_code, as_rows.stderr)
        assert rows(merged_rows) == rows(as_rows)
        assert merged.exit_code == 4

    def test_knows_rules_known_failures_and_errors(self, project: Project, server: StubServer) -> None:
        project.write("tests/ask/c0.toml", f'input = "often"\n[repeat]\nruns = 3\nmin_pass = 2\n[expect]\n{OK}\n')
        project.write("tests/ask/c1.toml", f'input = "1"\n[expect]\n{OK}\n[model.slow]\nxfail = "too small"\n')
        options = ("--model", "slow", "--model", "fast", "--keep-going")

        turns = count()

        def answer(received: Received) -> Script:
            match words_of(received):
                case "ask 5":
                    return reset
                case "often":
                    return say("no" if next(turns) % 3 == 0 else "ok")
                case _:
                    return answers("1")(received)

        server.answer_with(answer)
        run_shards(project, *options)
        whole = project.gko("config", "test", *options)

        merged = project.gko("report", *SHARDS)

        assert (merged.exit_code, merged.stderr) == (whole.exit_code, whole.stderr)
        assert table(merged) == table(whole)
        assert table(merged)[1] == ["ask", "c0", "slow", "pass", "2/3", "flaky"]
        assert table(merged)[-3] == ["MODEL", "PASS", "FAIL", "ERROR", "XFAIL", "MEDIAN", "PROMPT", "COMPLETION"]

    def test_of_replayed_shards_says_so(self, project: Project) -> None:
        assert project.gko("config", "test", "--record").exit_code == 0
        run_shards(project, "--replay")

        assert rows(project.gko("report", "--json", *SHARDS)) == rows(
            project.gko("config", "test", "--replay", "--json")
        )

    def test_has_the_retries_of_a_shard(self, project: Project, server: StubServer) -> None:
        server.answer(reset, say("ok"))
        run_shards(project, "--jobs", "auto")

        merged = project.gko("report", "--json", *SHARDS)

        assert sum(row["retries"] for row in rows(merged)) == 1

    def test_of_a_suite_whose_shards_are_empty_is_empty(self, project: Project) -> None:
        run_shards(project, "ask", "--case", "c0")

        merged = project.gko("report", "--json", *SHARDS)

        assert (merged.exit_code, len(rows(merged)), merged.stderr) == (0, 1, "")
        run_shards(project, "ask", "--case", "c0", "--model", "fast", "--model", "slow", of=1)
        assert len(rows(project.gko("report", "--json", "1.jsonl"))) == 2

    def test_without_a_case_says_why(self, project: Project) -> None:
        assert project.gko("config", "test").exit_code == 0
        run_shards(project, "--failed", of=2)

        merged = project.gko("report", "--json", "1.jsonl", "2.jsonl")
        rechecked = project.gko("config", "test", "--recheck", "1.jsonl")

        assert (merged.exit_code, merged.stdout, rechecked.exit_code) == (0, b"[]\n", 0)
        assert [run.stderr.count("\n") for run in (merged, rechecked)] == [1, 1]
        assert "1.jsonl, 2.jsonl" in merged.stderr
        assert "1.jsonl" in rechecked.stderr

    def test_of_one_record_is_that_of_its_suite(self, project: Project, server: StubServer) -> None:
        server.answer_with(answers("3"))
        whole = project.gko("config", "test", "--save", "all.jsonl")

        assert project.gko("report", "all.jsonl") == whole

    def test_needs_no_configuration(self, project: Project) -> None:
        run_shards(project)
        project.write("models/broken.toml", "[[[")
        project.write("tests/ask/c0.toml", "[[[")

        assert project.gko("report", *SHARDS).exit_code == 0

    def test_of_cases_that_are_elsewhere_names_their_files(self, project: Project, server: StubServer) -> None:
        server.say("no")
        run_shards(project, "ask")
        project.root.rename(project.folder / "gone")

        merged = project.gko("report", *SHARDS)

        assert merged.exit_code == 4
        assert b"at .gekko/tests/ask/c0.toml\n" in merged.stdout

    def test_warns_of_a_fallback_that_answered(self, project: Project, server: StubServer) -> None:
        project.model('fallback = "slow"')
        server.answer_with(
            lambda received: (
                reset if received.json["model"] == "served-fast" and words_of(received) == "ask 3" else say("ok")
            )
        )
        warned = [run.stderr for run in run_shards(project)]

        merged = project.gko("report", *SHARDS)

        assert (merged.exit_code, merged.stderr) == (0, "".join(warned))
        assert "ask c3: 'fast' failed, and its fallback 'slow' answered" in merged.stderr

    @pytest.mark.parametrize("form", [[], ["--json"]])
    def test_escapes_half_a_character(self, project: Project, server: StubServer, form: list[str]) -> None:
        server.say("no")
        project.gko("config", "test", "--case", "ask/c0", "--save", "1.jsonl")
        record = project.folder / "1.jsonl"
        record.write_bytes(record.read_bytes().replace(b'"text":"', b'"text":"\\ud83d '))

        run = project.gko("report", "1.jsonl", *form)

        assert run.exit_code == 4
        assert b"\\ud83d contains" in run.stdout

    def test_is_summed_up_on_a_terminal(self, project: Project, server: StubServer) -> None:
        server.answer_with(answers("3"))
        run_shards(project)

        with window(project, "report", *SHARDS) as shown:
            assert shown.finish() == 4

        assert shown.screen[-2:] == ["12 cases: 10 passed, 2 failed", ""]


class TestTheCommandLine:
    def test_a_record_with_the_name_of_a_command_is_given_with_its_folder(self, project: Project) -> None:
        project.gko("config", "test", "--save", "stats")

        assert project.gko("report", "stats").exit_code == 2
        assert project.gko("report", "./stats").exit_code == 0

    def test_a_record_without_an_ending_is_a_record(self, project: Project) -> None:
        project.gko("config", "test", "--save", "stat")

        assert project.gko("report", "stat").exit_code == 0

    def test_a_slip_gets_the_nearest_command(self, project: Project) -> None:
        run = project.gko("report", "stat")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "'stats'" in run.stderr

    @pytest.mark.parametrize("args", [("--json", "1.jsonl"), ("1.jsonl", "--json"), ("--json", "--", "1.jsonl")])
    def test_options_stand_anywhere(self, project: Project, args: tuple[str, ...]) -> None:
        run_shards(project, of=1)

        assert len(rows(project.gko("report", *args))) == 12

    def test_json_before_a_command_is_for_that(self, project: Project) -> None:
        (project.folder / "runs.jsonl").touch()

        assert project.gko("report", "--json", "stats", "runs.jsonl") == Finished(0, b"[]\n", "")

    @pytest.mark.parametrize("args", [("report",), ("report", "--json")])
    def test_without_a_record_it_is_a_group(self, project: Project, args: tuple[str, ...]) -> None:
        run = project.gko(*args)

        assert (run.exit_code, run.stdout) == (2, b"")
        assert run.stderr == project.gko("report", "--help").stdout.decode()

    def test_an_unknown_option_is_refused_by_the_name_of_the_command(self, project: Project) -> None:
        run = project.gko("report", "1.jsonl", "--jsno")

        assert run == Finished(
            2, b"", "error: no such option '--jsno'; did you mean '--json'?\ntry: gko report --help\n"
        )


def refusal(project: Project, *names: str) -> str:
    """Return why `gko report` refuses these records."""
    run = project.gko("report", *names)
    assert (run.exit_code, run.stdout) == (2, b"")
    return run.stderr


class TestRefused:
    def test_a_shard_that_was_left_out(self, project: Project) -> None:
        run_shards(project)

        assert refusal(project, "1.jsonl", "3.jsonl").count("2/3") == 1

    def test_a_shard_that_was_run_twice(self, project: Project) -> None:
        run_shards(project)
        project.gko("config", "test", "--shard", "2/3", "--save", "again.jsonl")

        told = refusal(project, *SHARDS, "again.jsonl")

        assert told.startswith("error: again.jsonl: ")
        assert "2.jsonl as well: " in told
        assert told.count("\n") == 1

    def test_a_file_that_is_given_twice(self, project: Project) -> None:
        run_shards(project)

        assert refusal(project, *SHARDS, "./2.jsonl").startswith("error: 2.jsonl: given twice")

    def test_shards_of_other_divisions(self, project: Project) -> None:
        run_shards(project)
        project.gko("config", "test", "--shard", "2/4", "--save", "of-four.jsonl")

        told = refusal(project, "1.jsonl", "of-four.jsonl", "3.jsonl")

        assert "error: of-four.jsonl: of shard 2/4, and 1.jsonl is of 1/3\n" in told

    def test_a_prompt_that_was_edited_in_between(self, project: Project) -> None:
        run_shards(project)
        project.command("git/review", FRONT, "Answer well: {{ input }}")
        project.gko("config", "test", "--shard", "2/3", "--save", "2.jsonl")

        told = refusal(project, *SHARDS)

        assert told.splitlines()[0] == "error: 2.jsonl: differs from 1.jsonl in the prompt of git/review (model fast)"

    def test_another_request_for_the_cases(self, project: Project) -> None:
        run_shards(project)
        project.gko("config", "test", "--shard", "3/3", "--save", "3.jsonl", "--repeat", "2", "--model", "slow")

        told = refusal(project, *SHARDS)

        assert "error: 3.jsonl: differs from 1.jsonl in " in told
        assert ('--model (["slow"], there none)' in told, "--repeat (2, there none)" in told) == (True, True)

    def test_another_version_of_a_plug_in(self, project: Project) -> None:
        plug_in(project, "made_up", "def judge(self, value, outcome):\n    yield from ()")
        for number in range(6):
            project.case(f"ask/c{number}", "made_up = 1")
        run_shards(project, "ask")
        [metadata] = (project.folder / "site").glob("*.dist-info/METADATA")
        metadata.write_text(metadata.read_text().replace("3.2", "3.3"))
        metadata.parent.rename(metadata.parent.with_name("gko_made_up-3.3.dist-info"))
        project.gko("config", "test", "ask", "--shard", "2/3", "--save", "2.jsonl")

        assert "the expectation 'made_up' (gko-made-up 3.3, there gko-made-up 3.2)" in refusal(project, *SHARDS)

    @pytest.mark.parametrize(("number", "told"), [(signal.SIGINT, "interrupted"), (signal.SIGKILL, "killed")])
    def test_a_shard_that_was_interrupted_or_killed(
        self, project: Project, server: StubServer, number: int, told: str
    ) -> None:
        run_shards(project)
        asked = len(server.requests)
        server.answer(say("ok"), stall)
        with project.start("config", "test", "--shard", "1/3", "--save", "1.jsonl") as process:
            assert server.wait_for_requests(asked + 2)
            end(process, number)
        name = "1.jsonl" if number == signal.SIGINT else journal(project)

        refused = refusal(project, name, "2.jsonl", "3.jsonl")

        assert f": its suite was {told}" in refused
        missing = [row["case"] for row in rows(project.gko("config", "test", "--shard", "1/3", "--list", "--json"))[1:]]
        assert len(missing) > 0
        assert f"{len(missing)} of {len(missing) + 1} cases not judged: " in refused
        assert f" {missing[0]} (model fast)" in refused

    def test_a_shard_that_a_backend_error_ended(self, project: Project, server: StubServer) -> None:
        server.answer(say("ok"), reset)
        stopped = project.gko("config", "test", "--save", "all.jsonl")

        told = refusal(project, "all.jsonl")

        assert stopped.exit_code == 3
        assert "all.jsonl: its suite was stopped; 11 of 12 cases not judged: " in told
        assert "judged: ask c1 (model fast, got no answer), ask c2 (model fast), " in told

    def test_two_lines_of_one_run_with_the_second(self, project: Project) -> None:
        run_shards(project, of=1)
        with (project.folder / "1.jsonl").open("r+b") as file:
            lines = file.readlines()
            file.seek(0)
            file.writelines([*lines[:15], lines[13], *lines[15:]])

        told = refusal(project, "1.jsonl")

        assert told.startswith("error: 1.jsonl:16: ")
        assert "run number 1 of ask c0 on the model 'fast'; the first is line 14" in told
        assert "error: 1.jsonl:16: " in project.gko("config", "test", "--recheck", "1.jsonl").stderr

    def test_every_file_that_is_no_record_with_the_line(self, project: Project) -> None:
        run_shards(project)
        lines = (project.folder / "2.jsonl").read_bytes().splitlines(keepends=True)
        (project.folder / "2.jsonl").write_bytes(b"".join([*lines[:3], b"{}\n", *lines[3:]]))
        (project.folder / "notes.md").write_text("# Notes\n")

        told = refusal(project, *SHARDS, "notes.md")

        assert [line.split(": ")[1] for line in told.splitlines()] == ["2.jsonl:4", "notes.md:1"]

    def test_all_problems_are_told_at_once_and_one_by_one_to_programs(self, project: Project) -> None:
        run_shards(project)
        project.gko("config", "test", "--shard", "1/3", "--repeat", "2", "--save", "again.jsonl")

        told = project.gko("report", "1.jsonl", "again.jsonl", "3.jsonl", "--error-format", "json")

        error = json.loads(told.stderr)
        assert (told.exit_code, told.stdout, error["kind"]) == (2, b"", "configuration")
        assert sorted(issue["file"] for issue in error["issues"]) == ["1.jsonl", "again.jsonl", "again.jsonl"]


def shard_of(project: Project, case: str) -> int:
    """Return which shard of three has a case of `gko ask`."""
    listed = (project.gko("config", "test", "ask", "--list", "--json", "--shard", f"{i}/3") for i in (1, 2, 3))
    return 1 + [case in [row["case"] for row in rows(run)] for run in listed].index(True)


class TestShardsOfOtherCases:
    """Each record is whole by itself, so nothing but what it says of the others tells that a case is in none."""

    def test_because_a_case_was_added_are_refused_with_both_files(self, project: Project) -> None:
        run_shards(project, "ask")
        project.case("ask/new", OK)
        shard = shard_of(project, "new") % 3 + 1
        project.gko("config", "test", "ask", "--shard", f"{shard}/3", "--save", f"{shard}.jsonl")

        told = refusal(project, *SHARDS)

        odd = [f"{shard}.jsonl"] if shard > 1 else ["2.jsonl", "3.jsonl"]
        assert [line.split(": ")[1] for line in told.splitlines()] == odd
        assert told.count("not a shard of the same cases as 1.jsonl; ") == len(odd)
        assert "run all shards on one commit" in told

    def test_because_a_case_is_another_there_are_refused(self, project: Project) -> None:
        run_shards(project)
        project.case("ask/c0", 'contains = ["o"]', 'input = "ask 0"')
        shard = shard_of(project, "c0") % 3 + 1
        project.gko("config", "test", "--shard", f"{shard}/3", "--save", f"{shard}.jsonl")

        assert "not a shard of the same cases" in refusal(project, *SHARDS)
        run_shards(project)
        assert project.gko("report", *SHARDS).exit_code == 0

    def test_because_they_come_from_other_journals_are_refused(self, project: Project, server: StubServer) -> None:
        for number in (1, 2):
            machine = {"XDG_STATE_HOME": str(project.folder / f"machine-{number}")}
            server.answer_with(answers(str(number)))
            project.gko("config", "test", environ=machine)
            server.say("ok")
            options = ("--failed", "--shard", f"{number}/2", "--save", f"{number}.jsonl")
            assert project.gko("config", "test", *options, environ=machine).exit_code == 0

        told = refusal(project, "1.jsonl", "2.jsonl")

        assert "error: 2.jsonl: not a shard of the same cases as 1.jsonl; " in told
        assert "--failed goes by the journal of each machine" in told

    def test_because_a_name_is_another_commit_are_refused(self, project: Project) -> None:
        (project.folder / ".gitignore").write_text("*.jsonl\nhome/\n")
        git = "git -c user.name=a -c user.email=a@example.org"
        project.shell(f"git init -q && git add -A && {git} commit -qm one && git tag base")
        project.case("ask/c0", 'contains = ["o"]')
        project.shell(f"git add -A && {git} commit -qm two")
        project.case("ask/c1", 'contains = ["o"]')
        project.gko("config", "test", "--changed=base", "--shard", "1/2", "--save", "1.jsonl")
        project.gko("config", "test", "--changed=base", "--shard", "2/2", "--save", "2.jsonl")
        whole = project.gko("report", "--json", "1.jsonl", "2.jsonl")
        project.shell("git tag -f base HEAD")
        project.gko("config", "test", "--changed=base", "--shard", "2/2", "--save", "2.jsonl")

        told = refusal(project, "1.jsonl", "2.jsonl")

        assert [row["case"] for row in rows(whole)] == ["c0", "c1"]
        assert "error: 2.jsonl: not a shard of the same cases as 1.jsonl; " in told
        assert "--changed=base is one commit as well" in told

    def test_are_not_those_that_went_on(self, project: Project, server: StubServer) -> None:
        server.say("no")
        project.gko("config", "test")
        server.say("ok")
        first = ("config", "test", "--failed", "--shard", "1/2", "--save", "1.jsonl")
        project.shell("cp -r home other-home")
        assert project.gko(*first).exit_code == 0
        state = {"XDG_STATE_HOME": str(project.folder / "other-home/.local/state")}
        server.answer(say("ok"), reset, say("ok"))
        second = ("config", "test", "--failed", "--shard", "2/2", "--save", "2.jsonl")
        assert project.gko(*second, environ=state).exit_code == 3
        assert project.gko("config", "test", "--resume", "--save", "2.jsonl", environ=state).exit_code == 0

        assert len(rows(project.gko("report", "--json", "1.jsonl", "2.jsonl"))) == 12


def journal(project: Project) -> str:
    """Return the path of the newest journal: a suite that is killed leaves no other record."""
    state = project.folder / "home/.local/state"
    return str(max(state.glob("**/journals/*/*.jsonl"), key=lambda path: path.name))


def test_a_file_that_cannot_be_read_is_an_error_of_its_own(project: Project) -> None:
    run = project.gko("report", "1.jsonl")

    assert run == Finished(1, b"", "error: 1.jsonl: no such file\n")


class TestTheSummaryOfModels:
    def test_stands_below_the_table_of_a_suite_with_several(self, project: Project, server: StubServer) -> None:
        server.answer_with(answers("3"))

        run = project.gko("config", "test", "ask", "--model", "slow", "--model", "fast")

        report, _, models = run.stdout.decode().partition("\n\n")
        assert report.count("\n") == 16
        head, *lines = [line.split() for line in models.splitlines()]
        assert head == ["MODEL", "PASS", "FAIL", "MEDIAN", "PROMPT", "COMPLETION"]
        assert [(*line[:3], *line[-3:]) for line in lines] == [
            ("slow", "5", "1", "ms", "18", "30"),
            ("fast", "5", "1", "ms", "18", "30"),
        ]

    def test_counts_what_a_suite_that_goes_on_remembers(self, project: Project, server: StubServer) -> None:
        server.answer(*[say("ok")] * 5, reset, say("ok"))
        options = ("ask", "--model", "slow", "--model", "fast")
        assert project.gko("config", "test", *options).exit_code == 3

        resumed = project.gko("config", "test", "--resume")

        assert [line.split()[-2:] for line in resumed.stdout.decode().splitlines()[-2:]] == [["18", "30"]] * 2

    @pytest.mark.parametrize("options", [(), ("--model", "slow"), ("--model", "slow", "--model", "slow")])
    def test_is_nowhere_else(self, project: Project, options: tuple[str, ...]) -> None:
        assert b"MEDIAN" not in project.gko("config", "test", *options).stdout
