"""Which cases `gko config test` is asked for: from the words and options on the command line to a selection."""

from collections.abc import Iterator, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, Final

import click

from gekko.cli.options import Leaf, command_path
from gekko.cli.session import Session
from gekko.errors import InputOutputError, UsageError

if TYPE_CHECKING:
    from gekko.plan.selection import Selection
    from gekko.sources.shards import Shard

CHANGED: Final = "--changed"

NEWEST: Final = "HEAD"
"""What `--changed` compares with where it is given nothing."""


class SelectingLeaf(Leaf):
    """A command with the option `--changed [REF]`, whose value may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give the option its value: the next argument, unless that selects cases by itself."""
        return super().parse_args(ctx, list(_with_refs(args, ctx.ensure_object(Session))))


class ShardOf(click.ParamType["Shard"]):
    """A part of all cases: "2/4" is the second of four."""

    name = "shard"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Shard":
        """Return the part."""
        from gekko.sources.shards import Shard

        try:
            return Shard.parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def selection_of(session: Session, words: Sequence[str], options: Mapping[str, Any]) -> "Selection":
    """Return which cases are meant.

    Raises:
        UsageError: what is asked for cannot be selected, or contradicts itself.
        InputOutputError: the record of the last run is damaged.
        ConfigurationError: a backend or model file is wrong.
    """
    from gekko.plan.selection import Selection
    from gekko.sources.listing import CASE_SUFFIX

    files = [word for word in words if word.endswith(CASE_SUFFIX)]
    if files and len(files) < len(words):
        other = next(word for word in words if not word.endswith(CASE_SUFFIX))
        raise UsageError(f"'{other}' is no case file, and '{files[0]}' is one; accepted: a command path, or case files")
    selection = Selection(
        words=() if files else command_path(words),
        files=tuple(dict.fromkeys(session.cwd / file for file in files)),
        cases=options["cases"],
        shard=options["shard"],
        tags=options["tags"],
        models=tuple(dict.fromkeys(options["models"])),
        repeat=options["repeat"],
    )
    if options["failed"]:
        selection = _failed(session, selection)
    if options["changed"] is not None:
        selection = _changed(session, selection, options["changed"])
    return selection


def say_if_nothing(session: Session, selection: "Selection", trials: Sized) -> None:
    """Say on stderr why no case is left, where none is."""
    from gekko.plan.selection import nothing_left

    if not trials:
        session.note(nothing_left(selection))


def _failed(session: Session, selection: "Selection") -> "Selection":
    from attrs import evolve

    from gekko.record.outstanding import outstanding
    from gekko.suites.journals import last_runs, project_digest
    from gekko.suites.titles import left_text

    try:
        records = last_runs(session.state, project_digest(session.scopes()))
    except UsageError as error:
        raise UsageError(f"--failed: {error}; `gko config test` runs all cases") from None
    left = outstanding(records)
    if left is None:
        raise UsageError("--failed: no run of this project is known yet; `gko config test` runs all cases")
    session.note(left_text(records, len(left.addresses)))
    # A case may have failed on a model that is not its own.
    return evolve(selection, addresses=left.addresses, models=selection.models or left.models)


def _changed(session: Session, selection: "Selection", ref: str) -> "Selection":
    from attrs import evolve

    from gekko.checks.registry import discover
    from gekko.plan.since import look_back
    from gekko.sources.git import GitProblem

    try:
        since = look_back(ref, session.catalog(), discover(), selection, session.environ)
    except GitProblem as problem:
        raise UsageError(f"{CHANGED}: {problem}") from None
    except OSError as error:
        raise InputOutputError(f"{CHANGED}: {error.strerror}") from error
    return evolve(selection, since=since)


def _with_refs(args: Sequence[str], session: Session) -> Iterator[str]:
    """Yield the arguments, each `--changed` joined with its value by "="."""
    waiting = list(args)
    while waiting:
        arg = waiting.pop(0)
        if arg == "--":
            yield from (arg, *waiting)
            return
        if arg == CHANGED:
            ref = waiting.pop(0) if waiting and not _selects(waiting[0], session) else NEWEST
            yield f"{CHANGED}={ref}"
        else:
            yield arg


def _selects(arg: str, session: Session) -> bool:
    """Return whether an argument is an option, a case file, or a part of some command's path."""
    from gekko.sources.listing import CASE_SUFFIX

    if arg.startswith("-") or arg.endswith(CASE_SUFFIX):
        return True
    path = command_path([arg])
    return any(
        known[start : start + len(path)] == path
        for known in session.catalog().command_files
        for start in range(len(known))
    )
