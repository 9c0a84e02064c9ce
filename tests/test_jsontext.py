"""JSON in and out, and what is equal in it."""

import json
import sys
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko import jsontext
from gekko.jsontext import JsonTextError, compact, equal, parse, unfit
from gekko.limits import JSON_DEPTH, NUMBER_DIGITS
from tests.json_values import VALUES


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("null", None, id="null"),
        pytest.param(" \t\r\n[ ] \n", [], id="white-space-around"),
        pytest.param('{"a":{"b":[1,true]}}', {"a": {"b": [1, True]}}, id="nested"),
        pytest.param('{"":0}', {"": 0}, id="empty-name"),
        pytest.param('{"a":1,"A":2}', {"a": 1, "A": 2}, id="names-differ-by-case"),
        pytest.param('[{"a":1},{"a":2}]', [{"a": 1}, {"a": 2}], id="one-name-in-two-objects"),
        pytest.param("-0", 0, id="negative-zero"),
        pytest.param("1e2", 100.0, id="exponent"),
        pytest.param("1E-400", 0.0, id="smaller-than-every-float"),
        pytest.param("0.1", 0.1, id="nearest-double"),
        pytest.param("9007199254740993", 2**53 + 1, id="exact-beyond-doubles"),
        pytest.param("-" + "9" * NUMBER_DIGITS, 1 - 10**NUMBER_DIGITS, id="most-digits"),
        pytest.param("0." + "1" * (NUMBER_DIGITS - 1), 1 / 9, id="most-digits-with-fraction"),
        pytest.param(r'"\u0000"', "\0", id="escaped-nul"),
        pytest.param(r'"\ud83d\uDE00"', "😀", id="escaped-pair"),
        pytest.param(r'"\\ud800"', r"\ud800", id="backslash-that-escapes-nothing"),
        pytest.param('"\u2028\u007f\ufeff"', "\u2028\u007f\ufeff", id="odd-but-allowed-characters"),
        pytest.param('"[[[["', "[[[[", id="brackets-in-a-string"),
        pytest.param("[" * JSON_DEPTH + "]" * JSON_DEPTH, None, id="deepest"),
        pytest.param('{"a":"' + "[{" * 500 + '"}', {"a": "[{" * 500}, id="many-brackets-in-a-string"),
        pytest.param("[" + ",".join(['{"]":"\\""}'] * 300) + "]", [{"]": '"'}] * 300, id="many-shallow-objects"),
    ],
)
def test_a_json_text_is_read(text: str, value: object) -> None:
    read = parse(text)

    if value is not None:
        assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param(" \n", "empty", id="blank"),
        pytest.param("\ufeff1", "line 1, column 1", id="byte-order-mark"),
        pytest.param("\xa01", "line 1, column 1", id="no-white-space-of-json"),
        pytest.param("1 2", "line 1, column 3", id="two-texts"),
        pytest.param("[1,\n 2,]", "line 2", id="comma-too-many"),
        pytest.param("[1,,2]", "line 1, column 4", id="two-commas"),
        pytest.param("{'a':1}", "line 1, column 2", id="single-quotes"),
        pytest.param("{a:1}", "line 1, column 2", id="bare-name"),
        pytest.param("{1:1}", "line 1, column 2", id="number-as-name"),
        pytest.param("[1", "line 1, column 3", id="unclosed-array"),
        pytest.param('{"a"', "line 1, column 5", id="unclosed-object"),
        pytest.param('"a', "line 1, column 1", id="unclosed-string"),
        pytest.param("[1}", "line 1, column 3", id="crossed-brackets"),
        pytest.param("nul", "line 1, column 1", id="half-a-word"),
        pytest.param("True", "line 1, column 1", id="another-language"),
        pytest.param("// no\n1", "line 1, column 1", id="comment"),
        pytest.param("NaN", "NaN", id="nan"),
        pytest.param("[-Infinity]", "-Infinity", id="infinity"),
        pytest.param("01", "line 1, column 2", id="leading-zero"),
        pytest.param("+1", "line 1, column 1", id="plus-sign"),
        pytest.param(".5", "line 1, column 1", id="no-integer-part"),
        pytest.param("1.", "line 1, column 2", id="no-fraction"),
        pytest.param("1e", "line 1, column 2", id="no-exponent"),
        pytest.param("0x1", "line 1, column 2", id="hexadecimal"),
        pytest.param("\u0661", "line 1, column 1", id="digits-of-another-script"),
        pytest.param("1e999", "1e999", id="outside-every-float"),
        pytest.param("-1e999", "-1e999", id="below-every-float"),
        pytest.param("9" * (NUMBER_DIGITS + 1), str(NUMBER_DIGITS), id="too-many-digits"),
        pytest.param("0." + "0" * NUMBER_DIGITS, str(NUMBER_DIGITS), id="too-many-digits-of-fraction"),
        pytest.param("1e" + "0" * NUMBER_DIGITS, str(NUMBER_DIGITS), id="too-many-digits-of-exponent"),
        pytest.param('{"a":1,"b":2,"a":1}', '"a"', id="one-name-twice"),
        pytest.param(r'{"a":1,"\u0061":2}', '"a"', id="one-name-twice-but-written-otherwise"),
        pytest.param('[{"x":{"":1,"":2}}]', '""', id="one-name-twice-further-inside"),
        pytest.param('"\x00"', "line 1, column 2", id="raw-nul"),
        pytest.param('"a\nb"', "line 1, column 3", id="raw-line-end"),
        pytest.param(r'"\x41"', "line 1, column 2", id="unknown-escape"),
        pytest.param(r'"\u12"', "line 1, column", id="short-escape"),
        pytest.param(r'"\u+123"', "line 1, column", id="escape-with-a-sign"),
        pytest.param('[\n"\ud800"]', "line 2, column 2: a lone surrogate, U+D800", id="raw-surrogate"),
        pytest.param(r'"\ud800"', "U+D800", id="escaped-surrogate"),
        pytest.param(r'"\uDFFF\ud800"', "U+DFFF", id="escaped-pair-the-wrong-way-round"),
        pytest.param(r'{"\udead":1}', "U+DEAD", id="surrogate-in-a-name"),
        pytest.param("[" * (JSON_DEPTH + 1), f"column {JSON_DEPTH + 1}", id="too-deep"),
        pytest.param('{"a":\n' * (JSON_DEPTH + 1), f"line {JSON_DEPTH + 1}, column 1", id="objects-too-deep"),
        pytest.param('["[[\\"",' * (JSON_DEPTH + 1), "nested", id="too-deep-among-strings"),
    ],
)
def test_anything_else_is_refused_with_its_place(text: str, named: str) -> None:
    with pytest.raises(JsonTextError) as caught:
        parse(text)

    assert named in str(caught.value)
    assert len(str(caught.value)) < 120
    str(caught.value).encode()


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 10_000_000, id="brackets"),
        pytest.param('{"":' * 3_000_000, id="objects"),
        pytest.param("[]," * 200 + '"' + r"\"" * 3_000_000, id="unclosed-string-of-quotes"),
        pytest.param("[]," * 200 + '"' + "\\" * 3_000_001, id="backslashes"),
        pytest.param("[]," * 200 + '"' * 3_000_001, id="quotes"),
        pytest.param("9" * 10_000_000, id="digits"),
        pytest.param("1." + "9" * 10_000_000, id="digits-of-fraction"),
    ],
)
def test_hostile_texts_are_refused_quickly(text: str) -> None:
    with pytest.raises(JsonTextError):
        parse(text)


