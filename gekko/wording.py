"""How messages speak: suggestions, plurals, lists, and values cut to a readable length."""

import json
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Final
from unicodedata import is_normalized, normalize

SHOWN_CHARACTERS: Final = 120
"""A value in a message is cut to this many characters."""

NAME_CHARACTERS: Final = 200
"""What is longer is no slip of a name; comparing it would take long."""

MOST_CANDIDATES: Final = 1000
"""So many accepted names are compared, and no more: a model's answer can have millions."""

NAMES_TOLD: Final = 5
"""So many names are listed where none of them is near to what was asked for, or all have the same wrong with them."""

JSON: Final = json.JSONEncoder(ensure_ascii=False, default=str)


def did_you_mean(name: str, accepted: Iterable[str]) -> str:
    """Return "did you mean 'NAME'?" for the nearest accepted name, or nothing where none is near."""
    near = nearest(name, accepted)
    return "" if near is None else f"did you mean {_quoted(near)}?{_told_apart(name, near)}"


def nearest(name: str, accepted: Iterable[str]) -> str | None:
    """Return the accepted name that *name* might be a slip of."""
    if len(name) > NAME_CHARACTERS:
        return None
    by_folded = {_folded(each): each for each in sorted(islice(accepted, MOST_CANDIDATES), reverse=True)}
    near = get_close_matches(_folded(name), by_folded, n=1, cutoff=0.6)
    return by_folded[near[0]] if near else None


def one_of(names: Iterable[str], *, conjunction: str = "or", most: int | None = None) -> str:
    """Return the names as prose: "'a'", "'a' or 'b'", "'a', 'b' or 'c'"; of more than *most* as `first_of` does."""
    every = tuple(names)
    quoted = [_quoted(name) for name in every[:most]]
    if most is not None and len(every) > most:
        return first_of(quoted, most, len(every))
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {conjunction} {quoted[-1]}"


def first_of(texts: Sequence[str], most: int = NAMES_TOLD, count: int | None = None) -> str:
    """Return the texts in one line; of more than *most* the first, and how many more there are: "a, b and 3 more".

    *count* is that of all, where *texts* are but the first of them.
    """
    told = printable(", ".join(texts[:most]))
    more = (len(texts) if count is None else count) - most
    return f"{told} and {more} more" if more > 0 else told


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return the number with its noun: "1 case", "2 cases"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def joined(*parts: str) -> str:
    """Return what there is to say as one message: "no such file; did you mean 'a.txt'?"."""
    return "; ".join(filter(None, parts))


def cut(text: str, length: int = SHOWN_CHARACTERS) -> str:
    """Return *text*, or its beginning and "…" where it is longer than *length* characters."""
    return text if len(text) <= length else text[: length - 1] + "…"


def printable(text: str) -> str:
    """Return *text* with everything escaped that a terminal might obey, or that cannot be written at all."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def shown(value: object, length: int = SHOWN_CHARACTERS) -> str:
    """Return a value as JSON for a message, cut to *length*; control characters are escaped."""
    try:
        text = _beginning(value, length)
    except Exception:  # a checker can find an object of its own, whose str() may raise anything
        text = repr(type(value).__name__)
    # Whatever json escapes is safe to print; the rest is cut before it is looked at.
    return cut(printable(cut(text, length)), length)


def described(value: object) -> str:
    """Return a value's kind in a person's words, and the value: `the string "0.8"`, `true`."""
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case int() | float():
            return f"the number {shown(value)}"
        case str():
            return f"the string {shown(value)}"
        case list() | tuple():
            return f"the array {shown(value)}" if value else "an empty array"
        case dict():
            return f"the table {shown(value)}" if value else "an empty table"
        case _:
            return f"the {type(value).__name__} {shown(str(value))}"


def _folded(name: str) -> str:
    """Return a name as it is compared: letter case does not count, nor does of how many code points a letter is."""
    return name.casefold() if name.isascii() else normalize("NFC", name).casefold()


def _told_apart(name: str, near: str) -> str:
    """Say how two names differ that look the same: an `é` can be one code point, or an `e` and its accent."""
    if name == near or normalize("NFC", name) != normalize("NFC", near):
        return ""
    return f" it looks the same, but is written in {_form(near)}, and this in {_form(name)} (normal forms of Unicode)"


def _form(name: str) -> str:
    if is_normalized("NFC", name):
        return "NFC"
    return "NFD" if is_normalized("NFD", name) else "neither NFC nor NFD"


def _quoted(name: str) -> str:
    """Return a name in quotes; it may come from a model's answer, where it can be anything, and of any length."""
    return f"'{printable(cut(name))}'"


def _beginning(value: object, length: int) -> str:
    """Return a value as JSON; of a long one, enough to be cut to *length*."""
    if isinstance(value, str):
        # iterencode() leaves functions that hold one another, two KiB of them: too much for what is shown most often.
        return JSON.encode(value[:length])
    text = ""
    for piece in JSON.iterencode(value):
        text += piece
        if len(text) > length:
            break
    return text
