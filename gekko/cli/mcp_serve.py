"""`gko mcp serve`: the configured commands as tools, over standard input and output."""

import os
import sys
from typing import TYPE_CHECKING

import click

from gekko.cli.exits import Exit
from gekko.cli.interrupts import run_heedful
from gekko.cli.options import Leaf
from gekko.cli.session import Session
from gekko.cli.streams import ReaderGone, is_terminal, result_descriptor
from gekko.errors import InputOutputError, UsageError

if TYPE_CHECKING:
    from gekko.mcp.tools import Toolbox


@click.command("serve", cls=Leaf)
@click.pass_obj
def serve(session: Session) -> int:
    """Offer every configured command as a tool to the program that started this one.

    The two speak the Model Context Protocol over standard input and output, until the input ends. The configuration is
    read once, at the start.
    """
    _require_sdk()
    from gekko.mcp.tools import toolbox
    from gekko.sources.document import pinpoint

    if sys.stdin is None:
        raise InputOutputError("standard input is closed")
    offered = toolbox(session.catalog(), session.environ)
    for each in offered.left_out:
        reasons = "\n  ".join(map(str, pinpoint(each.issues)))
        session.say("warn", f"'{' '.join(each.words)}' is no tool: {reasons}")
    if is_terminal(sys.stdin):
        session.note("waiting for a program that speaks MCP; Ctrl-C ends this")
    try:
        run_heedful(_serve(session, offered))
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        raise InputOutputError(f"standard output: {error.strerror}") from error
    return Exit.SUCCESS


def _require_sdk() -> None:
    try:
        import gekko.mcp.server  # noqa: F401 - to see whether it can be
    except ImportError as error:
        raise UsageError(f"what speaks MCP is not installed ({error}); pip install 'gko[mcp]'") from None


async def _serve(session: Session, offered: "Toolbox") -> None:
    from gekko.mcp.calls import Caller
    from gekko.mcp.server import serve
    from gekko.mcp.streams import Lines, Outlet
    from gekko.run.opening import executor

    # A thread that is stuck in a stream of the interpreter's own would keep it from ending.
    lines = Lines(os.fdopen(os.dup(sys.stdin.fileno()), "rb"))
    outlet = Outlet(result_descriptor())
    async with executor(offered.accesses, session.state, lambda text: session.say("warn", text)) as ready:
        caller = Caller(ready, session.cwd, session.statistics())
        await serve(offered.tools, caller.call, lines, outlet)
