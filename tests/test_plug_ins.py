"""Whatever an installed expectation does, it disturbs no run: its bugs are told, and what it changes is its own."""

import json
import signal
import time
from textwrap import indent

import pytest

from tests.plugins import plug_in
from tests.processes import end, until
from tests.project import JSON_OUTPUT, Project
from tests.stub_server import StubServer, say, stall, status

CASE = ".gekko/tests/ask/first.toml"

QUIET = "def judge(self, value, outcome):\n    yield from ()\n"

FAULTS = {
    "generator-exit": "raise GeneratorExit",
    "cancelled": "import asyncio; raise asyncio.CancelledError",
    "stop": "raise StopIteration",
    "async-stop": "raise StopAsyncIteration",
    "interrupt": "raise KeyboardInterrupt",
    "exit": "import sys; sys.exit(0)",
    "group": "raise BaseExceptionGroup('several', [SystemExit(0)])",
    "end-of-file": "raise EOFError",
    "broken-pipe": "raise BrokenPipeError(32, 'Broken pipe')",
    "strange": "raise type('Strange', (BaseException,), {'__str__': lambda _: 1 / 0})",
}

BEFORE_ANY_REQUEST = {
    "import": "{fault}\n\n" + QUIET,
    "bind": "@classmethod\ndef bind(cls, value, context):\n    {fault}\n\n" + QUIET,
    "hook": "@property\ndef expected_exit_code(self):\n    {fault}\n\n" + QUIET,
}

WHILE_JUDGING = {
    "call": "def judge(self, value, outcome):\n    {fault}\n",
    "judge": "def judge(self, value, outcome):\n    yield Mismatch('seen', value)\n    {fault}\n",
}

CLOSE = """\
def judge(self, value, outcome):
    try:
        while True:
            yield Mismatch('more', value)
    finally:
        {fault}
"""


@pytest.fixture
def project(project: Project) -> Project:
    """The project with a case that uses the expectation `strange`, which each test makes up."""
    project.command("ask", 'model = "fast"\n', "{{ input }}")
    project.case("ask/first", 'strange = 1\ncontains = ["ok"]')
    project.case("ask/second", 'contains = ["ok"]')
    return project


def told(project: Project, methods: str, fault: str) -> str:
    """Return what is told of an expectation that runs into *fault*, once it was seen to be no verdict."""
    plug_in(project, "strange", methods.format(fault=fault))

    run = project.gko("config", "test", "--json")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "Traceback" not in run.stderr
    for named in ("'strange' of gko-made-up 3.2", CASE):
        assert named in run.stderr
    return run.stderr


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("methods", BEFORE_ANY_REQUEST.values(), ids=BEFORE_ANY_REQUEST)
def test_whatever_is_raised_before_any_request_is_a_malformed_case(
    project: Project, server: StubServer, methods: str, fault: str
) -> None:
    told(project, methods, fault)

    assert server.requests == []


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("methods", WHILE_JUDGING.values(), ids=WHILE_JUDGING)
def test_whatever_is_raised_while_judging_ends_the_suite(
    project: Project, server: StubServer, methods: str, fault: str
) -> None:
    told(project, methods, fault)

    assert len(server.requests) == 1


@pytest.mark.parametrize("fault", [fault for name, fault in FAULTS.items() if name != "generator-exit"])
def test_whatever_is_raised_when_it_is_closed_ends_the_suite(project: Project, fault: str) -> None:
    told(project, CLOSE, fault)


