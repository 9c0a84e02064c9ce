"""From plain TOML data to attrs objects: nothing coerced, nothing ignored, every problem at its place."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, TypeVar, cast, get_args

import attrs
from cattrs import Converter
from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
)
from cattrs.gen import make_dict_structure_fn, override

from gekko.errors import Problem
from gekko.locations import KeyPath
from gekko.specs.belonging import MissingKey, UnknownKey, explained
from gekko.specs.kinds import (
    in_words,
    inner,
    is_literal,
    is_mapping,
    is_tuple,
    is_union,
    members,
    written_as,
)
from gekko.wording import described, did_you_mean, one_of

T = TypeVar("T")

Rule: TypeAlias = Callable[[Any], None]
"""A fact about a field's value.

Where it does not hold it raises `ValueError(problem)` or `ValueError(problem, hint)`; StructureError for places inside.
"""

Build: TypeAlias = Callable[[object], object]
"""Structures a value into a type that is known already; raises as cattrs does."""

RULES = "gekko.rules"
DOC = "gekko.doc"

TYPE: KeyPath = ("type",)
"""The key that says which of several classes a table stands for."""


class StructureError(Exception):
    """The data does not fit the class; *problems* are all of the reasons."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problem.problem for problem in self.problems))


def ruled(*rules: Rule, doc: str = "", default: Any = attrs.NOTHING) -> Any:
    """Return an attrs field whose value must satisfy the rules; *doc* is what editors show of its key.

    A failing attrs validator is reported at the table that holds the field; a failing rule is reported at the field.
    """
    return attrs.field(default=default, metadata={RULES: rules, DOC: doc})


def structure(data: object, into: type[T]) -> T:
    """Structure *data* into *into*: an attrs class, a scalar, a tuple, a mapping, a literal, or a union of those.

    Raises:
        StructureError: with every reason, each at its place inside *data*.
    """
    try:
        return _converter().structure(data, into)
    except Exception as error:
        raise StructureError(explained(_problems_in(error), data, into)) from error


@cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    for scalar in (str, int, bool):
        converter.register_structure_hook(scalar, _exactly)  # cattrs itself would turn 5 into "5"
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook_func(lambda wanted: wanted is object, lambda value, _: value)
    converter.register_structure_hook_func(is_literal, _literal)
    converter.register_structure_hook_factory(is_union, lambda wanted: _union_hook(converter, wanted))
    converter.register_structure_hook_factory(is_tuple, lambda wanted: _tuple_hook(converter, wanted))
    converter.register_structure_hook_factory(is_mapping, lambda wanted: _mapping_hook(converter, wanted))
    converter.register_structure_hook_factory(attrs.has, lambda wanted: _class_hook(converter, wanted))
    return converter


def _exactly(value: object, wanted: type[T]) -> T:
    # bool is a subclass of int, so isinstance() would let `lines = true` through.
    if type(value) is not wanted:
        raise ValueError(f"expected {in_words(wanted)}, found {described(value)}")
    return value


def _number(value: object, _: type[float]) -> float:
    # A whole number is kept as it was written: it is sent as `1`, not as `1.0`.
    if type(value) not in (int, float):
        raise ValueError(f"expected a number, found {described(value)}")
    number = cast("float", value)
    if type(value) is float and not math.isfinite(value):
        raise ValueError(f"expected a finite number, found {number}")
    return number


def _literal(value: object, wanted: object) -> object:
    accepted = get_args(wanted)
    if not any(type(value) is type(each) and value == each for each in accepted):
        near = did_you_mean(value, accepted) if isinstance(value, str) else ""
        listed = one_of(accepted) if isinstance(accepted[0], str) else " or ".join(str(each) for each in accepted)
        raise ValueError(f"expected {listed}, found {described(value)}", near)
    return value


def _union_hook(converter: Converter, wanted: object) -> Callable[[object, object], object]:
    choices = members(wanted)
    tables = [each for each in choices if attrs.has(each)]
    builders = [(written_as(each), _builder(converter, each)) for each in choices if each not in tables]
    if tables:
        builders.append(((dict,), _table_builder(converter, tables)))

    def hook(value: object, _: object) -> object:
        for kinds, build in builders:
            if type(value) in kinds:
                return build(value)
        words = dict.fromkeys(map(in_words, choices))
        raise ValueError(f"expected {' or '.join(words)}, found {described(value)}")

    return hook


