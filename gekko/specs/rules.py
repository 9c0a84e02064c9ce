"""Facts about single fields of the user's files, each a function that raises ValueError where it does not hold.

What JSON Schema can say of a fact stands above it. Its patterns keep to what the engines of all editors know.
"""

from collections.abc import Mapping, Sized
from typing import Final
from urllib.parse import urlsplit

from gekko.errors import Problem
from gekko.jsontext import unfit
from gekko.specs.shape import in_schema
from gekko.specs.structure import Rule, StructureError
from gekko.wording import described, one_of, shown

IN_JSON: Final = "JSON has null, true, false, finite numbers, strings, arrays and objects"


@in_schema(string={"pattern": r"\S"})
def not_blank(text: str) -> None:
    """The text holds more than white space."""
    if not text.strip():
        raise ValueError(f"expected a text that is not blank, found {described(text)}")


@in_schema(string={"minLength": 1}, array={"minItems": 1}, object={"minProperties": 1})
def not_empty(value: Sized) -> None:
    """There is at least one element or character."""
    if not len(value):
        wanted = "a string that is not empty" if isinstance(value, str) else "at least one entry"
        raise ValueError(f"expected {wanted}, found {described(value)}")


@in_schema(array={"items": {"minLength": 1}})
def all_not_empty(texts: tuple[str, ...]) -> None:
    """No element is the empty string."""
    if problems := [
        Problem("expected a string that is not empty", at=(i,)) for i, text in enumerate(texts) if not text
    ]:
        raise StructureError(problems)


@in_schema(number={"exclusiveMinimum": 0})
def positive(number: float) -> None:
    """The number is greater than 0."""
    if number <= 0:
        raise ValueError(f"expected a number greater than 0, found {number}")


def at_most(bound: int) -> Rule:
    """The number is not above *bound*."""

    @in_schema(number={"maximum": bound})
    def rule(number: int) -> None:
        if number > bound:
            raise ValueError(f"expected at most {bound}, found {number}")

    return rule


@in_schema(number={"minimum": 0})
def not_negative(number: float) -> None:
    """The number is 0 or greater."""
    if number < 0:
        raise ValueError(f"expected 0 or more, found {number}")


@in_schema(number={"minimum": 0, "maximum": 1})
def share(number: float) -> None:
    """The number is from 0 to 1."""
    if not 0 <= number <= 1:
        raise ValueError(f"expected a number from 0 to 1, found {number}")


@in_schema(number={"exclusiveMinimum": 0, "maximum": 1})
def positive_share(number: float) -> None:
    """The number is above 0, and at most 1."""
    if not 0 < number <= 1:
        raise ValueError(f"expected a number above 0 and up to 1, found {number}")


@in_schema(array={"items": {"pattern": r"^\S+$"}})
def all_words(texts: tuple[str, ...]) -> None:
    """Every element is a word: not empty, and without white space."""
    if problems := [
        Problem(f"expected a word without white space, found {shown(text)}", at=(i,))
        for i, text in enumerate(texts)
        if not text or any(char.isspace() for char in text)
    ]:
        raise StructureError(problems)


def http_url(text: str) -> None:
    """The text is an http or https URL with a host, and without user information, query and fragment."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"{shown(text)} is not a URL: {error}") from None
    wanted = "expected a URL such as 'http://127.0.0.1:8000'"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{shown(text)} is not an http or https URL with a host", wanted)
    if port == 0:
        raise ValueError(f"{shown(text)} names port 0, where nothing can listen", wanted)
    if any(char.isspace() or not char.isprintable() for char in text):
        raise ValueError(f"{shown(text)} holds white space or a control character", wanted)
    # The text itself may hold a password, so it is not shown.
    if parts.username is not None or parts.password is not None:
        raise ValueError("the URL holds user information", "put credentials into [headers]")
    if "?" in text or "#" in text:
        raise ValueError("the URL holds a query or a fragment", wanted)


@in_schema(string={"pattern": '^[!"$-~]+$'})
def url_path(text: str) -> None:
    """The text is what follows a base URL: printable ASCII without white space, query and fragment."""
    if not text or not text.isascii() or any(char.isspace() or not char.isprintable() for char in text):
        raise ValueError(f"{shown(text)} is not the path of a URL", "expected a path such as '/v1/chat/completions'")
    if "#" in text:
        raise ValueError(f"{shown(text)} holds a fragment, which is never sent")


@in_schema(string={"pattern": "^[0-9A-Za-gi-uw-z]$"})
def one_character(text: str) -> None:
    """The text is a letter or digit that can follow a single dash and is not taken."""
    if len(text) != 1 or not text.isascii() or not text.isalnum():
        raise ValueError(f"expected one letter or digit, found {shown(text)}")
    if text in "hv":
        raise ValueError(f"'-{text}' is taken by gko itself", f"choose a letter other than {one_of('hv')}")


@in_schema(array={"uniqueItems": True})
def distinct(values: tuple[str, ...]) -> None:
    """No value is given twice."""
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"the value {shown(value)} is given twice")
        seen.add(value)


def json_values(table: Mapping[str, object]) -> None:
    """JSON can hold every value of the table, however deep; of each, the first thing that it cannot hold is told."""
    found = ((key, misfit) for key, value in table.items() if (misfit := unfit(value)))
    if problems := [Problem(reason, IN_JSON, (key, *at)) for key, (at, reason) in found]:
        raise StructureError(problems)
