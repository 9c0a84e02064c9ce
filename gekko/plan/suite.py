"""From a selection of cases to a suite: every case checked whole, or every issue of all of them."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TypeAlias

from attrs import field, frozen

from gekko.checks.registry import Registry
from gekko.errors import ConfigurationError, Issue
from gekko.plan.access import Accesses, reach
from gekko.plan.binding import Binder
from gekko.plan.catalog import Catalog
from gekko.plan.fingerprints import digest_of
from gekko.plan.job import Recipe
from gekko.plan.recipes import Recipes
from gekko.plan.selection import Selection, choose, require_tags
from gekko.plan.targets import Target
from gekko.plan.trials import CaseReader, Trial
from gekko.sources.shards import Shard


@frozen
class Asked:
    """The models and commands that the checkers of a suite may ask, by id and by path."""

    models: Mapping[str, Target] = field(factory=dict)
    commands: Mapping[str, Recipe] = field(factory=dict)


Planned: TypeAlias = tuple[tuple[Trial, ...], str | None, list[Issue]]
"""Trials of sound cases, the digest of the undivided suite as it is in `Suite`, and what is wrong with other cases."""


@frozen
class Suite:
    """Trials that were all found valid, and how every backend that they need is reached.

    Only `plan_suite` and `plan_replay` make one, and only where no file has a mistake.
    """

    trials: tuple[Trial, ...]
    accesses: Accesses = field(repr=False)
    asked: Asked = Asked()
    undivided: str | None = None
    """A digest of all trials that there were before a shard of them was taken; None where none was."""


def plan_suite(catalog: Catalog, registry: Registry, selection: Selection, environ: Mapping[str, str]) -> Suite:
    """Return the selected cases as a suite, ready to run.

    Raises:
        ConfigurationError: with every mistake in every file that the selection needs.
        UsageError: no case is selected, or the model is unknown.
    """
    recipes = Recipes(catalog, environ)
    trials, undivided, issues = _read(recipes, registry, selection)
    asked = _asked(trials, recipes)
    # Of all recipes, not of the trials alone: a mistake in one case must not hide that a backend cannot be reached.
    targets = chain(chain.from_iterable(recipe.targets for recipe in recipes.made), asked.models.values())
    accesses: Accesses = {}
    try:
        accesses = reach(targets, environ)
    except ConfigurationError as error:
        issues += error.issues
    if issues:
        raise ConfigurationError(issues)
    return Suite(trials, accesses, asked, undivided)


def plan_replay(catalog: Catalog, registry: Registry, selection: Selection, environ: Mapping[str, str]) -> Suite:
    """Return the selected cases as a suite whose answers are there already.

    No header is resolved, and no engine or weights are needed.

    Raises:
        ConfigurationError, UsageError: as for `plan_suite`.
    """
    recipes = Recipes(catalog, environ)
    trials, undivided, issues = _read(recipes, registry, selection)
    if issues:
        raise ConfigurationError(issues)
    return Suite(trials, {}, _asked(trials, recipes), undivided)


def plan_rehearsal(
    catalog: Catalog, registry: Registry, selection: Selection, environ: Mapping[str, str]
) -> tuple[Trial, ...]:
    """Return the selected cases, checked as for a suite; no header is resolved, and no engine or weights are needed.

    Raises:
        ConfigurationError, UsageError: as for `plan_suite`.
    """
    trials, _, issues = _read(Recipes(catalog, environ), registry, selection)
    if issues:
        raise ConfigurationError(issues)
    return trials


def _read(recipes: Recipes, registry: Registry, selection: Selection) -> Planned:
    """Return the selected trials of the sound cases, and what is wrong with the others."""
    catalog = recipes.catalog
    for model in selection.models:
        catalog.require_model(model)
    cases, issues = choose(catalog, selection)
    reader = CaseReader(recipes, Binder(registry), selection.models, frozenset(selection.tags), selection.repeat)
    trials: list[Trial] = []
    for key, (path, scope) in cases.items():
        try:
            trials.extend(reader.trials(key, path, scope))
        except ConfigurationError as error:
            issues += error.issues
    if not issues:
        require_tags(selection, cases, trials)
    return *_divided(tuple(_narrowed(trials, selection, recipes)), selection.shard), issues


def _narrowed(trials: Iterable[Trial], selection: Selection, recipes: Recipes) -> Iterable[Trial]:
    """Return the trials that are asked for one by one, or because something changed."""
    if (wanted := selection.addresses) is not None:
        trials = (trial for trial in trials if trial.address in wanted)
    if (then := selection.since) is not None:
        from gekko.plan.since import Fingerprints  # which needs what few calls do: processes and temporary files

        now = Fingerprints(recipes)
        trials = (trial for trial in trials if then.fingerprints.get(trial.address) != now.of(trial))
    return trials


def _divided(trials: tuple[Trial, ...], shard: Shard | None) -> tuple[tuple[Trial, ...], str | None]:
    """Return the trials of a shard, and the digest of all, by which it is known what the others are shards of."""
    if shard is None:
        return trials, None
    undivided = digest_of(sorted((*trial.address, trial.definition) for trial in trials))
    return tuple(trial for trial in trials if shard.holds((trial.command, trial.case))), undivided


def _asked(trials: Iterable[Trial], recipes: Recipes) -> Asked:
    asking = [bound for trial in trials for bound in trial.expectations.asking]
    models = {model for bound in asking for model in bound.models_asked}
    commands = {command for bound in asking for command in bound.commands_asked}
    return Asked(
        {model: recipes.catalog.target(model) for model in sorted(models)},
        {command: recipes.recipe(tuple(command.split("/"))) for command in sorted(commands)},
    )
