"""Keywords that are evaluated otherwise than `jsonschema` does, where it could neither be fast nor be interrupted."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from attrs import fields

from gekko.jsonschemas.budget import OutOfTimeError
from gekko.jsonschemas.problems import TooLongError
from gekko.limits import PATTERN_CHARACTERS
from gekko.wording import described, shown

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Keyword: TypeAlias = Callable[["Validator", Any, Any, Any], Iterable[Any] | None]
"""Yields the errors of one keyword: takes the validator, what the keyword says, the value, and the schema around it."""


def bounded(standard: Mapping[str, "type[Validator]"]) -> dict[str, "type[Validator]"]:
    """Return validators of the same dialects, by the same URIs, with the keywords of this module."""
    from jsonschema.validators import extend

    own: dict[str, Any] = {}
    for dialect, each in standard.items():
        changed = {name: change(each.VALIDATORS[name]) for name, change in CHANGES.items() if name in each.VALIDATORS}
        own[dialect] = extend(each, changed)  # type: ignore[no-untyped-call]
        own[dialect].evolve = _evolve(own, [(part.name, part.alias) for part in fields(own[dialect]) if part.init])
    return own


def _evolve(own: Mapping[str, Any], parts: Iterable[tuple[str, str]]) -> Callable[..., Any]:
    """Return how a validator becomes that of another schema; the one of `jsonschema` itself leads out of *own*."""

    def evolve(self: Any, **changes: Any) -> Any:
        schema = changes.setdefault("schema", self.schema)
        for name, argument in parts:
            if argument not in changes:
                changes[argument] = getattr(self, name)
        dialect = str(schema["$schema"]).rstrip("#") if isinstance(schema, dict) and "$schema" in schema else ""
        return own.get(dialect, type(self))(**changes)

    return evolve


def _pattern(standard: Keyword) -> Keyword:
    """A string that is not too long; and whoever waits for it is told on what the time was spent."""

    def pattern(validator: "Validator", wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
        if isinstance(value, str):
            _refuse_long(value)
        try:
            yield from standard(validator, wanted, value, schema) or ()
        except OutOfTimeError as error:
            error.spent_on = f"trying the pattern {shown(wanted)} on {described(value)}"
            raise

    return pattern


def _names(standard: Keyword) -> Keyword:
    """Patterns are tried on the names of members, too."""

    def names(validator: "Validator", wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
        for name in value if isinstance(value, dict) else ():
            _refuse_long(name)
        yield from standard(validator, wanted, value, schema) or ()

    return names


def _refuse_long(text: str) -> None:
    # A match is interrupted after some thousand steps, each of which can run over the whole string.
    if len(text) > PATTERN_CHARACTERS:
        raise TooLongError(f"no pattern is tried on more than {PATTERN_CHARACTERS} characters, found {len(text)}")


def _unique_items(_: Keyword) -> Keyword:
    """In linear time: sorting nested arrays, as `jsonschema` does, takes minutes; comparing each with each, as well."""
    from jsonschema import ValidationError

    def unique_items(validator: "Validator", wanted: Any, value: Any, __: Any) -> Iterator[Any]:
        if wanted and validator.is_type(value, "array") and not _all_differ(value):
            yield ValidationError("has equal items")

    return unique_items


def _all_differ(items: Iterable[object]) -> bool:
    seen: set[Hashable] = set()
    for item in items:
        key = _identity(item)
        if key in seen:
            return False
        seen.add(key)
    return True


def _identity(value: Any) -> Hashable:
    """Return what two values have in common exactly if they are equal as JSON; 1 is 1.0, and true is not."""
    match value:
        case dict():
            return "object", frozenset((name, _identity(member)) for name, member in value.items())
        case list():
            return "array", *map(_identity, value)
        case bool():
            return "boolean", value
    return value  # type: ignore[no-any-return]  # a scalar of JSON or TOML


CHANGES: Final[Mapping[str, Callable[[Keyword], Keyword]]] = {
    "pattern": _pattern,
    "patternProperties": _names,
    "additionalProperties": _names,
    "unevaluatedProperties": _names,
    "uniqueItems": _unique_items,
}
