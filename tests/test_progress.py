"""A suite that somebody watches: its line on a terminal, the key and the signal that ask for more, and their ends."""

import json
import re
import signal
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pytest

from gekko.report.table import width
from tests.plugins import plug_in
from tests.processes import Process, end, until
from tests.project import Project
from tests.stub_server import Received, Script, StubServer, Wire, delay, reset, say, stall, status
from tests.terminals import Open, Window, window

OK = 'contains = ["ok"]'

TEST = ("config", "test")

COLOUR = re.compile(r"\x1b\[[0-9;]*m")

DRAWN = re.compile(r"\r(\[[^\r\x1b]*)\x1b\[K")
"""The line, each time that it was written."""


@pytest.fixture
def project(project: Project) -> Project:
    project.command("ask", 'description = "A"\nmodel = "fast"\n', "{{ input }}")
    return project


@pytest.fixture
def open_window(project: Project) -> Iterator[Open]:
    """Runs `gko`, or another program, in a terminal; whatever still runs after the test is ended."""
    with ExitStack() as stack:
        yield lambda *args, **options: stack.enter_context(window(project, *args, **options))


@pytest.fixture
def start(project: Project) -> Iterator[Callable[..., Process]]:
    """Starts `gko` with pipes; whatever still runs after the test is ended."""
    with ExitStack() as stack:

        def start(*args: str, environ: Mapping[str, str] | None = None) -> Process:
            process = stack.enter_context(project.start(*args, environ=environ))
            stack.callback(process.kill)
            return process

        yield start


def cases(project: Project, count: int, expect: str = OK, names: str = "c{:02}") -> None:
    """Write cases `c00`, `c01` … whose input is their number."""
    for number in range(count):
        project.case(f"ask/{names.format(number)}", expect, f'input = "{number}"')


def by_number(answers: Callable[[int], Script]) -> Callable[[Received], Script]:
    """Answer each request by the number of its case."""
    return lambda received: answers(int(received.json["messages"][-1]["content"]))


def after(event: Event, then: Script) -> Script:
    """Answer once a test has seen what it waits for."""

    def script(wire: Wire) -> None:
        event.wait(20)
        then(wire)

    return script


def drawn(window: Window) -> list[str]:
    return DRAWN.findall(window.shown)


