"""Where each key of a TOML text stands: a scanner that knows TOML's punctuation and leaves its values alone.

tomllib decides what is valid and what it means, but tells no positions; tomlkit keeps none. Only keys, headers and
the ends of values have to be found, and for these the text itself is the surest source.

The scanner is also the guard for what tomllib would let through or choke on: syntax newer than TOML 1.0, which later
versions of Python read, nesting without bound, and numbers whose conversion takes quadratic time.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from typing import Final

from gekko import limits
from gekko.locations import KeyPath

GAP: Final = re.compile(r"[ \t]*+")
FILLER: Final = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
KEY: Final = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*+'""")
DOT: Final = re.compile(r"[ \t]*+\.[ \t]*+")
EQUALS: Final = re.compile(r"[ \t]*+=[ \t]*+")
BARE_VALUE: Final = re.compile(r"[^,\]}#\r\n]++")
STRING: Final = re.compile(
    r'''"""(?:[^"\\]++|\\.|""?(?!"))*+"{3,5}'''  # up to two quotes may stand before the three that close it
    r"""|'''(?:[^']++|''?(?!'))*+'{3,5}"""
    r'''|"(?:[^"\\\n]++|\\.)*+"'''
    r"""|'[^'\n]*+'""",
    re.DOTALL,
)
ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
TIME_WITHOUT_SECONDS: Final = re.compile(r"(?:^|(?<=[Tt ]))[0-9]{2}:[0-9]{2}(?![0-9:])")

UNUSUAL: Final = re.compile(r"\\[ex]|\{[^{}\n]*+[\n#]|,\s*+\}|:(?<=[0-9]:)[0-9]{2}(?![0-9:])")
"""What is newer than TOML 1.0, unless a string or comment holds it; four characters begin it, so the search is fast."""

LONG_NUMBER: Final = re.compile(rf"(?<![0-9A-Za-z_])[0-9][0-9A-Fa-fox_.]{{{limits.NUMBER_DIGITS}}}")


class RefusedError(ValueError):
    """Something in a TOML text that is not read here, at *offset*: newer than TOML 1.0, too deep or too long."""

    def __init__(self, offset: int, problem: str) -> None:
        self.offset = offset
        self.problem = problem
        super().__init__(problem)


class NotTomlError(ValueError):
    """The text is not TOML of any version; tomllib can say why."""


def positions(text: str) -> Mapping[KeyPath, tuple[int, int]]:
    """Return line and column of every key path in *text*, which is valid TOML without a byte order mark.

    A path stands where its last key is written: in a header, in a dotted key, before a `=`. An element of an array
    stands where its value starts, a table that has a header of its own in that header, any other where first named.

    Raises:
        RefusedError: the text holds something that is not read here.
        NotTomlError: the scanner lost its way.
    """
    places = Places(text)
    return {path: places.of(offset) for path, offset in _Scanner(text).scan().items()}


def refuse_unusual(text: str) -> None:
    """Raise RefusedError where *text* holds what tomllib might read but gko does not; text that is not TOML may pass.

    A brace inside a string can hide an inline table that spans lines; on a Python that reads those, it is then read.
    """
    if _may_be_refused(text):
        try:
            _Scanner(text).scan()
        except NotTomlError:
            return


def _may_be_refused(text: str) -> bool:
    # Every level of nesting costs one of these characters: few of them, and the text cannot be deep.
    if text.count("[") + text.count("{") + text.count(".") > limits.JSON_DEPTH or UNUSUAL.search(text):
        return True
    return len(text) > limits.NUMBER_DIGITS and LONG_NUMBER.search(text) is not None


class Places:
    """Lines and columns for the offsets of one text, both from 1, columns in code points."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def of(self, offset: int) -> tuple[int, int]:
        """Return line and column of the character at *offset*."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


