"""`--record`, `--replay` and `--recheck`: what `gko config test` can do with answers other than ask for them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from gekko.cli.options import Leaf, OneOf
from gekko.cli.session import Session
from gekko.cli.suggestions import files
from gekko.errors import UsageError

if TYPE_CHECKING:
    from gekko.cli.answers import Answers

F = TypeVar("F", bound=Callable[..., Any])

ALONE: Final = "alone"

MISSING: Final = "missing"

ALTERNATIVES: Final = ("record", "replay", "recheck", "resume", "lists", "dry_run")
"""Of these options there can be one: each says where all answers come from, or that none are wanted."""


class ReplayingLeaf(Leaf):
    """A command with the option `--replay[=missing]`, which has a value of its own and never takes the next word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give the option its value."""
        end = args.index("--") if "--" in args else len(args)
        own = [f"--replay={ALONE}" if arg == "--replay" else arg for arg in args[:end]]
        return super().parse_args(ctx, [*own, *args[end:]])


def recording_options(command: F) -> F:
    """Give a command the options."""
    options = (
        click.option("--record", is_flag=True, help="Keep every answer, in a recording beside its case."),
        click.option(
            "--replay",
            type=OneOf((MISSING, ALONE)),
            metavar="[=missing]",
            shell_complete=lambda *_: [],  # it takes no word that follows it
            help="Answer from recordings, and ask nobody; with =missing, record what they lack.",
        ),
        click.option(
            "--recheck",
            type=click.Path(path_type=Path),
            metavar="RECORD",
            shell_complete=files,
            help="Judge the outputs of a record again, and ask nobody.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def answers_of(session: Session, options: Mapping[str, Any]) -> "Answers":
    """Return where the answers come from.

    Raises:
        InputOutputError: the record to be judged again is none, or cannot be read.
    """
    from gekko.cli.answers import Answers

    if options["record"]:
        return Answers("record")
    if options["replay"] is not None:
        return Answers("missing" if options["replay"] == MISSING else "replay")
    if options["recheck"] is None:
        return Answers()
    from gekko.record.reading import read_record
    from gekko.suites.rechecking import require_intact

    record = read_record(session.cwd / options["recheck"])
    require_intact(record)
    return Answers(record=record)


def refuse_alternatives(options: Mapping[str, Any]) -> None:
    """Raise UsageError where two options are given of which there can be one."""
    given = [f"--{'list' if name == 'lists' else name.replace('_', '-')}" for name in ALTERNATIVES if options.get(name)]
    if given == ["--record", "--resume"]:
        raise UsageError("--record and --resume exclude each other; --replay=missing records what is missing yet")
    if len(given) > 1:
        raise UsageError(f"{given[0]} and {given[1]} exclude each other")