class TestTheLine:
    def test_says_what_is_done_what_failed_and_what_runs(
        self, project: Project, server: StubServer, open_window: Open
    ) -> None:
        cases(project, 5)
        seen = Event()
        server.answer_with(
            by_number(lambda number: say("no" if number == 1 else "ok") if number < 3 else after(seen, say("ok")))
        )

        terminal = open_window(*TEST, "--jobs", "2")
        terminal.wait_for("[3/5, 1 failed] ask c03 0 s, ask c04 0 s")
        terminal.wait_for("[3/5, 1 failed] ask c03 1 s, ask c04 1 s")  # though nothing happens
        seen.set()

        assert terminal.finish() == 4
        assert terminal.screen[0].startswith("COMMAND")
        assert terminal.screen[-2].startswith("5 cases: 4 passed, 1 failed, in ")
        assert not [line for line in terminal.screen if "[" in line]

    def test_says_how_long_it_may_take_still(self, project: Project, server: StubServer, open_window: Open) -> None:
        cases(project, 12)
        server.answer(delay(0.25, say("ok")))

        terminal = open_window(*TEST)

        terminal.wait_for("~1 s left] ask c")
        assert terminal.finish() == 0

    def test_says_how_many_more_there_are(self, project: Project, server: StubServer, open_window: Open) -> None:
        cases(project, 16)
        seen = Event()
        server.answer(after(seen, say("ok")))

        terminal = open_window(*TEST, "--jobs", "16")
        terminal.wait_for("[0/16] ask c00 1 s, ask c01 1 s, ")
        terminal.type("t")
        terminal.wait_for("0 of 16 cases done, 16 in flight\r\n")
        terminal.wait_for("ask c15")
        seen.set()

        assert terminal.finish() == 0
        assert re.search(r"ask c03 1 s, \+\d+ more", terminal.shown)

    @pytest.mark.parametrize("columns", [1, 20, 40])
    @pytest.mark.parametrize("names", ["c{:02}", "名前の長い試験-{}"], ids=["narrow", "wide"])
    def test_never_wraps(
        self, project: Project, server: StubServer, open_window: Open, columns: int, names: str
    ) -> None:
        cases(project, 20, names=names)
        server.answer(delay(0.2, say("ok")))

        terminal = open_window(*TEST, "--jobs", "16", columns=columns)

        assert terminal.finish() == 0
        assert [line for line in drawn(terminal) if width(line) >= columns] == []
        assert (drawn(terminal) == []) is (columns == 1)

    def test_follows_the_width_of_the_window(self, project: Project, server: StubServer, open_window: Open) -> None:
        cases(project, 8)
        seen = Event()
        server.answer(after(seen, say("ok")))

        terminal = open_window(*TEST, "--jobs", "8")
        terminal.wait_for("ask c00 1 s, ask c01 1 s, ask c02 1 s")
        terminal.resize(30)
        terminal.wait_for("[0/8] ask c00 2 s, +7 more\x1b[K")
        terminal.resize(200)
        terminal.wait_for("ask c06 2 s, ask c07 2 s\x1b[K")
        seen.set()

        assert terminal.finish() == 0

    def test_makes_room_for_warnings(self, project: Project, server: StubServer, open_window: Open) -> None:
        with StubServer() as other:
            project.backend(other.url, id="other")
            project.model(id="slow", backend="other")
            project.model('fallback = "slow"')
            cases(project, 1)
            server.answer(delay(0.3, status(500)))
            other.answer(delay(0.3, say("ok")))

            terminal = open_window(*TEST)
            terminal.wait_for("[0/1] ask c00")
            code = terminal.finish()

        assert code == 0
        assert terminal.screen[0].startswith("warning: ask c00: 'fast' failed")

    def test_is_gone_before_an_error(self, project: Project, server: StubServer, open_window: Open) -> None:
        cases(project, 1)
        server.answer(delay(0.3, reset))

        terminal = open_window(*TEST)
        terminal.wait_for("[0/1] ask c00")

        assert terminal.finish() == 3
        assert terminal.screen[0].startswith("error: ")

    def test_is_written_seldom_and_plainly_where_nothing_can_be_taken_away(
        self, project: Project, server: StubServer, open_window: Open
    ) -> None:
        cases(project, 2)
        seen = Event()
        server.answer(say("ok"), after(seen, say("ok")))

        terminal = open_window(*TEST, environ={"TERM": "dumb"})
        terminal.wait_for("[1/2] ask c01 ")
        seen.set()

        assert terminal.finish() == 0
        assert "\x1b" not in terminal.shown
        assert re.fullmatch(r"\[1/2\] ask c01 (9|10) s", terminal.screen[0])
        assert terminal.screen[1].startswith("COMMAND")

    def test_has_no_colours_where_none_are_wanted(
        self, project: Project, server: StubServer, open_window: Open
    ) -> None:
        cases(project, 3)
        server.answer(delay(0.2, say("no")))

        terminal = open_window(*TEST, environ={"NO_COLOR": "1"})

        assert terminal.finish() == 4
        assert drawn(terminal)
        assert not COLOUR.search(terminal.shown)

    def test_gives_way_to_failures_as_they_happen(
        self, project: Project, server: StubServer, open_window: Open
    ) -> None:
        cases(project, 2)
        seen = Event()
        server.answer_with(by_number(lambda number: after(seen, say("ok")) if number else say("no")))

        terminal = open_window(*TEST, "--verbose", "info")
        terminal.wait_for('ask c00 failed:\r\n  contains: expected a text that contains "ok", found "no"\r\n')
        terminal.wait_for("    at .gekko/tests/ask/c00.toml:4:1\r\n")
        seen.set()

        assert terminal.finish() == 4
        assert drawn(terminal) == []


