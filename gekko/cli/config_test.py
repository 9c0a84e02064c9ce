"""`gko config test`: the regression cases of configured commands, judged."""

import gc
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from gekko.cli.exits import Exit
from gekko.cli.options import AtLeast, JobCount, Seconds
from gekko.cli.recording import ReplayingLeaf, answers_of, recording_options, refuse_alternatives
from gekko.cli.selecting import CHANGED, SelectingLeaf, ShardOf, say_if_nothing, selection_of
from gekko.cli.session import Session
from gekko.cli.streams import write_result
from gekko.cli.suggestions import case_names, case_words, files, models, tags
from gekko.errors import UsageError

if TYPE_CHECKING:
    from gekko.plan.selection import Selection
    from gekko.suites.cases import Conditions

OBJECTS_UNTIL_GC = 50_000
"""Python would look for garbage after 700 new objects; but most of what is made of a case stays, and little is left."""


class TestLeaf(ReplayingLeaf, SelectingLeaf):
    """A command with options whose value may be left out."""


@click.command("test", cls=TestLeaf)
@click.argument("words", nargs=-1, metavar="[WORDS]…", shell_complete=case_words)
@click.option(
    "--case",
    "cases",
    multiple=True,
    metavar="GLOB",
    shell_complete=case_names,
    help="Only cases whose name fits, or, with a / in it, command/path/name; several: any of them.",
)
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="TAG",
    shell_complete=tags,
    help="Only cases that have this tag; several: any of them.",
)
@click.option("--failed", is_flag=True, help="Only what failed or was not judged in the last run.")
@click.option(
    CHANGED,
    metavar="[REF]",
    help="Only what has changed since a commit of git, which is HEAD where none is named.",
)
@click.option("--shard", type=ShardOf(), metavar="I/N", help="Only the I-th of N parts of the cases.")
@click.option("--list", "lists", is_flag=True, help="List the cases that would run, and send nothing.")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="ID",
    shell_complete=models,
    help="Run every case with this model instead of its own; several: with each of them.",
)
@click.option("--repeat", type=AtLeast(1), metavar="N", help="Run each case N times, whatever it says itself.")
@recording_options
@click.option("--save", metavar="FILE", shell_complete=files, help="Write a record of the suite, once it has ended.")
@click.option("--resume", is_flag=True, help="Go on with the last suite, however it ended, and run what is left.")
@click.option(
    "--jobs",
    type=JobCount(),
    default=1,
    metavar="N|auto",
    help="Run so many cases at a time, or what pays (default 1).",
)
@click.option("--keep-going", is_flag=True, help="Count a case that gets no answer as an error, and go on.")
@click.option("--max-fail", type=AtLeast(1), metavar="N", help="Stop after N cases that failed or got no answer.")
@click.option("--fail-on-flaky", is_flag=True, help="Fail a case of which some runs pass and some do not.")
@click.option("--timeout", type=Seconds(), metavar="SECS", help="Stop the whole suite after so many seconds.")
@click.option("--json", "as_json", is_flag=True, help="Report as a JSON array.")
@click.option("--dry-run", is_flag=True, help="Show the messages of each case, and send nothing.")
@click.pass_obj
def test(session: Session, /, words: tuple[str, ...], as_json: bool, dry_run: bool, **options: Any) -> int:
    """Run the regression cases of configured commands.

    WORDS select a command or a group of commands, or are case files; without them all cases are run.
    """
    gc.set_threshold(OBJECTS_UNTIL_GC)
    if nameless := [word for word in words if not word.strip("/")]:
        raise UsageError(f"'{nameless[0]}' names no command; accepted: a command path, or case files")
    refuse_alternatives({**options, "dry_run": dry_run})
    if options["save"] is not None and (options["lists"] or dry_run):
        raise UsageError(f"--save and {'--list' if options['lists'] else '--dry-run'} exclude each other: nothing runs")
    if options["resume"]:
        return _resume(session, words, options, as_json=as_json)
    selection = selection_of(session, words, options)
    if options["lists"]:
        from gekko.cli.listing import list_cases

        return list_cases(session, selection, as_json=as_json)
    if dry_run:
        return _rehearse(session, selection, as_json=as_json)
    from gekko.cli.suite_record import keeping_of
    from gekko.cli.suite_run import run_and_report

    answers, keeping = answers_of(session, options), keeping_of(session, options)
    return run_and_report(session, selection, _conditions(options), answers, keeping, as_json=as_json)


def _resume(session: Session, words: tuple[str, ...], options: Mapping[str, Any], *, as_json: bool) -> int:
    from gekko.cli.suite_record import keeping_of, past_suite
    from gekko.cli.suite_run import run_and_report
    from gekko.suites.resuming import selection_of_record

    past = past_suite(session, words, options)
    fails_on_flaky = options["fail_on_flaky"] or past.suite.invocation.fail_on_flaky
    conditions = _conditions({**options, "fail_on_flaky": fails_on_flaky})
    answers, keeping = answers_of(session, options), keeping_of(session, options, past)
    return run_and_report(session, selection_of_record(past), conditions, answers, keeping, as_json=as_json)


def _conditions(options: Mapping[str, Any]) -> "Conditions":
    from gekko.suites.cases import Conditions

    return Conditions(
        jobs=options["jobs"],
        keeps_going=options["keep_going"],
        max_fail=options["max_fail"],
        timeout_secs=options["timeout"],
        fails_on_flaky=options["fail_on_flaky"],
    )


def _rehearse(session: Session, selection: "Selection", *, as_json: bool) -> int:
    from gekko.checks.registry import discover
    from gekko.plan.rehearsal import rehearse
    from gekko.plan.suite import plan_rehearsal
    from gekko.report.rows import json_rows, rehearsal_row
    from gekko.report.table import painter, rehearsal_text

    trials = plan_rehearsal(session.catalog(), discover(), selection, session.environ)
    say_if_nothing(session, selection, trials)
    rehearsals = (rehearse(trial) for trial in trials)
    if as_json:
        write_result(json_rows(rehearsal_row(each) for each in rehearsals))
    else:
        write_result(rehearsal_text(rehearsals, painter(has_colour=session.has_colour)))
    return Exit.SUCCESS
