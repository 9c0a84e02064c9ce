"""What has changed since a commit: a fingerprint of each trial, and those that the trials had then."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from attrs import evolve, field, frozen

from gekko.checks.registry import Registry
from gekko.errors import ConfigurationError
from gekko.plan.binding import Binder
from gekko.plan.catalog import Catalog, listed_cases, load_catalog
from gekko.plan.fingerprints import case_parts, command_parts, digest_of, model_facts
from gekko.plan.job import Recipe
from gekko.plan.recipes import Recipes
from gekko.plan.selection import Cases, Selection, Then, choose
from gekko.plan.trials import CaseReader, Trial
from gekko.sources.git import GitProblem, Repository, find_repository
from gekko.sources.listing import Address
from gekko.sources.scopes import Scope


@frozen
class Fingerprints:
    """Makes fingerprints of trials, those of one planning: what they share is looked at once."""

    recipes: Recipes
    _commands: dict[tuple[str, str], Mapping[str, str]] = field(factory=dict, init=False, repr=False)

    def of(self, trial: Trial) -> str:
        """Return a digest of all that the requests of a trial and the verdict on the answers depend on.

        In it are no paths, and not where a backend is reached.

        Raises:
            ConfigurationError: a command that the trial's expectations ask is wrong, or a file changed meanwhile.
        """
        shared = self._command(trial.job.recipe)
        return digest_of([shared, case_parts(trial), trial.definition, list(self._asked(trial))])

    def _command(self, recipe: Recipe) -> Mapping[str, str]:
        key = "/".join(recipe.command.words), recipe.target.id
        if key not in self._commands:
            self._commands[key] = command_parts(recipe)
        return self._commands[key]

    def _asked(self, trial: Trial) -> Iterator[object]:
        """Yield what decides on the answers that the expectations of a trial ask for."""
        for bound in trial.expectations.everyone:
            for model in bound.models_asked:
                yield model_facts(self.recipes.catalog.target(model))
            for command in bound.commands_asked:
                yield self._command(self.recipes.recipe(tuple(command.split("/"))))


def look_back(ref: str, catalog: Catalog, registry: Registry, selection: Selection, environ: Mapping[str, str]) -> Then:
    """Return what the trials of the selected cases were at the commit *ref*.

    The repository is that of the most local scope. A scope that lies elsewhere is taken as it is now.

    Raises:
        GitProblem: there is no git, no repository, or no such commit.
        UsageError: nothing is selected.
    """
    if not catalog.scopes:
        raise GitProblem("nothing is configured")
    repository = find_repository(catalog.scopes[-1].root, environ)
    commit = repository.commit(ref)
    cases, _ = choose(catalog, selection)
    with _as_they_were(catalog.scopes, repository, commit) as scopes, suppress(ConfigurationError):
        then = Recipes(load_catalog(scopes), environ)
        return Then(ref, dict(_fingerprints(then, registry, selection, cases)))
    return Then(ref, {})  # nothing of a configuration that cannot be loaded is as it was


@contextmanager
def _as_they_were(scopes: Sequence[Scope], repository: Repository, commit: str) -> Iterator[tuple[Scope, ...]]:
    """Yield the scopes with the files of a commit, as long as the context lasts."""
    roots = {scope: root for scope in scopes if (root := _root_in(repository, scope)) is not None}
    with TemporaryDirectory(prefix="gko-") as folder:
        top = Path(folder, "then")
        top.mkdir()
        repository.check_out(commit, [*roots.values()], top)
        yield tuple(evolve(scope, root=top / roots[scope]) if scope in roots else scope for scope in scopes)


def _root_in(repository: Repository, scope: Scope) -> PurePath | None:
    """Return where a scope lies in a repository, None where it is not a part of that."""
    root = Path(os.path.realpath(scope.root))
    if not root.is_relative_to(repository.top):
        return None
    with suppress(GitProblem):
        # Further down there may be another one.
        if find_repository(root, repository.environ).top == repository.top:
            return root.relative_to(repository.top)
    return None


def _fingerprints(
    recipes: Recipes, registry: Registry, selection: Selection, cases: Cases
) -> Iterator[tuple[Address, str]]:
    models = tuple(model for model in selection.models if model in recipes.catalog.models)
    if selection.models and not models:
        return
    # Whatever tags a case had, and however often it ran, is not asked about.
    reader, fingerprints = CaseReader(recipes, Binder(registry), models), Fingerprints(recipes)
    listed, _ = listed_cases(recipes.catalog.scopes, selection.words)
    for key in cases.keys() & listed.keys():
        with suppress(ConfigurationError):
            for trial in reader.trials(key, *listed[key]):
                yield trial.address, fingerprints.of(trial)
