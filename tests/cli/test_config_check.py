"""`gko config check`: what it tells of files that nothing reads, and of servers that nobody started."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.project import GKO, Finished, Project
from tests.runtimes.served import free_port

ANSWERS_ANYTHING: Final = 'model = "fast"\n'

RUNTIME: Final = '[runtime]\ntype = "process"\ncommand = "true"\n'


@pytest.fixture
def sound(project: Project) -> Project:
    """A project with a command and a case."""
    project.command("ask", ANSWERS_ANYTHING, "{{ input }}")
    project.case("ask/first", "lines = 1")
    return project


def rows(run: Finished) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run.stdout)
    return found


def failed(run: Finished) -> list[tuple[str, str]]:
    return [(row["kind"], row["label"]) for row in rows(run) if row["status"] == "failed"]


class TestWhatNothingReads:
    def test_is_a_failed_check_with_a_hint(self, sound: Project) -> None:
        sound.write("models/team/slow.toml", 'id = "slow"\nbackend = "stub"\noperation = "chat"\nmodel = "m"\n')
        sound.write("command/tell.md", f"---\n{ANSWERS_ANYTHING}---\nHello\n")

        run = sound.gko("config", "check", "--json")

        assert (run.exit_code, run.stderr) == (2, "")
        assert failed(run) == [("config", "unread .gekko/command"), ("config", "unread .gekko/models/team")]
        assert {tuple(row) for row in rows(run)} == {("kind", "label", "status", "message")}
        assert "'commands'" in next(row["message"] for row in rows(run) if row["label"] == "unread .gekko/command")

    def test_is_told_beside_a_configuration_that_cannot_be_loaded(self, sound: Project) -> None:
        sound.write("backends/broken.toml", "id =\n")
        sound.case("ask/first").rename(sound.root / "first.toml")

        run = sound.gko("doctor", "--json")

        assert failed(run) == [("config", "configuration"), ("config", "unread .gekko/first.toml")]

    def test_is_told_of_every_scope(self, sound: Project) -> None:
        path = sound.folder / "system/backend/other.toml"
        path.parent.mkdir(parents=True)
        path.write_text('id = "other"\ntype = "embedded"\nweights = "x"\n')

        assert failed(sound.gko("doctor", "--json")) == [("config", "unread system/backend")]

    def test_is_told_once_where_a_suite_is_refused_because_of_it(self, sound: Project) -> None:
        (sound.root / "tests").rename(sound.root / "test")

        assert failed(sound.gko("doctor", "--json")) == [("config", "case .gekko/test")]


class TestCasesThatNobodyWouldMiss:
    """The suite of another scope is sound, and must not pass for the whole."""

    @pytest.fixture
    def wider(self, sound: Project) -> Project:
        path = sound.folder / "home/.config/gekko/tests/ask/second.toml"
        path.parent.mkdir(parents=True)
        path.write_text('input = "x"\n[expect]\n')
        return sound

    @pytest.mark.parametrize("selection", [(), ("ask",)], ids=len)
    def test_in_a_misspelt_folder_stop_the_suite(self, wider: Project, selection: tuple[str, ...]) -> None:
        (wider.root / "tests").rename(wider.root / "Test")

        run = wider.gko("config", "test", *selection)

        assert (run.exit_code, run.stdout) == (2, b"")
        assert run.stderr.startswith("error: .gekko/Test: ")

    @pytest.mark.parametrize("selection", [(), ("ask",)], ids=len)
    @pytest.mark.parametrize("link", ["tests", "tests/ask"])
    def test_behind_a_link_to_nowhere_stop_the_suite(
        self, wider: Project, link: str, selection: tuple[str, ...]
    ) -> None:
        shutil.rmtree(wider.root / link)
        (wider.root / link).symlink_to("nowhere")

        run = wider.gko("config", "test", *selection)

        assert (run.exit_code, run.stdout) == (2, b"")
        assert run.stderr.startswith(f"error: .gekko/{link}: ")

    def test_in_a_folder_that_cannot_be_read_stop_the_suite(self, wider: Project) -> None:
        (wider.root / "tests/ask").chmod(0)

        run = without_privileges(wider, "config", "test")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert run.stderr.startswith("error: .gekko/tests/ask: ")
        assert "Permission denied" in run.stderr

    def test_in_a_scope_that_is_a_link_to_nowhere_stop_the_suite(self, wider: Project) -> None:
        wider.root.rename(wider.folder / "moved")
        wider.root.symlink_to("nowhere")

        run = wider.gko("config", "test")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert run.stderr.startswith("error: .gekko: ")


def without_privileges(project: Project, *args: str) -> Finished:
    """Run gko so that the permissions of files count, even for the superuser."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("setpriv is not installed")
    limits = ["--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all"]
    done = subprocess.run(
        [setpriv, *limits, str(GKO), *args],
        cwd=project.folder,
        env=project.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr.decode())


