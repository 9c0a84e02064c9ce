"""The tree of commands, gko's own and the configured ones, and what becomes of their errors."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from gekko._version import __version__
from gekko.cli.exits import Exit
from gekko.cli.interrupts import Interrupted
from gekko.cli.options import global_options
from gekko.cli.session import ReaderGone, Session, tell, this_session, write_result
from gekko.errors import ConfigurationError, GekkoError
from gekko.wording import did_you_mean

if TYPE_CHECKING:
    from gekko.plan.catalog import Catalog
    from gekko.sources.listing import CommandPath

CONFIG: Final = {
    "check": ("gekko.cli.config_check:check", "Check the configuration, and whether its backends can be reached."),
    "expectations": ("gekko.cli.config_expectations:expectations", "List the expectations that cases can use."),
    "init": ("gekko.cli.config_init:init", "Write a first command with a case into ./.gekko."),
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

BUILT_IN: Final = {
    "backend": ("gekko.cli.root:backend", "Start, watch and end the servers of backends."),
    "config": ("gekko.cli.root:config", "Inspect and test the configuration."),
    "doctor": ("gekko.cli.config_check:doctor", "The same as `gko config check`."),
}


config = OwnGroup("config", CONFIG, "Inspect and test the configuration.")

backend = OwnGroup("backend", BACKEND, "Start, watch and end the servers of backends that declare [runtime].")


def run(args: Sequence[str]) -> int:
    """Run the command line *args* and return the exit code; every error of the program ends here."""
    error_format: ErrorFormat = "json" if _named("--error-format", args) == "json" else "text"
    try:
        return _run(args, error_format)
    except Interrupted as interrupted:
        return int(interrupted.code or 0)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except ReaderGone as error:
        return error.exit_code
    except (click.UsageError, GekkoError) as error:
        from gekko.cli.complaints import complaint

        found = complaint(error)
        tell(found.written(error_format))
        return found.exit_code


def _run(args: Sequence[str], error_format: ErrorFormat) -> int:
    session = this_session()
    session.error_format = error_format
    root = Root("gko", BUILT_IN, "Runs prompts kept as configuration, and tests them.")
    root.params.append(_version_option())
    if VARIABLE in session.environ:
        from gekko.cli.completion import answer

        return answer(root, session)
    session.config_dir = named_folder(args)
    code: int | None = root.main(list(args), prog_name="gko", standalone_mode=False, obj=session)
    return code or Exit.SUCCESS


def _named(option: str, args: Sequence[str]) -> str | None:
    """Return the value of a global option, wherever it stands, even after what click stumbles over."""
    named: str | None = None
    for index, arg in enumerate(args):
        if arg == "--":
            break
        if arg == option and index + 1 < len(args):
            named = args[index + 1]
        elif arg.startswith(f"{option}="):
            named = arg.removeprefix(f"{option}=")
    return named


def _version_option() -> click.Option:
    def show(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value and not context.resilient_parsing:
            write_result(f"gko {__version__}\n")
            context.exit()

    return click.Option(
        ["--version"], is_flag=True, expose_value=False, is_eager=True, callback=show, help="Show the version."
    )
