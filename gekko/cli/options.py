"""Options that every command takes, and how click's own words are turned into ours."""

from pathlib import Path

import click

from gekko.cli.session import LEVELS, Session, Verbosity, write_result


def global_options() -> list[click.Parameter]:
    """Return the options that can stand anywhere on the command line."""
    return [
        click.Option(
            ["-v", "--verbose"],
            type=click.Choice(LEVELS),
            expose_value=False,
            callback=_set_verbosity,
            help="How much is said on stderr; warnings by default.",
        ),
        click.Option(
            ["--error-format"],
            metavar="text",
            expose_value=False,
            callback=_check_error_format,
            help="How an error is written on stderr.",
        ),
        click.Option(
            ["--config-dir"],
            metavar="DIR",
            type=click.Path(path_type=Path),
            expose_value=False,
            callback=_set_config_dir,
            help="The folder that is the project's scope, instead of the nearest .gekko.",
        ),
        click.Option(
            ["--help"], is_flag=True, is_eager=True, expose_value=False, callback=_show_help, help="Show this text."
        ),
    ]


def _show_help(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        write_result(f"{context.get_help()}\n")
        context.exit()


def _set_verbosity(context: click.Context, _: click.Parameter, value: Verbosity | None) -> None:
    if value is not None:
        context.ensure_object(Session).verbosity = value


def _set_config_dir(context: click.Context, _: click.Parameter, value: Path | None) -> None:
    if value is not None:
        context.ensure_object(Session).config_dir = value


def _check_error_format(_: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value == "json":
        raise click.BadParameter("'json' is not supported yet; accepted: 'text'", param=parameter)
    if value not in (None, "text"):
        raise click.BadParameter(f"'{value}' is no error format; accepted: 'text'", param=parameter)
