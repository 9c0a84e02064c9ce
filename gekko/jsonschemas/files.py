"""What a schema is made of: its own file, the files that it needs, and where each reference in them leads."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from attrs import field, frozen

from gekko import jsontext
from gekko.jsonschemas.dialects import Contents, place_refusals, resource_of, validators
from gekko.locations import KeyPath

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from referencing import Registry


@frozen
class SchemaFile:
    """A schema file as it was read; *uri* is where it lies, whatever it calls itself."""

    uri: str
    path: Path
    text: str = field(repr=False)
    contents: Contents = field(repr=False)
    dialect: str

    def name(self) -> str:
        """Return the URI that the references inside of it are relative to."""
        return urljoin(self.uri, resource_of(self.contents, self.dialect).id() or "")


@frozen
class Place:
    """A spot in one of the files, which is named by its URI."""

    file: str
    path: KeyPath = ()


@frozen
class Link:
    """A reference as *holder* has it written under *keyword*, and the resource and fragment that it names.

    *target* is None until the reference is followed, and stays so for a dialect's own schema, which everybody has.
    """

    holder: Place
    keyword: str
    written: str
    resource: str
    fragment: str
    target: Place | None = None


@frozen
class SchemaFiles:
    """A schema's own file with all others that it needs; each link leads to a schema.

    *identified* are the schemas inside of files that have an identifier of their own.
    """

    root: SchemaFile
    others: tuple[SchemaFile, ...]
    links: tuple[Link, ...]
    identified: tuple[Place, ...]

    def rewritten(self, file: SchemaFile, reference: Callable[[Link], str]) -> Any:
        """Return a copy of a file's contents to judge by, in which each reference is what *reference* makes of it."""
        document = jsontext.parse(file.text)
        place_refusals(document, file.dialect)
        for link in self.links:
            if link.holder.file == file.uri:
                value_at(document, link.holder.path)[link.keyword] = reference(link)
        return document

    def validator(self) -> "Validator":
        """Return what checks values against the root."""
        return validators()[self.root.dialect]({"$ref": self.root.name()}, registry=self.registry())

    def registry(self) -> "Registry[Any]":
        """Return all files, with the references between them absolute.

        A reference is read relative to the name by which its file was reached. Absolute ones reach each file by
        the name that it gives itself, so that the relative ones below mean what they say.
        """
        from referencing import Registry

        names = {file.uri: file.name() for file in (self.root, *self.others)}
        registry: Registry[Any] = Registry()
        for file in (self.root, *self.others):
            document = self.rewritten(file, lambda link: absolute(link, names))
            registry = registry.with_resource(file.uri, resource_of(document, file.dialect))
        return registry.crawl()


def absolute(link: Link, names: Mapping[str, str]) -> str:
    """Return a reference with the name of its resource, unless it stays inside of the one it stands in."""
    return (
        link.written if link.written.startswith("#") else f"{names.get(link.resource, link.resource)}#{link.fragment}"
    )


def value_at(document: Any, path: KeyPath) -> Any:
    """Return the value at a place that is known to be there."""
    for step in path:
        document = document[step]
    return document
