"""Whether a value from a TOML file satisfies the schema that the code which reads it declares."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from typing import Any, TypeAlias

from gekko.jsonschemas.complaints import TOML, Complaint, listed
from gekko.jsonschemas.dialects import DRAFT_7, metaschema_complaints, place_refusals, validators
from gekko.jsonschemas.plain import NotPlainError, plain_test
from gekko.jsonschemas.problems import SchemaError, SchemaProblem
from gekko.limits import SCHEMA_SECS
from gekko.pointers import build

FragmentValidator: TypeAlias = Callable[[object], list[Complaint]]
"""Takes a value as tomllib read it; returns every place in it that is wrong, with the reason."""


def fragment_validator(fragment: Mapping[str, Any], within_secs: float = SCHEMA_SECS) -> FragmentValidator:
    """Return what checks values against *fragment*, a draft-07 schema that refers to nothing outside of itself.

    As in draft-07, a float without fraction passes for an integer, and nan for any number: whoever minds must look.
    What checks raises CannotEvaluate on a value that gets no verdict, or none in so much processor time.

    Raises:
        SchemaError: the fragment is not a valid schema.
    """
    try:
        fits = plain_test(fragment)
    except NotPlainError:
        return _full_validator(fragment, within_secs)
    full = cache(lambda: _full_validator(fragment, within_secs))  # not needed before some value does not fit
    return lambda value: [] if fits(value) else full()(value)


def _full_validator(fragment: Mapping[str, Any], within_secs: float) -> FragmentValidator:
    from referencing import Registry

    written = deepcopy(dict(fragment))
    if faults := metaschema_complaints(written, DRAFT_7):
        raise SchemaError(SchemaProblem(None, build(path), text) for path, text in faults)
    place_refusals(written, DRAFT_7)
    # A registry of our own: the default one would fetch what it does not know over the network.
    validator = validators()[DRAFT_7](written, registry=Registry())
    return lambda value: listed(validator, value, TOML, within_secs)
