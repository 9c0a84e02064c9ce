"""A command file: its front matter, its prompt, and what the two say of each other."""

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Final, Literal, TypeAlias

from attrs import Factory, field, frozen

from gekko import pointers, templates
from gekko.errors import ConfigurationError, Issue, Problem
from gekko.locations import Location
from gekko.sources.document import Document
from gekko.sources.listing import CommandPath
from gekko.specs.argument import Argument, legal_names, misdeclared
from gekko.specs.model import Generation
from gekko.specs.rules import not_blank, not_empty, not_negative
from gekko.specs.shape import Schema, in_schema
from gekko.specs.structure import StructureError, ruled, structure
from gekko.templates import Placeholder, Template
from gekko.wording import did_you_mean

InputMode: TypeAlias = Literal["stdin", "file", "stdin_or_file", "binary"]

RESERVED: Final = (
    "backend", "config", "model", "mcp", "doctor", "describe", "update", "help", "report", "completion", "version",
)  # fmt: skip
"""First words of a command path that belong to gko's own commands."""

WITHOUT_INPUT: Final = templates.IN_COMMANDS - {"input"}
"""The placeholders that can stand where the input cannot."""


@in_schema(string={"pattern": "^(/|$)"})
def _pointer(text: str) -> None:
    try:
        pointers.parse(text)
    except pointers.PointerError as error:
        raise ValueError(str(error)) from None


@frozen(kw_only=True)
class Input:
    """Where the input comes from."""

    mode: InputMode = ruled(default="stdin", doc="Standard input, a file, either of them, or bytes to upload.")


@frozen(kw_only=True)
class Turn:
    """A fixed turn that is shown to the model before the prompt."""

    user: str = ruled(not_empty, doc="What the user says.")
    assistant: str = ruled(not_empty, doc="What the model is said to have answered.")


@frozen(kw_only=True)
class Output:
    """The contract that an answer must keep."""

    TOGETHER: ClassVar[Schema] = {
        "if": {"properties": {"format": {"const": "json"}}, "required": ["format"]},
        "then": {"properties": {"max_lines": False}},
        "else": {"properties": {"schema": False, "extract": False}},
    }
    """What the keys say of each other, for editors; `_contradictions` says it to everybody else."""

    format: Literal["text", "json"] = ruled(default="text", doc="What an answer is.")
    schema: str | None = ruled(not_blank, default=None, doc="The JSON Schema that the document must satisfy.")
    max_lines: int | None = ruled(not_negative, default=None, doc="The most lines of a text, empty ones not counted.")
    allow_truncated: bool | None = ruled(default=None, doc="Whether an answer that was cut short is accepted.")
    strip_reasoning: bool | None = ruled(default=None, doc="Whether a leading <think> block is removed.")
    extract: str | None = ruled(_pointer, default=None, doc="A JSON pointer to the value that is printed alone.")


@frozen(kw_only=True)
class FrontMatter:
    """What stands between the `---` lines."""

    model: str = ruled(not_blank, doc="The id of a model.")
    description: str = ruled(default="", doc="What the command's help says.")
    system: str | None = ruled(not_blank, default=None, doc="The system message.")
    args: Mapping[str, Argument] = ruled(legal_names, default=Factory(dict), doc="Arguments, each an option --NAME.")
    input: Input = ruled(default=Input(), doc="Where the input comes from.")
    examples: tuple[Turn, ...] = ruled(default=(), doc="Turns that are shown to the model before the prompt.")
    schemas: Mapping[str, str] = ruled(default=Factory(dict), doc="Schemas for {{ schemas.NAME }}, by name.")
    partials: Mapping[str, str] = ruled(default=Factory(dict), doc="Texts for {{ partials.NAME }}, by name.")
    generation: Generation | None = ruled(default=None, doc="Laid over the model's parameters, key by key.")
    output: Output = ruled(default=Output(), doc="The contract that an answer must keep.")


