"""`gko config init`: a first command with a case, to change into one's own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from gekko.cli.exits import Exit
from gekko.cli.notices import EMBEDDED
from gekko.cli.options import Leaf
from gekko.cli.session import Session
from gekko.cli.streams import write_result
from gekko.errors import ConfigurationError, UsageError
from gekko.sources.scopes import PROJECT_FOLDER
from gekko.specs.rules import http_url, not_blank

if TYPE_CHECKING:
    from gekko.sources.scopes import Scope


def _checked_by(rule: Callable[[str], None]) -> "Callable[[click.Context, click.Parameter, str | None], str | None]":
    def callback(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        try:
            if value is not None:
                rule(value)
        except ValueError as error:
            raise click.BadParameter("; ".join(map(str, error.args)), context, parameter) from None
        return value

    return callback


@click.command("init", cls=Leaf)
@click.option(
    "--base-url",
    metavar="URL",
    callback=_checked_by(http_url),
    help="The server to ask, instead of the embedded model.",
)
@click.option("--model", metavar="NAME", callback=_checked_by(not_blank), help="The name of the model on that server.")
@click.pass_obj
def init(session: Session, base_url: str | None, model: str | None) -> int:
    """Write a first backend, model, command and case into ./.gekko.

    The backend is the embedded model, or the server at --base-url. Nothing that exists is touched.
    """
    from gekko.locations import shown_path
    from gekko.plan.placing import place
    from gekko.plan.starter import starter_files

    if model is not None and base_url is None:
        raise UsageError("--model: it names a model of the server at --base-url, which is not given")
    files = starter_files(base_url, model or "default")
    root = session.config_dir or session.cwd / PROJECT_FOLDER
    scopes = _scopes(session)
    replaced = place(files, root, [scope for scope in scopes if scope.name != "project"])
    write_result("".join(f"{shown_path(root / name)}\n" for name in files))
    for text in (*replaced, *_unseen(session, root, scopes)):
        session.say("warn", text)
    session.note(f"next: gko config test{_option(session)}")
    if base_url is None:
        _tell_of_the_engine(session)
    return Exit.SUCCESS


def _scopes(session: Session) -> "tuple[Scope, ...]":
    """Return the scopes as they are found without the flag, which may name what is yet to be written."""
    from gekko.sources.scopes import find_scopes

    try:
        return find_scopes(session.environ, session.cwd, session.home)
    except ConfigurationError:
        return ()  # what is broken elsewhere is in nobody's way here


def _unseen(session: Session, root: Path, scopes: "tuple[Scope, ...]") -> Iterator[str]:
    """Yield which project is not seen from here any more, or why the new one is not."""
    from gekko.locations import shown_path

    if session.config_dir is not None:
        return
    if named := session.environ.get("GKO_CONFIG_DIR"):
        yield f"GKO_CONFIG_DIR names '{named}': while it is set, {shown_path(root)} is not read"
        return
    for scope in scopes:
        if scope.name == "project" and scope.root != root:
            yield f"from here, {shown_path(scope.root)} is not read any more: the nearest .gekko is the project"


def _option(session: Session) -> str:
    return "" if session.config_dir is None else f" --config-dir {quote(str(session.config_dir))}"


def _tell_of_the_engine(session: Session) -> None:
    from gekko.plan.starter import EMBEDDED_WEIGHTS
    from gekko.sources.processor import engine_problem
    from gekko.sources.weights import WeightsError, find_weights

    session.note(EMBEDDED)
    if (problem := engine_problem()) is not None:
        session.say("warn", "; ".join(problem))
    try:
        find_weights(EMBEDDED_WEIGHTS, session.cwd)
    except WeightsError as error:
        session.say("warn", f"{error.problem}; {error.hint}")