def test_an_interpreter_that_converts_fewer_digits_has_the_last_word() -> None:
    allowed = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(JsonTextError):
            parse("9" * 641)
    finally:
        sys.set_int_max_str_digits(allowed)


@pytest.mark.parametrize("text", ['{"a":NaN}', '{"a":1,"a":1}', r'"\ud800"', "1e999"])
def test_the_loose_reading_forgives_what_says_nothing_about_an_answer(text: str) -> None:
    jsontext.parse_loosely(text)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "9" * 100_000])
def test_the_loose_reading_has_limits_too(text: str) -> None:
    with pytest.raises(JsonTextError):
        jsontext.parse_loosely(text)


@given(VALUES)
def test_what_is_written_reads_the_same(value: object) -> None:
    text = compact(value)

    assert equal(parse(text), value)
    assert compact(parse(text)) == text


@given(st.text(st.sampled_from('[]{}",:\\ud8 019.eE-+ntrfalse\n\ud800'), max_size=30))
def test_strict_reading_accepts_no_more_than_python_does(text: str) -> None:
    try:
        value = parse(text)
    except JsonTextError:
        return

    assert json.loads(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [None, True, 1.0, 0.5]}, '{"b":1,"a":[null,true,1.0,0.5]}'),
        ("é\u2028/", '"é\u2028/"'),
        (10**NUMBER_DIGITS, "1" + "0" * NUMBER_DIGITS),
    ],
)
def test_compact_has_no_white_space_and_no_needless_escapes(value: object, text: str) -> None:
    assert compact(value) == text


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), "\udc80", {"\udc80": 1}, {1, 2}, b"", 10**5000],
    ids=["nan", "inf", "surrogate", "surrogate-name", "set", "bytes", "huge"],
)
def test_compact_refuses_what_cannot_be_written(value: object) -> None:
    with pytest.raises(JsonTextError):
        compact(value)


