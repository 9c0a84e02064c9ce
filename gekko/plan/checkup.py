"""Whether everything that is configured would work, as far as can be told without asking a backend."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Literal, TypeAlias

from attrs import frozen

from gekko.checks.registry import CheckerError, Claim, Registry
from gekko.errors import ConfigurationError, Issue
from gekko.locations import shown_path
from gekko.plan.access import access
from gekko.plan.binding import Binder
from gekko.plan.catalog import Catalog, listed_cases
from gekko.plan.recipes import Recipes
from gekko.plan.runtimes import services
from gekko.plan.trials import CaseReader
from gekko.sources.document import pinpoint
from gekko.sources.listing import CaseKey
from gekko.sources.scopes import Scope
from gekko.sources.unread import unread

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


def check_up(
    scopes: Iterable[Scope], catalog: Catalog | ConfigurationError, registry: Registry, environ: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield a finding for the configuration as a whole and for each of its parts, then of what nothing reads.

    *catalog* can be what kept the configuration from being loaded.
    """
    yield from (_expectation(registry, claim) for claim in registry.claims)
    told: set[Path] = set()
    if isinstance(catalog, ConfigurationError):
        yield _finding("configuration", catalog.issues)
    else:
        yield Finding("config", "configuration")
        yield from _parts(catalog, environ)
        cases, issues = listed_cases(catalog.scopes, ())
        yield from _cases(cases, CaseReader(Recipes(catalog, environ), Binder(registry)))
        yield from (_finding(f"case {shown_path(issue.where.path)}", (issue,)) for issue in issues)
        told.update(issue.where.path for issue in issues)
    for issue in chain.from_iterable(map(unread, scopes)):
        if issue.where.path not in told:
            yield _finding(f"unread {shown_path(issue.where.path)}", (issue,))


def serve_commands(catalog: Catalog) -> Mapping[str, str]:
    """Return by which call gko starts a backend's server, by the backend's id, for those that it can start."""
    return {each.id: f"gko backend serve {quote(each.model)}" for each in reversed([*services(catalog)])}


def _parts(catalog: Catalog, environ: Mapping[str, str]) -> Iterator[Finding]:
    for name, backend in catalog.backends.items():
        yield _tried(f"backend {name}", partial(access, backend, environ))
    for name in catalog.models:
        yield _tried(f"model {name}", partial(catalog.target, name))
    recipes = Recipes(catalog, environ)
    for words in catalog.command_files:
        yield _tried(f"command {'/'.join(words)}", partial(recipes.recipe, words))
    for words, issues in catalog.troubled.items():
        if words not in catalog.command_files:  # else it was told of the command
            yield _finding(f"command {'/'.join(words)}", issues)


def _cases(cases: Mapping[CaseKey, tuple[Path, Scope]], reader: CaseReader) -> Iterator[Finding]:
    for key, (path, scope) in cases.items():
        words, name = key
        yield _tried(f"case {'/'.join(words)} {name}", partial(reader.trials, key, path, scope))


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
