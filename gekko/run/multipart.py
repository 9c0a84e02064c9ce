"""How a form is written as the body of a request (RFC 7578)."""

from secrets import token_hex

from gekko.run.exchange import Form

ESCAPED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})
"""What cannot stand in a quoted name: escaped as browsers do it, which is what servers are tested with."""


def multipart(form: Form) -> tuple[str, bytes]:
    """Return the content type and the body: text fields in order, then the file."""
    boundary = token_hex(16)
    parts = [part(boundary, f'name="{escaped(name)}"', encoded(value)) for name, value in form.fields]
    upload = form.upload
    names = f'name="{escaped(upload.field_name)}"; filename="{escaped(upload.file_name)}"'
    parts.append(part(boundary, f"{names}\r\nContent-Type: application/octet-stream", upload.content))
    return f"multipart/form-data; boundary={boundary}", b"".join((*parts, f"--{boundary}--\r\n".encode()))


def part(boundary: str, rest_of_head: str, content: bytes) -> bytes:
    """Return one part with its head and both of its line ends."""
    head = f"--{boundary}\r\nContent-Disposition: form-data; {rest_of_head}\r\n\r\n"
    return b"".join((encoded(head), content, b"\r\n"))


def escaped(name: str) -> str:
    """Return a field's or a file's name as it stands between quotes."""
    return name.translate(ESCAPED)


def encoded(text: str) -> bytes:
    """Return *text* in UTF-8; a file's name that is not UTF-8 gets its own bytes back."""
    return text.encode("utf-8", "surrogateescape")
