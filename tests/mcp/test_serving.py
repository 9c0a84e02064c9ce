"""How `gko mcp serve` starts and ends, and what it speaks on its way."""

import json
import os
import pty
import signal
import subprocess
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

import expectations
import gekko
from tests.installed import Bare, dependencies
from tests.mcp.speaking import speak
from tests.processes import SIGNALS, Process, end
from tests.project import GKO, Finished, Project
from tests.stub_server import StubServer, say, stall

SOON_SECS = 5.0
"""The SDK takes longer than a run to go down, but nothing waits for what is under way."""

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def request(number: int, method: str, params: object) -> bytes:
    """Return a request as one line."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def call(number: int) -> bytes:
    """Return a call of the tool `review`."""
    return request(number, "tools/call", {"name": "review", "arguments": {"mcp.input": "x"}})


def exchange(process: Process, line: bytes) -> Any:
    """Send a line, and return the message that comes back."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    return json.loads(process.stdout.readline())


@pytest.fixture
def served(project: Project) -> Any:
    """A server that has been greeted; it is ended after the test, however it stands."""
    project.command("review")
    with project.start("mcp", "serve") as process:
        exchange(process, request(1, "initialize", HELLO))
        yield process
        process.kill()


class TestTheServer:
    def test_ends_with_its_input(self, served: Process) -> None:
        stdout, stderr = served.communicate(timeout=20)

        assert (served.returncode, stdout, stderr) == (0, b"", b"")

    def test_gives_up_what_is_under_way_when_its_input_ends(self, served: Process, server: StubServer) -> None:
        server.answer(stall)
        assert served.stdin is not None
        served.stdin.write(call(2))
        served.stdin.flush()
        assert server.wait_for_requests()

        stdout, stderr = served.communicate(timeout=20)

        assert (served.returncode, stderr) == (0, b"")
        assert json.loads(stdout)["error"]["message"] == "Connection closed"
        assert server.wait_for_disconnect()

    @pytest.mark.parametrize(("number", "code"), SIGNALS)
    def test_ends_at_a_signal_with_a_call_under_way(
        self, served: Process, server: StubServer, number: int, code: int
    ) -> None:
        server.answer(stall)
        assert served.stdin is not None
        served.stdin.write(call(2))
        served.stdin.flush()
        assert server.wait_for_requests()

        run, seconds = end(served, number)

        assert (run.exit_code, run.stderr) == (code, "")
        assert seconds < SOON_SECS
        assert server.wait_for_disconnect()

    def test_ends_at_a_signal_while_nobody_reads(self, served: Process, server: StubServer) -> None:
        server.say("x" * 1_000_000)
        assert served.stdin is not None
        served.stdin.write(call(2))
        served.stdin.flush()
        assert server.wait_for_requests()

        run, _ = end(served, signal.SIGTERM)

        assert (run.exit_code, run.stderr) == (143, "")

    def test_ends_quietly_when_nobody_reads_any_more(self, served: Process) -> None:
        assert served.stdin is not None
        assert served.stdout is not None
        served.stdout.close()
        served.stdin.write(request(2, "ping", {}))
        served.stdin.flush()

        assert served.wait(20) == 1
        assert served.stderr is not None
        assert served.stderr.read() == b""

    def test_passes_over_what_is_no_message(self, served: Process) -> None:
        answer = exchange(served, b'no JSON\n\xff\n{"jsonrpc": "2.0"}\n\n' + request(2, "ping", {}))

        assert (answer["id"], answer["result"]) == (2, {})

    def test_refuses_arguments_that_are_no_object(self, served: Process) -> None:
        answer = exchange(served, request(2, "tools/call", {"name": "review", "arguments": ["x"]}))

        assert answer["error"]["code"] == -32602

    def test_answers_a_large_call_whole(self, project: Project, server: StubServer) -> None:
        project.command("echo", 'model = "fast"\n', "{{ input }}")
        server.answer_with(lambda received: say(received.json["messages"][0]["content"]))
        text = "ä\n" * 1_000_000 + "x"

        said = speak(project, lambda speaker: speaker.call("echo", text=text))

        assert said.text == text


def test_an_input_that_is_a_file_is_served_to_its_end(project: Project) -> None:
    project.command("review")
    script = project.folder / "script.jsonl"
    script.write_bytes(request(1, "initialize", HELLO))
    with script.open("rb") as stdin:
        done = subprocess.run(
            [GKO, "mcp", "serve"],
            cwd=project.folder,
            env=project.environment(),
            stdin=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["result"]["serverInfo"] == {"name": "gko", "version": gekko.__version__}


def test_a_person_at_a_terminal_is_told_what_it_waits_for(project: Project) -> None:
    outer, inner = pty.openpty()
    with subprocess.Popen(
        [GKO, "mcp", "serve"],
        cwd=project.folder,
        env=project.environment(),
        stdin=inner,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        os.write(outer, b"\x04")
        stdout, _ = process.communicate(timeout=20)
    os.close(outer)
    os.close(inner)

    assert b"MCP" in line
    assert (process.returncode, stdout) == (0, b"")


def test_without_the_sdk_it_says_what_to_install(project: Project, tmp_path: Path) -> None:
    bare = Bare(tmp_path / "packages")
    bare.folder.mkdir()
    gko = distribution("gko")
    for found in (gko, *dependencies(gko)):
        bare.link(found)
    for package in (gekko, expectations):
        bare.link_path(Path(package.__file__ or "").parent)

    run = bare.gko(project, "mcp", "serve")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "pip install 'gko[mcp]'" in run.stderr
    assert bare.gko(project, "mcp", "serve", "--help").exit_code == 0


def test_a_closed_input_is_an_error(project: Project) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0" mcp serve <&-', str(GKO)],
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"standard input" in done.stderr


def test_the_group_alone_shows_what_it_has(project: Project) -> None:
    run = project.gko("mcp")

    assert isinstance(run, Finished)
    assert (run.exit_code, run.stdout) == (2, b"")
    assert "serve" in run.stderr
