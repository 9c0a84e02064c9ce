"""The protocol `transcriptions`."""

import json

import pytest

from gekko.errors import BackendError
from gekko.run.exchange import Form, Reply, Upload
from gekko.run.protocols.transcriptions import TranscriptionParser, transcription_form


def parse(*chunks: bytes) -> Reply:
    parser = TranscriptionParser()
    for chunk in chunks:
        parser.feed(chunk)
    return parser.finish()


def test_the_form_has_model_prompt_and_file() -> None:
    form = transcription_form("whisper", "Names: Ada.\n", b"RIFF", "memo é.wav")

    assert form == Form((("model", "whisper"), ("prompt", "Names: Ada.\n")), Upload("file", "memo é.wav", b"RIFF"))


@pytest.mark.parametrize("prompt", ["", " \n\t"])
def test_a_blank_prompt_is_left_out(prompt: str) -> None:
    assert transcription_form("whisper", prompt, b"", "input").fields == (("model", "whisper"),)


def test_the_text_is_the_reply() -> None:
    assert parse(b'{"text": " h\xc3', b'\xa9llo", "duration": 1.5}') == Reply(" héllo")


def test_silence_is_an_answer() -> None:
    assert parse(b'{"text":""}') == Reply("")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "text"),
        ({"text": None}, "null"),
        ({"text": ["x"]}, "array"),
        ({"error": {"message": "too short"}}, "too short"),
        ("hello", "hello"),
    ],
)
def test_anything_else_is_no_answer(body: object, named: str) -> None:
    with pytest.raises(BackendError) as caught:
        parse(json.dumps(body).encode())

    assert named in str(caught.value)


@pytest.mark.parametrize("raw", [b"", b"hello", b'{"text":"', b'{"text":"\xff"}'])
def test_what_is_no_json_is_no_answer(raw: bytes) -> None:
    with pytest.raises(BackendError) as caught:
        parse(raw)

    assert "transcriptions" in str(caught.value)
