"""What an expectation promises the engine, and what the engine promises it."""

from collections.abc import Generator, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Final, Protocol, Self, TypeAlias, TypeVar

import attrs
from attrs import field, frozen

from gekko.checks.outcome import FORMATS, MISSING, Format, Outcome
from gekko.checks.validators import are_arguments, is_a, is_conversation, is_input, is_text
from gekko.errors import Problem
from gekko.locations import KeyPath
from gekko.messages import Message

API: Final = 1
"""The version of the checker API that this engine speaks."""

Fragment: TypeAlias = Mapping[str, object]
"""A JSON Schema, draft-07, as Python data."""

COMPARISONS: Final[Fragment] = {"$ref": "#/definitions/comparisons"}
"""The fragment of a table whose keys are comparisons, whichever are installed."""

T = TypeVar("T")


class Place(Enum):
    """Where an expectation key can stand."""

    EXPECT = "expect"
    """A literal key of `[expect]`; it judges the whole output."""

    POINTER = "pointer"
    """The family of keys of `[expect]` that begin with "/"; each picks a value and judges it."""

    VALUE = "value"
    """A comparison in the `is` of a pointer; it judges the value there."""


@frozen
class Mismatch:
    """What was expected, in words, and what was there instead.

    *at* is a JSON pointer from the judged value to the place that differs; "" is the value itself.
    """

    expected: str = field(validator=is_text)
    found: object = MISSING
    at: str = field(default="", validator=is_text)


@frozen
class AskModel:
    """A conversation to put before a chat model, named by its id."""

    model: str = field(validator=is_text)
    messages: tuple[Message, ...] = field(converter=tuple[Message, ...], validator=is_conversation)


@frozen
class AskCommand:
    """A configured command to run, named by its path ("git/review"), with an input and arguments."""

    command: str = field(validator=is_text)
    input: str = field(validator=is_input)
    args: Mapping[str, str] = field(factory=dict, validator=are_arguments)


@frozen
class Ask:
    """A request that a checker cannot make itself: yield it, and the engine sends the reply back."""

    request: AskModel | AskCommand = field(validator=is_a(AskModel, AskCommand))


@frozen
class AskReply:
    """What came of an Ask; a backend that fails ends the suite instead.

    *output* is a string, or a JSON document where a JSON command was asked. *exit_code* is 0, or 4 where the answer
    broke the command's output contract; *output* is then MISSING and *reasons* says why.
    """

    output: object
    exit_code: int = 0
    reasons: tuple[str, ...] = ()


Judging: TypeAlias = Generator[Mismatch | Ask, AskReply, None]
"""A generator that yields what differs; nothing yielded means that the expectation holds."""


class BindError(Exception):
    """The value of an expectation key is not one that its checker accepts."""

    def __init__(self, problem: str, hint: str = "", at: KeyPath = (), *more: Problem) -> None:
        self.problems: tuple[Problem, ...] = (Problem(problem, hint, at), *more)
        super().__init__("; ".join(each.problem for each in self.problems))

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Self:
        """Return the error that gives all of *problems*, of which there is at least one."""
        first, *more = problems
        return cls(first.problem, first.hint, first.at, *more)


