"""A suite, run from the command line: who follows it, what is reported, and the exit code that it comes to."""

from collections.abc import Coroutine, Sequence
from time import monotonic
from typing import Any

from gekko.cli.answers import Answers
from gekko.cli.exits import Exit
from gekko.cli.interrupts import OutOfTime, run_heedful
from gekko.cli.notices import about_the_engine
from gekko.cli.selecting import say_if_nothing
from gekko.cli.session import Session
from gekko.cli.streams import tell, write_result
from gekko.cli.suite_record import Keeping, keep_nothing, kept
from gekko.cli.watching import watched
from gekko.errors import BackendError, Issue, OutputError
from gekko.locations import Location
from gekko.plan.selection import Selection
from gekko.plan.suite import Suite
from gekko.record.results import CaseResult
from gekko.report.rows import Extras, json_rows, result_row
from gekko.report.table import failure, failures, painter, result_table, summary
from gekko.run.cases import CheckerBug, Conditions, OutOfTimeError, Remembered, run_suite
from gekko.run.entries import invocation
from gekko.run.events import CaseFinished, Event, RunAnswered
from gekko.run.headway import Headway
from gekko.run.recorder import Recorder
from gekko.sources.document import pinpoint
from gekko.wording import counted


def run_and_report(
    session: Session,
    selection: Selection,
    conditions: Conditions,
    as_json: bool,
    answers: Answers,
    keeping: Keeping,
) -> int:
    """Run the selected cases, write the report, and return the exit code."""
    selection = answers.selection(selection)
    suite = answers.plan(session, selection)
    asked = invocation(selection, fails_on_flaky=conditions.fails_on_flaky, replays=answers.use == "replay")
    extras = Extras(model=len(selection.models) > 1, retries=conditions.jobs == "auto")
    if not suite.trials:
        say_if_nothing(session, selection, suite.trials)
        keep_nothing(session, suite, asked, keeping)
        write_report(session, [], extras, as_json=as_json)
        return Exit.SUCCESS
    about_the_engine(session, suite.accesses)
    started = monotonic()
    with kept(session, suite, asked, keeping) as (recorder, remembered):
        coroutine = _results(session, suite, conditions, answers, recorder, remembered)
        results = _run(session, coroutine, conditions)
        unjudged = len(suite.trials) - len(results)
        recorder.end("stopped" if unjudged else "finished", verdict(results))
    write_report(session, results, extras, as_json=as_json)
    if session.is_watched:
        tell(summary(results, monotonic() - started))
        if unjudged:
            session.note(stopped_early(unjudged))
    else:
        complain(session, results, unjudged)
    return verdict(results)


def write_report(session: Session, results: Sequence[CaseResult], extras: Extras, *, as_json: bool) -> None:
    """Write the rows of all cases to stdout."""
    if as_json:
        write_result(json_rows(result_row(result, extras) for result in results))
    else:
        write_result(result_table(results, painter(has_colour=session.has_colour), place_of, extras))


def verdict(results: Sequence[CaseResult]) -> Exit:
    """Return the exit code that results come to: a failure is worse than a case without an answer."""
    found = {result.result for result in results}
    if "fail" in found:
        return Exit.OUTPUT
    return Exit.BACKEND if "error" in found else Exit.SUCCESS


def complain(session: Session, results: Sequence[CaseResult], unjudged: int = 0) -> None:
    """Say in one line on stderr that not all is well, where that is so."""
    code = verdict(results)
    if code is Exit.SUCCESS:
        return
    bad = {result: sum(each.result == result for each in results) for result in ("fail", "error")}
    facts = {"exit_code": int(code), "failed": bad["fail"], "cases": len(results)}
    if bad["error"]:
        facts["errors"] = bad["error"]
    if unjudged:
        facts["not_run"] = unjudged
    kind = OutputError.kind if code is Exit.OUTPUT else BackendError.kind
    text = failures(results) + (f"; {stopped_early(unjudged)}" if unjudged else "")
    session.utter(kind, text, **facts)


def stopped_early(unjudged: int) -> str:
    """Return the words for cases that were left out."""
    return f"stopped there, {counted(unjudged, 'case')} not run"


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
) -> Sequence[CaseResult]:
    statistics = session.statistics()
    headway = Headway.of(suite, remembered)

    def warn(text: str) -> None:
        session.say("warn", text)

    def follow(event: Event) -> None:
        recorder.follow(event)
        watch(event)
        keep(event)
        if answers.are_asked_for:
            statistics.follow(event)
        match event:
            case RunAnswered() if event.run.is_from_fallback:
                warn(_fallback_text(event))
            case CaseFinished() if not event.result.is_good:
                if session.verbosity == "info":  # the place of an expectation is looked for in its file
                    session.say("info", failure(event.result, place_of, has_models=headway.has_models))

    with watched(session, headway) as watch:
        async with answers.opened(session, suite, warn, paces=conditions.jobs == "auto") as (executors, keep):
            return await run_suite(suite, executors, follow, conditions, remembered)


def _fallback_text(event: RunAnswered) -> str:
    outcome = event.run.outcome
    return (
        f"{event.trial.title}: '{outcome.model_requested}' failed, and its fallback '{outcome.model_answered}' "
        f"answered: {event.run.first_failure}"
    )


def place_of(result: CaseResult, key: str | None) -> Location:
    """Return where in its file a case says what it expects of a key."""
    where = Location(result.path, (*result.expects_at,) if key is None else (*result.expects_at, key))
    return pinpoint([Issue(where, "")])[0].where
