"""One call of the program: where it runs, what is configured there, what it says and how."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from attrs import define, field

from gekko.cli.streams import is_terminal, json_line, shows_results, tell
from gekko.errors import InputOutputError
from gekko.locations import shown_path

if TYPE_CHECKING:
    from gekko.plan.catalog import Catalog
    from gekko.run.stats import Statistics
    from gekko.sources.scopes import Scope

Verbosity: TypeAlias = Literal["error", "warn", "info"]

LEVELS: tuple[Verbosity, ...] = ("error", "warn", "info")

ErrorFormat: TypeAlias = Literal["text", "json"]

ERROR_FORMATS: tuple[ErrorFormat, ...] = ("text", "json")


COMPLETION = "_GKO_COMPLETE"
"""The environment variable by which a shell asks what could follow, instead of calling a command."""


@define
class Session:
    """What every command of the program is given."""

    environ: Mapping[str, str] = field(repr=False)
    cwd: Path
    home: Path
    config_dir: Path | None = None
    error_format: ErrorFormat = "text"
    verbosity: Verbosity = "warn"
    make_room: Callable[[], None] = field(default=lambda: None, init=False, repr=False)
    """Takes away what a terminal shows for the moment, before a line is written."""
    _catalog: "Catalog | None" = field(default=None, init=False, repr=False)

    def scopes(self) -> "tuple[Scope, ...]":
        """Return the scopes that exist.

        Raises:
            ConfigurationError: one that was asked for does not.
        """
        from gekko.sources.scopes import find_scopes

        return find_scopes(self.environ, self.cwd, self.home, self.config_dir)

    def catalog(self) -> "Catalog":
        """Return everything that is configured; it is read once.

        Raises:
            ConfigurationError: a backend or model file is wrong.
        """
        if self._catalog is None:
            from gekko.plan.catalog import load_catalog

            scopes = self.scopes()
            places = ", ".join(f"{scope.name} {shown_path(scope.root)}" for scope in scopes)
            self.say("info", f"configuration: {places or 'none'}")
            self._catalog = load_catalog(scopes)
        return self._catalog

    @property
    def state(self) -> Path:
        """The folder for logs, and for what is to be remembered from one run to the next."""
        from gekko.sources.state import state_folder

        return state_folder(self.environ, self.home)

    def statistics(self) -> "Statistics":
        """Return what records runs: in the file that GKO_STATS_FILE names, or nowhere."""
        from gekko.run.stats import Statistics

        named = self.environ.get("GKO_STATS_FILE")
        return Statistics(self.cwd / named if named else None, lambda text: self.say("warn", text))

    def set_verbosity(self, level: Verbosity) -> None:
        """Say from now on what matters at *level*, and at "info" also what the engine logs."""
        self.verbosity = level
        if level == "info":
            from gekko.cli.listening import listen

            listen(lambda text: self.say("info", text))

    def say(self, level: Literal["warn", "info"], text: str) -> None:
        """Write a line to stderr, unless it is less important than what `--verbose` asks for."""
        self._say(level, {"warn": "warning", "info": "info"}[level], text)

    def note(self, text: str, **facts: object) -> None:
        """Write a line to stderr that warns of nothing, unless `--verbose` asks for errors alone."""
        self._say("warn", "note", text, **facts)

    def utter(self, kind: str, text: str, **facts: object) -> None:
        """Write *text* to stderr; with `--error-format json` an object of its kind, the text, and more facts."""
        self.make_room()
        tell(text if self.error_format == "text" else json_line({"kind": kind, "message": text, **facts}))

    def _say(self, level: Verbosity, kind: str, text: str, **facts: object) -> None:
        if LEVELS.index(level) <= LEVELS.index(self.verbosity):
            is_marked = kind == "warning" and self.error_format == "text"
            self.utter(kind, f"warning: {text}" if is_marked else text, **facts)

    def say_once(self, name: str, text: str) -> None:
        """Tell a person at a terminal something that they need to hear only once; *name* is how it is remembered."""
        if not self.is_watched:
            return
        mark = self.state / "told" / name
        try:
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch(exist_ok=False)
        except OSError:
            # Told already; or it cannot be remembered, and once more would be too often.
            return
        self.note(text)

    @property
    def has_colour(self) -> bool:
        """Whether the result may be coloured: only on a terminal, and never with NO_COLOR (no-color.org)."""
        return shows_results() and not self.environ.get("NO_COLOR") and self.environ.get("TERM") != "dumb"

    @property
    def is_watched(self) -> bool:
        """Whether a person sees what is said while something goes on."""
        return is_terminal(sys.stderr) and self.error_format == "text"


def this_session() -> Session:
    """Return the session of this process.

    Raises:
        InputOutputError: the current folder is gone.
    """
    try:
        cwd = Path.cwd()
    except OSError as error:
        raise InputOutputError(f"the current folder cannot be read: {error.strerror}") from None
    return Session(os.environ, cwd, Path("~").expanduser())
