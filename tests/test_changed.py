"""`gko config test --changed`: the cases that something changed for since a commit, in real repositories of git."""

import json
import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.plugins import plug_in
from tests.project import Finished, Project
from tests.stub_server import StubServer

pytestmark = pytest.mark.needs_program("git", "git")

FRONT: Final = 'model = "fast"\n[partials]\nstyle = "style"\n'

PROMPT: Final = "{{ partials.style }} {{ input }}"

JUDGED: Final = """
    commands_asked = ("grade",)
    models_asked = ("second",)

    def judge(self, value, outcome):
        yield from ()
"""

NO_CONFIGURATION: Final = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def git(project: Project, *args: str) -> str:
    """Call git in the project's folder, and return what it prints."""
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *args]
    environ = project.environment(NO_CONFIGURATION)
    return subprocess.run(
        command, cwd=project.folder, env=environ, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(project: Project, message: str = "as it is") -> str:
    """Commit the project as it is, and return the id of the commit."""
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(project, "rev-parse", "HEAD")


def listed(run: Finished) -> list[str]:
    """Return the cases that a run listed, as "command/case"."""
    assert run.exit_code == 0, run.stderr
    return [f"{row['command']}/{row['case']}" for row in json.loads(run.stdout)]


def changed(project: Project, *args: str) -> list[str]:
    """Return the cases that changed, by the option alone or as *args* have it."""
    return listed(
        project.gko("config", "test", "--list", "--json", *(args or ("--changed",)), environ=NO_CONFIGURATION)
    )


@pytest.fixture
def project(project: Project) -> Project:
    """A committed project: two commands that share a partial, one that does not, and a case of each."""
    project.write("partials/style.md", "Be brief.")
    project.command("git/review", FRONT, PROMPT)
    project.command("ask", FRONT, PROMPT)
    project.command("plain", 'model = "fast"\n', "{{ input }}")
    for command in ("git/review", "ask", "plain"):
        project.case(f"{command}/a")
    (project.folder / ".gitignore").write_text("home/\n")
    git(project, "init", "--quiet", "--initial-branch", "main")
    commit(project)
    return project


ALL: Final = ["ask/a", "git/review/a", "plain/a"]


class TestWhatCounts:
    def test_nothing_has_changed_in_a_clean_checkout(self, project: Project, server: StubServer) -> None:
        run = project.gko("config", "test", "--changed", "--json")

        assert (run.exit_code, run.stdout) == (0, b"[]\n")
        assert run.stderr.count("\n") == 1
        assert "HEAD" in run.stderr
        assert server.requests == []

    def test_a_shared_partial_selects_exactly_its_dependents(self, project: Project, server: StubServer) -> None:
        project.write("partials/style.md", "Be long.")

        run = project.gko("config", "test", "--changed", "--json")

        assert [row["command"] for row in json.loads(run.stdout)] == ["ask", "git/review"]
        assert len(server.requests) == 2

    @pytest.mark.parametrize("name", ["partials/unused.md", "commands/new.md", "../README.md"])
    def test_what_no_case_depends_on_selects_none(self, project: Project, name: str) -> None:
        project.write(name, '---\nmodel = "fast"\n---\n{{ input }}')

        assert changed(project) == []

    def test_a_prompt_selects_the_cases_of_its_command(self, project: Project) -> None:
        project.command("plain", 'model = "fast"\n', "Now: {{ input }}")

        assert changed(project) == ["plain/a"]

    def test_a_case_selects_itself_and_a_new_one_too(self, project: Project) -> None:
        project.case("ask/a", 'contains = ["ok"]')
        project.case("ask/b")
        project.case("ask/c")
        git(project, "add", ".gekko/tests/ask/b.toml")  # staged or not makes no difference

        assert changed(project) == ["ask/a", "ask/b", "ask/c"]

    def test_an_input_file_selects_its_case(self, project: Project) -> None:
        project.case("plain/file", given='input = { file = "in.txt" }')
        project.write("tests/plain/in.txt", "one")
        commit(project)
        project.write("tests/plain/in.txt", "two")

        assert changed(project) == ["plain/file"]

    def test_a_model_and_its_generation_select_and_where_its_backend_is_does_not(
        self, project: Project, server: StubServer
    ) -> None:
        project.backend("http://127.0.0.1:9")
        assert changed(project) == []

        project.model("[generation]\ntemperature = 0.5\n")
        assert changed(project) == ALL

        git(project, "checkout", "--quiet", ".gekko/models")
        project.write("models/fast.toml", (project.root / "models/fast.toml").read_text().replace("served", "other"))
        assert changed(project) == ALL

    def test_a_schema_selects_even_one_that_another_refers_to(self, project: Project) -> None:
        project.write("schemas/part.json", '{"type": "string"}')
        project.write("schemas/whole.json", '{"properties": {"a": {"$ref": "part.json"}}}')
        project.command("shaped", 'model = "fast"\n[output]\nformat = "json"\nschema = "whole"\n', "{{ input }}")
        project.case("shaped/a")
        commit(project)
        assert changed(project) == []

        project.write("schemas/part.json", '{"type": "number"}')

        assert changed(project) == ["shaped/a"]

    def test_what_was_broken_then_selects(self, project: Project) -> None:
        broken = project.write("tests/plain/a.toml", "input = ")
        then = commit(project)
        assert project.gko("config", "test", "--list").exit_code == 2

        broken.unlink()
        project.case("plain/a")
        assert changed(project, f"--changed={then}") == ["plain/a"]

        project.write("models/broken.toml", "id = ")
        then = commit(project)
        (project.root / "models/broken.toml").unlink()
        assert changed(project, f"--changed={then}") == ALL

    def test_what_is_broken_now_is_an_error(self, project: Project, server: StubServer) -> None:
        project.write("tests/plain/a.toml", "input = ")

        run = project.gko("config", "test", "--changed")

        assert run.exit_code == 2
        assert "tests/plain/a.toml" in run.stderr
        assert server.requests == []

    def test_whoever_judges_the_answers_selects(self, project: Project) -> None:
        plug_in(project, "graded", JUDGED)
        project.model(id="judge")
        project.model(id="second")
        project.command("grade", 'model = "judge"\n', "Grade: {{ input }}")
        project.case("plain/graded", "graded = true")
        commit(project)
        assert changed(project) == []

        project.command("grade", 'model = "judge"\n', "Grade well: {{ input }}")
        assert changed(project) == ["plain/graded"]

        git(project, "checkout", "--quiet", ".gekko/commands")
        project.model("[generation]\nseed = 1\n", id="second")
        assert changed(project) == ["plain/graded"]

    def test_another_model_on_the_command_line_is_compared_with_itself(self, project: Project) -> None:
        project.model(id="other")
        assert changed(project, "--changed", "--model", "other") == ALL

        commit(project)
        assert changed(project, "--changed", "--model", "other") == []

        project.model("[generation]\nseed = 1\n", id="other")
        assert changed(project, "--changed", "--model", "other", "--model", "fast") == ALL
        assert changed(project) == []


class TestWhere:
    def test_a_file_outside_of_the_scope_is_as_it_was_where_it_is_in_the_repository(self, project: Project) -> None:
        outside = project.folder / "docs/style.md"
        outside.parent.mkdir()
        outside.write_text("Outside.")
        project.command("far", 'model = "fast"\n[partials]\nstyle = "../docs/style.md"\n', PROMPT)
        project.case("far/a")
        commit(project)
        assert changed(project) == []

        outside.write_text("Changed.")

        assert changed(project) == ["far/a"]

    def test_a_link_that_leads_out_of_the_scope_is_followed(self, project: Project) -> None:
        outside = project.folder / "docs/style.md"
        outside.parent.mkdir()
        outside.write_text("Be brief.")
        (project.root / "partials/style.md").unlink()
        (project.root / "partials/style.md").symlink_to("../../docs/style.md")
        assert changed(project) == []  # the text is the same

        commit(project)
        outside.write_text("Be long.")

        assert changed(project) == ["ask/a", "git/review/a"]

    def test_a_scope_in_a_folder_of_the_repository_is_compared_there(self, project: Project) -> None:
        inner = Project(project.folder / "services/one", project.environ)
        inner.folder.mkdir(parents=True)
        project.root.rename(inner.root)
        commit(project)
        assert changed(inner) == []

        inner.write("partials/style.md", "Be long.")

        assert changed(inner) == ["ask/a", "git/review/a"]

    def test_a_scope_that_is_not_in_the_repository_is_as_it_is_now(
        self, project: Project, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        project.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("home"))
        user = Path(project.environ["XDG_CONFIG_HOME"], "gekko/partials/style.md")
        user.parent.mkdir(parents=True)
        user.write_text("Of the user.")
        (project.root / "partials/style.md").unlink()
        commit(project)

        user.write_text("Changed.")

        assert changed(project) == []

    def test_line_ends_are_those_that_a_checkout_would_write(self, project: Project) -> None:
        (project.folder / ".gitattributes").write_text("*.toml eol=crlf\n")
        commit(project)
        for path in (project.root / "tests").rglob("*.toml"):
            path.unlink()
        git(project, "checkout", "--quiet", ".gekko/tests")

        assert b"\r\n" in (project.root / "tests/ask/a.toml").read_bytes()
        assert changed(project) == []

    def test_files_that_an_archive_would_leave_out_are_compared(self, project: Project) -> None:
        (project.folder / ".gitattributes").write_text(".gekko/tests export-ignore\n")
        commit(project)

        assert changed(project) == []

    def test_the_repository_is_left_as_it_is(self, project: Project) -> None:
        project.write("partials/style.md", "Be long.")
        before = {path: path.stat() for path in project.folder.rglob("*") if path.is_file()}
        assert changed(project) != []

        after = {path: path.stat() for path in project.folder.rglob("*") if path.is_file()}
        assert {path: stat.st_mtime_ns for path, stat in after.items()} == {
            path: stat.st_mtime_ns for path, stat in before.items()
        }

    def test_a_hook_may_call_it(self, project: Project) -> None:
        (project.folder / "home/tmp").mkdir()
        hook = project.folder / ".git/hooks/pre-commit"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\ngko config test --list --json --changed > listed.json\n")
        hook.chmod(0o755)
        project.write("partials/style.md", "Be long.")

        run = project.shell("git -c user.name=A -c user.email=a@example.org commit -qam x", NO_CONFIGURATION)

        assert run.exit_code == 0, run.stderr
        rows = json.loads((project.folder / "listed.json").read_bytes())
        assert [row["command"] for row in rows] == ["ask", "git/review"]


def far(project: Project, reference: str) -> None:
    """Give the project a command whose partial is elsewhere, and a case of it."""
    project.command("far", f'model = "fast"\n[partials]\nstyle = "{reference}"\n', PROMPT)
    project.case("far/a")


def outside(project: Project, name: str, text: str) -> Path:
    """Write a file beside the scope."""
    path = project.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def nested(project: Project, name: str) -> None:
    """Make a repository of its own in a folder of the project, with a file in it."""
    outside(project, f"{name}/style.md", "Nested.")
    git(project, "init", "--quiet", name)
    git(project, "-C", name, "add", "--all")
    git(project, "-C", name, "commit", "--quiet", "--message", "nested")


class TestWhatGitDoesNotCompare:
    def test_an_ignored_file_outside_of_the_scope_selects(self, project: Project) -> None:
        (project.folder / ".gitignore").write_text("home/\n/docs/style.md\n")
        style = outside(project, "docs/style.md", "Ignored.")
        far(project, "../docs/style.md")
        commit(project)
        style.write_text("Changed.")

        assert changed(project) == ["far/a"]

    def test_an_ignored_schema_selects_whether_a_command_or_another_schema_names_it(self, project: Project) -> None:
        (project.folder / ".gitignore").write_text("home/\n/docs/*.json\n")
        whole = outside(project, "docs/whole.json", '{"type": "string"}')
        outside(project, "docs/part.json", '{"type": "string"}')
        project.write("schemas/near.json", '{"properties": {"a": {"$ref": "../../docs/part.json"}}}')
        for name, schema in (("far", "../docs/whole.json"), ("near", "near")):
            project.command(name, f'model = "fast"\n[output]\nformat = "json"\nschema = "{schema}"\n', "{{ input }}")
            project.case(f"{name}/a")
        commit(project)
        whole.write_text('{"type": "number"}')

        assert changed(project) == ["far/a", "near/a"]

    def test_tracked_schemas_are_compared_wherever_they_refer_to_each_other(self, project: Project) -> None:
        project.write("schemas/near.json", '{"properties": {"a": {"$ref": "../../docs/whole.json"}}}')
        outside(project, "docs/whole.json", '{"properties": {"a": {"$ref": "parts/part.json"}}}')
        part = outside(project, "docs/parts/part.json", '{"type": "string"}')
        project.command("near", 'model = "fast"\n[output]\nformat = "json"\nschema = "near"\n', "{{ input }}")
        project.case("near/a")
        commit(project)
        assert changed(project) == []

        part.write_text('{"type": "number"}')

        assert changed(project) == ["near/a"]

    def test_a_default_of_an_argument_is_compared_where_it_is_tracked(self, project: Project) -> None:
        (project.folder / ".gitignore").write_text("home/\n/docs/ignored.md\n")
        tracked = outside(project, "docs/tracked.md", "Tracked.")
        outside(project, "docs/ignored.md", "Ignored.")
        for name in ("tracked", "ignored"):
            front = f'model = "fast"\n[args.rules]\ntype = "file"\ndefault = "../docs/{name}.md"\n'
            project.command(name, front, "{{ args.rules }} {{ input }}")
            project.case(f"{name}/a")
        commit(project)
        assert changed(project) == ["ignored/a"]

        tracked.write_text("Changed.")

        assert changed(project) == ["ignored/a", "tracked/a"]

    def test_a_file_in_a_submodule_selects_dirty_or_with_another_commit(self, project: Project) -> None:
        nested(project, "sub")
        git(project, "add", "sub")
        far(project, "../sub/style.md")
        commit(project)
        outside(project, "sub/style.md", "Dirty.")
        assert git(project, "ls-files", "--stage", "sub").startswith("160000")
        assert changed(project) == ["far/a"]

        git(project, "-C", "sub", "commit", "--quiet", "--all", "--message", "bumped")
        commit(project)

        assert changed(project, "--changed=HEAD~1") == ["far/a"]

    def test_a_file_in_an_untracked_repository_selects(self, project: Project) -> None:
        far(project, "../other/style.md")
        commit(project)
        nested(project, "other")

        assert changed(project) == ["far/a"]

    @pytest.mark.parametrize("link", ["docs", ".gekko/linked"])
    def test_a_tracked_link_into_a_submodule_selects(self, project: Project, link: str) -> None:
        nested(project, "sub")
        depth = len(Path(link).parts) - 1
        (project.folder / link).symlink_to("../" * depth + "sub", target_is_directory=True)
        far(project, f"../{link}/style.md")
        commit(project)
        outside(project, "sub/style.md", "Dirty.")

        assert changed(project) == ["far/a"]

    def test_links_between_tracked_folders_are_followed(self, project: Project) -> None:
        style = outside(project, "texts/en/style.md", "Outside.")
        (project.folder / "docs").mkdir()
        (project.folder / "docs/now").symlink_to("../texts/en", target_is_directory=True)
        (project.folder / "docs/link.md").symlink_to("now/../en/style.md")
        far(project, "../docs/link.md")
        commit(project)
        assert changed(project) == []

        style.write_text("Changed.")

        assert changed(project) == ["far/a"]

    @pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
    def test_a_file_that_git_was_told_not_to_look_at_is_compared(self, project: Project, flag: str) -> None:
        style = outside(project, "docs/style.md", "Outside.")
        far(project, "../docs/style.md")
        commit(project)
        git(project, "update-index", flag, "docs/style.md")
        assert changed(project) == []

        style.write_text("Changed.")

        assert changed(project) == ["far/a"]

    def test_is_told_to_whoever_asks(self, project: Project) -> None:
        (project.folder / ".gitignore").write_text("home/\n/docs/\n")
        outside(project, "docs/style.md", "Ignored.")
        far(project, "../docs/style.md")
        commit(project)

        run = project.gko("config", "test", "--list", "--changed", "--verbose", "info", environ=NO_CONFIGURATION)

        assert run.exit_code == 0
        told = [line for line in run.stderr.splitlines() if "--changed" in line]
        assert len(told) == 1
        assert "'docs/style.md'" in told[0]


class TestRecordings:
    @pytest.fixture
    def project(self, project: Project, server: StubServer) -> Project:
        """The project with a recording of each case."""
        assert project.gko("config", "test", "--record").exit_code == 0
        commit(project)
        return project

    @pytest.mark.parametrize("replay", ["--replay", "--replay=missing"])
    def test_one_that_was_edited_selects_its_case(self, project: Project, replay: str) -> None:
        assert changed(project) == []
        recording = project.root / "tests/ask/a.recording.jsonl"
        recording.write_text(recording.read_text().replace('"run":0', '"run": 0'))

        run = project.gko("config", "test", replay, "--changed", "--json", environ=NO_CONFIGURATION)

        assert run.exit_code == 0, run.stderr
        assert [row["command"] for row in json.loads(run.stdout)] == ["ask"]

    def test_one_that_was_removed_or_added_selects_its_case(self, project: Project) -> None:
        (project.root / "tests/ask/a.recording.jsonl").unlink()
        assert changed(project) == ["ask/a"]

        commit(project)
        git(project, "checkout", "--quiet", "HEAD~1", "--", ".gekko/tests/ask")
        assert changed(project) == ["ask/a"]


class TestRefs:
    @pytest.fixture
    def project(self, project: Project) -> Project:
        """The project with a branch of before a change."""
        git(project, "branch", "before")
        project.write("partials/style.md", "Be long.")
        commit(project)
        return project

    @pytest.mark.parametrize(
        ("args", "cases"),
        [
            (("--changed",), []),
            (("--changed=HEAD",), []),
            (("--changed=before",), ["ask/a", "git/review/a"]),
            (("--changed", "before"), ["ask/a", "git/review/a"]),
            (("--changed", "HEAD~1", "git"), ["git/review/a"]),
            (("git", "--changed", "before"), ["git/review/a"]),
            (("--changed", "git", "review"), []),
            (("git", "--changed", "review"), []),
            (("--changed", ".gekko/tests/ask/a.toml"), []),
            (("--changed=before", ".gekko/tests/ask/a.toml"), ["ask/a"]),
            (("--changed=HEAD", "--changed", "before"), ["ask/a", "git/review/a"]),
        ],
    )
    def test_are_told_from_words(self, project: Project, args: tuple[str, ...], cases: list[str]) -> None:
        assert changed(project, *args) == cases

    def test_that_are_called_like_a_command_are_given_with_a_sign(self, project: Project) -> None:
        git(project, "branch", "ask", "before")

        assert changed(project, "--changed", "ask") == []
        assert changed(project, "--changed=ask", "ask") == ["ask/a"]

    @pytest.mark.parametrize(("ref", "near"), [("befroe", "'before'"), ("-n", ""), ("", ""), ("HEAD:.gekko", "")])
    def test_that_name_no_commit_are_refused(self, project: Project, server: StubServer, ref: str, near: str) -> None:
        run = project.gko("config", "test", f"--changed={ref}")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "--changed" in run.stderr
        assert f"'{ref}'" in run.stderr
        assert near in run.stderr
        assert server.requests == []

    def test_that_a_shallow_clone_lacks_are_refused_with_that(self, project: Project, tmp_path: Path) -> None:
        git(project, "clone", "--quiet", "--depth", "1", f"file://{project.folder}", str(tmp_path / "clone"))
        clone = Project(tmp_path / "clone")

        run = clone.gko("config", "test", "--changed=HEAD~1")

        assert run.exit_code == 2
        assert "shallow" in run.stderr


class TestWithoutGit:
    def test_a_folder_in_no_repository_is_refused(self, tmp_path: Path) -> None:
        project = Project(tmp_path)
        project.command("ask")
        project.case("ask/a")

        run = project.gko("config", "test", "--changed", environ={"GIT_CEILING_DIRECTORIES": str(tmp_path)})

        assert (run.exit_code, run.stdout) == (2, b"")
        assert ".gekko" in run.stderr

    def test_a_machine_without_git_is_told_so(self, project: Project) -> None:
        (project.folder / "home/bin").mkdir()

        run = project.gko("config", "test", "--changed", environ={"PATH": str(project.folder / "home/bin")})

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "'git'" in run.stderr

    def test_a_repository_without_a_commit_is_told_so(self, tmp_path: Path) -> None:
        project = Project(tmp_path)
        project.command("ask")
        project.case("ask/a")
        git(project, "init", "--quiet")

        run = project.gko("config", "test", "--changed")

        assert run.exit_code == 2
        assert "'HEAD'" in run.stderr
