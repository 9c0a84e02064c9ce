"""What has changed since a commit: a fingerprint of each trial, and those that the trials had then."""

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from attrs import evolve, field, frozen

from gekko import jsonschemas, limits
from gekko.checks.registry import Registry
from gekko.errors import ConfigurationError
from gekko.jsonschemas import SchemaError
from gekko.plan.binding import Binder
from gekko.plan.catalog import Catalog, listed_cases, load_catalog
from gekko.plan.fingerprints import case_parts, command_parts, digest_of, model_facts
from gekko.plan.job import Recipe
from gekko.plan.recipes import Recipes
from gekko.plan.selection import Cases, Selection, Then, choose
from gekko.plan.trials import CaseReader, Trial
from gekko.sources.files import FileProblem, digest_file, mode, read_bytes
from gekko.sources.git import GitProblem, Past, Repository, find_repository
from gekko.sources.listing import Address, recording_path
from gekko.sources.scopes import Scope
from gekko.specs.command import Command
from gekko.wording import printable

log = logging.getLogger(__name__)


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
        recording = _recording(trial.path)
        return digest_of([shared, case_parts(trial), trial.definition, recording, list(self._asked(trial))])

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
    with _as_they_were(catalog.scopes, repository, commit) as (scopes, past), suppress(ConfigurationError):
        then = Recipes(load_catalog(scopes), environ)
        _bring_named(past, then.catalog)
        return Then(ref, dict(_fingerprints(then, registry, selection, cases)))
    return Then(ref, {})  # nothing of a configuration that cannot be loaded is as it was


def _recording(case: Path) -> str | None:
    """Return the digest of the recording of a case, None where it has none; with `--replay` it decides."""
    path = recording_path(case)
    if mode(path) is None:
        return None
    try:
        return digest_file(path, limits.RECORDING_BYTES).sha256
    except FileProblem:
        return str(path)  # which is never the same as that of a file of then


@contextmanager
def _as_they_were(
    scopes: Sequence[Scope], repository: Repository, commit: str
) -> Iterator[tuple[tuple[Scope, ...], Past]]:
    """Yield the scopes with the files of a commit, as long as the context lasts, and where to get more of those."""
    roots = {scope: root for scope in scopes if (root := _root_in(repository, scope)) is not None}
    with TemporaryDirectory(prefix="gko-") as folder:
        top = Path(os.path.realpath(folder), "then")
        top.mkdir()
        past = repository.check_out(commit, top)
        _tell(past, past.bring(top / root for root in roots.values()))
        for root in roots.values():
            with suppress(FileExistsError, NotADirectoryError):  # it was a file then
                (top / root).mkdir(parents=True)
        yield tuple(evolve(scope, root=top / roots[scope]) if scope in roots else scope for scope in scopes), past


def _bring_named(past: Past, catalog: Catalog) -> None:
    """Bring the files of then that commands and schemas name, for they can lie outside of the scopes."""
    texts: list[Path] = []
    schemas = [path for scope in catalog.scopes for path in (scope.root / "schemas").rglob("*.json")]
    for words in catalog.command_files:
        with suppress(ConfigurationError):
            command = catalog.command(words)
            schemas += (command.scope_root / name for name in _schemas(command))
            texts += (command.scope_root / name for name in _texts(command))
    missing = past.bring(_of_then(past, [*texts, *schemas]))
    for path in _of_then(past, schemas):
        missing += _bring_referred(past, path)
    roots = [scope.root for scope in catalog.scopes]
    # A bare name is no path, and what is in a scope is there.
    _tell(past, [path for path in missing if not any(_plain(path).is_relative_to(root) for root in roots)])


def _of_then(past: Past, paths: Iterable[Path]) -> list[Path]:
    """Return the paths that lead into the folder of then, each once; what others name is taken as it is now."""
    return [path for path in dict.fromkeys(paths) if path.is_relative_to(past.top)]


def _schemas(command: Command) -> Iterator[str]:
    yield from command.front.schemas.values()
    if command.front.output.schema is not None:
        yield command.front.output.schema


def _texts(command: Command) -> Iterator[str]:
    yield from command.front.partials.values()
    for argument in command.front.args.values():
        if argument.type == "file" and isinstance(argument.default, str):
            yield argument.default


def _bring_referred(past: Past, schema: Path) -> list[Path]:
    """Bring the files that a schema refers to, and those that they refer to; returned is what is missing."""
    missing: list[Path] = []

    def read(path: Path) -> bytes:
        missing.extend(past.bring(_of_then(past, [path])))
        return read_bytes(path, limits.INPUT_BYTES, "schema")

    with suppress(FileProblem, SchemaError):  # what is wrong is told where it is used
        if b"ref" in read(schema).lower():
            jsonschemas.load(schema, read)
    return missing


def _tell(past: Past, missing: Iterable[Path]) -> None:
    """Tell whoever wants to know which files cannot be compared."""
    for name in dict.fromkeys(os.path.relpath(_plain(path), past.top) for path in missing):
        log.info("--changed: '%s' is not tracked at that commit; what depends on it counts as changed", printable(name))


def _plain(path: Path) -> Path:
    return Path(os.path.normpath(path))


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
