"""Whether a value from a TOML file satisfies the schema that the code which reads it declares."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from gekko.jsonschemas.complaints import TOML, Complaint, complaints
from gekko.jsonschemas.problems import SchemaError, SchemaProblem
from gekko.pointers import build

FragmentValidator: TypeAlias = Callable[[object], list[Complaint]]
"""Takes a value as tomllib read it; returns every place in it that is wrong, with the reason."""


def fragment_validator(fragment: Mapping[str, Any]) -> FragmentValidator:
    """Return what checks values against *fragment*, a draft-07 schema that refers to nothing outside of itself.

    As in draft-07, a float without fraction passes for an integer, and nan for any number: whoever minds must look.

    Raises:
        SchemaError: the fragment is not a valid schema.
    """
    from jsonschema import Draft7Validator
    from referencing import Registry

    # A registry of our own: the default one would fetch what it does not know over the network.
    written = dict(fragment)
    metaschema = Draft7Validator(Draft7Validator.META_SCHEMA, registry=Registry())
    if faults := sorted(complaints(metaschema, written, TOML)):
        raise SchemaError(SchemaProblem(None, build(path), text) for path, text in faults)
    validator = Draft7Validator(written, registry=Registry())
    return lambda value: list(complaints(validator, value, TOML))
