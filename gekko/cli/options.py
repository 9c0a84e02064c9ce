"""What every command takes, and types of values whose refusals speak as the rest of gko does."""

from collections.abc import Iterable, Sequence
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gekko.cli.session import ERROR_FORMATS, LEVELS, ErrorFormat, Session
from gekko.cli.streams import write_result
from gekko.cli.suggestions import folders
from gekko.errors import UsageError
from gekko.wording import did_you_mean, joined, one_of

if TYPE_CHECKING:
    from gekko.sources.listing import CommandPath
    from gekko.suites.lineup import Jobs


class OneOf(click.Choice[str]):
    """One of a few words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
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

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the integer."""
        try:
            number = int(value)
        except ValueError:
            number = None
        if number is None or number < self.bound:
            self.fail(_unexpected(f"an integer of at least {self.bound}", value), param, ctx)
        return number


class JobCount(click.ParamType["Jobs"]):
    """An integer that is at least 1, or the word that leaves it to gko."""

    name = "jobs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Jobs":
        """Return the integer, or the word."""
        if value == "auto":
            return "auto"
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            near = did_you_mean(value, ("auto",))
            self.fail(_unexpected("an integer of at least 1, or auto", value, near), param, ctx)
        return number


class Seconds(click.ParamType[float]):
    """A number of seconds, greater than 0."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        try:
            number = float(value)
        except ValueError:
            number = nan
        if not 0 < number < inf:
            self.fail(_unexpected("a number of seconds greater than 0", value), param, ctx)
        return number


class Leaf(click.Command):
    """A command that is run, not a group: it takes the global options, and says what it accepts."""

    def __init__(self, *args: Any, reads_stdin: bool = False, **attributes: Any) -> None:
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
        names = [name_of(param) for param in self.params if isinstance(param, click.Argument)]
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
            shell_complete=folders,
            help="The folder that is the project's scope, instead of the nearest .gekko.",
        ),
        click.Option(
            ["--help"], is_flag=True, is_eager=True, expose_value=False, callback=_show_help, help="Show this text."
        ),
    ]


def name_of(param: click.Parameter) -> str:
    """Return what a parameter is called where it is complained of: "--verbose", "KIND"."""
    if isinstance(param, click.Argument):
        return param.metavar or param.human_readable_name
    return max(param.opts, key=len)


def heed(args: Sequence[str], session: Session) -> None:
    """Set up the session as the global options in *args* say, wherever they stand.

    This is done before click reads them: a configured command cannot be found without `--config-dir`, and how an error
    is told must be known of one that comes before `--error-format`. Click checks the values and explains the options.

    Raises:
        UsageError: the folder's name is empty.
    """
    session.error_format = error_format_in(args)
    if (folder := _value_in(args, "--config-dir")) is not None:
        if not folder:  # such as a variable that is unset; as a path it would be the current folder
            raise UsageError("--config-dir: the name of the folder is empty")
        session.config_dir = Path(folder)
    for level in LEVELS:
        if level == _value_in(args, "--verbose", "-v"):
            session.set_verbosity(level)


def command_path(words: Iterable[str]) -> "CommandPath":
    """Return the command path that words on the command line name: `git review` and `git/review` are one."""
    return tuple(step for word in words for step in word.split("/") if step)


def error_format_in(args: Sequence[str]) -> ErrorFormat:
    """Return how errors are to be told."""
    return "json" if _value_in(args, "--error-format") == "json" else "text"


def _value_in(args: Sequence[str], *options: str) -> str | None:
    """Return the last value that an option is given, whichever of its names is used."""
    value: str | None = None
    for index, arg in enumerate(args):
        if arg == "--":
            break
        if arg in options:
            value = args[index + 1] if index + 1 < len(args) else value
        for option in options:
            start = f"{option}=" if option.startswith("--") else option
            if arg.startswith(start) and arg != option:
                value = arg.removeprefix(start)
    return value


def _unexpected(expected: str, found: str, near: str = "") -> str:
    return joined(f"expected {expected}, found '{found}'", near)


def _show_help(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        write_result(f"{context.get_help()}\n")
        context.exit()
