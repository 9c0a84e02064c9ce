"""The expectation `min`."""

import pytest

from expectations.min import Min
from gekko import Mismatch
from tests.expectations.judged import bound, mismatches


@pytest.mark.parametrize(
    ("bound_written", "found"),
    [
        pytest.param(2**53 + 1, float(2**53), id="a-double-just-below-an-integer"),
        pytest.param(0.1, 0, id="an-integer-below-a-double"),
        pytest.param(10**400, 10**400 - 1, id="integers-outside-every-double"),
        pytest.param(10**400, 1.7e308, id="the-largest-double"),
    ],
)
def test_numbers_compare_exactly(bound_written: float, found: float) -> None:
    assert [found_one.found for found_one in mismatches(bound(Min, bound_written), found)] == [found]
    assert mismatches(bound(Min, found), bound_written) == []


@pytest.mark.parametrize("found", ["0.9", True, None, [0.9], {"min": 0.9}])
def test_what_is_no_number_never_passes(found: object) -> None:
    assert mismatches(bound(Min, 0), found) == [Mismatch("a number of at least 0", found)]
