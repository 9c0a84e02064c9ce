"""What is configured, all scopes together: an entry of a more local scope replaces a whole entry."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from attrs import field, frozen

from gekko.errors import ConfigurationError, Issue, UsageError
from gekko.locations import Location, shown_path
from gekko.plan.targets import Target, fallback_issue, find_target
from gekko.sources.document import Document, read_configured, read_front_matter, read_toml
from gekko.sources.listing import (
    FOLDER_MARK,
    CaseKey,
    CommandPath,
    list_cases,
    list_commands,
    list_specs,
    naming_problems,
)
from gekko.sources.scopes import Scope
from gekko.specs.backend import Backend, read_backend
from gekko.specs.command import RESERVED, Command, read_command
from gekko.specs.model import Model
from gekko.specs.sourced import Sourced, sourced
from gekko.wording import did_you_mean, joined, one_of


class Identified(Protocol):
    """A spec that is known by its id."""

    @property
    def id(self) -> str:
        """The id, as the file says."""
        ...


S = TypeVar("S", bound=Identified)


@frozen
class CommandFile:
    """Where a command stands; the file is read when it is needed."""

    path: Path
    scope: Scope


@frozen
class Catalog:
    """Everything that is configured, by key. Backends and models are read; commands and cases are not yet."""

    scopes: tuple[Scope, ...]
    backends: Mapping[str, Sourced[Backend]]
    models: Mapping[str, Sourced[Model]]
    command_files: Mapping[CommandPath, CommandFile]
    troubled: Mapping[CommandPath, tuple[Issue, ...]]
    """What is wrong with command paths themselves; each breaks what lies at and below it."""
    _commands: dict[CommandPath, Command | ConfigurationError] = field(factory=dict, init=False, eq=False, repr=False)

    def command(self, words: CommandPath) -> Command:
        """Return the command at *words*, reading its file at the first call.

        Raises:
            ConfigurationError: there is none, its path is troubled, or its file is wrong.
        """
        if words not in self._commands:
            try:
                self._commands[words] = self._read(words)
            except ConfigurationError as error:
                self._commands[words] = error
        found = self._commands[words]
        if isinstance(found, ConfigurationError):
            raise found
        return found

    def target(self, model: str) -> Target:
        """Return the model of that id, with the backend and operation that it names.

        Raises:
            ConfigurationError: the model names a backend or operation that is not there.
            KeyError: there is no such model.
        """
        return find_target(self.models[model], self.backends)

    def require_model(self, model: str) -> None:
        """Raise UsageError, with the nearest name, where no model has that id."""
        if model not in self.models:
            known = f"configured: {one_of(sorted(self.models), conjunction='and')}" if self.models else ""
            near = did_you_mean(model, self.models) or known
            raise UsageError(joined(f"no model has the id '{model}'", near))

    def below(self, words: CommandPath) -> tuple[CommandPath, ...]:
        """Return the paths of the commands below the group *words*, in order."""
        return tuple(known for known in self.command_files if known[: len(words)] == words != known)

    def suggestion(self, words: CommandPath, *, or_group: bool = False) -> str:
        """Return the command path nearest to *words*, or group's with *or_group*, as "did you mean …?", or nothing."""
        known = set(self.command_files)
        if or_group:
            known |= {path[:end] for path in self.command_files for end in range(1, len(path))}
        return did_you_mean(" ".join(words), map(" ".join, sorted(known)))

    def troubles(self, words: CommandPath) -> tuple[Issue, ...]:
        """Return what is wrong with *words* or a path above them."""
        return tuple(chain.from_iterable(self.troubled.get(words[:end], ()) for end in range(1, len(words) + 1)))

    def _read(self, words: CommandPath) -> Command:
        if issues := self.troubles(words):
            raise ConfigurationError(issues)
        file = self.command_files[words]
        raw = read_configured(file.path, "command file")
        return read_command(read_front_matter(file.path, raw), words, file.scope.root)


