"""Where each key of a TOML text stands."""

import re
import tomllib
from collections.abc import Iterator

import pytest
import tomlkit
from attrs import Factory, define
from hypothesis import given
from hypothesis import strategies as st

from gekko import limits
from gekko.locations import KeyPath
from gekko.sources.positions import NotTomlError, RefusedError, positions, refuse_unusual

KEYS = st.sampled_from(["a", "b", "1", "-", "a b", "x.y", "/p/q", 'quo"te', "é", "😀", "", "back\\slash", "#"])
NUMBERS_AND_TIMES = [
    "1",
    "-2.5e3",
    "0xf",
    "inf",
    "true",
    "07:32:00",
    "1979-05-27 07:32:00",
    "1979-05-27T07:32:00-08:00",
]
STRINGS = [
    '""',
    "''",
    '"]"',
    '"}\\" #"',
    "'\\'",
    '"\\u00e9=["',
    '"""\n"\n]"""',
    '"""a"""""',
    "'''\n'' # [x]\n'''",
    "''''a'''''",
]
SCALARS = st.sampled_from(NUMBERS_AND_TIMES + STRINGS)
HEADERS: list[list[int | None]] = [[None], [0], [0, 1], [0, 1, 2]]  # a table, or so many elements
BARE = re.compile(r"[A-Za-z0-9_-]+")


@pytest.mark.parametrize(
    ("text", "path", "place"),
    [
        pytest.param("a = 1\nb = 2\n", ("b",), (2, 1), id="key"),
        pytest.param("  a  =  1", ("a",), (1, 3), id="indented"),
        pytest.param("[a.b]\n", ("a", "b"), (1, 4), id="last-key-of-a-header"),
        pytest.param("[a.b]\n", ("a",), (1, 2), id="table-that-is-only-implied"),
        pytest.param("[a.b]\n[a]\n", ("a",), (2, 2), id="own-header-wins"),
        pytest.param("[ a . 'b c' ]\nd = 1", ("a", "b c"), (1, 7), id="spaced-header"),
        pytest.param("[a]\nb.c = 1\nb.d = 2", ("a", "b", "d"), (3, 3), id="dotted-key"),
        pytest.param("[a]\nb.c = 1\nb.d = 2", ("a", "b"), (2, 1), id="table-of-dotted-keys"),
        pytest.param("[[a]]\n[[a]]\n", ("a",), (1, 3), id="array-of-tables"),
        pytest.param("[[a]]\n[[a]]\n", ("a", 1), (2, 3), id="element-of-an-array-of-tables"),
        pytest.param("[[a]]\n[b]\n[[a]]\n[a.c]\nd = 1", ("a", 1, "c", "d"), (5, 1), id="table-below-the-last-element"),
        pytest.param("[[a]]\n[[a.b]]\n[[a.b]]\n[[a]]\n[[a.b]]", ("a", 1, "b", 0), (5, 5), id="nested-arrays-of-tables"),
        pytest.param("[x]\n[y]\n[x.z]\nk = 1", ("x", "z", "k"), (4, 1), id="tables-out-of-order"),
        pytest.param("a = { b = 1, c.d = {e = 2} }", ("a", "c", "d", "e"), (1, 21), id="inline-tables"),
        pytest.param("a = [\n 1, # ]\n [2, {b = 3}],\n]", ("a", 1, 1, "b"), (3, 7), id="arrays"),
        pytest.param("a = [\n 1, # ]\n [2, {b = 3}],\n]", ("a", 1, 0), (3, 3), id="elements"),
        pytest.param('a = """\nb = 1\n"""\nb = 2', ("b",), (4, 1), id="text-that-looks-like-a-key"),
        pytest.param("a = '''x''''\nb = 2", ("b",), (2, 1), id="quote-before-the-closing-ones"),
        pytest.param("# a = 1\r\na = 1\r\nb = 2\r\n", ("b",), (3, 1), id="crlf"),
        pytest.param("x = { 'é' = '😀', b = 1 }", ("x", "b"), (1, 18), id="columns-are-code-points"),
        pytest.param('"\\u0061" = 1', ("a",), (1, 1), id="escaped-key"),
        pytest.param("'\\u0061' = 1", ("\\u0061",), (1, 1), id="literal-key"),
    ],
)
def test_a_path_stands_where_its_last_key_is_written(text: str, path: KeyPath, place: tuple[int, int]) -> None:
    assert positions(text)[path] == place


