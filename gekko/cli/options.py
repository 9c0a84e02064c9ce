"""What every command takes, and types of values whose refusals speak as the rest of gko does."""

from pathlib import Path
from typing import Any

import click

from gekko.cli.session import ERROR_FORMATS, LEVELS, Session, Verbosity, write_result
from gekko.cli.suggestions import folders
from gekko.wording import did_you_mean, one_of


class OneOf(click.Choice[str]):
    """One of a few words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401 - as click has it
        """Return the word."""
        if value not in self.choices:
            words = tuple(self.choices)
            self.fail(_unexpected(one_of(words), value, did_you_mean(value, words)), param, ctx)
        return str(value)


class AtLeast(click.ParamType[int]):
    """An integer that is not below a bound."""

    name = "integer"

    def __init__(self, bound: int) -> None:
        self.bound = bound

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401 - as click has it
        """Return the integer."""
        try:
            number = int(value)
        except ValueError:
            number = None
        if number is None or number < self.bound:
            self.fail(_unexpected(f"an integer of at least {self.bound}", value), param, ctx)
        return number


class Leaf(click.Command):
    """A command that is run, not a group: it takes the global options, and says what it accepts."""

    def __init__(self, *args: Any, reads_stdin: bool = False, **attributes: Any) -> None:  # noqa: ANN401 - click's own
        super().__init__(*args, **attributes)
        self.params += global_options()
        self._reads_stdin = reads_stdin

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments apart; one too many is refused here, where it is known what is accepted."""
        ctx.allow_extra_args = True
        surplus = super().parse_args(ctx, args)
        if surplus and not ctx.resilient_parsing:
            ctx.fail(f"unexpected argument '{surplus[0]}'; {self._accepted()}")
        return surplus

    def _accepted(self) -> str:
        names = [param.metavar or param.human_readable_name for param in self.params if isinstance(param, click.Argument)]
        if names:
            return f"accepted: {' '.join(names)}"
        return "the input is read from standard input" if self._reads_stdin else "accepted: options alone"


def global_options() -> list[click.Parameter]:
    """Return the options that can stand anywhere on the command line."""
    return [
        click.Option(
            ["-v", "--verbose"],
            metavar="LEVEL",
            type=OneOf(LEVELS),
            expose_value=False,
            callback=_set_verbosity,
            help="How much is said on stderr: error, warn (the default) or info.",
        ),
        click.Option(
            ["--error-format"],
            metavar="FORMAT",
            type=OneOf(ERROR_FORMATS),
            expose_value=False,
            help="How it is said: text (the default), or json, one object a line.",
        ),
        click.Option(
            ["--config-dir"],
            metavar="DIR",
            type=click.Path(path_type=Path),
            expose_value=False,
            callback=_set_config_dir,
            shell_complete=folders,
            help="The folder that is the project's scope, instead of the nearest .gekko.",
        ),
        click.Option(
            ["--help"], is_flag=True, is_eager=True, expose_value=False, callback=_show_help, help="Show this text."
        ),
    ]


def _unexpected(expected: str, found: str, near: str = "") -> str:
    return "; ".join(filter(None, (f"expected {expected}, found '{found}'", near)))


def _show_help(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        write_result(f"{context.get_help()}\n")
        context.exit()


def _set_verbosity(context: click.Context, _: click.Parameter, value: Verbosity | None) -> None:
    if value is not None:
        context.ensure_object(Session).set_verbosity(value)


def _set_config_dir(context: click.Context, _: click.Parameter, value: Path | None) -> None:
    if value is not None:
        context.ensure_object(Session).config_dir = value
