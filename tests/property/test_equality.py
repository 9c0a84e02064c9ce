"""The laws of `gekko.equal`, which decides what a pointer's value is held against.

`tests/test_jsontext.py` has it that it is reflexive and symmetric.
"""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko import equal

# Few leaves, so that values are often equal, though written differently.
LEAVES: Final = st.sampled_from([0, 1, 0.0, -0.0, 1.0, 2**53, 2**53 + 1, float(2**53), True, False, None, "", "1"])
ALIKE: Final = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=3,
)


@given(ALIKE, ALIKE, ALIKE)
def test_equality_is_transitive(first: object, second: object, third: object) -> None:
    if equal(first, second) and equal(second, third):
        assert equal(first, third)


@given(st.booleans(), st.integers() | st.floats())
def test_a_boolean_is_never_a_number(boolean: bool, number: float) -> None:
    assert not equal(boolean, number)
    assert not equal({"a": [number]}, {"a": [boolean]})


@given(st.integers(-(2**53), 2**53))
def test_an_integer_equals_the_float_of_its_value(number: int) -> None:
    assert equal(number, float(number))


@pytest.mark.parametrize("number", [2**53 + 1, 2**64 + 1, -(2**53) - 1, 10**400])
def test_an_integer_that_no_float_has_equals_none(number: int) -> None:
    assert not any(equal(number, other) for other in (float(2**53), float(2**64), -float(2**53), 1.7e308))


@given(st.lists(st.tuples(st.text(max_size=2), ALIKE), max_size=4, unique_by=lambda member: member[0]))
def test_the_order_of_members_changes_nothing(members: list[tuple[str, object]]) -> None:
    assert equal(dict(members), dict(reversed(members)))


@given(st.lists(LEAVES, min_size=1, max_size=3), LEAVES)
def test_an_array_equals_no_longer_one(items: list[object], more: object) -> None:
    assert not equal(items, [*items, more])
    assert not equal({"a": items}, {"a": items, "b": more})
