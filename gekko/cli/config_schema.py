"""`gko config schema`: the JSON Schema of a kind of file, for editors."""

import json

import click

from gekko.cli.exits import Exit
from gekko.cli.options import global_options
from gekko.cli.session import Session, write_result
from gekko.errors import UsageError

KINDS = ("backend", "model", "command", "test")


@click.command("schema", params=global_options())
@click.argument("kind", metavar="KIND", type=click.Choice(KINDS))
@click.pass_obj
def schema(session: Session, kind: str) -> int:
    """Print the JSON Schema of a kind of file: test.

    It comes from what reads the files, and for cases from the installed expectations. It works when the configuration
    is broken.
    """
    if kind != "test":
        raise UsageError(f"the schema of a {kind} file is not supported yet; accepted: 'test'")
    from gekko.checks.registry import discover
    from gekko.plan.file_schemas import case_schema

    composed = case_schema(discover(), lambda text: session.say("warn", text))
    write_result(json.dumps(composed, ensure_ascii=False, indent=2) + "\n")
    return Exit.SUCCESS
