"""What can be told of configured commands without an input, arguments or the environment."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from attrs import frozen

from gekko.errors import ConfigurationError
from gekko.plan.catalog import Catalog
from gekko.plan.job import Recipe
from gekko.plan.recipes import Recipes
from gekko.sources.document import pinpoint
from gekko.sources.listing import CommandPath
from gekko.specs.command import Command


@frozen
class Entry:
    """A configured command in the index; *problem* is why it could not be run, empty where it could."""

    words: CommandPath
    path: Path
    description: str
    problem: str


def describable(catalog: Catalog, words: CommandPath) -> Recipe:
    """Return the recipe of the command at *words*; what stands for environment variables in it is left empty.

    Raises:
        ConfigurationError: with everything that is wrong with the command, its model or the files that it names.
    """
    return _recipes(catalog, [words]).recipe(words)


def index(catalog: Catalog, within: CommandPath = ()) -> Iterator[Entry]:
    """Yield every command below *within*, broken or not, in order."""
    paths = catalog.below(within)
    recipes = _recipes(catalog, paths)
    for words in paths:
        command = _readable(catalog, words)
        description = command.front.description if command else ""
        yield Entry(words, catalog.command_files[words].path, description, _problem(recipes, words))


def _recipes(catalog: Catalog, paths: Sequence[CommandPath]) -> Recipes:
    commands = filter(None, (_readable(catalog, words) for words in paths))
    # A command is the same whether its variables are set here or not.
    variables = chain.from_iterable(command.env for command in commands)
    return Recipes(catalog, dict.fromkeys(variables, ""))


def _readable(catalog: Catalog, words: CommandPath) -> Command | None:
    try:
        return catalog.command(words)
    except ConfigurationError:
        return None


def _problem(recipes: Recipes, words: CommandPath) -> str:
    try:
        recipes.recipe(words)
    except ConfigurationError as error:
        return "\n".join(map(str, pinpoint(error.issues)))
    return ""
