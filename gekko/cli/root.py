"""The program as a whole: gko's own commands by name, and what becomes of an error."""

import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from gekko._version import __version__
from gekko.cli.exits import Exit
from gekko.cli.options import error_format_in, heed
from gekko.cli.session import COMPLETION, Session, this_session
from gekko.cli.streams import ReaderGone, keep_stdout, tell, write_result
from gekko.cli.tree import OwnGroup, Root
from gekko.errors import GekkoError

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

CONFIG: Final = {
    "check": ("gekko.cli.config_check:check", "Check the configuration, and whether its backends can be reached."),
    "expectations": ("gekko.cli.config_expectations:expectations", "List the expectations that cases can use."),
    "init": ("gekko.cli.config_init:init", "Write a first command with a case into ./.gekko."),
    "models": ("gekko.cli.config_models:models", "List the models that commands can name."),
    "schema": ("gekko.cli.config_schema:schema", "Print the JSON Schema of a kind of file."),
    "test": ("gekko.cli.config_test:test", "Run the regression cases of configured commands."),
}
"""The commands of `gko config`: where each is, and one line about it; none is imported before it is called."""

BACKEND: Final = {
    "logs": ("gekko.cli.backend:logs", "Print the end of a server's log."),
    "serve": ("gekko.cli.backend:serve", "Start a server, and wait until it takes requests."),
    "status": ("gekko.cli.backend:status", "Tell which servers run."),
    "stop": ("gekko.cli.backend:stop", "End a server."),
}
"""The commands of `gko backend`, as above."""

MCP: Final = {
    "serve": ("gekko.cli.mcp_serve:serve", "Offer the configured commands as tools, until the input ends."),
}
"""The commands of `gko mcp`, as above."""

REPORT: Final = {
    "stats": ("gekko.cli.report_stats:stats", "Sum up the runs that GKO_STATS_FILE recorded."),
}
"""The commands of `gko report`, as above."""

BUILT_IN: Final = {
    "backend": ("gekko.cli.root:backend", "Start, watch and end the servers of backends."),
    "completion": ("gekko.cli.completion:completion", "Print what a shell needs to complete gko's commands."),
    "config": ("gekko.cli.root:config", "Inspect and test the configuration."),
    "describe": ("gekko.cli.describe:describe", "Describe a command, or list all, as JSON."),
    "doctor": ("gekko.cli.config_check:doctor", "The same as `gko config check`."),
    "mcp": ("gekko.cli.root:mcp", "Offer the configured commands to programs that speak MCP."),
    "report": ("gekko.cli.report_merge:report", "Report what was recorded."),
}


config = OwnGroup("config", CONFIG, "Inspect and test the configuration.")

backend = OwnGroup("backend", BACKEND, "Start, watch and end the servers of backends that declare [runtime].")

mcp = OwnGroup("mcp", MCP, "Offer the configured commands to programs that speak the Model Context Protocol.")


def run(args: Sequence[str]) -> int:
    """Run the command line *args* and return the exit code; every error of the program ends here."""
    try:
        keep_stdout()
        return _run(args)
    except SystemExit as error:
        # An installed expectation means to end the program, and its code would pass for ours.
        raise RuntimeError("sys.exit() was called") from error
    except ReaderGone as error:
        return error.exit_code
    except (click.UsageError, GekkoError) as error:
        from gekko.cli.complaints import complaint

        found = complaint(error)
        tell(found.written(error_format_in(args)))
        return found.exit_code


def _run(args: Sequence[str]) -> int:
    session = this_session()
    sys.unraisablehook = partial(_tell_lost, session)
    root = Root("gko", BUILT_IN, "Runs prompts kept as configuration, and tests them.")
    root.params.append(_version_option())
    if COMPLETION in session.environ:
        from gekko.cli.completion import answer

        return answer(root, session)
    heed(args, session)
    code: int | None = root.main(list(args), prog_name="gko", standalone_mode=False, obj=session)
    return code or Exit.SUCCESS


def _tell_lost(session: Session, lost: "UnraisableHookArgs") -> None:
    """Tell what was raised where nobody can catch it, such as by an expectation's object that is thrown away."""
    if session.verbosity == "info":
        from traceback import format_exception

        trace = format_exception(lost.exc_type, lost.exc_value, lost.exc_traceback)
        session.say("info", f"{lost.err_msg or 'not caught'}: {''.join(trace).rstrip()}")


def _version_option() -> click.Option:
    def show(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value and not context.resilient_parsing:
            write_result(f"gko {__version__}\n")
            context.exit()

    return click.Option(
        ["--version"], is_flag=True, expose_value=False, is_eager=True, callback=show, help="Show the version."
    )
