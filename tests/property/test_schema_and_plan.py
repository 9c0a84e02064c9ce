"""Editors and engine agree on what a case is: what the emitted schema accepts, the plan accepts, and the reverse.

But for what a schema cannot say: `EXCEPTIONS` has it by name, each with its reason, and nothing else is excused. An
exception is exact, too: where it applies the plan refuses, and a case that no schema and no exception refuses is
accepted.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from importlib.metadata import entry_points
from math import isfinite
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from gekko import Format
from gekko.checks.registry import GROUP, registry_of
from gekko.jsontext import LEAST_TOO_LONG
from gekko.limits import JSON_DEPTH
from gekko.plan.binding import Binder, Surroundings
from gekko.plan.file_schemas import case_schema
from gekko.specs.case import Case
from gekko.specs.structure import StructureError, structure
from tests.property.strategies import CASES, TRAPS, deep

# Whatever else is installed here has its own rules.
REGISTRY: Final = registry_of(entry for entry in entry_points(group=GROUP) if entry.dist and entry.dist.name == "gko")
BINDER: Final = Binder(REGISTRY)
WARNINGS: Final[list[str]] = []
SCHEMA: Final = Draft7Validator(case_schema(REGISTRY, WARNINGS.append))

Data: TypeAlias = Mapping[str, Any]

FORMATS: Final = st.sampled_from(["text", "json"])


def schema_accepts(data: object) -> bool:
    return bool(SCHEMA.is_valid(data))


def plan_accepts(data: object, output_format: Format) -> bool:
    try:
        case = structure(data, Case)
    except StructureError:
        return False
    _, problems = BINDER.bind(case.expect, Surroundings(output_format, None, Path(), Path()))
    return not problems


# What a schema cannot say. Each is asked only of what the schema accepts, so the shape of the data is known.


def an_integral_float_for_an_integer(data: Data, _: Format) -> bool:
    """In JSON 1.0 is an integer, in TOML it is not."""
    integers = [data["expect"].get("exit_code"), *data.get("args", {}).values()]
    lines = [table["lines"] for table in (data["expect"], *comparison_tables(data)) if "lines" in table]
    return any(isinstance(value, float) for value in (*integers, *lines))


def nan_or_infinity(data: Data, _: Format) -> bool:
    """A schema's numbers include them, JSON's do not."""
    return any(isinstance(leaf, float) and not isfinite(leaf) for _, leaf in pointed(data))


def a_date_or_time(data: Data, _: Format) -> bool:
    """No type of a schema is TOML's dates, so an exact value, which may be anything, may be one of them."""
    return any(isinstance(leaf, date | datetime | time) for _, leaf in pointed(data))


def deeper_than_json_may_be(data: Data, _: Format) -> bool:
    """A schema cannot count levels."""
    return any(isinstance(inner, dict | list) and level >= JSON_DEPTH for level, inner in exact_values(data))


def more_digits_than_a_number_may_have(data: Data, _: Format) -> bool:
    """A schema cannot count digits, and its maximum would be such a number itself."""
    numbers = (inner for _, inner in exact_values(data) if isinstance(inner, int | float))
    return any(abs(number) >= LEAST_TOO_LONG for number in numbers)


def a_key_of_the_other_format(data: Data, output_format: Format) -> bool:
    """The format is in another file: that of the command."""
    claims = filter(None, map(REGISTRY.find, data["expect"]))
    return any(output_format not in REGISTRY.load(claim).formats for claim in claims)


def a_tilde_that_escapes_nothing(data: Data, _: Format) -> bool:
    """Editors that know no look-ahead would drop the pattern, and with it every pointer."""
    return any(key.startswith("/") and re.search("~(?![01])", key) for key in data["expect"])


def a_rejected_answer_with_an_output(data: Data, _: Format) -> bool:
    """Which keys need an output their checkers say, and no fragment."""
    expect: Mapping[str, object] = data["expect"]
    return expect.get("exit_code") == 4 and len(expect) > 1


EXCEPTIONS: Final[Mapping[Callable[[Data, Format], bool], tuple[dict[str, object], Format]]] = {
    an_integral_float_for_an_integer: ({"lines": 1.0}, "text"),
    nan_or_infinity: ({"/a": {"min": float("nan")}}, "json"),
    a_date_or_time: ({"/a": [date(2026, 1, 1)]}, "json"),
    deeper_than_json_may_be: ({"/a": deep(JSON_DEPTH + 1)}, "json"),
    more_digits_than_a_number_may_have: ({"/a": LEAST_TOO_LONG}, "json"),
    a_key_of_the_other_format: ({"lines": 1}, "json"),
    a_tilde_that_escapes_nothing: ({"/a~b": 1}, "json"),
    a_rejected_answer_with_an_output: ({"exit_code": 4, "lines": 1}, "text"),
}
"""What only the plan refuses, each with an example."""


def comparison_tables(data: Data) -> Iterator[Mapping[str, Any]]:
    """Yield every table of comparisons below a pointer."""
    for key, value in data["expect"].items():
        match value:
            case {"min": _, **others} if key.startswith("/") and not others:
                yield value
            case {"is": table, **others} if key.startswith("/") and not others:
                yield table


def exact_values(data: Data) -> Iterator[tuple[int, object]]:
    """Yield everything inside of exact values, with the level at which it stands."""
    tables = list(comparison_tables(data))
    for key, value in data["expect"].items():
        if key.startswith("/") and not any(value is table or value == {"is": table} for table in tables):
            yield from levels(value)
    for table in tables:
        if "equals" in table:
            yield from levels(table["equals"])


def pointed(data: Data) -> Iterator[tuple[int, object]]:
    """Yield everything that stands below pointers, with its level."""
    for key, value in data["expect"].items():
        if key.startswith("/"):
            yield from levels(value)


def levels(value: object, level: int = 0) -> Iterator[tuple[int, object]]:
    yield level, value
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from levels(inner, level + 1)


@settings(max_examples=200, deadline=None)
@given(CASES, FORMATS)
@example({"input": "", "expect": {"/a": {"min": 10**1000}}}, "json")
def test_editor_and_engine_agree_but_for_what_a_schema_cannot_say(data: Any, output_format: Format) -> None:
    is_acceptable = schema_accepts(data)
    excuses = [excuse.__name__ for excuse in EXCEPTIONS if is_acceptable and excuse(data, output_format)]

    assert plan_accepts(data, output_format) == (is_acceptable and not excuses), excuses


@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_editor_and_engine_agree_on_every_trap(trap: dict[str, object]) -> None:
    data = {"input": "", "expect": {"/a": trap}}

    assert plan_accepts(data, "json") == schema_accepts(data)


@pytest.mark.parametrize("excuse", EXCEPTIONS, ids=lambda excuse: excuse.__name__)
def test_an_exception_is_one(excuse: Callable[[Data, Format], bool]) -> None:
    expect, output_format = EXCEPTIONS[excuse]
    data = {"input": {"file": "a.txt"}, "expect": expect}

    assert schema_accepts(data)
    assert not plan_accepts(data, output_format)
    assert [each.__name__ for each in EXCEPTIONS if each(data, output_format)] == [excuse.__name__]


def test_every_built_in_expectation_is_in_the_schema() -> None:
    assert WARNINGS == []
    assert [claim.key for claim in REGISTRY.claims] == ["/pointer", "contains", "equals", "exit_code", "lines", "min"]
