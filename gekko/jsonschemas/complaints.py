"""What `jsonschema` objects to, in a person's words: where, what is accepted there, and what was found."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import frozen

from gekko.jsonschemas.budget import OutOfTimeError, within
from gekko.jsonschemas.problems import CannotEvaluate
from gekko.locations import KeyPath
from gekko.wording import counted, cut, described, did_you_mean, joined, one_of, shown

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Error: TypeAlias = Any
"""A `jsonschema.ValidationError`, most of whose attributes are typed as possibly unset, though here none is."""

Complaint: TypeAlias = tuple[KeyPath, str]
"""The place inside the value, and what is wrong there."""


@frozen
class Words:
    """What a mapping and what stands in it is called: it depends on the file that the reader has open."""

    mapping: str
    member: str


JSON = Words("object", "member")
TOML = Words("table", "key")


def complaints(validator: "Validator", value: Any, words: Words) -> Iterator[Complaint]:
    """Yield everything that *validator* objects to in *value*, each thing once, in no particular order.

    Raises:
        CannotEvaluate: the validator gave up on this value.
    """
    seen: set[Complaint] = set()
    try:
        for error in validator.iter_errors(value):
            # One by one: a single error can stand for more than anybody will ask for.
            for complaint in explained(error, words):
                if complaint not in seen:
                    seen.add(complaint)
                    yield complaint
    # Whatever goes wrong in there comes from this schema meeting this value: recursion, overflow, joined patterns.
    except Exception as error:
        raise CannotEvaluate(error) from error


def listed(
    validator: "Validator", value: Any, words: Words, within_secs: float, most: int | None = None
) -> list[Complaint]:
    """Return what *validator* objects to in *value*, up to *most* complaints, in no particular order.

    Raises:
        CannotEvaluate: the validator gave up on this value, or takes more processor time than *within_secs*.
    """
    try:
        return within(within_secs, lambda: list(islice(complaints(validator, value, words), most)))
    except OutOfTimeError as error:
        raise CannotEvaluate(error) from error


def explained(error: Error, words: Words) -> Iterator[Complaint]:
    """Yield what one error means; an alternative that nearly fits speaks for all of them."""
    path = tuple(error.absolute_path)
    match error.validator:
        case "additionalProperties" if error.validator_value is False:
            accepted = error.schema.get("properties", {})
            for name in additional(error):
                yield (*path, name), joined(f"unknown {words.member}", did_you_mean(name, accepted))
        case "anyOf" | "oneOf" if likely := likely_alternative(error):
            for inner in likely:
                yield from explained(inner, words)
        case "anyOf" | "oneOf" if error.context:
            yield path, f"fits no alternative: {reasons(error.context, words)}"
        case _:
            yield path, reason(error, words)


def reason(error: Error, words: Words) -> str:
    """Return what is accepted and what was found, as far as one keyword says it."""
    found = described(error.instance)
    if error.validator is None or (error.validator == "not" and error.validator_value == {}):
        return f"nothing is accepted here, found {found}"
    if accepted := accepted_by(error, words):
        return f"expected {accepted}, found {found}"
    match error.validator:
        case "enum":
            return joined(one_of_values(error.validator_value, found), near_value(error))
        case "required" if isinstance(error.validator_value, list):
            missing = [name for name in error.validator_value if name not in error.instance]
            noun = words.member if len(missing) == 1 else f"{words.member}s"
            return f"lacks the required {noun} {one_of(missing, conjunction='and')}"
        case "oneOf":
            return f"fits more than one alternative, where exactly one is accepted; found {found}"
        case _:
            return cut(error.message)


def accepted_by(error: Error, words: Words) -> str:
    """Return what a simple keyword accepts, or nothing for a keyword that is not simple."""
    sentence = SENTENCES.get(str(error.validator))
    limit = error.validator_value
    if error.validator == "type":
        kinds = limit if isinstance(limit, list) else [limit]
        return alternatives([kind_name(kind, words) for kind in kinds])
    if error.validator in {"minimum", "maximum"} and error.schema.get(EXCLUSIVE[error.validator]) is True:
        sentence = SENTENCES[EXCLUSIVE[error.validator]]  # up to draft 4 a flag beside the limit
    return sentence(limit) if sentence else ""


def counting(bound: str, noun: str, plural: str | None = None) -> Callable[[Any], str]:
    """Return a sentence about how many of something are accepted."""
    return lambda limit: f"{bound} {counted(limit, noun, plural)}"


SENTENCES: dict[str, Callable[[Any], str]] = {
    "const": shown,
    "minimum": lambda limit: f"a number of at least {shown(limit)}",
    "maximum": lambda limit: f"a number of at most {shown(limit)}",
    "exclusiveMinimum": lambda limit: f"a number above {shown(limit)}",
    "exclusiveMaximum": lambda limit: f"a number below {shown(limit)}",
    "multipleOf": lambda limit: f"a multiple of {shown(limit)}",
    "divisibleBy": lambda limit: f"a multiple of {shown(limit)}",
    "minLength": counting("at least", "character"),
    "maxLength": counting("at most", "character"),
    "pattern": lambda limit: f"a string that matches {shown(limit)}",
    "minItems": counting("at least", "item"),
    "maxItems": counting("at most", "item"),
    "uniqueItems": lambda _: "items that all differ",
    "minProperties": counting("at least", "member"),
    "maxProperties": counting("at most", "member"),
    "contains": lambda limit: f"an item that fits {shown(limit)}",
    "not": lambda limit: f"anything that does not fit {shown(limit)}",
    "disallow": lambda limit: f"anything that does not fit {shown(limit)}",
}

EXCLUSIVE = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}

KIND_NAMES = {"integer": "an integer", "boolean": "true or false", "array": "an array", "null": "null"}


def kind_name(kind: object, words: Words) -> str:
    """Return the name of a JSON type with its article; up to draft 3 it may be a whole schema."""
    match kind:
        case "object":
            return f"{'an' if words.mapping[0] in 'aeiou' else 'a'} {words.mapping}"
        case str():
            return KIND_NAMES.get(kind, f"a {kind}")
        case _:
            return f"what fits {shown(kind)}"


def alternatives(accepted: list[str]) -> str:
    """Return "a", "a or b", "a, b or c"."""
    return " or ".join(filter(None, (", ".join(accepted[:-1]), accepted[-1])))


def one_of_values(values: list[object], found: str) -> str:
    """Return an enumeration that was missed; a long one is cut, for there is more to say after it."""
    return f"expected {cut(alternatives([shown(value) for value in values]))}, found {found}"


def near_value(error: Error) -> str:
    """Return the accepted string that was probably meant."""
    texts = [value for value in error.validator_value if isinstance(value, str)]
    return did_you_mean(error.instance, texts) if isinstance(error.instance, str) else ""


def additional(error: Error) -> Iterator[str]:
    """Yield the members that `additionalProperties: false` refuses, in the order in which they stand."""
    known = error.schema.get("properties", {})
    patterns = error.schema.get("patternProperties", {})
    for name in error.instance:
        if name not in known and not any(re.search(pattern, name) for pattern in patterns):
            yield name


def likely_alternative(error: Error) -> list[Error]:
    """Return the errors of the one alternative that is wrong only further inside, or nothing.

    Such a one was probably meant: the others already disagree about what kind of value this is.
    """
    # An alternative that is plain `false` leaves no index.
    branches = [
        list(errors) for _, errors in groupby(error.context, key=lambda inner: next(iter(inner.schema_path), None))
    ]
    deeper = [errors for errors in branches if all(inner.path for inner in errors)]
    return deeper[0] if len(deeper) == 1 else []


def reasons(errors: Iterable[Error], words: Words) -> str:
    """Return the reasons of several errors as one sentence, each once; of a long list, the beginning."""
    return cut("; ".join(dict.fromkeys(text for error in errors for _, text in explained(error, words))), 400)
