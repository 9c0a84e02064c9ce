"""What can go wrong in a way that a person can mend, and the exit code of each kind.

    GekkoError
    ├── InputOutputError    1   a file or stream could not be read or written
    ├── UsageError          2   the command line is wrong
    ├── ConfigurationError  2   the files are wrong; carries every issue
    ├── BackendError        3   no answer, or not an answer in the protocol
    └── OutputError         4   an answer that breaks the output contract

Anything else that is raised is a bug and keeps its traceback.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from attrs import evolve, field, frozen
from attrs.validators import deep_iterable, instance_of

from gekko.locations import KeyPath, Location, key_text


@frozen
class Problem:
    """One thing that is wrong with a value, told by a layer that does not know the file; *at* leads to the culprit."""

    problem: str
    hint: str = ""
    # Checkers make problems too, and a step of another type would be noticed only when the message is written.
    at: KeyPath = field(
        default=(), converter=tuple[str | int, ...], validator=deep_iterable(instance_of((str, int)), None)
    )

    @classmethod
    def told_by(cls, error: Exception, at: KeyPath = ()) -> "Problem":
        """Return the problem that an exception was raised with: its first argument, and a hint where a text follows.

        The validators of attrs put their sentence first, and then data.
        """
        problem, hint = (*error.args[:2], None, None)[:2]
        return cls(str(problem or type(error).__name__), hint if isinstance(hint, str) else "", at)

    def below(self, *path: str | int) -> "Problem":
        """Return the same problem, seen from further up."""
        return evolve(self, at=(*path, *self.at))

    def issue(self, path: Path, key: KeyPath = ()) -> "Issue":
        """Return the issue that this is in the file *path*, whose key *key* holds the value."""
        return Issue(Location(path, (*key, *self.at)), self.problem, self.hint)


@frozen
class Issue:
    """One thing that is wrong in a file: where, what was found, and what is accepted instead."""

    where: Location
    problem: str
    hint: str = ""

    def __str__(self) -> str:
        key = key_text(self.where.key)
        place = f"{self.where}: {key}" if key else str(self.where)
        return f"{place}: {self.problem}; {self.hint}" if self.hint else f"{place}: {self.problem}"


class GekkoError(Exception):
    """An error that is reported as one message, without a traceback."""

    kind: ClassVar[str]
    exit_code: ClassVar[int]
    resume: str = ""
    """The command line that goes on where this error has ended something."""


class InputOutputError(GekkoError):
    """A file or stream could not be read or written."""

    kind = "io"
    exit_code = 1


class UsageError(GekkoError):
    """The command line is wrong; *problems* are those of single arguments, each at its name."""

    kind = "usage"
    exit_code = 2

    def __init__(self, message: str, problems: Iterable[Problem] = ()) -> None:
        self.problems = tuple(problems)
        super().__init__(message)


class ConfigurationError(GekkoError):
    """The user's files are wrong; *issues* are all of them, sorted by place."""

    kind = "configuration"
    exit_code = 2

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues = tuple(issues)
        super().__init__("\n".join(str(issue) for issue in self.issues))


class BackendError(GekkoError):
    """The backend gave no answer, or none that speaks the protocol."""

    kind = "backend"
    exit_code = 3


class OutputError(GekkoError):
    """The model's answer broke the command's output contract; *reasons* are all of them."""

    kind = "output"
    exit_code = 4

    def __init__(self, reasons: Iterable[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("\n".join(self.reasons))
