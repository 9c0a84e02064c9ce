"""Which cases `gko config test` runs, lists or refuses, by its words and options."""

import json
import os
from pathlib import Path

import pytest

from tests.project import Finished, Project
from tests.stub_server import StubServer, delay, say, status

OK = 'contains = ["ok"]'


@pytest.fixture
def project(project: Project) -> Project:
    """The project with two commands, five cases and two tags."""
    project.command("git/review")
    project.command("ask")
    for name in ("hardware", "software"):
        project.case(f"git/review/{name}", OK)
    project.case("ask/a", OK)
    project.case("ask/b", OK, 'tags = ["slow", "smoke"]\ninput = "x"')
    project.case("ask/c", OK, 'tags = ["slow"]\ninput = "x"')
    return project


ALL = ["ask/a", "ask/b", "ask/c", "git/review/hardware", "git/review/software"]


def cases(run: Finished) -> list[str]:
    """Return the cases of a report or a listing, as "command/case"."""
    assert run.exit_code in (0, 4), run.stderr
    return [f"{row['command']}/{row['case']}" for row in json.loads(run.stdout)]


def listed(project: Project, *args: str) -> list[str]:
    return cases(project.gko("config", "test", "--list", "--json", *args))


def refused(run: Finished) -> str:
    """Return the one error of a run that was refused."""
    assert (run.exit_code, run.stdout) == (2, b"")
    assert run.stderr.startswith("error: ")
    assert "Traceback" not in run.stderr
    return run.stderr


class TestFiles:
    def test_select_their_cases(self, project: Project, server: StubServer) -> None:
        absolute = str(project.root / "tests/git/review/software.toml")

        run = project.gko("config", "test", ".gekko/tests/ask/b.toml", absolute, "--json")

        assert cases(run) == ["ask/b", "git/review/software"]
        assert len(server.requests) == 2

    def test_are_read_alone(self, project: Project) -> None:
        project.write("tests/ask/broken.toml", "input = ")

        assert listed(project, ".gekko/tests/ask/a.toml") == ["ask/a"]
        assert "broken.toml" in refused(project.gko("config", "test", ".gekko/tests/ask/broken.toml"))

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            ((".gekko/tests/ask/d.toml",), ("tests/ask/d.toml", "no such file")),
            (("notes.toml",), ("notes.toml", ".gekko/tests/COMMAND PATH/NAME.toml")),
            ((".gekko/tests/ask/a.toml", "git"), ("'git'", ".gekko/tests/ask/a.toml")),
        ],
    )
    def test_that_are_no_case_are_refused(
        self, project: Project, server: StubServer, words: tuple[str, ...], told: tuple[str, ...]
    ) -> None:
        (project.folder / "notes.toml").touch()

        error = refused(project.gko("config", "test", *words))

        assert [part for part in told if part not in error] == []
        assert server.requests == []


class TestPatterns:
    def test_select_cases_within_the_words(self, project: Project) -> None:
        assert listed(project, "--case", "[ab]", "--case", "git/*/soft*") == ["ask/a", "ask/b", "git/review/software"]
        assert listed(project, "git", "--case", "*ware") == ["git/review/hardware", "git/review/software"]

    def test_leave_other_cases_unread(self, project: Project) -> None:
        project.write("tests/ask/broken.toml", "input = ")

        assert listed(project, "ask", "--case", "?") == ["ask/a", "ask/b", "ask/c"]

    def test_that_fit_nothing_are_refused_with_the_nearest_name(self, project: Project, server: StubServer) -> None:
        error = refused(project.gko("config", "test", "--case", "?", "--case", "hardwrae"))

        assert ["'hardwrae'" in error, "'hardware'" in error] == [True, True]
        assert "'ask'" in refused(project.gko("config", "test", "ask", "--case", "hard*"))
        assert server.requests == []

    def test_are_named_where_a_case_is_given_as_a_word(self, project: Project) -> None:
        error = refused(project.gko("config", "test", "git", "review", "hardware"))

        assert "`gko config test .gekko/tests/git/review/hardware.toml`" in error
        assert "`gko config test git review --case hardware`" in error


