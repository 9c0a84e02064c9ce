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


class Group(click.Group):
    """A group that takes the global options, and knows the nearest name for a misspelt one."""

    def __init__(self, name: str | None, text: str | None = None) -> None:
        super().__init__(name, help=text, params=global_options(), subcommand_metavar="COMMAND [ARGS]…")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, and what is left for it."""
        command = self.get_command(ctx, args[0])
        if command is None and not ctx.resilient_parsing:
            near = did_you_mean(args[0], self.list_commands(ctx))
            ctx.fail("; ".join(filter(None, (f"'{ctx.command_path}' has no command '{args[0]}'", near))))
        return args[0] if command else None, command, args[1:]


class OwnGroup(Group):
    """A group of gko's own commands, each imported when it is called."""

    def __init__(self, name: str, entries: Mapping[str, tuple[str, str]], text: str) -> None:
        super().__init__(name, text)
        self._entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in self._entries:
            return None
        module, _, attribute = self._entries[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with one line about each."""
        _section(formatter, "Commands", [(name, self._entries[name][1]) for name in sorted(self._entries)])


class Root(OwnGroup):
    """`gko` itself: its own commands, and beside them those that the user configured."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the first words of all commands."""
        return sorted({*self._entries, *(words[0] for words in _catalog(ctx).command_files)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command of gko's own, or a configured one, or a group of those."""
        return super().get_command(ctx, cmd_name) or configured(_catalog(ctx), (cmd_name,))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the configured commands and gko's own, each in a section."""
        try:
            rows = described(_catalog(ctx))
        except GekkoError:
            formatter.write_paragraph()
            formatter.write_text("The configuration is broken; `gko doctor` says why.")
        else:
            _section(formatter, "Configured commands", rows)
        super().format_commands(ctx, formatter)


class ConfiguredGroup(Group):
    """A folder of configured commands."""

    def __init__(self, catalog: "Catalog", words: "CommandPath") -> None:
        super().__init__(words[-1])
        self._catalog = catalog
        self._words = words

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the next words of the commands below."""
        depth = len(self._words)
        return sorted({words[depth] for words in self._catalog.below(self._words)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command or group of that name."""
        return configured(self._catalog, (*self._words, cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands below with their descriptions."""
        _section(formatter, "Commands", described(self._catalog, self._words))


config = OwnGroup("config", CONFIG, "Inspect and test the configuration.")

backend = OwnGroup("backend", BACKEND, "Start, watch and end the servers of backends that declare [runtime].")


def configured(catalog: "Catalog", words: "CommandPath") -> click.Command | None:
    """Return the configured command or group at *words*, or None.

    Raises:
        ConfigurationError: the command's file is wrong, or its path is.
    """
    if words in catalog.command_files:
        from gekko.cli.run_command import runner

        return runner(catalog, words)
    if troubles := catalog.troubles(words):
        raise ConfigurationError(troubles)
    return ConfiguredGroup(catalog, words) if catalog.below(words) else None


def described(catalog: "Catalog", within: "CommandPath" = ()) -> list[tuple[str, str]]:
    """Return every command below *within* with its description; a broken one says that it is."""
    rows: list[tuple[str, str]] = []
    for words in catalog.below(within):
        try:
            text = catalog.command(words).front.description
        except ConfigurationError:
            text = "(broken; `gko doctor` says why)"
        rows.append((" ".join(words[len(within) :]), text))
    return rows


def run(args: Sequence[str]) -> int:
    """Run the command line *args* and return the exit code; every error of the program ends here."""
    try:
        session = this_session()
        session.config_dir = _named_config_dir(args)
        root = Root("gko", BUILT_IN, "Runs prompts kept as configuration, and tests them.")
        root.params.append(_version_option())
        code = root.main(list(args), prog_name="gko", standalone_mode=False, obj=session)
    except Interrupted as interrupted:
        return interrupted.code
    except SystemExit as error:
        # Some installed expectation means to end the program, and its code would pass for ours.
        raise RuntimeError("sys.exit() was called") from error
    except ReaderGone as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        tell(error.message)
        return Exit.CONFIGURATION
    except click.UsageError as error:
        tell(_usage_text(error))
        return Exit.CONFIGURATION
    except ConfigurationError as error:
        tell(_issues_text(error))
        return error.exit_code
    except GekkoError as error:
        tell(f"error: {error}")
        return error.exit_code
    return code or Exit.SUCCESS


def _issues_text(error: ConfigurationError) -> str:
    from gekko.sources.document import pinpoint

    return "\n".join(f"error: {issue}" for issue in pinpoint(error.issues))


def _usage_text(error: click.UsageError) -> str:
    hint = f"\ntry: {error.ctx.command_path} --help" if error.ctx is not None else ""
    return f"error: {error.format_message()}{hint}"


def _named_config_dir(args: Sequence[str]) -> Path | None:
    """Return what `--config-dir` names, wherever it stands: a configured command cannot be found without it."""
    named: str | None = None
    for index, arg in enumerate(args):
        if arg == "--":
            break
        if arg == "--config-dir" and index + 1 < len(args):
            named = args[index + 1]
        elif arg.startswith("--config-dir="):
            named = arg.removeprefix("--config-dir=")
    return Path(named) if named is not None else None


def _version_option() -> click.Option:
    def show(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value and not context.resilient_parsing:
            write_result(f"gko {__version__}\n")
            context.exit()

    return click.Option(
        ["--version"], is_flag=True, expose_value=False, is_eager=True, callback=show, help="Show the version."
    )


def _catalog(context: click.Context) -> "Catalog":
    return context.ensure_object(Session).catalog()


def _section(formatter: click.HelpFormatter, title: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)
