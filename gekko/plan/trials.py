"""From a case file to a trial: everything that it says checked, or every issue of it."""

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeAlias, TypedDict

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
from gekko.sources.listing import Address, CaseKey, CommandPath
from gekko.sources.scopes import Scope
from gekko.specs.case import EXPECT, Case, FileInput, contradictions
from gekko.specs.structure import StructureError, structure
from gekko.wording import did_you_mean, one_of

Input: TypeAlias = Text | InFile
"""What a trial is given: a text, or for a `binary` command a file."""

TablePath: TypeAlias = tuple[str, ...]
"""The keys that lead to a table of a case."""


@frozen
class Trial:
    """A case with the model that it is tried on, ready to run and to be judged."""

    command: CommandPath
    case: str
    file: str
    """The path of the case file; as a text, for a suite may hold many, and a Path takes seven times the memory."""
    job: Job
    input: Input
    expectations: Expectations
    definition: str = ""
    """A digest of the case file and of the files that its expectations read."""
    expects_at: TablePath = EXPECT
    """The table of the case that says what is expected of this model."""
    runs: int = 1
    needed: int | None = None
    """How many of the runs must pass, where a rule says so; else all must."""
    xfail: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The path of the case file."""
        return Path(self.file)

    @property
    def model(self) -> str:
        """The id of the model."""
        return self.job.recipe.target.id

    @property
    def address(self) -> Address:
        """What tells the trial from every other."""
        return "/".join(self.command), self.case, self.model

    @property
    def title(self) -> str:
        """What a person calls the case: its command, and its name."""
        return f"{'/'.join(self.command)} {self.case}"


@frozen
class CaseReader:
    """Reads case files by what is configured and registered; *models* take the place of every command's own."""

    recipes: Recipes
    binder: Binder
    models: tuple[str, ...] = ()
    tags: frozenset[str] = frozenset()
    """Only cases with one of these are tried, where there are any."""
    repeat: int | None = None
    """Takes the place of the number of runs that a case says, and of its one run where it says none."""

    def trials(self, key: CaseKey, path: Path, scope: Scope) -> tuple[Trial, ...]:
        """Return the trials of the case file at *path*, one for each model; none where it lacks the tags.

        Raises:
            ConfigurationError: with everything that is wrong with the file, its command, and what they name.
        """
        words, name = key
        raw = read_configured(path, "case file")
        case, misfits = _structured(read_toml(path, raw).data)
        if self.tags and self.tags.isdisjoint(case.tags) and not misfits:
            return ()
        issues = [
            problem.issue(path) for problem in (*misfits, *self._contradictions(case), *self._unknown_models(case))
        ]
        try:
            recipes = self._recipes(words, path)
        except ConfigurationError as error:
            raise ConfigurationError([*issues, *error.issues]) from None
        # What is read of the case depends on the command alone, which all recipes share.
        read, problems = self._read(_CaseSource(case, path, scope, raw), recipes[0])
        issues += (problem.issue(path) for problem in _fresh(problems, misfits))
        issues += chain.from_iterable(self._unaskable(bound, at, path) for at, bound in read.bound.items())
        if issues or read.input is None:
            raise ConfigurationError(issues)
        tried = partial(
            Trial,
            recipes[0].command.words,  # one tuple for all cases of the command
            name,
            str(path),
            input=read.input,
            definition=read.definition,
            runs=self._runs(case),
            needed=None if case.repeat is None else case.repeat.needed(self._runs(case)),
            tags=case.tags,
        )
        return tuple(
            tried(job=Job(recipe, read.args), **_for_model(case, recipe.target.id, read.bound)) for recipe in recipes
        )

    def _read(self, source: "_CaseSource", recipe: Recipe) -> "tuple[_Read, list[Problem]]":
        """Return what a case says for its command, and what is wrong with it."""
        args, arg_problems = source.arguments(recipe)
        given, input_problems = source.input(recipe)
        problems = [problem.below("args") for problem in arg_problems]
        problems += (problem.below("input") for problem in input_problems)
        around = source.surroundings(recipe)
        bound: dict[TablePath, Expectations] = {}
        for at, expect in _expected(source.case):
            bound[at], found = self.binder.bind(expect, around)
            problems += (problem.below(*at) for problem in found)
        return _Read(args, given, bound, _definition(source.raw, around)), problems

    def _runs(self, case: Case) -> int:
        if self.repeat is not None:
            return self.repeat
        return 1 if case.repeat is None else case.repeat.runs

    def _contradictions(self, case: Case) -> Iterator[Problem]:
        yield from contradictions(case)
        rule = case.repeat
        if rule is not None and self.repeat is not None and (rule.min_pass or 0) > self.repeat:
            problem = f"{rule.min_pass} of {self.repeat} runs can never pass"
            yield Problem(problem, "--repeat asks for fewer runs", ("repeat", "min_pass"))

    def _recipes(self, words: CommandPath, path: Path) -> list[Recipe]:
        """Return the recipes of a command with each of the models, or with its own."""
        catalog = self.recipes.catalog
        if words not in catalog.command_files and not catalog.troubles(words):
            problem = f"'{' '.join(words)}' names no command"
            hint = catalog.suggestion(words) or "a case stands in tests/COMMAND PATH/NAME.toml"
            raise ConfigurationError([Issue(Location(path), problem, hint)])
        recipes: list[Recipe] = []
        issues: dict[Issue, None] = {}
        for model in self.models or (None,):
            try:
                recipes.append(self.recipes.recipe(words, model))
            except ConfigurationError as error:
                issues |= dict.fromkeys(error.issues)  # what the command itself has wrong is told once
        if issues:
            raise ConfigurationError(issues)
        return recipes

    def _unknown_models(self, case: Case) -> Iterator[Problem]:
        known = self.recipes.catalog.models
        for pattern in case.model:
            if pattern not in known and not any(fnmatchcase(model, pattern) for model in known):
                near = did_you_mean(pattern, known) or f"configured: {one_of(sorted(known), conjunction='and')}"
                yield Problem("fits no model that is configured", near, ("model", pattern))

    def _unaskable(self, expectations: Expectations, at: KeyPath, path: Path) -> Iterator[Issue]:
        """Yield why the checkers cannot ask whomever they name."""
        for bound in expectations.asking:
            models = (partial(self._misfit_model, model) for model in bound.models_asked)
            commands = (partial(self._misfit_command, command) for command in bound.commands_asked)
            for look in chain(models, commands):
                try:
                    misfit = look()
                except ConfigurationError as error:
                    yield from error.issues
                    continue
                if misfit is not None:
                    yield misfit.below(*at, bound.key).issue(path)

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


