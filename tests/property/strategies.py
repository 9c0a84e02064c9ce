"""Case files that nobody thought of: sound, or with one slip in them, as plain data."""

from collections.abc import Mapping
from typing import Final

from hypothesis import strategies as st

from gekko.limits import JSON_DEPTH, NUMBER_DIGITS
from gekko.testkit.strategies import TOML, changed


def deep(levels: int) -> object:
    """Return arrays inside of arrays."""
    value: object = "bottom"
    for _ in range(levels):
        value = [value]
    return value


EXTREME: Final = st.sampled_from([deep(JSON_DEPTH), deep(JSON_DEPTH + 1), 10**NUMBER_DIGITS - 1, 10**NUMBER_DIGITS])

COMPARISONS: Final[Mapping[str, st.SearchStrategy[object]]] = {
    "min": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    "equals": TOML | EXTREME,
    "lines": st.sampled_from([0, 1, 2, 3, 1.0]),
    "contains": st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=3),
}

LITERAL: Final[Mapping[str, st.SearchStrategy[object]]] = {
    "exit_code": st.sampled_from([0, 4]),
    "lines": COMPARISONS["lines"],
    "contains": COMPARISONS["contains"],
}

NAMES: Final = st.sampled_from([*LITERAL, *COMPARISONS, "exit_cod", "is", "input", "args", "file", "", "/", "/pointer"])

POINTERS: Final = st.sampled_from(["/", "/a", "/a~1b/0", "/~0", "/~", "/a~", "/~2", "/~01~", "/pointer"]) | st.text(
    max_size=3
).map(lambda text: f"/{text}")

SLIPS: Final = TOML | st.sampled_from([0.0, 1.0, 4.0, True, False, float("nan"), "", [], {}, [""], {"file": ""}])
"""What stands where something else should."""


def some_of(contents: Mapping[str, st.SearchStrategy[object]], at_least: int) -> st.SearchStrategy[dict[str, object]]:
    """Draw a table that has some of these keys, each with its own content."""
    names = st.lists(st.sampled_from(sorted(contents)), min_size=at_least, max_size=3, unique=True)
    return names.flatmap(lambda keys: st.fixed_dictionaries({key: contents[key] for key in keys}))


TRAPS: Final[tuple[dict[str, object], ...]] = (
    {"min": "0.8"},
    {"min": True},
    {"min": 1, "is": {"min": 1}},
    {"is": 1},
    {"is": {}},
    {"is": {"min": {"min": 1}}},
    {"is": {"equals": {"is": 1}}},
    {"is": {"exit_code": 0}},
    {"is": {"/a": 1}},
    {"is": {"mim": 1}},
)
"""Tables under a pointer of which a slip of either side would make the opposite."""

POINTED: Final = (
    TOML
    | EXTREME
    | st.sampled_from(TRAPS)
    | st.fixed_dictionaries({"min": COMPARISONS["min"]})
    | some_of(COMPARISONS, 1).map(lambda table: {"is": table})
    | st.fixed_dictionaries({"min": COMPARISONS["min"], "max": COMPARISONS["min"]})
)
"""What can stand under a pointer."""


def shuffled(*tables: Mapping[str, object]) -> st.SearchStrategy[dict[str, object]]:
    """Draw one table of all of them, its keys in any order."""
    return st.permutations([item for table in tables for item in table.items()]).map(dict)


EXPECT_OF_TEXT: Final = some_of(LITERAL, 0)

EXPECT_OF_JSON: Final = st.tuples(
    some_of({"exit_code": LITERAL["exit_code"]}, 0), st.dictionaries(POINTERS, POINTED, max_size=3)
).flatmap(lambda tables: shuffled(*tables))

EXPECT: Final = (
    EXPECT_OF_TEXT
    | EXPECT_OF_JSON
    | st.tuples(EXPECT_OF_TEXT, EXPECT_OF_JSON).flatmap(lambda tables: shuffled(*tables))
)

INPUTS: Final[st.SearchStrategy[object]] = st.text(max_size=3) | st.fixed_dictionaries({"file": st.text(max_size=3)})

ARGS: Final[st.SearchStrategy[object]] = st.dictionaries(
    st.text(max_size=3), st.text(max_size=3) | st.integers() | EXTREME, max_size=2
)

SOUND: Final[st.SearchStrategy[dict[str, object]]] = st.fixed_dictionaries(
    {"input": INPUTS, "expect": EXPECT}, optional={"args": ARGS}
)
"""Cases whose keys are in order, if not all of what they hold."""


@st.composite
def renamed(draw: st.DrawFn, table: dict[str, object]) -> dict[str, object]:
    """Draw a table of which one key has another name, or is gone."""
    if not table:
        return {draw(NAMES): draw(SLIPS)}
    key = draw(st.sampled_from(sorted(table)))
    name = draw(NAMES | st.none())
    rest = {other: value for other, value in table.items() if other != key}
    return rest if name is None else {**rest, name: table[key]}


@st.composite
def slipped(draw: st.DrawFn, case: dict[str, object]) -> dict[str, object]:
    """Draw a case with one slip somewhere in it: a value, or the name of a key."""
    if draw(st.booleans()):
        return draw(renamed(case))
    key = draw(st.sampled_from(sorted(case)))
    value = case[key]
    is_a_name = isinstance(value, dict) and draw(st.booleans())
    return {**case, key: draw(renamed(value) if is_a_name else changed(value, SLIPS))}  # type: ignore[arg-type]


CASES: Final = SOUND | SOUND.flatmap(slipped) | SOUND.flatmap(slipped).flatmap(slipped)
"""The content of a case file with up to two slips in it."""
