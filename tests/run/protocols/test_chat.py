"""The protocol `chat`."""

import json
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko.errors import BackendError
from gekko.jsontext import JsonTextError
from gekko.messages import Message
from gekko.run.exchange import Parser, Reply, Usage
from gekko.run.protocols.chat import ChatParser, chat_body
from gekko.run.protocols.envelope import error_detail

ANSWER = {
    "id": "chatcmpl-1",
    "model": "qwen",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "yés"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
}


def parse(body: object, parser: Parser | None = None) -> Reply:
    """Feed a body, as it is or as JSON, and return the reply."""
    chunks: Iterable[bytes] = [body] if isinstance(body, bytes) else [json.dumps(body).encode()]
    parser = parser or ChatParser()
    for chunk in chunks:
        parser.feed(chunk)
    return parser.finish()


def choice(message: object = None, finish_reason: object = "stop") -> dict[str, object]:
    return {"choices": [{"message": message, "finish_reason": finish_reason}]}


# --- what is sent


def test_the_body_is_compact_utf_8_in_a_fixed_order() -> None:
    body = chat_body(
        "qwen",
        [Message("system", "Sé brief."), Message("user", "a\nb")],
        {"temperature": 0.0, "stop": ["x"], "chat_template_kwargs": {"enable_thinking": False}},
        {"type": "object"},
    )

    assert body.decode() == (
        '{"model":"qwen","messages":[{"role":"system","content":"Sé brief."},{"role":"user","content":"a\\nb"}],'
        '"temperature":0.0,"stop":["x"],"chat_template_kwargs":{"enable_thinking":false},'
        '"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"},"strict":true}}}'
    )


def test_nothing_is_sent_that_was_not_asked_for() -> None:
    assert json.loads(chat_body("m", [], {})) == {"model": "m", "messages": []}


def test_a_schema_that_is_just_false_is_sent_too() -> None:
    assert json.loads(chat_body("m", [], {}, False))["response_format"]["json_schema"]["schema"] is False


def test_a_text_that_utf_8_cannot_write_is_not_sent() -> None:
    with pytest.raises(JsonTextError):
        chat_body("m", [Message("user", "\udcff")], {})


# --- what comes back


def test_the_first_choice_is_the_reply() -> None:
    assert parse(ANSWER) == Reply("yés", "stop", "qwen", Usage(7, 2))


@given(st.lists(st.integers(0, 200), max_size=5))
def test_it_does_not_matter_where_the_bytes_are_cut(cuts: list[int]) -> None:
    raw = json.dumps(ANSWER, ensure_ascii=False).encode()
    parser = ChatParser()
    edges = [0, *sorted(cuts), len(raw)]

    for start, end in pairwise(edges):
        parser.feed(raw[start:end])

    assert parser.finish() == Reply("yés", "stop", "qwen", Usage(7, 2))


def test_only_the_content_is_required() -> None:
    assert parse({"choices": [{"message": {"content": ""}}]}) == Reply("")


@pytest.mark.parametrize("message", [None, {}, {"content": None}, {"content": ["x"]}, {"content": 5}, [], "x"], ids=str)
def test_an_answer_cut_off_may_have_no_content_and_any_other_must(message: object) -> None:
    assert parse(choice(message, "length")) == Reply("", "length")
    with pytest.raises(BackendError) as caught:
        parse(choice(message))
    assert "choices[0].message.content" in str(caught.value)


def test_what_was_said_before_the_cut_is_kept() -> None:
    assert parse(choice({"content": "half"}, "length")) == Reply("half", "length")


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ([], Usage()),
        ({"prompt_tokens": True, "completion_tokens": "2"}, Usage()),
        ({"prompt_tokens": -1, "completion_tokens": 2.0}, Usage()),
        ({"prompt_tokens": 0, "completion_tokens": None}, Usage(0, None)),
    ],
)
def test_token_counts_that_make_no_sense_are_not_known(usage: object, expected: Usage) -> None:
    assert parse(ANSWER | {"usage": usage}).usage == expected