def test_compact_refuses_what_has_no_end() -> None:
    endless: list[object] = []
    endless.append(endless)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]

    for value in (endless, deep):
        with pytest.raises(JsonTextError):
            compact(value)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("1", "1.0", id="integer-and-float"),
        pytest.param("0", "-0.0", id="zeros"),
        pytest.param("100", "1e2", id="exponent"),
        pytest.param("9007199254740992", "9007199254740992.0", id="two-to-the-53rd"),
        pytest.param('{"a":1,"b":2}', '{"b":2.0,"a":1}', id="order-of-members"),
        pytest.param(r'"\u00e9"', '"é"', id="escapes"),
    ],
)
def test_equal_as_json(left: str, right: str) -> None:
    assert equal(parse(left), parse(right))
    assert equal(parse(right), parse(left))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("1", "true", id="one-is-not-true"),
        pytest.param("0", "false", id="zero-is-not-false"),
        pytest.param("0.0", "false", id="zero-as-float"),
        pytest.param("[1]", "[true]", id="inside-an-array"),
        pytest.param("null", "false", id="null-is-not-false"),
        pytest.param("1", '"1"', id="number-and-string"),
        pytest.param("9007199254740993", "9007199254740992.0", id="beyond-doubles"),
        pytest.param("[1,2]", "[2,1]", id="order-of-items"),
        pytest.param("[1]", "[1,1]", id="length"),
        pytest.param("[]", "{}", id="kinds"),
        pytest.param('{"a":null}', "{}", id="null-is-not-missing"),
        pytest.param('{"a":1}', '{"b":1}', id="names"),
        pytest.param('"é"', '"e\u0301"', id="code-point-by-code-point"),
        pytest.param('"A"', '"a"', id="letter-case"),
    ],
)
def test_not_equal_as_json(left: str, right: str) -> None:
    assert not equal(parse(left), parse(right))
    assert not equal(parse(right), parse(left))


@given(VALUES, VALUES)
def test_equality_is_reflexive_and_symmetric(left: object, right: object) -> None:
    assert equal(left, parse(compact(left)))
    assert equal(left, right) == equal(right, left)


def test_equality_survives_any_depth() -> None:
    left: list[object] = []
    right: list[object] = []
    for _ in range(1_000):
        left, right = [left], [right]

    assert equal(left, right)


@pytest.mark.parametrize(
    ("toml", "path", "named"),
    [
        ("x = 2024-01-02", ("x",), "2024-01-02"),
        ("x = 07:32:00", ("x",), "07:32:00"),
        ("x = [1, {y = 1979-05-27T07:32:00Z}]", ("x", 1, "y"), "1979"),
        ("x.y = nan", ("x", "y"), "NaN"),
        ("x = [0, -inf]", ("x", 1), "-Infinity"),
        (f"x = 1{'0' * NUMBER_DIGITS}", ("x",), str(NUMBER_DIGITS)),
        ("b = nan\na = inf", ("b",), "NaN"),
        (".".join(["x"] * (JSON_DEPTH + 1)) + " = 1", ("x",) * JSON_DEPTH, str(JSON_DEPTH)),
    ],
)
def test_the_first_place_that_json_cannot_hold_is_named(toml: str, path: tuple[str | int, ...], named: str) -> None:
    found = unfit(tomllib.loads(toml))

    assert found is not None
    assert found[0] == path
    assert named in found[1]


@given(VALUES)
def test_whatever_json_holds_fits(value: Any) -> None:
    assert unfit(value) is None


def test_booleans_are_no_numbers() -> None:
    assert [value for value in (0, 1.5, -1, True, False, "1", None) if jsontext.is_number(value)] == [0, 1.5, -1]
