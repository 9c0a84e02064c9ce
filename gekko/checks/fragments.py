"""What a checker's fragment accepts, and whether it can be a part of the schema that editors use."""

from collections.abc import Iterator
from typing import Final

from gekko.checks.checker import COMPARISONS, Checker, Fragment
from gekko.jsonschemas import FragmentValidator, SchemaError, fragment_validator
from gekko.jsontext import unfit
from gekko.locations import key_text
from gekko.wording import shown

NESTED: Final[Fragment] = {"comparisons": {"type": "object", "minProperties": 1}}
"""What COMPARISONS stands for while a value is bound: each comparison is then checked against its own fragment.

So no class is imported that the value does not use.
"""


class FragmentError(ValueError):
    """A fragment breaks its promises; the message goes on from "the fragment"."""


_compiled: Final[dict[type[Checker], FragmentValidator]] = {}


def validator_of(checker_class: type[Checker]) -> FragmentValidator:
    """Return what checks values against the fragment of a class; compiled once a process.

    Raises:
        FragmentError: the fragment is no JSON Schema, or not one that can be a part of another.
    """
    if checker_class not in _compiled:
        _compiled[checker_class] = _compile(checker_class.fragment)
    return _compiled[checker_class]


def _compile(fragment: Fragment) -> FragmentValidator:
    for flaw in _flaws(fragment):
        raise FragmentError(flaw)
    try:
        return fragment_validator({"definitions": NESTED, **fragment})
    except SchemaError as error:
        raise FragmentError(f"is no JSON Schema: {error}") from error


def _flaws(fragment: Fragment) -> Iterator[str]:
    if misfit := unfit(fragment):
        yield f"is no JSON at {key_text(misfit[0])}: {misfit[1]}"
    elif "definitions" in fragment:
        yield "has definitions, where the engine puts its own"
    else:
        foreign = (each for each in _references(fragment) if each != COMPARISONS["$ref"])
        yield from (f"refers to {shown(each)}, and can refer to nothing but COMPARISONS" for each in foreign)


def _references(schema: object) -> Iterator[object]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"]
        for inner in schema.values():
            yield from _references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _references(inner)
