"""Which backend and operation answer for a model, and what a command may ask of them."""

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import frozen

from gekko.errors import ConfigurationError, Issue
from gekko.specs.backend import Backend, Embedded, Operation, Protocol
from gekko.specs.command import Command
from gekko.specs.model import Generation, Model
from gekko.specs.sourced import Sourced
from gekko.wording import did_you_mean, one_of

ANSWERS: Final[Mapping[Protocol, tuple[str, str]]] = {
    "embeddings": ("an embedding", "json"),
    "transcriptions": ("a transcription", "text"),
}
"""What the protocols other than `chat` answer with, and its output format."""


@frozen
class Target:
    """A model, with the backend and the operation that it names."""

    model: Sourced[Model]
    backend: Sourced[Backend]
    operation: Operation

    @property
    def id(self) -> str:
        """The model's id."""
        return self.model.spec.id

    @property
    def protocol(self) -> Protocol:
        """How the backend is spoken to."""
        return self.operation.protocol

    @property
    def generation(self) -> Generation:
        """The model's generation parameters, over those that its backend needs."""
        own = self.model.spec.generation
        if isinstance(self.backend.spec, Embedded):
            # Without a limit the engine would go on until its context is full.
            return own.over(Generation(max_tokens=self.backend.spec.engine.max_tokens))
        return own


def find_target(model: Sourced[Model], backends: Mapping[str, Sourced[Backend]]) -> Target:
    """Return the model with its backend and operation.

    Raises:
        ConfigurationError: the backend or operation is not there, or the protocol has no use for what the model sets.
    """
    spec = model.spec
    backend = backends.get(spec.backend)
    if backend is None:
        hint = did_you_mean(spec.backend, backends) or _configured(backends, "backends")
        raise ConfigurationError([model.issue(f"no backend has the id '{spec.backend}'", hint, "backend")])
    operations = backend.spec.operations
    if spec.operation not in operations:
        near = did_you_mean(spec.operation, operations) or f"it has {one_of(operations, conjunction='and')}"
        problem = f"the backend '{spec.backend}' has no operation '{spec.operation}'"
        raise ConfigurationError([model.issue(problem, near, "operation")])
    target = Target(model, backend, operations[spec.operation])
    if target.protocol != "chat" and spec.generation != Generation():
        hint = f"the operation '{spec.operation}' speaks '{target.protocol}'"
        raise ConfigurationError([model.issue("[generation] belongs to the protocol 'chat'", hint, "generation")])
    return target


def fallback_issue(
    model: Sourced[Model], models: Mapping[str, Sourced[Model]], backends: Mapping[str, Sourced[Backend]]
) -> Issue | None:
    """Return what is wrong with the model's fallback, or None."""
    name = model.spec.fallback
    if name is None:
        return None
    own = _protocol(model, backends)
    if own == "embeddings":
        hint = "vectors of two models cannot be compared; remove the key"
        return model.issue("a model that speaks 'embeddings' has no fallback", hint, "fallback")
    if name == model.spec.id:
        return model.issue("a model cannot be its own fallback", "name another model", "fallback")
    if name not in models:
        hint = did_you_mean(name, models) or _configured(models, "models")
        return model.issue(f"no model has the id '{name}'", hint, "fallback")
    other = _protocol(models[name], backends)
    if own is not None and other not in (None, own):
        problem = f"'{name}' speaks the protocol '{other}'"
        return model.issue(problem, f"'{model.spec.id}' speaks '{own}'", "fallback")
    return None


def _protocol(model: Sourced[Model], backends: Mapping[str, Sourced[Backend]]) -> Protocol | None:
    """Return the protocol of a model, or None where its backend or operation is not there.

    That is told where the model is used; unused, it breaks nothing.
    """
    backend = backends.get(model.spec.backend)
    operation = None if backend is None else backend.spec.operations.get(model.spec.operation)
    return None if operation is None else operation.protocol


def misfits(command: Command, target: Target) -> list[Issue]:
    """Return what the command asks for that the target's protocol cannot do."""
    found: list[Issue] = []
    protocol = target.protocol
    uploads = protocol == "transcriptions"
    speaks = f"the model '{target.id}' speaks '{protocol}'"
    if uploads and not command.takes_bytes:
        found.append(command.issue('a transcription needs mode = "binary"', speaks, "input", "mode"))
    elif command.takes_bytes and not uploads:
        found.append(
            command.issue("mode = \"binary\" belongs to the protocol 'transcriptions'", speaks, "input", "mode")
        )
    elif not uploads and not command.prompt.parts:
        found.append(command.issue("the prompt is empty", "it stands below the front matter"))
    if protocol != "chat":
        found += _beyond_chat(command, protocol, speaks)
    return found


def _beyond_chat(command: Command, protocol: Protocol, speaks: str) -> Iterator[Issue]:
    """Yield what in a command only a chat could do."""
    what, needed = ANSWERS[protocol]
    if command.front.output.format != needed:
        yield command.issue(f'{what} needs format = "{needed}"', speaks, "output", "format")
    for key in _chat_only(command):
        yield command.issue(f"'{key[-1]}' belongs to the protocol 'chat'", speaks, *key)


def _chat_only(command: Command) -> list[tuple[str, ...]]:
    front = command.front
    present = {
        ("system",): front.system is not None,
        ("examples",): bool(front.examples),
        ("generation",): front.generation is not None,
        ("output", "strip_reasoning"): front.output.strip_reasoning is not None,
        ("output", "allow_truncated"): front.output.allow_truncated is not None,
    }
    return [key for key, is_there in present.items() if is_there]


def _configured(entries: Mapping[str, object], what: str) -> str:
    return f"configured: {one_of(sorted(entries), conjunction='and')}" if entries else f"no {what} are configured"
