"""`gko config schema`: the JSON Schema of a kind of file, for editors."""

import json
from typing import Final

import click

from gekko.cli.exits import Exit
from gekko.cli.options import Leaf, OneOf
from gekko.cli.session import Session
from gekko.cli.streams import write_result

KINDS: Final = ("backend", "model", "command", "test", "recording", "record")


@click.command("schema", cls=Leaf)
@click.argument("kind", metavar="KIND", type=OneOf(KINDS))
@click.pass_obj
def schema(session: Session, kind: str) -> int:
    """Print the JSON Schema of a kind of file: backend, model, command, test, recording or record.

    That of a command is for its front matter, those of a recording and of a record for each of their lines. A schema
    comes from what reads the files, and for cases from the installed expectations. It works when the configuration is
    broken.
    """
    write_result(json.dumps(_schema(session, kind), ensure_ascii=False, indent=2) + "\n")
    return Exit.SUCCESS


def _schema(session: Session, kind: str) -> dict[str, object]:
    from gekko.plan.file_schemas import backend_schema, case_schema, command_schema, model_schema

    match kind:
        case "backend":
            return backend_schema()
        case "model":
            return model_schema()
        case "command":
            return command_schema()
        case "recording":
            from gekko.record.recordings import Line
            from gekko.specs.shape import file_schema

            return file_schema("A line of a recording of gko", Line)
        case "record":
            from gekko.record.entries import Entry
            from gekko.specs.shape import file_schema

            return file_schema("A line of a record of gko", Entry)
        case _:
            from gekko.checks.registry import discover

            return case_schema(discover(), lambda text: session.say("warn", text))
