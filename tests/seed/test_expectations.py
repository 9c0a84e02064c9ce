"""Sentences 12 to 17: what can be expected of an answer."""

import re

import pytest

from tests.project import JSON_OUTPUT, Project
from tests.seed.page import GIVEN, results, rows
from tests.stub_server import StubServer

DOCUMENT = (
    '{"category":"hardware","confidence":0.8,"count":1,"sure":true,"none":null,"tags":["a","b"],'
    '"spot":{"line":1,"file":"x"},"a/b":{"m~n":[10,20]},"":0,"big":9007199254740993}'
)


def judged(page: Project, command: str, given: str, expected: dict[str, str]) -> dict[str, str]:
    """Return the results of cases that are named by their number, in the words of what they expect."""
    for number, expect in enumerate(expected):
        page.case(f"{command}/{number:02}", expect, given)

    run = page.gko("config", "test", *command.split("/"), "--json")

    assert run.exit_code == (4 if "fail" in expected.values() else 0)
    return dict(zip(expected, results(run).values(), strict=True))


def refused(page: Project, command: str, given: str, malformed: list[str]) -> list[str]:
    """Return which of the cases are told to be malformed, and check that no other result is there."""
    for number, expect in enumerate(malformed):
        page.case(f"{command}/{number:02}", expect, given)

    run = page.gko("config", "test")

    assert (run.exit_code, run.stdout) == (2, b"")
    named = {int(number) for number in re.findall(r"/(\d\d)\.toml:\d+:\d+: expect\.", run.stderr)}
    return [expect for number, expect in enumerate(malformed) if number in named]


def test_keys_that_begin_with_a_slash_are_json_pointers(page: Project, server: StubServer) -> None:
    server.say(DOCUMENT)
    expected = {
        '"/category" = "hardware"': "pass",
        '"/spot/line" = 1': "pass",
        '"/tags/1" = "b"': "pass",
        '"/a~1b/m~0n/0" = 10': "pass",
        '"/" = 0': "pass",
        '"/tags/0" = "b"': "fail",
        '"/spot.line" = 1': "fail",
    }

    assert judged(page, "git/review", GIVEN, expected) == expected


def test_a_pointer_in_a_case_of_a_text_command_is_malformed(page: Project, server: StubServer) -> None:
    malformed = ['"/category" = "hardware"', '"/" = { min = 1 }']

    assert refused(page, "git/message", 'input = ""', malformed) == malformed
    assert server.requests == []


def test_the_value_of_a_pointer_is_an_exact_json_value(page: Project, server: StubServer) -> None:
    server.say(DOCUMENT)
    expected = {
        '"/category" = "hardware"': "pass",
        '"/category" = "Hardware"': "fail",
        '"/category" = "hard"': "fail",
        '"/count" = 1': "pass",
        '"/count" = 1.0': "pass",
        '"/count" = "1"': "fail",
        '"/count" = true': "fail",
        '"/sure" = true': "pass",
        '"/sure" = 1': "fail",
        '"/none" = false': "fail",
        '"/none" = ""': "fail",
        '"/tags" = ["a", "b"]': "pass",
        '"/tags" = ["b", "a"]': "fail",
        '"/tags" = ["a"]': "fail",
        '"/spot" = { file = "x", line = 1 }': "pass",
        '"/spot" = { line = 1 }': "fail",
        '"/spot" = {}': "fail",
        '"/big" = 9007199254740993': "pass",
        '"/big" = 9007199254740992.0': "fail",
        '"/confidence" = { min = 0.7, max = 0.9 }': "fail",
    }

    assert judged(page, "git/review", GIVEN, expected) == expected


def test_min_is_a_numeric_minimum(page: Project, server: StubServer) -> None:
    server.say(DOCUMENT)
    expected = {
        '"/confidence" = { min = 0.8 }': "pass",
        '"/confidence" = { min = 0.81 }': "fail",
        '"/confidence" = { min = -1 }': "pass",
        '"/count" = { min = 1 }': "pass",
        '"/category" = { min = 0 }': "fail",
        '"/sure" = { min = 0 }': "fail",
        '"/none" = { min = 0 }': "fail",
    }

    assert judged(page, "git/review", GIVEN, expected) == expected


