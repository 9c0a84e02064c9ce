"""`gko report stats`: what the runs in a statistics file came to."""

from pathlib import Path

import click

from gekko.cli.exits import Exit
from gekko.cli.options import Leaf
from gekko.cli.session import Session
from gekko.cli.streams import write_result


@click.command("stats", cls=Leaf)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Report as a JSON array.")
@click.pass_obj
def stats(session: Session, file: Path, as_json: bool) -> int:
    """Sum up the runs in FILE, which GKO_STATS_FILE named when they were recorded.

    There is a row for each command and model: runs, failures, durations, tokens, and how often the fallback was asked.
    """
    from gekko.report.rows import json_rows
    from gekko.report.totals import totals_row, totals_table
    from gekko.run.run_records import read_records
    from gekko.run.totals import totals

    found = totals(read_records(session.cwd / file, lambda text: session.say("warn", text)))
    write_result(json_rows(totals_row(each) for each in found) if as_json else totals_table(found))
    return Exit.SUCCESS
