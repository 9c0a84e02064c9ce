"""A configuration that cannot be loaded: what still works, and who says why the rest does not."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.project import Project

SCOPES: Final = {"system": "system", "user": "home/.config/gekko", "project": ".gekko"}

REASON: Final = "broken.toml:2:8"


@pytest.fixture(params=SCOPES)
def broken(project: Project, request: pytest.FixtureRequest) -> Path:
    """A backend that is no TOML, in one scope or another of a project that is sound otherwise."""
    project.command("ask", 'model = "fast"\n', "{{ input }}")
    path = project.folder / SCOPES[request.param] / "backends/broken.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('id = "broken"\ntype = \n')
    return path


@pytest.mark.usefixtures("broken")
class TestBuiltIns:
    @pytest.mark.parametrize(
        "args",
        [
            ("config", "schema", "backend"),
            ("config", "schema", "test"),
            ("config", "expectations"),
            ("config", "--help"),
            ("config", "test", "--help"),
            ("describe", "config", "test"),
            ("describe", "config"),
            ("doctor", "--help"),
            ("completion", "bash"),
            ("--version",),
        ],
        ids=" ".join,
    )
    def test_that_need_none_work(self, project: Project, args: tuple[str, ...]) -> None:
        run = project.gko(*args)

        assert (run.exit_code, run.stderr) == (0, "")
        assert run.stdout

    @pytest.mark.parametrize(
        "args",
        [("config", "models"), ("config", "test"), ("describe", "ask"), ("ask",), ("asq",)],
        ids=" ".join,
    )
    def test_that_need_one_say_where_it_is_broken(self, project: Project, args: tuple[str, ...]) -> None:
        run = project.gko(*args)

        assert (run.exit_code, run.stdout) == (2, b"")
        assert REASON in run.stderr

    def test_help_lists_the_built_ins_and_leads_to_the_doctor(self, project: Project) -> None:
        run = project.gko("--help")

        assert (run.exit_code, run.stderr) == (0, "")
        assert b"config " in run.stdout
        assert b"broken" in run.stdout
        assert b"`gko doctor`" in run.stdout

    def test_the_index_lists_the_built_ins_and_leads_to_the_doctor(self, project: Project) -> None:
        run = project.gko("describe")

        assert run.exit_code == 0
        assert {row["kind"] for row in json.loads(run.stdout)} == {"built-in"}
        assert run.stderr.startswith("warning: ")
        assert "`gko doctor`" in run.stderr

    @pytest.mark.parametrize("command", [("doctor",), ("config", "check")], ids=" ".join)
    def test_the_doctor_says_where_it_is_broken(self, project: Project, command: tuple[str, ...]) -> None:
        run = project.gko(*command, "--json")

        assert (run.exit_code, run.stderr) == (2, "")
        failed = [row for row in json.loads(run.stdout) if row["status"] != "ok"]
        assert [(row["kind"], row["label"]) for row in failed] == [("config", "configuration")]
        assert REASON in failed[0]["message"]


class TestADoctor:
    def test_names_every_broken_file_of_every_scope(self, project: Project) -> None:
        for scope in SCOPES.values():
            path = project.folder / scope / "models/broken.toml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("id =\n")

        (failed,) = [row for row in json.loads(project.gko("doctor", "--json").stdout) if row["status"] != "ok"]

        named = {line.partition(":")[0] for line in failed["message"].splitlines()}
        assert named == {f"{scope}/models/broken.toml" for scope in SCOPES.values()}

    @pytest.mark.parametrize(
        ("args", "culprit"),
        [(("--config-dir", "elsewhere"), "--config-dir"), (("--config-dir", "file"), "--config-dir")],
        ids=["missing", "no-folder"],
    )
    def test_tells_of_a_scope_that_cannot_be_one(self, project: Project, args: tuple[str, ...], culprit: str) -> None:
        (project.folder / "file").touch()

        run = project.gko("doctor", *args)

        assert run.exit_code == 2
        assert culprit in run.stdout.decode()

    def test_is_content_with_no_scope_at_all(self, tmp_path: Path) -> None:
        run = Project(tmp_path).gko("doctor", "--json")

        assert (run.exit_code, run.stderr) == (0, "")
        assert {row["status"] for row in json.loads(run.stdout)} == {"ok"}

    def test_finds_a_broken_command_of_a_broader_scope_that_breaks_no_other(self, project: Project) -> None:
        project.command("ask", 'model = "fast"\n', "{{ input }}")
        path = project.folder / "system/commands/broken.md"
        path.parent.mkdir(parents=True)
        path.write_text("no front matter\n")

        run = project.gko("doctor", "--json")

        assert run.exit_code == 2
        failed = [row["label"] for row in json.loads(run.stdout) if row["status"] != "ok"]
        assert failed == ["command broken"]
        assert project.gko("ask", "--dry-run").exit_code == 0

    def test_does_not_read_a_broken_command_that_is_replaced(self, project: Project) -> None:
        project.command("ask", 'model = "fast"\n', "{{ input }}")
        path = project.folder / "system/commands/ask.md"
        path.parent.mkdir(parents=True)
        path.write_text("no front matter\n")

        assert project.gko("doctor").exit_code == 0
