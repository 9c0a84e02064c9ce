"""`max_concurrent`: at most so many requests at a time to one server, over every gko process of the user."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any, TypeAlias

import pytest
from attrs import frozen

from gekko.cli.patience import PATIENCE_SECS
from tests.plugins import plug_in
from tests.processes import SOON_SECS, end
from tests.project import Finished, Project
from tests.stub_server import Script, StubServer, Wire, delay, refused_url, say, status
from tests.terminals import Window, window

ONE_AT_A_TIME = "max_concurrent = 1"

BASH = "/bin/bash"

Process: TypeAlias = subprocess.Popen[bytes]
Start: TypeAlias = Callable[..., Process]


@pytest.fixture
def project(project: Project, server: StubServer) -> Project:
    """The project; its backend takes one request at a time, and each may take half a second."""
    project.backend(server.url, f"{ONE_AT_A_TIME}\n[timeouts]\nrequest_secs = 0.5")
    project.command("git/review")
    project.case("git/review/first")
    project.environ["GKO_STATS_FILE"] = "runs.jsonl"
    return project


@pytest.fixture
def other(project: Project, server: StubServer, tmp_path: Path) -> Project:
    """Another project of the same user, with the same server and more patience."""
    (tmp_path / "other").mkdir()
    other = Project(tmp_path / "other", {"XDG_STATE_HOME": project.environment()["XDG_STATE_HOME"]})
    other.backend(f"{server.url}/", ONE_AT_A_TIME, id="same")
    other.model(backend="same")
    other.command("hold")
    return other


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts `gko` with an input that has ended; whatever still runs after the test is ended."""
    with ExitStack() as stack:

        def start(project: Project, *args: str) -> Process:
            process = stack.enter_context(project.start(*args))
            stack.callback(process.kill)
            assert process.stdin is not None
            process.stdin.close()
            process.stdin = None  # or communicate() would try to close it again
            return process

        yield start


@frozen
class Holder:
    """A process that has the only place at the server, until it is let go or killed."""

    process: Process
    let_go: Callable[[], None]


@pytest.fixture
def holder(other: Project, server: StubServer, start: Start) -> Iterator[Holder]:
    """The other project's `gko`, which waits for its answer; whatever is asked after it is answered at once."""
    is_over = Event()

    def hold(wire: Wire) -> None:
        is_over.wait(20)
        say("held")(wire)

    server.answer(hold, say("ok"))
    process = start(other, "hold")
    assert server.wait_for_requests(1)
    yield Holder(process, is_over.set)
    is_over.set()


def started(process: Process) -> None:
    """Return once *process*, which tells what it does, waits for a place."""
    assert process.stderr is not None
    for line in process.stderr:
        if b"waiting for a place" in line:
            return
    pytest.fail("it ended without a wait")


def finished(process: Process) -> Finished:
    stdout, stderr = process.communicate(timeout=20)
    return Finished(process.returncode, stdout, stderr.decode())


def records(project: Project) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.folder / "runs.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("more", "processes", "peak"),
    [
        pytest.param("max_concurrent = 1", 2, 1, id="one"),
        pytest.param("max_concurrent = 2", 4, 2, id="two"),
        pytest.param("", 2, 2, id="unlimited"),
    ],
)
def test_processes_that_start_at_once_share_the_places(
    project: Project, server: StubServer, start: Start, more: str, processes: int, peak: int
) -> None:
    project.backend(server.url, more)
    server.answer(delay(0.8, say("ok")))

    running = [start(project, "git", "review") for _ in range(processes)]

    assert [finished(process) for process in running] == [Finished(0, b"ok\n", "")] * processes
    assert (len(server.requests), server.peak_in_flight) == (processes, peak)


