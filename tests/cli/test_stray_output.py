"""What an expectation prints, and whoever it starts: it goes to stderr, and standard output has the report alone."""

import json
import re

import pytest

from tests.plugins import plug_in
from tests.project import JSON_OUTPUT, Project
from tests.stub_server import StubServer

NOISY = """
import os

def say(where, is_quiet="QUIET" in os.environ):
    if not is_quiet:
        print("noise", where)

class Loud(dict):
    def items(self):
        MadeUp.say("in the fragment")
        return super().items()

say("at import")

fragment: ClassVar = Loud({"type": "integer"})

@classmethod
def bind(cls, value, context):
    cls.say("in bind")
    return cls(value)

@property
def sees_missing(self):
    MadeUp.say("in a hook")
    return False

def judge(self, value, outcome):
    MadeUp.say("while judging")
    yield from ()
"""

EVERYWHERE = ("at import", "in the fragment", "in bind", "in a hook", "while judging")
AT_LOADING = ("at import", "in the fragment")


@pytest.fixture
def project(project: Project) -> Project:
    """The project with a case that uses the expectation `noisy`, which each test makes up."""
    project.command("ask", f'model = "fast"\n{JSON_OUTPUT}', "{{ input }}")
    project.case("ask/first", 'noisy = 1\n"/name" = "printer"')
    return project


@pytest.fixture(autouse=True)
def answer(server: StubServer) -> None:
    server.say('{"name": "printer"}')


def timeless(stdout: bytes) -> str:
    """Return a report without the durations in it."""
    return re.sub(r" +\d+ ms|(?<=duration_ms\": )\d+", "TIME", stdout.decode())


@pytest.mark.parametrize(
    ("args", "told"),
    [
        pytest.param(("config", "test"), EVERYWHERE, id="suite"),
        pytest.param(("config", "test", "--json"), EVERYWHERE, id="suite-as-json"),
        pytest.param(("config", "schema", "test"), AT_LOADING, id="schema"),
        pytest.param(("config", "expectations"), AT_LOADING, id="listing"),
        pytest.param(("config", "expectations", "--json"), AT_LOADING, id="listing-as-json"),
        pytest.param(("doctor",), AT_LOADING, id="doctor"),
        pytest.param(("doctor", "--json"), AT_LOADING, id="doctor-as-json"),
    ],
)
def test_a_report_stays_as_it_is_whatever_is_printed(
    project: Project, args: tuple[str, ...], told: tuple[str, ...]
) -> None:
    plug_in(project, "noisy", NOISY)

    quiet = project.gko(*args, environ={"QUIET": "1"})
    noisy = project.gko(*args)

    assert (noisy.exit_code, timeless(noisy.stdout)) == (0, timeless(quiet.stdout))
    assert quiet.stderr == ""
    assert [where for where in told if f"noise {where}\n" not in noisy.stderr] == []


WRITES = {
    "print": "print('noise')",
    "an-unfinished-line": "print('noise', end='')",
    "the-stream": "sys.stdout.write('noise\\n')",
    "bytes": "sys.stdout.buffer.write(b'noise\\n')",
    "the-first-stream": "sys.__stdout__.write('noise\\n')",
    "the-descriptor": "os.write(1, b'noise\\n')",
    "native-code": "ctypes.CDLL(None).puts(b'noise')",
    "a-process": "subprocess.run(['echo', 'noise'], check=True)",
    "a-shell": "os.system('echo noise')",
    "when-all-is-over": "atexit.register(print, 'noise')",
    "what-no-locale-can-say": "print('noise \\udcff größe')",
}


def writing(statement: str) -> str:
    return (
        f"def judge(self, value, outcome):\n    import atexit, ctypes, os, subprocess, sys\n    {statement}\n"
        "    yield from ()\n"
    )


@pytest.mark.parametrize("statement", WRITES.values(), ids=WRITES)
def test_however_it_is_written_it_goes_to_stderr(project: Project, statement: str) -> None:
    plug_in(project, "noisy", writing(statement))

    run = project.gko(
        "config", "test", "--json", environ={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    )

    assert (run.exit_code, len(json.loads(run.stdout))) == (0, 1)
    assert run.stderr.startswith("noise")


@pytest.mark.parametrize("statement", WRITES.values(), ids=WRITES)
def test_standard_output_stays_empty_where_the_run_fails(project: Project, statement: str) -> None:
    plug_in(project, "noisy", writing(f"{statement}\n    raise KeyError('culprit')"))

    run = project.gko("config", "test")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "culprit" in run.stderr
    assert "noise" in run.stderr


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full", "2>&- <&-"])
@pytest.mark.parametrize("kind", ["print", "an-unfinished-line", "bytes"])
def test_whoever_prints_does_not_fail_where_nobody_can_hear_it(project: Project, kind: str, stderr: str) -> None:
    plug_in(project, "noisy", writing(WRITES[kind]))

    run = project.shell(f"gko config test --json {stderr}")

    assert (run.exit_code, len(json.loads(run.stdout))) == (0, 1)


def test_both_in_one_stream_keep_their_order(project: Project) -> None:
    plug_in(project, "noisy", NOISY)

    run = project.shell("gko config test 2>&1")

    *noise, header, row = run.stdout.decode().splitlines()
    assert {line.partition(" ")[0] for line in noise} == {"noise"}
    assert (header.split()[0], row.split()[0]) == ("COMMAND", "ask")


def test_a_program_that_is_started_does_not_keep_standard_output_open(project: Project) -> None:
    """Whoever reads the report would wait for the end of the other program."""
    plug_in(project, "noisy", writing("subprocess.Popen(['sleep', '30'], stderr=subprocess.DEVNULL)"))

    run = project.shell("timeout 20 bash -c 'gko config test --json 2>/dev/null | cat'")

    assert (run.exit_code, len(json.loads(run.stdout))) == (0, 1)
