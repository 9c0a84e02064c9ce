"""What a suite need not run again, because an earlier one did: under the very conditions of today, or not at all."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Self

from attrs import field, frozen

from gekko.plan.fingerprints import changed_parts
from gekko.plan.selection import Selection
from gekko.plan.suite import Suite
from gekko.plan.trials import Trial
from gekko.record.entries import CaseEntry, CheckerVersion, Invocation, RunEntry, SuiteEntry
from gekko.record.reading import Record
from gekko.run.execute import request_body, request_digest
from gekko.sources.listing import Address
from gekko.wording import counted

JUDGING_PARTS: Final = ("output", "schemas")
"""The parts of a command on which the verdict on an answer depends, whatever the request."""


@frozen
class Memory:
    """The runs of an earlier suite that still hold, and those that do not, counted by what has changed since."""

    remembered: Mapping[tuple[Address, int], RunEntry] = field(factory=dict)
    changed: Mapping[str, int] = field(factory=dict)

    @property
    def text(self) -> str:
        """What a person should know before the rest is run."""
        done = f"remembered: {counted(len(self.remembered), 'run')}"
        if replayed := sum(run.replayed for run in self.remembered.values()):
            done += f", {replayed} of them from recordings"
        if not self.changed:
            return done
        again = ", ".join(f"{count} ({what})" for what, count in self.changed.items())
        return f"{done}; run again, because of what has changed: {again}"


def selection_of_record(record: Record) -> Selection:
    """Return the selection of an earlier suite."""
    asked = record.suite.invocation
    return Selection(
        words=asked.words,
        files=tuple(map(Path, asked.files)),
        models=asked.models,
        cases=asked.cases,
        tags=asked.tags,
        shard=asked.part,
        repeat=asked.repeat,
        addresses=frozenset(case.address for case in record.cases) if _is_narrowed(asked) else None,
    )


def _is_narrowed(asked: Invocation) -> bool:
    """Return whether it cannot be asked again which cases were meant: that was so at the time."""
    return asked.failed or asked.changed is not None


def undivided_digest(record: Record, suite: Suite) -> str | None:
    """Return the digest of what *suite*, which takes up the cases of *record* again, was before it was divided.

    Where those were narrowed by what cannot be asked again, the other shards are taken to be as they were then; but not
    if a case of this one is another now, for then it is no shard of that suite any more.
    """
    then = {case.address: case.definition for case in record.cases}
    now = {trial.address: trial.definition for trial in suite.trials}
    is_as_it_was = _is_narrowed(record.suite.invocation) and then == now
    return record.suite.selection if suite.undivided is not None and is_as_it_was else suite.undivided


def recall(record: Record, suite: Suite, headline: SuiteEntry, cases: Iterable[CaseEntry]) -> Memory:
    """Return which runs of *record* hold for *suite*, whose own record begins with *headline* and *cases*.

    Raises:
        ConfigurationError: a file changed since it was checked.
    """
    trials = {trial.address: trial for trial in suite.trials}
    changes = _Changes(_Circumstances.of(record.suite, record.cases), _Circumstances.of(headline, cases))
    remembered: dict[tuple[Address, int], RunEntry] = {}
    changed: Counter[str] = Counter()
    for run in record.runs:
        trial = trials.get(run.address)
        if trial is None or not isinstance(run, RunEntry):
            continue
        if found := changes.since(run, trial):
            changed[", ".join(found)] += 1
        else:
            remembered[run.address, run.run] = run
    return Memory(remembered, changed)


@frozen
class _Circumstances:
    """What the runs of a suite depend on, but for what they say of themselves."""

    gko: str
    checkers: Mapping[str, CheckerVersion]
    parts: Mapping[tuple[str, str], Mapping[str, str]]
    """By command and model."""
    asked: Mapping[Address, str | None]

    @classmethod
    def of(cls, suite: SuiteEntry, cases: Iterable[CaseEntry]) -> Self:
        """Return the circumstances of a suite whose record begins so."""
        return cls(
            suite.gko,
            {each.key: each for each in suite.checkers},
            suite.parts,
            {case.address: case.asked for case in cases},
        )


@frozen
class _Changes:
    """Compares what a run depended on with what it would depend on today."""

    _then: _Circumstances
    _now: _Circumstances
    _requests: dict[Address, str] = field(factory=dict, init=False)

    def since(self, run: RunEntry, trial: Trial) -> list[str]:
        """Return all that has changed since *run*, as far as it matters to it."""
        changed = [] if self._then.gko == self._now.gko else ["gko"]
        changed += (f"the expectation '{key}'" for key in self._other_checkers(trial))
        if self._then.asked.get(run.address) != self._now.asked[run.address]:
            changed.append("what its expectations ask")
        if run.definition != trial.definition:
            changed.append("case")
        key = run.command, run.model
        parts = changed_parts(self._then.parts.get(key, {}), self._now.parts[key])
        if run.request != self._request(trial):
            # What is left is a file that the case names.
            return changed + parts or ["input"]
        decisive = JUDGING_PARTS if run.model_answered is None else (*JUDGING_PARTS, "fallback")
        return changed + [part for part in parts if part in decisive]

    def _other_checkers(self, trial: Trial) -> list[str]:
        then, now = self._then.checkers, self._now.checkers
        used = {bound.claim.key for bound in trial.expectations.everyone}
        # One that was not there was not used: the case is another.
        return sorted(key for key in used & then.keys() if then[key] != now[key])

    def _request(self, trial: Trial) -> str:
        if trial.address not in self._requests:
            body = request_body(trial.job, trial.job.recipe, trial.input)
            self._requests[trial.address] = request_digest(body)
        return self._requests[trial.address]
