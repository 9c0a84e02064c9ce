"""One call of a command from the command line: everything checked that can be known without its input."""

from collections.abc import Mapping
from pathlib import Path

from gekko.errors import Problem, UsageError
from gekko.plan.arguments import bind_arguments
from gekko.plan.catalog import Catalog
from gekko.plan.inputs import given_text
from gekko.plan.job import Job
from gekko.plan.recipes import Recipes
from gekko.sources.listing import CommandPath
from gekko.wording import joined


def plan_call(
    catalog: Catalog,
    words: CommandPath,
    args: Mapping[str, str],
    model: str | None,
    environ: Mapping[str, str],
    cwd: Path,
) -> Job:
    """Return the job of a command with its arguments; files that they name are found from *cwd*.

    Raises:
        UsageError: an argument or the model is wrong.
        ConfigurationError: the command, its model, or a file that they name is wrong.
        InputOutputError: the file of an argument cannot be read.
    """
    if model is not None:
        catalog.require_model(model)
    recipe = Recipes(catalog, environ).recipe(words, model)
    root = recipe.command.scope_root
    texts, problems = bind_arguments(
        recipe.command,
        args,
        lambda name: given_text(cwd / name, "argument"),
        lambda name: given_text(root / name, "argument"),
    )
    if problems:
        raise UsageError("\n".join(map(_argument_text, problems)), problems)
    return Job(recipe, texts)


def _argument_text(problem: Problem) -> str:
    option = f"--{problem.at[0]}: " if problem.at else ""
    return option + joined(problem.problem, problem.hint)
