"""What the answers of all protocols share: one JSON object, or an account of what went wrong."""

from typing import Any

from attrs import define, field

from gekko import jsontext
from gekko.errors import BackendError
from gekko.run.exchange import Usage
from gekko.wording import cut, described, printable

DETAIL_CHARACTERS = 200
"""So much of an unsuccessful answer is worth showing."""

DETAIL_BYTES = 64 * 1024
"""An unsuccessful answer is looked at so far."""


@define
class JsonBody:
    """A JSON object that arrives in pieces."""

    protocol: str
    _received: bytearray = field(factory=bytearray, init=False)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self._received += chunk

    def document(self) -> dict[str, Any]:
        """Return the object, once every byte was fed.

        Raises:
            BackendError: this is something else, or tells of an error.
        """
        try:
            document = jsontext.parse_loosely(self._received.decode())
        except UnicodeDecodeError as error:
            raise self.broken(f"it is not UTF-8, {error.reason} at byte {error.start}") from None
        except jsontext.JsonTextError as error:
            raise self.broken(f"it is not JSON: {error}; found {excerpt(bytes(self._received))!r}") from None
        if not isinstance(document, dict):
            raise self.broken(f"expected an object, found {described(document)}")
        if document.get("error"):
            raise BackendError(f"the server answered with an error: {error_detail(bytes(self._received))}")
        return document

    def broken(self, problem: str) -> BackendError:
        """Return the error for an answer that is not what the protocol promises."""
        return BackendError(f"the answer does not speak the protocol {self.protocol!r}: {problem}")


def error_detail(body: bytes) -> str:
    """Return what an unsuccessful answer says about itself, on one short line that is safe to print."""
    try:
        document = jsontext.parse_loosely(body[:DETAIL_BYTES].decode())
    except (UnicodeDecodeError, jsontext.JsonTextError):
        return excerpt(body)
    return one_line(message_in(document)) or excerpt(body)


def message_in(document: object) -> str:
    """Return the message where servers put it: `error.message`, `error`, `message` or `detail`."""
    if not isinstance(document, dict):
        return ""
    error = document.get("error")
    inner = error.get("message") if isinstance(error, dict) else error
    return next(
        (text for text in (inner, document.get("message"), document.get("detail")) if isinstance(text, str)), ""
    )


def excerpt(body: bytes) -> str:
    """Return the beginning of a body as text."""
    return one_line(body[:DETAIL_BYTES].decode(errors="replace"))


def one_line(text: str) -> str:
    """Return *text* on one line, cut, with every character escaped that could disturb a terminal."""
    return printable(cut(" ".join(text.split()), DETAIL_CHARACTERS))


def text_or_none(value: object) -> str | None:
    """Return *value* if it is a string: what a server says beside the answer, it may say in any way."""
    return value if isinstance(value, str) else None


def usage_in(usage: object) -> Usage:
    """Return the token counts that make sense."""
    said = usage if isinstance(usage, dict) else {}
    return Usage(count_or_none(said.get("prompt_tokens")), count_or_none(said.get("completion_tokens")))


def count_or_none(value: object) -> int | None:
    """Return *value* if it is a number of things."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
