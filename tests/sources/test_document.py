"""TOML and front matter read, and keys located."""

import sys
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko import limits
from gekko.errors import ConfigurationError, Issue
from gekko.locations import KeyPath, Location
from gekko.sources.document import pinpoint, read_front_matter, read_toml

PATH = Path("some.toml")


def refusal(raw: bytes, read: object = read_toml) -> Issue:
    """Return the one issue with which reading *raw* ends."""
    assert callable(read)
    with pytest.raises(ConfigurationError) as refused:
        read(PATH, raw)
    (issue,) = refused.value.issues
    assert issue.where.path == PATH
    return issue


def place(issue: Issue) -> tuple[int | None, int | None]:
    return issue.where.line, issue.where.column


def test_toml_is_read_as_plain_data() -> None:
    document = read_toml(PATH, b'\xef\xbb\xbfa = 1\r\n[b]\r\nc = "\xc3\xa9"\r\n')

    assert (document.path, document.data, document.body) == (PATH, {"a": 1, "b": {"c": "é"}}, None)


@pytest.mark.parametrize(
    ("raw", "line", "column", "named"),
    [
        pytest.param(b"a = 1\nb = \n", 2, 5, "TOML", id="syntax"),
        pytest.param(b"a = 1\nb = [\n", 3, 1, "TOML", id="syntax-at-the-end"),
        pytest.param(b"a = 1\na = 2\n", 2, 6, "overwrite", id="key-twice"),
        pytest.param(b"a = '\xc3\xa9\xff'\n", 1, 7, "0xff", id="not-utf-8"),
        pytest.param(b"\xef\xbb\xbf\xff\n", 1, 1, "0xff", id="not-utf-8-after-a-byte-order-mark"),
        pytest.param(b"a = 1\n\nb\xc3 = 1\n", 3, 2, "0xc3", id="not-utf-8-in-a-later-line"),
        pytest.param(b"a = 1\nb = '\0'\n", 2, 6, "NUL", id="nul"),
        pytest.param(b'a = 1\nb = "\\e"\n', 2, 6, "\\e", id="newer-than-toml-1.0"),
        pytest.param(b"a = " + b"[" * 10_000, 1, 205, "200", id="deep"),
        pytest.param(b"a = " + b"9" * 10_000, 1, 5, "1000", id="endless-number"),
        pytest.param(b"a." * 400_000 + b"a = 1", 1, 401, "200", id="deep-dotted-key"),
    ],
)
def test_what_cannot_be_read_is_located(raw: bytes, line: int, column: int, named: str) -> None:
    issue = refusal(raw)

    assert place(issue) == (line, column)
    assert named in issue.problem


def test_nesting_too_deep_for_the_calls_that_are_left_is_an_issue() -> None:
    def called_from_deep_down(levels: int) -> Issue:
        return called_from_deep_down(levels - 1) if levels else refusal(b"a = " + b"{a = " * 100 + b"1" + b"}" * 100)

    assert "deeper" in called_from_deep_down(sys.getrecursionlimit() - 250).problem


def test_utf_16_is_recognised() -> None:
    assert "UTF-16" in refusal("a = 1".encode("utf-16")).hint


def test_front_matter_and_body_are_told_apart() -> None:
    raw = b'---\nmodel = "fast"\n\n[input]\n---\n\nReview {{ input }}\n---\n'

    document = read_front_matter(PATH, raw)

    assert document.data == {"model": "fast", "input": {}}
    assert document.body == "\nReview {{ input }}\n---\n"
    assert document.body_line == 6


@pytest.mark.parametrize(
    ("raw", "body"),
    [
        pytest.param(b"---\n---", "", id="nothing"),
        pytest.param(b"---\n---\n", "", id="no-body"),
        pytest.param(b"--- \t\n--- \nx", "x", id="fences-with-white-space"),
        pytest.param(b"\xef\xbb\xbf---\n---\nx", "x", id="byte-order-mark"),
        pytest.param(b"---\r\n---\r\nx\r\ny\rz\r\n", "x\ny\rz\n", id="crlf"),
    ],
)
def test_the_body_is_what_follows(raw: bytes, body: str) -> None:
    assert read_front_matter(PATH, raw).body == body


def test_line_ends_do_not_change_what_a_command_says() -> None:
    lines = '---\nsystem = """\na\nb"""\n---\nc\nd\n'

    unix = read_front_matter(PATH, lines.encode())
    windows = read_front_matter(PATH, lines.replace("\n", "\r\n").encode())

    assert windows == unix
    assert unix.data == {"system": "a\nb"}