def test_a_missing_pointer_fails_the_case(page: Project, server: StubServer) -> None:
    server.say(DOCUMENT)
    page.case("git/review/a", '"/categorie" = "hardware"', GIVEN)
    page.case("git/review/b", '"/tags/2" = { min = 0 }', GIVEN)

    run = page.gko("config", "test", "--json")

    assert (run.exit_code, results(run)) == (4, {"a": "fail", "b": "fail"})
    first, second = (row["message"] for row in rows(run))
    assert '"/categorie": expected "hardware"' in first
    assert "found nothing" in first
    assert '"/tags/2": expected' in second


def test_lines_is_the_number_of_non_empty_lines(page: Project, server: StubServer) -> None:
    server.say("feat: one\n\n  \nfix: two")
    expected = {"lines = 2": "pass", "lines = 1": "fail", "lines = 4": "fail", "lines = 0": "fail"}

    assert judged(page, "git/message", 'input = ""', expected) == expected


def test_contains_requires_literal_substrings(page: Project, server: StubServer) -> None:
    server.say("feat: a (better) way")
    expected = {
        'contains = ["feat:"]': "pass",
        'contains = ["way", "(better)", "feat: a"]': "pass",
        'contains = ["feat:", "fix:"]': "fail",
        'contains = ["Feat:"]': "fail",
        'contains = ["feat:.*way"]': "fail",
        'lines = 1\ncontains = ["feat:"]': "pass",
        'lines = 2\ncontains = ["feat:"]': "fail",
    }

    assert judged(page, "git/message", 'input = ""', expected) == expected


def test_lines_and_contains_in_a_case_of_a_json_command_are_malformed(page: Project, server: StubServer) -> None:
    malformed = ["lines = 1", 'contains = ["feat:"]']

    assert refused(page, "git/review", GIVEN, malformed) == malformed
    assert server.requests == []


def test_any_exit_code_but_0_and_4_is_malformed(page: Project, server: StubServer) -> None:
    codes = ["1", "2", "3", "5", "-4", "130", "true", "false", '"0"', "4.0", "[0]", "{}", "{ min = 0 }", "2026-01-01"]
    malformed = [f"exit_code = {code}" for code in codes]

    assert refused(page, "git/review", GIVEN, malformed) == malformed
    assert server.requests == []


@pytest.mark.parametrize("expect", ["", "exit_code = 0"])
def test_exit_code_0_is_the_default(page: Project, server: StubServer, expect: str) -> None:
    page.case("git/review/a", expect, GIVEN)

    accepted = page.gko("config", "test", "--json")
    server.say("no JSON at all")
    rejected = page.gko("config", "test", "--json")

    assert (accepted.exit_code, results(accepted)) == (0, {"a": "pass"})
    assert (rejected.exit_code, results(rejected)) == (4, {"a": "fail"})


@pytest.mark.parametrize("rejected", ["no JSON", '{"category":"hardware"} and more', '{"category":"wetware"}'])
def test_exit_code_4_expects_a_rejection_by_the_output_contract(
    page: Project, server: StubServer, rejected: str
) -> None:
    page.write("schemas/ticket.json", '{"properties":{"category":{"enum":["hardware","software"]}}}')
    page.command("strict", f'model = "fast"\n{JSON_OUTPUT}schema = "ticket"\n', "{{ input }}")
    page.case("strict/a", "exit_code = 4", 'input = ""')

    server.say(rejected)
    by_case = page.gko("config", "test", "--json")
    by_hand = page.gko("strict")
    server.say('{"category":"hardware"}')
    kept = page.gko("config", "test", "--json")

    assert (by_case.exit_code, results(by_case)) == (0, {"a": "pass"})
    assert (by_hand.exit_code, by_hand.stdout) == (4, b"")
    assert (kept.exit_code, results(kept)) == (4, {"a": "fail"})


def test_exit_code_4_beside_an_output_comparison_is_malformed(page: Project, server: StubServer) -> None:
    of_json = [
        'exit_code = 4\n"/a" = 1',
        '"/a" = { min = 1 }\nexit_code = 4',
        'exit_code = 4\n"/" = { is = { lines = 1 } }',
    ]
    of_text = ["exit_code = 4\nlines = 1", 'contains = ["a"]\nexit_code = 4']

    assert refused(page, "git/review", GIVEN, of_json) == of_json
    assert refused(page, "git/message", 'input = ""', of_text) == of_text
    assert server.requests == []
