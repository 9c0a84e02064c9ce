"""From a suite to verdicts: each trial is run, and each of its checkers judges."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from traceback import format_exception

from attrs import define, field

from gekko.checks.checker import Mismatch
from gekko.checks.judging import Answerer, Bound, JudgingError, drive
from gekko.checks.outcome import MISSING, Outcome
from gekko.errors import BackendError, GekkoError
from gekko.locations import key_text, shown_path
from gekko.plan.suite import Suite
from gekko.plan.trials import Trial
from gekko.run.answering import Answering
from gekko.run.events import (
    CaseFinished,
    CaseResult,
    Event,
    Reason,
    RunAnswered,
    RunFailed,
    RunFinished,
    RunStarted,
)
from gekko.run.execute import Executor, NoAnswerError
from gekko.wording import cut, printable, shown


class CheckerBug(GekkoError):  # noqa: N818 - what went wrong is that there is one
    """An installed expectation raised while it judged: its own bug, and no verdict on the case."""

    kind = "configuration"
    exit_code = 2

    @property
    def trace(self) -> str:
        """The traceback of what the expectation raised; empty where it did something else that it may not do."""
        raised = self.__cause__ and self.__cause__.__cause__
        return "".join(format_exception(raised)).rstrip() if raised else ""


async def run_suite(suite: Suite, executor: Executor, repeat: int = 1) -> AsyncIterator[Event]:
    """Run every trial *repeat* times, one request at a time, and yield what happens.

    Raises:
        BackendError: a run got no answer; the message names the case file.
        CheckerBug: an expectation raised; the message names it and the case file.
        ConfigurationError: a file changed since it was checked.
    """
    for trial in suite.trials:
        tally = _Tally(trial)
        for index in range(repeat):
            yield RunStarted(trial, index)
            try:
                run = await executor.run(trial.job, trial.input)
            except NoAnswerError as error:
                yield RunFailed(trial, index, error.duration_ms)
                raise _named(trial, error) from error
            yield RunAnswered(trial, index, run)
            answering = Answering(executor, suite.asked, trial)
            try:
                reasons = await judge(trial, run.outcome, answering)
            except NoAnswerError as error:
                for question in answering.questions:
                    yield question
                raise _named(trial, error) from error
            for question in answering.questions:
                yield question
            tally.add(run.outcome, reasons)
            yield RunFinished(trial, index, run, reasons)
        yield CaseFinished(tally.result())


async def judge(trial: Trial, outcome: Outcome, answer: Answerer) -> tuple[Reason, ...]:
    """Return why *outcome* is not what the case expects; empty where it is.

    Raises:
        CheckerBug: an expectation raised, or broke its promise in another way.
    """
    expected = trial.expectations.exit_code
    ended_otherwise = outcome.exit_code != expected
    reasons = [_wrong_end(outcome, expected)] if ended_otherwise else []
    for bound in trial.expectations.bound:
        # On a run that did not end as expected, only what needs no output still has something to say.
        if bound.needs_output and ended_otherwise:
            continue
        try:
            mismatches = await drive(bound, outcome.output, outcome, answer)
        except JudgingError as error:
            raise _bug(trial, bound, error.culprit, str(error)) from error
        reasons += (_reason(bound, mismatch) for mismatch in mismatches)
    return tuple(reasons)


def _bug(trial: Trial, bound: Bound, culprit: Bound, reason: str) -> CheckerBug:
    place = f"{shown_path(trial.path)}: expect.{key_text((bound.key,))}"
    return CheckerBug(f"{place}: the expectation {culprit.claim} has a bug: {reason}")


def _named(trial: Trial, error: BackendError) -> BackendError:
    return BackendError(f"{shown_path(trial.path)}: {error}")


def _wrong_end(outcome: Outcome, expected: int) -> Reason:
    if outcome.exit_code == 0:
        return Reason(f"expected exit code {expected}, found 0: the answer {shown(outcome.written)} was accepted")
    return Reason(f"expected exit code {expected}, found {outcome.exit_code}: {'; '.join(outcome.reasons)}")


def _reason(bound: Bound, mismatch: Mismatch) -> Reason:
    key = key_text((bound.key,))
    place = f"{key} at {cut(mismatch.at)}" if mismatch.at else key
    found = "nothing" if mismatch.found is MISSING else shown(mismatch.found)
    # The names in *at* are those of the answer, and *expected* is whatever the checker says.
    return Reason(printable(f"{place}: expected {mismatch.expected}, found {found}"), bound.key)


@define
class _Tally:
    """What the runs of one trial came to, so far; outputs are counted by hash, so that none is kept."""

    _trial: Trial
    _runs: int = 0
    _failed_runs: int = 0
    _duration_ms: float = 0.0
    _outputs: set[bytes] = field(factory=set)
    _reasons: dict[Reason, None] = field(factory=dict)

    def add(self, outcome: Outcome, reasons: Sequence[Reason]) -> None:
        """Count one run."""
        self._runs += 1
        self._failed_runs += bool(reasons)
        self._duration_ms += outcome.duration_ms
        self._reasons |= dict.fromkeys(reasons)
        if outcome.written is not None:
            self._outputs.add(hashlib.sha256(outcome.written.encode()).digest())

    def result(self) -> CaseResult:
        """Return the verdict: a case passes only if every run does."""
        command, case = self._trial.address
        return CaseResult(
            command,
            case,
            self._trial.path,
            has_passed=self._runs > 0 and self._failed_runs == 0,
            duration_ms=round(self._duration_ms),
            runs=self._runs,
            failed_runs=self._failed_runs,
            distinct_outputs=len(self._outputs),
            reasons=tuple(self._reasons),
        )
