"""The name of a case where a command is wanted."""

from pathlib import Path
from typing import Final

import pytest

from gekko.plan.hints import case_hint
from gekko.sources.listing import CaseKey

CASES: Final[dict[CaseKey, Path]] = {
    (("mail", "parse"), "good"): Path("tests/mail/parse/good.toml"),
    (("mail", "parse"), "it's bad"): Path("tests/mail/parse/it's bad.toml"),
    (("mail", "sort"), "other"): Path("tests/mail/sort/other.toml"),
}


@pytest.mark.parametrize("last", ["good", "good.toml"])
def test_a_case_is_told_how_it_is_selected(last: str) -> None:
    hint = case_hint(("mail", "parse", last), CASES)

    assert "'mail parse'" in hint
    assert "`gko config test tests/mail/parse/good.toml`" in hint
    assert "`gko config test mail parse --case good`" in hint


def test_what_is_to_be_typed_survives_a_shell() -> None:
    hint = case_hint(("mail", "parse", "it's bad"), CASES)

    assert """--case 'it'"'"'s bad'`""" in hint


def test_a_slip_of_a_case_has_the_nearest_of_the_same_command() -> None:
    assert case_hint(("mail", "parse", "goood"), CASES) == "did you mean 'good'?"


@pytest.mark.parametrize(
    "words", [("good",), ("mail", "good"), ("mail", "sort", "good"), ("mail", "parse", "zzzzzzzz")]
)
def test_what_names_no_case_of_its_command_gets_no_hint(words: tuple[str, ...]) -> None:
    assert case_hint(words, CASES) == ""