class TestTags:
    def test_select_cases_that_have_one_of_them(self, project: Project) -> None:
        assert listed(project, "--tag", "smoke") == ["ask/b"]
        assert listed(project, "--tag", "smoke", "--tag", "slow") == ["ask/b", "ask/c"]

    @pytest.mark.parametrize("tags", [("smok",), ("slow", "smok")])
    def test_that_no_case_has_are_refused_with_the_nearest(
        self, project: Project, server: StubServer, tags: tuple[str, ...]
    ) -> None:
        error = refused(project.gko("config", "test", *(f"--tag={tag}" for tag in tags)))

        assert ["'smok'" in error, "'smoke'" in error] == [True, True]
        assert server.requests == []

    def test_that_only_other_commands_have_are_refused(self, project: Project) -> None:
        error = refused(project.gko("config", "test", "git", "--tag", "slow"))

        assert ["'slow'" in error, "'git'" in error] == [True, True]

    def test_leave_the_mistakes_of_cases_without_them_alone(self, project: Project) -> None:
        project.case("ask/broken", "lins = 3")

        assert listed(project, "--tag", "smoke") == ["ask/b"]


class TestShards:
    def test_run_every_case_once(self, project: Project, server: StubServer) -> None:
        runs = [project.gko("config", "test", "--json", "--shard", f"{index}/3") for index in (1, 2, 3)]

        assert sorted(case for run in runs for case in cases(run)) == ALL
        assert len(server.requests) == len(ALL)

    def test_keep_the_models_of_a_case_together(self, project: Project) -> None:
        project.model(id="slow")

        for index in range(1, 4):
            found = listed(project, "--shard", f"{index}/3", "--model", "fast", "--model", "slow")
            assert [found.count(case) for case in found] == [2] * len(found)

    @pytest.mark.parametrize("output", [("--json",), ()])
    def test_that_are_empty_have_nothing_to_do(
        self, project: Project, server: StubServer, output: tuple[str, ...]
    ) -> None:
        empty = next(index for index in range(1, 41) if not listed(project, "ask", "--shard", f"{index}/40"))

        run = project.gko("config", "test", "ask", "--shard", f"{empty}/40", *output)

        assert (run.exit_code, run.stderr.count("\n")) == (0, 1)
        assert f"{empty}/40" in run.stderr
        assert run.stdout == (b"[]\n" if output else b"COMMAND  CASE  RESULT  DURATION\n")
        assert server.requests == []

    def test_without_a_case_that_has_the_tag_have_nothing_to_do(self, project: Project) -> None:
        runs = [project.gko("config", "test", "--list", "--json", "--tag=smoke", f"--shard={i}/3") for i in (1, 2, 3)]

        assert [run.exit_code for run in runs] == [0, 0, 0]
        assert [case for run in runs for case in cases(run)] == ["ask/b"]
        assert "'smok'" in refused(project.gko("config", "test", "--tag=smok", "--shard=1/3"))

    @pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/3", ""])
    def test_that_do_not_exist_are_refused(self, project: Project, shard: str) -> None:
        error = refused(project.gko("config", "test", f"--shard={shard}"))

        assert ["--shard" in error, f"'{shard}'" in error] == [True, True]


