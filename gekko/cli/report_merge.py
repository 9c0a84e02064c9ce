"""`gko report RECORD…`: a suite reported from its record, or from those of all its shards, as if it had just run."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from gekko.cli.options import Leaf
from gekko.cli.root import BUILT_IN, REPORT
from gekko.cli.session import Session
from gekko.cli.streams import tell
from gekko.cli.suggestions import files
from gekko.cli.tree import OwnGroup
from gekko.errors import ConfigurationError
from gekko.wording import nearest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from gekko.record.reading import Record
    from gekko.sources.listing import CommandPath

JSON: Final = ("--json", "as_json")
AS_JSON: Final = "Report as a JSON array."


class RecordsLeaf(Leaf):
    """What `gko report` does with records; it is a group as well, and both have one name."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Make the context in the place of the group's, or messages would call it `gko report report`."""
        return super().make_context(info_name, args, parent and parent.parent, **extra)


@click.command("report", cls=RecordsLeaf)
@click.argument(
    "records", nargs=-1, required=True, metavar="RECORD…", type=click.Path(path_type=Path), shell_complete=files
)
@click.option(*JSON, is_flag=True, help=AS_JSON)
@click.pass_obj
def report_records(session: Session, records: tuple[Path, ...], as_json: bool) -> int:
    """Report a suite from its record, or from the records of all its shards.

    RECORD is what `gko config test --save` wrote. The report and the exit code are those of the suite, undivided.
    """
    from gekko.cli.suite_report import complain, verdict, write_report
    from gekko.record.merging import merge, why_empty
    from gekko.report.by_model import ByModel
    from gekko.report.rows import Extras
    from gekko.report.table import summary

    read = _read(session.cwd / path for path in records)
    results = merge(read)
    has_models = len(read[0].suite.invocation.models) > 1
    extras = Extras(model=has_models, retries=any(result.retries for result in results))
    _warn_of_fallbacks(session, read)
    by_model = ByModel.of(run for record in read for run in record.runs) if has_models else None
    if not results:
        session.note(why_empty(read))
    write_report(session, results, extras, by_model, as_json=as_json)
    if session.is_watched:
        tell(summary(results))
    else:
        complain(session, results)
    return verdict(results)


def _read(paths: Iterable[Path]) -> list["Record"]:
    """Return the records, or tell of every file that is none."""
    from gekko.record.reading import RecordError, read_record

    records, issues = [], []
    for path in paths:
        try:
            records.append(read_record(path))
        except RecordError as error:
            issues.append(error.issue)
    if issues:
        raise ConfigurationError(issues)
    return records


def _warn_of_fallbacks(session: Session, records: Sequence["Record"]) -> None:
    from gekko.cli.suite_report import fallback_text
    from gekko.record.entries import RunEntry

    for record in records:
        for run in record.runs:
            if isinstance(run, RunEntry) and run.model_answered is not None:
                title = f"{run.command} {run.case}"
                session.say("warn", fallback_text(title, run.model, run.model_answered, run.first_failure))


class ReportGroup(OwnGroup):
    """A group that is a command as well: what is no name of one of its commands is a record."""

    def __init__(self) -> None:
        super().__init__("report", REPORT, report_records.help or "")
        self.subcommand_metavar = "RECORD… | COMMAND [ARGS]…"
        self.params.insert(0, click.Option(JSON, is_flag=True, expose_value=False, help=AS_JSON))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, or the one that takes it as a record."""
        command: click.Command | None = report_records
        name: str | None = self.name
        rest = args
        if args[0] in self._entries or self._is_slip(ctx, args[0]):
            name, command, rest = super().resolve_command(ctx, args)
        # The option may stand before what it is meant for.
        is_given = ctx.get_parameter_source("as_json") is ParameterSource.COMMANDLINE
        return name, command, ["--json", *rest] if is_given else rest

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """Return what can follow: one of the commands, or a file."""
        found = super().shell_complete(ctx, incomplete)
        return found if incomplete.startswith("-") else [*found, *files(ctx, self.params[0], incomplete)]

    def own(self, ctx: click.Context, within: "CommandPath" = ()) -> "Iterator[tuple[CommandPath, str, click.Command]]":
        """Yield what the group does itself, and its commands."""
        yield within, BUILT_IN["report"][1], report_records
        yield from super().own(ctx, within)

    def _is_slip(self, ctx: click.Context, word: str) -> bool:
        """Return whether a word that names no file is nearly the name of a command."""
        is_file = "." in word or (ctx.ensure_object(Session).cwd / word).exists()
        return not is_file and nearest(word, self._entries) is not None


report = ReportGroup()
