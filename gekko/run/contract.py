"""What of a reply gets to stdout, or every reason why nothing does: the output contract."""

import re
from typing import Literal, TypeAlias

from attrs import frozen

from gekko import jsontext, pointers
from gekko.errors import OutputError
from gekko.jsonschemas import CannotEvaluate, Schema
from gekko.run.exchange import Reply
from gekko.text import non_empty_lines
from gekko.wording import counted, shown

Format: TypeAlias = Literal["text", "json"]
"""What a command's answer is."""

OPENING, CLOSING = "<think>", "</think>"
"""What a model's reasoning stands between."""


@frozen
class OutputRules:
    """What a command's `[output]` asks of an answer; *extract* are the tokens of its pointer."""

    format: Format = "text"
    schema: Schema | None = None
    max_lines: int | None = None
    allow_truncated: bool = False
    strip_reasoning: bool = False
    extract: tuple[str, ...] | None = None


@frozen
class Accepted:
    """An answer that keeps the contract.

    *output* is what expectations judge: the text, or the JSON document as Python data. *canonical* is that as stdout
    would get it without `extract`; by this answers are compared.
    """

    output: object
    canonical: str


def accept(reply: Reply, rules: OutputRules) -> Accepted:
    """Return what *reply* is under *rules*; nothing in it is repaired.

    Raises:
        OutputError: it breaks the contract; every reason is given.
    """
    if reply.finish_reason == "length" and not rules.allow_truncated:
        raise OutputError([CUT_OFF])
    content = without_reasoning(reply.content) if rules.strip_reasoning else reply.content
    return accepted_json(content, rules) if rules.format == "json" else accepted_text(content, rules)


def printed(output: object, rules: OutputRules) -> str:
    """Return what stdout gets of an accepted *output*, without a line end: a text or an extracted string bare.

    Raises:
        OutputError: the document lacks the place that `extract` names.
    """
    value = output if rules.extract is None else extracted(output, rules.extract)
    is_bare = rules.format == "text" or rules.extract is not None
    return value if is_bare and isinstance(value, str) else jsontext.compact(value)


CUT_OFF = (
    'the answer was cut off at its greatest length (finish_reason "length"); '
    "raise max_tokens, or accept it with allow_truncated"
)


def without_reasoning(content: str) -> str:
    """Return *content* without the block of reasoning that it begins with; one that is never closed stays."""
    opening = content.lstrip()
    if not opening.startswith(OPENING):
        return content
    _, closing, rest = opening.partition(CLOSING)
    return rest if closing else content


def accepted_text(content: str, rules: OutputRules) -> Accepted:
    """Accept a text."""
    text = content.strip()
    if reasons := list(filter(None, (unwritable(text), too_long(text, rules.max_lines)))):
        raise OutputError(reasons)
    return Accepted(text, text)


def unwritable(text: str) -> str:
    """Return why *text* cannot be written, or nothing."""
    lone = jsontext.lone_surrogate(text)
    return f"the answer holds {jsontext.surrogate_named(lone)}, which UTF-8 cannot write" if lone else ""


def too_long(text: str, max_lines: int | None) -> str:
    """Return why *text* has too many lines, or nothing."""
    if max_lines is None or (lines := non_empty_lines(text)) <= max_lines:
        return ""
    return f"expected at most {counted(max_lines, 'non-empty line')}, found {lines}"


def accepted_json(content: str, rules: OutputRules) -> Accepted:
    """Accept a JSON document."""
    document = parsed(without_fence(content))
    if rules.schema and (violations := violations_of(rules.schema, document)):
        raise OutputError(violations)
    if rules.extract is not None:
        extracted(document, rules.extract)  # an answer without that place is none, wherever it would go
    return Accepted(document, jsontext.compact(document))


# A fence is closed by its own character, at least as often; JSON has no line that looks like one.
FENCED = re.compile(r"(?P<fence>`{3,}+|~{3,}+)[^`\n]*\n(?P<body>.*)\n {0,3}(?P=fence)[`~]*", re.DOTALL)


def without_fence(content: str) -> str:
    """Return what stands inside of the one Markdown fence around *content*, or *content* itself."""
    fenced = FENCED.fullmatch(content.strip(" \t\r\n"))
    return fenced["body"] if fenced else content


def parsed(text: str) -> object:
    """Return the document that *text* is."""
    try:
        return jsontext.parse(text)
    except jsontext.JsonTextError as error:
        found = f"; found {shown(text.strip())}" if text.strip() else ""
        raise OutputError([f"the answer is not one JSON text: {error}{found}"]) from None


def violations_of(schema: Schema, document: object) -> list[str]:
    """Return how *document* violates *schema*, or why that cannot be told."""
    try:
        return schema.violations(document)
    except CannotEvaluate as error:
        return [str(error)]


def extracted(document: object, tokens: tuple[str, ...]) -> object:
    """Return the value to which *tokens* lead."""
    try:
        return pointers.resolve(document, tokens)
    except pointers.NoSuchPlace as error:
        raise OutputError([f"extract: {error}"]) from None
