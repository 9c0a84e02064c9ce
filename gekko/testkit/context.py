"""The context in which a checker is bound in a test: no files but those given, no case and no command."""

from collections.abc import Mapping
from functools import cached_property
from typing import TypeVar

from attrs import evolve, field, frozen

from gekko.checks.checker import BindError, Checker, Comparisons, Place
from gekko.checks.comparisons import bind_together
from gekko.checks.fragments import validator_of
from gekko.checks.judging import Bound
from gekko.checks.outcome import Format
from gekko.checks.registry import CheckerError, Claim, Registry, discover
from gekko.errors import Problem
from gekko.locations import KeyPath
from gekko.specs.structure import StructureError, structure
from gekko.wording import one_of

T = TypeVar("T")


@frozen
class Context:
    """A BindContext for tests.

    *comparisons* can be nested, and so can those of the distributions that are installed.
    """

    key: str
    place: Place = Place.VALUE
    format: Format = "json"
    output_schema: object = None
    files: Mapping[str, str | bytes] = field(factory=dict)
    nestable: Mapping[str, type[Checker]] = field(factory=dict, alias="comparisons")

    @cached_property
    def _installed(self) -> Registry:
        return discover()

    def structure(self, value: object, into: type[T], at: KeyPath = ()) -> T:
        """Structure TOML data as the engine does."""
        try:
            return structure(value, into)
        except StructureError as error:
            raise BindError.of([problem.below(*at) for problem in error.problems]) from error

    def comparisons(self, table: object, at: KeyPath = ()) -> Comparisons:
        """Bind nested comparisons as the engine does."""
        return bind_together(table, at, self._bind_nested)

    def is_registered(self, key: str) -> bool:
        """Return whether *key* is one of *comparisons*, or an expectation that is installed."""
        return key in self.nestable or self._installed.has(key)

    def read_bytes(self, name: str, at: KeyPath = ()) -> bytes:
        """Return the content of one of *files*."""
        if name not in self.files:
            raise BindError(f"there is no file '{name}'", f"the test has {one_of(self.files) or 'none'}", at)
        content = self.files[name]
        return content if isinstance(content, bytes) else content.encode()

    def read_text(self, name: str, at: KeyPath = ()) -> str:
        """Return the text of one of *files*."""
        try:
            return self.read_bytes(name, at).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BindError(f"the file '{name}' is not UTF-8", at=at) from None

    def _bind_nested(self, key: str, value: object) -> Bound:
        checker_class = self.nestable.get(key) or self._load(key)
        if Place.VALUE not in checker_class.places:
            raise BindError(f"'{key}' is not a comparison")
        if problems := refusals(checker_class, value):
            raise BindError.of(problems)
        return bound(key, checker_class.bind(value, evolve(self, key=key, place=Place.VALUE, format="json")))

    def _load(self, key: str) -> type[Checker]:
        claim = self._installed.find(key)
        if claim is None:
            raise BindError("unknown expectation", self._installed.suggestion(key, Place.VALUE))
        try:
            return self._installed.load(claim)
        except CheckerError as error:
            raise BindError(str(error)) from error


def refusals(checker_class: type[Checker], value: object) -> list[Problem]:
    """Return why the class's fragment refuses *value*."""
    return [Problem(message, at=at) for at, message in validator_of(checker_class)(value)]


def bound(key: str, checker: Checker) -> Bound:
    """Return *checker* with what its hooks say, under a key that no distribution claims."""
    return Bound.of(key, Claim(key, ()), checker)
