"""What the type of a field means for whoever writes TOML: which values it takes, and what they are called."""

from collections.abc import Mapping
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import attrs

WORDS: Final = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "an array",
    dict: "a table",
}


def is_literal(wanted: object) -> bool:
    """Return whether a type is a choice of values."""
    return get_origin(wanted) is Literal


def is_union(wanted: object) -> bool:
    """Return whether a type is a choice of types."""
    return isinstance(wanted, UnionType) or get_origin(wanted) is Union


def is_tuple(wanted: object) -> bool:
    """Return whether a type is an array."""
    return get_origin(wanted) is tuple


def is_mapping(wanted: object) -> bool:
    """Return whether a type is a table whose keys are free."""
    return get_origin(wanted) in (dict, Mapping)


def inner(wanted: Any) -> Any:
    """Return the type of what is inside of an array, or of a table whose keys are free."""
    return get_args(wanted)[0 if is_tuple(wanted) else 1]


def members(wanted: Any) -> tuple[Any, ...]:
    """Return the types between which a type leaves the choice; None, which TOML cannot write, is none of them."""
    choices = get_args(wanted) if is_union(wanted) else (wanted,)
    return tuple(each for each in choices if each is not type(None))


def keys_of(table: Any) -> dict[str, "attrs.Attribute[Any]"]:
    """Return the keys that the table of an attrs class can have, with their fields."""
    return {field.name: field for field in attrs.fields(table) if field.init}


def written_as(wanted: Any) -> tuple[type, ...]:
    """Return the Python types that TOML's reader gives for what *wanted* accepts; *wanted* is no union."""
    if wanted is float:
        return (int, float)
    if is_tuple(wanted):
        return (list,)
    if is_mapping(wanted) or attrs.has(wanted):
        return (dict,)
    if is_literal(wanted):
        return tuple({type(each) for each in get_args(wanted)})
    return (wanted,)


def could_be(value: object, wanted: Any) -> bool:
    """Return whether a value is of a kind that *wanted* accepts, whatever its rules say of it."""
    return any(each is object or type(value) in written_as(each) for each in members(wanted))


def in_words(wanted: Any) -> str:
    """Return what a value of a type is called: "a string"; *wanted* is no union."""
    return WORDS[float] if wanted is float else WORDS.get(written_as(wanted)[0], "something else")