class _Scanner:
    """One pass over a text; `found` grows to the offset of every key path."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._found: dict[KeyPath, int] = {}
        self._lengths: dict[KeyPath, int] = {}  # of arrays of tables, so far

    def scan(self) -> Mapping[KeyPath, int]:
        table: KeyPath = ()
        self._take(FILLER)
        while self._at < len(self._text):
            if self._peek() == "[":
                table = self._header()
            else:
                self._pair(table)
            self._take(FILLER)
        return self._found

    def _header(self) -> KeyPath:
        is_array = self._text.startswith("[[", self._at)
        self._at += 2 if is_array else 1
        self._take(GAP)
        *above, (name, at) = self._dotted_key()
        path: KeyPath = ()
        for key, key_at in above:
            path = self._enter(path, key, key_at)
            if path in self._lengths:  # a header speaks of the last element so far
                path = (*path, self._lengths[path] - 1)
        path = self._enter(path, name, at)
        if is_array:
            index = self._lengths.get(path, 0)
            self._lengths[path] = index + 1
            path = (*path, index)
        self._found[path] = at
        self._take(GAP)
        self._expect("]]" if is_array else "]")
        return path

    def _pair(self, table: KeyPath) -> None:
        path = table
        for key, at in self._dotted_key():
            path = self._enter(path, key, at)
        self._take(EQUALS)
        self._value(path)

    def _dotted_key(self) -> list[tuple[str, int]]:
        keys = []
        while True:
            at = self._at
            keys.append((self._unquoted(self._take(KEY), at), at))
            if not DOT.match(self._text, self._at):
                return keys
            self._take(DOT)

    def _enter(self, path: KeyPath, step: str | int, at: int) -> KeyPath:
        if len(path) >= limits.JSON_DEPTH:
            raise RefusedError(at, f"nested deeper than {limits.JSON_DEPTH} levels")
        inner = (*path, step)
        self._found.setdefault(inner, at)
        return inner

    def _value(self, path: KeyPath) -> None:
        match self._peek():
            case "[":
                self._array(path)
            case "{":
                self._inline_table(path)
            case '"' | "'":
                at = self._at
                _refuse_new_escapes(self._take(STRING), at)
            case _:
                at = self._at
                _refuse_bare(self._take(BARE_VALUE), at)

    def _array(self, path: KeyPath) -> None:
        self._expect("[")
        index = 0
        self._take(FILLER)
        while self._peek() != "]":
            self._value(self._enter(path, index, self._at))
            index += 1
            self._take(FILLER)
            if self._peek() == ",":
                self._expect(",")
                self._take(FILLER)
            elif self._peek() != "]":
                raise NotTomlError
        self._expect("]")

    def _inline_table(self, path: KeyPath) -> None:
        self._expect("{")
        self._gap_in_line()
        while self._peek() != "}":
            self._pair(path)
            self._gap_in_line()
            if self._peek() == "}":
                break
            comma_at = self._at
            self._expect(",")
            self._gap_in_line()
            if self._peek() == "}":
                raise RefusedError(comma_at, "an inline table has no comma after its last value in TOML 1.0")
        self._expect("}")

    def _gap_in_line(self) -> None:
        self._take(GAP)
        if self._peek() in ("\n", "\r", "#"):
            raise RefusedError(self._at, "an inline table stands on one line in TOML 1.0")

    def _unquoted(self, written: str, at: int) -> str:
        if written[0] not in "\"'":
            return written
        if written[0] == "'" or "\\" not in written:
            return written[1:-1]
        _refuse_new_escapes(written, at)
        try:
            return next(iter(tomllib.loads(f"{written} = 0")))
        except tomllib.TOMLDecodeError as error:
            raise NotTomlError from error

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise NotTomlError
        self._at = match.end()
        return match[0]

    def _expect(self, token: str) -> None:
        if not self._text.startswith(token, self._at):
            raise NotTomlError
        self._at += len(token)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]


def _refuse_new_escapes(written: str, at: int) -> None:
    if written[0] == '"':
        for escape in ESCAPE.finditer(written):
            if escape[1] in "ex":
                raise RefusedError(at + escape.start(), f"TOML 1.0 has no escape '{escape[0]}'")


def _refuse_bare(written: str, at: int) -> None:
    if len(written.rstrip()) > limits.NUMBER_DIGITS:
        raise RefusedError(at, f"a number of more than {limits.NUMBER_DIGITS} digits")
    if time := TIME_WITHOUT_SECONDS.search(written):
        raise RefusedError(at + time.start(), "a time has seconds in TOML 1.0: '07:30:00'")