@frozen
class Command:
    """A command, read and found consistent with itself; its references are not resolved yet."""

    words: CommandPath
    path: Path
    scope_root: Path
    front: FrontMatter
    prompt: Template = field(repr=False)
    system: Template | None = field(repr=False)
    turns: tuple[tuple[Template, Template], ...] = field(repr=False)
    env: Mapping[str, Location] = field(repr=False)
    """The environment variables that the templates use, and where each is used first."""

    @property
    def templates(self) -> tuple[Template, ...]:
        """Every template, in the order in which the messages are sent."""
        system = (self.system,) if self.system else ()
        return (*system, *(template for turn in self.turns for template in turn), self.prompt)

    @property
    def takes_bytes(self) -> bool:
        """Whether the input is uploaded as it is, instead of standing in the prompt."""
        return self.front.input.mode == "binary"

    def issue(self, problem: str, hint: str = "", *key: str | int) -> Issue:
        """Return an issue with what the file says at *key*."""
        return Issue(Location(self.path, key), problem, hint)


def read_command(document: Document, words: CommandPath, scope_root: Path) -> Command:
    """Return the command that *document* describes.

    Raises:
        ConfigurationError: with everything that is wrong inside the file.
    """
    try:
        front = structure(document.data, FrontMatter)
    except StructureError as error:
        raise ConfigurationError(problem.issue(document.path) for problem in error.problems) from None
    reader = _Reader(document, front)
    turns = tuple(
        (
            reader.template(turn.user, "examples", index, "user"),
            reader.template(turn.assistant, "examples", index, "assistant"),
        )
        for index, turn in enumerate(front.examples)
    )
    system = reader.template(front.system, "system") if front.system is not None else None
    prompt = reader.prompt()
    issues = [problem.issue(document.path) for problem in (*misdeclared(front.args), *_contradictions(front.output))]
    if issues or reader.issues:
        raise ConfigurationError([*issues, *reader.issues])
    return Command(words, document.path, scope_root, front, prompt, system, turns, reader.env)


def _contradictions(output: Output) -> Iterator[Problem]:
    for key, wanted in (("schema", "json"), ("extract", "json"), ("max_lines", "text")):
        if getattr(output, key) is not None and output.format != wanted:
            hint = f"the format is '{output.format}'"
            yield Problem(f"'{key}' belongs to format = \"{wanted}\"", hint, ("output", key))


class _Reader:
    """Reads the templates of one file; keeps what is wrong with them, and the variables that they use."""

    def __init__(self, document: Document, front: FrontMatter) -> None:
        self.issues: list[Issue] = []
        self.env: dict[str, Location] = {}
        self._document = document
        self._front = front

    def template(self, text: str, *key: str | int) -> Template:
        """Return the template that stands at *key* of the front matter, where the input has no place."""
        location = Location(self._document.path, key)
        return self._parse(text, WITHOUT_INPUT, lambda _: location)

    def prompt(self) -> Template:
        """Return the body as a template, with surrounding white space trimmed."""
        body = self._document.body or ""
        text = body.strip()
        start = body.find(text)
        # What a binary command is given is uploaded, and stands nowhere in the prompt.
        allowed = WITHOUT_INPUT if self._front.input.mode == "binary" else templates.IN_COMMANDS
        return self._parse(text, allowed, lambda offset: self._document.body_location(start + offset))

    def _parse(self, text: str, allowed: Collection[str], place: Callable[[int], Location]) -> Template:
        template, problems = templates.parse(text, allowed)
        self.issues += (Issue(place(found.offset), found.problem, found.hint) for found in problems)
        for placeholder in template.placeholders:
            where = place(placeholder.offset)
            if (undeclared := self._undeclared(placeholder)) is not None:
                self.issues.append(Issue(where, *undeclared))
            if placeholder.kind == "env":
                self.env.setdefault(placeholder.name, where)
        return template

    def _undeclared(self, placeholder: Placeholder) -> tuple[str, str] | None:
        kind, name = placeholder.kind, placeholder.name
        if kind not in ("args", "schemas", "partials"):
            return None
        declared: Mapping[str, object] = getattr(self._front, kind)
        if name not in declared:
            return f"'{placeholder}' is not declared", did_you_mean(name, declared) or f"declare it in [{kind}]"
        if kind == "args" and not self._front.args[name].is_always_there:
            hint = f"set 'required = true' or a 'default' in [args.{name}]"
            return f"'{placeholder}' is used, but a run may have no value for it", hint
        return None