@pytest.mark.parametrize("odd", [5, None, ["stop"], {}])
def test_other_remarks_that_make_no_sense_are_not_known(odd: object) -> None:
    reply = parse(choice({"content": "x"}, odd) | {"model": odd})

    assert (reply.finish_reason, reply.model) == (None, None)


def test_what_a_server_wraps_around_the_content_may_be_sloppy() -> None:
    raw = rb'{"choices":[{"message":{"content":"\ud800"},"logprobs":[NaN,-Infinity]}],"x":1,"x":2,"error":null}'

    assert parse(raw).content == "\ud800"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"<html>\x1b[31mBad Gateway</html>", "Bad Gateway", id="html"),
        pytest.param(b'{"choices":', "line 1", id="cut-off"),
        pytest.param(b"\xff", "UTF-8", id="not-utf-8"),
        pytest.param(b"[" * 100_000, "deeper", id="too-deep"),
        pytest.param(b'{"x":' + b"9" * 100_000 + b"}", "1000 digits", id="too-many-digits"),
        pytest.param(b"data: {}\n\ndata: [DONE]\n", "data: {}", id="stream-nobody-asked-for"),
        pytest.param([], "an empty array", id="array"),
        pytest.param({}, "choices", id="no-choices"),
        pytest.param({"choices": None}, "null", id="choices-is-null"),
        pytest.param({"choices": []}, "an empty array", id="empty-choices"),
        pytest.param({"choices": {"0": {}}}, "choices", id="choices-is-an-object"),
        pytest.param({"choices": ["x"]}, "choices", id="choice-is-a-string"),
        pytest.param({"error": {"message": "model not found"}}, "model not found", id="error-with-message"),
        pytest.param({"error": "no such model"}, "no such model", id="error-as-text"),
        pytest.param({"error": {"code": 7}} | ANSWER, "7", id="error-beside-an-answer"),
    ],
)
def test_what_does_not_speak_the_protocol_is_no_answer(body: object, named: str) -> None:
    with pytest.raises(BackendError) as caught:
        parse(body)

    message = str(caught.value)
    assert named in message
    assert message.isprintable()
    assert len(message) < 450


# --- what an error says


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        pytest.param({"error": {"message": "bad key", "type": "auth"}}, "bad key", id="openai"),
        pytest.param({"error": "bad key"}, "bad key", id="error-as-text"),
        pytest.param({"object": "error", "message": "bad key"}, "bad key", id="message"),
        pytest.param({"detail": "Not Found"}, "Not Found", id="detail"),
        pytest.param({"detail": [{"msg": "x"}]}, '{"detail": [{"msg": "x"}]}', id="something-else"),
        pytest.param({"error": {"message": "  two\n lines "}}, "two lines", id="white-space"),
        pytest.param({"error": {"message": "\u001b[31mred\u202e"}}, "\\u001b[31mred\\u202e", id="terminal-escape"),
        pytest.param({"error": {"message": ""}}, '{"error": {"message": ""}}', id="empty-message"),
        pytest.param([], "[]", id="array"),
        pytest.param(b"<h1>502</h1>\r\n", "<h1>502</h1>", id="html"),
        pytest.param(b"", "", id="empty"),
        pytest.param(b"\xff\x00", "\ufffd\\u0000", id="binary"),
    ],
)
def test_an_error_is_cut_to_what_it_says(body: object, detail: str) -> None:
    assert error_detail(body if isinstance(body, bytes) else json.dumps(body).encode()) == detail


@pytest.mark.parametrize("body", [b"x" * 10_000_000, b'{"error":"' + b"x" * 10_000_000 + b'"}', b"[" * 10_000_000])
def test_a_long_error_is_cut(body: bytes) -> None:
    assert len(error_detail(body)) == 200
