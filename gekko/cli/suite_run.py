"""A suite, run from the command line: who follows it, what is reported, and the exit code that it comes to."""

from collections.abc import Coroutine, Iterator, Sequence
from time import monotonic
from typing import Any

from attrs import field, frozen

from gekko.cli.answers import Answers
from gekko.cli.exits import Exit
from gekko.cli.interrupts import OutOfTime, run_heedful
from gekko.cli.notices import about_the_engine
from gekko.cli.selecting import say_if_nothing
from gekko.cli.session import Session
from gekko.cli.streams import tell
from gekko.cli.suite_record import Keeping, keep_nothing, kept
from gekko.cli.suite_report import complain, fallback_text, place_of, stopped_early, verdict, write_report
from gekko.cli.watching import watched
from gekko.plan.selection import Selection
from gekko.plan.suite import Suite
from gekko.record.results import CaseResult
from gekko.report.by_model import ByModel
from gekko.report.rows import Extras
from gekko.report.table import failure, summary
from gekko.suites.cases import CheckerBug, Conditions, OutOfTimeError, Remembered, run_suite
from gekko.suites.entries import invocation
from gekko.suites.events import CaseFinished, Event, Follower, RunAnswered, RunJudged
from gekko.suites.headway import Headway
from gekko.suites.recorder import Recorder
from gekko.suites.statistics import SuiteStatistics


def run_and_report(
    session: Session,
    selection: Selection,
    conditions: Conditions,
    answers: Answers,
    keeping: Keeping,
    *,
    as_json: bool,
) -> int:
    """Run the selected cases, write the report, and return the exit code."""
    selection = answers.selection(selection)
    suite = answers.plan(session, selection)
    asked = invocation(
        selection,
        fails_on_flaky=conditions.fails_on_flaky,
        replays=answers.use == "replay",
        records=answers.use in ("record", "missing"),
    )
    extras = Extras(model=len(selection.models) > 1, retries=conditions.jobs == "auto")
    if not suite.trials:
        if answers.record is not None and not answers.record.cases:
            from gekko.record.merging import why_empty

            session.note(why_empty([answers.record]))
        else:
            say_if_nothing(session, selection, suite.trials)
        keep_nothing(session, suite, asked, keeping)
        write_report(session, [], extras, as_json=as_json)
        return Exit.SUCCESS
    about_the_engine(session, suite.accesses)
    started = monotonic()
    by_model = ByModel() if extras.model else None
    with kept(session, suite, asked, keeping) as (recorder, remembered):
        coroutine = _results(session, suite, conditions, answers, recorder, remembered, by_model)
        results = _run(session, coroutine, conditions)
        unjudged = len(suite.trials) - len(results)
        recorder.end("stopped" if unjudged else "finished", verdict(results))
    write_report(session, results, extras, by_model, as_json=as_json)
    if session.is_watched:
        tell(summary(results, monotonic() - started))
        if unjudged:
            session.note(stopped_early(unjudged))
    else:
        complain(session, results, unjudged)
    return verdict(results)


def _run(
    session: Session, results: Coroutine[Any, Any, Sequence[CaseResult]], conditions: Conditions
) -> Sequence[CaseResult]:
    try:
        return run_heedful(results, conditions.timeout_secs)
    except OutOfTime as late:
        text = f"the suite's time of {late.seconds:g} s ran out while an expectation was at work"
        raise OutOfTimeError(text) from None
    except CheckerBug as bug:
        if bug.trace:
            session.say("info", bug.trace)
        raise


async def _results(
    session: Session,
    suite: Suite,
    conditions: Conditions,
    answers: Answers,
    recorder: Recorder,
    remembered: Remembered,
    by_model: ByModel | None,
) -> Sequence[CaseResult]:
    headway = Headway.of(suite, remembered)
    teller = _Teller(session, has_models=headway.has_models)
    followers: list[Follower] = [recorder.follow]

    def follow(event: Event) -> None:
        for follower in followers:
            follower(event)

    with watched(session, headway) as watch:
        async with answers.opened(session, suite, teller.warn, paces=conditions.jobs == "auto") as (executors, keep):
            followers += (watch, keep, teller.follow, *_counting(session, answers, by_model))
            return await run_suite(suite, executors, follow, conditions, remembered)


def _counting(session: Session, answers: Answers, by_model: ByModel | None) -> Iterator[Follower]:
    """Yield the followers that count something, where anybody wants to know."""
    statistics = session.statistics()
    if answers.are_asked_for and statistics.path is not None:
        yield SuiteStatistics(statistics).follow
    if by_model is not None:

        def count(event: Event) -> None:
            if isinstance(event, RunJudged):
                by_model.add(event.entry)

        yield count


@frozen
class _Teller:
    """Tells on stderr what a user would want to know of before the report."""

    _session: Session
    _has_models: bool = field(kw_only=True)

    def warn(self, text: str) -> None:
        self._session.say("warn", text)

    def follow(self, event: Event) -> None:
        """Tell of answers that another model gave, and of cases that failed where that is asked for."""
        match event:
            case RunAnswered() if event.run.is_from_fallback:
                then = event.run.outcome
                answered = (then.model_requested, then.model_answered, event.run.first_failure)
                self.warn(fallback_text(event.trial.title, *answered))
            case RunJudged(entry=run, is_new=False) if run.first_failure is not None:
                self.warn(fallback_text(event.trial.title, run.model, run.model_answered, run.first_failure))
            case CaseFinished() if not event.result.is_good and self._session.verbosity == "info":
                # The place of an expectation is looked for in its file, so not unless it is shown.
                self._session.say("info", failure(event.result, place_of, has_models=self._has_models))
