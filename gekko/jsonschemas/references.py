"""Where the references of a schema lead: to a place in a local file, or to a problem; never over the network."""

import codecs
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit

from attrs import Factory, define, evolve

from gekko import jsontext, pointers
from gekko.jsonschemas.dialects import LATEST, Contents, dialect_of, is_schema, metaschema_complaints, resource_of
from gekko.jsonschemas.dialects import validators as known_dialects
from gekko.jsonschemas.files import Link, Place, SchemaFile, SchemaFiles, value_at
from gekko.jsonschemas.problems import CannotEvaluate, SchemaError, SchemaProblem
from gekko.locations import KeyPath
from gekko.wording import described, shown

if TYPE_CHECKING:
    from referencing import Registry, Resource

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
IDENTIFIERS = ("$id", "id")


def collect(path: Path, read: Callable[[Path], bytes]) -> SchemaFiles:
    """Read the schema in *path* and every local file to which it leads.

    Raises:
        SchemaError: something in one of them is wrong; all of it is named.
        Exception: what *read* raises where it cannot read *path* itself.
    """
    collector = Collector(read, empty_registry())
    collector.add(path, path.as_uri(), read(path), LATEST)
    collector.follow_all()
    if collector.problems:
        raise SchemaError(sorted(set(collector.problems), key=str))
    root, *others = collector.files.values()
    return SchemaFiles(root, tuple(others), tuple(collector.links), tuple(collector.identified))


@define
class Collector:
    """Reads files and follows references until nothing new turns up; keeps every problem on the way."""

    read: Callable[[Path], bytes]
    registry: "Registry[Any]"
    files: dict[str, SchemaFile] = Factory(dict)
    broken: set[str] = Factory(set)
    found: list[tuple[Link, SchemaFile]] = Factory(list)
    links: list[Link] = Factory(list)
    identified: list[Place] = Factory(list)
    problems: list[SchemaProblem] = Factory(list)
    # Where each object stands, by identity: what JSON was parsed into is a tree.
    places: dict[int, Place] = Factory(dict)
    walked: set[int] = Factory(set)

    def add(self, path: Path, uri: str, raw: bytes, dialect: str) -> None:
        """Take one file in; where it does not say what dialect it speaks, it speaks *dialect*."""
        try:
            text = decoded(path, raw)
            contents = parsed(path, text)
            file = SchemaFile(uri, path, text, contents, dialect_of(contents, dialect))
            require_valid(file, contents)
            resource = resource_of(contents, file.dialect)
            self.registry = self.registry.with_resource(uri, resource).crawl()
        except SchemaError as error:
            self.broken.add(uri)
            self.problems += error.problems
        except ValueError as error:
            self.broken.add(uri)
            self.problems.append(SchemaProblem(path, "", str(error)))
        else:
            self.files[uri] = file
            self.places.update((id(item), Place(uri, way)) for way, item in objects(contents))
            self.walk(resource, uri, file)

    def walk(self, resource: "Resource[Any]", base: str, file: SchemaFile) -> None:
        """Note each reference in *resource* and the schemas below it, and try each pattern."""
        found: list[Link] = []
        pending = [(resource, base)]
        while pending:
            resource, base = pending.pop()
            schema = resource.contents
            if not isinstance(schema, dict) or id(schema) in self.walked:
                continue
            self.walked.add(id(schema))
            place = self.places[id(schema)]
            base = joined(base, resource.id() or "")
            if place.path and any(isinstance(schema.get(name), str) for name in IDENTIFIERS):
                self.identified.append(place)
            self.problems += (SchemaProblem(file.path, *problem) for problem in pattern_problems(schema, place.path))
            found += links_in(schema, place, base)
            pending += ((below, base) for below in resource.subresources())
        # The schemas below come in any order, but files must be read and named in the same one every time.
        self.found += ((link, file) for link in sorted(found, key=lambda link: (link.holder.path, link.keyword)))

    def follow_all(self) -> None:
        """Follow every reference, also those that turn up on the way."""
        fetched = followed = 0
        while followed < len(self.found):
            # Files first: one that is read late may bear the name by which an earlier one refers to it.
            while fetched < len(self.found):
                self.fetch(*self.found[fetched])
                fetched += 1
            self.follow(*self.found[followed])
            followed += 1

    def fetch(self, link: Link, file: SchemaFile) -> None:
        """Read the local file that *link* names, unless it was read before."""
        known = link.resource in self.registry or link.resource in self.broken
        if known or not link.resource.startswith("file:///"):
            return
        path = Path(unquote(urlsplit(link.resource).path))
        try:
            raw = self.read(path)
        except Exception as error:  # of the reader's own kind, which is not known here
            self.broken.add(link.resource)
            self.refuse(link, file, str(error))
        else:
            self.add(path, link.resource, raw, file.dialect)

    def follow(self, link: Link, file: SchemaFile) -> None:
        """Find where *link* leads; what it finds is a schema from now on, wherever it stands."""
        if link.resource in self.broken:
            return
        if link.resource in known_dialects():
            self.links.append(link)
            return
        try:
            target = self.target(link)
            self.adopt(target, link.resource)
        except SchemaError as error:
            self.problems += error.problems
        except LookupError as error:
            self.refuse(link, file, str(error))
        else:
            self.links.append(evolve(link, target=target))

    def refuse(self, link: Link, file: SchemaFile, reason: str) -> None:
        """Keep a reference that leads nowhere as a problem of the file that it stands in."""
        where = pointers.build((*link.holder.path, link.keyword))
        self.problems.append(SchemaProblem(file.path, where, f"{shown(link.written)}: {reason}"))

    def target(self, link: Link) -> Place:
        """Return the place that *link* names, whatever is there."""
        from referencing.exceptions import Unresolvable

        if link.resource not in self.registry:
            raise LookupError(f"no local schema is called {shown(link.resource)}, and none is fetched from elsewhere")
        resource = self.registry[link.resource]
        if link.fragment[:1] in {"", "/"}:
            start = self.places.get(id(resource.contents), Place(link.resource))
            return evolve(start, path=start.path + steps(resource.contents, unquote(link.fragment)))
        try:
            anchor: Any = self.registry.anchor(link.resource, link.fragment).value
        except Unresolvable:
            raise LookupError(f"no schema in there has the anchor {shown(link.fragment)}") from None
        return self.places[id(anchor.resource.contents)]

    def adopt(self, target: Place, base: str) -> None:
        """Treat what stands at *target* as a schema, also where the dialect expects none."""
        file = self.files[target.file]
        schema = value_at(file.contents, target.path)
        if not is_schema(schema):
            raise LookupError(f"expected a schema there, found {described(schema)}")
        if id(schema) not in self.walked:
            require_valid(file, schema, target.path)
            self.walk(resource_of(schema, file.dialect), base, file)


