"""One mistake in a case hides no other, and is told once."""

import re

from tests.project import Project
from tests.stub_server import StubServer

ARGS = '[args.kind]\nrequired = true\n[args.count]\ntype = "integer"\nmax = 9\ndefault = 1\n'
FRONT = f'model = "fast"\n{ARGS}[output]\nformat = "json"\n'
PROMPT = "{{ args.kind }} {{ args.count }} {{ input }}"
EXPECT = '[expect]\nexit_cod = 0\n"/a" = { is = {} }\n'


def told(project: Project, case: str) -> list[str]:
    """Return the keys that one run complains about, in the order of the file."""
    project.command("triage", FRONT, PROMPT)
    project.write("tests/triage/a.toml", case)
    run = project.gko("config", "test")
    assert (run.exit_code, run.stdout) == (2, b"")
    return re.findall(r"^error: \.gekko/tests/triage/a\.toml(?::\d+:\d+)?: (\S+): ", run.stderr, re.MULTILINE)


def test_an_unknown_key_of_the_case_hides_nothing(project: Project, server: StubServer) -> None:
    case = f'modle = "fast"\nargs = {{ kin = "x", count = 10 }}\ninput = {{ file = "no.txt" }}\n{EXPECT}'

    keys = told(project, case)

    # What is missing from a table stands at that table.
    assert keys == ["modle", "args.kind", "args.kin", "args.count", "input.file", "expect.exit_cod", 'expect."/a".is']
    assert server.requests == []


def test_a_missing_input_hides_nothing(project: Project) -> None:
    keys = told(project, f'args = {{ kind = "x", count = 10 }}\n{EXPECT}')

    assert keys == ["input", "args.count", "expect.exit_cod", 'expect."/a".is']


def test_a_misspelt_expect_hides_nothing(project: Project) -> None:
    keys = told(project, 'args = { kind = "x", count = 10 }\ninput = { file = "no.txt" }\n[expct]\n')

    assert keys == ["expect", "args.count", "input.file", "expct"]


def test_an_argument_of_a_wrong_type_is_told_once_and_hides_no_other(project: Project) -> None:
    keys = told(project, f'args = {{ kind = true, count = 10 }}\ninput = ""\n{EXPECT}')

    assert keys == ["args.kind", "args.count", "expect.exit_cod", 'expect."/a".is']


def test_arguments_that_are_no_table_are_told_once(project: Project) -> None:
    keys = told(project, f'args = ["x"]\ninput = ""\n{EXPECT}')

    assert keys == ["args", "expect.exit_cod", 'expect."/a".is']


def test_an_input_of_a_wrong_shape_is_told_once_and_hides_nothing(project: Project) -> None:
    keys = told(project, f'args = {{ kind = "x" }}\ninput = {{ fil = "no.txt" }}\n{EXPECT}')

    assert keys == ["input.file", "input.fil", "expect.exit_cod", 'expect."/a".is']


def test_a_broken_command_is_told_once_beside_what_is_wrong_with_the_case_itself(project: Project) -> None:
    project.command("broken", 'modle = "fast"\n')
    for name in ("a", "b"):
        project.write(f"tests/broken/{name}.toml", "inptu = 1\n")

    run = project.gko("config", "test")

    assert run.exit_code == 2
    assert [line.split(": ")[1] for line in run.stderr.splitlines() if "commands/broken.md" in line] == [
        ".gekko/commands/broken.md:1:1",
        ".gekko/commands/broken.md:2:1",
    ]
    assert run.stderr.count("inptu: unknown key") == 2


def test_a_broken_case_does_not_hide_that_the_backend_cannot_be_reached(project: Project, server: StubServer) -> None:
    project.backend(server.url, '[headers]\nAuthorization = "Bearer {{ env.NOT_SET_ANYWHERE }}"')

    keys = told(project, 'args = { kind = "x" }\ninput = ""\n[expect]\nexit_cod = 0\n')

    assert keys == ["expect.exit_cod"]
    assert "headers.Authorization: the environment variable" in project.gko("config", "test").stderr
    assert server.requests == []
