"""Which files a scope has, by kind and in a fixed order; none of them is opened, but one with a suspicious name."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Generic, Literal, TypeAlias, TypeVar

from attrs import frozen

from gekko.errors import ConfigurationError, Issue
from gekko.locations import Location
from gekko.sources.files import dead_link
from gekko.sources.likeness import HABITS, likeness
from gekko.sources.scopes import Scope
from gekko.sources.unread import misnamed, misspelt_tests
from gekko.wording import shown

CommandPath: TypeAlias = tuple[str, ...]
"""The words that name a command or a group: `("git", "review")`."""

CaseKey: TypeAlias = tuple[CommandPath, str]
"""A command path, and the name of one of its cases."""

Address: TypeAlias = tuple[str, str, str]
"""A case on a model: a command path as one word, the name of the case, the id of the model.

`("git/review", "hardware", "fast")` is one.
"""

CASE_SUFFIX: Final = HABITS["tests"].suffix

RECORDING_SUFFIX: Final = ".recording.jsonl"

MOST_LINKS: Final = 1000
"""Links to folders that one listing follows: a few between folders can multiply into millions of paths."""

FOLDER_MARK: Final = "/"
"""Ends no name: with it a folder of cases and a case beside it may differ by letter case alone."""

Key = TypeVar("Key")


def recording_path(case: Path) -> Path:
    """Return the path of the recording of the case file *case*, where it has one."""
    return case.with_name(case.stem + RECORDING_SUFFIX)


@frozen
class PathProblem:
    """What is wrong with a path below commands/ or tests/; *words* are its own, to tell whom it concerns."""

    words: CommandPath
    issue: Issue


@frozen
class Listing(Generic[Key]):
    """The files of one kind in one scope, sorted by key; *problems* are of files that are not among them."""

    files: Mapping[Key, Path]
    problems: tuple[PathProblem, ...] = ()


def list_specs(scope: Scope, kind: Literal["backends", "models"]) -> tuple[Path, ...]:
    """Return the scope's backend or model files, sorted by name.

    Raises:
        ConfigurationError: their folder cannot be read.
    """
    folder = scope.root / kind
    try:
        return tuple(sorted(path for path in folder.iterdir() if _is_listed(path.name) and path.suffix == ".toml"))
    except FileNotFoundError:
        if (issue := dead_link(folder)) is not None:
            raise ConfigurationError([issue]) from None
        return ()
    except OSError as error:
        raise ConfigurationError([_unreadable(folder, error)]) from None


def list_commands(scope: Scope) -> Listing[CommandPath]:
    """Return the scope's command files by command path.

    Raises:
        ConfigurationError: their folder cannot be read; nobody knows then whose commands would be run instead.
    """
    walk = _Walk("commands").walk(scope.root / "commands", ())
    if fatal := [problem.issue for problem in walk.problems if not problem.words]:
        raise ConfigurationError(fatal)
    return _well_named(walk)


def list_cases(scope: Scope, within: CommandPath = ()) -> Listing[CaseKey]:
    """Return the scope's case files of every command at and below the path *within*."""
    if any(_name_problem(word) or not _is_listed(word) for word in within):
        return Listing({})
    walk = _Walk("tests").walk(scope.root.joinpath("tests", *within), within)
    walk.problems += _ways_that_end(scope, within)
    # The case `Hardware.toml` and the folder `hardware/` of another command have nothing to do with each other.
    found = _well_named(walk, FOLDER_MARK)
    cases = {(words[:-1], words[-1]): path for words, path in found.files.items() if len(words) > 1}
    homeless = [
        PathProblem(words, Issue(Location(path), "a case of no command", f"expected in tests/COMMAND PATH/{path.name}"))
        for words, path in found.files.items()
        if len(words) == 1
    ]
    return Listing(cases, (*homeless, *found.problems))


def _is_listed(name: str) -> bool:
    return not name.startswith(".")


def _name_problem(name: str) -> str:
    if name.startswith("-"):
        return f"the name {shown(name)} begins with '-'"
    # A space is the one white space that counts as printable.
    if not name.isprintable() or " " in name or "/" in name:
        return f"the name {shown(name)} holds white space, '/' or what cannot be printed"
    return ""


def _unreadable(folder: Path, error: OSError) -> Issue:
    return Issue(Location(folder), f"the folder cannot be read: {error.strerror}")


def _ways_that_end(scope: Scope, within: CommandPath) -> Iterator[PathProblem]:
    """Yield why the folder of the cases at and below *within* is not where it was surely meant to be."""
    if (issue := misspelt_tests(scope, within)) is not None:
        yield PathProblem((), issue)
    for words in (within[:length] for length in range(len(within))):
        if (issue := dead_link(scope.root.joinpath("tests", *words))) is not None:
            yield PathProblem(words, issue)