class TestListing:
    def test_is_a_table(self, project: Project, server: StubServer) -> None:
        run = project.gko("config", "test", "--list")

        assert (run.exit_code, run.stderr) == (0, "")
        assert run.stdout.decode() == (
            "COMMAND     CASE      TAGS         FILE\n"
            "ask         a         -            .gekko/tests/ask/a.toml\n"
            "ask         b         slow, smoke  .gekko/tests/ask/b.toml\n"
            "ask         c         slow         .gekko/tests/ask/c.toml\n"
            "git/review  hardware  -            .gekko/tests/git/review/hardware.toml\n"
            "git/review  software  -            .gekko/tests/git/review/software.toml\n"
        )
        assert server.requests == []

    def test_has_models_where_there_are_several_and_tags_where_there_are_any(self, project: Project) -> None:
        project.model(id="slow")

        run = project.gko("config", "test", "--list", "git", "--case", "hard*", "--model", "fast", "--model", "slow")

        file = ".gekko/tests/git/review/hardware.toml"
        assert run.stdout.decode() == (
            "COMMAND     CASE      MODEL  FILE\n"
            f"git/review  hardware  fast   {file}\n"
            f"git/review  hardware  slow   {file}\n"
        )

    def test_is_json_with_these_keys_in_this_order(self, project: Project) -> None:
        (row,) = json.loads(project.gko("config", "test", "--list", "--json", "--tag=smoke", "--repeat=4").stdout)

        assert list(row.items()) == [
            ("command", "ask"),
            ("case", "b"),
            ("model", "fast"),
            ("tags", ["slow", "smoke"]),
            ("runs", 4),
            ("file", str(project.root / "tests/ask/b.toml")),
        ]

    def test_needs_neither_a_backend_nor_its_headers(self, project: Project) -> None:
        project.backend("http://127.0.0.1:9", '[headers]\nAuthorization = "{{ env.NOT_SET_ANYWHERE }}"')

        assert listed(project) == ALL

    def test_refuses_what_a_run_would_refuse(self, project: Project) -> None:
        project.case("ask/broken", "lins = 3")

        assert "broken.toml" in refused(project.gko("config", "test", "--list"))

    def test_is_no_dry_run(self, project: Project) -> None:
        error = refused(project.gko("config", "test", "--list", "--dry-run"))

        assert ["--list" in error, "--dry-run" in error] == [True, True]


