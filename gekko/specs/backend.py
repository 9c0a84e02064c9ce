"""A backend file: a server that speaks an OpenAI-compatible protocol, or the embedded engine."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias, cast

from attrs import Factory, evolve, field, frozen

from gekko import templates
from gekko.errors import ConfigurationError, Problem
from gekko.locations import KeyPath
from gekko.sources.document import Document
from gekko.specs.rules import at_most, http_url, not_blank, not_empty, positive, url_path
from gekko.specs.runtime import PORT, Runtime, has_port, port_at_most, with_port
from gekko.specs.shape import in_schema
from gekko.specs.sourced import Sourced, sourced
from gekko.specs.structure import StructureError, ruled

Protocol: TypeAlias = Literal["chat", "embeddings", "transcriptions"]

TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A header's name: RFC 9110, section 5.6.2."""

OURS: Final = ("content-type", "content-length", "host", "transfer-encoding", "connection")
"""Headers that describe the request itself; a configured value would contradict it."""


ID_DOC: Final = "The name by which models refer to it."
TIMEOUTS_DOC: Final = "How long a request may take."

HIGHEST_PORT: Final = 65535
EXAMPLE_PORT: Final = 8000


@in_schema(string={"pattern": "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@]+(/[^?#]*)?$"})
def _base_url(text: str) -> None:
    port_at_most(text)
    http_url(with_port(text, HIGHEST_PORT))


@in_schema(object={"propertyNames": {"pattern": f"^{TOKEN.pattern}$"}})
def _legal_headers(headers: Mapping[str, str]) -> None:
    first: dict[str, str] = {}
    for name in headers:
        first.setdefault(name.lower(), name)
    problems = [Problem(*found, at=(name,)) for name in headers if (found := _illegal_name(name, first[name.lower()]))]
    problems += (problem.below(name) for name, value in headers.items() for problem in _illegal_value(value))
    if problems:
        raise StructureError(problems)


def _illegal_name(name: str, twin: str) -> tuple[str, str] | None:
    if not TOKEN.fullmatch(name):
        return f"{name!r} is not a legal name of a header", "letters, digits and - are"
    if name.lower() in OURS:
        return f"'{name}' is a header that gko itself writes", "remove it"
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

    path: str = ruled(url_path, doc="What follows base_url.")
    method: Literal["POST"] = ruled(default="POST", doc="The only one.")
    protocol: Protocol = ruled(default="chat", doc="How the operation is spoken to.")


@frozen(kw_only=True)
class Timeouts:
    """How long a request may take, from the look-up of the name to the last byte of the answer."""

    request_secs: float = ruled(positive, default=120, doc="Seconds, from looking up the name to the last byte.")


@frozen(kw_only=True)
class Server:
    """A backend that is reached over HTTP."""

    id: str = ruled(not_blank, doc=ID_DOC)
    type: Literal["openai-compatible"] = ruled(doc="A server that is reached over HTTP.")
    base_url: str = ruled(_base_url, doc="An http or https URL; an operation's path is appended.")
    operations: Mapping[str, Operation] = ruled(not_empty, doc="What the server can do, each under a name.")
    structured_output: bool = ruled(default=False, doc="Whether a command's output schema is sent as well.")
    timeouts: Timeouts = ruled(default=Timeouts(), doc=TIMEOUTS_DOC)
    headers: Mapping[str, str] = ruled(
        _legal_headers, default=Factory(dict), doc="Headers by name; values may hold {{ env.NAME }}."
    )
    max_concurrent: int | None = ruled(positive, default=None, doc="At most so many requests at a time.")
    runtime: Runtime | None = ruled(default=None, doc="How `gko backend serve` starts the server.")
    port: int | None = ruled(
        positive, at_most(HIGHEST_PORT), default=None, doc="What {{ backend.port }} stands for, in base_url for one."
    )

    def url(self, operation: Operation) -> str:
        """Return where an operation is reached."""
        return f"{self.base_url.rstrip('/')}/{operation.path.lstrip('/')}"


@frozen(kw_only=True)
class Engine:
    """How the embedded engine is run. *context* and *max_tokens* are in tokens."""

    context: int = ruled(positive, at_most(1_048_576), default=4096, doc="Tokens of prompt and answer together.")
    threads: int = ruled(positive, at_most(1024), default=1, doc="Threads; more are not always faster.")
    startup_secs: float = ruled(positive, default=60, doc="Seconds that the engine may take to be ready.")
    max_tokens: int = ruled(positive, default=512, doc="Of an answer, where neither model nor command say it.")


@frozen(kw_only=True)
class Embedded:
    """A backend that gko starts itself, as a child process."""

    id: str = ruled(not_blank, doc=ID_DOC)
    type: Literal["embedded"] = ruled(doc="A small model that answers on this machine.")
    weights: str = ruled(not_blank, doc="An installed distribution that carries one GGUF file, or a path to one.")
    engine: Engine = ruled(default=Engine(), doc="How the engine is run.")
    timeouts: Timeouts = ruled(default=Timeouts(), doc=TIMEOUTS_DOC)
    operations: Mapping[str, Operation] = field(init=False, factory=lambda: EMBEDDED_OPERATIONS)


EMBEDDED_OPERATIONS: Final[Mapping[str, Operation]] = {
    "chat": Operation(path="/v1/chat/completions"),
    "embeddings": Operation(path="/v1/embeddings", protocol="embeddings"),
}

Backend: TypeAlias = Server | Embedded


def read_backend(document: Document) -> Sourced[Backend]:
    """Return the backend that *document* describes, the port put in wherever `{{ backend.port }}` stands.

    Raises:
        ConfigurationError: it is of no known type, has not the shape of its type, or its port does not fit the rest.
    """
    backend = sourced(document, cast("type[Backend]", Backend))  # to mypy, a union is no type of its values
    if isinstance(backend.spec, Server):
        return Sourced(backend.path, _at_port(document, backend.spec))
    return backend


def _at_port(document: Document, server: Server) -> Server:
    places = [key for key, text in _texts(server) if has_port(text)]
    if server.port is None:
        if places:
            hint = f"add a port, such as port = {EXAMPLE_PORT}, at the top level"
            raise ConfigurationError(
                Problem(f"{PORT} stands for the key 'port', which is not there", hint).issue(document.path, key)
                for key in places
            )
        return server
    if not places:
        problem = Problem("nothing uses the port", f"write {PORT} where it belongs, in base_url for one", ("port",))
        raise ConfigurationError([problem.issue(document.path)])
    runtime = server.runtime.at_port(server.port) if server.runtime else None
    return evolve(server, base_url=with_port(server.base_url, server.port), runtime=runtime)


def _texts(server: Server) -> Iterator[tuple[KeyPath, str]]:
    yield ("base_url",), server.base_url
    if server.runtime is not None:
        yield from ((("runtime", *key), text) for key, text in server.runtime.texts())
