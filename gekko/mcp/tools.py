"""Which tools are offered: every configured command that can run, under its path joined with `_`."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from attrs import field, frozen

from gekko.errors import ConfigurationError, Issue
from gekko.locations import Location, shown_path
from gekko.mcp.schemas import JsonSchema, input_schema, output_schema
from gekko.plan.access import Accesses, reach
from gekko.plan.catalog import Catalog
from gekko.plan.job import Recipe
from gekko.plan.recipes import Recipes
from gekko.sources.listing import CommandPath

NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""What a tool may be called: MCP 2025-11-25, server/tools, "Tool Names"."""


@frozen
class Tool:
    """A command under the name of its tool: what that takes and gives, and all that it needs to run."""

    name: str
    input_schema: JsonSchema
    output_schema: JsonSchema | None
    recipe: Recipe
    accesses: Accesses = field(repr=False)


@frozen
class LeftOut:
    """A command that is no tool, and every reason."""

    words: CommandPath
    issues: tuple[Issue, ...]


@frozen
class Toolbox:
    """What is offered, by name, and what had to be left out."""

    tools: Mapping[str, Tool]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def accesses(self) -> Accesses:
        """How the backend of every tool is reached."""
        return {name: access for tool in self.tools.values() for name, access in tool.accesses.items()}


def toolbox(catalog: Catalog, environ: Mapping[str, str]) -> Toolbox:
    """Return a tool for each command of *catalog*; one that could not run is left out and breaks no other.

    Raises:
        ConfigurationError: two commands would be one tool.
    """
    if issues := list(_namesakes(catalog)):
        raise ConfigurationError(issues)
    recipes = Recipes(catalog, environ)
    tools: dict[str, Tool] = {}
    left_out: list[LeftOut] = []
    for words in catalog.command_files:
        try:
            tool = _tool(catalog, recipes, words)
        except ConfigurationError as error:
            left_out.append(LeftOut(words, error.issues))
        else:
            tools[tool.name] = tool
    return Toolbox(tools, tuple(left_out))


def _tool(catalog: Catalog, recipes: Recipes, words: CommandPath) -> Tool:
    recipe = recipes.recipe(words)
    name = _name(words)
    if not NAME.fullmatch(name):
        hint = "accepted: up to 128 ASCII letters, digits, '_', '-' and '.'"
        path = catalog.command_files[words].path
        raise ConfigurationError([Issue(Location(path), f"'{name}' is no name for a tool", hint)])
    accesses = reach(recipe.targets, recipes.environ)
    return Tool(name, input_schema(recipe.command), output_schema(recipe), recipe, accesses)


def _name(words: CommandPath) -> str:
    return "_".join(words)


def _namesakes(catalog: Catalog) -> Iterator[Issue]:
    """Yield an issue for every further command of one name, whether or not it could run."""
    by_name: defaultdict[str, list[CommandPath]] = defaultdict(list)
    for words in catalog.command_files:
        by_name[_name(words)].append(words)
    for name, (first, *others) in by_name.items():
        for words in others:
            problem = f"'{' '.join(first)}' and '{' '.join(words)}' would both be the tool '{name}'"
            where = Location(catalog.command_files[words].path)
            yield Issue(where, problem, f"rename it, or {shown_path(catalog.command_files[first].path)}")
