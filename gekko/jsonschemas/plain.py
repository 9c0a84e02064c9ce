"""Whether a value fits a schema of plain keywords: the answer of `jsonschema`, several times sooner, without reasons.

Nearly every value that a person writes fits; what does not, and any other schema, is left to `jsonschema` itself.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from gekko.jsontext import equal, is_number

Test: TypeAlias = Callable[[Any], bool]

KINDS: Final[Mapping[str, Test]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: is_number(value) and value % 1 == 0,
    "number": is_number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}

SIZES: Final[Mapping[str, tuple[type[Any], Callable[[int, int], bool]]]] = {
    "minLength": (str, operator.ge),
    "maxLength": (str, operator.le),
    "minItems": (list, operator.ge),
    "maxItems": (list, operator.le),
    "minProperties": (dict, operator.ge),
    "maxProperties": (dict, operator.le),
}

BEYOND: Final[Mapping[str, Callable[[Any, Any], bool]]] = {"minimum": operator.lt, "maximum": operator.gt}

BRANCHES: Final = {"then", "else"}

REFERENCE: Final = "#/definitions/"


class NotPlainError(Exception):
    """A schema has a keyword, or a value of one, that is not known here; it may be wrong."""


def plain_test(schema: Mapping[str, Any]) -> Test:
    """Return what tells whether a value fits *schema*, which is then a valid schema of draft-07 and of draft 2020-12.

    Raises:
        NotPlainError: the schema says more than is understood here.
    """
    rest = {keyword: wanted for keyword, wanted in schema.items() if keyword != "definitions"}
    definitions = schema.get("definitions", {})
    if not isinstance(definitions, Mapping):
        raise NotPlainError
    return _test(rest, {f"{REFERENCE}{name}": _test(inner, {}) for name, inner in definitions.items()})


def _test(schema: object, definitions: Mapping[str, Test]) -> Test:
    if not isinstance(schema, dict):
        raise NotPlainError
    if not BRANCHES.isdisjoint(schema) and "if" not in schema:
        raise NotPlainError
    said = [keyword for keyword, wanted in schema.items() if keyword not in BRANCHES and not _is_note(keyword, wanted)]
    return _every([_keyword_test(keyword, schema, definitions) for keyword in said])


def _is_note(keyword: str, wanted: object) -> bool:
    return keyword in ("title", "description", "$comment") and isinstance(wanted, str)


def _every(tests: Sequence[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]

    def fits(value: object) -> bool:
        # A loop takes a third of what all() with a generator does.
        for test in tests:  # noqa: SIM110
            if not test(value):
                return False
        return True

    return fits


def _keyword_test(keyword: str, schema: dict[str, Any], definitions: Mapping[str, Test]) -> Test:
    match keyword, schema[keyword]:
        case "type", str(kind) if kind in KINDS:
            return KINDS[kind]
        case "enum", [_, *_] as accepted:
            return lambda value: any(equal(each, value) for each in accepted)
        case _, bound if keyword in BEYOND and is_number(bound):
            is_beyond = BEYOND[keyword]
            return lambda value: not is_number(value) or not is_beyond(value, bound)
        case _, int(size) if keyword in SIZES and not isinstance(size, bool) and size >= 0:
            kind_of, compare = SIZES[keyword]
            return lambda value: not isinstance(value, kind_of) or compare(len(value), size)
        case "required", [*names] if len({name for name in names if isinstance(name, str)}) == len(names):
            return lambda value: not isinstance(value, dict) or all(name in value for name in names)
        case "properties", dict(inner):
            members = {name: _test(each, definitions) for name, each in inner.items()}
            return lambda value: (
                not isinstance(value, dict) or all(test(value[name]) for name, test in members.items() if name in value)
            )
        case "additionalProperties", False:
            known = schema.get("properties", {})
            return lambda value: not isinstance(value, dict) or all(name in known for name in value)
        case "items", dict(inner):
            item = _test(inner, definitions)
            return lambda value: not isinstance(value, list) or all(map(item, value))
        case "anyOf", [_, *_] as alternatives:
            tests = [_test(each, definitions) for each in alternatives]
            return lambda value: any(test(value) for test in tests)
        case "if", dict(condition):
            is_so = _test(condition, definitions)
            then, otherwise = (_test(schema.get(branch, {}), definitions) for branch in ("then", "else"))
            return lambda value: then(value) if is_so(value) else otherwise(value)
        case "$ref", str(name) if name in definitions and len(schema) == 1:
            return definitions[name]
        case _:
            raise NotPlainError
