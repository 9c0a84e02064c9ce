"""Editors and engine agree on backends, models and commands: what the schema of a file accepts, gko accepts.

But for what a schema cannot say: `EXCUSES` has it by name, each with an example. An excuse is exact: where it applies
gko refuses, and what neither schema nor excuse refuses is accepted. What the schema refuses, gko refuses always.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from math import isfinite
from pathlib import Path
from typing import Any, Final, TypeAlias, get_args

import attrs
import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from gekko import templates
from gekko.errors import ConfigurationError
from gekko.plan.file_schemas import backend_schema, command_schema, model_schema
from gekko.sources.document import Document
from gekko.specs.argument import Argument
from gekko.specs.backend import OURS, Backend, is_header_value, read_backend
from gekko.specs.command import FrontMatter, read_command
from gekko.specs.kinds import is_mapping, is_tuple, is_union
from gekko.specs.model import Model
from gekko.specs.runtime import OURS as DOCKERS_OURS
from gekko.specs.sourced import sourced
from gekko.specs.structure import DOC, chosen_class, classes_by_type
from gekko.testkit.strategies import TOML, changed
from tests.property import specs
from tests.property.specs import NOT_BLANK, TEXT, mappings, plain
from tests.property.strategies import renamed

Data: TypeAlias = Mapping[str, Any]

FILE: Final = Path("file")

BAD_URLS: Final = ("http://:80", "http://a:x", "http://a:65536", "http://a:0", "http://a b", "http://[a", "http://a/\n")

PORT: Final = "{{ backend.port }}"

TYPES: Final = classes_by_type(get_args(Backend))

SLIPS: Final = TOML | st.sampled_from(
    [
        0,
        0.0,
        1.0,
        -1,
        1.5,
        True,
        "",
        " ",
        "a\n",
        "x\0",
        "{{ env.A }}",
        "{{ input }}",
        [],
        [""],
        ["a", "a"],
        {},
        *BAD_URLS,
    ]
)

ENGINES: Final = st.fixed_dictionaries(
    {"id": NOT_BLANK, "type": st.just("embedded"), "weights": NOT_BLANK},
    optional={
        "engine": st.dictionaries(
            st.sampled_from(["context", "threads", "startup_secs", "max_tokens"]), st.integers(0, 2**21), max_size=2
        ),
        "timeouts": st.fixed_dictionaries({"request_secs": st.sampled_from([1, 0.5, 0])}),
    },
)

WORDS: Final = st.lists(st.sampled_from(["-a", "--rm", "--rm=1", "--port", PORT, "{{ port }}", "x\0"]), max_size=2)

RUNTIMES: Final = st.fixed_dictionaries(
    {"type": st.just("process"), "command": NOT_BLANK},
    optional={"arguments": WORDS, "env": mappings(TEXT, TEXT), "startup_timeout_secs": st.sampled_from([1, 0])},
) | st.fixed_dictionaries(
    {"type": st.just("docker"), "image": st.sampled_from(["ovms", "-d", ""])},
    optional={"options": WORDS, "args": WORDS},
)

SERVERS: Final = st.tuples(
    specs.SERVERS.map(plain),
    st.fixed_dictionaries(
        {},
        optional={
            "base_url": st.sampled_from([f"http://127.0.0.1:{PORT}", "HTTPS://ovms", "http://me@host", *BAD_URLS]),
            "port": st.sampled_from([8000, 8000.0, 0, 65535, 65536]),
            "runtime": RUNTIMES,
            "headers": mappings(
                st.sampled_from(["a", "A", "Host", "b c", "a\n"]), st.sampled_from(["x", "{{ a }}", "\n"])
            ),
        },
    ),
).map(lambda both: {**both[0], **both[1]})

SMALL: Final = st.sampled_from([0, 1, 2, 1.0])

ARGUMENTS: Final = st.tuples(
    st.fixed_dictionaries(
        {}, optional={"short": st.sampled_from(["k", "K", "h", "k\n"]), "required": st.just(False), "description": TEXT}
    ),
    st.fixed_dictionaries(
        {}, optional={"type": st.sampled_from(["string", "file"]), "default": st.sampled_from(["", 1])}
    )
    | st.fixed_dictionaries(
        {"type": st.just("enum"), "values": st.lists(st.sampled_from("ab"), max_size=3)},
        optional={"default": st.sampled_from("ab")},
    )
    | st.fixed_dictionaries(
        {"type": st.just("integer")},
        optional={"min": SMALL, "max": SMALL, "default": st.sampled_from([1, "2", "x", 3])},
    ),
).map(lambda both: {**both[0], **both[1]})

OUTPUTS: Final = st.fixed_dictionaries(
    {}, optional={"format": st.just("text"), "max_lines": SMALL}
) | st.fixed_dictionaries(
    {"format": st.just("json")},
    optional={"schema": NOT_BLANK, "extract": st.sampled_from(["", "/", "/~", "a", "\n"])},
)

COMMAND_FILES: Final = st.fixed_dictionaries(
    {"model": NOT_BLANK},
    optional={
        "system": st.sampled_from(["a", " ", "{{ args.kind }}", "{{ schemas.a }}", "{{ input }}"]),
        "args": mappings(st.sampled_from(["kind", "Kind-2", "model", "1", "a\n"]), ARGUMENTS),
        "schemas": mappings(st.just("a"), TEXT),
        "output": OUTPUTS,
    },
)


@st.composite
def with_slips(draw: st.DrawFn, sound: st.SearchStrategy[dict[str, Any]]) -> object:
    """Draw a file with up to two slips: a value that stands somewhere else, or a key of another name."""
    data: object = draw(sound)
    for _ in range(draw(st.integers(0, 2))):
        is_a_name = isinstance(data, dict) and draw(st.booleans())
        data = draw(renamed(data) if is_a_name else changed(data, SLIPS))  # type: ignore[arg-type]
    return data


def typed(data: Any, wanted: Any) -> Iterator[tuple[Any, Any]]:
    """Yield everything in a file that its schema accepts, with the type of the field in which it stands."""
    yield data, wanted
    match data:
        case dict() if is_union(wanted):
            yield from typed(data, member_for(data, wanted))
        case dict() if attrs.has(wanted):
            fields = attrs.fields_dict(wanted)
            for key, value in data.items():
                yield from typed(value, fields[key].type)
        case dict():
            inner = get_args(wanted)[1] if is_mapping(wanted) else object
            for value in data.values():
                yield from typed(value, inner)
        case list():
            optional = [each for each in get_args(wanted) if is_tuple(each)]
            array = optional[0] if optional else wanted
            for value in data:
                yield from typed(value, get_args(array)[0] if is_tuple(array) else object)


def member_for(data: Data, union: Any) -> Any:
    members = [each for each in get_args(union) if each is not type(None)]
    return members[0] if len(members) == 1 else chosen_class(data, classes_by_type(members))


def texts(data: object) -> Iterator[str]:
    """Yield every text that stands in *data*, as a key or a value."""
    match data:
        case str():
            yield data
        case dict():
            for key, value in data.items():
                yield key
                yield from texts(value)
        case list():
            for value in data:
                yield from texts(value)


# What a schema cannot say. Each is asked only of what the schema accepts, so the shape of the data is known.


def an_integral_float_for_an_integer(data: Data, wanted: type) -> bool:
    """In JSON 1.0 is an integer, in TOML it is not."""
    return any(
        isinstance(value, float) and (kind is int or (int in get_args(kind) and float not in get_args(kind)))
        for value, kind in typed(data, wanted)
    )


def nan_or_infinity(data: Data, wanted: type) -> bool:
    """A schema's numbers include them, JSON's do not."""
    return any(isinstance(value, float) and not isfinite(value) for value, _ in typed(data, wanted))


def a_date_or_time(data: Data, wanted: type) -> bool:
    """No type of a schema is TOML's dates, so what is sent as it is may be one of them."""
    return any(isinstance(value, date | datetime | time) for value, _ in typed(data, wanted))


