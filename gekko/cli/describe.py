"""`gko describe`: a command, built-in or configured, as JSON for whoever calls it from a program."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click

from gekko.cli.exits import Exit
from gekko.cli.options import AtLeast, Leaf, command_path, global_options
from gekko.cli.session import Session
from gekko.cli.streams import write_result
from gekko.cli.suggestions import command_words
from gekko.cli.tree import OwnGroup
from gekko.errors import ConfigurationError, UsageError
from gekko.wording import did_you_mean, joined

if TYPE_CHECKING:
    from gekko.report.describe import Description, Parameter
    from gekko.sources.listing import CommandPath

BuiltIn: TypeAlias = Mapping["CommandPath", tuple[str, click.Command]]
"""Every command of gko's own, with one line about it."""


@click.command("describe", cls=Leaf)
@click.argument("path", nargs=-1, metavar="[PATH]…", shell_complete=command_words)
@click.pass_context
def describe(context: click.Context, path: tuple[str, ...]) -> int:
    """Describe the command at PATH as JSON: its model, input, arguments and output.

    Without PATH every command is listed, and where it is a group those below. Built-in commands are described as well,
    also where the configuration is broken.
    """
    root = cast("OwnGroup", context.find_root().command)
    own = {words: (about, command) for words, about, command in root.own(context)}
    write_result(_text(context.ensure_object(Session), own, command_path(path)))
    return Exit.SUCCESS


def _text(session: Session, own: BuiltIn, words: "CommandPath") -> str:
    from gekko.report.describe import built_in_row
    from gekko.report.rows import json_rows

    if words in own:
        return _built_in(words, own[words][1]).text()
    rows = [built_in_row(known, about) for known, (about, _) in own.items() if known[: len(words)] == words]
    if not words:
        return json_rows([*_configured_rows(session), *rows])
    if rows:
        return json_rows(rows)
    if any(known[0] == words[0] for known in own):
        # No configured command can stand there, so none is looked for: the configuration may be broken.
        raise _unknown(words, own)
    return _configured(session, own, words)


def _configured(session: Session, own: BuiltIn, words: "CommandPath") -> str:
    from gekko.plan.describe import describable, index
    from gekko.report.describe import described, entry_row
    from gekko.report.rows import json_rows

    catalog = session.catalog()
    if words in catalog.command_files:
        return described(describable(catalog, words)).text()
    if troubles := catalog.troubles(words):
        raise ConfigurationError(troubles)
    if entries := list(index(catalog, words)):
        return json_rows(map(entry_row, entries))
    raise _unknown(words, (*catalog.command_files, *own))


def _unknown(words: "CommandPath", commands: "Iterable[CommandPath]") -> UsageError:
    name = " ".join(words)
    near = did_you_mean(name, [" ".join(known) for known in commands])
    return UsageError(joined(f"no command is called '{name}'", near))


def _configured_rows(session: Session) -> list[dict[str, object]]:
    from gekko.plan.describe import index
    from gekko.report.describe import entry_row

    try:
        catalog = session.catalog()
    except ConfigurationError:
        session.say("warn", "the configuration is broken, and its commands are not listed; `gko doctor` says why")
        return []
    return [entry_row(entry) for entry in index(catalog)]


def _built_in(words: "CommandPath", command: click.Command) -> "Description":
    from gekko.report.describe import Description, command_name

    return Description(
        name=command_name(words),
        kind="built-in",
        description=_reflowed(command.help or ""),
        args=[_parameter(param) for param in command.params if not _is_global(param)],
    )


def _is_global(param: click.Parameter) -> bool:
    return param.name in {each.name for each in global_options()}


def _parameter(param: click.Parameter) -> "Parameter":
    from gekko.report.describe import Parameter

    names = [name for name in param.opts if name.startswith("--")]
    shorts = [name.removeprefix("-") for name in param.opts if len(name) == len("-x")]
    return Parameter(
        name=names[0].removeprefix("--") if names else param.human_readable_name.strip("[]…"),
        required=param.required,
        default=_default(param),
        short=shorts[0] if shorts else None,
        description=getattr(param, "help", None) or "",
        positional=isinstance(param, click.Argument),
        repeated=param.multiple or param.nargs == -1,
        **_type(param),
    )


def _type(param: click.Parameter) -> dict[str, Any]:
    match param.type:
        case click.Choice(choices=choices):
            return {"type": "enum", "values": list(choices)}
        case AtLeast(bound=bound):
            return {"type": "integer", "min": bound}
        case click.Path():
            return {"type": "file"}
        case click.types.BoolParamType():
            return {"type": "flag"}
        case _:
            return {"type": "string"}


def _default(param: click.Parameter) -> str | int | None:
    default = param.default
    return default if isinstance(default, str | int) and not isinstance(default, bool) else None


def _reflowed(text: str) -> str:
    """Return paragraphs without the line ends that they have in the source."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
