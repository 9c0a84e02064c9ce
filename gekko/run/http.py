"""How requests reach a backend over HTTP; aiohttp is known here and nowhere else.

Importing this module is expensive: import it where the first request is about to be made.
"""

import asyncio
import os
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote, urlsplit, urlunsplit

import aiohttp
import aiohttp.abc
from attrs import define, frozen
from yarl import URL

from gekko._version import __version__
from gekko.errors import BackendError
from gekko.limits import ANSWER_BYTES, MIB
from gekko.run.exchange import Body, Request
from gekko.run.inflate import Inflater
from gekko.run.multipart import multipart
from gekko.run.names import LookUp, look_up
from gekko.run.proxies import proxy_for
from gekko.run.transient import TransientError

IDLE_SECS = 4
"""Servers commonly drop a connection that was idle for five seconds; one that they drop just as a request leaves would
fail it, and a POST must not be sent twice."""

WHOLE_BYTES = MIB // 4
"""A longer body is written piece by piece, so that neither the deadline nor Ctrl-C has to wait for it."""

FAILURES: Final = (aiohttp.ClientError, OSError, ValueError)
"""What can go wrong while a backend is waited for."""

SENT_AS_IT_IS = "%/?:@!$&'()*+,;=-._~[]"
"""What quote() leaves alone in a path and its query: all that may stand there, "%" because it is a finished escape."""


class HttpTransport:
    """Sends requests over HTTP and keeps connections for the next; an async context manager.

    *environ* is asked for proxies; *blocking_look_up* finds the addresses of a name, in a thread.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ, blocking_look_up: LookUp = socket.getaddrinfo) -> None:
        self._environ = environ
        self._look_up = blocking_look_up
        self._proxies: dict[str, str | None] = {}

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE_SECS, resolver=Resolver(self._look_up)),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(),  # no limits: Exchange has the one that counts
            headers={"User-Agent": f"gko/{__version__}", "Accept-Encoding": "identity"},
            response_class=Response,
            auto_decompress=False,  # a chunk at a time would be inflated as a whole
            trust_env=False,  # it would read passwords from .netrc as well
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    @asynccontextmanager
    async def send(self, request: Request, timeout_secs: float) -> AsyncIterator["HttpAnswer"]:
        """Send *request*, as Transport says. A redirect is an answer like any other; it is not followed."""
        exchange = Exchange(request.url, request.shown)
        if request.url not in self._proxies:
            self._proxies[request.url] = exchange.proxy(self._environ)
        try:
            async with asyncio.timeout(timeout_secs) as limit:
                try:
                    response = await self._post(request)
                except FAILURES as error:
                    raise exchange.broken(error) from None
                try:
                    yield HttpAnswer(response.status, response.headers, response, exchange, limit)
                finally:
                    drop(response)
        except TimeoutError:
            if not limit.expired():
                raise
            # Final, and no TransientError: another try would take as long.
            raise exchange.failure(f"no complete answer within {timeout_secs:g} s") from None

    async def _post(self, request: Request) -> aiohttp.ClientResponse:
        content_type, body = content(request.body)
        headers = [(header.name, header.value) for header in request.headers]
        headers += [("Content-Type", content_type), ("Content-Length", str(len(body)))]
        return await self._session.post(
            sendable(request.url),
            data=body if len(body) <= WHOLE_BYTES else pieces(body),
            headers=headers,
            allow_redirects=False,
            proxy=self._proxies[request.url],
        )


@define
class HttpAnswer:
    """An answer whose body is still on its way; the names of *headers* are found in any case."""

    status: int
    headers: Mapping[str, str]
    _response: aiohttp.ClientResponse
    _exchange: "Exchange"
    _limit: asyncio.Timeout

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives, inflated where it was compressed, up to the limit."""
        size_bytes = 0
        try:
            inflater = Inflater(self.headers.get("content-encoding", ""))
            while chunk := await self._received():
                for piece in inflater.feed(chunk):
                    size_bytes += len(piece)
                    if size_bytes > ANSWER_BYTES:
                        raise self._exchange.failure(f"the answer is longer than {ANSWER_BYTES // MIB} MiB")
                    yield piece
            self._limit.reschedule(None)  # the deadline is for the last byte, not for what is made of it
            if rest := inflater.finish():
                yield rest
        except ValueError as error:
            raise self._exchange.failure(str(error)) from None

    async def _received(self) -> bytes:
        if self._response.content.at_eof():
            return b""
        try:
            return await self._response.content.readany()
        except FAILURES as error:
            raise self._exchange.broken(error) from None


