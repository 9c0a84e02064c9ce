"""What a shell can offer where the cursor stands: each function answers for one kind of value."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import click

from gekko.cli.session import Session

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from gekko.plan.selection import Cases

Suggest: TypeAlias = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]
"""What click calls for the value of a parameter, with what is typed of it so far."""


def files(context: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem[str]]":
    """Leave it to the shell, which knows the files."""
    return [_left_to_the_shell("file")]


def folders(context: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem[str]]":
    """Leave it to the shell, folders alone."""
    return [_left_to_the_shell("dir")]


def models(context: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem[str]]":
    """Offer the ids of the configured models, each with its backend."""
    known = context.ensure_object(Session).catalog().models
    return offered(((name, f"of backend '{model.spec.backend}'") for name, model in sorted(known.items())), typed)


def command_words(context: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem[str]]":
    """Offer the word of a command path that can follow those which stand there."""
    from gekko.cli.tree import next_words

    words: tuple[str, ...] = context.params.get(parameter.name or "") or ()
    return offered(next_words(context.ensure_object(Session).catalog(), words), typed)


def case_words(context: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem[str]]":
    """Offer what command_words does, and where no command goes on like that, files."""
    from gekko.sources.listing import CASE_SUFFIX

    words: tuple[str, ...] = context.params.get(parameter.name or "") or ()
    if words and words[-1].endswith(CASE_SUFFIX):
        return files(context, parameter, typed)
    found = command_words(context, parameter, typed)
    return found if found or not typed else files(context, parameter, typed)


def case_names(context: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem[str]]":
    """Offer the names of the cases that the words select; after a "/", with the paths of their commands."""
    rows = [("/".join((*words, name)), name, "/".join(words)) for words, name in _cases(context)]
    if "/" in typed:
        return offered(((path, "") for path, _, _ in rows), typed)
    return offered(sorted({name: f"of {command}" for _, name, command in rows}.items()), typed)


def tags(context: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem[str]]":
    """Offer the tags of the cases that the words select."""
    from gekko.plan.selection import known_tags

    return offered(((tag, "") for tag in sorted(known_tags(_cases(context)))), typed)


def words_from(rows: Mapping[str, str]) -> Suggest:
    """Return a function that offers these words, each with what is to be known of it."""
    return lambda _, __, typed: offered(rows.items(), typed)


def offered(rows: Iterable[tuple[str, str]], typed: str) -> "list[CompletionItem[str]]":
    """Return the rows of word and description whose word begins with what is typed."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word, help=about or None) for word, about in rows if word.startswith(typed)]


def _cases(context: click.Context) -> "Cases":
    """Return the cases that the words on the command line select."""
    from gekko.cli.options import command_path
    from gekko.plan.catalog import listed_cases

    # Where an option at the very end still lacks its value, click gives up before it tells whose the words are.
    words = context.params.get("words") or context.args
    cases, _ = listed_cases(context.ensure_object(Session).scopes(), command_path(words))
    return cases


def _left_to_the_shell(kind: str) -> "CompletionItem[str]":
    from click.shell_completion import CompletionItem

    return CompletionItem("", type=kind)
