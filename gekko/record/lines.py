"""JSON Lines: a file of one object a line, as each is written, and as it is read again."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from gekko import jsontext
from gekko.errors import Issue, Problem
from gekko.locations import Location
from gekko.specs.structure import StructureError
from gekko.wording import described

ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

DECODER: Final = json.JSONDecoder(object_pairs_hook=jsontext.object_of, parse_int=jsontext.integer)


def written(members: Mapping[str, object]) -> bytes:
    """Return an object as a line; half a character, which a server may send, becomes the escape of JSON for it."""
    return f"{ENCODER.encode(members)}\n".encode("utf-8", "backslashreplace")


def parse_ours(text: str) -> object:
    """Return what JSON of ours says: as `jsontext.parse_loosely`, but a name that stands twice in an object is refused.

    Raises:
        JsonTextError: it is none.
    """
    jsontext.refuse_depth(text)
    return jsontext.decoded(text, DECODER)


def read_object(line: bytes, parse: Callable[[str], object] = parse_ours) -> dict[str, object]:
    """Return the object that a line holds, as *parse* reads JSON: an answer may have half a character in it.

    Raises:
        StructureError: it holds none.
    """
    try:
        document = parse(line.decode().rstrip("\n"))
    except UnicodeDecodeError as error:
        raise refused(f"not UTF-8, at byte {error.start} of the line") from None
    except jsontext.JsonTextError as error:
        raise refused(f"not JSON: {str(error).removeprefix('line 1, ')}") from None  # it is another line of the file
    if not isinstance(document, dict):
        raise refused(f"expected an object, found {described(document)}")
    return document


def refused(problem: str, hint: str = "") -> StructureError:
    """Return the error for a line that is not what it should be."""
    return StructureError([Problem(problem, hint)])


def line_issue(error: StructureError, path: Path, number: int, hint: str = "") -> Issue:
    """Return the first thing that is wrong with a line of the file *path*; its number counts from 1.

    Where nothing is known that would help with it in particular, there is *hint*.
    """
    found = error.problems[0]
    return Issue(Location(path, found.at, line=number), found.problem, found.hint or hint)
