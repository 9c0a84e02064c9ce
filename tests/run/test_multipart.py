"""A form on the wire is read back as it was."""

from email import message_from_bytes
from email.policy import HTTP

from hypothesis import given
from hypothesis import strategies as st

from gekko.run.exchange import Form, Upload
from gekko.run.multipart import multipart

TEXT = st.text(st.characters(codec="utf-8"))


@given(values=st.lists(TEXT, max_size=3), content=st.binary())
def test_values_and_content_survive_whatever_they_hold(values: list[str], content: bytes) -> None:
    form = Form(tuple((f"field{index}", value) for index, value in enumerate(values)), Upload("file", "a.wav", content))

    content_type, body = multipart(form)

    boundary = content_type.removeprefix("multipart/form-data; boundary=").encode()
    before, *parts, after = body.split(b"--" + boundary)
    assert (before, after) == (b"", b"--\r\n")
    assert [part.split(b"\r\n\r\n", 1)[1] for part in parts] == [
        *(value.encode() + b"\r\n" for value in values),
        content + b"\r\n",
    ]


def test_a_name_can_neither_end_its_quotes_nor_its_line() -> None:
    upload = Upload('f"ile', 'evil"\r\nX-Header: 1\r\n\r\n.wav', b"")

    _, body = multipart(Form((), upload))

    assert b'name="f%22ile"; filename="evil%22%0D%0AX-Header: 1%0D%0A%0D%0A.wav"\r\n' in body


def test_a_file_name_that_is_not_utf_8_keeps_its_bytes() -> None:
    _, body = multipart(Form((), Upload("file", b"caf\xe9.wav".decode("utf-8", "surrogateescape"), b"")))

    assert b'filename="caf\xe9.wav"' in body


def test_a_reader_of_mail_agrees() -> None:
    content_type, body = multipart(Form((("model", "whisper-1"),), Upload("file", "a b.wav", b"RIFF")))

    message = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body, policy=HTTP)

    field, file = message.iter_parts()
    assert field["Content-Disposition"].params == {"name": "model"}
    assert file["Content-Disposition"].params == {"name": "file", "filename": "a b.wav"}
    assert file.get_content_type() == "application/octet-stream"
