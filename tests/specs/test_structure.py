"""Every type of TOML meets every type of field: what fits is kept as written, the rest is refused at its place."""

import tomllib
from collections.abc import Mapping
from typing import Any, Final, Literal

import pytest
from attrs import frozen

from gekko.errors import Problem
from gekko.specs.case import FileInput
from gekko.specs.rules import not_empty
from gekko.specs.structure import StructureError, ruled, structure

WRITTEN: Final = {
    "string": '"text"',
    "empty string": '""',
    "choice": '"chat"',
    "integer": "7",
    "zero": "0",
    "float": "0.5",
    "whole float": "1.0",
    "nan": "nan",
    "infinity": "-inf",
    "true": "true",
    "false": "false",
    "offset date-time": "1979-05-27T07:32:00Z",
    "local date-time": "1979-05-27T07:32:00",
    "local date": "1979-05-27",
    "local time": "07:32:00",
    "array": '["a", "b"]',
    "empty array": "[]",
    "array of integers": "[1, 2]",
    "table": '{ file = "a.txt" }',
    "empty table": "{}",
    "table of integers": "{ a = 1 }",
}
"""A value of each type of TOML, and of the kinds that other readers of data confuse."""

STRINGS: Final = {"string", "empty string", "choice"}
INTEGERS: Final = {"integer", "zero"}
FINITE: Final = {"float", "whole float"}
TABLES: Final = {"table", "empty table", "table of integers"}

FITS: Final[dict[Any, set[str]]] = {
    str: STRINGS,
    int: INTEGERS,
    float: INTEGERS | FINITE,
    bool: {"true", "false"},
    object: set(WRITTEN),
    Literal["chat", "embeddings"]: {"choice"},
    Literal[0, 4]: {"zero"},
    tuple[str, ...]: {"array", "empty array"},
    tuple[int, ...]: {"array of integers", "empty array"},
    Mapping[str, str]: {"table", "empty table"},
    Mapping[str, int]: {"table of integers", "empty table"},
    Mapping[str, object]: TABLES,
    str | int: STRINGS | INTEGERS,
    str | FileInput: STRINGS | {"table"},
    str | None: STRINGS,
    bool | None: {"true", "false"},
    float | None: INTEGERS | FINITE,
    tuple[str, ...] | None: {"array", "empty array"},
    FileInput: {"table"},
}
"""Which of these values fit each type of field."""


def value(kind: str) -> object:
    return tomllib.loads(f"value = {WRITTEN[kind]}")["value"]


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("wanted", FITS, ids=str)
def test_a_value_is_kept_as_it_is_written_or_refused(wanted: Any, kind: str) -> None:
    written = value(kind)

    if kind not in FITS[wanted]:
        with pytest.raises(StructureError):
            structure(written, wanted)
        return

    match structure(written, wanted):
        case FileInput(file=name):
            assert written == {"file": name}
        case tuple() as built:
            assert written == list(built)
        case built:
            # Other than equality, it tells 1 from 1.0 and from true, and a nan from no nan.
            assert repr(built) == repr(written)


@frozen(kw_only=True)
class Inner:
    name: str
    tags: tuple[str, ...] = ruled(not_empty, default=("a",))


@frozen(kw_only=True)
class Outer:
    size: int
    inner: Inner
    many: tuple[Inner, ...] = ()
    named: Mapping[str, Inner] = {}


def problems(data: object) -> set[tuple[str, ...]]:
    with pytest.raises(StructureError) as caught:
        structure(data, Outer)
    return {tuple(map(str, problem.at)) for problem in caught.value.problems}


def test_every_problem_is_told_each_at_its_place() -> None:
    data = {
        "size": True,
        "siez": 1,
        "inner": {"name": 7, "tags": []},
        "many": [{"name": "a"}, {"name": "b", "tags": ["x", 1]}, {}, "c"],
        "named": {"one": {"name": "a", "nmae": "b"}, "two": []},
    }

    assert problems(data) == {
        ("size",),
        ("siez",),
        ("inner", "name"),
        ("inner", "tags"),
        ("many", "1", "tags", "1"),
        ("many", "2", "name"),
        ("many", "3"),
        ("named", "one", "nmae"),
        ("named", "two"),
    }


def test_a_missing_key_is_told_at_its_own_place() -> None:
    assert problems({}) == {("size",), ("inner",)}


def test_an_unknown_key_names_the_nearest_or_all_that_are_accepted() -> None:
    with pytest.raises(StructureError) as caught:
        structure({"size": 1, "inner": {"name": "a"}, "manny": [], "zzz": 1}, Outer)

    assert caught.value.problems == (
        Problem("unknown key", "did you mean 'many'?", ("manny",)),
        Problem("unknown key", "accepted here: 'size', 'inner', 'many' and 'named'", ("zzz",)),
    )


def test_a_rule_is_not_asked_of_a_value_of_the_wrong_type() -> None:
    with pytest.raises(StructureError) as caught:
        structure({"name": "a", "tags": 7}, Inner)

    assert [problem.at for problem in caught.value.problems] == [("tags",)]