def _expected(case: Case) -> Iterator[tuple[TablePath, Mapping[str, object]]]:
    """Yield every table of a case that says what is expected, and where it stands."""
    yield EXPECT, case.expect
    for pattern, different in case.model.items():
        if different.expect is not None:
            yield ("model", pattern, *EXPECT), different.expect


class _ForModel(TypedDict):
    """The fields of a trial that depend on its model."""

    expectations: Expectations
    expects_at: TablePath
    xfail: str | None


def _for_model(case: Case, model: str, bound: Mapping[TablePath, Expectations]) -> _ForModel:
    pattern = case.for_model(model)
    if pattern is None:
        return _ForModel(expectations=bound[EXPECT], expects_at=EXPECT, xfail=None)
    own = ("model", pattern, *EXPECT)
    at = own if own in bound else EXPECT
    return _ForModel(expectations=bound[at], expects_at=at, xfail=case.model[pattern].xfail)


def _definition(raw: bytes, around: Surroundings) -> str:
    """Return the digest of a case file with all that its expectations read beside it."""
    files = (f"{name}:{found.sha256}".encode() for name, found in sorted(dict(around.read).items()))
    return digest(b"\0".join((raw, *files))).sha256


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


@frozen
class _Read:
    """What a case says for its command, on whatever model."""

    args: Mapping[str, Text]
    input: Input | None
    """None where something is wrong with it."""
    bound: Mapping[TablePath, Expectations]
    definition: str


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

    def surroundings(self, recipe: Recipe) -> Surroundings:
        """Return what the checkers of the case may know."""
        document = recipe.schema.document if recipe.schema is not None else None
        return Surroundings(recipe.format, document, self.path.parent, self.scope.root)

    def _text_beside(self, name: str) -> InFile:
        return _text_file(self._beside(name))

    def _beside(self, name: str) -> Path:
        return neighbour(self.path.parent, name, self.scope.root)


def _text_file(path: Path) -> InFile:
    return InFile(path, digest_text_file(path, limits.INPUT_BYTES, "input"))
