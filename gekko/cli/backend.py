"""`gko backend serve|stop|status|logs`: the servers that backends declare under `[runtime]`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from gekko.cli.exits import Exit
from gekko.cli.interrupts import run_heedful
from gekko.cli.options import AtLeast, Leaf
from gekko.cli.session import Session
from gekko.cli.streams import write_result
from gekko.cli.suggestions import models

if TYPE_CHECKING:
    from gekko.run.runtimes.lifecycle import Condition, Runtimes

LOG_LINES = 100


@click.command("serve", cls=Leaf)
@click.argument("model", metavar="MODEL", shell_complete=models)
@click.pass_obj
def serve(session: Session, model: str) -> int:
    """Start the server of MODEL's backend, and wait until it takes requests.

    It goes on when gko has ended, until `gko backend stop`. Where it runs already, nothing is done.
    """
    from gekko.plan.runtimes import launch, service
    from gekko.report.runtimes import told

    wanted = service(session.catalog(), model)
    found = launch(wanted, session.environ)
    if session.is_watched:
        session.note(f"{model}: waiting until {wanted.url} takes requests")
    served = run_heedful(_runtimes(session).serve(wanted, found, _tell_waiting(session, model)))
    if served.record.settings != wanted.settings:
        session.say("warn", f"'{model}' runs with the settings that it was started with; to change: stop, then serve")
    write_result(told(model, "running" if served.is_new else "running already", served.record))
    return Exit.SUCCESS


@click.command("stop", cls=Leaf)
@click.argument("model", metavar="MODEL", shell_complete=models)
@click.pass_obj
def stop(session: Session, model: str) -> int:
    """End the server of MODEL's backend; its log is kept. Where it does not run, nothing is done."""
    from gekko.plan.runtimes import service
    from gekko.report.runtimes import told

    wanted = service(session.catalog(), model)
    stopped = run_heedful(_runtimes(session).stop(wanted, _tell_waiting(session, model)))
    write_result(told(model, "stopped", stopped) if stopped else f"{model}: not running\n")
    return Exit.SUCCESS


@click.command("status", cls=Leaf)
@click.argument("model", metavar="[MODEL]", required=False, shell_complete=models)
@click.option("--json", "as_json", is_flag=True, help="Report as a JSON array.")
@click.pass_obj
def status(session: Session, model: str | None, as_json: bool) -> int:
    """Tell which servers run: of all models whose backend has a [runtime], or of MODEL.

    With MODEL the exit code is 3 unless its server takes requests.
    """
    import asyncio

    from gekko.plan.runtimes import service, services
    from gekko.report.rows import json_rows
    from gekko.report.runtimes import condition_row, condition_table

    catalog = session.catalog()
    wanted = list(services(catalog)) if model is None else [service(catalog, model)]
    runtimes = _runtimes(session)

    async def looked_at() -> "list[Condition]":
        return await asyncio.gather(*(runtimes.condition(each) for each in wanted))

    found = run_heedful(looked_at())
    if as_json:
        write_result(json_rows(condition_row(each, runtimes) for each in found))
    else:
        write_result(condition_table(found))
    is_wanting = model is not None and found[0].state != "running"
    return Exit.BACKEND if is_wanting else Exit.SUCCESS


@click.command("logs", cls=Leaf)
@click.argument("model", metavar="MODEL", shell_complete=models)
@click.option(
    "-n", "--lines", metavar="N", type=AtLeast(1), default=LOG_LINES, show_default=True, help="At most so many lines."
)
@click.pass_obj
def logs(session: Session, model: str, lines: int) -> int:
    """Print the end of what the server of MODEL's backend wrote, running or not."""
    from gekko.plan.runtimes import service

    wanted = service(session.catalog(), model)
    said = run_heedful(_runtimes(session).log_tail(wanted, lines))
    if not said:
        session.say("warn", f"'{model}' has written nothing yet")
    write_result(said.decode("utf-8", "surrogateescape"))
    return Exit.SUCCESS


def _runtimes(session: Session) -> "Runtimes":
    from gekko.run.runtimes.lifecycle import Runtimes

    return Runtimes(session.state / "runtimes")


def _tell_waiting(session: Session, model: str) -> Callable[[], None]:
    return lambda: session.note(f"{model}: another gko starts or ends a server there; waiting for it")
