"""A command, made ready to run: everything checked that can be known without its input."""

from collections.abc import Mapping
from typing import Literal

from attrs import field, frozen

from gekko.jsonschemas import Schema
from gekko.messages import Message
from gekko.plan.inputs import Text
from gekko.plan.targets import Target
from gekko.specs.command import Command
from gekko.specs.model import Generation
from gekko.templates import Placeholder

INPUT = Placeholder("input")


@frozen
class Recipe:
    """A command with a target: what all of its runs share."""

    command: Command
    target: Target
    schema: Schema | None
    response_schema: object | None
    generation: Generation
    values: Mapping[Placeholder, str] = field(repr=False)
    """What stands for `env`, `schemas` and `partials`."""
    fallback: "Recipe | None" = None

    @property
    def targets(self) -> tuple[Target, ...]:
        """Every target that may be asked: the first choice, then its fallback."""
        return (self.target,) if self.fallback is None else (self.target, *self.fallback.targets)

    @property
    def format(self) -> Literal["text", "json"]:
        """The format of the command's output."""
        return self.command.front.output.format


@frozen
class Job:
    """A recipe with its arguments, waiting for an input."""

    recipe: Recipe
    args: Mapping[str, Text] = field(factory=dict, repr=False)

    def messages(self, text: str) -> tuple[Message, ...]:
        """Return the conversation, *text* being the input."""
        values = self._values()
        command = self.recipe.command
        spoken: list[Message] = []
        if command.system is not None:
            spoken.append(Message("system", command.system.render(values)))
        for user, assistant in command.turns:
            spoken += (Message("user", user.render(values)), Message("assistant", assistant.render(values)))
        spoken.append(Message("user", command.prompt.render({**values, INPUT: text})))
        return tuple(spoken)

    def prompt(self, text: str = "") -> str:
        """Return the rendered prompt, *text* being the input; an input that is uploaded does not stand in it."""
        return self.recipe.command.prompt.render({**self._values(), INPUT: text})

    def _values(self) -> dict[Placeholder, str]:
        return {**self.recipe.values, **{Placeholder("args", name): text.read() for name, text in self.args.items()}}