def a_line_feed_at_the_end(data: Data, wanted: type) -> bool:
    """Of Python's `$` alone; that of the engines of editors is the end."""
    shorts = [each.get("short", "") for each in data.get("args", {}).values()]
    paths = [each["path"] for each in data.get("operations", {}).values()]
    extracts = [data.get("output", {}).get("extract", "")]
    exact = (*data.get("args", {}), *shorts, *data.get("headers", {}), *paths)
    return any(text.endswith("\n") for text in exact) or extracts == ["\n"]


def no_url(data: Data, _: type) -> bool:
    """What a host and a port can be is beyond a pattern that can be read."""
    return data.get("base_url") in BAD_URLS


def a_header_twice_or_of_gko(data: Data, _: type) -> bool:
    """Letter case does not count, and patterns of editors cannot leave it out of account."""
    names = [name.lower() for name in data.get("headers", {})]
    return len(set(names)) < len(names) or any(name in OURS for name in names)


def an_impossible_header_value(data: Data, _: type) -> bool:
    """A header is one line, with no placeholder but of the environment."""
    values = data.get("headers", {}).values()
    return any(not is_header_value(value) or templates.parse(value, ("env",))[1] for value in values)


def a_port_that_is_missing_or_unused(data: Data, _: type) -> bool:
    """Where the port stands is the whole file's affair."""
    return data.get("type") == "openai-compatible" and (has_port(data) != ("port" in data))


