"""The JSON Schema of what `structure` accepts, derived from the same classes."""

from typing import Any, get_args

import attrs

from gekko.specs.structure import is_literal, is_mapping, is_tuple, is_union

SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}


def shape(wanted: Any) -> dict[str, Any]:
    """Return the schema, draft-07, of an attrs class, a scalar, a tuple, a mapping, a literal, or a union of those.

    Rules are not part of it: they are told when the file is checked.
    """
    if wanted in SCALARS:
        return {"type": SCALARS[wanted]}
    if attrs.has(wanted):
        return _table(wanted)
    if is_literal(wanted):
        return {"enum": list(get_args(wanted))}
    if is_tuple(wanted):
        return {"type": "array", "items": shape(get_args(wanted)[0])}
    if is_mapping(wanted):
        return {"type": "object", "additionalProperties": shape(get_args(wanted)[1])}
    if is_union(wanted):
        members = [shape(member) for member in get_args(wanted) if member is not type(None)]
        return members[0] if len(members) == 1 else {"anyOf": members}
    return {}


def _table(wanted: type) -> dict[str, Any]:
    fields = [field for field in attrs.fields(wanted) if field.init]
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [field.name for field in fields if field.default is attrs.NOTHING],
        "properties": {field.name: shape(field.type) for field in fields},
    }
