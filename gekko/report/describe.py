"""Commands as JSON, for whoever calls them from a program; the keys and their order are part of the interface."""

import json
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import asdict, frozen

from gekko.jsonschemas import Schema, bundle
from gekko.plan.describe import Entry
from gekko.plan.job import Recipe
from gekko.sources.listing import CommandPath
from gekko.specs.argument import Argument
from gekko.specs.command import Output

Kind: TypeAlias = Literal["configured", "built-in"]

Row: TypeAlias = Mapping[str, object]


@frozen(kw_only=True)
class Parameter:
    """An argument of a command; what it has not is None."""

    name: str
    type: str
    required: bool = False
    default: object = None
    values: Sequence[str] | None = None
    min: int | None = None
    max: int | None = None
    short: str | None = None
    description: str = ""
    positional: bool = False
    repeated: bool = False


@frozen(kw_only=True)
class Description:
    """A command; what a built-in one has not is None."""

    name: str
    kind: Kind
    description: str
    model: str | None = None
    backend: str | None = None
    operation: str | None = None
    protocol: str | None = None
    fallback: str | None = None
    source: str | None = None
    input: Row | None = None
    args: Sequence[Parameter]
    output: Row | None = None

    def text(self) -> str:
        """Return the description as a JSON object."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"


def described(recipe: Recipe) -> Description:
    """Return the description of a configured command."""
    command, target = recipe.command, recipe.target
    return Description(
        name=command_name(command.words),
        kind="configured",
        description=command.front.description,
        model=target.id,
        backend=target.backend.spec.id,
        operation=target.model.spec.operation,
        protocol=target.protocol,
        fallback=target.model.spec.fallback,
        source=str(command.path.absolute()),
        input={"mode": command.front.input.mode},
        args=[_parameter(name, argument) for name, argument in command.front.args.items()],
        output=_output_row(command.front.output, recipe.schema),
    )


def command_name(words: CommandPath) -> str:
    """Return the name of a command: "git/review"."""
    return "/".join(words)


def built_in_row(words: CommandPath, description: str) -> dict[str, object]:
    """Return the row of a built-in command in the index."""
    return _index_row(words, "built-in", description)


def entry_row(entry: Entry) -> dict[str, object]:
    """Return the row of a configured command in the index; a broken one has the reason as its `problem`."""
    row = _index_row(entry.words, "configured", entry.description, str(entry.path.absolute()))
    return {**row, "problem": entry.problem} if entry.problem else row


def _index_row(words: CommandPath, kind: Kind, description: str, source: str | None = None) -> dict[str, object]:
    return {"name": command_name(words), "kind": kind, "description": description, "source": source}


def _parameter(name: str, argument: Argument) -> Parameter:
    return Parameter(name=name, **asdict(argument, recurse=False))


def _output_row(output: Output, schema: Schema | None) -> Row:
    return {
        "format": output.format,
        "schema": None if schema is None else {"name": output.schema, "document": bundle(schema)},
        "max_lines": output.max_lines,
        "allow_truncated": bool(output.allow_truncated),
        "strip_reasoning": bool(output.strip_reasoning),
        "extract": output.extract,
    }
