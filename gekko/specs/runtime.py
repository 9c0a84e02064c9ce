"""`[runtime]` of a backend: how its server is started, as a process of this machine or as a container."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from attrs import Factory, evolve, frozen

from gekko import templates
from gekko.errors import Problem
from gekko.locations import KeyPath
from gekko.specs.rules import not_blank, positive
from gekko.specs.shape import in_schema
from gekko.specs.structure import Rule, StructureError, ruled
from gekko.templates import Placeholder
from gekko.wording import one_of, shown

PORT: Final = Placeholder("backend", "port")
"""The one placeholder that a backend's file can hold outside of its headers."""

OURS: Final = ("-d", "--detach", "--name", "--rm")
"""Options of `docker run` that gko itself gives, or that would take the container away before its log is kept."""

STARTUP_SECS: Final = 60
STARTUP_DOC: Final = "Seconds until the server accepts connections, at most."


def port_at_most(text: str) -> None:
    """The text holds no placeholder other than the port."""
    _, problems = templates.parse(text, (PORT.kind,))
    if problems:
        raise ValueError(problems[0].problem, problems[0].hint)


def passable(text: str) -> None:
    """The text can be handed to a program: it holds no NUL, and no placeholder other than the port."""
    if "\0" in text:
        raise ValueError("expected a text without NUL, which no program can be given")
    port_at_most(text)


def each(rule: Rule) -> Rule:
    """The rule holds for every element of an array, or every value of a table."""

    def rule_of_all(values: tuple[str, ...] | Mapping[str, str]) -> None:
        problems: list[Problem] = []
        for step, value in values.items() if isinstance(values, Mapping) else enumerate(values):
            try:
                rule(value)
            except ValueError as error:
                problems.append(Problem.told_by(error, (step,)))
        if problems:
            raise StructureError(problems)

    return rule_of_all


@in_schema(object={"propertyNames": {"pattern": r"^[^=\x00]+$"}})
def _variables(env: Mapping[str, str]) -> None:
    if wrong := [name for name in env if not name or "=" in name or "\0" in name]:
        raise StructureError(Problem("no environment variable can have this name", at=(name,)) for name in wrong)


def _image(text: str) -> None:
    if text.startswith("-"):
        raise ValueError(f"{shown(text)} is an option, not an image", "options stand in 'options'")


def _leaves_ours_alone(options: tuple[str, ...]) -> None:
    names = [option.partition("=")[0] for option in options]
    if taken := [(index, name) for index, name in enumerate(names) if name in OURS]:
        hint = f"gko itself decides about {one_of(OURS, conjunction='and')}"
        raise StructureError(Problem(f"'{name}' cannot be given here", hint, (index,)) for index, name in taken)


@frozen(kw_only=True)
class ProcessRuntime:
    """A program that serves until it is told to end."""

    type: Literal["process"] = ruled(doc="A program of this machine.")
    command: str = ruled(not_blank, passable, doc="The program: a name on the PATH, or a path.")
    arguments: tuple[str, ...] = ruled(each(passable), default=(), doc="Its arguments, handed over as they are.")
    env: Mapping[str, str] = ruled(
        _variables, each(passable), default=Factory(dict), doc="Environment variables, laid over those of gko."
    )
    startup_timeout_secs: float = ruled(positive, default=STARTUP_SECS, doc=STARTUP_DOC)

    def texts(self) -> Iterator[tuple[KeyPath, str]]:
        """Yield every text in which the port can stand, with its key."""
        yield ("command",), self.command
        yield from ((("arguments", index), text) for index, text in enumerate(self.arguments))
        yield from ((("env", name), text) for name, text in self.env.items())

    def at_port(self, port: int) -> "ProcessRuntime":
        """Return the same runtime with the port in its places."""
        arguments = tuple(with_port(text, port) for text in self.arguments)
        env = {name: with_port(text, port) for name, text in self.env.items()}
        return evolve(self, command=with_port(self.command, port), arguments=arguments, env=env)


@frozen(kw_only=True)
class DockerRuntime:
    """A container, run from an image by the docker command line."""

    type: Literal["docker"] = ruled(doc="A container, started by the docker command line.")
    image: str = ruled(not_blank, passable, _image, doc="The image that it is made of.")
    options: tuple[str, ...] = ruled(
        _leaves_ours_alone, each(passable), default=(), doc="Options of `docker run`, before the image."
    )
    args: tuple[str, ...] = ruled(each(passable), default=(), doc="Arguments of the program in it, after the image.")
    startup_timeout_secs: float = ruled(positive, default=STARTUP_SECS, doc=STARTUP_DOC)

    def texts(self) -> Iterator[tuple[KeyPath, str]]:
        """Yield every text in which the port can stand, with its key."""
        yield ("image",), self.image
        yield from ((("options", index), text) for index, text in enumerate(self.options))
        yield from ((("args", index), text) for index, text in enumerate(self.args))

    def at_port(self, port: int) -> "DockerRuntime":
        """Return the same runtime with the port in its places."""
        options = tuple(with_port(text, port) for text in self.options)
        args = tuple(with_port(text, port) for text in self.args)
        return evolve(self, image=with_port(self.image, port), options=options, args=args)


Runtime: TypeAlias = ProcessRuntime | DockerRuntime


def with_port(text: str, port: int) -> str:
    """Return *text* with the port in its places."""
    template, _ = templates.parse(text, (PORT.kind,))
    return template.render({PORT: str(port)})


def has_port(text: str) -> bool:
    """Return whether *text* has a place for the port."""
    return PORT in templates.parse(text, (PORT.kind,))[0].placeholders
