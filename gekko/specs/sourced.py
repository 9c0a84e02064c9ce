"""What a file says, together with the file that says it."""

from pathlib import Path
from typing import Generic, TypeVar

from attrs import frozen

from gekko.errors import ConfigurationError, Issue
from gekko.locations import Location
from gekko.sources.document import Document
from gekko.specs.structure import StructureError, structure

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@frozen
class Sourced(Generic[T_co]):
    """A spec and the path of its file."""

    path: Path
    spec: T_co

    def issue(self, problem: str, hint: str = "", *key: str | int) -> Issue:
        """Return an issue with what the file says at *key*."""
        return Issue(Location(self.path, key), problem, hint)


def sourced(document: Document, into: type[T]) -> Sourced[T]:
    """Return what *document* says, structured into the attrs class *into*.

    Raises:
        ConfigurationError: the data does not fit; with every reason at its key.
    """
    try:
        return Sourced(document.path, structure(document.data, into))
    except StructureError as error:
        raise ConfigurationError(problem.issue(document.path) for problem in error.problems) from None
