"""What goes to stdout and what to stderr, whatever those are: pipes, terminals, full disks, nothing at all."""

import errno
import os
import pty
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TypeAlias

import pytest
from attrs import frozen

from tests.project import GKO, Finished, Project
from tests.stub_server import StubServer, delay, reset, say

PASSING = 'contains = ["ok"]'
FAILING = 'contains = ["never"]'


@pytest.fixture
def project(project: Project) -> Project:
    """The project with a command and a case that passes."""
    project.command("git/review")
    project.case("git/review/first", PASSING)
    return project


class TestPipes:
    @pytest.mark.parametrize("command", ["gko git review", "gko config test", "gko config test --json", "gko --help"])
    def test_a_reader_that_is_gone_ends_the_run_quietly(self, project: Project, command: str) -> None:
        run = project.shell(f"(sleep 0.1; exec {command}) | true")

        assert (run.exit_code, run.stderr) == (1, "")

    def test_a_reader_that_goes_in_between_ends_the_run_quietly(self, project: Project, server: StubServer) -> None:
        server.say("x" * 1_000_000)

        run = project.shell("gko git review | head -c 1")

        assert (run.exit_code, run.stdout, run.stderr) == (1, b"x", "")

    @pytest.mark.parametrize("command", ["gko git review", "gko config test", "gko --help", "gko --version"])
    def test_a_full_disk_is_an_error_that_is_told(self, project: Project, command: str) -> None:
        run = project.shell(f"{command} > /dev/full")

        assert run.exit_code == 1
        assert os.strerror(errno.ENOSPC) in run.stderr
        assert run.stderr.startswith("error: ")
        assert run.stderr.count("\n") == 1

    @pytest.mark.parametrize("command", ["gko git review", "gko config test", "gko --help", "gko --version"])
    def test_a_stdout_that_is_closed_is_an_error_that_is_told(self, project: Project, command: str) -> None:
        run = project.shell(f"{command} >&-")

        assert run.exit_code == 1
        assert "standard output" in run.stderr
        assert run.stderr.count("\n") == 1

    @pytest.mark.parametrize("command", ["gko git review", "gko git review --no-wait", "gko config test"])
    @pytest.mark.parametrize("stdout", [">&-", ">/dev/full", "1</dev/null", "<&- >&- 2>&-"])
    def test_a_stdout_that_nothing_can_be_written_to_is_found_out_before_any_request(
        self, project: Project, server: StubServer, command: str, stdout: str
    ) -> None:
        run = project.shell(f"{command} {stdout}")

        assert (run.exit_code, run.stdout) == (1, b"")
        assert server.requests == []

    def test_a_stdin_that_is_closed_is_an_error_where_it_is_read(self, project: Project, server: StubServer) -> None:
        run = project.shell("gko git review <&-")

        assert (run.exit_code, run.stdout) == (1, b"")
        assert "standard input" in run.stderr
        assert server.requests == []

    def test_a_stdin_that_is_closed_matters_to_nobody_else(self, project: Project) -> None:
        assert project.shell("gko config test <&- | tail -n 1").exit_code == 0

    def test_a_stderr_that_is_closed_changes_nothing_else(self, project: Project, server: StubServer) -> None:
        assert project.shell("gko git review 2>&-") == Finished(0, b"ok\n", "")
        assert project.shell("gko git review --modle 2>&-") == Finished(2, b"", "")
        server.say("never mind")
        assert project.shell("gko config test --json 2>&-").exit_code == 4

    def test_a_full_stderr_changes_nothing_else(self, project: Project) -> None:
        assert project.shell("gko git review --modle 2>/dev/full") == Finished(2, b"", "")

    def test_all_streams_closed(self, project: Project, server: StubServer) -> None:
        assert project.shell("gko git review --dry-run <&- >&- 2>&-").exit_code == 1

    @pytest.mark.parametrize("encoding", [{"LC_ALL": "C"}, {"PYTHONUTF8": "0"}])
    def test_answers_and_errors_are_utf_8_whatever_the_locale(
        self, project: Project, server: StubServer, encoding: dict[str, str]
    ) -> None:
        server.say("größer → 🦎")
        project.command("dire/größe", 'description = "A"\nmodel = "fäst"\n', "{{ input }}")

        answered = project.gko("git", "review", environ=encoding)
        failed = project.gko("dire", "größe", environ=encoding)

        assert answered == Finished(0, "größer → 🦎\n".encode(), "")
        assert failed.exit_code == 2
        assert "'fäst'" in failed.stderr


