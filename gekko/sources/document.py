"""TOML, or TOML front matter with a body, as plain data; and where in the file each of its keys stands."""

import re
import tomllib
from ast import literal_eval
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

from gekko import limits
from gekko.errors import ConfigurationError, Issue
from gekko.locations import KeyPath, Location, key_text
from gekko.sources.files import FileProblem, NotUtf8, decode, read_bytes
from gekko.sources.positions import NotTomlError, Places, RefusedError, positions, refuse_unusual

FENCE: Final = re.compile(r"---[ \t]*(?:\n|\Z)")
CLOSING_FENCE: Final = re.compile(r"^---[ \t]*(?:\n|\Z)", re.MULTILINE)
FRONT_MATTER_LINE: Final = 2
"""The line of a file on which its front matter begins."""

FILE: Final[KeyPath] = ()
FILE_START: Final = (1, 1)
"""Where a key is missing that would stand in no table but the file itself."""

TOMLLIB_MESSAGE: Final = re.compile(
    r"(?P<problem>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)"
)
DECLARED_TWICE: Final = re.compile(r"Cannot declare (\(.*\)) twice")

HINTS: Final = {
    "not valid TOML: cannot overwrite a value": "the key is given twice",
    "not valid TOML: illegal character '\\n'": "a string ends on the line on which it begins",
    "not valid TOML: invalid value": 'expected a value such as 7, true or "text"',
}
"""What tomllib's words mean to somebody who does not know how it reads."""


@frozen
class Document:
    """A file that was read: its TOML as plain data, and its text after the front matter, as it is.

    *body* is None in a file that is TOML alone; *body_line* is the number of its first line.
    """

    path: Path
    data: Mapping[str, object]
    body: str | None = None
    body_line: int = 1

    def body_location(self, offset: int) -> Location:
        """Return the place of the character at *offset* of the body."""
        line, column = Places(self.body or "").of(offset)
        return Location(self.path, line=self.body_line + line - 1, column=column)


def read_configured(path: Path, what: str, limit: int = limits.SPEC_FILE_BYTES) -> bytes:
    """Return the bytes of a file of the configuration, *limit* of them at most; messages call it a *what*.

    Raises:
        ConfigurationError: it is missing, is no regular file, cannot be read, or is longer.
    """
    try:
        return read_bytes(path, limit, what)
    except FileProblem as error:
        raise _refusal(Location(path), error.problem, error.hint) from None


def read_toml(path: Path, raw: bytes) -> Document:
    """Return the TOML file at *path*, whose bytes are *raw*.

    It is TOML 1.0, whatever newer version this Python's tomllib reads.

    Raises:
        ConfigurationError: it is not UTF-8, or not TOML, with line and column.
    """
    return Document(path, _load(path, _text(path, raw), first_line=1))


def read_front_matter(path: Path, raw: bytes) -> Document:
    """Return the Markdown file at *path*, whose bytes are *raw*: TOML between two `---` lines, then a body.

    CRLF counts as LF. The first `---` line after the opening one closes the front matter, even inside a string.

    Raises:
        ConfigurationError: it is not UTF-8, has no front matter, or one that is not TOML.
    """
    text = _text(path, raw).replace("\r\n", "\n")
    front, body = _split(path, text)
    data = _load(path, front, FRONT_MATTER_LINE)
    return Document(path, data, body, body_line=FRONT_MATTER_LINE + front.count("\n") + 1)


