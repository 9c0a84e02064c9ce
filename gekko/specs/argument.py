"""An argument that a command declares: what values it accepts."""

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal, TypeAlias

from attrs import frozen

from gekko.errors import Problem
from gekko.jsontext import lone_surrogate
from gekko.specs.rules import distinct, not_empty, one_character
from gekko.specs.shape import Schema, in_schema
from gekko.specs.structure import StructureError, ruled
from gekko.wording import described, did_you_mean, joined, one_of

Kind: TypeAlias = Literal["string", "enum", "integer", "file"]

NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")

RESERVED: Final = ("help", "version", "verbose", "error-format", "config-dir", "dry-run", "model", "no-wait", "FILE")
"""Names that the command line itself uses."""

INTEGER: Final = re.compile(r"[+-]?[0-9]{1,100}")


@in_schema(object={"propertyNames": {"pattern": f"^{NAME.pattern}$", "not": {"enum": list(RESERVED)}}})
def legal_names(args: Mapping[str, object]) -> None:
    """Every argument has a name that can become an option."""
    if problems := [problem for name in args for problem in _illegal_name(name)]:
        raise StructureError(problems)


def _illegal_name(name: str) -> Iterator[Problem]:
    if not NAME.fullmatch(name):
        yield Problem("not a legal name of an argument", "a letter, then letters, digits, '_' and '-'", (name,))
    elif name in RESERVED:
        yield Problem(f"the name '{name}' is reserved", "choose another", (name,))


@frozen(kw_only=True)
class Argument:
    """An argument of a command; on the command line it is an option."""

    TOGETHER: ClassVar[Schema] = {
        "if": {"properties": {"type": {"const": "enum"}}, "required": ["type"]},
        "then": {"required": ["values"], "properties": {"min": False, "max": False}},
        "else": {
            "properties": {"values": False},
            "if": {"properties": {"type": {"const": "integer"}}, "required": ["type"]},
            "else": {"properties": {"min": False, "max": False}},
        },
        "dependencies": {"default": {"properties": {"required": {"const": False}}}},
    }
    """What the keys say of each other, for editors; `misdeclared` says it to everybody else."""

    type: Kind = ruled(default="string", doc="What its values are: texts, some of them, integers, or files of text.")
    short: str | None = ruled(one_character, default=None, doc="A letter or digit for the short option.")
    required: bool = ruled(default=False, doc="Whether it must be given.")
    default: str | int | None = ruled(default=None, doc="Its value where it is not given.")
    description: str = ruled(default="", doc="What the command's help says of it.")
    values: tuple[str, ...] | None = ruled(not_empty, distinct, default=None, doc="What an enum accepts.")
    min: int | None = ruled(default=None, doc="The least that an integer can be.")
    max: int | None = ruled(default=None, doc="The most that an integer can be.")

    @property
    def is_always_there(self) -> bool:
        """Whether every run has a value for it, so that a template may use it."""
        return self.required or self.default is not None

    @property
    def bounds(self) -> str:
        """Between which integers its values are: "at least 1", "from 1 to 9"; nothing where it is free."""
        match self.min, self.max:
            case None, None:
                return ""
            case None, most:
                return f"at most {most}"
            case least, None:
                return f"at least {least}"
            case least, most:
                return f"from {least} to {most}"

    def checked(self, value: str | int) -> str:
        """Return *value* as text, once it was checked; a file's name is not looked up here.

        Raises:
            ValueError: with what is wrong and what is accepted.
        """
        if isinstance(value, int):
            if self.type != "integer":
                raise ValueError(f"expected a string, found {described(value)}", "put it in quotes")
            value = str(value)
        if lone_surrogate(value):
            raise ValueError("the value is not UTF-8")
        match self.type:
            case "enum":
                self._one_of_the_values(value)
            case "integer":
                self._within_bounds(value)
            case "file" if not value:
                raise ValueError("expected the name of a file, found an empty string")
        return value

    def _one_of_the_values(self, value: str) -> None:
        values = self.values or ()
        if value not in values:
            hint = joined(f"accepted: {one_of(values)}", did_you_mean(value, values))
            raise ValueError(f"{described(value)} is not one of its values", hint)

    def _within_bounds(self, value: str) -> None:
        accepted = f"accepted: {self.bounds}" if self.bounds else ""
        if not INTEGER.fullmatch(value):
            raise ValueError(f"expected an integer, found {described(value)}", accepted)
        number = int(value)
        if (self.min is not None and number < self.min) or (self.max is not None and number > self.max):
            raise ValueError(f"{number} is out of bounds", accepted)


def misdeclared(args: Mapping[str, Argument]) -> Iterator[Problem]:
    """Yield what is wrong with the declarations beyond each field; paths begin at `args`."""
    shorts: dict[str, str] = {}
    for name, argument in args.items():
        if argument.short is not None:
            first = shorts.setdefault(argument.short, name)
            if first != name:
                problem = f"'-{argument.short}' belongs to the argument '{first}' already"
                yield Problem(problem, "", ("args", name, "short"))
        yield from (problem.below("args", name) for problem in _contradictions(argument))


def _contradictions(argument: Argument) -> Iterator[Problem]:
    if argument.type == "enum" and argument.values is None:
        yield Problem("an argument of type 'enum' needs 'values'", 'such as values = ["low", "high"]')
    if argument.type != "enum" and argument.values is not None:
        yield Problem("'values' belongs to type 'enum'", f"the type is '{argument.type}'", ("values",))
    for bound in ("min", "max"):
        if getattr(argument, bound) is not None and argument.type != "integer":
            yield Problem(f"'{bound}' belongs to type 'integer'", f"the type is '{argument.type}'", (bound,))
    if argument.min is not None and argument.max is not None and argument.min > argument.max:
        yield Problem(f"'min' is above 'max': {argument.min} > {argument.max}", at=("min",))
    elif argument.default is not None:
        if argument.required:
            yield Problem("'default' is never used where 'required' is true", "remove one of them", ("default",))
        if argument.type != "enum" or argument.values is not None:
            yield from _refused_default(argument, argument.default)


def _refused_default(argument: Argument, default: str | int) -> Iterator[Problem]:
    try:
        argument.checked(default)
    except ValueError as error:
        yield Problem.told_by(error, ("default",))