def has_port(data: Data) -> bool:
    return any(PORT in text for text in texts([data["base_url"], data.get("runtime", {})]))


def a_placeholder_that_has_no_place(data: Data, wanted: type) -> bool:
    """What is between braces is read by gko alone."""
    accepted = ("backend",) if wanted in TYPES.values() else ("env", "args", "schemas", "partials")
    holders = [data.get("base_url", ""), data.get("runtime", {}), data.get("system", ""), data.get("examples", [])]
    parsed = [templates.parse(text, accepted) for text in texts(holders)]
    return any(
        problems or any(not is_declared(each, data) for each in template.placeholders) for template, problems in parsed
    )


def is_declared(placeholder: templates.Placeholder, data: Data) -> bool:
    if placeholder.kind == "args":
        argument = data.get("args", {}).get(placeholder.name, {})
        return "default" in argument or bool(argument.get("required"))
    return placeholder.kind in ("env", "backend") or placeholder.name in data.get(placeholder.kind, {})


def nul(data: Data, _: type) -> bool:
    """No program can be given it."""
    return any("\0" in text for text in texts(data.get("runtime", {})))


def an_option_of_docker_that_is_ours(data: Data, _: type) -> bool:
    """Which part of an option its name is, a pattern would hide."""
    runtime = data.get("runtime", {})
    return runtime.get("image", "").startswith("-") or any(
        option.partition("=")[0] in DOCKERS_OURS for option in runtime.get("options", [])
    )


def a_default_that_is_refused(data: Data, _: type) -> bool:
    """Whether it is one of the values, or within the bounds, depends on what they are."""
    arguments = [spec(each) for each in data.get("args", {}).values()]
    return any(is_refused(each, each.default) for each in arguments if each.default is not None)


def spec(argument: Data) -> Argument:
    keys: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in argument.items()}
    return Argument(**keys)


def is_refused(argument: Argument, value: str | int) -> bool:
    try:
        argument.checked(value)
    except ValueError:
        return True
    return False


def bounds_that_cross(data: Data, _: type) -> bool:
    """A schema compares no two values."""
    arguments = data.get("args", {}).values()
    return any("min" in each and "max" in each and each["min"] > each["max"] for each in arguments)


def a_short_letter_twice(data: Data, _: type) -> bool:
    """A schema compares no two values."""
    letters = [each["short"] for each in data.get("args", {}).values() if "short" in each]
    return len(set(letters)) < len(letters)


def a_tilde_that_escapes_nothing(data: Data, _: type) -> bool:
    """Editors that know no look-ahead would drop the pattern."""
    return bool(re.search("~(?![01])", data.get("output", {}).get("extract", "")))


@frozen
class Kind:
    """A kind of file: its schema, and what reads it."""

    schema: Draft7Validator
    read: Callable[[Document], object]
    class_of: Callable[[Data], type]

    def gko_accepts(self, data: object) -> bool:
        """Whether gko reads a file with this content."""
        try:
            self.read(Document(FILE, data, "A prompt"))  # type: ignore[arg-type]
        except ConfigurationError:
            return False
        return True

    def excuses(self, data: Data) -> list[str]:
        """Return the names of what applies to data that the schema accepts."""
        return [excuse.__name__ for excuse in EXCUSES if excuse(data, self.class_of(data))]


BACKENDS: Final = Kind(Draft7Validator(backend_schema()), read_backend, lambda data: TYPES[data["type"]])
MODELS: Final = Kind(Draft7Validator(model_schema()), lambda document: sourced(document, Model), lambda _: Model)
COMMANDS: Final = Kind(
    Draft7Validator(command_schema()), lambda document: read_command(document, ("a",), FILE), lambda _: FrontMatter
)

SERVER: Final = {
    "id": "a",
    "type": "openai-compatible",
    "base_url": "http://a",
    "operations": {"chat": {"path": "/"}},
}
MODEL: Final = {"id": "a", "backend": "b", "operation": "chat", "model": "m"}

