"""From a command and a model to a recipe: references resolved, referenced files read."""

from collections.abc import Mapping
from pathlib import Path

from attrs import evolve, field, frozen

from gekko import jsonschemas, limits
from gekko.errors import ConfigurationError, Issue
from gekko.jsonschemas import Schema, SchemaError, bundle
from gekko.jsontext import compact, lone_surrogate
from gekko.locations import Location, shown_path
from gekko.plan.catalog import Catalog
from gekko.plan.job import Recipe
from gekko.plan.targets import Target, misfits
from gekko.sources.files import FileProblem, decode, read_bytes
from gekko.sources.listing import CommandPath
from gekko.specs.backend import Embedded
from gekko.specs.command import Command
from gekko.specs.model import Generation
from gekko.templates import Placeholder, first_placeholder
from gekko.wording import did_you_mean, one_of

FOLDERS = {"schemas": ".json", "partials": ".md"}
"""Where a bare name is looked up in each scope, and its suffix there."""


@frozen
class Recipes:
    """Makes recipes, each once."""

    catalog: Catalog
    environ: Mapping[str, str] = field(repr=False)
    _made: dict[tuple[CommandPath, str | None], Recipe | ConfigurationError] = field(
        factory=dict, init=False, eq=False, repr=False
    )
    _schemas: dict[Path, Schema] = field(factory=dict, init=False, eq=False, repr=False)

    def recipe(self, words: CommandPath, model: str | None = None) -> Recipe:
        """Return the recipe of a command, with the model of that id instead of its own where one is given.

        Raises:
            ConfigurationError: with everything that is wrong with the command, its model or the files that it names.
            KeyError: *model* is given, and there is no such model.
        """
        key = (words, model)
        if key not in self._made:
            try:
                self._made[key] = self._make(self.catalog.command(words), model)
            except ConfigurationError as error:
                self._made[key] = error
        made = self._made[key]
        if isinstance(made, ConfigurationError):
            raise made
        return made

    @property
    def made(self) -> tuple[Recipe, ...]:
        """Every recipe that was asked for so far and could be made."""
        return tuple(made for made in self._made.values() if isinstance(made, Recipe))

    def _make(self, command: Command, model: str | None) -> Recipe:
        issues: list[Issue] = []
        values = self._values(command, issues)
        schema = self._output_schema(command, issues)
        target = self._target(command, model, issues)
        if target is not None:
            issues += misfits(command, target)
        if issues or target is None:
            raise ConfigurationError(issues)
        first = self._with_target(command, target, schema, values)
        name = target.model.spec.fallback
        if name is None:
            return first
        return evolve(first, fallback=self._with_target(command, self.catalog.target(name), schema, values))

    def _with_target(
        self, command: Command, target: Target, schema: Schema | None, values: Mapping[Placeholder, str]
    ) -> Recipe:
        generation = (command.front.generation or Generation()).over(target.generation)
        is_structured = isinstance(target.backend.spec, Embedded) or target.backend.spec.structured_output
        response_schema = bundle(schema) if schema is not None and is_structured else None
        return Recipe(command, target, schema, response_schema, generation, values)

    def _target(self, command: Command, model: str | None, issues: list[Issue]) -> Target | None:
        name = command.front.model if model is None else model
        models = self.catalog.models
        if model is None and name not in models:
            hint = did_you_mean(name, models) or f"configured: {one_of(sorted(models), conjunction='and') or 'none'}"
            issues.append(command.issue(f"no model has the id '{name}'", hint, "model"))
            return None
        try:
            return self.catalog.target(name)
        except ConfigurationError as error:
            issues += error.issues
            return None

    def _values(self, command: Command, issues: list[Issue]) -> dict[Placeholder, str]:
        values: dict[Placeholder, str] = {}
        for name, location in command.env.items():
            value = self.environ.get(name)
            if value is not None and lone_surrogate(value):
                issues.append(Issue(location, f"the environment variable '{name}' is not UTF-8"))
            elif value is not None:
                values[Placeholder("env", name)] = value
            else:
                issues.append(
                    Issue(location, f"the environment variable '{name}' is not set", "an empty value would do")
                )
        for name, reference in command.front.schemas.items():
            schema = self._schema(command, reference, issues, "schemas", name)
            if schema is not None:
                values[Placeholder("schemas", name)] = compact(bundle(schema))
        for name, reference in command.front.partials.items():
            text = self._partial(command, reference, issues, "partials", name)
            if text is not None:
                values[Placeholder("partials", name)] = text
        return values

    def _output_schema(self, command: Command, issues: list[Issue]) -> Schema | None:
        reference = command.front.output.schema
        return None if reference is None else self._schema(command, reference, issues, "output", "schema")

    def _schema(self, command: Command, reference: str, issues: list[Issue], *key: str) -> Schema | None:
        path = self._find(command, reference, "schemas")
        if path in self._schemas:
            return self._schemas[path]
        try:
            self._schemas[path] = jsonschemas.load(path, lambda file: read_bytes(file, limits.INPUT_BYTES, "schema"))
        except FileProblem as error:
            issues.append(command.issue(f"{shown_path(path)}: {error.problem}", error.hint, *key))
        except SchemaError as error:
            issues += (each.issue(path) for each in error.problems)
        return self._schemas.get(path)

    def _partial(self, command: Command, reference: str, issues: list[Issue], *key: str) -> str | None:
        path = self._find(command, reference, "partials")
        try:
            text = decode(read_bytes(path, limits.INPUT_BYTES, "partial")).replace("\r\n", "\n")
        except FileProblem as error:
            issues.append(command.issue(f"{shown_path(path)}: {error.problem}", error.hint, *key))
            return None
        if (offset := first_placeholder(text)) is not None:
            line = text.count("\n", 0, offset) + 1
            column = offset - text.rfind("\n", 0, offset)
            where = Location(path, (), line, column)
            issues.append(Issue(where, "a partial may hold no placeholder", "it is inserted as it is"))
        return text

    def _find(self, command: Command, reference: str, folder: str) -> Path:
        """Return the path that a reference names; a bare name is looked up in the most local scope that has it."""
        if not _is_bare(reference):
            return command.scope_root / reference
        candidates = [scope.root / folder / f"{reference}{FOLDERS[folder]}" for scope in reversed(self.catalog.scopes)]
        beside = command.scope_root / folder / f"{reference}{FOLDERS[folder]}"
        return next((path for path in candidates if path.is_file()), beside)


def _is_bare(reference: str) -> bool:
    return "/" not in reference and "\\" not in reference and not reference.endswith(tuple(FOLDERS.values()))
