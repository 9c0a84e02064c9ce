"""The expectation `lines`."""

import pytest

from expectations.lines import Lines
from gekko import Mismatch
from tests.expectations.judged import bound, mismatches


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param(" \t\n\u00a0\n", 0, id="white-space-alone-is-an-empty-line"),
        pytest.param("one", 1, id="no-line-feed-at-the-end"),
        pytest.param("one\r\n\r\ntwo\n", 2, id="crlf"),
        pytest.param("one\rstill one\u2028and one\x0band one", 1, id="nothing-else-ends-a-line"),
    ],
)
def test_lines_end_with_lf_or_crlf_and_empty_ones_do_not_count(text: str, count: int) -> None:
    assert mismatches(bound(Lines, count), text, "text") == []
    assert [mismatch.found for mismatch in mismatches(bound(Lines, count + 1), text, "text")] == [text]


def test_a_mismatch_gives_both_numbers_and_the_text() -> None:
    assert mismatches(bound(Lines, 1), "a\nb", "text") == [Mismatch("exactly 1 non-empty line (there are 2)", "a\nb")]
    assert mismatches(bound(Lines, 2), "a", "text") == [Mismatch("exactly 2 non-empty lines (there is 1)", "a")]


@pytest.mark.parametrize("found", [1, None, ["a"]])
def test_what_is_no_string_has_no_lines(found: object) -> None:
    assert mismatches(bound(Lines, 1), found) == [Mismatch("a string of 1 non-empty line", found)]
