"""Tests of gekko.run.showing: whatever the pieces, what is shown in the end is what the contract accepts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko.errors import OutputError
from gekko.run.contract import OutputRules, accept
from gekko.run.exchange import Reply
from gekko.run.showing import Showing

WORDS = ["a", "b", " ", "\n", "<think>", "</think>", "<", "\ud83d", "é"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map("".join)


def pieces_of(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(places)]


@given(text=TEXTS, cuts=st.lists(st.integers(0, 1000), max_size=8), strip_reasoning=st.booleans())
def test_what_is_shown_at_the_end_is_what_the_contract_accepts_or_nothing(
    text: str, cuts: list[int], strip_reasoning: bool
) -> None:
    written: list[str] = []
    showing = Showing(written.append, strip_reasoning)

    for piece in pieces_of(text, cuts):
        showing.feed(piece)

    shown = "".join(written)
    assert showing.has_begun == bool(shown)
    shown.encode()
    try:
        accepted = accept(Reply(text), OutputRules(strip_reasoning=strip_reasoning))
    except OutputError:
        return
    assert shown in ("", accepted.canonical)


@given(cuts=st.lists(st.integers(0, 1000), max_size=8))
def test_all_but_white_space_at_the_end_is_shown(cuts: list[int]) -> None:
    text = " \n one two\n three \n"
    written: list[str] = []
    showing = Showing(written.append, strip_reasoning=False)

    for piece in pieces_of(text, cuts):
        showing.feed(piece)

    assert "".join(written) == text.strip()


@pytest.mark.parametrize("text", ["<think>hm", "<think>hm</think>", " <thi", "\n "])
def test_reasoning_is_held_back(text: str) -> None:
    written: list[str] = []
    showing = Showing(written.append, strip_reasoning=True)

    for piece in text:
        showing.feed(piece)

    assert written == []
    assert not showing.has_begun


def test_another_answer_begins_anew() -> None:
    written: list[str] = []
    showing = Showing(written.append, strip_reasoning=True)
    showing.feed("<think>hm")

    showing.forget()
    showing.feed("<think>ah</think> yes")

    assert written == ["yes"]


def test_a_line_is_ended_once_and_only_where_it_was_begun() -> None:
    written: list[str] = []
    showing = Showing(written.append, strip_reasoning=False)

    showing.end()
    showing.feed("yes ")
    showing.end()
    showing.end()

    assert written == ["yes", "\n"]
