"""How far a suite has got: what is done, what is under way and for how long, and how long the rest may take."""

from collections.abc import Callable, Collection
from time import monotonic
from typing import Final, Literal, TypeAlias

from attrs import define, field

from gekko.plan.suite import Suite
from gekko.plan.trials import Trial
from gekko.record.entries import ErrorEntry, RunEntry
from gekko.record.results import CaseResult
from gekko.run.waiting import Wait
from gekko.suites.events import CaseFinished, Event, RunAnswered, RunFailed, RunJudged, RunStarted, RunWaits

Stage: TypeAlias = Wait | Literal["verdict"]

Clock: TypeAlias = Callable[[], float]
"""Seconds since whenever."""

ENOUGH_RUNS: Final = 3
ENOUGH_SECS: Final = 2.0
"""What was seen of a suite before says nothing about the rest."""


@define(eq=False)
class UnderWay:
    """A run that was started at the time *since*."""

    trial: Trial
    index: int
    since: float
    stage: Stage | None = None


@define
class Headway:
    """Follows the events of a suite. *runs_left* is how many runs are to come, without those that are remembered."""

    cases: int
    runs_left: int
    has_models: bool = False
    """Whether cases run on several models."""
    clock: Clock = monotonic
    done: int = field(default=0, init=False)
    failed: int = field(default=0, init=False)
    errors: int = field(default=0, init=False)
    _asked: int = field(default=0, init=False)
    """Runs that ended after a model was asked; what is remembered or replayed says nothing about time."""
    _began: float = field(default=0.0, init=False)
    # By id, for the hash of a trial is one of all that is in it.
    _under_way: dict[int, UnderWay] = field(factory=dict, init=False)

    @classmethod
    def of(cls, suite: Suite, remembered: Collection[object]) -> "Headway":
        """Return the headway of a suite that has not begun."""
        runs = sum(trial.runs for trial in suite.trials)
        models = {trial.model for trial in suite.trials}
        return cls(len(suite.trials), runs - len(remembered), len(models) > 1)

    def follow(self, event: Event) -> None:
        """Take note of what happened."""
        match event:
            case RunStarted():
                self._start(event)
            case RunWaits():
                self._set_stage(event.trial, event.what)
            case RunAnswered():
                self._set_stage(event.trial, "verdict")
            case RunJudged(is_new=True) | RunFailed():
                self._end(event.trial, event.entry)
            case CaseFinished():
                self._finish(event.result)

    @property
    def under_way(self) -> Collection[UnderWay]:
        """The runs that are under way, the oldest first."""
        return self._under_way.values()

    def age(self, run: UnderWay) -> float:
        """Return for how many seconds a run has been under way."""
        return self.clock() - run.since

    @property
    def secs_left(self) -> float | None:
        """How long the rest takes if it goes on like this, None as long as that means nothing.

        Every run that is left is taken for one that asks a model: what recordings know is a matter of moments, and how
        much that is shows only on the way.
        """
        elapsed = self.clock() - self._began
        if self._asked < max(ENOUGH_RUNS, len(self._under_way)) or elapsed < ENOUGH_SECS:
            return None
        return self.runs_left * elapsed / self._asked

    def _start(self, event: RunStarted) -> None:
        now = self.clock()
        self._began = self._began or now
        self._under_way[id(event.trial)] = UnderWay(event.trial, event.index, now)

    def _set_stage(self, trial: Trial, stage: Stage) -> None:
        if (run := self._under_way.get(id(trial))) is not None:
            run.stage = stage

    def _end(self, trial: Trial, entry: RunEntry | ErrorEntry) -> None:
        self._under_way.pop(id(trial), None)
        self.runs_left -= 1
        self._asked += not entry.replayed

    def _finish(self, result: CaseResult) -> None:
        self.done += 1
        self.failed += result.result == "fail"
        self.errors += result.result == "error"
        self.runs_left -= result.planned - result.runs
