"""Which value a JSON pointer names, and where the way to it ends: RFC 6901."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from jsonpointer import JsonPointer, JsonPointerException, escape

from gekko.wording import counted, cut, described, did_you_mean, one_of, printable, shown

SHOWN_NAMES = 8
"""So many members are listed where one is missing."""


class PointerError(ValueError):
    """A text that is not a JSON pointer; the message says what is wrong with it."""


class NoSuchPlace(LookupError):  # noqa: N818 (it is the answer to a question, as often as an error)
    """A pointer that leads nowhere: *value* is there at *place*, the way goes no further, *token* is the next step."""

    def __init__(self, place: tuple[str, ...], value: object, token: str) -> None:
        super().__init__(place, value, token)
        self.place = place
        self.value = value
        self.token = token

    def __str__(self) -> str:
        where = printable(cut(build(self.place))) or "the document"
        match self.value:
            case dict():
                return f"{where} has no member {shown(self.token)}; {nearest(self.token, self.value)}"
            case list():
                return f"{where} has {counted(len(self.value), 'item')}, and no item {shown(self.token)}"
            case _:
                return f"{where} is {described(self.value)}, which has no members"


@lru_cache  # a suite has many cases, and asks for the same few places in all of them
def parse(pointer: str) -> tuple[str, ...]:
    """Return the reference tokens of *pointer*, unescaped; the whole document is the pointer without any.

    Raises:
        PointerError: it does not begin with "/", or a "~" is neither "~0" nor "~1".
    """
    try:
        return tuple(JsonPointer(pointer).parts)
    except JsonPointerException:
        raise PointerError(flaw(pointer)) from None


def resolve(document: object, tokens: Sequence[str]) -> object:
    """Return the value to which *tokens* lead inside *document*, which is JSON as Python data.

    Raises:
        NoSuchPlace: some token names a member or an item that is not there.
    """
    value = document
    for depth, token in enumerate(tokens):
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and ARRAY_INDEX.fullmatch(token) and int(token) < len(value):
            value = value[int(token)]
        else:
            raise NoSuchPlace(tuple(tokens[:depth]), value, token)
    return value


def build(tokens: Iterable[str | int]) -> str:
    """Return the pointer whose tokens, once parsed, are *tokens*; an integer is an array index."""
    return "".join(f"/{escape(str(token))}" for token in tokens)


# No array is so long that its indices need more digits, and int() is slow on a long text.
ARRAY_INDEX = re.compile("0|[1-9][0-9]{0,17}")


def flaw(pointer: str) -> str:
    """Say why *pointer* is none."""
    if not pointer.startswith("/"):
        return f"expected a JSON pointer, which begins with '/', found {shown(pointer)}"
    return f"expected '~0' (a tilde) or '~1' (a slash) after each '~', found {shown(pointer)}"


def nearest(name: str, members: dict[str, object]) -> str:
    """Say what an object has where it lacks *name*."""
    if not members:
        return "it has none"
    if suggestion := did_you_mean(name, members):
        return suggestion
    return f"it has {one_of(members, conjunction='and', most=SHOWN_NAMES)}"