def test_whoever_refuses_to_be_closed_ends_the_suite(project: Project) -> None:
    assert "GeneratorExit" in told(project, CLOSE, "yield Mismatch('even more', value)")


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        pytest.param("yield Ask('fast')", "'request' of Ask", id="no-request"),
        pytest.param("yield Ask(AskModel(['fast'], ()))", "'model' of AskModel", id="no-name"),
        pytest.param("yield Ask(AskModel('fast', 'Well?'))", "Message, not str", id="no-messages"),
        pytest.param("yield Ask(AskModel('fast', (Message('judge', 'Well?'),)))", "'assistant'", id="no-role"),
        pytest.param("yield Ask(AskModel('fast', (Message('user', 3),)))", "'content'", id="no-text"),
        pytest.param("yield Ask(AskModel('fast', (Message('user', '\\udcff'),)))", "U+DCFF", id="nothing-to-send"),
        pytest.param("yield Ask(AskCommand(('ask',), ''))", "'command' of AskCommand", id="no-command"),
        pytest.param("yield Ask(AskCommand('ask', None))", "'input' of AskCommand", id="no-input"),
        pytest.param("yield Ask(AskCommand('ask', '\\udcff'))", "U+DCFF", id="no-input-to-send"),
        pytest.param("yield Ask(AskCommand('ask', '', ['kind']))", "'args' of AskCommand", id="no-mapping"),
        pytest.param("yield Ask(AskCommand('ask', '', {'kind': None}))", "'kind' in 'args'", id="no-value"),
        pytest.param("yield Ask(AskCommand('ask', '', {3: 'x'}))", "a name in 'args'", id="no-argument"),
    ],
)
def test_what_cannot_be_asked_ends_the_suite(project: Project, fault: str, reason: str) -> None:
    asking = "models_asked = ('fast',)\ncommands_asked = ('ask',)\n"

    assert reason in told(project, asking + WHILE_JUDGING["call"], fault)


def test_what_cannot_be_asked_is_seen_where_it_is_made(project: Project) -> None:
    plug_in(project, "strange", WHILE_JUDGING["call"].format(fault="yield Ask('fast')"))

    run = project.gko("config", "test", "-v", "info")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "yield Ask('fast')" in run.stderr


def test_a_bug_that_shows_when_a_question_got_no_answer_is_told(project: Project, server: StubServer) -> None:
    server.answer(say("ok"), status(500))
    asking = "try:\n    yield Ask(AskModel('fast', (Message('user', 'Well?'),)))\nfinally:\n    1 / 0"

    reason = told(
        project, "models_asked = ('fast',)\n" + "def judge(self, value, outcome):\n{fault}", indent(asking, "    ")
    )

    assert "ZeroDivisionError" in reason


def test_a_fault_that_nobody_can_catch_is_told_where_all_is_to_be_told(project: Project) -> None:
    plug_in(
        project,
        "strange",
        "def judge(self, value, outcome):\n    type('Lost', (), {'__del__': lambda _: 1 / 0})()\n    yield from ()\n",
    )

    quiet = project.gko("config", "test")
    all_told = project.gko("config", "test", "-v", "info")

    assert (quiet.exit_code, quiet.stderr) == (0, "")
    assert all_told.exit_code == 0
    assert "ZeroDivisionError" in all_told.stderr


@pytest.mark.parametrize("fault", ["raise KeyboardInterrupt", "yield Mismatch('even more')", "1 / 0"])
def test_a_real_ctrl_c_ends_the_suite_whatever_a_checker_makes_of_it(
    project: Project, server: StubServer, fault: str
) -> None:
    asking = "try:\n    yield Ask(AskModel('fast', (Message('user', 'Well?'),)))\nfinally:\n    " + fault
    plug_in(
        project,
        "strange",
        f"models_asked = ('fast',)\n\ndef judge(self, value, outcome):\n{indent(asking, '    ')}\n",
    )
    server.answer(say("ok"), stall)
    with project.start("config", "test") as process:
        until(lambda: len(server.requests) == 2, process)
        time.sleep(0.1)

        run, _ = end(process, signal.SIGINT)

    assert (run.exit_code, run.stdout) == (130, b"")
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("catching", ["BaseException", "KeyboardInterrupt"])
def test_a_real_ctrl_c_that_meets_a_checker_is_not_put_down_to_it(project: Project, catching: str) -> None:
    working = f"""
def judge(self, value, outcome):
    yield Mismatch("seen", value)
    Path("working").touch()
    while True:
        try:
            time.sleep(0.01)
        except {catching}:
            pass
        else:
            continue
        raise ValueError("interrupted")
"""
    plug_in(project, "strange", working)
    with project.start("config", "test") as process:
        until((project.folder / "working").exists, process)

        run, _ = end(process, signal.SIGINT)

    assert (run.exit_code, run.stdout) == (130, b"")
    assert "Traceback" not in run.stderr


