"""`gko config test`: the regression cases of configured commands, judged."""

import gc
import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING

import click

from gekko.cli.exits import Exit
from gekko.cli.interrupts import run_heedful
from gekko.cli.options import AtLeast, Leaf, command_path
from gekko.cli.session import Session
from gekko.cli.streams import tell, write_result
from gekko.cli.suggestions import command_words, models
from gekko.errors import OutputError

if TYPE_CHECKING:
    from gekko.locations import Location
    from gekko.plan.suite import Selection, Suite
    from gekko.run.events import CaseResult, Event, RunAnswered

OBJECTS_UNTIL_GC = 1_000_000
"""Python would look for garbage after 700 new objects; but what is made of a case stays, and a run leaves no cycles."""


@click.command("test", cls=Leaf)
@click.argument("words", nargs=-1, metavar="[WORDS]…", shell_complete=command_words)
@click.option("--model", metavar="ID", shell_complete=models, help="Run every case with this model instead of its own.")
@click.option("--repeat", type=AtLeast(1), default=1, metavar="N", help="Run each case N times.")
@click.option("--json", "as_json", is_flag=True, help="Report as a JSON array.")
@click.option("--dry-run", is_flag=True, help="Show the messages of each case, and send nothing.")
@click.pass_obj
def test(session: Session, words: tuple[str, ...], model: str | None, repeat: int, as_json: bool, dry_run: bool) -> int:
    """Run the regression cases of configured commands.

    WORDS select a command or a group of commands; without them all cases are run.
    """
    from gekko.plan.suite import Selection

    gc.set_threshold(OBJECTS_UNTIL_GC)
    selection = Selection(command_path(words), model)
    if dry_run:
        return _rehearse(session, selection, as_json)
    return _judge(session, selection, repeat, as_json)


def _rehearse(session: Session, selection: "Selection", as_json: bool) -> int:
    from gekko.checks.registry import discover
    from gekko.plan.rehearsal import rehearse
    from gekko.plan.suite import plan_rehearsal
    from gekko.report.rows import json_rows, rehearsal_row
    from gekko.report.table import painter, rehearsal_text

    trials = plan_rehearsal(session.catalog(), discover(), selection, session.environ)
    rehearsals = (rehearse(trial) for trial in trials)
    if as_json:
        write_result(json_rows(rehearsal_row(each) for each in rehearsals))
    else:
        write_result(rehearsal_text(rehearsals, painter(has_colour=session.has_colour)))
    return Exit.SUCCESS


def _judge(session: Session, selection: "Selection", repeat: int, as_json: bool) -> int:
    from gekko.checks.registry import discover
    from gekko.cli.notices import about_the_engine
    from gekko.plan.suite import plan_suite
    from gekko.report.rows import json_rows, result_row
    from gekko.report.table import failures, painter, result_table, summary
    from gekko.run.cases import CheckerBug

    suite = plan_suite(session.catalog(), discover(), selection, session.environ)
    about_the_engine(session, suite.accesses)
    started = monotonic()
    try:
        results = run_heedful(_results(session, suite, repeat))
    except CheckerBug as bug:
        if bug.trace:
            session.say("info", bug.trace)
        raise
    failed = sum(not result.has_passed for result in results)
    if as_json:
        write_result(json_rows(result_row(result) for result in results))
    else:
        write_result(result_table(results, painter(has_colour=session.has_colour), _place))
    if session.is_watched:
        tell(summary(results, monotonic() - started))
    elif failed:
        facts = {"exit_code": int(Exit.OUTPUT), "failed": failed, "cases": len(results)}
        session.utter(OutputError.kind, failures(results), **facts)
    return Exit.OUTPUT if failed else Exit.SUCCESS


async def _results(session: Session, suite: "Suite", repeat: int) -> "Sequence[CaseResult]":
    from gekko.report.progress import Progress
    from gekko.run.cases import run_suite
    from gekko.run.events import CaseFinished, RunAnswered
    from gekko.run.opening import executor

    statistics = session.statistics()
    is_shown = session.is_watched and session.verbosity != "info"  # which has lines of its own
    progress = Progress(sys.stderr, len(suite.trials), is_shown, get_terminal_size().columns)
    results: list[CaseResult] = []

    def follow(event: "Event") -> None:
        progress.follow(event)
        statistics.follow(event)
        match event:
            case RunAnswered() if event.run.is_from_fallback:
                progress.clear()
                session.say("warn", _fallback_text(event))
            case CaseFinished():
                results.append(event.result)
                if not event.result.has_passed:
                    session.say("info", f"{event.result.command} {event.result.case} failed: {event.result.message}")

    try:
        async with executor(suite.accesses, session.state) as ready:
            async for event in run_suite(suite, ready, repeat):
                follow(event)
    finally:
        progress.clear()
    return results


def _fallback_text(event: "RunAnswered") -> str:
    command, case = event.trial.address
    outcome = event.run.outcome
    return (
        f"{command} {case}: '{outcome.model_requested}' failed, and its fallback '{outcome.model_answered}' answered: "
        f"{event.run.first_failure}"
    )


def _place(result: "CaseResult", key: str | None) -> "Location":
    from gekko.errors import Issue
    from gekko.locations import Location
    from gekko.sources.document import pinpoint

    where = Location(result.path, ("expect",) if key is None else ("expect", key))
    return pinpoint([Issue(where, "")])[0].where
