"""What happens while a suite runs; progress, statistics, records and reports follow these, and nothing else."""

from collections.abc import Callable
from typing import TypeAlias

from attrs import frozen

from gekko.plan.trials import Trial
from gekko.record.entries import ErrorEntry, RunEntry
from gekko.record.results import CaseResult
from gekko.run.execute import Errand, Run
from gekko.run.waiting import Wait


@frozen
class RunStarted:
    """A request is about to be sent; *index* counts the runs of the case from 0."""

    trial: Trial
    index: int


@frozen
class RunWaits:
    """A run, or a question of its checkers, now waits for this."""

    trial: Trial
    index: int
    what: Wait


@frozen
class RunAnswered:
    """An answer came, and is now judged."""

    trial: Trial
    index: int
    run: Run


@frozen
class RunJudged:
    """An answer was judged. *is_new* is false where that was done in an earlier suite, which this one goes on with."""

    trial: Trial
    entry: RunEntry
    is_new: bool = True


@frozen
class RunFailed:
    """No answer came, to the run or to a question of its checkers; the suite ends, unless it keeps going."""

    trial: Trial
    entry: ErrorEntry
    is_answered: bool = False
    """Whether the run itself had its answer, which could not be judged."""


@frozen
class RunLeftOut:
    """No time was left for a run, and the suite keeps going; *entry* is the error that this is of its case."""

    trial: Trial
    entry: ErrorEntry


@frozen
class QuestionAnswered:
    """A checker of the case asked the engine something, and an answer came."""

    trial: Trial
    errand: Errand
    run: Run


@frozen
class QuestionFailed:
    """A checker of the case asked the engine something, and no answer came: a failure of the run."""

    trial: Trial
    errand: Errand
    duration_ms: float


@frozen
class CaseFinished:
    """Every run of a case was judged, or one got no answer and the suite goes on without."""

    trial: Trial
    result: CaseResult


Event: TypeAlias = (
    RunStarted
    | RunWaits
    | RunAnswered
    | RunJudged
    | RunFailed
    | RunLeftOut
    | QuestionAnswered
    | QuestionFailed
    | CaseFinished
)

Follower: TypeAlias = Callable[[Event], None]
"""Is told of each event as it happens."""
