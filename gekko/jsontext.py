"""What JSON is: RFC 8259 read and written to the letter, bounded in depth and digits, with JSON's own equality."""

import json
import re
from collections import Counter
from math import isfinite
from typing import NoReturn, TypeGuard

from gekko.limits import JSON_DEPTH, NUMBER_DIGITS
from gekko.locations import KeyPath
from gekko.wording import cut, described, shown


class JsonTextError(ValueError):
    """A text that is not JSON, or a value that JSON cannot hold; the message is short, with the place where known.

    *place* is line and column of the text, both from 1.
    """

    def __init__(self, problem: str, place: tuple[int, int] | None = None) -> None:
        self.problem = problem
        self.place = place
        super().__init__(f"line {place[0]}, column {place[1]}: {problem}" if place else problem)


def parse(text: str) -> object:
    """Return what the one JSON text *text* says, as Python data.

    A number without fraction and exponent becomes an exact int, any other the nearest float.

    Raises:
        JsonTextError: this is not exactly one JSON text, or it nests deeper than `JSON_DEPTH`, has a number of more
            than `NUMBER_DIGITS` digits or outside every float, a name twice in one object, or a lone surrogate.
    """
    if lone := lone_surrogate(text):
        raise JsonTextError(surrogate_named(lone), place(text, lone.start()))
    refuse_depth(text)
    value = decoded(text, STRICT)
    if SURROGATE_ESCAPE.search(text):
        # Whether every escaped half has found its other half shows only in the decoded strings.
        compact(value)
    return value


def parse_loosely(text: str) -> object:
    """Return *text* as Python reads JSON: NaN, repeated names and lone surrogates pass, endless nesting does not.

    For what a server wraps around an answer, where a slip of the server's says nothing about the answer.

    Raises:
        JsonTextError: not JSON by any reading, or it nests deeper than `JSON_DEPTH`, or has an integer of more than
            `NUMBER_DIGITS` digits.
    """
    refuse_depth(text)
    return decoded(text, LOOSE)


def compact(value: object) -> str:
    """Return *value* as JSON without white space, characters as they are.

    Raises:
        JsonTextError: JSON or UTF-8 has no way to write this value.
    """
    try:
        text = COMPACT.encode(value)
    except RecursionError:
        raise JsonTextError("nested too deeply to be written") from None
    except (TypeError, ValueError) as error:
        raise JsonTextError(str(error)) from None
    if lone := lone_surrogate(text):
        raise JsonTextError(surrogate_named(lone))
    return text


