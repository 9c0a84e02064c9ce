"""`gko completion`, which teaches a shell to ask what could follow, and the answers to what the shell then asks.

A shell asks by calling gko with `_GKO_COMPLETE`, its own name, and `_GKO_WORDS`, the words up to the cursor as they
are typed, one a line. An answer is a line of a kind, a word, and what is said of it, with tabs between them. The kind
is "plain", or "file" or "dir" where the shell itself knows what could follow.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem, ShellComplete, split_arg_string

from gekko.cli.exits import Exit
from gekko.cli.options import Leaf, OneOf, heed
from gekko.cli.session import COMPLETION, Session
from gekko.cli.streams import write_result
from gekko.errors import GekkoError

SHELLS = ("bash", "zsh", "fish")

WORDS = "_GKO_WORDS"

CURSOR = "\0"
"""Put where the cursor is: it makes a word of nothing, and keeps one that ends in an escaped space."""


@click.command("completion", cls=Leaf)
@click.argument("shell", metavar="SHELL", type=OneOf(SHELLS))
def completion(shell: str) -> int:
    """Print what a shell needs to complete gko's commands: bash, zsh or fish.

    The configured commands are completed as well, with their options and values, and so are the names of models.
    """
    write_result(Path(__file__).with_name("shells").joinpath(f"gko.{shell}").read_text("utf-8"))
    return Exit.SUCCESS


def answer(root: click.Command, session: Session) -> int:
    """Print what could follow what is typed; where that is wrong, or the configuration is, print nothing at all."""
    pieces = session.environ.get(WORDS, "").split("\n")
    raw = glued(pieces) if session.environ[COMPLETION] == "bash" else pieces
    *args, typed = split_arg_string("\n".join(raw) + CURSOR)
    heed(args, session)
    session.verbosity = "error"  # whoever presses the tab key wants to hear nothing
    finder = ShellComplete(root, {"obj": session}, "gko", COMPLETION)
    with suppress(GekkoError, click.ClickException):
        found = finder.get_completions(args[1:], typed := typed.removesuffix(CURSOR))
        # Of `--model=qwen:7` bash completes what follows its last break.
        kept = raw[-1].removesuffix(pieces[-1].strip("=:"))
        write_result("".join(_lines(found, _option_before(typed), kept)))
    return Exit.SUCCESS


def glued(pieces: Sequence[str]) -> list[str]:
    """Undo that bash takes a word apart at "=" and ":"."""
    words: list[str] = []
    is_open = False
    for piece in pieces:
        is_break = re.fullmatch("[=:]+", piece) is not None
        if words and (is_break or (is_open and not piece.startswith("-"))):
            words[-1] += piece
        else:
            words.append(piece)
        is_open = is_break
    return words


def _option_before(typed: str) -> str:
    """Return the "--model=" of "--model=fa"."""
    name, sign, _ = typed.partition("=")
    return name + sign if sign and name.startswith("-") else ""


def _lines(found: Sequence[CompletionItem[str]], option: str, kept: str) -> Iterator[str]:
    for item in found:
        word = item.value if item.type != "plain" else f"{option}{item.value}".removeprefix(kept)
        # No shell can be told of a value with a line feed or a tab in it.
        if word.isprintable():
            yield f"{item.type}\t{word}\t{item.help or ''}\n"
