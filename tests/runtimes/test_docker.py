"""`gko backend` with a server that is a container: what docker is told, and what is made of what it says."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import frozen

from tests.project import Project
from tests.runtimes.served import ServedProject, is_alive, until

STAND_IN: Final = Path(__file__).with_name("stand_in_docker.py")


@frozen
class DockedProject(ServedProject):
    """A project whose backend is a container of the stand-in."""

    def declare_image(self, image: str = "little", *habits: str, more: str = "") -> None:
        """Write the backend and its model."""
        args = json.dumps(["{{ backend.port }}", *habits])
        options = json.dumps(["-p", "{{ backend.port }}:8080"])
        self.runtime(f'[runtime]\ntype = "docker"\nimage = "{image}"\noptions = {options}\nargs = {args}\n{more}')

    @property
    def folder(self) -> Path:
        """Where the stand-in keeps its containers."""
        return self.project.folder / "docker"

    def calls(self, *words: str) -> list[list[str]]:
        """Return the calls of docker that begin so."""
        lines = (self.folder / "calls.jsonl").read_text().splitlines()
        calls: list[list[str]] = [json.loads(line) for line in lines]
        return [call for call in calls if call[: len(words)] == list(words)]

    def containers(self) -> list[dict[str, Any]]:
        """Return the containers that there are."""
        return [json.loads(path.read_text()) for path in self.folder.glob("gko-*.json")]


@pytest.fixture
def docked(tmp_path: Path) -> Iterator[DockedProject]:
    """A project with the model `fast`, whose backend is a container."""
    program = tmp_path / "bin" / "docker"
    folder = tmp_path / "docker"
    program.parent.mkdir()
    folder.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "{STAND_IN}" "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    docked = DockedProject(Project(tmp_path, {"PATH": path, "STAND_IN_DOCKER": str(folder)}))
    docked.declare_image()
    yield docked
    for container in docked.containers():
        if container["pid"] and is_alive(container["pid"]):
            os.kill(container["pid"], signal.SIGKILL)


def test_a_container_is_run_and_stopped_and_removed(docked: DockedProject) -> None:
    started = docked.project.gko("backend", "serve", "fast")
    (container,) = docked.containers()
    stopped = docked.project.gko("backend", "stop", "fast")

    name, address = container["name"], f"http://127.0.0.1:{docked.port}"
    assert name.startswith("gko-stub-")
    assert (started.exit_code, started.stderr) == (0, "")
    assert started.stdout.decode() == f"fast: running at {address} (container {name})\n"
    assert docked.calls("run") == [
        ["run", "-d", "--name", name, "-p", f"{docked.port}:8080", "little", str(docked.port)]
    ]
    assert (stopped.exit_code, stopped.stderr) == (0, "")
    assert stopped.stdout.decode() == f"fast: stopped at {address} (container {name})\n"
    assert docked.calls("stop") == [["stop", "-t", "10", container["id"]]]
    assert docked.calls("rm") == [["rm", container["id"]]]
    assert docked.containers() == []
    assert docked.records == []
    assert not is_alive(container["pid"])


def test_a_container_that_runs_is_not_started_again(docked: DockedProject) -> None:
    docked.project.gko("backend", "serve", "fast")

    again = docked.project.gko("backend", "serve", "fast")

    assert again.exit_code == 0
    assert "running already" in again.stdout.decode()
    assert len(docked.calls("run")) == 1


def test_the_status_of_a_container(docked: DockedProject) -> None:
    docked.project.gko("backend", "serve", "fast")

    (row,) = docked.status()

    (container,) = docked.containers()
    assert (row["state"], row["pid"], row["container"]) == ("running", None, container["name"])


def test_a_container_that_ended_is_stopped_and_its_name_is_free_again(docked: DockedProject) -> None:
    docked.project.gko("backend", "serve", "fast")
    (first,) = docked.containers()
    os.kill(first["pid"], signal.SIGKILL)
    until((docked.folder / f"{first['id']}.exit").exists)

    assert docked.status()[0]["state"] == "stopped"
    assert docked.project.gko("backend", "serve", "fast").exit_code == 0

    (second,) = docked.containers()
    assert second["name"] == first["name"]
    assert second["id"] != first["id"]


def test_a_container_that_ended_and_was_forgotten_leaves_its_name(docked: DockedProject) -> None:
    docked.project.gko("backend", "serve", "fast")
    (first,) = docked.containers()
    os.kill(first["pid"], signal.SIGKILL)
    until((docked.folder / f"{first['id']}.exit").exists)
    docked.records[0].unlink()

    assert docked.project.gko("backend", "serve", "fast").exit_code == 0


def test_a_container_that_runs_and_was_forgotten_is_left_alone(docked: DockedProject) -> None:
    docked.declare_image("little", "late", more="startup_timeout_secs = 60\n")
    with docked.project.start("backend", "serve", "fast") as gko:
        until(lambda: docked.records)
        gko.kill()
    docked.records[0].unlink()
    (container,) = docked.containers()

    run = docked.project.gko("backend", "serve", "fast")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "container is running" in run.stderr
    assert docked.containers() == [container]
    assert is_alive(container["pid"])


def test_a_container_that_ends_early_is_told_with_its_last_words(docked: DockedProject) -> None:
    docked.declare_image("little", "ill")

    run = docked.project.gko("backend", "serve", "fast")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "'stub' ended with exit status 7" in run.stderr
    assert "no model to be found" in run.stderr
    assert (docked.containers(), docked.records) == ([], [])


def test_a_container_that_is_not_ready_in_time_is_removed(docked: DockedProject) -> None:
    docked.declare_image("little", "late", more="startup_timeout_secs = 0.5\n")

    run = docked.project.gko("backend", "serve", "fast")

    assert run.exit_code == 3
    assert "0.5 seconds" in run.stderr
    assert (docked.containers(), docked.records) == ([], [])
    assert b'"pid"' in docked.project.gko("backend", "logs", "fast").stdout


def test_a_container_that_cannot_be_started_is_removed(docked: DockedProject) -> None:
    docked.declare_image("broken")

    run = docked.project.gko("backend", "serve", "fast")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "docker run: Error response from daemon: failed to create task" in run.stderr
    until(lambda: not docked.containers())


def test_an_interrupt_while_waiting_removes_the_container(docked: DockedProject) -> None:
    docked.declare_image("little", "late")
    with docked.project.start("backend", "serve", "fast") as gko:
        until(lambda: docked.records)

        gko.send_signal(signal.SIGINT)
        out, _ = gko.communicate(timeout=10)

    assert (gko.returncode, out) == (130, b"")
    until(lambda: not docked.containers())
    assert docked.records == []


def test_the_log_is_docker_s_and_is_kept_when_the_container_is_gone(docked: DockedProject) -> None:
    docked.project.gko("backend", "serve", "fast")
    while_running = docked.project.gko("backend", "logs", "fast", "-n", "5")
    docked.project.gko("backend", "stop", "fast")

    afterwards = docked.project.gko("backend", "logs", "fast", "-n", "5")

    assert json.loads(while_running.stdout)["stdin"] == ""
    assert docked.calls("logs")[0][:3] == ["logs", "--tail", "5"]
    assert afterwards.stdout == while_running.stdout


def test_a_daemon_that_is_down_is_told_in_its_own_words(docked: DockedProject) -> None:
    docked.project.gko("backend", "serve", "fast")
    (docked.folder / "daemon-is-down").touch()

    (row,) = docked.status()
    stopped = docked.project.gko("backend", "stop", "fast")

    assert row["state"] == "unknown"
    assert "Cannot connect to the Docker daemon" in row["message"]
    assert (stopped.exit_code, stopped.stdout) == (3, b"")
    assert "docker container inspect: Cannot connect to the Docker daemon" in stopped.stderr
    assert len(docked.records) == 1


def test_docker_itself_may_be_missing(docked: DockedProject) -> None:
    run = docked.project.gko("backend", "serve", "fast", environ={"PATH": str(docked.folder)})

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "runtime.type: the program 'docker' is not on the PATH" in run.stderr
