"""What a suite need not run again, because an earlier one did: under the very conditions of today, or not at all."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from attrs import frozen

from gekko.plan.selection import Selection, Shard
from gekko.plan.suite import Suite
from gekko.plan.trials import Trial
from gekko.record.entries import Address, CaseEntry, CheckerVersion, CommandParts, RunEntry, SuiteEntry
from gekko.record.reading import Record
from gekko.run.execute import request_body, request_digest

JUDGING_PARTS = ("output", "schemas")
"""The parts of a command on which the verdict on an answer depends, whatever the request."""


@frozen
class Memory:
    """The runs of an earlier suite that still hold, and those that do not, counted by what has changed since."""

    remembered: Mapping[tuple[Address, int], RunEntry]
    changed: Mapping[str, int]

    @property
    def text(self) -> str:
        """What a person should know before the rest is run."""
        done = f"{len(self.remembered)} of the last suite's runs are remembered"
        if not self.changed:
            return done
        again = ", ".join(f"{count} ({what})" for what, count in self.changed.items())
        return f"{done}; run again, because of what changed since: {again}"


def selection_of(record: Record) -> Selection:
    """Return the selection of an earlier suite."""
    assert record.suite is not None
    asked = record.suite.invocation
    return Selection(
        words=asked.words,
        files=tuple(map(Path, asked.files)),
        models=asked.models,
        cases=asked.cases,
        tags=asked.tags,
        shard=None if asked.shard is None else Shard(*map(int, asked.shard.split("/"))),
        repeat=asked.repeat,
        addresses=frozenset(case.address for case in record.cases) if asked.narrowed else None,
    )


def recall(record: Record, suite: Suite, headline: SuiteEntry, cases: Iterable[CaseEntry]) -> Memory:
    """Return which runs of *record* hold for *suite*, whose own record would begin with *headline* and *cases*.

    Raises:
        ConfigurationError: a file changed since it was checked.
    """
    assert record.suite is not None
    comparison = _Comparison(record.suite, headline)
    then = {case.address: case for case in record.cases}
    today = {case.address: (trial, case) for trial, case in zip(suite.trials, cases, strict=True)}
    requests: dict[Address, str] = {}
    remembered: dict[tuple[Address, int], RunEntry] = {}
    changed: Counter[str] = Counter()
    for run in record.runs:
        if not isinstance(run, RunEntry) or run.address not in today or run.run >= today[run.address][0].runs:
            continue
        ...
    return Memory(remembered, changed)
