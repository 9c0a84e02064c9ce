"""`gko config init`: nothing is written where something is in the way, and nothing is left half-written."""

import resource
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.project import GKO, Project
from tests.stub_server import StubServer

FILES: Final = {
    "backends/first.toml",
    "models/small.toml",
    "commands/contact.md",
    "schemas/contact.json",
    "tests/contact/order.toml",
}

SERVER: Final = ("--base-url", "http://127.0.0.1:9")


@pytest.fixture
def empty(tmp_path: Path) -> Project:
    return Project(tmp_path)


def written(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir()}


@pytest.mark.parametrize("version", ["", "/", "/v1", "/v1/", "/openai/v4"])
def test_a_server_is_asked_where_it_is_however_its_address_is_written(
    empty: Project, server: StubServer, version: str
) -> None:
    server.say("{}")
    empty.gko("config", "init", "--base-url", f"{server.url}{version}")

    empty.gko("config", "test")

    assert [received.path for received in server.requests] == [
        f"{version.rstrip('/') if 'v' in version else '/v1'}/chat/completions"
    ]


def test_what_is_written_is_listed_and_checks_out(empty: Project) -> None:
    run = empty.gko("config", "init", *SERVER)

    assert (run.exit_code, run.stderr) == (0, "next: gko config test\n")
    assert set(run.stdout.decode().split()) == {f".gekko/{name}" for name in FILES}
    assert written(empty.root) == FILES
    assert empty.gko("doctor").exit_code == 3  # nobody listens there


def test_another_folder_is_named_in_what_comes_next(empty: Project) -> None:
    run = empty.gko("config", "init", *SERVER, "--config-dir", "a folder")

    assert (run.exit_code, run.stderr) == (0, "next: gko config test --config-dir 'a folder'\n")
    assert written(empty.folder / "a folder") == FILES


@pytest.mark.parametrize(
    ("path", "culprit"),
    [
        ("", ".gekko"),
        ("models", ".gekko/models"),
        ("tests/contact", ".gekko/tests/contact"),
        ("tests/contact/order.toml", ".gekko/tests/contact/order.toml"),
    ],
)
@pytest.mark.parametrize("target", [None, "nowhere"], ids=["file", "broken-link"])
def test_a_file_or_a_broken_link_is_in_the_way(empty: Project, path: str, culprit: str, target: str | None) -> None:
    obstacle = empty.root / path
    obstacle.parent.mkdir(parents=True, exist_ok=True)
    if target is None:
        obstacle.write_text("x")
    else:
        obstacle.symlink_to(target)

    run = empty.gko("config", "init", *SERVER)

    assert (run.exit_code, run.stdout) == (2, b"")
    assert f" {culprit}" in run.stderr
    assert written(empty.root) <= {path}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("backends/other.toml", 'id = "first"\n', id="backend"),
        pytest.param("models/other.toml", 'id = "small"\n', id="model"),
        pytest.param("commands/contact/more.md", "", id="group"),
        pytest.param("commands/Contact.md", "", id="letter-case"),
        pytest.param("tests/Contact/a.toml", "", id="letter-case-of-a-folder"),
    ],
)
def test_a_name_that_is_taken_is_in_the_way(empty: Project, path: str, text: str) -> None:
    taken = empty.write(path, text)

    run = empty.gko("config", "init", *SERVER)

    assert (run.exit_code, run.stdout) == (2, b"")
    assert any(f".gekko/{part}" in run.stderr for part in (path, Path(path).parent.as_posix()))
    assert written(empty.root) == {taken.relative_to(empty.root).as_posix()}


def test_everything_in_the_way_is_told_at_once(empty: Project) -> None:
    empty.write("models/other.toml", 'id = "small"\n')
    empty.write("schemas", "x")

    run = empty.gko("config", "init", *SERVER)

    assert "models/other.toml" in run.stderr
    assert "schemas" in run.stderr


def test_files_that_give_no_id_are_in_nobodys_way(empty: Project) -> None:
    empty.write("models/broken.toml", "id =\n")

    assert empty.gko("config", "init", *SERVER).exit_code == 0


def test_a_command_of_another_scope_is_in_the_way_where_both_would_break(empty: Project) -> None:
    path = empty.folder / "system/commands/contact/more.md"
    path.parent.mkdir(parents=True)
    path.write_text("")

    run = empty.gko("config", "init", *SERVER)

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "system/commands/contact/more.md" in run.stderr
    assert not empty.root.exists()


def test_what_of_another_scope_is_replaced_is_told(empty: Project) -> None:
    assert empty.gko("config", "init", *SERVER, "--config-dir", "system").exit_code == 0

    run = empty.gko("config", "init", *SERVER)

    assert run.exit_code == 0
    told = [line for line in run.stderr.splitlines() if line.startswith("warning: ")]
    assert sorted(line.rpartition(" ")[2] for line in told) == sorted(f"system/{name}" for name in FILES)


def test_a_project_that_is_hidden_by_the_new_one_is_told(empty: Project) -> None:
    assert empty.gko("config", "init", *SERVER).exit_code == 0
    (empty.folder / "below").mkdir()

    run = empty.shell(f"cd below && gko config init {' '.join(SERVER)}")

    assert run.exit_code == 0
    assert str(empty.root) in run.stderr


def test_that_a_variable_hides_the_new_one_is_told(empty: Project) -> None:
    run = empty.gko("config", "init", *SERVER, environ={"GKO_CONFIG_DIR": "elsewhere"})

    assert run.exit_code == 0
    assert "GKO_CONFIG_DIR" in run.stderr


def test_a_file_that_cannot_be_written_leaves_nothing_behind(empty: Project) -> None:
    empty.write("backends/other.toml", "")

    # As on a full disk: the first files fit, the command does not.
    done = subprocess.run(
        [GKO, "config", "init", *SERVER],
        cwd=empty.folder,
        env=empty.environment(),
        capture_output=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300)),
    )

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"File too large" in done.stderr
    assert written(empty.root) == {"backends/other.toml"}
    assert [path.name for path in empty.root.iterdir()] == ["backends"]


def test_a_folder_that_cannot_be_made_is_named(empty: Project) -> None:
    run = empty.gko("config", "init", *SERVER, "--config-dir", "/proc/none/here")

    assert (run.exit_code, run.stdout) == (1, b"")
    assert "/proc/none" in run.stderr


@pytest.mark.parametrize(
    "args", [("--model", "qwen"), (*SERVER, "--model", " "), ("--base-url", "")], ids=["no-server", "blank", "no-url"]
)
def test_an_option_that_would_mean_nothing_is_a_usage_error(empty: Project, args: tuple[str, ...]) -> None:
    run = empty.gko("config", "init", *args)

    assert (run.exit_code, run.stdout) == (2, b"")
    assert args[-2] in run.stderr
    assert not empty.root.exists()
