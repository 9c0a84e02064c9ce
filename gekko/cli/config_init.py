"""`gko config init`: a first command with a case, to change into one's own."""

import click

from gekko.cli.exits import Exit
from gekko.cli.notices import EMBEDDED
from gekko.cli.options import Leaf
from gekko.cli.session import Session
from gekko.cli.streams import write_result
from gekko.specs.rules import http_url


def _checked_url(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    try:
        if value is not None:
            http_url(value)
    except ValueError as error:
        raise click.BadParameter("; ".join(map(str, error.args)), context, parameter) from None
    return value


@click.command("init", cls=Leaf)
@click.option(
    "--base-url", metavar="URL", callback=_checked_url, help="The server to ask, instead of the embedded model."
)
@click.option("--model", metavar="NAME", default="default", help="The name of the model on that server.")
@click.pass_obj
def init(session: Session, base_url: str | None, model: str) -> int:
    """Write a first backend, model, command and case into ./.gekko.

    The backend is the embedded model, or the server at --base-url. Nothing that exists is touched.
    """
    from gekko.locations import shown_path
    from gekko.plan.starter import EMBEDDED_WEIGHTS, starter_files, write_starter
    from gekko.sources.processor import engine_problem
    from gekko.sources.weights import WeightsError, find_weights

    written = write_starter(starter_files(base_url, model), session.config_dir or session.cwd / ".gekko")
    write_result("".join(f"{shown_path(path)}\n" for path in written))
    session.note("next: gko config test")
    if base_url is None:
        session.note(EMBEDDED)
        if (problem := engine_problem()) is not None:
            session.say("warn", "; ".join(problem))
        try:
            find_weights(EMBEDDED_WEIGHTS, session.cwd)
        except WeightsError as error:
            session.say("warn", f"{error.problem}; {error.hint}")
    return Exit.SUCCESS
