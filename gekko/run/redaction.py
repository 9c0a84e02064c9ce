"""Whether a text gives away what was sent in a header: a server may repeat it, as it was or in some guise."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote

from gekko.plan.access import Header

WITHHELD = "what it says is not shown, because it repeats the value of a header"

SHORTEST_SECRET = 6
"""Anything shorter stands in many a text by chance."""

TELLING_CHARACTERS = 12
"""So many of a secret's characters in a row give it away: whoever quotes it may have cut it at either end."""

URL_SAFE = str.maketrans("-_", "+/")
"""Base64 has two alphabets; they are compared as one."""


def unless_telling(text: str, headers: Iterable[Header]) -> str:
    """Return *text*, or in its place that it is withheld, because it holds the value of one of the *headers*."""
    return WITHHELD if gives_away(text, headers) else text


def gives_away(text: str, headers: Iterable[Header]) -> bool:
    """Tell whether *text* repeats a header's value or much of it: as it is, encoded for a URL, in base64 or hex."""
    if len(text) < SHORTEST_SECRET:
        return False
    folded = _folded(text)
    return any(part in folded for header in headers for part in _telling(header.value))


@lru_cache(maxsize=16)
def _telling(value: str) -> tuple[str, ...]:
    return tuple(part for secret in _secrets(value) for part in _parts(secret))


def _secrets(value: str) -> list[str]:
    """Return the words of a value without the one that says what they are, such as "Bearer"."""
    words = value.split()
    return [word for word in (words[1:] or words) if len(word) >= SHORTEST_SECRET]


def _parts(secret: str) -> Iterator[str]:
    for guise in {_folded(guise) for guise in _guises(secret)}:
        size = min(len(guise), TELLING_CHARACTERS)
        yield from (guise[start : start + size] for start in range(len(guise) - size + 1))


def _guises(secret: str) -> Iterator[str]:
    yield secret
    yield quote(secret, safe="")
    raw = secret.encode("utf-8", "surrogateescape")
    yield raw.hex()
    for before in range(3):
        # The characters at both ends depend on what stands beside the secret, "user:" for one.
        encoded = b64encode(bytes(before) + raw).decode()
        yield re.sub(r".?=+$", "", encoded)[(0, 2, 3)[before] :]


def _folded(text: str) -> str:
    return text.translate(URL_SAFE).casefold()