class TestTheKey:
    def test_shows_what_is_in_flight(self, project: Project, server: StubServer, open_window: Open) -> None:
        project.model(id="slow")
        cases(project, 2)
        seen = Event()
        server.answer(say("ok"), after(seen, say("ok")))

        terminal = open_window(*TEST, "--model", "fast", "--model", "slow", "--repeat", "2")
        until(lambda: len(server.requests) == 2, terminal.process)
        terminal.wait_for("[0/4] ask c00 (fast)")
        terminal.type("t")
        terminal.wait_for("0 of 4 cases done, 1 in flight\r\n  ask c00  fast  run 2 of 2  ")
        terminal.wait_for(" s  waiting for the answer\r\n")
        terminal.wait_for("[0/4] ask c00 (fast)")
        seen.set()

        assert terminal.finish() == 0

    def test_is_not_shown_itself_and_no_other_matters(
        self, project: Project, server: StubServer, open_window: Open
    ) -> None:
        cases(project, 1)
        seen = Event()
        server.answer(after(seen, say("ok")))

        terminal = open_window(*TEST)
        terminal.wait_for("[0/1]")
        terminal.type("xyz\x04\x1b[A")
        terminal.wait_for("ask c00 1 s")
        seen.set()

        assert terminal.finish() == 0
        assert "xyz" not in terminal.shown
        assert "in flight" not in terminal.shown

    def test_tells_what_else_is_waited_for(self, project: Project, server: StubServer, open_window: Open) -> None:
        project.backend(server.url, "max_concurrent = 1")
        cases(project, 1)
        seen = Event()
        server.answer(after(seen, say("ok")))
        with project.start("ask") as other:
            assert other.stdin is not None
            other.stdin.close()
            other.stdin = None
            until(lambda: server.requests, other)

            terminal = open_window(*TEST)
            terminal.wait_for("[0/1]")
            terminal.type("t")
            terminal.wait_for("waiting for its turn\r\n")
            seen.set()

            assert terminal.finish() == 0
            assert other.wait() == 0


UNDYING = """
def judge(self, value, outcome):
    Path("working").touch()
    while True:
        try:
            time.sleep(10)
        except BaseException:
            pass
    yield
"""


class TestTheTerminalIsAsItWasBefore:
    """A terminal without echo is a terminal that seems broken."""

    @pytest.fixture
    def terminal(self, project: Project, server: StubServer, open_window: Open) -> Window:
        """A terminal in which a suite waits for an answer."""
        cases(project, 2)
        server.answer(say("ok"), stall)
        terminal = open_window(*TEST)
        self.before = terminal.settings
        terminal.wait_for("[1/2]")
        flags = termios.tcgetattr(terminal.terminal)[3]
        assert flags & (termios.ICANON | termios.ECHO | termios.ISIG) == termios.ISIG
        return terminal

    @pytest.mark.parametrize(("answer", "code"), [("ok", 0), ("no", 4)])
    def test_at_the_end(self, project: Project, server: StubServer, open_window: Open, answer: str, code: int) -> None:
        cases(project, 2)
        server.answer(delay(0.2, say(answer)))

        terminal = open_window(*TEST)
        before = terminal.settings
        terminal.wait_for("[0/2]")

        assert not terminal.edits_lines
        assert terminal.finish() == code
        assert terminal.settings == before

    def test_after_an_error(self, project: Project, server: StubServer, open_window: Open) -> None:
        cases(project, 2)
        server.answer(delay(0.2, reset))

        terminal = open_window(*TEST)
        before = terminal.settings

        assert terminal.finish() == 3
        assert terminal.settings == before

    def test_after_an_expectation_that_has_a_bug(self, project: Project, server: StubServer, open_window: Open) -> None:
        plug_in(project, "buggy", "def judge(self, value, outcome):\n    raise ValueError\n    yield")
        cases(project, 2, "buggy = 1")
        server.answer(delay(0.2, say("ok")))

        terminal = open_window(*TEST)
        before = terminal.settings

        assert terminal.finish() == 2
        assert terminal.settings == before

    def test_after_ctrl_c(self, terminal: Window) -> None:
        terminal.type("\x03")

        assert terminal.finish() == 130
        assert terminal.settings == self.before
        assert terminal.screen[0].startswith("interrupted")

    @pytest.mark.parametrize(
        ("number", "code"),
        [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, -signal.SIGQUIT)],
        ids=["SIGTERM", "SIGHUP", "SIGQUIT"],
    )
    def test_after_a_signal(self, terminal: Window, number: int, code: int) -> None:
        terminal.process.send_signal(number)

        assert terminal.finish() == code
        assert terminal.settings == self.before

    def test_after_a_second_ctrl_c(self, project: Project, open_window: Open) -> None:
        plug_in(project, "undying", UNDYING)
        cases(project, 1, "undying = 1")
        terminal = open_window(*TEST)
        before = terminal.settings
        until((project.folder / "working").exists, terminal.process)
        assert not terminal.edits_lines

        terminal.type("\x03")
        time.sleep(0.4)  # between two alarms, which remind the program of the first
        survived = terminal.process.poll() is None
        terminal.type("\x03")

        assert terminal.finish() == 130
        assert survived
        assert terminal.settings == before