class TestFailed:
    def test_runs_again_what_failed_until_nothing_does(self, project: Project, server: StubServer) -> None:
        server.say_each(["ok", "bad", "ok", "bad", "ok"])
        assert project.gko("config", "test").exit_code == 4

        server.say_each(["ok", "bad"])
        again = project.gko("config", "test", "--failed", "--json")
        last = project.gko("config", "test", "--failed", "--json")
        server.say("ok")
        final = project.gko("config", "test", "--failed", "--json")

        assert [cases(run) for run in (again, last)] == [["ask/b", "git/review/hardware"], ["git/review/hardware"]]
        assert cases(final) == ["git/review/hardware"]
        nothing = project.gko("config", "test", "--failed", "--json")
        assert (nothing.exit_code, nothing.stdout, nothing.stderr.count("\n")) == (0, b"[]\n", 2)
        assert "0 of 5 cases" in nothing.stderr
        assert "3 runs" in nothing.stderr

    def test_goes_on_with_what_a_narrower_one_left(self, project: Project, server: StubServer) -> None:
        server.say("bad")
        project.gko("config", "test")
        server.say("ok")

        assert cases(project.gko("config", "test", "git", "--failed", "--json")) == ALL[3:]
        assert listed(project, "--failed") == ALL[:3]
        assert project.gko("config", "test", "git", "--failed").exit_code == 0

    def test_runs_what_got_no_answer_or_was_never_begun(self, project: Project, server: StubServer) -> None:
        server.answer(say("ok"), status(500))
        assert project.gko("config", "test").exit_code == 3

        assert listed(project, "--failed") == ALL[1:]

    def test_runs_on_the_model_that_failed(self, project: Project, server: StubServer) -> None:
        project.model(id="slow")
        server.say_each(["ok", "bad", "ok", "ok"])
        project.gko("config", "test", "--case=hardware", "--case=a", "--model=fast", "--model=slow")
        server.requests.clear()

        run = project.gko("config", "test", "--failed", "--json")

        assert [row["model"] for row in json.loads(run.stdout)] == ["slow"]
        assert [request.json["model"] for request in server.requests] == ["served-slow"]

    def test_without_any_run_is_refused(self, project: Project, server: StubServer) -> None:
        error = refused(project.gko("config", "test", "--failed"))

        assert "--failed" in error
        assert server.requests == []

    def test_knows_the_runs_of_its_own_project_alone(
        self, project: Project, server: StubServer, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        server.say("bad")
        project.gko("config", "test")
        other = Project(tmp_path_factory.mktemp("other"), {"XDG_STATE_HOME": str(project.folder / "home/.local/state")})
        other.backend(server.url)
        other.model()
        other.command("ask")
        other.case("ask/a")

        refused(other.gko("config", "test", "--failed"))

    @pytest.mark.parametrize("options", [(), ("--list",)])
    def test_says_what_it_goes_on_with_but_not_on_standard_output(
        self, project: Project, server: StubServer, options: tuple[str, ...]
    ) -> None:
        server.say("bad")
        project.gko("config", "test", "git", "--case", "*ware", "--repeat", "1")

        run = project.gko("config", "test", "--failed", "--json", *options)
        quiet = project.gko("config", "test", "--failed", "--json", "--list", "-v", "error")

        assert cases(run) == cases(quiet) == ALL[3:]
        assert run.stderr.startswith(
            "--failed: 2 of 2 cases left by `gko config test git '--case=*ware' --repeat=1` of "
        )
        assert quiet.stderr == ""

    @pytest.mark.parametrize("blocks", [0, 1])
    def test_of_a_run_whose_journal_was_cut_off_is_refused(
        self, project: Project, server: StubServer, blocks: int
    ) -> None:
        """The one before it was green, and says nothing of it."""
        for number in range(10):
            project.case(f"ask/more{number}", OK)
        server.say("ok")
        assert project.gko("config", "test").exit_code == 0
        server.say("bad")
        # No file grows longer than that, as if the disk were full; coverage could not write its own either.
        full = project.shell(f"unset COVERAGE_PROCESS_CONFIG; ulimit -f {blocks}; gko config test")
        assert full.exit_code == 4
        assert "--failed" in full.stderr

        error = refused(project.gko("config", "test", "--failed"))

        journal = max(journals(project), key=lambda path: path.name)
        assert journal.stat().st_size == 1024 * blocks
        assert [journal.name in error, "`gko config test`" in error] == [True, True]
        assert project.gko("config", "test").exit_code == 4
        assert len(listed(project, "--failed")) == 15

    def test_means_the_one_that_ended_last(self, project: Project, server: StubServer) -> None:
        server.answer_with(lambda asked: delay(2, say("bad")) if "printer" in str(asked.json) else say("ok"))
        with project.start("config", "test", "ask", "--case", "a") as process:
            assert server.wait_for_requests(1)
            assert project.gko("config", "test", "ask", "--case", "b").exit_code == 0
            assert process.poll() is None
            process.communicate(timeout=30)
        assert process.returncode == 4

        assert listed(project, "--failed") == ["ask/a"]
        resumed = project.gko("config", "test", "--resume")
        assert resumed.exit_code == 4
        assert "`gko config test ask --case=a`" in resumed.stderr

    def test_means_none_of_the_future(self, project: Project, server: StubServer) -> None:
        server.say("ok")
        project.gko("config", "test")
        [green] = journals(project)
        future = green.rename(green.with_name("29991231T235959.000000-1.jsonl"))
        os.utime(future, (2**34, 2**34))
        server.say("bad")
        project.gko("config", "test", "git")

        assert listed(project, "--failed") == ALL[3:]


def journals(project: Project) -> list[Path]:
    return list((project.folder / "home/.local/state/gekko/journals").glob("*/*.jsonl"))


def test_a_file_of_the_users_scope_is_selected_too(project: Project) -> None:
    user = Path(project.environment()["XDG_CONFIG_HOME"], "gekko/tests/ask/own.toml")
    user.parent.mkdir(parents=True)
    user.write_text('input = "x"\n[expect]\n')

    assert listed(project, str(user)) == ["ask/own"]
