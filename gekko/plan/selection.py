"""Which cases are meant: what a selection says, and the case files that it comes to before any of them is read."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias

from attrs import field, frozen

from gekko.errors import ConfigurationError, Issue, UsageError
from gekko.locations import shown_path
from gekko.plan.catalog import Catalog, listed_cases
from gekko.plan.hints import case_hint
from gekko.plan.trials import Trial
from gekko.sources.document import read_configured, read_toml
from gekko.sources.files import mode
from gekko.sources.listing import CASE_SUFFIX, Address, CaseKey, CommandPath
from gekko.sources.scopes import Scope
from gekko.sources.shards import Shard
from gekko.wording import NAMES_TOLD, did_you_mean, joined, one_of

Cases: TypeAlias = Mapping[CaseKey, tuple[Path, Scope]]
"""Case files by their command and name, each with the scope that it is read from."""


@frozen
class Then:
    """What the trials were at a commit, which *ref* names: the fingerprint of each that was sound."""

    ref: str
    fingerprints: Mapping[Address, str] = field(repr=False)


@frozen(kw_only=True)
class Selection:
    """Which cases are meant, and how they are tried; each field narrows what those before it leave."""

    words: CommandPath = ()
    """Those of the commands at and below this path."""
    files: tuple[Path, ...] = ()
    """Those that stand in these files, where there are any; then there are no *words*."""
    cases: tuple[str, ...] = ()
    """Only those whose name fits one of these patterns, where there are any."""
    tags: tuple[str, ...] = ()
    """Only cases that have one of these, where there are any."""
    addresses: frozenset[Address] | None = None
    """Only trials that have one of these, where it is not None."""
    since: Then | None = None
    """Only trials that have changed since, where it is not None."""
    shard: Shard | None = None
    models: tuple[str, ...] = ()
    """What the cases are tried on, instead of their own models."""
    repeat: int | None = None
    """How often each case runs, instead of what it says itself."""


def choose(catalog: Catalog, selection: Selection) -> tuple[Cases, list[Issue]]:
    """Return the case files of a selection, none of them read, and what is wrong with paths among them.

    They are those of all shards: whoever divides has to know what all of them have in common.

    Raises:
        UsageError: its words, one of its files, or one of its patterns selects nothing.
    """
    if selection.files:
        cases, issues = _of_files(catalog, selection.files)
    else:
        cases, issues = listed_cases(catalog.scopes, selection.words)
    if not cases and not issues:
        raise UsageError(_nothing_selected(catalog, selection.words))
    if selection.cases:
        cases = _fitting(selection, cases, is_complete=not issues)
    return cases, issues


def nothing_left(selection: Selection) -> str:
    """Return why a selection comes to no trial, where that is no mistake."""
    asked = [] if selection.addresses is None else ["failed or was left out in the last run"]
    asked += [] if selection.since is None else [f"has changed since {selection.since.ref}"]
    if asked:
        return f"nothing to do: no selected case {' and '.join(asked)}"
    return f"nothing to do: shard {selection.shard} has none of the selected cases"


def require_tags(selection: Selection, cases: Cases, trials: Iterable[Trial]) -> None:
    """Raise UsageError, with the nearest tag, where none of the *cases* of a selection has one of its tags.

    *trials* are those of the cases that have any.
    """
    missing = set(selection.tags).difference(*(trial.tags for trial in trials))
    for tag in selection.tags:
        if tag in missing:
            near = _nearest(tag, sorted(known_tags(cases)), "tags there")
            raise UsageError(joined(f"no case{_shown_within(selection)} has the tag '{tag}'", near))


def known_tags(cases: Cases) -> set[str]:
    """Return the tags of all cases whose file can be read, whatever else is wrong with it."""
    known: set[str] = set()
    for path, _ in cases.values():
        with suppress(ConfigurationError):
            tags = read_toml(path, read_configured(path, "case file")).data.get("tags")
            known |= {tag for tag in tags if isinstance(tag, str)} if isinstance(tags, list) else set()
    return known


def _fitting(selection: Selection, cases: Cases, *, is_complete: bool) -> Cases:
    """Return the cases that fit one of the patterns; each pattern must fit one, unless some cannot be listed."""
    fitting: dict[str, set[CaseKey]] = {glob: {key for key in cases if _fits(key, glob)} for glob in selection.cases}
    for glob, keys in fitting.items():
        if not keys and is_complete:
            names = [_name(key, glob) for key in cases]
            near = _nearest(glob, names, "cases there")
            raise UsageError(joined(f"--case: '{glob}' fits no case{_shown_within(selection)}", near))
    wanted = set().union(*fitting.values())
    return {key: found for key, found in cases.items() if key in wanted}


def _fits(key: CaseKey, glob: str) -> bool:
    return fnmatchcase(_name(key, glob), glob)


def _name(key: CaseKey, glob: str) -> str:
    """Return what a pattern is compared with: the name of a case, or with a "/" in the pattern its whole path."""
    words, name = key
    return "/".join((*words, name)) if "/" in glob else name


def _shown_within(selection: Selection) -> str:
    if selection.files:
        return " of the files that are named"
    return f" of '{' '.join(selection.words)}'" if selection.words else ""


def _nearest(name: str, known: Sequence[str], title: str) -> str:
    """Return the nearest of the known names; where none is near, some of them."""
    if near := did_you_mean(name, known):
        return near
    known = list(dict.fromkeys(known))
    if not known:
        return f"{title}: none"
    return f"{title}: {one_of(known, conjunction='and', most=NAMES_TOLD)}"


def _of_files(catalog: Catalog, files: Iterable[Path]) -> tuple[Cases, list[Issue]]:
    """Return the cases that stand in these files, sorted by key."""
    cases: dict[CaseKey, tuple[Path, Scope]] = {}
    issues: list[Issue] = []
    for file in files:
        key, scope = _key_of(catalog, file)
        listed, found = listed_cases(catalog.scopes, key[0])
        own = scope.root.joinpath("tests", *key[0], f"{key[1]}{CASE_SUFFIX}")
        # What is wrong with its neighbours is not asked about.
        issues += (issue for issue in found if issue.where.path == own or issue.where.path in own.parents)
        if key in listed and listed[key][0] == own:
            cases[key] = listed[key]
        elif not issues:
            raise UsageError(joined(*_why_not(catalog, file, key, listed)))
    return {key: cases[key] for key in sorted(cases)}, issues


def _key_of(catalog: Catalog, file: Path) -> tuple[CaseKey, Scope]:
    """Return the command and name that a file has by where it stands, and the scope in which that is.

    Raises:
        UsageError: it stands where no scope has its cases.
    """
    for scope in reversed(catalog.scopes):
        for path, tests in _spellings(file, scope.root / "tests"):
            if path.is_relative_to(tests) and len(steps := path.relative_to(tests).parts) > 1:
                return (steps[:-1], steps[-1].removesuffix(CASE_SUFFIX)), scope
    places = [shown_path(scope.root / "tests" / "COMMAND PATH" / f"NAME{CASE_SUFFIX}") for scope in catalog.scopes]
    accepted = f"accepted: {one_of(places)}" if places else "nothing is configured"
    raise UsageError(joined(f"{shown_path(file)} is no case", _missing(file), accepted))


def _spellings(file: Path, tests: Path) -> Iterator[tuple[Path, Path]]:
    """Yield how a file and a folder are compared: as they are written, and with the links on their way followed."""
    yield Path(os.path.normpath(file.absolute())), Path(os.path.normpath(tests.absolute()))
    yield Path(os.path.realpath(file.parent), file.name), Path(os.path.realpath(tests))


def _why_not(catalog: Catalog, file: Path, key: CaseKey, listed: Cases) -> Iterator[str]:
    """Yield why a file that stands where cases do is none, and what would be."""
    words, name = key
    yield f"{shown_path(file)} is no case"
    siblings = [sibling for command, sibling in listed if command == words]
    if key in listed:
        yield f"{shown_path(listed[key][0])} takes its place"
    elif missing := _missing(file):
        yield missing
        yield did_you_mean(f"{name}{CASE_SUFFIX}", (f"{sibling}{CASE_SUFFIX}" for sibling in siblings)) or (
            catalog.suggestion(words) if not siblings else ""
        )
    else:
        yield f"accepted: a file whose path has no name that begins with '.', and which ends in {CASE_SUFFIX}"


def _missing(file: Path) -> str:
    return "no such file" if mode(file) is None else ""


def _nothing_selected(catalog: Catalog, words: CommandPath) -> str:
    if not words:
        return "no cases are configured; a case stands in tests/COMMAND PATH/NAME.toml of a scope"
    shown = " ".join(words)
    known = any(command[: len(words)] == words for command in catalog.command_files)
    if known:
        return f"no cases are configured for '{shown}'; a case stands in tests/{'/'.join(words)}/NAME.toml of a scope"
    cases, _ = listed_cases(catalog.scopes, words[:-1])
    near = case_hint(words, {key: path for key, (path, _) in cases.items()})
    return joined(f"'{shown}' names no command, group or case", near or catalog.suggestion(words, or_group=True))
