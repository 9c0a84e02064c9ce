"""The protocol `embeddings`."""

import json

import pytest

from gekko.errors import BackendError
from gekko.jsontext import JsonTextError
from gekko.run.exchange import Reply, Usage
from gekko.run.protocols.embeddings import EmbeddingsParser, embeddings_body


def parse(*chunks: bytes) -> Reply:
    parser = EmbeddingsParser()
    for chunk in chunks:
        parser.feed(chunk)
    return parser.finish()


def vector(numbers: str) -> bytes:
    """Return an answer whose vector is written like this."""
    return f'{{"data": [{{"index": 0, "embedding": {numbers}}}], "model": "e5"}}'.encode()


def test_the_body_is_compact_utf_8() -> None:
    assert embeddings_body("e5", 'Drücker "brennt"\n') == '{"model":"e5","input":"Drücker \\"brennt\\"\\n"}'.encode()


def test_a_text_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(JsonTextError):
        embeddings_body("e5", "\ud800")


def test_the_first_vector_is_the_reply() -> None:
    usage = {"prompt_tokens": 4, "completion_tokens": 0, "total_tokens": 4}
    data = [{"embedding": [0.5, -1]}, {"embedding": [7.0]}]
    raw = json.dumps({"object": "list", "data": data, "model": "e5", "usage": usage}).encode()

    assert parse(raw[:30], raw[30:]) == Reply("[0.5,-1]", model="e5", usage=Usage(prompt_tokens=4))


@pytest.mark.parametrize(
    ("numbers", "written"),
    [
        pytest.param("[0, 1, -3]", "[0,1,-3]", id="integers"),
        pytest.param("[1.0, -0.0]", "[1.0,-0.0]", id="whole-floats"),
        pytest.param("[0.1, 5e-324, 1.7976931348623157e308]", "[0.1,5e-324,1.7976931348623157e+308]", id="floats"),
        pytest.param("[" + "9" * 400 + "]", "[" + "9" * 400 + "]", id="beyond-every-float"),
    ],
)
def test_numbers_keep_their_values_and_their_kinds(numbers: str, written: str) -> None:
    assert parse(vector(numbers)).content == written


@pytest.mark.parametrize("usage", [None, [], "4", {"prompt_tokens": -1}, {"prompt_tokens": True}])
def test_a_count_that_makes_no_sense_is_none(usage: object) -> None:
    assert parse(json.dumps({"data": [{"embedding": [1]}], "usage": usage}).encode()).usage == Usage()


@pytest.mark.parametrize(
    ("numbers", "named"),
    [
        pytest.param('"AACAPwAAAEA="', '"AACAPwAAAEA="', id="base64"),
        pytest.param("null", "null", id="null"),
        pytest.param("1", "number 1", id="number"),
        pytest.param("{}", "table", id="object"),
        pytest.param("[]", "empty array", id="empty"),
        pytest.param("[[0.5]]", "data[0].embedding[0]: expected a finite number, found the array", id="nested"),
        pytest.param('[0, "1"]', 'data[0].embedding[1]: expected a finite number, found the string "1"', id="string"),
        pytest.param("[true]", "true", id="true"),
        pytest.param("[null]", "null", id="inner-null"),
        pytest.param("[0.5, NaN]", "NaN", id="nan"),
        pytest.param("[-Infinity]", "-Infinity", id="infinity"),
        pytest.param("[1e999]", "Infinity", id="too-large"),
    ],
)
def test_what_is_no_array_of_finite_numbers_is_no_answer(numbers: str, named: str) -> None:
    with pytest.raises(BackendError) as caught:
        parse(vector(numbers))

    assert "'embeddings': data[0].embedding" in str(caught.value)
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "data"),
        ({"data": []}, "data: expected an array that begins with an object, found an empty array"),
        ({"data": {"embedding": [1]}}, "table"),
        ({"data": [[1]]}, "data"),
        ({"data": [{"vector": [1]}]}, "data[0].embedding"),
        ({"error": {"message": "input is too large"}}, "input is too large"),
        ("hello", "hello"),
    ],
)
def test_anything_else_is_no_answer(body: object, named: str) -> None:
    with pytest.raises(BackendError) as caught:
        parse(json.dumps(body).encode())

    assert named in str(caught.value)


@pytest.mark.parametrize("raw", [b"", b"hello", b'{"data":[{"embedding":[1', vector("[" + "9" * 1001 + "]")])
def test_what_is_no_json_is_no_answer(raw: bytes) -> None:
    with pytest.raises(BackendError) as caught:
        parse(raw)

    assert "embeddings" in str(caught.value)


def test_a_wide_vector_is_read_whole() -> None:
    numbers = [index / 7 for index in range(8192)]

    assert json.loads(parse(vector(json.dumps(numbers))).content) == numbers