DOCKER: Final = {"type": "docker", "image": "ovms"}

EXCUSES: Final[Mapping[Callable[[Data, type], bool], tuple[Kind, Data]]] = {
    an_integral_float_for_an_integer: (MODELS, {**MODEL, "generation": {"seed": 1.0}}),
    nan_or_infinity: (MODELS, {**MODEL, "generation": {"temperature": float("inf")}}),
    a_date_or_time: (MODELS, {**MODEL, "generation": {"extra": {"a": [date(2026, 1, 1)]}}}),
    a_line_feed_at_the_end: (COMMANDS, {"model": "a", "args": {"kind\n": {}}}),
    no_url: (BACKENDS, {**SERVER, "base_url": BAD_URLS[0]}),
    a_header_twice_or_of_gko: (BACKENDS, {**SERVER, "headers": {"HOST": "a"}}),
    an_impossible_header_value: (BACKENDS, {**SERVER, "headers": {"a": "\n"}}),
    a_port_that_is_missing_or_unused: (BACKENDS, {**SERVER, "port": 80}),
    a_placeholder_that_has_no_place: (COMMANDS, {"model": "a", "system": "{{ input }}"}),
    nul: (BACKENDS, {**SERVER, "runtime": {"type": "process", "command": "a\0"}}),
    an_option_of_docker_that_is_ours: (BACKENDS, {**SERVER, "runtime": {**DOCKER, "options": ["--name=a"]}}),
    a_default_that_is_refused: (COMMANDS, {"model": "a", "args": {"kind": {"type": "integer", "default": "x"}}}),
    bounds_that_cross: (COMMANDS, {"model": "a", "args": {"kind": {"type": "integer", "min": 2, "max": 1}}}),
    a_short_letter_twice: (COMMANDS, {"model": "a", "args": {"kind": {"short": "k"}, "key": {"short": "k"}}}),
    a_tilde_that_escapes_nothing: (COMMANDS, {"model": "a", "output": {"format": "json", "extract": "/~"}}),
}
"""What only gko refuses, each with an example."""


def agree(kind: Kind, data: object) -> None:
    is_acceptable = kind.schema.is_valid(data)
    excuses = kind.excuses(data) if is_acceptable else []  # type: ignore[arg-type]

    assert kind.gko_accepts(data) == (is_acceptable and not excuses), excuses


A_FEW: Final = settings(max_examples=150, deadline=None)


@A_FEW
@given(with_slips(SERVERS) | with_slips(ENGINES))
def test_editor_and_engine_agree_on_backends(data: object) -> None:
    agree(BACKENDS, data if isinstance(data, dict) else {})


@A_FEW
@given(with_slips(specs.MODELS.map(plain)))
def test_editor_and_engine_agree_on_models(data: object) -> None:
    agree(MODELS, data if isinstance(data, dict) else {})


@A_FEW
@given(with_slips(COMMAND_FILES | specs.FRONT_MATTER.map(plain)))
def test_editor_and_engine_agree_on_commands(data: object) -> None:
    agree(COMMANDS, data if isinstance(data, dict) else {})


@pytest.mark.parametrize("excuse", EXCUSES, ids=lambda excuse: excuse.__name__)
def test_an_excuse_is_one(excuse: Callable[[Data, type], bool]) -> None:
    kind, data = EXCUSES[excuse]

    assert list(kind.schema.iter_errors(data)) == []
    assert not kind.gko_accepts(data)
    assert kind.excuses(data) == [excuse.__name__]


@pytest.mark.parametrize("kind", [BACKENDS, MODELS, COMMANDS], ids=["backend", "model", "command"])
def test_a_schema_is_one(kind: Kind) -> None:
    Draft7Validator.check_schema(kind.schema.schema)


@pytest.mark.parametrize("wanted", [*TYPES.values(), Model, FrontMatter])
def test_every_key_is_documented_in_one_line(wanted: Any) -> None:
    assert [name for name, doc in documented(wanted) if not re.fullmatch(r"\S.{5,80}\.", doc)] == []


def documented(wanted: Any) -> Iterator[tuple[str, str]]:
    """Yield every key of a class, and of the classes inside it, with what is said of it."""
    if attrs.has(wanted):
        for field in attrs.fields(wanted):
            if field.init:
                yield f"{wanted.__name__}.{field.name}", field.metadata.get(DOC, "")
                yield from documented(field.type)
    for inner in get_args(wanted):
        yield from documented(inner)