class TestCommandsThatNobodyWouldMiss:
    def test_a_wrong_suffix_is_told_where_the_command_is_run(self, sound: Project) -> None:
        sound.write("commands/tell.MD", f"---\n{ANSWERS_ANYTHING}---\nHello\n")

        run = sound.gko("tell")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert run.stderr.startswith("error: .gekko/commands/tell.MD: ")
        assert sound.gko("ask", "--dry-run").exit_code == 0

    def test_a_folder_of_them_that_leads_nowhere_does_not_leave_another_scopes_in_their_place(
        self, sound: Project
    ) -> None:
        (sound.root / "commands").rename(sound.folder / "system-commands")
        (sound.folder / "system").mkdir()
        (sound.folder / "system-commands").rename(sound.folder / "system/commands")
        (sound.root / "commands").symlink_to("nowhere")

        run = sound.gko("ask", "--dry-run")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert run.stderr.startswith("error: .gekko/commands: ")


class TestScopes:
    def test_one_that_is_named_and_not_there_is_told_and_no_error(self, sound: Project) -> None:
        run = sound.gko("doctor", "--json", environ={"GKO_SYSTEM_DIR": "/nope"})

        assert run.exit_code == 0
        (label,) = [row["label"] for row in rows(run) if row["label"].startswith("scope")]
        assert "/nope" in label

    def test_an_empty_variable_names_none(self, sound: Project) -> None:
        environ = {"GKO_SYSTEM_DIR": str(sound.root), "GKO_CONFIG_DIR": ""}

        run = sound.gko("doctor", "--json", environ=environ)

        assert (run.exit_code, failed(run)) == (0, [])
        assert [row["label"] for row in rows(run) if row["label"].startswith("scope")] == []

    @pytest.mark.parametrize("args", [("doctor",), ("ask",), ("--help",), ("config", "init")], ids=" ".join)
    @pytest.mark.parametrize("option", [("--config-dir", ""), ("--config-dir=",)], ids=len)
    def test_an_empty_option_is_a_usage_error(
        self, sound: Project, args: tuple[str, ...], option: tuple[str, ...]
    ) -> None:
        run = sound.gko(*args, *option, "--error-format", "json")

        assert (run.exit_code, run.stdout) == (2, b"")
        found = json.loads(run.stderr)
        assert found["kind"] == "usage"
        assert "--config-dir" in found["message"]

    def test_a_broken_configuration_is_read_once(self, sound: Project) -> None:
        sound.write("backends/broken.toml", "id =\n")

        run = sound.gko("doctor", "-v", "info")

        assert run.stderr.splitlines() == ["configuration: project .gekko"]


class TestAServerThatIsNotThere:
    def test_comes_with_the_call_that_starts_it(self, project: Project) -> None:
        project.backend(f"http://127.0.0.1:{free_port()}", RUNTIME)
        project.model(id="fast one")

        run = project.gko("doctor", "--json")

        assert run.exit_code == 3
        (row,) = [row for row in rows(run) if row["kind"] == "reachability"]
        (project.root / "models/fast.toml").unlink()
        (alone,) = [row for row in rows(project.gko("doctor", "--json")) if row["kind"] == "reachability"]
        assert "`gko backend serve fast`" in row["message"]
        assert "`gko backend serve 'fast one'`" in alone["message"]

    def test_comes_without_one_where_gko_cannot_start_it(self, project: Project) -> None:
        project.backend(f"http://127.0.0.1:{free_port()}")

        (row,) = [row for row in rows(project.gko("doctor", "--json")) if row["kind"] == "reachability"]

        assert row["status"] == "failed"
        assert "serve" not in row["message"]

    def test_is_no_matter_where_it_answers(self, project: Project) -> None:
        run = project.gko("doctor", "--json")

        assert [row["message"] for row in rows(run) if row["kind"] == "reachability"] == [""]


def test_names_that_only_look_the_same_are_told_apart(project: Project) -> None:
    project.model(id="caf\u00e9")
    project.command("ask", 'model = "cafe\u0301"\n', "{{ input }}")

    run = project.gko("ask")

    assert run.exit_code == 2
    assert "NFC" in run.stderr
    assert "NFD" in run.stderr


def test_a_folder_of_inputs_is_left_alone(sound: Project, tmp_path: Path) -> None:
    for name in ("hardware.txt", "page.html", "a.toml.bak", "README.md", ".hidden.TOML", "settings.toml.txt"):
        sound.write(f"tests/ask/{name}", "anything")

    assert failed(sound.gko("doctor", "--json")) == []