class TestAJobOfAShell:
    """The shell is one that does not put the settings back by itself."""

    @pytest.fixture
    def shell(self, project: Project, server: StubServer, open_window: Open) -> Window:
        """A shell with a suite that waits for an answer."""
        self.seen = Event()
        cases(project, 2)
        server.answer(after(self.seen, say("ok")))
        shell = open_window("/bin/sh", "-i", environ={"PS1": "$ ", "ENV": ""})
        shell.wait_for("$ ")
        return shell

    def test_is_stopped_and_goes_on(self, shell: Window) -> None:
        shell.type("gko config test; echo code $?\n")
        shell.wait_for("[0/2]")
        shell.type("\x1a")
        shell.wait_for("Stopped")
        stopped = shell.edits_lines
        shell.type("fg\n")
        shell.wait_for("[0/2]")
        until(lambda: not shell.edits_lines)
        shell.type("t")
        shell.wait_for("0 of 2 cases done, 1 in flight")
        self.seen.set()
        shell.wait_for("2 cases: 2 passed")
        shell.wait_for("$ ")

        assert stopped
        assert shell.edits_lines

    def test_goes_on_in_the_background_and_comes_back(self, shell: Window) -> None:
        shell.type("gko config test\n")
        shell.wait_for("[0/2]")
        shell.type("\x1a")
        shell.wait_for("Stopped")
        shell.type("bg\n")
        shell.wait_for("[1] gko config test")
        time.sleep(0.5)
        behind = shell.edits_lines
        shell.type("echo typed for t''he shell\n")
        shell.wait_for("typed for the shell")
        quiet = DRAWN.search(shell.shown.partition("[1] gko")[2])
        shell.type("fg\n")
        shell.wait_for("[0/2]")
        until(lambda: not shell.edits_lines)
        shell.type("\x03")
        shell.wait_for("$ ")
        self.seen.set()

        assert behind
        assert quiet is None
        assert shell.edits_lines

    def test_is_not_stopped_in_the_background(self, shell: Window) -> None:
        shell.type("stty tostop; gko config test > report.txt &\n")
        shell.wait_for("$ ")
        time.sleep(1.0)
        untouched = shell.edits_lines
        shell.type("jobs\n")
        shell.wait_for("Running")
        shell.type("stty -tostop\n")
        shell.wait_for("stty -tostop")
        shell.wait_for("$ ")
        self.seen.set()
        shell.wait_for("2 cases: 2 passed")

        assert untouched

    def test_leaves_the_keys_to_a_pager(self, shell: Window) -> None:
        shell.type("gko config test | cat\n")
        shell.wait_for("[0/2]")

        assert shell.edits_lines

        self.seen.set()
        shell.wait_for("2 cases: 2 passed")


