"""How new files join a scope: nothing may be in their way, and all of them are written or none."""

import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from gekko.errors import ConfigurationError, InputOutputError, UsageError
from gekko.locations import shown_path
from gekko.sources.document import read_configured, read_toml
from gekko.sources.files import dead_link, is_folder
from gekko.sources.listing import list_commands, list_specs
from gekko.sources.scopes import Scope

KINDS: Final[tuple[Literal["backends", "models"], ...]] = ("backends", "models")


def place(files: Mapping[PurePosixPath, str], root: Path, broader: Iterable[Scope]) -> list[str]:
    """Write the files below *root*, and return what of the *broader* scopes they replace.

    Raises:
        UsageError: with everything that is in the way.
        InputOutputError: a file cannot be written.
    """
    others = [scope for scope in broader if os.path.realpath(scope.root) != os.path.realpath(root)]
    if obstacles := [*_obstacles(files, root), *_clashes(files, root, others)]:
        raise UsageError(f"nothing was written: {'; '.join(dict.fromkeys(obstacles))}")
    replaced = list(_replaced(files, others))
    try:
        with ExitStack() as undo:
            for name, text in files.items():
                _write(root / name, text, undo)
            undo.pop_all()
    except OSError as error:
        where = shown_path(Path(error.filename or root))
        raise InputOutputError(f"nothing was written: {where}: {error.strerror}") from error
    return replaced


def _obstacles(files: Iterable[PurePosixPath], root: Path) -> Iterator[str]:
    """Yield what is where a file or its folder would be, or could not be told from it on every system."""
    paths = {root / name for name in files}
    for path in sorted(paths.union(*(path.parents for path in paths))):
        if (issue := dead_link(path)) is not None:
            yield str(issue)
        elif path in paths and os.path.lexists(path):
            yield f"{shown_path(path)} is there already"
        elif os.path.lexists(path) and not is_folder(path):
            yield f"{shown_path(path)} is no folder"
        elif root in path.parents:
            yield from _twins(path)


def _twins(path: Path) -> Iterator[str]:
    with suppress(OSError):  # the folder is not there, or cannot be read, which writing will meet
        for each in path.parent.iterdir():
            if each.name != path.name and each.name.casefold() == path.name.casefold():
                yield f"{shown_path(each)} differs from '{path.name}' by letter case alone"


def _clashes(files: Mapping[PurePosixPath, str], root: Path, broader: Iterable[Scope]) -> Iterator[str]:
    """Yield which files of these or other names mean the same, so that none of them could be used."""
    own = Scope("project", root)
    for kind, given in _ids(files):
        others = (path for path in _with_id(own, kind, given) if path.relative_to(root) not in map(Path, files))
        yield from (f"{shown_path(path)} has the id '{given}' already" for path in others)
    for command in _commands(files):
        for scope in (own, *broader):
            yield from _clashing_commands(scope, command)


def _clashing_commands(scope: Scope, command: str) -> Iterator[str]:
    with suppress(ConfigurationError):  # a folder that cannot be read was an obstacle, or is another scope's trouble
        for words, path in list_commands(scope).files.items():
            if words[0].casefold() == command.casefold() and words != (command,):
                yield f"{shown_path(path)} is in the way of the command '{command}'"


def _replaced(files: Mapping[PurePosixPath, str], others: Iterable[Scope]) -> Iterator[str]:
    for scope in others:
        for kind, given in _ids(files):
            same = _with_id(scope, kind, given)
            yield from (f"the {kind[:-1]} '{given}' replaces that of {shown_path(path)}" for path in same)
        named = (name for name in files if name.parts[0] not in KINDS and os.path.lexists(scope.root / name))
        yield from (f"{name} replaces {shown_path(scope.root / name)}" for name in named)


def _ids(files: Mapping[PurePosixPath, str]) -> Iterator[tuple[Literal["backends", "models"], str]]:
    """Yield the ids that the files give, with their kinds."""
    for name, text in files.items():
        for kind in KINDS:
            if name.parts[0] == kind:
                yield kind, tomllib.loads(text)["id"]


def _commands(files: Iterable[PurePosixPath]) -> Iterator[str]:
    return (name.stem for name in files if name.parts[0] == "commands")


def _with_id(scope: Scope, kind: Literal["backends", "models"], given: str) -> Iterator[Path]:
    """Yield the scope's files that give the id; what cannot be read gives none."""
    with suppress(ConfigurationError):
        for path in list_specs(scope, kind):
            with suppress(ConfigurationError):
                if read_toml(path, read_configured(path, f"{kind[:-1]} file")).data.get("id") == given:
                    yield path


def _write(path: Path, text: str, undo: ExitStack) -> None:
    """Write a new file and the folders that it needs; *undo* is told how to remove them."""
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir()
        undo.callback(_remove, folder.rmdir)
    with path.open("x", encoding="utf-8", newline="\n") as file:
        undo.callback(_remove, path.unlink)
        file.write(text)


def _remove(remove: Callable[[], None]) -> None:
    with suppress(OSError):  # somebody put something into the folder meanwhile
        remove()
