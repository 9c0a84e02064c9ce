"""Whether everything that is configured would work, as far as can be told without asking a backend."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Literal, TypeAlias

from attrs import frozen

from gekko.checks.registry import CheckerError, Claim, Registry
from gekko.errors import ConfigurationError, Issue
from gekko.locations import shown_path
from gekko.plan.access import access
from gekko.plan.binding import Binder
from gekko.plan.catalog import Catalog, listed_cases
from gekko.plan.recipes import Recipes
from gekko.plan.trials import CaseReader
from gekko.sources.document import pinpoint

Kind: TypeAlias = Literal["config", "reachability"]


@frozen
class Finding:
    """What was looked at, and what is wrong with it; no message means that nothing is."""

    kind: Kind
    label: str
    message: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.message


def check_up(load: Callable[[], Catalog], registry: Registry, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for the configuration as a whole and for each of its parts; *load* reads it."""
    yield from (_expectation(registry, claim) for claim in registry.claims)
    try:
        catalog = load()
    except ConfigurationError as error:
        yield _finding("configuration", error.issues)
        return
    yield Finding("config", "configuration")
    for name, backend in catalog.backends.items():
        yield _tried(f"backend {name}", partial(access, backend, environ))
    for name in catalog.models:
        yield _tried(f"model {name}", partial(catalog.target, name))
    recipes = Recipes(catalog, environ)
    for words in catalog.command_files:
        yield _tried(f"command {'/'.join(words)}", partial(recipes.recipe, words))
    for words, issues in catalog.troubled.items():
        yield _finding(f"command {'/'.join(words)}", issues)
    reader = CaseReader(recipes, Binder(registry))
    cases, folder_issues = listed_cases(catalog.scopes, ())
    for key, (path, scope) in cases.items():
        words, name = key
        yield _tried(f"case {'/'.join(words)} {name}", partial(reader.trial, key, path, scope))
    for issue in folder_issues:
        yield _finding(f"case {shown_path(issue.where.path)}", (issue,))


def _expectation(registry: Registry, claim: Claim) -> Finding:
    label = f"expectation {claim.key}"
    try:
        registry.load(claim)
    except CheckerError as error:
        return Finding("config", label, str(error))
    return Finding("config", label)


def _tried(label: str, attempt: Callable[[], object]) -> Finding:
    try:
        attempt()
    except ConfigurationError as error:
        return _finding(label, error.issues)
    return Finding("config", label)


def _finding(label: str, issues: tuple[Issue, ...]) -> Finding:
    return Finding("config", label, "\n".join(str(issue) for issue in pinpoint(issues)))
