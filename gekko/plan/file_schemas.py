"""The JSON Schema of each kind of file, for editors: derived from the class that reads it.

The keys of a case's `[expect]` come from the registry.
"""

from collections.abc import Callable

from gekko.checks.checker import Checker, Fragment, Place
from gekko.checks.registry import POINTERS, CheckerError, Registry, summary
from gekko.specs.backend import Backend
from gekko.specs.case import Case
from gekko.specs.command import FrontMatter
from gekko.specs.model import Model
from gekko.specs.shape import DRAFT, Shapes, file_schema


def backend_schema() -> dict[str, object]:
    """Return the schema of a backend file."""
    return file_schema("A backend of gko", Backend)


def model_schema() -> dict[str, object]:
    """Return the schema of a model file."""
    return file_schema("A model of gko", Model)


def command_schema() -> dict[str, object]:
    """Return the schema of the front matter of a command file."""
    return file_schema("The front matter of a gko command", FrontMatter)


def case_schema(registry: Registry, warn: Callable[[str], None]) -> dict[str, object]:
    """Return the schema of a case file; a key whose checker cannot be used is left out, with a warning.

    A key that nobody registered is refused. What a schema cannot say is said by the plan alone:
    docs/reference/case-files.md lists it.
    """
    usable = _usable(registry, warn)
    literal = {key: _fragment(checker) for key, checker in usable.items() if Place.EXPECT in checker.places}
    comparisons = {key: _fragment(checker) for key, checker in usable.items() if Place.VALUE in checker.places}
    pointers = {"^/": _fragment(usable[POINTERS])} if POINTERS in usable else {}
    case = Shapes().of(Case)
    properties = case["properties"]
    expectations = {"additionalProperties": False, "properties": literal, "patternProperties": pointers}
    different = properties["model"]["additionalProperties"]
    # Where an expectation stands, for all models or for some, it is told the same.
    properties["expect"] |= expectations
    different["properties"]["expect"] |= expectations
    return {
        "$schema": DRAFT,
        "title": "A regression case of a gko command",
        **case,
        "definitions": {
            "comparisons": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": False,
                "properties": comparisons,
            }
        },
    }


def _usable(registry: Registry, warn: Callable[[str], None]) -> dict[str, type[Checker]]:
    usable: dict[str, type[Checker]] = {}
    for claim in registry.claims:
        try:
            usable[claim.key] = registry.load(claim)
        except CheckerError as error:
            warn(f"{error}; left out of the schema")
    return usable


def _fragment(checker: type[Checker]) -> dict[str, object]:
    return _described(summary(checker), checker.fragment)


def _described(text: str, fragment: Fragment) -> dict[str, object]:
    # Draft-07 ignores whatever stands beside a reference.
    return {"description": text, "allOf": [fragment]} if "$ref" in fragment else {"description": text, **fragment}