def test_the_wait_is_in_no_duration_and_not_in_the_deadline(
    project: Project, server: StubServer, start: Start, holder: Holder
) -> None:
    waiting = start(project, "git", "review", "-v", "info")
    started(waiting)
    time.sleep(0.7)  # more than request_secs

    holder.let_go()
    run = finished(waiting)

    assert (run.exit_code, run.stdout) == (0, b"ok\n")
    assert finished(holder.process) == Finished(0, b"held\n", "")
    assert server.peak_in_flight == 1
    (record,) = records(project)
    assert record["duration_ms"] < 500


def test_cases_wait_too(project: Project, start: Start, holder: Holder) -> None:
    waiting = start(project, "config", "test", "--json", "-v", "info")
    started(waiting)
    time.sleep(0.7)

    holder.let_go()
    run = finished(waiting)

    (row,) = json.loads(run.stdout)
    assert (run.exit_code, row["result"]) == (0, "pass")
    assert row["duration_ms"] < 500


def test_who_is_killed_has_no_place_any_more(project: Project, start: Start, holder: Holder) -> None:
    waiting = start(project, "git", "review", "-v", "info")
    started(waiting)

    holder.process.kill()
    killed = time.monotonic()
    run = finished(waiting)

    assert time.monotonic() - killed < SOON_SECS
    assert (run.exit_code, run.stdout) == (0, b"ok\n")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_wait_is_given_up_at_once(
    project: Project, server: StubServer, start: Start, holder: Holder, number: int, code: int
) -> None:
    waiting = start(project, "git", "review", "-v", "info")
    started(waiting)

    run, seconds = end(waiting, number)

    assert run == Finished(code, b"", "")
    assert seconds < SOON_SECS
    assert len(server.requests) == 1


class TestAtATerminal:
    """Whoever waits for more than a moment is told for what."""

    @pytest.fixture
    def terminal(self, project: Project, holder: Holder) -> Iterator[Callable[..., Window]]:
        """Runs a script of bash in a terminal of its own, while the holder has the place."""
        with ExitStack() as stack:
            yield lambda script: stack.enter_context(window(project, BASH, "-c", script, columns=200))

    def test_a_person_is_told_of_a_wait_once(self, terminal: Callable[..., Window], holder: Holder) -> None:
        shown = terminal("gko git review < /dev/null")
        shown.wait_for("backend 'stub' is busy")
        time.sleep(PATIENCE_SECS)
        holder.let_go()

        assert shown.finish() == 0
        told, *rest = shown.screen
        assert ("max_concurrent" in told, "--no-wait" in told) == (True, True)
        assert rest == ["ok", ""]

    def test_a_fallback_that_is_waited_for_is_told_by_its_own_backend(
        self, project: Project, terminal: Callable[..., Window], holder: Holder
    ) -> None:
        project.backend(refused_url(), ONE_AT_A_TIME, id="gone")
        project.model(id="slow")
        project.model('fallback = "slow"', backend="gone")

        shown = terminal("gko git review < /dev/null")
        shown.wait_for("backend 'stub' is busy")
        holder.let_go()

        assert shown.finish() == 0

    @pytest.mark.parametrize(
        "script",
        [
            "gko git review < /dev/null 2> told.txt",
            "gko git review -v error < /dev/null",
            "gko git review --error-format json < /dev/null",
        ],
        ids=["a-pipe", "errors-alone", "a-program"],
    )
    def test_nobody_else_is_told(
        self, terminal: Callable[..., Window], holder: Holder, project: Project, script: str
    ) -> None:
        shown = terminal(script)
        time.sleep(PATIENCE_SECS + 1)
        holder.let_go()

        assert shown.finish() == 0
        assert shown.screen == ["ok", ""]

    def test_a_wait_that_is_over_soon_is_not_worth_a_line(
        self, terminal: Callable[..., Window], holder: Holder
    ) -> None:
        shown = terminal("gko git review < /dev/null")
        time.sleep(0.8)
        holder.let_go()

        assert shown.finish() == 0
        assert shown.screen == ["ok", ""]


