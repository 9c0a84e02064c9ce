"""The expectation `contains`."""

import pytest

from expectations.contains import Contains
from gekko import Mismatch
from tests.expectations.judged import bound, mismatches


def test_every_missing_string_is_told() -> None:
    checker = bound(Contains, ["feat:", "a.c", "#42"])

    assert mismatches(checker, "Feat: abc #42", "text") == [
        Mismatch('a text that contains "feat:"', "Feat: abc #42"),
        Mismatch('a text that contains "a.c"', "Feat: abc #42"),
    ]


def test_strings_are_taken_literally() -> None:
    assert mismatches(bound(Contains, ["[a-z]+", "\\n", "é"]), "x[a-z]+\\né", "text") == []


@pytest.mark.parametrize("found", [["feat:"], {"feat:": 1}, None, 3])
def test_what_is_no_string_contains_none(found: object) -> None:
    assert mismatches(bound(Contains, ["feat:"]), found) == [Mismatch('a string that contains "feat:"', found)]
