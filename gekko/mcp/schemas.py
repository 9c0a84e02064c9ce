"""What a tool takes and gives, as JSON Schemas."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from gekko.jsonschemas import bundle
from gekko.plan.job import INPUT, Recipe
from gekko.specs.argument import Argument
from gekko.specs.command import Command

JsonSchema: TypeAlias = Mapping[str, object]

TEXT_KEY: Final = "mcp.input"
"""The property that holds the main text; no argument can be called so, for their names have no dot."""

FILE_KEY: Final = "mcp.file"
"""The property that names the file which a binary command uploads."""

MAIN: Final[Mapping[str, JsonSchema]] = {
    TEXT_KEY: {"type": "string", "description": "The text to work on."},
    FILE_KEY: {"type": "string", "minLength": 1, "description": "The path of the file to work on."},
}


def main_key(command: Command) -> str | None:
    """Return the property that holds the command's input, or None where its prompt has no place for one."""
    if command.takes_bytes:
        return FILE_KEY
    return TEXT_KEY if INPUT in command.prompt.placeholders else None


def input_schema(command: Command) -> JsonSchema:
    """Return the schema of a tool's arguments."""
    args = command.front.args
    main = main_key(command)
    properties = {name: _argument_schema(argument) for name, argument in args.items()}
    required = [name for name, argument in args.items() if argument.required]
    if main is not None:
        properties, required = {main: MAIN[main], **properties}, [main, *required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def output_schema(recipe: Recipe) -> JsonSchema | None:
    """Return the schema of what a tool gives beside its text, or None.

    MCP wants an object there. With `extract` the document is not what the command gives.
    """
    if recipe.schema is None or recipe.command.front.output.extract is not None:
        return None
    document = bundle(recipe.schema)
    return document if isinstance(document, dict) and document.get("type") == "object" else None


def _argument_schema(argument: Argument) -> JsonSchema:
    description = argument.description
    schema: dict[str, object] = {"type": "integer" if argument.type == "integer" else "string"}
    match argument.type:
        case "enum":
            schema["enum"] = list(argument.values or ())
        case "integer":
            bounds = {"minimum": argument.min, "maximum": argument.max}
            schema |= {keyword: bound for keyword, bound in bounds.items() if bound is not None}
        case "file":
            schema["minLength"] = 1
            description = " ".join(filter(None, (description, "The path of a text file.")))
    if description:
        schema["description"] = description
    # The file of a default lies in the scope of the command, where a caller's files are not looked for.
    if argument.default is not None and argument.type != "file":
        schema["default"] = int(argument.default) if argument.type == "integer" else argument.default
    return schema
