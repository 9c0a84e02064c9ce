"""What is said of a run that failed: words for a person, or one line of JSON for a program."""

from collections.abc import Iterable
from typing import Final

import click
from attrs import evolve, field, frozen

from gekko.cli.exits import Exit
from gekko.cli.options import name_of
from gekko.cli.session import ErrorFormat
from gekko.cli.streams import json_line
from gekko.errors import ConfigurationError, GekkoError, Issue, OutputError, UsageError
from gekko.locations import KeyPath, Location, key_text, shown_path
from gekko.wording import did_you_mean, joined, one_of

USAGE: Final = UsageError.kind


@frozen
class Complaint:
    """One error: its kind and code, what a person reads, and the same in parts."""

    kind: str
    exit_code: int
    message: str
    advice: str = ""
    """What a person could type next; a program is not told."""
    issues: tuple[dict[str, object], ...] = ()
    resume: str = ""
    """What goes on where the error has ended something; a program is told as well."""
    words: str = field()
    """The whole text for a person, where it is more than "error: " and the message."""

    @words.default
    def _(self) -> str:
        return f"error: {self.message}" + (f"\ntry: {self.advice}" if self.advice else "")

    def written(self, error_format: ErrorFormat) -> str:
        """Return it as it is written to stderr."""
        if error_format == "json":
            return json_line(self._record())
        return f"{self.words}\ntry: {self.resume}" if self.resume else self.words

    def _record(self) -> dict[str, object]:
        kind, code = self.kind, int(self.exit_code)
        record = {"kind": kind, "message": self.message, "exit_code": code, "issues": list(self.issues)}
        return {**record, "resume": self.resume} if self.resume else record


def complaint(error: GekkoError | click.UsageError) -> Complaint:
    """Return what is to be said of *error*."""
    found = _of(error)
    return evolve(found, resume=error.resume) if isinstance(error, GekkoError) and error.resume else found


def _of(error: GekkoError | click.UsageError) -> Complaint:
    match error:
        case click.exceptions.NoArgsIsHelpError():
            return _of_a_group(error)
        case click.UsageError():
            return Complaint(USAGE, Exit.CONFIGURATION, _usage(error), _help_call(error))
        case ConfigurationError():
            return _of_files(error)
        case UsageError():
            rows = (_row(problem.problem, problem.hint, problem.at) for problem in error.problems)
            return Complaint(error.kind, error.exit_code, str(error), issues=tuple(rows))
        case OutputError():
            return Complaint(
                error.kind, error.exit_code, str(error), issues=tuple(_row(reason) for reason in error.reasons)
            )
        case _:
            return Complaint(error.kind, error.exit_code, str(error))


def _of_a_group(error: click.exceptions.NoArgsIsHelpError) -> Complaint:
    path = error.ctx.command_path
    message = f"'{path}' is a group of commands, and needs the name of one; `{path} --help` lists them"
    return Complaint(USAGE, Exit.CONFIGURATION, message, words=error.message)


def _of_files(error: ConfigurationError) -> Complaint:
    from gekko.sources.document import pinpoint

    issues = pinpoint(error.issues)
    return Complaint(
        error.kind,
        error.exit_code,
        "\n".join(map(str, issues)),
        issues=tuple(map(_issue_row, issues)),
        words="\n".join(f"error: {issue}" for issue in issues),
    )


def _issue_row(issue: Issue) -> dict[str, object]:
    return _row(issue.problem, issue.hint, issue.where.key, issue.where)


def _row(problem: str, hint: str = "", key: KeyPath = (), where: Location | None = None) -> dict[str, object]:
    return {
        "file": shown_path(where.path) if where else None,
        "line": where.line if where else None,
        "column": where.column if where else None,
        "key": key_text(key) or None,
        "problem": problem,
        "hint": hint or None,
    }


def _help_call(error: click.UsageError) -> str:
    return f"{error.ctx.command_path} --help" if error.ctx is not None else ""


def _usage(error: click.UsageError) -> str:
    """Return what click complains of, in the words of the rest of gko."""
    match error:
        case click.NoSuchOption():
            near = did_you_mean(error.option_name, _options(error.ctx))
            return joined(f"no such option '{error.option_name}'", near)
        case click.MissingParameter():
            choices = error.param.type.choices if error.param and isinstance(error.param.type, click.Choice) else ()
            accepted = f"; accepted: {one_of(choices)}" if choices else ""
            return f"{_name(error)}: required, but missing{accepted}"
        case click.BadParameter():
            return f"{_name(error)}: {error.message}"
        case _:
            return error.format_message()


def _options(context: click.Context | None) -> Iterable[str]:
    params = context.command.params if context is not None else ()
    return (name for param in params for name in param.opts if name.startswith("-"))


def _name(error: click.BadParameter) -> str:
    return name_of(error.param) if error.param is not None else "the command line"
