"""Where something stands in a file that a person wrote."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from attrs import field, frozen

KeyPath: TypeAlias = tuple[str | int, ...]
"""The keys and indices that lead to a value: `("expect", "/confidence", "min")`."""

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@frozen
class Location:
    """A spot in a file: the file, the key that stands there, and its line and column where known.

    *line* and *column* count from 1, columns in code points.
    """

    path: Path
    key: KeyPath = ()
    line: int | None = field(default=None)
    column: int | None = field(default=None)

    def __str__(self) -> str:
        place = shown_path(self.path)
        if self.line is not None:
            place += f":{self.line}"
            if self.column is not None:
                place += f":{self.column}"
        return place


def shown_path(path: Path) -> str:
    """Return *path* as a person would type it: relative below the current folder, else as it is."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def key_text(key: Sequence[str | int]) -> str:
    """Return *key* as TOML writes a dotted key, with indices in brackets: `expect."/a b".is[0]`."""
    text = ""
    for step in key:
        if isinstance(step, int):
            text += f"[{step}]"
            continue
        written = step if BARE_KEY.fullmatch(step) else quoted(step)
        text += f".{written}" if text else written
    return text


def quoted(text: str) -> str:
    """Return *text* as a TOML basic string; line ends and other control characters are escaped."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    body = "".join(
        escapes.get(char)
        or (char if char.isprintable() else f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}")
        for char in text
    )
    return f'"{body}"'
