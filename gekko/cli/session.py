"""One call of the program: where it runs, what it says and how, and the streams that it speaks to."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias

from attrs import define, field

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


class ReaderGone(InputOutputError):  # noqa: N818 - to those who pipe into `head` it is none
    """Whoever read standard output does not any more; there is nothing to tell, and nobody to tell it to."""


@define
class Session:
    """What every command of the program is given."""

    environ: Mapping[str, str] = field(repr=False)
    cwd: Path
    home: Path
    config_dir: Path | None = None
    error_format: ErrorFormat = "text"
    verbosity: Verbosity = "warn"
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

    def statistics(self) -> "Statistics | None":
        """Return where runs are recorded, or None where GKO_STATS_FILE names no file."""
        named = self.environ.get("GKO_STATS_FILE")
        if not named:
            return None
        from gekko.run.stats import Statistics

        return Statistics(self.cwd / named, lambda text: self.say("warn", text))

    def set_verbosity(self, level: Verbosity) -> None:
        """Say from now on what matters at *level*, and at "info" also what the engine logs."""
        self.verbosity = level
        if level == "info":
            from gekko.cli.listening import listen

            listen(lambda text: self.say("info", text))

    def say(self, level: Literal["warn", "info"], text: str) -> None:
        """Write a line to stderr, unless it is less important than what `--verbose` asks for."""
        self._say(level, {"warn": "warning", "info": "info"}[level], text)

    def note(self, text: str) -> None:
        """Write a line to stderr that warns of nothing, unless `--verbose` asks for errors alone."""
        self._say("warn", "note", text)

    def utter(self, kind: str, text: str, **facts: object) -> None:
        """Write *text* to stderr; with `--error-format json` an object of its kind, the text, and more facts."""
        tell(text if self.error_format == "text" else json_line({"kind": kind, "message": text, **facts}))

    def _say(self, level: Verbosity, kind: str, text: str) -> None:
        if LEVELS.index(level) <= LEVELS.index(self.verbosity):
            is_marked = kind == "warning" and self.error_format == "text"
            self.utter(kind, f"warning: {text}" if is_marked else text)

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
        return is_terminal(sys.stdout) and not self.environ.get("NO_COLOR") and self.environ.get("TERM") != "dumb"

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


def json_line(record: Mapping[str, object]) -> str:
    """Return a record as JSON, for a stream that holds one a line."""
    import json

    return json.dumps(record, ensure_ascii=False)


def tell(text: str) -> None:
    """Write a line to stderr, whatever its encoding; a stderr that is closed is nobody to tell."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)
    except ValueError:
        return


def write_result(text: str) -> None:
    """Write the result to stdout, in UTF-8 and whole.

    Raises:
        ReaderGone: nobody reads it any more.
        InputOutputError: stdout is closed, or the disk is full.
    """
    if sys.stdout is None:
        raise InputOutputError("standard output is closed")
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        abandon(sys.stdout)
        raise ReaderGone from None
    except OSError as error:
        abandon(sys.stdout)
        raise InputOutputError(f"standard output: {error.strerror}") from error
    except BaseException:
        # A signal, while nobody reads: what is still in the buffer would be waited for at the end, this time for ever.
        abandon(sys.stdout)
        raise


def abandon(stream: TextIO) -> None:
    """Lead a stream that cannot be written to nowhere.

    The interpreter would try again at its end, and put an exit code of its own in the place of ours.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a standard stream leads to a terminal; it may be closed."""
    return stream is not None and not stream.closed and stream.isatty()
