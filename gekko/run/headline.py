"""Which suite a record is of: its first lines, written before anything runs."""

from collections.abc import Iterable, Iterator, Sequence
from time import time

from attrs import evolve

from gekko._version import __version__
from gekko.jsontext import compact
from gekko.plan.fingerprints import command_parts
from gekko.plan.selection import Selection
from gekko.plan.suite import Asked, Suite
from gekko.plan.trials import Trial
from gekko.record.entries import CaseEntry, CheckerVersion, CommandParts, Invocation, SuiteEntry
from gekko.run.entries import case_entry
from gekko.run.journal import project_digest
from gekko.sources.files import digest
from gekko.sources.scopes import Scope


def suite_entry(suite: Suite, invocation: Invocation, scopes: Sequence[Scope]) -> SuiteEntry:
    """Return the first line of the record of a suite that starts now."""
    return SuiteEntry(
        gko=__version__,
        project=project_digest(scopes),
        started_ms=round(time() * 1000),
        invocation=invocation,
        checkers=tuple(_checkers(suite.trials)),
        commands=tuple(_commands(suite.trials)),
        cases=len(suite.trials),
    )


def case_entries(suite: Suite) -> Iterator[CaseEntry]:
    """Yield the lines of a suite's cases."""
    asked = _AskedDigests(suite.asked)
    return (evolve(case_entry(trial), asked=asked.of(trial)) for trial in suite.trials)


def invocation_of(selection: Selection, *, fails_on_flaky: bool) -> Invocation:
    """Return what decides which cases run, as it is recorded."""
    return Invocation(
        words=selection.words,
        files=tuple(map(str, selection.files)),
        models=selection.models,
        cases=selection.cases,
        tags=selection.tags,
        shard=None if selection.shard is None else str(selection.shard),
        repeat=selection.repeat,
        narrowed=selection.addresses is not None or selection.since is not None,
        fail_on_flaky=fails_on_flaky,
    )


def _checkers(trials: Iterable[Trial]) -> list[CheckerVersion]:
    claims = {bound.claim.key: bound.claim for trial in trials for bound in trial.expectations.everyone}
    return [CheckerVersion(key=key, distribution=claim.distribution, version=claim.version) for key, claim in sorted(claims.items())]


def _commands(trials: Iterable[Trial]) -> list[CommandParts]:
    recipes = {(trial.address[0], trial.model): trial.job.recipe for trial in trials}
    return [CommandParts(command=command, model=model, parts=command_parts(recipe)) for (command, model), recipe in sorted(recipes.items(), key=lambda item: item[0])]


class _AskedDigests:
    """Digests of what the expectations of a trial may ask; most ask nothing."""

    def __init__(self, asked: Asked) -> None:
        models = {name: [target.model.spec.model, target.operation.path, target.generation.sent()] for name, target in asked.models.items()}
        self._models = models
        self._commands = {name: command_parts(recipe) for name, recipe in asked.commands.items()}

    def of(self, trial: Trial) -> str | None:
        everyone = trial.expectations.everyone
        models = {name: self._models[name] for bound in everyone for name in bound.models_asked}
        commands = {name: self._commands[name] for bound in everyone for name in bound.commands_asked}
        return digest(compact([models, commands]).encode()).sha256 if models or commands else None
