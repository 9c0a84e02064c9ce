"""What happens while a suite runs; progress, statistics and reports follow these, and nothing else."""

from pathlib import Path
from typing import TypeAlias

from attrs import frozen

from gekko.plan.trials import Trial
from gekko.run.execute import Errand, Run


@frozen
class Reason:
    """Why a run failed its case: the text, and the expectation that was not met, where there is one."""

    text: str
    key: str | None = None

    def __str__(self) -> str:
        return self.text


@frozen
class CaseResult:
    """The verdict on a case, after all of its runs. *duration_ms* is that of all runs together."""

    command: str
    case: str
    path: Path
    has_passed: bool
    duration_ms: int
    runs: int
    failed_runs: int
    distinct_outputs: int
    reasons: tuple[Reason, ...] = ()

    @property
    def message(self) -> str:
        """What a person reads of a failure: each distinct reason once, on a line of its own."""
        lines = [str(reason) for reason in self.reasons]
        if self.runs > 1 and not self.has_passed:
            lines.insert(0, f"{self.failed_runs} of {self.runs} runs failed")
        return "\n".join(lines)


@frozen
class RunStarted:
    """A request is about to be sent; *index* counts the runs of the case from 0."""

    trial: Trial
    index: int


@frozen
class RunAnswered:
    """An answer came, and is now judged."""

    trial: Trial
    index: int
    run: Run


@frozen
class RunFinished:
    """An answer was judged; no reasons mean that the run passed."""

    trial: Trial
    index: int
    run: Run
    reasons: tuple[Reason, ...]


@frozen
class RunFailed:
    """No answer came; the suite ends after this."""

    trial: Trial
    index: int
    duration_ms: float


@frozen
class QuestionAnswered:
    """A checker of the case asked the engine something, and an answer came."""

    trial: Trial
    errand: Errand
    run: Run


@frozen
class QuestionFailed:
    """A checker of the case asked the engine something, and no answer came; the suite ends after this."""

    trial: Trial
    errand: Errand
    duration_ms: float


@frozen
class CaseFinished:
    """Every run of a case was judged."""

    result: CaseResult


Question: TypeAlias = QuestionAnswered | QuestionFailed

Event: TypeAlias = RunStarted | RunAnswered | RunFinished | RunFailed | Question | CaseFinished
