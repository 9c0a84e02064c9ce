"""What can be wrong with a schema itself."""

from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from gekko.locations import shown_path


@frozen
class SchemaProblem:
    """One thing that is wrong in a schema: where it stands, as a JSON pointer, and why it cannot stay."""

    file: Path | None
    pointer: str
    reason: str

    def __str__(self) -> str:
        place = f"{shown_path(self.file)}: " if self.file else ""
        return f"{place}{self.pointer}: {self.reason}" if self.pointer else f"{place}{self.reason}"


class SchemaError(ValueError):
    """Something that is no valid schema; *problems* are all of its faults."""

    def __init__(self, problems: Iterable[SchemaProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class CannotEvaluate(Exception):  # noqa: N818 (it names what happened to a value, which no schema foresees)
    """Neither valid nor invalid: a valid schema could not be evaluated on this value; the message says why."""

    def __init__(self, error: Exception) -> None:
        match error:
            case RecursionError():
                super().__init__("evaluating the schema does not end, or nests too deeply")
            case _:
                super().__init__(f"the schema cannot be evaluated: {type(error).__name__}: {error}")
