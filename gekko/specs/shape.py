"""The JSON Schema, draft-07, of what `structure` accepts, derived from the same classes and their rules."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, get_args

import attrs
from attrs import Factory, frozen

from gekko.specs.kinds import inner, is_literal, is_mapping, is_tuple, is_union, keys_of, members
from gekko.specs.structure import DOC, RULES, TYPE, Rule, classes_by_type

SCALARS: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}

TOGETHER: Final = "TOGETHER"
"""The attribute of a class that says what its keys say of each other: keywords of a schema."""

DRAFT: Final = "http://json-schema.org/draft-07/schema#"

Schema: TypeAlias = Mapping[str, Any]


@frozen(eq=False)
class InSchema:
    """A rule that JSON Schema can say as well; *keywords* say it for each type of value, "number" for every number."""

    rule: Rule
    keywords: Mapping[str, Schema]

    def __call__(self, value: Any) -> None:
        """Raise where the rule does not hold."""
        self.rule(value)


def in_schema(**keywords: Schema) -> Callable[[Rule], InSchema]:
    """Say a rule in the keywords of JSON Schema too, for each type of value that it can meet.

    They may accept more than the rule, and never less: an editor must not refuse what gko accepts.
    """
    return lambda rule: InSchema(rule, keywords)


def file_schema(title: str, wanted: Any) -> dict[str, object]:
    """Return the schema of a file, or of each of its lines, that is structured into *wanted*."""
    shapes = Shapes()
    schema = {"$schema": DRAFT, "title": title, **shapes.of(wanted)}
    return {**schema, "definitions": shapes.definitions} if shapes.definitions else schema


@frozen
class Shapes:
    """Makes schemas; what they refer to as `#/definitions/NAME` is collected in *definitions*."""

    definitions: dict[str, Schema] = Factory(dict)

    def of(self, wanted: Any) -> dict[str, Any]:
        """Return the schema of an attrs class, a scalar, a tuple, a mapping, a literal, or a union of those."""
        if wanted in SCALARS:
            return {"type": SCALARS[wanted]}
        if attrs.has(wanted):
            return self._table(wanted)
        if is_literal(wanted):
            return {"enum": list(get_args(wanted))}
        if is_tuple(wanted):
            return {"type": "array", "items": self.of(inner(wanted))}
        if is_mapping(wanted):
            return {"type": "object", "additionalProperties": self.of(inner(wanted))}
        if is_union(wanted):
            return self._union(members(wanted))
        return {}

    def _table(self, wanted: Any) -> dict[str, Any]:
        fields = keys_of(wanted).values()
        return {
            "type": "object",
            "additionalProperties": False,
            "required": [field.name for field in fields if field.default is attrs.NOTHING],
            "properties": {field.name: self._value(field) for field in fields},
            **getattr(wanted, TOGETHER, {}),
        }

    def _value(self, field: "attrs.Attribute[Any]") -> dict[str, Any]:
        schema = self.of(field.type)
        kind = schema.get("type", "").replace("integer", "number")
        for rule in field.metadata.get(RULES, ()):
            if isinstance(rule, InSchema):
                schema = _merged(schema, rule.keywords.get(kind, {}))
        doc = {"description": field.metadata[DOC]} if field.metadata.get(DOC) else {}
        return {**doc, **schema, **_default(field.default)}

    def _union(self, choices: tuple[Any, ...]) -> dict[str, Any]:
        if len(choices) == 1:
            return self.of(choices[0])
        return self._choice(choices) if all(map(attrs.has, choices)) else {"anyOf": [self.of(each) for each in choices]}

    def _choice(self, classes: tuple[Any, ...]) -> dict[str, Any]:
        (key,) = TYPE
        by_type = classes_by_type(classes)
        self.definitions.update((each.__name__, self.of(each)) for each in classes)
        references = {kind: {"$ref": f"#/definitions/{each.__name__}"} for kind, each in by_type.items()}
        chosen: dict[str, Any] = {}
        for kind, reference in references.items():
            condition = {"properties": {key: {"const": kind}}, "required": [key]}
            chosen = {"if": condition, "then": reference} | ({"else": chosen} if chosen else {})
        return {
            "type": "object",
            "required": [key],
            "properties": {key: {"enum": list(by_type)}},
            # "anyOf" would tell that no class fits, and not why.
            **chosen,
            # Accepts everything: editors look for completions in "anyOf", and never in "then".
            "anyOf": [{}, *references.values()],
        }


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return both schemas in one, which holds where both do; a keyword of both has a schema as its value."""
    common = {key: _merged(one[key], other[key]) for key in one if key in other}
    return {**one, **other, **common}


def _default(default: object) -> dict[str, object]:
    return {"default": default} if isinstance(default, str | int | float) and default != "" else {}