SPOILS = """\
def judge(self, value, outcome):
    for document in (value, outcome.output):
        document.pop("category")
        document["tags"].clear()
        document["confidence"] = 0.0
    yield from ()
"""

EXPECTED = '"/category" = "hardware"\n"/tags" = ["a"]\n"/confidence" = { min = 0.8 }\n'


class TestWhatAnExpectationChanges:
    @pytest.fixture
    def project(self, project: Project, server: StubServer) -> Project:
        project.command("ask", f'model = "fast"\n{JSON_OUTPUT}', "{{ input }}")
        project.case("ask/second", EXPECTED)
        server.say('{"category": "hardware", "confidence": 0.9, "tags": ["a"]}')
        return project

    @pytest.mark.parametrize("expect", [f"strange = 1\n{EXPECTED}", f"{EXPECTED}strange = 1\n"], ids=["first", "last"])
    def test_no_other_one_sees(self, project: Project, expect: str) -> None:
        plug_in(project, "strange", SPOILS)
        project.case("ask/first", expect)

        run = project.gko("config", "test", "--repeat", "2", "--json")

        assert (run.exit_code, run.stderr) == (0, "")
        rows = json.loads(run.stdout)
        assert [(row["case"], row["result"], row["distinct_outputs"]) for row in rows] == [
            ("first", "pass", 1),
            ("second", "pass", 1),
        ]

    def test_no_report_tells(self, project: Project) -> None:
        plug_in(project, "strange", SPOILS.replace("yield from ()", "yield Mismatch('something else', value)"))
        project.case("ask/first", 'strange = 1\n"/category" = "software"')

        run = project.gko("config", "test", "--json")

        assert run.exit_code == 4
        assert json.loads(run.stdout)[0]["message"].splitlines() == [
            'strange: expected something else, found {"confidence": 0.0, "tags": []}',
            '"/category": expected "software", found "hardware"',
        ]

    @pytest.mark.parametrize("order", ["strange = 1, {equals}", "{equals}, strange = 1"])
    def test_no_comparison_beside_it_sees(self, project: Project, server: StubServer, order: str) -> None:
        spoils = SPOILS.replace("outcome.output", 'outcome.output["ticket"]')
        plug_in(project, "strange", f"places: ClassVar = frozenset({{Place.VALUE}})\n\n{spoils}")
        equals = 'equals = { category = "hardware", confidence = 0.9, tags = ["a"] }'
        expected = f'"/ticket" = {{ is = {{ {order.format(equals=equals)} }} }}\n"/ticket/category" = "hardware"'
        project.case("ask/first", expected)
        project.case("ask/second", expected)
        server.say('{"ticket": {"category": "hardware", "confidence": 0.9, "tags": ["a"]}}')

        run = project.gko("config", "test")

        assert (run.exit_code, run.stderr) == (0, "")


def test_a_table_of_plug_ins_where_a_value_stands_is_told_how_comparisons_are_written(
    project: Project, server: StubServer
) -> None:
    plug_in(project, "strange", QUIET)
    project.command("ask", f'model = "fast"\n{JSON_OUTPUT}', "{{ input }}")
    project.case("ask/first", '"/a" = { strange = 1 }')
    project.case("ask/second", '"/a" = { stranger = 1 }')
    server.say('{"a": 1}')

    first, second = json.loads(project.gko("config", "test", "--json").stdout)

    assert "written { is = { strange = 1 } }" in first["message"]
    assert "is =" not in second["message"]
