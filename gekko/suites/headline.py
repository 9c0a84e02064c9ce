"""Which suite a record is of: its first lines, written before anything runs."""

from collections.abc import Iterable, Iterator, Sequence

from gekko._version import __version__
from gekko.checks.judging import Bound
from gekko.plan.fingerprints import command_parts, digest_of, model_facts
from gekko.plan.suite import Asked, Suite
from gekko.plan.trials import Trial
from gekko.record.entries import CaseEntry, CheckerVersion, CommandParts, Invocation, SuiteEntry, now_ms
from gekko.sources.scopes import Scope
from gekko.suites.entries import case_entry
from gekko.suites.journals import project_digest


def suite_entry(suite: Suite, invocation: Invocation, scopes: Sequence[Scope]) -> SuiteEntry:
    """Return the first line of the record of a suite that starts now."""
    return SuiteEntry(
        gko=__version__,
        project=project_digest(scopes),
        started_ms=now_ms(),
        invocation=invocation,
        selection=suite.undivided,
        checkers=tuple(_checkers(suite.trials)),
        commands=tuple(_commands(suite.trials)),
        cases=len(suite.trials),
    )


def case_entries(suite: Suite) -> Iterator[CaseEntry]:
    """Yield the lines of a suite's cases."""
    asked = _AskedDigests(suite.asked)
    return (case_entry(trial, asked.of(trial)) for trial in suite.trials)


def _checkers(trials: Iterable[Trial]) -> Iterator[CheckerVersion]:
    claims = {bound.claim.key: bound.claim for trial in trials for bound in trial.expectations.everyone}
    for key, claim in sorted(claims.items()):
        yield CheckerVersion(key=key, distribution=claim.distribution, version=claim.version)


def _commands(trials: Iterable[Trial]) -> Iterator[CommandParts]:
    recipes = {(trial.address[0], trial.model): trial.job.recipe for trial in trials}
    for command, model in sorted(recipes):
        yield CommandParts(command=command, model=model, parts=command_parts(recipes[command, model]))


class _AskedDigests:
    """Digests of what the expectations of a trial may ask; most may ask nothing."""

    def __init__(self, asked: Asked) -> None:
        self._parts: dict[str, object] = {
            **{f"model {name}": model_facts(target) for name, target in asked.models.items()},
            **{f"command {name}": command_parts(recipe) for name, recipe in asked.commands.items()},
        }

    def of(self, trial: Trial) -> str | None:
        names = {name for bound in trial.expectations.asking for name in _names(bound)}
        asked = {name: self._parts[name] for name in sorted(names)}
        return digest_of(asked) if asked else None


def _names(bound: Bound) -> Iterator[str]:
    yield from (f"model {name}" for name in bound.models_asked)
    yield from (f"command {name}" for name in bound.commands_asked)
