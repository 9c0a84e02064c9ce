"""`gko config test --list`: the cases that would run, and nothing done with them."""

from typing import TYPE_CHECKING

from gekko.cli.exits import Exit
from gekko.cli.selecting import say_if_nothing
from gekko.cli.session import Session
from gekko.cli.streams import write_result

if TYPE_CHECKING:
    from gekko.plan.selection import Selection


def list_cases(session: Session, selection: "Selection", *, as_json: bool) -> int:
    """Write the rows of the selected cases, which are all checked, to stdout."""
    from gekko.checks.registry import discover
    from gekko.plan.suite import plan_rehearsal
    from gekko.report.listing import trial_row, trial_table
    from gekko.report.rows import Extras, json_rows

    trials = plan_rehearsal(session.catalog(), discover(), selection, session.environ)
    say_if_nothing(session, selection, trials)
    if as_json:
        write_result(json_rows(map(trial_row, trials)))
    else:
        write_result(trial_table(trials, Extras(model=len(selection.models) > 1)))
    return Exit.SUCCESS