class TestWithoutWaiting:
    def test_a_busy_backend_has_failed(self, project: Project, server: StubServer, holder: Holder) -> None:
        run = project.gko("git", "review", "--no-wait")

        assert (run.exit_code, run.stdout) == (3, b"")
        assert f"{server.url} is busy" in run.stderr
        assert "max_concurrent" in run.stderr
        assert len(server.requests) == 1
        (record,) = records(project)
        assert (record["exit_code"], record["duration_ms"], record["model_answered"]) == (3, 0, None)

    def test_a_backend_that_is_not_busy_is_asked(self, project: Project) -> None:
        assert project.gko("git", "review", "--no-wait") == Finished(0, b"ok\n", "")

    def test_the_fallback_answers_for_a_busy_backend(
        self, project: Project, server: StubServer, holder: Holder
    ) -> None:
        with StubServer() as free:
            free.say("from the fallback")
            project.backend(free.url, ONE_AT_A_TIME, id="free")
            project.model(id="slow", backend="free")
            project.model('fallback = "slow"')

            run = project.gko("git", "review", "--no-wait", "-v", "info")

        assert (run.exit_code, run.stdout) == (0, b"from the fallback\n")
        assert re.search(rf"'slow' answered, because .*{re.escape(server.url)} is busy", run.stderr)
        assert len(server.requests) == 1

    def test_both_are_named_where_the_fallback_is_busy_as_well(self, project: Project, holder: Holder) -> None:
        project.model(id="slow")
        project.model('fallback = "slow"')

        run = project.gko("git", "review", "--no-wait")

        assert (run.exit_code, run.stdout) == (3, b"")
        assert ("'fast'" in run.stderr, "'slow'" in run.stderr) == (True, True)


ASKS = """
models_asked = ("fast",)

def judge(self, value, outcome):
    yield Ask(AskModel("fast", (Message("user", "Well?"),)))
"""


@pytest.mark.parametrize("first", [say("ok"), status(500)], ids=["answer", "failure"])
def test_a_place_is_free_again_before_anybody_else_is_asked(
    project: Project, server: StubServer, first: Script
) -> None:
    """A fallback on the same server, or an expectation that asks a model there, would else wait for ever."""
    plug_in(project, "asks", ASKS)
    project.case("git/review/first", "asks = 1")
    project.model('fallback = "slow"')
    project.model(id="slow")
    server.answer(first, say("ok"))

    assert project.gko("config", "test").exit_code == 0


def test_a_dry_run_takes_no_place(project: Project, server: StubServer, holder: Holder) -> None:
    run = project.gko("git", "review", "--dry-run", "--no-wait")

    assert (run.exit_code, run.stderr) == (0, "")
    assert len(server.requests) == 1


@pytest.mark.parametrize("args", [("git", "review"), ("git", "review", "--no-wait"), ("config", "test", "-v", "error")])
def test_a_state_folder_that_cannot_be_made_is_an_error(
    project: Project, server: StubServer, tmp_path: Path, args: tuple[str, ...]
) -> None:
    project.environ["XDG_STATE_HOME"] = str(tmp_path / "file")
    (tmp_path / "file").touch()

    run = project.gko(*args)

    assert (run.exit_code, run.stdout) == (1, b"")
    assert str(tmp_path / "file") in run.stderr
    assert run.stderr.count("\n") == 1
    assert server.requests == []


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_state_folder_that_may_not_be_written_is_an_error(
    project: Project, server: StubServer, tmp_path: Path
) -> None:
    (tmp_path / "state").mkdir(mode=0o500)

    run = project.gko("git", "review", environ={"XDG_STATE_HOME": str(tmp_path / "state")})

    assert (run.exit_code, run.stdout) == (1, b"")
    assert str(tmp_path / "state") in run.stderr
    assert server.requests == []


def test_a_state_folder_that_is_not_needed_is_not_made(project: Project, server: StubServer, tmp_path: Path) -> None:
    project.backend(server.url)

    assert project.gko("git", "review").exit_code == 0
    assert not Path(project.environment()["XDG_STATE_HOME"]).exists()
