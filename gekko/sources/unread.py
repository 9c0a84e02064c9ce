"""What somebody put into a scope to be used, and what nothing reads because of its name or its place."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from gekko.errors import Issue
from gekko.locations import Location
from gekko.sources.files import dead_link, is_folder
from gekko.sources.likeness import KINDS, Kind, Likeness, likeness
from gekko.sources.scopes import Scope
from gekko.wording import did_you_mean, nearest, one_of

FOLDERS: Final = ("backends", "models", "commands", "schemas", "partials", "tests")
"""The folders of a scope; more may stand beside them, and paths of schemas and partials may lead there."""

NOUNS: Final = {"backends": "a backend", "models": "a model", "commands": "a command", "tests": "a case"}

CASES: Final[tuple[Kind, ...]] = ("tests",)

PLACES: Final = {
    "backends": "backends/NAME.toml",
    "models": "models/NAME.toml",
    "commands": "commands/COMMAND PATH.md",
    "tests": "tests/COMMAND PATH/NAME.toml",
}

MOST_FILES: Final = 10_000
"""So many files below one folder are looked at: a whole source tree can be named as a scope."""

SET_ASIDE: Final = "what is set aside has a name that begins with a dot"


def unread(scope: Scope) -> Iterator[Issue]:
    """Yield each file and folder of the scope that reads like configuration, and that nothing reads.

    Files below commands/ and tests/ that have a wrong suffix are not among them: listing those tells of them.
    """
    for path in _visible(scope.root):
        folder = _known_folder(path)
        if folder is None:
            yield from _told(path, FOLDERS)
        elif folder in ("schemas", "partials"):
            yield from _no_folder(path)
        elif folder == "commands":
            yield from _cases_among_commands(path)
        elif folder != "tests":
            for inner in _visible(path):
                if inner.suffix != ".toml":  # which is read, whatever it is
                    yield from _told(inner)


def misspelt_tests(scope: Scope, within: tuple[str, ...] = ()) -> Issue | None:
    """Return which folder was surely meant to be tests/, where that is not there; cases at and below *within* count."""
    if os.path.lexists(scope.root / "tests"):
        return None
    for folder in _visible(scope.root):
        # Something like tests-old was set aside on purpose.
        is_slip = folder.name.isalpha() and nearest(folder.name, FOLDERS) == "tests"
        if is_slip and (alike := _first_alike(folder.joinpath(*within), CASES)):
            return _unread_folder(folder, *alike, FOLDERS)
    return None


def misnamed(path: Path, found: Likeness) -> Issue:
    """Return that the file has the wrong suffix for what it reads like."""
    return Issue(Location(path), f"it reads like {NOUNS[found.kind]}, but is not called so", _meant(found.name))


def _visible(folder: Path) -> Iterator[Path]:
    """Yield what is in a folder, sorted by name, without what is hidden; nothing where it cannot be read."""
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return
    yield from (path for path in paths if not path.name.startswith("."))


def _known_folder(path: Path) -> str | None:
    """Return which folder of a scope *path* is, by its name or, where letter case does not count, as `Tests`."""
    for folder in FOLDERS:
        known = path.with_name(folder)
        if path == known or (path.name.casefold() == folder and is_folder(known) and path.samefile(known)):
            return folder
    return None


def _no_folder(path: Path) -> Iterator[Issue]:
    if not is_folder(path):
        yield dead_link(path) or Issue(Location(path), "not a folder", "one is expected under this name")


def _cases_among_commands(folder: Path) -> Iterator[Issue]:
    for path in _files_below(folder):
        if path.suffix and (found := likeness(path, CASES)):
            yield _misplaced(path, found)


def _told(path: Path, names: tuple[str, ...] = ()) -> Iterator[Issue]:
    """Yield what is wrong with a file, or with a folder as a whole; its name might be one of *names*."""
    if is_folder(path):
        if alike := _first_alike(path):
            yield _unread_folder(path, *alike, names)
    elif found := likeness(path):
        yield (misnamed if _known_folder(path.parent) == found.kind else _misplaced)(path, found)


def _misplaced(path: Path, found: Likeness) -> Issue:
    return Issue(Location(path), f"it reads like {NOUNS[found.kind]}, but nothing reads it here", _expected(found))


def _unread_folder(folder: Path, path: Path, found: Likeness, names: tuple[str, ...]) -> Issue:
    inner = path.relative_to(folder).as_posix()
    problem = f"nothing reads this folder, but {one_of([inner])} in it reads like {NOUNS[found.kind]}"
    return Issue(Location(folder), problem, did_you_mean(folder.name, names) or _expected(found))


def _expected(found: Likeness) -> str:
    return f"expected as {PLACES[found.kind]}; {SET_ASIDE}"


def _meant(name: str) -> str:
    return f"did you mean {one_of([name])}?"


def _first_alike(folder: Path, kinds: tuple[Kind, ...] = KINDS) -> tuple[Path, Likeness] | None:
    """Return the first file at and below *folder* that reads like one of *kinds*."""
    some = islice(_files_below(folder), MOST_FILES)
    return next(((path, found) for path in some if (found := likeness(path, kinds))), None)


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files below *folder*, in order, without what is hidden; links to folders are not followed."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(files) if not name.startswith("."))
