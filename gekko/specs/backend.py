"""A backend file: a server that speaks an OpenAI-compatible protocol, or the embedded engine."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from attrs import Factory, field, frozen

from gekko import templates
from gekko.errors import ConfigurationError, Issue, Problem
from gekko.locations import Location
from gekko.sources.document import Document
from gekko.specs.rules import at_most, http_url, not_blank, not_empty, not_supported_yet, positive, url_path
from gekko.specs.sourced import Sourced, sourced
from gekko.specs.structure import StructureError, ruled
from gekko.wording import described, did_you_mean, one_of

Protocol: TypeAlias = Literal["chat", "embeddings", "transcriptions"]

TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A header's name: RFC 9110, section 5.6.2."""

OURS: Final = ("content-type", "content-length", "host", "transfer-encoding", "connection")
"""Headers that describe the request itself; a configured value would contradict it."""


def _supported(protocol: Protocol) -> None:
    if protocol == "embeddings":
        raise ValueError("'embeddings' is not supported yet", "accepted: 'chat' or 'transcriptions'")


def _legal_headers(headers: Mapping[str, str]) -> None:
    problems = [Problem(*found, at=(name,)) for name in headers if (found := _illegal_name(name, headers))]
    problems += (problem.below(name) for name, value in headers.items() for problem in _illegal_value(value))
    if problems:
        raise StructureError(problems)


def _illegal_name(name: str, headers: Mapping[str, str]) -> tuple[str, str] | None:
    if not TOKEN.fullmatch(name):
        return f"{name!r} is not a legal name of a header", "letters, digits and - are"
    if name.lower() in OURS:
        return f"'{name}' is a header that gko itself writes", "remove it"
    twin = next(other for other in headers if other.lower() == name.lower())
    if twin != name:
        return f"'{twin}' and '{name}' are one header, given twice", "keep one of them"
    return None


def _illegal_value(value: str) -> Iterator[Problem]:
    # The value may be a secret, so no message shows it.
    _, problems = templates.parse(value, ("env",))
    yield from (
        Problem("a placeholder that has no place in a header", "accepted here: {{ env.NAME }}") for _ in problems
    )
    if not is_header_value(value):
        yield Problem("the value holds a line end or another control character", "a header is one line of text")


def is_header_value(value: str) -> bool:
    """Return whether *value* can stand in a header: RFC 9110, section 5.5, without its obsolete parts."""
    return all(char == "\t" or char.isprintable() for char in value)


@frozen(kw_only=True)
class Operation:
    """One thing that the server can do, and where."""

    path: str = ruled(url_path)
    method: Literal["POST"] = "POST"
    protocol: Protocol = ruled(_supported, default="chat")


@frozen(kw_only=True)
class Timeouts:
    """How long a request may take, from the look-up of the name to the last byte of the answer."""

    request_secs: float = ruled(positive, default=120)


@frozen(kw_only=True)
class Server:
    """A backend that is reached over HTTP."""

    id: str = ruled(not_blank)
    type: Literal["openai-compatible"]
    base_url: str = ruled(http_url)
    operations: Mapping[str, Operation] = ruled(not_empty)
    structured_output: bool = False
    timeouts: Timeouts = Timeouts()
    headers: Mapping[str, str] = ruled(_legal_headers, default=Factory(dict))
    max_concurrent: object = ruled(not_supported_yet, default=None)
    runtime: object = ruled(not_supported_yet, default=None)
    port: object = ruled(not_supported_yet, default=None)

    def url(self, operation: Operation) -> str:
        """Return where an operation is reached."""
        return f"{self.base_url.rstrip('/')}/{operation.path.lstrip('/')}"


@frozen(kw_only=True)
class Engine:
    """How the embedded engine is run. *context* and *max_tokens* are in tokens."""

    context: int = ruled(positive, at_most(1_048_576), default=4096)
    threads: int = ruled(positive, at_most(1024), default=1)
    startup_secs: float = ruled(positive, default=60)
    max_tokens: int = ruled(positive, default=512)


@frozen(kw_only=True)
class Embedded:
    """A backend that gko starts itself, as a child process."""

    id: str = ruled(not_blank)
    type: Literal["embedded"]
    weights: str = ruled(not_blank)
    engine: Engine = Engine()
    timeouts: Timeouts = Timeouts()
    operations: Mapping[str, Operation] = field(init=False, factory=lambda: EMBEDDED_OPERATIONS)


EMBEDDED_OPERATIONS: Final[Mapping[str, Operation]] = {"chat": Operation(path="/v1/chat/completions")}

Backend: TypeAlias = Server | Embedded

TYPES: Final[Mapping[str, type[Server] | type[Embedded]]] = {"openai-compatible": Server, "embedded": Embedded}


def read_backend(document: Document) -> Sourced[Backend]:
    """Return the backend that *document* describes.

    Raises:
        ConfigurationError: it is of no known type, or has not the shape of its type.
    """
    kind = document.data.get("type")
    if "type" not in document.data:
        raise _refused(document, ("type",), "the key 'type' is required, but missing", f"accepted: {one_of(TYPES)}")
    if not isinstance(kind, str) or kind not in TYPES:
        hint = (did_you_mean(kind, TYPES) if isinstance(kind, str) else "") or f"accepted: {one_of(TYPES)}"
        raise _refused(document, ("type",), f"expected the type of a backend, found {described(kind)}", hint)
    return sourced(document, Server) if kind == "openai-compatible" else sourced(document, Embedded)


def _refused(document: Document, key: tuple[str, ...], problem: str, hint: str) -> ConfigurationError:
    return ConfigurationError([Issue(Location(document.path, key), problem, hint)])