class Comparisons(Protocol):
    """Comparisons that stand together in a table, bound and ready to judge one value."""

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield what every comparison yields, each under its own key.

        *value* may be MISSING: comparisons that do not ask to see a missing place then fail once, together.
        """
        ...


class BindContext(Protocol):
    """What a checker may know and use while it is bound."""

    @property
    def key(self) -> str:
        """The key as it is written: "lines", "/category"."""
        ...

    @property
    def place(self) -> Place:
        """Where the key stands."""
        ...

    @property
    def format(self) -> Format:
        """The output format of the command under test."""
        ...

    @property
    def output_schema(self) -> object:
        """The JSON Schema document of the command's output, or None where it declares none."""
        ...

    def structure(self, value: object, into: type[T], at: KeyPath = ()) -> T:
        """Structure TOML data into *into*: an attrs class, a scalar, `tuple[str, ...]`, `dict[str, int]`, a union.

        Nothing is coerced and no key is ignored; a whole number is accepted for a float.

        Raises:
            BindError: the data does not fit, with every reason at its place.
        """
        ...

    def comparisons(self, table: object, at: KeyPath = ()) -> Comparisons:
        """Bind a table of comparisons, which stands at *at* inside the checker's value.

        Raises:
            BindError: it is not a table, it is empty, or one of its comparisons cannot be bound.
        """
        ...

    def is_registered(self, key: str) -> bool:
        """Return whether an installed distribution registers an expectation of that name, whatever its places.

        Nothing is imported for it, so a checker that cannot be loaded counts as well; no key that begins with "/" does.
        """
        ...

    def read_bytes(self, name: str, at: KeyPath = ()) -> bytes:
        """Return the content of the file *name* next to the case, under the rules for inputs.

        Raises:
            BindError: the name is not one path component, or the file is missing, irregular or too long.
        """
        ...

    def read_text(self, name: str, at: KeyPath = ()) -> str:
        """Return the UTF-8 text of the file *name* next to the case; a leading byte order mark is dropped.

        Raises:
            BindError: as for `read_bytes`, or the file is not UTF-8.
        """
        ...


class Checker:
    """The base of every expectation: what a key means, how its value is read, and how an outcome is judged.

    A subclass is an attrs class that states its `places` and its `fragment`, documents itself in a docstring whose
    first line says what holds, with a TOML example, and overrides `judge`. Everything else has a default.
    """

    __slots__ = ()  # a suite may hold tens of thousands; an attrs class of its own then needs no dict each

    api: ClassVar[int] = API
    """The version of this API that the class was written for."""

    places: ClassVar[frozenset[Place]] = frozenset()
    """Where the key can stand."""

    formats: ClassVar[frozenset[Format]] = FORMATS
    """The output formats of the commands in whose `[expect]` the key can stand; inside `is` all is JSON."""

    fragment: ClassVar[Fragment] = {}
    """What the key's value must look like. The engine enforces it before `bind` and prints it for editors."""

    @classmethod
    def bind(cls, value: object, context: BindContext) -> Self:
        """Read the key's value; it has passed `fragment`.

        By default an attrs class with one field takes the value for it, and one with several takes a table of them.

        Raises:
            BindError: the value is not acceptable for a reason that `fragment` cannot say.
        """
        only = _only_field(cls)
        if only is None:
            return context.structure(value, cls)
        read = context.structure(value, only.type or object)
        try:
            return cls(**{str(only.alias): read})
        except (TypeError, ValueError) as error:
            raise BindError.of([Problem.told_by(error)]) from error

    @property
    def expected_exit_code(self) -> int | None:
        """The exit code that the run must end with, or None where this checker does not say; 0 or 4."""
        return None

    @property
    def needs_output(self) -> bool:
        """Whether `judge` needs the output of an accepted answer."""
        return True

    @property
    def sees_missing(self) -> bool:
        """Whether `judge` wants MISSING where a pointer names no place, instead of a failure without it."""
        return False

    @property
    def models_asked(self) -> tuple[str, ...]:
        """The ids of the models that `judge` may ask; checked before any request."""
        return ()

    @property
    def commands_asked(self) -> tuple[str, ...]:
        """The paths of the commands that `judge` may ask; checked before any request."""
        return ()

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield a Mismatch for each thing that differs from what is expected; yield nothing where all is well.

        *value* is the whole output in `[expect]` (MISSING on a rejected answer, which only a checker that needs no
        output ever sees), and the value at the pointer in `is`. It is JSON as Python data, and must not be changed.
        """
        raise NotImplementedError


def _only_field(checker_class: type[Checker]) -> "attrs.Attribute[Any] | None":
    """Return the one field that an instance is made with; None where there are others, or none."""
    if not attrs.has(checker_class):
        return None
    # Annotations are strings where a module postpones them.
    fields = [each for each in attrs.fields(attrs.resolve_types(checker_class)) if each.init]
    return fields[0] if len(fields) == 1 else None
