"""`gko config expectations`: which keys cases can use, and which distribution answers for each."""

import click

from gekko.cli.exits import Exit
from gekko.cli.options import Leaf
from gekko.cli.session import Session
from gekko.cli.streams import write_result


@click.command("expectations", cls=Leaf)
@click.option("--json", "as_json", is_flag=True, help="List as a JSON array.")
@click.pass_obj
def expectations(session: Session, as_json: bool) -> int:
    """List the expectations that cases can use: each key with its place, and the distribution that brings it."""
    from gekko.checks.registry import discover
    from gekko.report.expectations import expectation_row, expectation_table
    from gekko.report.rows import json_rows

    registry = discover()
    rows = [expectation_row(registry, claim) for claim in registry.claims]
    write_result(json_rows(rows) if as_json else expectation_table(rows))
    return Exit.SUCCESS