class _Walk:
    """One pass over folders and their folders, links followed unless they lead back up."""

    def __init__(self, kind: Literal["commands", "tests"]) -> None:
        self._kind: Literal["commands", "tests"] = kind
        self._suffix = HABITS[kind].suffix
        self._links = 0
        self.files: dict[CommandPath, Path] = {}
        self.problems: list[PathProblem] = []

    def walk(self, top: Path, words: CommandPath) -> "_Walk":
        """Look into *top*, which may be missing; *words* are its own."""
        # A stack of our own: folders can be nested deeper than calls.
        waiting: list[tuple[Path, CommandPath, tuple[str, ...]]] = [(top, words, ())]
        while waiting:
            folder, words, trail = waiting.pop()
            if self._links > MOST_LINKS:
                many = Issue(Location(top), f"more than {MOST_LINKS} links to folders", "do they lead in circles?")
                self.problems.append(PathProblem((), many))
                break
            try:
                waiting.extend(self._look_into(folder, words, trail))
            except FileNotFoundError:
                if (issue := dead_link(folder)) is not None:
                    self.problems.append(PathProblem(words, issue))
            except OSError as error:
                self.problems.append(PathProblem(words, _unreadable(folder, error)))
        return self

    def _look_into(
        self, folder: Path, words: CommandPath, trail: tuple[str, ...]
    ) -> Iterator[tuple[Path, CommandPath, tuple[str, ...]]]:
        """Take the folder's files and yield its folders; *trail* is the folders whose links led here."""
        with os.scandir(folder) as entries:
            for entry in entries:
                path, below = folder / entry.name, (*words, entry.name)
                if not _is_listed(entry.name):
                    continue
                if not _is_folder(entry):
                    self._take(path, words, is_link=entry.is_symlink())
                elif not entry.is_symlink():
                    yield path, below, trail
                elif not _leads_up(entry.path, passed := (*trail, os.path.realpath(folder))):
                    self._links += 1
                    yield path, below, passed
                elif not trail:  # else it was followed once, from where the links begin
                    circle = Issue(Location(path), "a link to a folder that it is in", "it would lead in circles")
                    self.problems.append(PathProblem(below, circle))

    def _take(self, path: Path, words: CommandPath, *, is_link: bool) -> None:
        """Take a file of the folder *words*, or note that it was surely meant to be taken."""
        if path.name.endswith(self._suffix):
            self.files[*words, path.name.removesuffix(self._suffix)] = path
        elif is_link and not path.suffix and (issue := dead_link(path)) is not None:
            # One with a suffix led to a file: an input, which is missed where a case names it.
            self.problems.append(PathProblem((*words, path.name), issue))
        elif (found := likeness(path, (self._kind,))) is not None:
            stem = found.name.removesuffix(self._suffix)
            self.problems.append(PathProblem((*words, stem), misnamed(path, found)))


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _leads_up(link: str, trail: tuple[str, ...]) -> bool:
    target = os.path.realpath(link)
    return any(Path(folder).is_relative_to(target) for folder in trail)


def _well_named(walk: _Walk, folder_mark: str = "") -> Listing[CommandPath]:
    """Return what was found, without the files that have an impossible name somewhere on their way.

    With a *folder_mark*, which ends no name, a folder and a file may differ by letter case alone.
    """
    problems = dict(naming_problems(walk.files, folder_mark))
    files = {
        words: walk.files[words]
        for words in sorted(walk.files)
        if not problems or not any(words[:length] in problems for length in range(1, len(words) + 1))
    }
    found = [PathProblem(words, issue) for words, issue in problems.items()]
    return Listing(files, tuple(sorted([*found, *walk.problems], key=lambda problem: problem.words)))


def naming_problems(files: Mapping[CommandPath, Path], folder_mark: str = "") -> Iterator[tuple[CommandPath, Issue]]:
    """Yield the folders and files with an impossible name, whatever number of files is below them.

    *files* can be those of several scopes: names that differ by letter case alone are no better in two places.
    """
    below = {words[:-1]: words for words in files}
    folders = {folder[:length]: words for folder, words in below.items() for length in range(1, len(folder) + 1)}
    spelt: dict[CommandPath, CommandPath] = {}
    for entries, mark in ((folders, folder_mark), (files, "")):
        for words in entries:
            other = spelt.setdefault((*words[:-1], words[-1].casefold() + mark), words)
            if problem := _name_problem(words[-1]):
                hint = "names of commands and cases are printable, without white space, and begin with no '-'"
                yield words, Issue(_location(files, folders, words), problem, hint)
            elif other != words:
                for one, two in ((words, other), (other, words)):
                    problem = f"differs from '{two[-1]}' by letter case alone"
                    yield one, Issue(_location(files, folders, one), problem, "not every system can tell them apart")


def _location(
    files: Mapping[CommandPath, Path], folders: Mapping[CommandPath, CommandPath], words: CommandPath
) -> Location:
    """Return where the file or folder *words* is; *folders* says of each folder which file is below it."""
    if words in files:
        return Location(files[words])
    below = folders[words]
    return Location(files[below].parents[len(below) - len(words) - 1])
