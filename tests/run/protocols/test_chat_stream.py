"""Tests of gekko.run.protocols.chat_stream."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko.errors import BackendError
from gekko.run.exchange import Reply, Usage
from gekko.run.protocols.chat_stream import ChatStreamParser, is_event_stream


def event(**document: object) -> bytes:
    return b"data: " + json.dumps(document).encode() + b"\n\n"


def delta(text: str | None, finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish_reason}
    return event(model="tiny", choices=[choice])


WHOLE = (
    b": a comment\n\n"
    + event(choices=[{"delta": {"role": "assistant"}}])
    + delta("Grüß")
    + b"event: message\ndata: "
    + json.dumps({"choices": [{"delta": {"content": " Gott"}}]}).encode()
    + b"\n\n"
    + delta(None, "stop")
    + event(choices=[], usage={"prompt_tokens": 3, "completion_tokens": 2})
    + b"data: [DONE]\n\n"
)


@given(cuts=st.lists(st.integers(0, len(WHOLE)), max_size=20), line_end=st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_the_answer_is_the_same_wherever_the_bytes_are_cut(cuts: list[int], line_end: bytes) -> None:
    pieces: list[str] = []
    parser = ChatStreamParser(pieces.append)
    whole = b"\xef\xbb\xbf" + WHOLE.replace(b"\n", line_end)
    places = sorted({0, len(whole), *cuts})

    for start, end in pairwise(places):
        parser.feed(whole[start:end])

    assert parser.finish() == Reply("Grüß Gott", "stop", "tiny", Usage(3, 2))
    assert pieces == ["Grüß", " Gott"]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        pytest.param(b"", "before its end", id="nothing"),
        pytest.param(delta("Hi"), "before its end", id="cut-off"),
        pytest.param(b"data: {oops\n\n", "not JSON", id="no-json"),
        pytest.param(b"data: [1]\n\n", "objects", id="no-object"),
        pytest.param(b"data: \xff\n\n", "UTF-8", id="no-utf-8"),
        pytest.param(event(error={"message": "out of memory"}), "out of memory", id="error"),
        pytest.param(event(choices=[{"delta": {"content": 3}}]), "content", id="no-text"),
        pytest.param(b"data: [DONE]\n\n", "content", id="nothing-said"),
        pytest.param(delta(None, "tool_calls"), "tool_calls", id="call-of-a-tool"),
    ],
)
def test_what_does_not_speak_the_protocol_is_an_error(body: bytes, named: str) -> None:
    parser = ChatStreamParser(lambda _: None)

    with pytest.raises(BackendError, match=named):  # noqa: PT012 - either may notice
        parser.feed(body)
        parser.finish()


def test_an_answer_that_says_why_it_ended_is_complete() -> None:
    parser = ChatStreamParser(lambda _: None)

    parser.feed(delta("cut", "length"))

    assert parser.finish() == Reply("cut", "length", "tiny")


@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_an_empty_answer_is_one_where_the_server_says_that_it_has_ended(finish_reason: str) -> None:
    parser = ChatStreamParser(lambda _: None)

    parser.feed(delta(None, finish_reason))

    assert parser.finish() == Reply("", finish_reason, "tiny")


def test_the_first_choice_is_the_answer() -> None:
    parser = ChatStreamParser(lambda _: None)

    parser.feed(delta("yes", "stop"))
    parser.feed(event(choices=[{"index": 1, "delta": {"content": "no"}, "finish_reason": "length"}]))

    assert parser.finish() == Reply("yes", "stop", "tiny")


@pytest.mark.parametrize(
    ("content_type", "is_one"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream ; charset=utf-8", True),
        ("text/event-streams", False),
        ("application/json", False),
    ],
)
def test_the_media_type_tells_an_event_stream(content_type: str, is_one: bool) -> None:
    assert is_event_stream({"content-type": content_type}) is is_one
    assert not is_event_stream({})