def _table_builder(converter: Converter, classes: Sequence[type]) -> Build:
    if len(classes) == 1:
        return _builder(converter, classes[0])
    builders = {wanted: _builder(converter, wanted) for wanted in classes}
    by_type: dict[str, type[object]] = classes_by_type(classes)
    return lambda value: builders[chosen_class(cast("dict[str, object]", value), by_type)](value)


def classes_by_type(classes: Iterable[type[T]]) -> dict[str, type[T]]:
    """Return classes that stand for one another by the single value of their field `type`, which tells them apart."""
    return {get_args(attrs.fields_dict(cast("Any", each))["type"].type)[0]: each for each in classes}


def chosen_class(table: Mapping[str, object], by_type: Mapping[str, type[T]]) -> type[T]:
    """Return the class that the key `type` of a table names.

    Raises:
        StructureError: it names none, or is missing.
    """
    kind = table.get("type")
    if isinstance(kind, str) and kind in by_type:
        return by_type[kind]
    if "type" not in table:
        raise StructureError([Problem("the key 'type' is required, but missing", f"accepted: {one_of(by_type)}", TYPE)])
    near = did_you_mean(kind, by_type) if isinstance(kind, str) else ""
    raise StructureError([Problem(f"expected {one_of(by_type)}, found {described(kind)}", near, TYPE)])


def _builder(converter: Converter, wanted: Any) -> Build:
    """Return what structures values into *wanted*; cattrs looks for it once, not at every value."""
    hook = converter.get_structure_hook(wanted)
    return lambda value: hook(value, wanted)


def _tuple_hook(converter: Converter, wanted: Any) -> Callable[[object, object], object]:
    build = _builder(converter, inner(wanted))

    def hook(value: object, _: object) -> object:
        # cattrs would iterate a string: "abc" becomes ("a", "b", "c").
        if type(value) is not list:
            raise ValueError(f"expected an array, found {described(value)}")
        return tuple(_each(enumerate(value), build).values())

    return hook


def _mapping_hook(converter: Converter, wanted: Any) -> Callable[[object, object], object]:
    build = _builder(converter, inner(wanted))

    def hook(value: object, _: object) -> object:
        if type(value) is not dict:
            raise ValueError(f"expected a table, found {described(value)}")
        return _each(value.items(), build)

    return hook


def _each(items: Iterable[tuple[Any, object]], build: Build) -> dict[Any, object]:
    built: dict[Any, object] = {}
    problems: list[Problem] = []
    for step, item in items:
        try:
            built[step] = build(item)
        except Exception as error:
            problems += (problem.below(step) for problem in _problems_in(error))
    if problems:
        raise StructureError(problems)
    return built


def _class_hook(converter: Converter, wanted: Any) -> Callable[[object, object], object]:
    overrides = {field.name: _override(converter, field) for field in attrs.fields(wanted) if field.metadata.get(RULES)}
    build = make_dict_structure_fn(wanted, converter, **overrides)

    def hook(value: object, _: object) -> object:
        if type(value) is not dict:
            raise ValueError(f"expected a table, found {described(value)}")
        return build(value, wanted)

    return hook


def _override(converter: Converter, field: "attrs.Attribute[Any]") -> Any:
    rules: tuple[Rule, ...] = field.metadata[RULES]

    def ruled_hook(value: object, wanted: Any) -> object:
        built = converter.structure(value, wanted)
        for rule in rules:
            rule(built)
        return built

    return override(struct_hook=ruled_hook)


def _problems_in(error: BaseException, at: KeyPath = ()) -> Iterator[Problem]:
    match error:
        case StructureError():
            yield from (problem.below(*at) for problem in error.problems)
        case ClassValidationError() | IterableValidationError():
            noted, bare = error.group_exceptions()
            for each, note in noted:
                step = note.name if isinstance(note, AttributeValidationNote) else note.index
                yield from _problems_in(each, (*at, step))
            for each in bare:
                yield from _problems_in(each, at)
        case ForbiddenExtraKeysError():
            yield from (UnknownKey("unknown key", at=(*at, key), owner=error.cl) for key in sorted(error.extra_fields))
        case KeyError():
            # A missing key has no place of its own: the table that lacks it has.
            yield MissingKey(f"the key '{error.args[0]}' is required, but missing", at=at)
        case _:
            yield Problem.told_by(error, at) if isinstance(error, Exception) else Problem(str(error), at=at)
