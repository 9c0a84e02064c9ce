"""`gko config test --record`, `--replay`: where the answers of a suite come from, and where they are kept."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from gekko.cli.options import Leaf, OneOf
from gekko.cli.session import Session
from gekko.errors import UsageError

if TYPE_CHECKING:
    from gekko.plan.suite import Suite
    from gekko.run.cases import Executors
    from gekko.run.events import Follower
    from gekko.run.recordings import Use

REPLAY: Final = "--replay"

ALONE, MISSING = "alone", "missing"


class ReplayingLeaf(Leaf):
    """A command with the option `--replay[=missing]`: bare, it has a value of its own, and never takes the next word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give the option its value."""
        end = args.index("--") if "--" in args else len(args)
        options = [f"{REPLAY}={ALONE}" if arg == REPLAY else arg for arg in args[:end]]
        return super().parse_args(ctx, [*options, *args[end:]])