def paths(value: object, above: KeyPath = ()) -> Iterator[KeyPath]:
    """Yield the path of everything inside *value*."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*above, step)
        yield from paths(inner, (*above, step))


@define
class Writer:
    """Writes TOML in every style there is, and notes where."""

    draw: st.DrawFn
    text: str = ""
    places: dict[KeyPath, tuple[int, int]] = Factory(dict)

    def mark(self, path: KeyPath) -> None:
        self.places.setdefault(path, (self.text.count("\n") + 1, len(self.text) - self.text.rfind("\n")))

    def gap(self, *gaps: str) -> None:
        self.text += self.draw(st.sampled_from(["", " ", "\t ", *gaps]))

    def key(self, name: str) -> None:
        styles = [tomlkit.string(name).as_string()]
        if BARE.fullmatch(name):
            styles.append(name)
        if "'" not in name:
            styles.append(f"'{name}'")
        self.text += self.draw(st.sampled_from(styles))

    def keys(self, base: KeyPath, names: tuple[str, ...]) -> KeyPath:
        path = base
        for number, name in enumerate(names):
            if number:
                self.gap()
                self.text += "."
                self.gap()
            path = (*path, name)
            self.mark(path)
            self.key(name)
        return path

    def pairs(self, base: KeyPath, separator: str) -> None:
        names = self.draw(st.lists(st.lists(KEYS, min_size=1, max_size=3).map(tuple), max_size=3))
        # First keys that differ keep every combination valid.
        unique = list({name[0]: name for name in names}.values())
        for number, name in enumerate(unique):
            if number or separator == "\n":
                self.text += separator
            self.gap()
            path = self.keys(base, name)
            self.gap()
            self.text += "="
            self.gap()
            self.value(path)
            self.gap()

    def value(self, path: KeyPath) -> None:
        kind = self.draw(st.sampled_from(["scalar"] * 4 + ["array", "table"])) if len(path) < 6 else "scalar"
        if kind == "scalar":
            self.text += self.draw(SCALARS)
        elif kind == "array":
            self.text += "["
            for index in range(self.draw(st.integers(0, 3))):
                self.text += "," if index else ""
                self.gap("\n", "# ]\n", "\r\n")
                self.mark((*path, index))
                self.value((*path, index))
                self.gap("\n", "# ,\n")
            self.text += "]"
        else:
            self.text += "{"
            self.pairs(path, ",")
            self.text += "}"

    def table(self, top: str, index: int | None, *below: str) -> None:
        """Write a header and what follows it; *index* is that of the element where *top* is an array of tables."""
        is_element = index is not None and not below
        self.text += self.draw(st.sampled_from(["\n", "\n# [x]\n", "\n\t"])) + ("[[" if is_element else "[")
        self.gap()
        path = (top,) if index is None else (top, index)
        self.mark((top,))
        self.mark(path)
        self.key(top)
        for name in below:
            self.text += "."
            path = (*path, name)
            self.mark(path)
            self.key(name)
        self.gap()
        self.text += "]]" if is_element else "]"
        self.pairs(path, "\n")


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[KeyPath, tuple[int, int]]]:
    """A TOML text and the place of every key path in it."""
    writer = Writer(draw)
    writer.pairs((), "\n")
    tops = draw(st.lists(KEYS.filter(lambda name: (name,) not in writer.places), unique=True, max_size=3))
    for top in tops:
        for index in draw(st.sampled_from(HEADERS)):
            writer.table(top, index)
            writer.table(top, index, "sub", "below")
    return writer.text, writer.places


@given(documents())
def test_every_path_is_found_where_it_was_written(document: tuple[str, dict[KeyPath, tuple[int, int]]]) -> None:
    text, places = document

    found = positions(text)

    assert set(found) == set(paths(tomllib.loads(text)))
    assert found == places


DATA = st.recursive(
    st.one_of(st.booleans(), st.integers(-9, 9), st.text(alphabet="a\n\"'\\é#]=", max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=20,
)


@given(st.dictionaries(KEYS, DATA, max_size=4))
def test_what_tomlkit_writes_is_found_key_by_key(data: dict[str, object]) -> None:
    text = tomlkit.dumps(data)
    lines = text.split("\n")

    found = positions(text)

    assert set(found) == set(paths(tomllib.loads(text)))
    for path, (line, column) in found.items():
        *_, name = (step for step in path if isinstance(step, str))
        if isinstance(path[-1], str):
            assert re.match(rf"{re.escape(tomlkit.key(name).as_string())}[ \].]", lines[line - 1][column - 1 :])


@pytest.mark.parametrize(
    ("text", "offset", "names"),
    [
        pytest.param('a = "\\e"', 5, "\\e", id="escape-character"),
        pytest.param('"\\x41" = 1', 1, "\\x", id="escape-in-a-key"),
        pytest.param("a = {\n b = 1}", 5, "one line", id="line-end-in-an-inline-table"),
        pytest.param("a = { b = 1, # c\n}", 13, "one line", id="comment-in-an-inline-table"),
        pytest.param("a = { b = 1, }", 11, "comma", id="trailing-comma-in-an-inline-table"),
        pytest.param("a = 07:30", 4, "seconds", id="time-without-seconds"),
        pytest.param("a = 1979-05-27 07:30", 15, "seconds", id="date-and-time-without-seconds"),
        pytest.param("a = [" + "9" * 5000 + "]", 5, str(limits.NUMBER_DIGITS), id="endless-number"),
        pytest.param("a = " + "[" * 5000, 4 + limits.JSON_DEPTH, str(limits.JSON_DEPTH), id="deep-array"),
        pytest.param("a." * 100_000 + "a = 1", 2 * limits.JSON_DEPTH, str(limits.JSON_DEPTH), id="deep-key"),
        pytest.param("[" + "a." * 5000 + "a]", 1 + 2 * limits.JSON_DEPTH, str(limits.JSON_DEPTH), id="deep-header"),
    ],
)
def test_what_only_some_pythons_read_or_none_in_time_is_refused(text: str, offset: int, names: str) -> None:
    with pytest.raises(RefusedError) as refused:
        refuse_unusual(text)

    assert refused.value.offset == offset
    assert names in refused.value.problem


@pytest.mark.parametrize(
    "text",
    [
        r"a = '\e'",
        r'a = "\\e"',
        "a = '{' # {",
        "a = ', }'",
        "a = 07:30:00",
        "a = 1979-05-27T07:30:00+08:00",
        "# " + "9" * 5000,
        "a = '" + "." * 5000 + "'",
        "a = 1" + " " * 5000,
        "a = {b = [\n1,\n]}",
        "a = " + "[" * 150 + "]" * 150,
    ],
)
def test_what_merely_looks_unusual_is_accepted(text: str) -> None:
    refuse_unusual(text)

    assert ("a",) in positions(text) or text.startswith("#")


@pytest.mark.parametrize("text", ["a", "a =", "= 1", "a = [1", "a = [[1] 2]", "a = {b = 1", 'a = "', "[a", '"\\q" = 1'])
def test_a_text_that_is_no_toml_is_left_to_tomllib(text: str) -> None:
    refuse_unusual(text)

    with pytest.raises(NotTomlError):
        positions(text)


@given(st.text(alphabet="ab.=[]{}\"'#\\\n ,1:e", max_size=60))
def test_any_text_that_tomllib_reads_is_understood(text: str) -> None:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return

    assert set(positions(text)) == set(paths(data))
