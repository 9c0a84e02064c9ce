"""A schema as one document, to be sent to somebody who has none of the files."""

from collections.abc import Mapping
from typing import Any, TypeAlias
from urllib.parse import quote

from gekko import jsontext
from gekko.jsonschemas.dialects import definitions_keyword
from gekko.jsonschemas.files import Link, SchemaFile, SchemaFiles, value_at
from gekko.jsonschemas.schema import Schema
from gekko.pointers import build

Prefixes: TypeAlias = Mapping[str, tuple[str, ...]]
"""Where each file, known by its URI, stands in the one document."""

FRAGMENT_CHARACTERS = "/~!$&'()*+,;=:@?"
"""What a URI's fragment holds as it is, besides letters, digits and `_.-`: RFC 3986, section 3.5."""


def bundle(schema: Schema) -> object:
    """Return the schema's document; where it needs other files, a copy that holds them among its definitions.

    In such a copy every reference is a plain pointer, which is all that most model servers follow, and nothing says
    in which folders the files were. A dynamic reference becomes a static one, to where it leads by itself.
    """
    files = schema.files
    if not files.others:
        return schema.document
    keyword = definitions_keyword(files.root.dialect)
    names = names_of_others(files, keyword)
    prefixes: Prefixes = {files.root.uri: ()} | {uri: (keyword, name) for uri, name in names.items()}
    root = movable(files, files.root, prefixes)
    definitions = root.setdefault(keyword, {})
    for file in files.others:
        definitions[names[file.uri]] = without_name(movable(files, file, prefixes))
    return root


def names_of_others(files: SchemaFiles, keyword: str) -> dict[str, str]:
    """Name each file after itself, with a number where the root has that name already."""
    taken = set(value_at(files.root.contents, ()).get(keyword, {}))
    names: dict[str, str] = {}
    for file in files.others:
        names[file.uri] = unused(file.path.stem, taken)
        taken.add(names[file.uri])
    return names


def unused(stem: str, names: set[str]) -> str:
    """Return *stem*, or its first numbered variant that is not among *names*."""
    name, number = stem, 1
    while name in names:
        number += 1
        name = f"{stem}-{number}"
    return name


def movable(files: SchemaFiles, file: SchemaFile, prefixes: Prefixes) -> Any:
    """Return a copy of a file's contents that means the same at its place in the one document."""
    document = jsontext.parse(file.text)
    for link in files.links:
        if link.holder.file == file.uri and link.target:
            redirect(value_at(document, link.holder.path), link, prefixes[link.target.file] + link.target.path)
    for place in files.identified:
        if place.file == file.uri:
            without_name(value_at(document, place.path))
    return document


def redirect(holder: dict[str, Any], link: Link, path: tuple[str | int, ...]) -> None:
    """Make a reference lead to *path*, counted from the top of the one document."""
    pointer = "#" + quote(build(path), safe=FRAGMENT_CHARACTERS)
    if link.keyword == "$ref":
        holder["$ref"] = pointer
        return
    del holder[link.keyword]
    if "$ref" in holder:
        holder.setdefault("allOf", []).append({"$ref": pointer})
    else:
        holder["$ref"] = pointer


def without_name(schema: Any) -> Any:
    """Take from a schema what would make pointers below it start there: its identifier, and its dialect with it."""
    if isinstance(schema, dict):
        for keyword in ("$id", "id", "$schema"):
            schema.pop(keyword, None)
    return schema
