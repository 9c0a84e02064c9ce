"""The tree of commands: gko's own, the configured ones beside them, and one line about each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

import click

from gekko.cli.options import global_options
from gekko.cli.session import Session
from gekko.cli.suggestions import offered
from gekko.errors import ConfigurationError, GekkoError
from gekko.wording import cut, did_you_mean, joined

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from gekko.plan.catalog import Catalog
    from gekko.sources.listing import CommandPath

BROKEN = "(broken; `gko doctor` says why)"

GAP = 2
"""Columns between a name and what is said of it."""

LONGEST_NAME = 30
"""The description of a longer name begins on the next line."""


class Group(click.Group):
    """A group that takes the global options, and knows the nearest name for a misspelt one."""

    def __init__(self, name: str | None, text: str | None = None) -> None:
        super().__init__(
            name,
            help=text,
            params=global_options(),
            subcommand_metavar="COMMAND [ARGS]…",
            invoke_without_command=True,
            callback=_needs_a_command,
        )

    def rows(self, ctx: click.Context) -> Iterable[tuple[str, str]]:
        """Return the names that can follow, each with one line about it."""
        raise NotImplementedError

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names that can follow."""
        return [name for name, _ in self.rows(ctx)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, and what is left for it."""
        command = self.get_command(ctx, args[0])
        if command is None:
            near = did_you_mean(args[0], self.list_commands(ctx))
            ctx.fail(joined(f"'{ctx.command_path}' has no command '{args[0]}'", near))
        return args[0], command, args[1:]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """Return what can follow; no command is imported or read for it, but for its description."""
        return [*offered(self.rows(ctx), incomplete), *click.Command.shell_complete(self, ctx, incomplete)]


class OwnGroup(Group):
    """A group of gko's own commands, each imported when it is called."""

    title: ClassVar = "Commands"

    def __init__(self, name: str, entries: Mapping[str, tuple[str, str]], text: str) -> None:
        super().__init__(name, text)
        self._entries = entries

    def rows(self, ctx: click.Context) -> Iterable[tuple[str, str]]:
        """Return the commands with one line about each."""
        return [(name, self._entries[name][1]) for name in sorted(self._entries)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in self._entries:
            return None
        module, _, attribute = self._entries[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def own(self, ctx: click.Context, within: "CommandPath" = ()) -> "Iterator[tuple[CommandPath, str, click.Command]]":
        """Import and yield gko's own commands, those of its groups too, with their words and one line about each."""
        for name, about in OwnGroup.rows(self, ctx):
            command = OwnGroup.get_command(self, ctx, name)
            if isinstance(command, OwnGroup):
                yield from command.own(ctx, (*within, name))
            elif command is not None:
                yield (*within, name), about, command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with one line about each."""
        write_section(formatter, self.title, OwnGroup.rows(self, ctx))


class Root(OwnGroup):
    """`gko` itself: its own commands, and beside them those that the user configured."""

    title: ClassVar = "Built-in commands"

    def rows(self, ctx: click.Context) -> Iterable[tuple[str, str]]:
        """Return the first words of all commands; of a broken configuration gko's own are left."""
        own = dict(super().rows(ctx))
        with suppress(GekkoError):
            own = {**dict(next_words(catalog) if (catalog := _catalog(ctx)) else ()), **own}
        return sorted(own.items())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command of gko's own, or a configured one, or a group of those."""
        if (own := super().get_command(ctx, cmd_name)) is not None:
            return own
        return configured(catalog, (cmd_name,)) if (catalog := _catalog(ctx)) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the configured commands and gko's own, each in a section."""
        try:
            rows = described(catalog) if (catalog := _catalog(ctx)) else []
        except GekkoError:
            formatter.write_paragraph()
            formatter.write_text("The configuration is broken; `gko doctor` says why.")
        else:
            write_section(formatter, "Configured commands", rows)
        super().format_commands(ctx, formatter)


class ConfiguredGroup(Group):
    """A folder of configured commands."""

    def __init__(self, catalog: "Catalog", words: "CommandPath") -> None:
        super().__init__(words[-1])
        self._catalog = catalog
        self._words = words

    def rows(self, ctx: click.Context) -> Iterable[tuple[str, str]]:
        """Return the next words of the commands below."""
        return next_words(self._catalog, self._words)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command or group of that name."""
        return configured(self._catalog, (*self._words, cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands below with their descriptions."""
        write_section(formatter, "Commands", described(self._catalog, self._words))


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
    """Return every command below *within*, by what is to be typed after that, with one line about it."""
    return [(" ".join(words[len(within) :]), _about(catalog, words)) for words in catalog.below(within)]


def next_words(catalog: "Catalog", within: "CommandPath" = ()) -> Iterator[tuple[str, str]]:
    """Yield each word that can follow *within*, with one line about the command or the group."""
    below = catalog.below(within)
    for word in sorted({words[len(within)] for words in below}):
        path = (*within, word)
        if path in catalog.command_files:
            yield word, _about(catalog, path)
        else:
            yield word, cut(", ".join(" ".join(words[len(path) :]) for words in catalog.below(path)))


def write_section(formatter: click.HelpFormatter, title: str, rows: Iterable[tuple[str, str]]) -> None:
    """Write names and descriptions in two columns; a word is never broken, not even at its hyphens."""
    from textwrap import wrap

    if not (known := list(rows)):
        return
    indent = " " * (GAP + min(max(len(name) for name, _ in known), LONGEST_NAME) + GAP)
    with formatter.section(title):
        for name, about in known:
            lines = wrap(about, max(formatter.width - len(indent), 10), break_long_words=False, break_on_hyphens=False)
            formatter.write(_aligned(f"{' ' * GAP}{name}", lines, indent))


def _aligned(name: str, lines: Sequence[str], indent: str) -> str:
    has_room = len(name) <= len(indent) - GAP
    first = [name.ljust(len(indent)) + lines[0]] if lines and has_room else [name]
    rest = lines[1:] if has_room else lines
    return "".join(f"{line}\n" for line in (*first, *(indent + line for line in rest)))


def _about(catalog: "Catalog", words: "CommandPath") -> str:
    """Return the first paragraph of a command's description as one line; of a broken one, that it is."""
    try:
        description = catalog.command(words).front.description
    except ConfigurationError:
        return BROKEN
    first, _, _ = description.strip().partition("\n\n")
    return " ".join("".join(char if char.isprintable() else " " for char in first).split())


@click.pass_context
def _needs_a_command(context: click.Context) -> None:
    """Show the help of a group that stands alone, as an error, whatever options are with it."""
    if context.invoked_subcommand is None:
        raise click.exceptions.NoArgsIsHelpError(context)


def _catalog(context: click.Context) -> "Catalog | None":
    """Return what is configured. Where no scope exists nothing has to be read, nor imported for it."""
    session = context.ensure_object(Session)
    return session.catalog() if session.scopes() else None
