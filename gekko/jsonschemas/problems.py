"""What can be wrong with a schema itself."""

from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from gekko.errors import Issue
from gekko.jsonschemas.budget import OutOfTimeError
from gekko.locations import Location


@frozen
class SchemaProblem:
    """One thing that is wrong in a schema: where it stands, as a JSON pointer, and why it cannot stay.

    *file* is None for a schema that is in no file; *line* and *column* are known where the text is no JSON.
    """

    file: Path | None
    pointer: str
    reason: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = f"{Location(self.file, (), self.line, self.column)}: " if self.file else ""
        return f"{place}{self._told()}"

    def issue(self, otherwise: Path) -> Issue:
        """Return it as an issue of the file that it stands in, or else of the file *otherwise*."""
        where = Location(self.file or otherwise, (), self.line, self.column)
        return Issue(where, f"no valid schema: {self._told()}")

    def _told(self) -> str:
        return f"{self.pointer}: {self.reason}" if self.pointer else self.reason


class SchemaError(ValueError):
    """Something that is no valid schema; *problems* are all of its faults."""

    def __init__(self, problems: Iterable[SchemaProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class TooLongError(Exception):
    """A value has a string that is too long for a keyword."""


class CannotEvaluate(Exception):  # noqa: N818 (it names what happened to a value, which no schema foresees)
    """Neither valid nor invalid: a valid schema could not be evaluated on this value; the message says why."""

    def __init__(self, error: Exception | OutOfTimeError) -> None:
        match error:
            case OutOfTimeError():
                spent_on = error.spent_on or "references or alternatives in it multiply, or the value is too large"
                super().__init__(
                    f"the schema cannot be evaluated within {error.seconds:g} s of processor time: {spent_on}"
                )
            case TooLongError():
                super().__init__(f"the schema cannot be evaluated: {error}")
            case RecursionError():
                super().__init__("evaluating the schema does not end, or nests too deeply")
            case _:
                super().__init__(f"the schema cannot be evaluated: {type(error).__name__}: {error}")
