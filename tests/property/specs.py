"""Specs of every kind of file, sound in every field, and the TOML that says the same."""

from collections.abc import Mapping
from typing import Any, Final

import attrs
import tomlkit
from hypothesis import strategies as st

from gekko.specs.argument import NAME, RESERVED, Argument
from gekko.specs.backend import OURS, Operation, Server, Timeouts
from gekko.specs.case import Case, FileInput
from gekko.specs.command import FrontMatter, Input, Output, Turn
from gekko.specs.model import CONTROLLED, Generation, Model
from gekko.testkit.strategies import SCALARS, TOML, nested

TEXT: Final = st.text(max_size=8)
SOMETHING: Final = st.text(min_size=1, max_size=8)
NOT_BLANK: Final = SOMETHING.filter(str.strip)
POSITIVE: Final = st.integers(1, 10**6) | st.floats(1e-9, 1e9)


def mappings(keys: st.SearchStrategy[str], values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw small tables."""
    return st.dictionaries(keys, values, max_size=3)


def texts(least: int = 0) -> st.SearchStrategy[tuple[str, ...]]:
    """Draw non-empty texts, none twice."""
    return st.lists(SOMETHING, min_size=least, max_size=3, unique=True).map(tuple)


GENERATIONS: Final = st.builds(
    Generation,
    temperature=st.none() | st.floats(0, 2) | st.integers(0, 2),
    max_tokens=st.none() | st.integers(1, 10**6),
    seed=st.none() | st.integers(),
    top_p=st.none() | st.floats(0, 1) | st.sampled_from([0, 1]),
    stop=st.none() | texts(least=1),
    extra=mappings(TEXT.filter(lambda key: key not in CONTROLLED), nested(SCALARS)),
)

MODELS: Final = st.builds(
    Model,
    id=NOT_BLANK,
    backend=TEXT,
    operation=TEXT,
    model=NOT_BLANK,
    fallback=st.none() | TEXT,
    generation=GENERATIONS,
)

OPERATIONS: Final = st.builds(
    Operation,
    path=st.from_regex(r"/?[a-z0-9/_.?=-]+", fullmatch=True),
    method=st.just("POST"),
    protocol=st.sampled_from(["chat", "transcriptions"]),
)

HEADERS: Final = st.dictionaries(
    st.from_regex(r"[A-Za-z!~'.-]{1,8}", fullmatch=True).filter(lambda name: name.lower() not in OURS),
    st.text(st.characters(categories=["L", "N", "P", "Zs"], max_codepoint=0x24F), max_size=8)
    .filter(lambda value: value.isprintable() and "{{" not in value)
    .map(lambda value: f"{value}\t{{{{ env.TOKEN }}}}"),
    max_size=3,
).filter(lambda headers: len({name.lower() for name in headers}) == len(headers))

SERVERS: Final = st.builds(
    Server,
    id=NOT_BLANK,
    type=st.just("openai-compatible"),
    base_url=st.sampled_from(["http://127.0.0.1:8000", "https://ovms.example/v3/", "http://[::1]:1"]),
    operations=st.dictionaries(TEXT, OPERATIONS, min_size=1, max_size=2),
    structured_output=st.booleans(),
    timeouts=st.builds(Timeouts, request_secs=POSITIVE),
    headers=HEADERS,
)

ARGUMENT_NAMES: Final = st.from_regex(NAME, fullmatch=True).filter(lambda name: name not in RESERVED)

ARGUMENTS: Final = st.builds(
    Argument,
    type=st.sampled_from(["string", "enum", "integer", "file"]),
    short=st.none() | st.sampled_from("kZ9"),
    required=st.booleans(),
    default=st.none() | TEXT | st.integers(),
    description=TEXT,
    values=st.none() | texts(least=1),
    min=st.none() | st.integers(),
    max=st.none() | st.integers(),
)

FRONT_MATTER: Final = st.builds(
    FrontMatter,
    model=NOT_BLANK,
    description=TEXT,
    system=st.none() | NOT_BLANK,
    args=mappings(ARGUMENT_NAMES, ARGUMENTS),
    input=st.builds(Input, mode=st.sampled_from(["stdin", "file", "stdin_or_file", "binary"])),
    examples=st.lists(st.builds(Turn, user=SOMETHING, assistant=SOMETHING), max_size=2).map(tuple),
    schemas=mappings(TEXT, TEXT),
    partials=mappings(TEXT, TEXT),
    generation=st.none() | GENERATIONS,
    output=st.builds(
        Output,
        format=st.sampled_from(["text", "json"]),
        schema=st.none() | NOT_BLANK,
        max_lines=st.none() | st.integers(0, 9),
        allow_truncated=st.none() | st.booleans(),
        strip_reasoning=st.none() | st.booleans(),
        extract=st.none() | st.sampled_from(["", "/", "/a/0", "/~0~1"]),
    ),
)

# A nan is not equal to itself, so no spec that holds one could be.
EXPECTED: Final = TOML.filter(lambda value: "nan" not in repr(value))

CASES: Final = st.builds(
    Case,
    input=TEXT | st.builds(FileInput, file=SOMETHING),
    expect=mappings(TEXT, EXPECTED),
    args=mappings(TEXT, TEXT | st.integers()),
)


def toml(spec: "attrs.AttrsInstance") -> str:
    """Return the TOML file that says what *spec* says."""
    return tomlkit.dumps(plain(spec))


def plain(value: Any) -> Any:
    """Return what TOML's reader would give for *value*: None is a key that is not there, a tuple is an array."""
    if attrs.has(type(value)):
        value = attrs.asdict(value, recurse=False)
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items() if inner is not None}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value