class TestHelpAndUsage:
    @pytest.mark.parametrize("args", [(), ("git",), ("config",)], ids=["bare", "group", "own-group"])
    def test_a_group_alone_shows_its_help_as_an_error(self, project: Project, args: tuple[str, ...]) -> None:
        run = project.gko(*args)

        assert (run.exit_code, run.stdout) == (2, b"")
        assert run.stderr.startswith("Usage: gko")
        assert run.stderr == project.gko(*args, "--help").stdout.decode()

    @pytest.mark.parametrize(
        ("args", "culprit"),
        [
            (("gti",), "git"),
            (("git", "reveiw"), "review"),
            (("git", "review", "--modle", "x"), "--modle"),
            (("git", "review", "--model"), "--model"),
            (("git", "review", "one", "two"), "one"),
            (("git", "review", "--model", "fats"), "'fast'"),
            (("config", "tset"), "test"),
            (("config", "test", "--repeat", "0"), "--repeat"),
            (("config", "test", "--repeat", "two"), "two"),
            (("config", "test", "--model", "fats"), "'fast'"),
            (("config", "test", "gti"), "gti"),
            (("config", "schema", "tets"), "tets"),
            (("--verbose", "loud", "git", "review"), "loud"),
            (("--verbose", "info", "git", "reveiw"), "review"),
            (("--verbose", "error", "git", "reveiw"), "review"),
        ],
    )
    def test_a_wrong_command_line(
        self, project: Project, server: StubServer, args: tuple[str, ...], culprit: str
    ) -> None:
        run = project.gko(*args)

        assert (run.exit_code, run.stdout) == (2, b"")
        assert culprit in run.stderr
        assert "Traceback" not in run.stderr
        assert server.requests == []


@frozen
class Seen:
    """What a terminal showed, and what else came."""

    exit_code: int
    terminal: str
    piped: bytes


Watch: TypeAlias = Callable[..., Seen]


@pytest.fixture
def watch(project: Project) -> Iterator[Watch]:
    """Runs `gko` with the named streams on a terminal and the others as pipes."""
    controller, terminal = pty.openpty()

    def watch(*args: str, on: tuple[str, ...], environ: Mapping[str, str] | None = None) -> Seen:
        streams: dict[str, int] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        streams |= dict.fromkeys(on, terminal)
        environment = project.environment({"TERM": "xterm", **(environ or {})})
        with subprocess.Popen([GKO, *args], cwd=project.folder, env=environment, **streams) as process:  # type: ignore[call-overload]
            if "stdin" in on:
                os.write(controller, b"typed\n\x04")
            stdout, stderr = process.communicate(timeout=60)
        os.set_blocking(controller, False)
        shown = b""
        with suppress(BlockingIOError):
            while chunk := os.read(controller, 65536):
                shown += chunk
        return Seen(process.returncode, shown.decode(), (stdout or b"") + (stderr or b""))

    yield watch
    os.close(controller)
    os.close(terminal)


class TestTerminals:
    def test_the_report_is_coloured(self, watch: Watch) -> None:
        seen = watch("config", "test", on=("stdout",))

        assert "\x1b[32mpass" in seen.terminal
        assert seen.piped == b""

    @pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
    def test_the_report_is_not_coloured_where_that_is_not_wanted(self, watch: Watch, environ: dict[str, str]) -> None:
        seen = watch("config", "test", on=("stdout",), environ=environ)

        assert "pass" in seen.terminal
        assert "\x1b" not in seen.terminal

    def test_an_empty_wish_for_no_colour_is_none(self, watch: Watch) -> None:
        assert "\x1b[32m" in watch("config", "test", on=("stdout",), environ={"NO_COLOR": ""}).terminal

    def test_json_is_never_coloured(self, watch: Watch) -> None:
        assert "\x1b" not in watch("config", "test", "--json", on=("stdout",)).terminal

    def test_progress_and_a_summary_are_shown_on_stderr(self, watch: Watch, server: StubServer) -> None:
        server.answer(delay(0.3, say("ok")))

        seen = watch("config", "test", on=("stderr",))

        assert "[0/1] git/review first" in seen.terminal
        assert "1 case: 1 passed" in seen.terminal
        assert seen.piped.startswith(b"COMMAND")
        assert b"\x1b" not in seen.piped

    def test_progress_is_cleared_before_an_error(self, watch: Watch, server: StubServer) -> None:
        server.answer(delay(0.3, reset))

        seen = watch("config", "test", on=("stderr",))

        progress, _, error = seen.terminal.rpartition("\x1b[2K")
        assert "first" in progress
        assert error.startswith("error: ")
        assert seen.exit_code == 3

    def test_reading_an_input_from_the_terminal_is_told(self, watch: Watch, server: StubServer) -> None:
        seen = watch("git", "review", on=("stdin", "stderr"))

        assert seen.exit_code == 0
        assert "terminal" in seen.terminal
        assert seen.piped == b"ok\n"
        assert server.requests[0].json["messages"][-1]["content"].endswith(": typed\n")

    def test_help_is_not_an_error_and_goes_to_stdout(self, project: Project) -> None:
        run = project.gko("git", "review", "--help")

        assert (run.exit_code, run.stderr) == (0, "")
        assert run.stdout.startswith(b"Usage: gko git review")


class TestAPipedSuite:
    def test_says_nothing_when_all_is_well(self, project: Project) -> None:
        assert project.gko("config", "test").stderr == ""

    @pytest.mark.parametrize("verbosity", ["error", "warn"])
    def test_says_how_many_cases_failed(self, project: Project, verbosity: str) -> None:
        project.case("git/review/second", FAILING)

        run = project.gko("config", "test", "-v", verbosity)

        assert (run.exit_code, run.stderr) == (4, "1 of 2 cases failed\n")

    def test_says_the_same_of_a_single_case(self, project: Project) -> None:
        project.case("git/review/first", FAILING)

        assert project.gko("config", "test", "--json").stderr == "1 of 1 case failed\n"