def test_a_terminal_that_another_program_reads_keys_from_is_left_to_it(
    project: Project, server: StubServer, open_window: Open
) -> None:
    cases(project, 1)
    server.answer(delay(0.3, say("ok")))

    terminal = open_window(*TEST, raw=True)
    before = terminal.settings
    terminal.wait_for("[0/1]")

    assert terminal.settings == before
    assert terminal.finish() == 0
    assert terminal.settings == before


class TestTheSignal:
    def test_is_answered_on_a_pipe(self, project: Project, server: StubServer, start: Callable[..., Process]) -> None:
        cases(project, 2)
        seen = Event()
        server.answer(say("ok"), after(seen, say("ok")))
        process = start(*TEST)
        until(lambda: len(server.requests) == 2, process)

        process.send_signal(signal.SIGUSR1)
        assert process.stderr is not None
        head, run = process.stderr.readline().decode(), process.stderr.readline().decode()
        seen.set()
        stdout, rest = process.communicate()

        assert (process.returncode, rest) == (0, b"")
        assert head == "1 of 2 cases done, 1 in flight\n"
        assert re.fullmatch(r"  ask c01  \d\.\d s  waiting for the answer\n", run)
        assert stdout.startswith(b"COMMAND")

    def test_is_answered_in_json_where_errors_are(
        self, project: Project, server: StubServer, start: Callable[..., Process]
    ) -> None:
        cases(project, 2)
        server.answer(say("no"), stall)
        process = start(*TEST, "--error-format", "json")
        until(lambda: len(server.requests) == 2, process)

        process.send_signal(signal.SIGUSR1)
        assert process.stderr is not None
        told = json.loads(process.stderr.readline())
        end(process, signal.SIGTERM)

        (run,) = told.pop("in_flight")
        assert told == {
            "kind": "status",
            "message": "1 of 2 cases done, 1 failed, 1 in flight",
            "cases": 2,
            "done": 1,
            "failed": 1,
            "errors": 0,
            "secs_left": None,
        }
        assert 0 <= run.pop("secs") < 10
        assert run == {"command": "ask", "case": "c01", "model": "fast", "run": 0, "runs": 1, "stage": "answer"}

    def test_is_answered_while_an_expectation_is_at_work(self, project: Project, start: Callable[..., Process]) -> None:
        plug_in(
            project,
            "busy",
            'def judge(self, value, outcome):\n    Path("working").touch()\n    while True: pass\n    yield',
        )
        cases(project, 1, "busy = 1")
        process = start(*TEST)
        until((project.folder / "working").exists, process)

        process.send_signal(signal.SIGUSR1)
        assert process.stderr is not None
        lines = [process.stderr.readline().decode() for _ in range(2)]
        end(process, signal.SIGTERM)

        assert lines[1].endswith("  being judged\n")

    @pytest.mark.parametrize("args", [TEST, ("ask",), ("config", "check")], ids=["suite", "command", "check"])
    def test_ends_nothing_however_far_the_program_has_got(
        self, project: Project, start: Callable[..., Process], args: tuple[str, ...]
    ) -> None:
        cases(project, 3)
        process = start(*args)
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
        until(lambda: _is_caught(process, signal.SIGUSR1))  # before, the interpreter itself is starting

        while process.poll() is None:
            process.send_signal(signal.SIGUSR1)
            time.sleep(0.0005)
        stdout, stderr = process.communicate()

        assert process.returncode == 0
        assert stdout != b""
        assert re.sub(rb"\d of 3 cases done.*\n(  ask .*\n)*", b"", stderr) == b""


def _is_caught(process: Process, number: int) -> bool:
    status = Path(f"/proc/{process.pid}/status").read_text()
    (caught,) = re.findall(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return bool(int(caught, 16) >> (number - 1) & 1)


def test_nothing_is_said_on_a_pipe(project: Project, server: StubServer) -> None:
    cases(project, 3)
    server.answer(delay(0.3, say("ok")))

    run = project.gko(*TEST, "--jobs", "2")

    assert (run.exit_code, run.stderr) == (0, "")
