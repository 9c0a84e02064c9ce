"""From a case file to a trial: everything that it says checked, or every issue of it."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from attrs import frozen

from gekko import limits
from gekko.errors import ConfigurationError, Issue, Problem
from gekko.locations import KeyPath, Location
from gekko.plan.arguments import bind_arguments
from gekko.plan.binding import Binder, Expectations, Surroundings
from gekko.plan.inputs import HELD_CHARACTERS, Held, InCase, InFile, Text
from gekko.plan.job import Job, Recipe
from gekko.plan.recipes import Recipes
from gekko.sources.document import read_configured, read_toml
from gekko.sources.files import FileProblem, digest, digest_file, digest_text_file, neighbour
from gekko.sources.listing import CaseKey, CommandPath
from gekko.sources.scopes import Scope
from gekko.specs.case import Case, FileInput
from gekko.specs.structure import StructureError, structure
from gekko.wording import did_you_mean

Input: TypeAlias = Text | InFile
"""What a trial is given: a text, or for a `binary` command a file."""


@frozen
class Trial:
    """A case with the model that it is tried on, ready to run and to be judged."""

    command: CommandPath
    case: str
    path: Path
    job: Job
    input: Input
    expectations: Expectations

    @property
    def address(self) -> tuple[str, str]:
        """The command path as one word, and the name of the case: `("git/review", "hardware")`."""
        return "/".join(self.command), self.case


@frozen
class CaseReader:
    """Reads case files by what is configured and registered; *model* takes the place of every command's own."""

    recipes: Recipes
    binder: Binder
    model: str | None = None

    def trial(self, key: CaseKey, path: Path, scope: Scope) -> Trial:
        """Return the trial of the case file at *path*.

        Raises:
            ConfigurationError: with everything that is wrong with the file, its command, and what they name.
        """
        words, name = key
        raw = read_configured(path, "case file")
        case, misfits = _structured(read_toml(path, raw).data)
        issues = [problem.issue(path) for problem in misfits]
        try:
            recipe = self._recipe(words, path)
        except ConfigurationError as error:
            raise ConfigurationError([*issues, *error.issues]) from None
        source = _CaseSource(case, path, scope, raw)
        args, arg_problems = source.arguments(recipe)
        given, input_problems = source.input(recipe)
        expectations, expect_problems = self.binder.bind(case.expect, _surroundings(recipe, path, scope))
        problems = [
            *(problem.below("args") for problem in arg_problems),
            *(problem.below("input") for problem in input_problems),
            *(problem.below("expect") for problem in expect_problems),
        ]
        issues += (problem.issue(path) for problem in _fresh(problems, misfits))
        issues += self._unaskable(expectations, path)
        if issues or given is None:
            raise ConfigurationError(issues)
        return Trial(words, name, path, Job(recipe, args), given, expectations)

    def _recipe(self, words: CommandPath, path: Path) -> Recipe:
        catalog = self.recipes.catalog
        if words not in catalog.command_files and not catalog.troubles(words):
            problem = f"'{' '.join(words)}' names no command"
            hint = catalog.suggestion(words) or "a case stands in tests/COMMAND PATH/NAME.toml"
            raise ConfigurationError([Issue(Location(path), problem, hint)])
        return self.recipes.recipe(words, self.model)

    def _unaskable(self, expectations: Expectations, path: Path) -> Iterator[Issue]:
        """Yield why the checkers cannot ask whomever they name."""
        for bound in expectations.everyone:
            models = (partial(self._misfit_model, model) for model in bound.models_asked)
            commands = (partial(self._misfit_command, command) for command in bound.commands_asked)
            for look in chain(models, commands):
                try:
                    misfit = look()
                except ConfigurationError as error:
                    yield from error.issues
                    continue
                if misfit is not None:
                    yield misfit.below("expect", bound.key).issue(path)

    def _misfit_model(self, model: str) -> Problem | None:
        catalog = self.recipes.catalog
        if model not in catalog.models:
            problem = f"it asks the model '{model}', which is not configured"
            return Problem(problem, did_you_mean(model, catalog.models))
        protocol = catalog.target(model).protocol
        if protocol != "chat":
            return Problem(f"it asks the model '{model}', which speaks '{protocol}'", "ask a chat model")
        return None

    def _misfit_command(self, command: str) -> Problem | None:
        catalog = self.recipes.catalog
        words = tuple(command.split("/"))
        if words not in catalog.command_files:
            return Problem(f"it asks the command '{command}', which is not configured", catalog.suggestion(words))
        if self.recipes.recipe(words).command.takes_bytes:
            problem = f"it asks the command '{command}', whose input is uploaded"
            return Problem(problem, "ask a command whose input is a text")
        return None


def _structured(data: Mapping[str, object]) -> tuple[Case, tuple[Problem, ...]]:
    """Return a case and what does not fit its class; stand-ins replace that, so that the rest is checked as well."""
    try:
        return structure(data, Case), ()
    except StructureError as error:
        told = {_told(problem) for problem in error.problems}
        sound = {key: value for key, value in data.items() if (key,) not in told}
        if isinstance(args := sound.get("args"), dict):
            sound["args"] = {name: value for name, value in args.items() if ("args", name) not in told}
        return structure({"input": "", "expect": {}, **sound}, Case), error.problems


def _told(problem: Problem) -> KeyPath:
    """Return the key that a problem spoils: one argument, or a whole key of the case."""
    return problem.at[:2] if problem.at[:1] == ("args",) else problem.at[:1]


def _fresh(problems: Iterable[Problem], misfits: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the problems of what the case says itself; a stand-in's are none, for what it replaces was told already."""
    told = {_told(misfit) for misfit in misfits}
    return (problem for problem in problems if told.isdisjoint((problem.at[:1], problem.at[:2])))


def _surroundings(recipe: Recipe, path: Path, scope: Scope) -> Surroundings:
    document = recipe.schema.document if recipe.schema is not None else None
    return Surroundings(recipe.format, document, path.parent, scope.root)


@frozen
class _CaseSource:
    """A case and where it stands: files that it names are next to it."""

    case: Case
    path: Path
    scope: Scope
    raw: bytes

    def arguments(self, recipe: Recipe) -> tuple[dict[str, Text], list[Problem]]:
        """Return the texts of the arguments, or what is wrong with them."""
        root = recipe.command.scope_root
        return bind_arguments(recipe.command, self.case.args, self._text_beside, lambda name: _text_file(root / name))

    def input(self, recipe: Recipe) -> tuple[Input | None, list[Problem]]:
        """Return the input, or what is wrong with it."""
        written = self.case.input
        try:
            match written:
                case FileInput(file=name) if recipe.command.takes_bytes:
                    path = self._beside(name)
                    return InFile(path, digest_file(path, limits.INPUT_BYTES, "input")), []
                case FileInput(file=name):
                    return self._text_beside(name), []
        except FileProblem as error:
            return None, [Problem(error.problem, error.hint, ("file",))]
        if recipe.command.takes_bytes:
            return None, [
                Problem("a 'binary' command takes no inline input", 'name a file: input = { file = "memo.wav" }')
            ]
        text = written.removeprefix("\ufeff")
        return (Held(text) if len(text) <= HELD_CHARACTERS else InCase(InFile(self.path, digest(self.raw)))), []

    def _text_beside(self, name: str) -> InFile:
        return _text_file(self._beside(name))

    def _beside(self, name: str) -> Path:
        return neighbour(self.path.parent, name, self.scope.root)


def _text_file(path: Path) -> InFile:
    return InFile(path, digest_text_file(path, limits.INPUT_BYTES, "input"))
