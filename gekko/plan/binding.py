"""From the keys of an `[expect]` table to bound checkers, or every reason why not."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from attrs import field, frozen

from gekko import limits
from gekko.checks.checker import BindContext, BindError, Checker, Comparisons, Place
from gekko.checks.comparisons import bind_together
from gekko.checks.fragments import validator_of
from gekko.checks.judging import Bound, HookError
from gekko.checks.outcome import Format, copied
from gekko.checks.registry import BUGS, CheckerError, Claim, Registry, raised
from gekko.errors import Problem
from gekko.jsonschemas import CannotEvaluate
from gekko.locations import KeyPath
from gekko.plan.standing import misfit, unknown
from gekko.sources.files import Digest, FileProblem, decode, digest, neighbour, read_bytes
from gekko.specs.structure import StructureError, structure

T = TypeVar("T")

EXIT_CODES: Final = (0, 4)
"""The ends of a run that a case may expect; any other is no answer at all."""

MOST_SHARED: Final = 1000
"""So many bound keys are kept for further cases; then it begins anew, for the next command has others to say."""


@frozen
class Expectations:
    """All that a case expects, bound; *nested* are the comparisons inside of the checkers."""

    bound: tuple[Bound, ...]
    nested: tuple[Bound, ...] = ()
    exit_code: int = 0

    @property
    def everyone(self) -> tuple[Bound, ...]:
        """Every bound checker, outer and nested."""
        return (*self.bound, *self.nested)

    @property
    def asking(self) -> tuple[Bound, ...]:
        """Those of them that may ask a model or a command."""
        return tuple([bound for bound in self.everyone if bound.models_asked or bound.commands_asked])


@frozen
class Surroundings:
    """What the checkers of one case may know of the command and of the case's folder."""

    format: Format
    output_schema: object
    folder: Path
    scope_root: Path
    read: list[tuple[str, Digest]] = field(factory=list, eq=False)
    """The name by which they asked for a file, and its digest, each time that they read one."""


@frozen
class _Shared:
    """A bound key with what is nested in it, for every case that says the same of the same output."""

    bound: Bound
    nested: tuple[Bound, ...]
    around: Surroundings

    def fits(self, around: Surroundings) -> bool:
        """Whether a checker could not tell these surroundings from those in which it was bound.

        The context shows it nothing else but files, and what has read one is not shared. A command has one object for
        its schema, which many cases have in common: to compare two documents would take longer than to bind anew.
        """
        return around.format == self.around.format and around.output_schema is self.around.output_schema


@frozen
class Binder:
    """Binds expectations by the classes of a registry; cases that say the same share what cannot change."""

    registry: Registry
    _shared: dict[tuple[str, str], _Shared] = field(factory=dict, init=False, eq=False, repr=False)

    def bind(self, expect: Mapping[str, object], around: Surroundings) -> tuple[Expectations, list[Problem]]:
        """Bind every key of *expect*; problems are located inside the table."""
        nested: list[Bound] = []
        problems: list[Problem] = []
        bound: list[Bound] = []
        for key, value in expect.items():
            place = Place.POINTER if key.startswith("/") else Place.EXPECT
            try:
                bound.append(self._bind_once(key, value, place, around, nested))
            except BindError as error:
                problems += (problem.below(key) for problem in error.problems)
        exit_code, contradictions = _agreed_exit_code(bound, nested)
        return Expectations(tuple(bound), tuple(nested), exit_code), [*problems, *contradictions]

    def _bind_once(self, key: str, value: object, place: Place, around: Surroundings, nested: list[Bound]) -> Bound:
        """Bind one key, unless another case had it; as bind_key does."""
        said = key, repr(value)  # which tells 1 from 1.0 and from true, where == does not
        known = self._shared.get(said)
        if known is not None and known.fits(around):
            nested += known.nested
            return known.bound
        nested_before, read_before = len(nested), len(around.read)
        bound = self.bind_key(key, value, place, around, nested)
        if len(around.read) == read_before and _is_value(bound.checker):
            if len(self._shared) == MOST_SHARED:
                self._shared.clear()
            self._shared[said] = _Shared(bound, tuple(nested[nested_before:]), around)
        return bound

    def bind_key(self, key: str, value: object, place: Place, around: Surroundings, nested: list[Bound]) -> Bound:
        """Bind one key; the comparisons inside it are added to *nested*.

        Raises:
            BindError: nobody answers for the key, it has no place here, or its value is not acceptable.
        """
        claim = self.registry.find(key)
        if claim is None:
            raise BindError(*unknown(key, place, self.registry, around.format, around.output_schema))
        try:
            checker_class = self.registry.load(claim)
        except CheckerError as error:
            raise BindError(str(error)) from error
        if wrong_place := misfit(key, place, checker_class, around.format):
            raise BindError(*wrong_place)
        if refused := _refusals(claim, checker_class, value):
            raise BindError.of(refused)
        context = _Context(self, key, place, around, nested)
        return _bound(key, claim, checker_class, value, context)


