"""The quick answer about a plain schema is that of `jsonschema`."""

import datetime as dt
from importlib.metadata import entry_points
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator

from gekko.checks.fragments import NESTED
from gekko.jsonschemas.plain import NotPlainError, plain_test

SCALARS = st.one_of(
    st.booleans(),
    st.integers(-3, 5),
    st.sampled_from([0.0, -0.0, 1.0, 0.5, 4.0, float("inf")]),
    st.text("ab0é", max_size=3),
    st.just(dt.date(2024, 2, 29)),
)
NAMES = st.sampled_from(["a", "b", "min"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
SIZES = st.integers(0, 3)


def plain_schemas(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas of every keyword that is plain."""
    keywords = {
        "type": st.sampled_from(["array", "boolean", "integer", "number", "object", "string"]),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "minimum": st.one_of(st.integers(-2, 4), st.just(0.5)),
        "maximum": st.one_of(st.integers(-2, 4), st.just(0.5)),
        "title": st.just("A"),
        "description": st.just("a word"),
        "minLength": SIZES,
        "maxLength": SIZES,
        "minItems": SIZES,
        "maxItems": SIZES,
        "minProperties": SIZES,
        "maxProperties": SIZES,
        "required": st.lists(NAMES, unique=True, max_size=2),
        "properties": st.dictionaries(NAMES, inner, max_size=2),
        "additionalProperties": st.just(False),
        "items": inner,
        "anyOf": st.lists(inner, min_size=1, max_size=2),
    }
    branching = st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner})
    reference = st.just({"$ref": "#/definitions/table"})
    return st.one_of(st.fixed_dictionaries({}, optional=keywords), branching, reference)


@given(schema=st.recursive(st.just({}), plain_schemas, max_leaves=4), value=st.one_of(VALUES, st.just(float("nan"))))
def test_a_plain_schema_accepts_what_jsonschema_accepts(schema: dict[str, Any], value: object) -> None:
    whole = {"definitions": {"table": {"type": "object"}}, "anyOf": [schema]}

    fits = plain_test(whole)(value)
    assert [draft(whole).is_valid(value) for draft in (Draft7Validator, Draft202012Validator)] == [fits, fits]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nubmer"},
        {"type": ["string", "null"]},
        {"enum": []},
        {"minimum": "1"},
        {"minimum": True},
        {"minLength": -1},
        {"minItems": True},
        {"maxItems": 1.5},
        {"required": ["a", "a"]},
        {"required": "a"},
        {"required": [1]},
        {"properties": {"a": False}},
        {"properties": []},
        {"items": [{}]},
        {"anyOf": []},
        {"then": {}},
        {"definitions": []},
        {"definitions": {"a": {"type": "nubmer"}}},
        {"definitions": {"a": {"$ref": "#/definitions/a"}}, "$ref": "#/definitions/a"},
        {"$ref": "#/definitions/comparisons"},
        {"definitions": {"a": {}}, "$ref": "#/definitions/a", "type": "string"},
        {"pattern": "a"},
        {"description": 5},
        {"additionalProperties": {}},
        {"additionalProperties": False, "patternProperties": {"a": {}}},
    ],
    ids=str,
)
def test_what_is_not_plain_is_left_to_jsonschema(schema: dict[str, Any]) -> None:
    with pytest.raises(NotPlainError):
        plain_test(schema)


@pytest.mark.parametrize("entry", entry_points(group="gekko.expectations"), ids=lambda entry: entry.name)
def test_every_expectation_of_our_own_has_a_plain_fragment(entry: Any) -> None:
    if entry.dist.name != "gko":
        pytest.skip("of another distribution")

    assert callable(plain_test({"definitions": NESTED, **entry.load().fragment}))
