"""Which dialects of JSON Schema are spoken, and what each of them says about a schema and its references."""

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from gekko.jsonschemas.complaints import JSON, Complaint, alternatives, complaints
from gekko.jsonschemas.keywords import bounded
from gekko.wording import described, did_you_mean

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from referencing import Resource, Specification

Contents: TypeAlias = dict[str, Any] | bool
"""A schema as Python data."""

LATEST = "https://json-schema.org/draft/2020-12/schema"
DRAFT_7 = "http://json-schema.org/draft-07/schema"
BEFORE_LATEST = "https://json-schema.org/draft/2019-09/schema"

DRAFTS = ("Draft3", "Draft4", "Draft6", "Draft7", "Draft201909", "Draft202012")

BY_NAME = ("properties", "patternProperties")
BY_INDEX = ("items", "prefixItems")


@cache
def validators() -> dict[str, "type[Validator]"]:
    """Return who evaluates which dialect, by the URI that `$schema` names, without an empty fragment."""
    import jsonschema

    classes = [getattr(jsonschema, f"{draft}Validator") for draft in DRAFTS]
    return bounded({each.ID_OF(each.META_SCHEMA).rstrip("#"): each for each in classes})


def dialect_of(contents: Contents, default: str) -> str:
    """Return the dialect that a schema says it is written in, else *default*.

    Raises:
        ValueError: this one is not spoken here.
    """
    named = contents.get("$schema", default) if isinstance(contents, dict) else default
    dialect = named.rstrip("#") if isinstance(named, str) else ""
    if dialect not in validators():
        hint = did_you_mean(dialect, validators()) or f"accepted: {alternatives(list(validators()))}"
        raise ValueError(f"$schema: unknown dialect, {described(named)}; {hint}")
    return dialect


def definitions_keyword(dialect: str) -> str:
    """Return under what a dialect keeps schemas that are only referred to."""
    return "$defs" if dialect in {LATEST, BEFORE_LATEST} else "definitions"


def is_schema(value: object) -> TypeGuard[Contents]:
    """Tell whether *value* has the shape of a schema."""
    return isinstance(value, dict | bool)


def metaschema_complaints(contents: Contents, dialect: str) -> list[Complaint]:
    """Return what the dialect has against a schema, ordered by place.

    Raises:
        CannotEvaluate: it nests too deeply to tell.
    """
    from referencing import Registry

    validator = validators()[dialect]
    return sorted(complaints(validator(validator.META_SCHEMA, registry=Registry()), contents, JSON))


def resource_of(contents: Contents, dialect: str) -> "Resource[Any]":
    """Return a schema as something that can be referred to."""
    return specification(dialect).create_resource(contents)


def place_refusals(contents: Any, dialect: str) -> None:
    """Rewrite each `false` that stands for one member or item, inside of *contents*, so that its place is reported.

    Where a schema is plain `false`, jsonschema forgets which member or item met it.
    """
    pending = [resource_of(contents, dialect)]
    while pending:
        resource = pending.pop()
        if isinstance(resource.contents, dict):
            for holder, step in refusals_in(resource.contents):
                holder[step] = {"not": {}}
            pending += resource.subresources()


def refusals_in(schema: dict[str, Any]) -> list[tuple[Any, str | int]]:
    """Return where in *schema* a member or an item meets `false`: the holder and the key or index in it."""
    named = [(schema[keyword], name) for keyword in BY_NAME if keyword in schema for name in schema[keyword]]
    listed = [(schema[keyword], index) for keyword in BY_INDEX for index in indices(schema.get(keyword))]
    single = [(schema, keyword) for keyword in BY_INDEX if keyword in schema]
    return [(holder, step) for holder, step in (*named, *listed, *single) if holder[step] is False]


def indices(value: object) -> range:
    """Return the indices of a list, none for anything else."""
    return range(len(value)) if isinstance(value, list) else range(0)


@cache
def specification(dialect: str) -> "Specification[Any]":
    """Return how references work in a dialect."""
    from referencing import Specification
    from referencing.jsonschema import specification_with

    found: Specification[Any] = specification_with(dialect)
    return Specification(  # type: ignore[call-arg]  # that attrs makes this class is hidden from mypy
        name=found.name,
        id_of=found.id_of,
        # Up to draft 7 `dependencies` may mix schemas with lists of names, which would be taken for schemas.
        subresources_of=lambda contents: filter(is_schema, found.subresources_of(contents)),
        anchors_in=lambda _, contents: found.anchors_in(contents),
        maybe_in_subresource=found.maybe_in_subresource,
    )