def load_catalog(scopes: Sequence[Scope]) -> Catalog:
    """Read every backend and model, and list every command.

    Raises:
        ConfigurationError: a backend or model file is wrong, two of one scope share an id, or a fallback cannot work.
    """
    backends, backend_issues = _merged(scopes, "backends", read_backend)
    models, model_issues = _merged(scopes, "models", lambda document: sourced(document, Model))
    issues = [*backend_issues, *model_issues]
    if not issues:
        # A backend that could not be read would make a sound fallback look wrong.
        issues = [issue for model in models.values() if (issue := fallback_issue(model, models, backends))]
    if issues:
        raise ConfigurationError(issues)
    command_files, troubled = _listed_commands(scopes)
    return Catalog(tuple(scopes), backends, models, command_files, troubled)


def listed_cases(
    scopes: Sequence[Scope], within: CommandPath
) -> tuple[Mapping[CaseKey, tuple[Path, Scope]], list[Issue]]:
    """Return the case files at and below a command path, the more local replacing the broader, sorted by key."""
    cases: dict[CaseKey, tuple[Path, Scope]] = {}
    issues: list[Issue] = []
    for scope in scopes:
        listing = list_cases(scope, within)
        cases |= {key: (path, scope) for key, path in listing.files.items()}
        issues += (problem.issue for problem in listing.problems)
    paths = {(*words, name): path for (words, name), (path, _) in cases.items()}
    issues += (issue for _, issue in naming_problems(paths, FOLDER_MARK))
    return {key: cases[key] for key in sorted(cases)}, issues


def _merged(
    scopes: Iterable[Scope], kind: Literal["backends", "models"], read: Callable[[Document], Sourced[S]]
) -> tuple[dict[str, Sourced[S]], list[Issue]]:
    merged: dict[str, Sourced[S]] = {}
    issues: list[Issue] = []
    for scope in scopes:
        own: dict[str, Sourced[S]] = {}
        for path in list_specs(scope, kind):
            try:
                entry = read(read_toml(path, read_configured(path, f"{kind[:-1]} file")))
            except ConfigurationError as error:
                issues += error.issues
            else:
                first = own.setdefault(entry.spec.id, entry)
                if first is not entry:
                    hint = f"{shown_path(first.path)} has it already"
                    issues.append(entry.issue(f"the id '{entry.spec.id}' is given twice in this scope", hint, "id"))
        merged |= own
    return merged, issues


def _listed_commands(
    scopes: Iterable[Scope],
) -> tuple[Mapping[CommandPath, CommandFile], Mapping[CommandPath, tuple[Issue, ...]]]:
    files: dict[CommandPath, CommandFile] = {}
    troubled: dict[CommandPath, list[Issue]] = {}
    for scope in scopes:
        listing = list_commands(scope)
        files |= {words: CommandFile(path, scope) for words, path in listing.files.items()}
        for problem in listing.problems:
            troubled.setdefault(problem.words, []).append(problem.issue)
    twins = naming_problems({words: file.path for words, file in files.items()})
    for words, issue in chain(twins, _clashes(files), _reserved(files)):
        troubled.setdefault(words, []).append(issue)
    return {words: files[words] for words in sorted(files)}, {words: tuple(found) for words, found in troubled.items()}


def _clashes(files: Mapping[CommandPath, CommandFile]) -> Iterator[tuple[CommandPath, Issue]]:
    """Yield each path that is a command and a group at once."""
    for words, file in sorted(files.items(), key=lambda item: item[0]):
        for end in range(1, len(words)):
            if (command := files.get(words[:end])) is not None:
                problem = f"'{' '.join(words[:end])}' is a command and a group at once"
                yield words[:end], Issue(Location(command.path), problem, f"{shown_path(file.path)} stands below it")


def _reserved(files: Mapping[CommandPath, CommandFile]) -> Iterator[tuple[CommandPath, Issue]]:
    for words, file in files.items():
        if words[0] in RESERVED:
            yield (
                words[:1],
                Issue(Location(file.path), f"the first word '{words[0]}' belongs to gko itself", "choose another"),
            )
