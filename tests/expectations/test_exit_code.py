"""The expectation `exit_code`."""

import pytest

from expectations.exit_code import ExitCode
from gekko import BindError, Place
from tests.expectations.judged import bound, mismatches


@pytest.mark.parametrize("code", [0, 4])
def test_it_states_the_code_and_leaves_the_rest_to_the_engine(code: int) -> None:
    checker = bound(ExitCode, code, "exit_code", Place.EXPECT)

    assert checker.expected_exit_code == code
    assert not checker.needs_output
    assert mismatches(checker, "whatever", "text") == []


@pytest.mark.parametrize("written", [0.0, 4.0, True, False])
def test_what_is_no_integer_is_refused_where_the_fragment_cannot_tell(written: object) -> None:
    with pytest.raises(BindError):
        bound(ExitCode, written, "exit_code", Place.EXPECT)
