"""From a suite to verdicts: each trial is run, and each of its checkers judges."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from traceback import format_exception
from types import MappingProxyType
from typing import TypeAlias

from attrs import define, field, frozen

from gekko.checks.checker import Mismatch
from gekko.checks.judging import Answerer, Bound, JudgingError, drive
from gekko.checks.outcome import MISSING, Outcome
from gekko.errors import BackendError, GekkoError
from gekko.locations import key_text, shown_path
from gekko.plan.suite import Suite
from gekko.plan.trials import Trial
from gekko.record.entries import ErrorEntry, Miss, RunEntry
from gekko.record.results import CaseResult, Tally
from gekko.run.asking import NoAnswerError
from gekko.run.execute import Run
from gekko.run.waiting import hear_waits
from gekko.sources.listing import Address
from gekko.suites.answering import Answering
from gekko.suites.entries import case_entry, error_entry, run_entry
from gekko.suites.events import (
    CaseFinished,
    Follower,
    RunAnswered,
    RunFailed,
    RunJudged,
    RunLeftOut,
    RunStarted,
    RunWaits,
)
from gekko.suites.lineup import Jobs, lanes
from gekko.suites.runner import Runner
from gekko.wording import counted, cut, printable, shown


class CheckerBug(GekkoError):  # noqa: N818 - what went wrong is that there is one
    """An installed expectation raised while it judged: its own bug, and no verdict on the case."""

    kind = "configuration"
    exit_code = 2

    @property
    def trace(self) -> str:
        """The traceback of what the expectation raised; empty where it did something else that it may not do."""
        raised = self.__cause__ and self.__cause__.__cause__
        return "".join(format_exception(raised)).rstrip() if raised else ""


class OutOfTimeError(BackendError):
    """The time that a suite was given ran out before every case was judged."""


Executors: TypeAlias = Callable[[Trial, int], Runner]
"""What runs a trial for the n-th time: a recording keeps each apart."""

Remembered: TypeAlias = Mapping[tuple[Address, int], RunEntry]
"""Runs that an earlier suite judged, by what was run and which run of it that was. They are not run again."""


@frozen(kw_only=True)
class Conditions:
    """How a suite runs, whatever is in it."""

    jobs: Jobs = 1
    """How many cases are under way at a time, at most."""
    keeps_going: bool = False
    """Whether a run without an answer is an error of its case alone."""
    max_fail: int | None = None
    """After so many cases that are not good, no further one is started; those of an earlier suite do not count."""
    timeout_secs: float | None = None
    fails_on_flaky: bool = False


async def run_suite(
    suite: Suite,
    executors: Executors,
    follow: Follower,
    conditions: Conditions = Conditions(),
    remembered: Remembered = MappingProxyType({}),
) -> list[CaseResult]:
    """Run every trial, tell *follow* what happens, and return the result of each that came to one, in their order.

    Raises:
        BackendError: a run got no answer, and the suite does not keep going; the message names the case file.
        OutOfTimeError: the suite's time ran out, and it does not keep going.
        CheckerBug: an expectation raised; the message names it and the case file.
        ConfigurationError: a file changed since it was checked.
    """
    return await _SuiteRun(suite, executors, follow, conditions, remembered).results()


@frozen
class _Answered:
    """A run with its answer, on which there is no verdict yet; and who is asked if an expectation has a question."""

    run: Run
    runner: Runner


_Found: TypeAlias = _Answered | RunEntry | ErrorEntry


class _EnoughError(Exception):
    """So many cases failed that no more are wanted."""


@define
class _SuiteRun:
    """One run of a suite: workers that take trials from one line-up until it is empty or one of them must stop."""

    _suite: Suite
    _executors: Executors
    _follow: Follower
    _conditions: Conditions
    _remembered: Remembered
    _results: dict[int, CaseResult] = field(factory=dict, init=False)
    _tallies: dict[int, Tally] = field(factory=dict, init=False)
    """Of the cases under way."""
    _bad: int = field(default=0, init=False)
    _has_stopped: bool = field(default=False, init=False)
    _group: asyncio.TaskGroup | None = field(default=None, init=False)
    """Where there are several workers."""

    async def results(self) -> list[CaseResult]:
        """Run all trials."""
        try:
            async with asyncio.timeout(self._conditions.timeout_secs) as limit:
                await self._work()
        except TimeoutError:
            if not limit.expired():
                raise
            self._run_out_of_time()
        except _EnoughError:
            pass
        return [self._results[position] for position in sorted(self._results)]

    async def _work(self) -> None:
        jobs = self._conditions.jobs
        shares: list[Iterator[int]] = []
        for lane in lanes(self._suite.trials, jobs):
            shares += [iter(lane.positions)] * lane.workers
        if len(shares) == 1:
            await self._worker(shares[0], asyncio.Semaphore())
            return
        # Of several lanes each could have all; but where each backend has its own pace, none waits for another.
        turns = asyncio.Semaphore(len(shares) if jobs == "auto" else jobs)
        try:
            async with asyncio.TaskGroup() as self._group:
                for positions in shares:
                    self._group.create_task(self._worker(positions, turns))
        except BaseExceptionGroup as errors:
            # The first to fail ended the others; what they make of that is of no interest.
            raise errors.exceptions[0] from errors.exceptions[0].__cause__

    async def _worker(self, positions: Iterator[int], turns: asyncio.Semaphore) -> None:
        """Run trials until none is left; workers of one lane share the iterator."""
        judging: asyncio.Task[None] | None = None
        with self._stopping():
            while not self._has_stopped:
                async with turns:
                    position = next(positions, None)
                    if position is None:
                        return
                    judging = await self._case(position, judging)

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """Stop the suite where the block raises."""
        try:
            yield
        except BaseException:
            # Others may go on for a moment before they are cancelled; no request may start in it.
            self._has_stopped = True
            raise

    async def _case(self, position: int, judging: "asyncio.Task[None] | None") -> "asyncio.Task[None] | None":
        """Run a trial; *judging* is the verdict that its worker owes on the one before, and what is returned is next.

        A server that is waiting for the next request comes before the verdict on its last answer: where answers come
        in bursts, the last of them would wait for all verdicts.
        """
        trial = self._suite.trials[position]
        tally = self._tallies[position] = Tally(case_entry(trial), self._conditions.fails_on_flaky)
        for index in range(trial.runs):
            if self._has_stopped:
                return None
            found = await self._found(trial, index)
            if self._group is not None and self._can_be_judged_later(trial):
                if judging is not None:
                    await judging  # so that a worker owes one verdict at most
                return self._group.create_task(self._judge_and_conclude(position, tally, found))
            tally.add(await self._judged(trial, index, found))
            if tally.is_settled:
                break
        self._conclude(position, tally)
        return judging

    def _can_be_judged_later(self, trial: Trial) -> bool:
        """Return whether neither the next request of *trial* nor the next trial depends on a verdict."""
        return trial.runs == 1 and not trial.expectations.asking and self._conditions.max_fail is None

    async def _judge_and_conclude(self, position: int, tally: Tally, found: _Found) -> None:
        with self._stopping():
            tally.add(await self._judged(self._suite.trials[position], 0, found))
            self._conclude(position, tally)

    def _conclude(self, position: int, tally: Tally) -> None:
        if self._has_stopped:
            return  # it came too late to count
        del self._tallies[position]
        result = tally.result()
        self._results[position] = result
        trial = self._suite.trials[position]
        self._follow(CaseFinished(trial, result))
        if result.is_good or all((trial.address, index) in self._remembered for index in range(tally.runs)):
            return  # a suite that goes on would get no further than the one before
        self._bad += 1
        if self._bad == self._conditions.max_fail:
            raise _EnoughError

    async def _found(self, trial: Trial, index: int) -> _Found:
        """Return the verdict on a run, if an earlier suite came to it; else its answer, or that it has none."""
        if (known := self._remembered.get((trial.address, index))) is not None:
            self._follow(RunJudged(trial, known, is_new=False))
            return known
        self._follow(RunStarted(trial, index))
        hear_waits(lambda what: self._follow(RunWaits(trial, index, what)))
        runner = self._executors(trial, index)
        try:
            run = await runner.run(trial.job, trial.input)
        except NoAnswerError as error:
            return self._failed(trial, index, error)
        self._follow(RunAnswered(trial, index, run))
        return _Answered(run, runner)

    async def _judged(self, trial: Trial, index: int, found: _Found) -> RunEntry | ErrorEntry:
        if not isinstance(found, _Answered):
            return found
        run, answering = found.run, Answering(found.runner, self._suite.asked, trial, self._follow)
        try:
            misses = await judge(trial, run.outcome, answering)
        except NoAnswerError as error:
            return self._failed(trial, index, error, run.answered.retries + answering.retries, is_answered=True)
        entry = run_entry(trial, index, run, misses, answering.retries)
        self._follow(RunJudged(trial, entry))
        return entry

    def _failed(
        self, trial: Trial, index: int, error: NoAnswerError, retries: int = 0, *, is_answered: bool = False
    ) -> ErrorEntry:
        entry = error_entry(trial, index, error, retries)
        self._follow(RunFailed(trial, entry, is_answered=is_answered))
        if not self._conditions.keeps_going:
            raise BackendError(f"{shown_path(trial.path)}: {error}") from error
        return entry

    def _run_out_of_time(self) -> None:
        time = f"the suite's time of {self._conditions.timeout_secs:g} s ran out"
        unjudged = [position for position in range(len(self._suite.trials)) if position not in self._results]
        if not self._conditions.keeps_going:
            count = f"{len(unjudged)} of {counted(len(self._suite.trials), 'case')}"
            first = shown_path(self._suite.trials[unjudged[0]].path)
            raise OutOfTimeError(f"{time}; {count} were not judged, {first} the first of them")
        for position in unjudged:
            self._leave_out(position, f"not judged: {time}")

    def _leave_out(self, position: int, why: str) -> None:
        """Let a trial that was not judged end as an error, unless what is remembered of it is enough."""
        trial = self._suite.trials[position]
        tally = self._tallies.get(position) or Tally(case_entry(trial), self._conditions.fails_on_flaky)
        while not tally.is_settled:
            if (known := self._remembered.get((trial.address, tally.runs))) is not None:
                tally.add(known)
                self._follow(RunJudged(trial, known, is_new=False))
            else:
                late = error_entry(trial, tally.runs, NoAnswerError(why, 0.0))
                tally.add(late)
                self._follow(RunLeftOut(trial, late))
        self._results[position] = tally.result()
        self._follow(CaseFinished(trial, self._results[position]))


async def judge(trial: Trial, outcome: Outcome, answer: Answerer) -> tuple[Miss, ...]:
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


def _wrong_end(outcome: Outcome, expected: int) -> Miss:
    if outcome.exit_code == 0:
        return Miss(text=f"expected exit code {expected}, found 0: the answer {shown(outcome.written)} was accepted")
    return Miss(text=f"expected exit code {expected}, found {outcome.exit_code}: {'; '.join(outcome.reasons)}")


def _reason(bound: Bound, mismatch: Mismatch) -> Miss:
    key = key_text((bound.key,))
    place = f"{key} at {cut(mismatch.at)}" if mismatch.at else key
    found = "nothing" if mismatch.found is MISSING else shown(mismatch.found)
    # The names in *at* are those of the answer, and *expected* is whatever the checker says.
    return Miss(text=printable(f"{place}: expected {mismatch.expected}, found {found}"), key=bound.key)