@pytest.mark.parametrize(
    ("raw", "line", "column", "named"),
    [
        pytest.param(b"", 1, 1, "---", id="empty"),
        pytest.param(b"Review this\n---\n---\n", 1, 1, "---", id="unopened"),
        pytest.param(b"----\n---\n", 1, 1, "---", id="four-hyphens"),
        pytest.param(b"---\na = 1\n", 1, 1, "end", id="unclosed"),
        pytest.param(b"+++\na = 1\n+++\n", 1, 1, "+++", id="plus-signs"),
        pytest.param(b"---\r\na = 1\r\nb = \r\n---\r\n", 3, 5, "TOML", id="syntax"),
        pytest.param(b"---\na = [\n---\n", 3, 1, "TOML", id="syntax-at-the-end"),
        pytest.param(b"---\na = 07:30\n---\n", 2, 5, "seconds", id="newer-than-toml-1.0"),
        pytest.param(b"---\n---\nx\n\xff", 4, 1, "0xff", id="body-not-utf-8"),
        pytest.param(b"---\n---\nx\0", 3, 2, "NUL", id="nul-in-the-body"),
    ],
)
def test_broken_front_matter_is_located_in_its_file(raw: bytes, line: int, column: int, named: str) -> None:
    issue = refusal(raw, read_front_matter)

    assert place(issue) == (line, column)
    assert named in issue.problem + issue.hint


def test_an_offset_in_the_body_has_a_place_in_the_file() -> None:
    document = read_front_matter(PATH, b"---\na = 1\n---\n\nsome {{ x }}")
    assert document.body is not None

    assert document.body_location(document.body.index("{{")) == Location(PATH, line=5, column=6)


@given(st.binary(max_size=80))
def test_no_bytes_end_in_anything_but_data_or_an_issue(raw: bytes) -> None:
    for read in (read_toml, read_front_matter):
        with suppress(ConfigurationError):
            read(PATH, raw)


@given(st.text(alphabet="ab.=[]{}\"'#\\\r\n ,1:exT-", max_size=60))
def test_toml_is_what_tomllib_says_it_is(text: str) -> None:
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        refusal(text.encode())
    else:
        assert read_toml(PATH, text.encode()).data == expected


CASE = """\
input = "x"

[expect]
"/a" = { is = { contains = ["y", ""] } }
"""
COMMAND = f"---\r\n{CASE}---\r\nBody\r\n"


def at(path: Path, *key: str | int) -> Issue:
    return Issue(Location(path, key), "wrong")


@pytest.mark.parametrize(
    ("key", "line", "column"),
    [
        pytest.param(("input",), 1, 1, id="key"),
        pytest.param(("expect", "/a", "is", "contains", 1), 4, 34, id="element"),
        pytest.param(("expect", "/b", "is"), 3, 2, id="nearest-known-ancestor"),
        pytest.param((), None, None, id="the-file-itself"),
    ],
)
def test_issues_get_the_place_of_their_key(tmp_path: Path, key: KeyPath, line: int | None, column: int | None) -> None:
    toml, markdown = tmp_path / "a.toml", tmp_path / "b.md"
    toml.write_text(CASE)
    markdown.write_text(COMMAND, newline="")

    in_toml, in_markdown = pinpoint([at(toml, *key), at(markdown, *key)])

    assert in_toml == Issue(Location(toml, key, line, column), "wrong")
    assert in_markdown == Issue(Location(markdown, key, line and line + 1, column), "wrong")


@pytest.mark.parametrize(("name", "text"), [("a.toml", CASE), ("a.toml", ""), ("b.md", COMMAND)])
def test_a_key_that_is_written_nowhere_is_missing_at_the_beginning(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, newline="")

    [issue] = pinpoint([at(path, "nowhere")])

    assert issue.where == Location(path, ("nowhere",), 1, 1)


def test_issues_are_sorted_by_place_without_repetition(tmp_path: Path) -> None:
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    first.write_text("b = 1\na = 1\n")
    second.write_text("")
    known = Issue(Location(first, (), 1, 3), "known")

    issues = pinpoint([at(second), at(first, "a"), known, at(first, "b"), at(first, "a"), at(first)])

    assert [(issue.where.path.name, *place(issue)) for issue in issues] == [
        ("a.toml", None, None),
        ("a.toml", 1, 1),
        ("a.toml", 1, 3),
        ("a.toml", 2, 1),
        ("b.toml", None, None),
    ]
    assert issues[2] is known


def test_a_file_that_is_gone_broken_or_long_is_named_alone(tmp_path: Path) -> None:
    contents = {
        "broken.toml": "a = [",
        "late.toml": 'a = "\\e"',
        "long.toml": "a = 1\n#" + "x" * limits.LOCATED_FILE_BYTES,
        "unopened.md": "a = 1",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    issues = [at(tmp_path / name, "a") for name in sorted([*contents, "gone.toml"])]

    assert pinpoint(issues) == tuple(issues)