def empty_registry() -> "Registry[Any]":
    """Return a registry that knows nothing and asks nobody."""
    from referencing import Registry

    return Registry()


def decoded(path: Path, raw: bytes) -> str:
    """Return the text of the file at *path*, without the byte order mark that may lead it.

    Raises:
        SchemaError: it is not UTF-8.
    """
    encoding = json.detect_encoding(raw)  # by where the first bytes have zeros, for a byte order mark is rare
    if encoding.startswith(("utf-16", "utf-32")):
        found = encoding[:6].upper()
        raise SchemaError([SchemaProblem(path, "", f"it looks like {found}; a schema file is in UTF-8")])
    raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode()
        found = f"not UTF-8: byte 0x{raw[error.start]:02x}; a schema file is in UTF-8"
        raise SchemaError([SchemaProblem(path, "", found, *jsontext.place(before, len(before)))]) from None


def parsed(path: Path, text: str) -> Contents:
    """Return the schema that *text* is, read from the file at *path*.

    Raises:
        SchemaError: it is none.
    """
    try:
        contents = jsontext.parse(text)
    except jsontext.JsonTextError as error:
        line, column = error.place or (None, None)
        raise SchemaError([SchemaProblem(path, "", f"not JSON: {error.problem}", line, column)]) from None
    if not is_schema(contents):
        found = f"expected a schema, which is an object, true or false; found {described(contents)}"
        raise SchemaError([SchemaProblem(path, "", found)])
    return contents


def require_valid(file: SchemaFile, schema: Contents, path: KeyPath = ()) -> None:
    """Refuse a schema that breaks the rules of its dialect."""
    try:
        complaints = metaschema_complaints(schema, file.dialect)
    except CannotEvaluate as error:
        raise SchemaError([SchemaProblem(file.path, pointers.build(path), str(error))]) from None
    if complaints:
        raise SchemaError(SchemaProblem(file.path, pointers.build(path + way), text) for way, text in complaints)


def objects(contents: object) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    """Yield every object in a document, with the way to it."""
    pending: list[tuple[KeyPath, object]] = [((), contents)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            yield path, value
        items: Iterable[tuple[str | int, object]] = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        pending += (((*path, step), item) for step, item in items)


def pattern_problems(schema: dict[str, Any], path: KeyPath) -> Iterator[tuple[str, str]]:
    """Yield the regular expressions of one schema that do not compile: pointer and reason."""
    if isinstance(pattern := schema.get("pattern"), str) and (flaw := pattern_flaw(pattern)):
        yield pointers.build((*path, "pattern")), f"{shown(pattern)} is no regular expression: {flaw}"
    for pattern in schema.get("patternProperties", {}):
        if flaw := pattern_flaw(pattern):
            yield pointers.build((*path, "patternProperties")), f"{shown(pattern)} is no regular expression: {flaw}"


def pattern_flaw(pattern: str) -> str:
    """Return why *pattern* does not compile, or nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's plans for its own syntax concern nobody here
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    return ""


def links_in(schema: dict[str, Any], place: Place, base: str) -> Iterator[Link]:
    """Yield the references that stand in *schema* itself."""
    for keyword in REFERENCES:
        if isinstance(written := schema.get(keyword), str):
            resource, _, fragment = joined(base, written).partition("#")
            yield Link(place, keyword, written, resource, fragment)


def joined(base: str, reference: str) -> str:
    """Return *reference* as an absolute URI, or as it is where it cannot become one."""
    if reference.startswith("#"):  # urljoin() would drop a base whose scheme it does not know, such as urn
        return base.partition("#")[0] + reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def steps(document: Contents, pointer: str) -> KeyPath:
    """Return the way that *pointer* takes through *document*, indices as integers.

    Raises:
        LookupError: it leads nowhere, or is no pointer.
    """
    try:
        tokens = pointers.parse(pointer)
    except pointers.PointerError as error:
        raise LookupError(str(error)) from None
    way: list[str | int] = []
    value: object = document
    for token in tokens:
        below = pointers.resolve(value, (token,))
        way.append(int(token) if isinstance(value, list) else token)
        value = below
    return tuple(way)
