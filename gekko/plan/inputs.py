"""Texts and bytes that a run is given: where they are, and what they held when they were checked."""

import tomllib
from pathlib import Path
from typing import Protocol

from attrs import field, frozen

from gekko import limits
from gekko.errors import ConfigurationError, InputOutputError, Issue
from gekko.locations import Location, shown_path
from gekko.sources.document import read_configured
from gekko.sources.files import Digest, FileProblem, decode, digest, read_bytes

HELD_CHARACTERS = 1024
"""An inline input up to this length is kept in memory; a longer one is read again when it is needed."""


class Text(Protocol):
    """A text that can be had when it is needed."""

    def read(self) -> str:
        """Return the text.

        Raises:
            ConfigurationError: the file that holds it is not what it was when it was checked.
        """
        ...


@frozen
class Held:
    """A text that is short, or that was read from a stream and is nowhere else."""

    text: str = field(repr=False)

    def read(self) -> str:
        """Return the text."""
        return self.text


@frozen
class InFile:
    """The content of a file, UTF-8 or not."""

    path: Path
    digest: Digest

    def read(self) -> str:
        """Return the text without its byte order mark; see Text."""
        return decode(self.read_bytes())

    def read_bytes(self) -> bytes:
        """Return the bytes as they were when they were checked.

        Raises:
            ConfigurationError: they changed, or cannot be read any more.
        """
        raw = read_configured(self.path, "input", limits.INPUT_BYTES)
        if digest(raw) != self.digest:
            raise ConfigurationError(
                [Issue(Location(self.path), "changed since it was checked", "run the suite again")]
            )
        return raw


@frozen
class InCase:
    """The inline input of a case file, too long to be kept."""

    case: InFile

    def read(self) -> str:
        """Return the text; see Text."""
        return str(tomllib.loads(self.case.read())["input"])


@frozen
class Bytes:
    """Bytes from standard input, and the name under which they are uploaded."""

    content: bytes = field(repr=False)
    name: str

    def read_bytes(self) -> bytes:
        """Return the bytes."""
        return self.content


def given_bytes(path: Path, what: str) -> bytes:
    """Return the content of a file that a call names, as an "input" or an "argument".

    Raises:
        InputOutputError: it is missing, is no regular file, cannot be read, or is too long.
    """
    try:
        return read_bytes(path, limits.INPUT_BYTES, what)
    except FileProblem as error:
        raise InputOutputError(f"{shown_path(path)}: {error}") from None


def given_text(path: Path, what: str) -> Held:
    """Return the text of a file that a call names; raises as given_bytes does, and where it is not UTF-8."""
    return held(given_bytes(path, what), shown_path(path))


def held(raw: bytes, source: str) -> Held:
    """Return the text that *raw* is, which came from *source*; a byte order mark is dropped.

    Raises:
        InputOutputError: it is not UTF-8.
    """
    try:
        return Held(decode(raw))
    except FileProblem as error:
        raise InputOutputError(f"{source}: {error}") from None
