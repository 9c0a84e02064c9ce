"""From a selection of cases to trials: every case checked whole, or every issue of all of them."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from attrs import define, field, frozen

from gekko import limits
from gekko.checks.registry import Registry
from gekko.errors import ConfigurationError, Issue, Problem, UsageError
from gekko.locations import KeyPath, Location, shown_path
from gekko.plan.access import Accesses, reach
from gekko.plan.arguments import bind_arguments
from gekko.plan.binding import Binder, Expectations, Surroundings
from gekko.plan.catalog import Catalog, listed_cases
from gekko.plan.inputs import HELD_CHARACTERS, Held, InCase, InFile, Text
from gekko.plan.job import Job, Recipe
from gekko.plan.recipes import Recipes
from gekko.plan.targets import Target
from gekko.sources.document import read_toml
from gekko.sources.files import FileProblem, digest, digest_file, digest_text_file, neighbour, read_bytes
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
class Asked:
    """The models and commands that the checkers of a suite may ask, by id and by path."""

    models: Mapping[str, Target] = field(factory=dict)
    commands: Mapping[str, Recipe] = field(factory=dict)


@frozen
class Suite:
    """Trials that were all found valid, and how every backend that they need is reached.

    Nothing but `plan_suite` makes one, and only where no file has a mistake.
    """

    trials: tuple[Trial, ...]
    accesses: Accesses = field(repr=False)
    asked: Asked = Asked()


@frozen
class Selection:
    """Which cases are meant: those of the commands at and below *words*, tried on *model* instead of their own."""

    words: CommandPath = ()
    model: str | None = None


def plan_suite(catalog: Catalog, registry: Registry, selection: Selection, environ: Mapping[str, str]) -> Suite:
    """Return the selected cases as a suite, ready to run.

    Raises:
        ConfigurationError: with every mistake in every file that the selection needs.
        UsageError: no case is selected, or the model is unknown.
    """
    planner = _planned(catalog, registry, selection, environ)
    accesses: Accesses = {}
    try:
        accesses = reach(planner.targets(), environ)
    except ConfigurationError as error:
        planner.issues += error.issues
    return Suite(planner.sound_trials(), accesses, planner.asked())


def plan_rehearsal(
    catalog: Catalog, registry: Registry, selection: Selection, environ: Mapping[str, str]
) -> tuple[Trial, ...]:
    """Return the selected cases, checked as for a suite; no header is resolved, and no engine or weights are needed.

    Raises:
        ConfigurationError, UsageError: as for `plan_suite`.
    """
    return _planned(catalog, registry, selection, environ).sound_trials()


def checked_cases(
    catalog: Catalog, registry: Registry, environ: Mapping[str, str]
) -> Iterator[tuple[str, tuple[Issue, ...]]]:
    """Yield every case of every command with what is wrong with it, and then what is wrong with the folders."""
    cases, folder_issues = listed_cases(catalog.scopes, ())
    planner = _Planner(Recipes(catalog, environ), Binder(registry), None, [])
    for key, (path, scope) in cases.items():
        words, name = key
        planner.take(key, path, scope)
        yield f"case {'/'.join(words)} {name}", tuple(planner.issues)
        planner.issues.clear()
    for issue in folder_issues:
        yield f"case {shown_path(issue.where.path)}", (issue,)


def _planned(catalog: Catalog, registry: Registry, selection: Selection, environ: Mapping[str, str]) -> "_Planner":
    if selection.model is not None:
        catalog.require_model(selection.model)
    cases, issues = listed_cases(catalog.scopes, selection.words)
    if not cases and not issues:
        raise UsageError(_nothing_selected(catalog, selection.words))
    planner = _Planner(Recipes(catalog, environ), Binder(registry), selection.model, issues)
    for key, (path, scope) in cases.items():
        planner.take(key, path, scope)
    return planner


def _nothing_selected(catalog: Catalog, words: CommandPath) -> str:
    if not words:
        return "no cases are configured; a case stands in tests/COMMAND PATH/NAME.toml of a scope"
    shown = " ".join(words)
    known = any(command[: len(words)] == words for command in catalog.command_files)
    if known:
        return f"no cases are configured for '{shown}'; a case stands in tests/{'/'.join(words)}/NAME.toml of a scope"
    return "; ".join(filter(None, (f"'{shown}' names no command, group or case", catalog.suggestion(words))))


@define
class _Planner:
    """Turns case files into trials, and collects what is wrong with them."""

    _recipes: Recipes
    _binder: Binder
    _model: str | None
    issues: list[Issue]
    _trials: list[Trial] = field(factory=list, init=False)
    _asked_models: dict[str, Target] = field(factory=dict, init=False)
    _asked_commands: dict[str, Recipe] = field(factory=dict, init=False)

    def targets(self) -> Iterator[Target]:
        """Yield every target that a trial or a checker may ask."""
        recipes = {id(trial.job.recipe): trial.job.recipe for trial in self._trials}
        yield from chain.from_iterable(recipe.targets for recipe in recipes.values())
        yield from chain.from_iterable(recipe.targets for recipe in self._asked_commands.values())
        yield from self._asked_models.values()

    def asked(self) -> Asked:
        """Return what the checkers may ask."""
        return Asked(self._asked_models, self._asked_commands)

    def sound_trials(self) -> tuple[Trial, ...]:
        """Return the trials.

        Raises:
            ConfigurationError: something is wrong, with this case or another.
        """
        if self.issues:
            raise ConfigurationError(self.issues)
        return tuple(self._trials)

    def take(self, key: CaseKey, path: Path, scope: Scope) -> None:
        """Add the trial of one case file, or what is wrong with it."""
        words, name = key
        try:
            raw = read_bytes(path, limits.SPEC_FILE_BYTES, "case file")
            data = read_toml(path, raw).data
        except FileProblem as error:
            self.issues.append(Issue(Location(path), error.problem, error.hint))
            return
        except ConfigurationError as error:
            self.issues += error.issues
            return
        recipe = self._recipe(words, path)
        case, misfits = _structured(data)
        self.issues += (problem.issue(path) for problem in misfits)
        if recipe is not None:
            source = _CaseSource(case, path, scope, raw)
            self._bind(words, name, source, recipe, frozenset(_told(problem) for problem in misfits))

    def _recipe(self, words: CommandPath, path: Path) -> Recipe | None:
        catalog = self._recipes.catalog
        if words not in catalog.command_files and not catalog.troubles(words):
            problem = f"'{' '.join(words)}' names no command"
            hint = catalog.suggestion(words) or "a case stands in tests/COMMAND PATH/NAME.toml"
            self.issues.append(Issue(Location(path), problem, hint))
            return None
        try:
            return self._recipes.recipe(words, self._model)
        except ConfigurationError as error:
            self.issues += error.issues
            return None

    def _bind(
        self, words: CommandPath, name: str, source: "_CaseSource", recipe: Recipe, told: frozenset[KeyPath]
    ) -> None:
        """Add the trial, or what is wrong with it beyond the keys of which that was *told*."""
        args, arg_problems = source.arguments(recipe)
        given, input_problems = source.input(recipe)
        around = _surroundings(recipe, source.path, source.scope)
        expectations, expect_problems = self._binder.bind(source.case.expect, around)
        problems = [
            *(problem.below("args") for problem in arg_problems),
            *(problem.below("input") for problem in input_problems),
            *(problem.below("expect") for problem in expect_problems),
        ]
        try:
            problems += self._ask(expectations)
        except ConfigurationError as error:
            self.issues += error.issues
        fresh = (problem for problem in problems if told.isdisjoint((problem.at[:1], problem.at[:2])))
        self.issues += (problem.issue(source.path) for problem in fresh)
        if not problems and not told and given is not None:
            self._trials.append(Trial(words, name, source.path, Job(recipe, args), given, expectations))

    def _ask(self, expectations: Expectations) -> Iterator[Problem]:
        """Note what the checkers may ask, and yield what cannot be asked."""
        catalog = self._recipes.catalog
        for bound in expectations.everyone:
            key = ("expect", bound.key)
            for model in bound.models_asked:
                if model not in catalog.models:
                    problem = f"it asks the model '{model}', which is not configured"
                    yield Problem(problem, did_you_mean(model, catalog.models), key)
                    continue
                target = catalog.target(model)
                if target.protocol != "chat":
                    problem = f"it asks the model '{model}', which speaks '{target.protocol}'"
                    yield Problem(problem, "ask a chat model", key)
                self._asked_models[model] = target
            for command in bound.commands_asked:
                words = tuple(command.split("/"))
                if words not in catalog.command_files:
                    problem = f"it asks the command '{command}', which is not configured"
                    yield Problem(problem, catalog.suggestion(words), key)
                    continue
                recipe = self._recipes.recipe(words)
                if recipe.command.takes_bytes:
                    problem = f"it asks the command '{command}', whose input is uploaded"
                    yield Problem(problem, "ask a command whose input is a text", key)
                self._asked_commands[command] = recipe


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
    return problem.at[:2] if problem.at[0] == "args" else problem.at[:1]


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