@frozen
class Exchange:
    """One request and its answer: where it goes, and what is said when that fails.

    Nothing that a foreign exception says is quoted, unless it can only be the system's words: a server may echo a
    secret, and aiohttp quotes whatever it could not read.
    """

    url: str
    shown: str

    def proxy(self, environ: Mapping[str, str]) -> str | None:
        """Return the proxy for this URL; its own URL may hold a password."""
        proxy = proxy_for(self.url, environ)
        if proxy and not proxy.startswith(("http://", "https://")):
            raise self.failure("the environment names a proxy that is neither http:// nor https://")
        return proxy

    def failure(self, problem: str) -> BackendError:
        """Return the error that says what went wrong, and where."""
        return BackendError(f"{self.shown}: {problem}")

    def broken(self, error: Exception) -> BackendError:
        """Return the error for one of FAILURES."""
        if not is_transient(error):
            return self.failure(reason(error))
        is_refusal = isinstance(error, aiohttp.ClientConnectorError)
        return TransientError(f"{self.shown}: {reason(error)}", is_overload=is_refusal)


class Response(aiohttp.ClientResponse):
    """An answer that drops its connection where its head fails to arrive."""

    async def start(self, connection: aiohttp.connector.Connection) -> Self:
        """Wait for the head."""
        try:
            await super().start(connection)
        except BaseException:
            drop(self)
            raise
        return self


def drop(response: aiohttp.ClientResponse) -> None:
    """End the connection at once, unless all was read: then it is free for the next request already.

    aiohttp would close it in good order, after whatever is still to be written. Where the server has stopped reading
    that never comes to an end, and the connection would outlive the event loop.
    """
    if response.connection is not None and response.connection.transport is not None:
        response.connection.transport.abort()
    response.close()


class Resolver(aiohttp.abc.AbstractResolver):
    """Finds addresses for aiohttp by a look-up that can be abandoned."""

    def __init__(self, blocking: LookUp) -> None:
        self._blocking = blocking

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[aiohttp.abc.ResolveResult]:
        """Return the addresses in the order in which they should be tried."""
        return [
            aiohttp.abc.ResolveResult(
                hostname=host,
                host=str(address[0]),
                port=port,
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, protocol, _, address in await look_up(host, port, family, self._blocking)
        ]

    async def close(self) -> None:
        """Do nothing: a look-up under way is left to its thread."""


def content(body: Body) -> tuple[str, bytes]:
    """Return the content type of a body, and its bytes."""
    return ("application/json", body) if isinstance(body, bytes) else multipart(body)


async def pieces(body: bytes) -> AsyncIterator[memoryview]:
    """Yield a long body part by part, without a copy."""
    whole = memoryview(body)
    for start in range(0, len(body), WHOLE_BYTES):
        yield whole[start : start + WHOLE_BYTES]


@lru_cache
def sendable(url: str) -> URL:
    """Return *url* as it goes over the wire: the host in ASCII, what is percent-encoded exactly as it was written.

    Left to itself, yarl would write "%2F" and "%7E" in its own way, and some servers tell the difference.
    """
    parts = urlsplit(url)
    target = quote(urlunsplit(("", "", parts.path or "/", parts.query, "")), safe=SENT_AS_IT_IS)
    return URL(f"{URL(url).origin()}{target}", encoded=True)


def is_transient(error: Exception) -> bool:
    """Return whether no connection came about or one broke, which the same request may be spared the next time."""
    match error:
        case aiohttp.ClientConnectorDNSError() | aiohttp.ClientSSLError() | ssl.SSLError():
            return False
        case _:
            return isinstance(error, (aiohttp.ClientPayloadError, aiohttp.ClientConnectionError, OSError))


def reason(error: Exception) -> str:
    """Return what went wrong, in words that cannot hold anything that was sent."""
    match error:
        case aiohttp.ClientConnectorCertificateError():
            return f"its certificate is not trusted: {system_text(error.certificate_error)}"
        case aiohttp.ClientConnectorDNSError():
            return f"the name '{error.host}' was not found: {system_text(error.os_error)}"
        case aiohttp.ClientProxyConnectionError():
            return f"no connection to the proxy {error.host}:{error.port}: {system_text(error.os_error)}"
        case aiohttp.ClientConnectorError():
            return f"no connection: {system_text(error.os_error)}"
        case aiohttp.ClientHttpProxyError():
            return f"the proxy refused to connect, with status {error.status}"
        case aiohttp.ServerDisconnectedError():
            return "the connection was closed without an answer"
        case aiohttp.ClientPayloadError():
            return "the answer broke off before its end"
        case aiohttp.ClientResponseError():
            return "the answer is not HTTP"
        case aiohttp.ClientOSError(errno=None):
            return "the connection broke before all of the request was sent"
        case OSError():
            return f"the connection broke: {system_text(error)}"
        case aiohttp.ClientConnectionError():
            return "the connection broke"
        case _:
            return "HTTP cannot carry this request; look at its URL and at the values of its headers"


def system_text(error: Exception) -> str:
    """Return what the system or its TLS library says."""
    match error:
        case ssl.SSLCertVerificationError():
            return error.verify_message
        case ssl.SSLError():
            return f"TLS failed: {error.reason or 'unknown reason'}"
        case socket.gaierror():
            return error.strerror or "unknown reason"
        case OSError(errno=int(number)):
            return os.strerror(number)  # str(error) would add Python's idea of what was called
        case _:
            return str(error)  # several addresses were tried, and each has its own reason
