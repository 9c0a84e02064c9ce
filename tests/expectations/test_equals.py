"""The expectation `equals`."""

from datetime import UTC, date, datetime, time

import pytest

from expectations.equals import Equals
from gekko import MISSING, BindError, Mismatch
from tests.expectations.judged import bound, mismatches


def test_each_place_that_differs_is_told_and_nothing_else() -> None:
    wanted = {"category": "hardware", "tags": ["a", "b"], "spot": {"line": 1, "a/b": 2}}
    found = {"category": "software", "tags": ["a", "c"], "spot": {"line": 1, "x~y": 3}}

    assert mismatches(bound(Equals, wanted), found) == [
        Mismatch('"hardware"', "software", "/category"),
        Mismatch('"b"', "c", "/tags/1"),
        Mismatch("2", MISSING, "/spot/a~1b"),
        Mismatch("no such member", 3, "/spot/x~0y"),
    ]


def test_arrays_of_different_length_are_told_as_a_whole() -> None:
    assert mismatches(bound(Equals, {"tags": ["a"]}), {"tags": ["b", "a"]}) == [
        Mismatch('["a"]', ["b", "a"], "/tags"),
    ]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        pytest.param(1, True, id="a-boolean-is-no-number"),
        pytest.param(False, 0, id="a-number-is-no-boolean"),
        pytest.param(0, None, id="null-is-nothing-else"),
        pytest.param("é", "e\u0301", id="strings-compare-by-code-point"),
        pytest.param(2**53 + 1, float(2**53), id="an-integer-is-exact"),
        pytest.param([], {}, id="an-array-is-no-object"),
    ],
)
def test_values_that_python_or_people_may_take_for_equal_differ(wanted: object, found: object) -> None:
    assert mismatches(bound(Equals, [wanted]), [found]) != []


@pytest.mark.parametrize(
    ("wanted", "found"), [(1, 1.0), (1.0, 1), (10**22, 1e22), ({"a": 1, "b": 2}, {"b": 2, "a": 1})]
)
def test_values_that_json_takes_for_equal_do_not_differ(wanted: object, found: object) -> None:
    assert mismatches(bound(Equals, wanted), found) == []


@pytest.mark.parametrize(
    "unfit", [date(2026, 1, 2), time(3, 4), datetime(2026, 1, 2, 3, 4, tzinfo=UTC), float("nan"), float("inf")]
)
def test_what_json_cannot_hold_is_refused_at_its_place(unfit: object) -> None:
    with pytest.raises(BindError) as caught:
        bound(Equals, {"a": [1, {"b": unfit}]})

    assert [problem.at for problem in caught.value.problems] == [("a", 1, "b")]
