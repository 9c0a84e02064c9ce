"""`gko config models`: which models commands can name."""

import click

from gekko.cli.exits import Exit
from gekko.cli.options import Leaf
from gekko.cli.session import Session
from gekko.cli.streams import write_result


@click.command("models", cls=Leaf)
@click.option("--json", "as_json", is_flag=True, help="List as a JSON array.")
@click.pass_obj
def models(session: Session, as_json: bool) -> int:
    """List the models that commands can name, with the backend and operation that each one names.

    They are told as they are written; whether a backend has the operation says `gko config check`.
    """
    from gekko.report.models import model_row, model_table
    from gekko.report.rows import json_rows

    rows = [model_row(model.spec) for _, model in sorted(session.catalog().models.items())]
    write_result(json_rows(rows) if as_json else model_table(rows))
    return Exit.SUCCESS