def pinpoint(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Return the issues sorted by place and without repetition, those that only name a key with its line and column.

    Each file is read once more. A key that is not written there, such as a missing one, is given the place of the
    table it belongs to, or of the file's beginning; an issue of a file that is long, gone or changed keeps its key
    alone.
    """
    by_path: defaultdict[Path, list[Issue]] = defaultdict(list)
    for issue in issues:
        by_path[issue.where.path].append(issue)
    located = (issue for path, group in by_path.items() for issue in _located(path, group))
    return tuple(sorted(dict.fromkeys(located), key=_place))


def _place(issue: Issue) -> tuple[str, int, int]:
    return str(issue.where.path), issue.where.line or 0, issue.where.column or 0


def _located(path: Path, issues: list[Issue]) -> list[Issue]:
    if all(issue.where.line is not None or not issue.where.key for issue in issues):
        return issues
    known = _positions_in(path)
    return [_at_nearest(issue, known) for issue in issues]


def _at_nearest(issue: Issue, known: Mapping[KeyPath, tuple[int, int]]) -> Issue:
    key = issue.where.key
    if issue.where.line is not None or not key:
        return issue
    for length in range(len(key), -1, -1):
        if place := known.get(key[:length]):
            line, column = place
            return evolve(issue, where=evolve(issue.where, line=line, column=column))
    return issue


def _positions_in(path: Path) -> Mapping[KeyPath, tuple[int, int]]:
    """Return what can be known of the file as it is now; nothing is an answer too."""
    try:
        text = decode(read_bytes(path, limits.LOCATED_FILE_BYTES))
        if path.suffix != ".md":
            return {FILE: FILE_START, **positions(text)}
        front, _ = _split(path, text.replace("\r\n", "\n"))
        found = positions(front)
    except (FileProblem, ConfigurationError, RefusedError, NotTomlError, RecursionError):
        return {}
    below = {key: (line + FRONT_MATTER_LINE - 1, column) for key, (line, column) in found.items()}
    return {FILE: FILE_START, **below}


def _text(path: Path, raw: bytes) -> str:
    try:
        text = decode(raw)
    except NotUtf8 as error:
        # What stands before the offending byte is valid, and its last line gives the column.
        line, column = Places(before := decode(raw[: error.offset])).of(len(before))
        raise _refusal(Location(path, line=line, column=column), error.problem, error.hint) from None
    if (nul := text.find("\0")) >= 0:
        line, column = Places(text).of(nul)
        raise _refusal(Location(path, line=line, column=column), "a NUL character", "text files hold none")
    return text


def _split(path: Path, text: str) -> tuple[str, str]:
    """Return front matter and body."""
    top = Location(path, line=1, column=1)
    opening = FENCE.match(text)
    if opening is None and text.startswith("+++"):
        raise _refusal(top, "front matter between '+++' lines", "expected '---' lines with TOML between them")
    if opening is None:
        raise _refusal(top, "no front matter", "expected a first line '---', TOML, and a second line '---'")
    closing = CLOSING_FENCE.search(text, opening.end())
    if closing is None:
        raise _refusal(top, "front matter without an end", "expected a second line '---' after the TOML")
    return text[opening.end() : closing.start()], text[closing.end() :]


def _load(path: Path, text: str, first_line: int) -> dict[str, object]:
    """Return the data of a TOML text that begins on line *first_line* of the file at *path*."""
    try:
        refuse_unusual(text)
        return tomllib.loads(text)
    except RefusedError as error:
        problem, place = error.problem, Places(text).of(error.offset)
    except RecursionError:
        problem, place = f"nested deeper than {limits.JSON_DEPTH} levels", None
    except tomllib.TOMLDecodeError as error:
        problem, place = _explained(error, text)
    line, column = (first_line + place[0] - 1, place[1]) if place else (None, None)
    raise _refusal(Location(path, line=line, column=column), problem, HINTS.get(problem, ""))


def _explained(error: tomllib.TOMLDecodeError, text: str) -> tuple[str, tuple[int, int] | None]:
    """Return the problem, and its line and column, which older versions of tomllib have in their message alone."""
    match = TOMLLIB_MESSAGE.fullmatch(str(error))
    problem = match["problem"] if match else str(error)
    if declared := DECLARED_TWICE.fullmatch(problem):
        problem = f"the table [{key_text(literal_eval(declared[1]))}] is given twice"
    place = None
    if match:
        place = (int(match["line"]), int(match["column"])) if match["line"] else Places(text).of(len(text))
    return f"not valid TOML: {problem[:1].lower()}{problem[1:]}", place


def _refusal(where: Location, problem: str, hint: str = "") -> ConfigurationError:
    return ConfigurationError([Issue(where, problem, hint)])
