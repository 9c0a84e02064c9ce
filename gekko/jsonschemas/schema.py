"""A schema that is ready to judge documents."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from gekko.jsonschemas.complaints import JSON, listed
from gekko.jsonschemas.dialects import DRAFT_7, LATEST
from gekko.jsonschemas.files import SchemaFiles
from gekko.jsonschemas.plain import NotPlainError, Test, plain_test
from gekko.jsonschemas.references import collect
from gekko.limits import SCHEMA_SECS
from gekko.locations import KeyPath
from gekko.pointers import build
from gekko.wording import cut, printable

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MOST_VIOLATIONS = 10_000
"""Listing stops here: a hostile answer of 64 MiB can hold more violations than any memory."""

PLACE_CHARACTERS = 400
"""The place of a violation is cut to this many characters."""


@frozen
class Schema:
    """A valid schema with every file that it refers to.

    `format` is an annotation, as draft 2020-12 has it by default: it rejects nothing. A `pattern` is a Python regular
    expression, which is searched for.
    """

    document: object = field(repr=False)
    files: SchemaFiles = field(repr=False, eq=False)
    _validator: "Validator" = field(repr=False, eq=False, alias="validator")
    _quick: Test = field(repr=False, eq=False, alias="quick")

    def violations(self, value: object, within_secs: float = SCHEMA_SECS) -> list[str]:
        """Return every violation in *value*, ordered by place: 'at /confidence: expected a number, found …'.

        Raises:
            CannotEvaluate: the schema gives no verdict on this value, or none in so much processor time.
        """
        if self._quick(value):
            return []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python has views on some patterns, and nobody here to hear them
            found = listed(self._validator, value, JSON, within_secs, MOST_VIOLATIONS + 1)
        told = [f"at {place(path)}: {text}" for path, text in sorted(found[:MOST_VIOLATIONS])]
        return told if len(found) <= MOST_VIOLATIONS else [*told, "and more, which are not listed"]


def load(path: Path, read: Callable[[Path], bytes]) -> Schema:
    """Return the schema in the file *path*, after following each of its references among local files.

    *read* gets every file, and bounds its size. The dialect is the one that `$schema` names, else draft 2020-12.

    Raises:
        SchemaError: a file is not a valid schema, a pattern does not compile, or a reference leads nowhere, to a file
            that cannot be read, or away from this machine.
        Exception: what *read* raises where it cannot read *path* itself.
    """
    files = collect(path.absolute(), read)
    return Schema(files.root.contents, files, files.validator(), _quick(files))


def _quick(files: SchemaFiles) -> Test:
    """Return what says of some values that they fit, at a tenth of the time; nearly every answer does."""
    root = files.root.contents
    # Of an older draft some words have other meanings; and what another file says is not looked at.
    if isinstance(root, dict) and files.root.dialect in (LATEST, DRAFT_7):
        with suppress(NotPlainError):
            return plain_test({keyword: said for keyword, said in root.items() if keyword != "$schema"})
    return lambda _: False


def place(path: KeyPath) -> str:
    """Return where something is wrong in a document, whose members can have any name."""
    return printable(cut(build(path), PLACE_CHARACTERS)) or "the root"
