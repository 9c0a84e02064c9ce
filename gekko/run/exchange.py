"""What goes to a backend and what comes back, as plain data."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

from attrs import field, frozen

from gekko.plan.access import Header


@frozen
class Upload:
    """A file inside a form."""

    field_name: str
    file_name: str
    content: bytes = field(repr=False)


@frozen
class Form:
    """A multipart form: text fields in order, then one file."""

    fields: tuple[tuple[str, str], ...]
    upload: Upload


Body: TypeAlias = bytes | Form
"""A JSON text in UTF-8, or a form."""


@frozen
class Request:
    """One POST, complete: nothing about it is decided later."""

    url: str
    body: Body = field(repr=False)
    headers: tuple[Header, ...] = ()
    shown: str = field()
    """What messages call the place that it goes to; the URL itself may hold a key in its query."""

    @shown.default
    def _(self) -> str:
        return self.url.partition("?")[0]


@frozen
class Usage:
    """Tokens that the server says it read and wrote; what it did not say is None."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@frozen
class Reply:
    """What a protocol's parser made of an answer."""

    content: str
    finish_reason: str | None = None
    model: str | None = None
    usage: Usage = Usage()
    fingerprint: str | None = None
    """What the server calls the state of itself that answered: `system_fingerprint`."""


class Answer(Protocol):
    """An answer whose head has arrived and whose body is still on its way."""

    status: int
    headers: Mapping[str, str]
    """To be looked up by names in lower case."""

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives; a broken or endless one raises BackendError."""
        ...


class Transport(Protocol):
    """Carries requests to backends."""

    def send(self, request: Request, timeout_secs: float) -> AbstractAsyncContextManager[Answer]:
        """Send *request*; its deadline runs from the look-up of the name to the last byte of the answer.

        Raises:
            BackendError: there is no answer, or it stopped before its end, or time ran out.
        """
        ...


class Parser(Protocol):
    """Turns the bytes of one successful answer into a Reply; knows nothing about how they travel."""

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the body."""
        ...

    def finish(self) -> Reply:
        """Return the reply, once every byte was fed.

        Raises:
            BackendError: the body does not speak the protocol.
        """
        ...
