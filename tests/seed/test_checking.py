"""Sentence 11: everything is checked before any request."""

import re
from typing import Final

import pytest

from tests.project import Project
from tests.seed.page import GIVEN
from tests.stub_server import StubServer

MALFORMED: Final = {
    "no-toml": "input = \n[expect]\n",
    "a-key-twice": 'input = ""\ninput = ""\n[expect]\n',
    "unknown-key": f'{GIVEN}\ninputs = ""\n[expect]\n',
    "no-input": 'args = { kind = "ticket" }\n[expect]\n',
    "no-expect": f"{GIVEN}\n",
    "input-is-a-number": 'args = { kind = "ticket" }\ninput = 1\n[expect]\n',
    "input-file-missing": 'args = { kind = "ticket" }\ninput = { file = "missing.txt" }\n[expect]\n',
    "input-file-above": 'args = { kind = "ticket" }\ninput = { file = "../message/ok.toml" }\n[expect]\n',
    "input-not-utf-8": 'args = { kind = "ticket" }\ninput = { file = "latin-1.txt" }\n[expect]\n',
    "argument-missing": 'input = ""\n[expect]\n',
    "argument-unknown": 'args = { kind = "ticket", kin = "x" }\ninput = ""\n[expect]\n',
    "argument-is-true": 'args = { kind = true }\ninput = ""\n[expect]\n',
    "expectation-unknown": f"{GIVEN}\n[expect]\nexit_cod = 0\n",
    "exit-code-3": f"{GIVEN}\n[expect]\nexit_code = 3\n",
    "exit-code-4-and-output": f'{GIVEN}\n[expect]\nexit_code = 4\n"/a" = 1\n',
    "key-of-text-commands": f"{GIVEN}\n[expect]\nlines = 1\n",
    "pointer-with-a-tilde": f'{GIVEN}\n[expect]\n"/a~b" = 1\n',
    "min-is-a-string": f'{GIVEN}\n[expect]\n"/a" = {{ min = "0.8" }}\n',
    "comparison-unknown": f'{GIVEN}\n[expect]\n"/a" = {{ is = {{ mim = 1 }} }}\n',
    "a-date": f'{GIVEN}\n[expect]\n"/a" = [2026-01-01]\n',
}


def test_one_malformed_case_among_a_thousand_lets_no_request_through(page: Project, server: StubServer) -> None:
    for number in range(1000):
        page.case(f"git/review/good-{number:03}", '"/category" = "hardware"', GIVEN)
    page.case("git/review/zz-last", '"/confidence" = { min = "0.8" }', GIVEN)

    run = page.gko("config", "test")

    assert (run.exit_code, run.stdout) == (2, b"")
    [line] = run.stderr.splitlines()
    assert '.gekko/tests/git/review/zz-last.toml:5:19: expect."/confidence".min: ' in line
    assert server.connections_accepted == 0


def test_twenty_kinds_of_malformed_cases_are_all_named_at_once(page: Project, server: StubServer) -> None:
    page.case("git/message/ok", "lines = 1")
    page.write("tests/git/review/latin-1.txt", "Größe".encode("latin-1"))
    for case, text in MALFORMED.items():
        page.write(f"tests/git/review/{case}.toml", text)

    run = page.gko("config", "test")

    assert len(MALFORMED) == 20
    assert (run.exit_code, run.stdout) == (2, b"")
    assert re.findall(r"^error: \.gekko/tests/git/review/([\w-]+)\.toml:", run.stderr, re.MULTILINE) == sorted(
        MALFORMED
    )
    assert server.connections_accepted == 0


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--repeat", "3", "--json")])
def test_every_expectation_key_of_a_case_is_checked(
    page: Project, server: StubServer, options: tuple[str, ...]
) -> None:
    page.case("git/review/a", 'exit_code = 1\nlines = 1\ncontains = []\n"/a" = { min = true }\n"/~" = 1\nx = 1', GIVEN)

    run = page.gko("config", "test", *options)

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert re.findall(r"a\.toml:(\d+):\d+: expect\.", run.stderr) == ["5", "6", "7", "8", "9", "10"]