def _is_value(checker: Checker) -> bool:
    """Return whether a checker is nothing but what is in it, and none of that can change: all of it has a hash."""
    try:
        hash(checker)
    except BUGS as error:  # mostly that it holds a list; but the code is the checker's
        raised(error)
        return False
    return type(checker).__hash__ is not object.__hash__


def _refusals(claim: Claim, checker_class: type[Checker], value: object) -> list[Problem]:
    try:
        return [Problem(message, at=at) for at, message in validator_of(checker_class)(value)]
    except CannotEvaluate as error:
        return [Problem(f"the expectation {claim} cannot be used: its fragment gives no verdict: {error}")]


def _bound(key: str, claim: Claim, checker_class: type[Checker], value: object, context: BindContext) -> Bound:
    try:
        checker: object = checker_class.bind(value, context)
        if isinstance(checker, checker_class):
            return Bound.of(key, claim, checker)
        reason = f"bind() returned {type(checker).__name__}"
    except BindError:
        raise
    except HookError as error:
        reason = str(error)
    except BUGS as error:
        reason = f"bind() {raised(error)}"
    raise BindError(f"the expectation {claim} cannot be used: {reason}")


def _agreed_exit_code(outer: Sequence[Bound], nested: Sequence[Bound]) -> tuple[int, list[Problem]]:
    """Return the one exit code that the checkers expect, and what speaks against it."""
    problems: list[Problem] = []
    stated: dict[int, Bound] = {}
    for bound in (*outer, *nested):
        code = bound.expected_exit_code
        if code is None:
            continue
        if code not in EXIT_CODES:
            problems.append(Problem(f"expects the exit code {code!r}", "a case can expect 0 or 4", (bound.key,)))
        other_code, other = next(iter(stated.items()), (code, bound))
        if code != other_code:
            problem = f"expects the exit code {code}, but '{other.key}' expects {other_code}"
            problems.append(Problem(problem, "a run ends with one of them", (bound.key,)))
        stated.setdefault(code, bound)
    exit_code, stater = next(iter(stated.items()), (0, None))
    if exit_code != 0 and stater is not None:
        hint = f"'{stater.key}' expects a rejected answer, which has no output"
        needy = (bound for bound in outer if bound.needs_output)
        problems += (Problem("needs an output", hint, (bound.key,)) for bound in needy)
    return exit_code, problems


@frozen
class _Context:
    """The context in which one key is bound: implements BindContext."""

    _binder: Binder
    key: str
    place: Place
    _around: Surroundings
    _nested: list[Bound]

    @property
    def format(self) -> Format:
        return self._around.format

    @property
    def output_schema(self) -> object:
        return copied(self._around.output_schema)  # one expectation must not change it for another

    def structure(self, value: object, into: type[T], at: KeyPath = ()) -> T:
        try:
            return structure(value, into)
        except StructureError as error:
            raise BindError.of([problem.below(*at) for problem in error.problems]) from None

    def comparisons(self, table: object, at: KeyPath = ()) -> Comparisons:
        def bind_one(key: str, value: object) -> Bound:
            return self._binder.bind_key(key, value, Place.VALUE, self._around, self._nested)

        together = bind_together(table, at, bind_one)
        self._nested.extend(together.members)
        return together

    def is_registered(self, key: str) -> bool:
        return self._binder.registry.has(key)

    def read_bytes(self, name: str, at: KeyPath = ()) -> bytes:
        try:
            path = neighbour(self._around.folder, name, self._around.scope_root)
            raw = read_bytes(path, limits.INPUT_BYTES, "file")
        except FileProblem as error:
            raise BindError(error.problem, error.hint, at) from None
        self._around.read.append((name, digest(raw)))
        return raw

    def read_text(self, name: str, at: KeyPath = ()) -> str:
        raw = self.read_bytes(name, at)
        try:
            return decode(raw)
        except FileProblem as error:
            raise BindError(error.problem, error.hint, at) from None