def is_number(value: object) -> TypeGuard[int | float]:
    """Tell whether *value* is a JSON number; a boolean never is, though Python counts it among the integers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(left: object, right: object) -> bool:
    """Tell whether two JSON values are equal as JSON: numbers by value, exactly; objects whatever their order."""
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pending += ((member, other[name]) for name, member in one.items())
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif not same_scalar(one, other):
            return False
    return True


def unfit(value: object) -> tuple[KeyPath, str] | None:
    """Return the first place in a TOML value that JSON cannot hold, with the reason; None where all of it fits."""
    pending: list[tuple[KeyPath, object]] = [((), value)]
    while pending:
        path, item = pending.pop()
        if isinstance(item, dict | list) and len(path) >= JSON_DEPTH:
            return path, TOO_DEEP
        if isinstance(item, dict):
            pending += reversed([((*path, name), member) for name, member in item.items()])
        elif isinstance(item, list):
            pending += reversed([((*path, index), member) for index, member in enumerate(item)])
        elif reason := unfit_scalar(item):
            return path, reason
    return None


TOO_DEEP = f"nested deeper than {JSON_DEPTH} levels"
TOO_LONG = f"a number of more than {NUMBER_DIGITS} digits"

LEAST_TOO_LONG = 10**NUMBER_DIGITS

SURROGATE = re.compile("[\ud800-\udfff]")
SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")

STEPS = {"[": 1, "{": 1, "]": -1, "}": -1, "": 0}

# Possessive, and content with the end of the text: nothing in it can make the scan go back or start again.
NEXT_BRACKET = re.compile(r'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+"?)*+([\[\]{}]|\Z)', re.DOTALL)


def lone_surrogate(text: str) -> re.Match[str] | None:
    """Find a character that UTF-8 cannot write."""
    return None if text.isascii() else SURROGATE.search(text)


def surrogate_named(found: re.Match[str]) -> str:
    """Return what was found, in a message that can itself be written."""
    return f"a lone surrogate, U+{ord(found[0]):04X}"


def refuse_depth(text: str) -> None:
    """Refuse nesting before anything recursive sees it, by counting the brackets that stand outside of strings.

    Up to the first error in *text* this reads strings as JSON does; what follows one is never reached.
    """
    if text.count("[") + text.count("{") <= JSON_DEPTH:
        return
    depth = 0
    for bracket in NEXT_BRACKET.finditer(text):
        depth += STEPS[bracket[1]]
        if depth > JSON_DEPTH:
            raise JsonTextError(TOO_DEEP, place(text, bracket.start(1)))


def decoded(text: str, decoder: json.JSONDecoder) -> object:
    """Decode *text*, with whatever goes wrong in our own words."""
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise JsonTextError("empty") from None
        problem = error.msg[0].lower() + error.msg[1:].removesuffix(" at").removesuffix(" starting")
        raise JsonTextError(problem, place(text, error.pos)) from None
    except JsonTextError:
        raise
    except ValueError as error:  # an integer longer than this interpreter was told to convert
        raise JsonTextError(str(error)) from None


def place(text: str, position: int) -> tuple[int, int]:
    """Return line and column of *position* for somebody who reads *text* in an editor."""
    line_start = text.rfind("\n", 0, position) + 1
    return text.count("\n", 0, position) + 1, position - line_start + 1


def object_of(members: list[tuple[str, object]]) -> dict[str, object]:
    """Build an object, unless a name stands in it twice."""
    found = dict(members)
    if len(found) != len(members):
        twice, _ = (Counter(name for name, _ in members) - Counter(found.keys())).popitem()
        raise JsonTextError(f"an object has the name {shown(twice)} twice")
    return found


def integer(digits: str) -> int:
    """Convert a number that has neither fraction nor exponent."""
    refuse_digits(digits)
    return int(digits)


def real(digits: str) -> float:
    """Convert any other number."""
    refuse_digits(digits)
    number = float(digits)
    if not isfinite(number):
        raise JsonTextError(f"the number {cut(digits, 40)} is outside every float")
    return number


def refuse_digits(digits: str) -> None:
    """Refuse a number that would take long to convert."""
    # Signs, point and exponent mark are no digits, but only a number at the limit needs them counted.
    if len(digits) > NUMBER_DIGITS and sum(map(digits.count, "0123456789")) > NUMBER_DIGITS:
        raise JsonTextError(TOO_LONG)


def no_constant(name: str) -> NoReturn:
    """Refuse what Python adds to JSON: NaN and the infinities."""
    raise JsonTextError(f"{name} is not JSON")


STRICT = json.JSONDecoder(object_pairs_hook=object_of, parse_int=integer, parse_float=real, parse_constant=no_constant)
LOOSE = json.JSONDecoder(parse_int=integer)
COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def same_scalar(left: object, right: object) -> bool:
    """Compare two values of which at least one holds no others."""
    if is_number(left) and is_number(right):
        return left == right  # Python compares an int with a float exactly
    return type(left) is type(right) and left == right


def unfit_scalar(value: object) -> str:
    """Return why JSON cannot hold *value*, or nothing where it can."""
    if isinstance(value, float) and not isfinite(value):
        return f"JSON cannot hold {described(value)}"
    if is_number(value) and abs(value) >= LEAST_TOO_LONG:
        return TOO_LONG
    if value is None or isinstance(value, str | int | float):
        return ""
    return f"JSON cannot hold {described(value)}"
