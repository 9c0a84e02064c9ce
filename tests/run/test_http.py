"""Requests over HTTP: what arrives at the server, and what becomes of everything that can go wrong."""

import asyncio
import errno
import gc
import gzip
import logging
import os
import shutil
import socket
import ssl
import subprocess
import sys
import time
import traceback
import tracemalloc
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from email import message_from_bytes
from pathlib import Path
from threading import Event

import pytest
from attrs import frozen

from gekko._version import __version__
from gekko.errors import BackendError
from gekko.limits import ANSWER_BYTES, MIB
from gekko.plan.access import Header
from gekko.run.exchange import Body, Form, Request, Transport, Upload
from gekko.run.http import HttpTransport
from gekko.run.names import Found, LookUp
from tests.stub_server import (
    Script,
    StubServer,
    Wire,
    chat_completion,
    delay,
    drip,
    endless,
    garbage,
    hang_up,
    raw,
    redirect,
    refused_url,
    reset,
    reset_in_body,
    response,
    say,
    stall,
    status,
    truncated_body,
)

HEAD = b"HTTP/1.1 200 OK\r\n"
SECRET = "hunter2-and-more"


@frozen
class Got:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer() as running:
        yield running


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No connection, and nothing that asyncio logs: a future that nobody awaited would be seen on a user's stderr."""
    yield
    gc.collect()  # what was never closed warns here, which pytest takes for a failure
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


async def exchange(transport: Transport, request: Request, timeout_secs: float = 5) -> Got:
    async with transport.send(request, timeout_secs) as answer:
        return Got(answer.status, answer.headers, b"".join([chunk async for chunk in answer.chunks()]))


def fetch(
    url: str,
    body: Body = b"{}",
    *,
    headers: tuple[Header, ...] = (),
    timeout_secs: float = 5,
    environ: Mapping[str, str] | None = None,
    look_up: LookUp = socket.getaddrinfo,
) -> Got:
    """Make one request with a transport of its own."""

    async def once() -> Got:
        async with HttpTransport(environ or {}, look_up) as transport:
            return await exchange(transport, Request(url, body, headers), timeout_secs)

    return asyncio.run(once())


def failure(url: str, **options: object) -> str:
    """Make one request that fails, and return the message."""
    with pytest.raises(BackendError) as raised:
        fetch(url, **options)  # type: ignore[arg-type]
    return str(raised.value)


class Clock:
    """Measures how long a block took."""

    def __enter__(self) -> "Clock":
        self._start = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.secs = time.monotonic() - self._start


# What arrives


def test_a_json_body_arrives_as_it_is(server: StubServer) -> None:
    body = '{"größe": 1.0}'.encode()

    fetch(f"{server.url}/v1/chat/completions", body)

    (received,) = server.requests
    assert (received.method, received.path, received.body) == ("POST", "/v1/chat/completions", body)
    assert received.headers["content-type"] == "application/json"
    assert received.headers["content-length"] == str(len(body))


def test_an_answer_has_status_headers_and_body(server: StubServer) -> None:
    server.answer(status(503, "come back later", headers=["Retry-After: 7"]))

    got = fetch(server.url)

    assert (got.status, got.headers["retry-after"], got.body) == (503, "7", b"come back later")


def test_declared_headers_arrive_and_win_over_our_own(server: StubServer) -> None:
    fetch(server.url, headers=(Header("Authorization", f"Bearer {SECRET}"), Header("X-Name", "Jürgen")))
    fetch(server.url, headers=(Header("user-agent", "theirs"), Header("Accept-Encoding", "gzip")))

    ours, theirs = (received.headers for received in server.requests)
    assert ours["authorization"] == f"Bearer {SECRET}"
    assert ours["x-name"].encode("latin-1").decode() == "Jürgen"
    assert (ours["user-agent"], ours["accept-encoding"]) == (f"gko/{__version__}", "identity")
    assert (theirs["user-agent"], theirs["accept-encoding"]) == ("theirs", "gzip")


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        pytest.param("", "/", id="empty"),
        pytest.param("/", "/", id="root"),
        pytest.param("/v1/a%2Fb/%7Ec/%e4", "/v1/a%2Fb/%7Ec/%e4", id="escapes-are-kept"),
        pytest.param("/v1/../x//y", "/v1/../x//y", id="dots-and-slashes-are-kept"),
        pytest.param("/größe x", "/gr%C3%B6%C3%9Fe%20x", id="the-rest-is-escaped"),
        pytest.param("/v1?api-version=2024%2F1&a=b+c", "/v1?api-version=2024%2F1&a=b+c", id="query"),
    ],
)
def test_a_path_is_sent_as_it_is_written(server: StubServer, written: str, sent: str) -> None:
    fetch(f"{server.url}{written}")

    assert server.requests[0].path == sent


def test_a_form_arrives_in_order_with_its_file_last(server: StubServer) -> None:
    upload = Upload("file", 'Zoë "live"\r\n.wav', b"RIFF\r\n--\x00\xff")
    form = Form((("model", "whisper-1"), ("prompt", 'Grün, "rot"')), upload)

    fetch(server.url, form)

    (received,) = server.requests
    head = f"Content-Type: {received.headers['content-type']}\r\n\r\n".encode()
    _, *parts = message_from_bytes(head + received.body).walk()
    assert [part.get_payload(decode=True) for part in parts] == [
        b"whisper-1",
        form.fields[1][1].encode(),
        upload.content,
    ]
    assert b'name="file"; filename="Zo\xc3\xab %22live%22%0D%0A.wav"\r\n' in received.body
    assert parts[2]["Content-Type"] == "application/octet-stream"


def test_a_long_body_arrives_whole(server: StubServer) -> None:
    body = os.urandom(3 * MIB + 1)

    fetch(server.url, body)

    assert server.requests[0].body == body
    assert "transfer-encoding" not in server.requests[0].headers


def test_a_name_is_looked_up(server: StubServer) -> None:
    asked: list[str] = []

    def look_up(host: str, port: int, family: socket.AddressFamily, kind: socket.SocketKind) -> Found:
        asked.append(host)
        return socket.getaddrinfo("127.0.0.1", port, family, kind)

    fetch(server.url.replace("127.0.0.1", "backend.example"), look_up=look_up)

    assert asked == ["backend.example"]
    assert server.requests[0].headers["host"] == f"backend.example:{server.url.rpartition(':')[2]}"


# Between requests


def test_requests_in_turn_share_one_connection(server: StubServer) -> None:
    server.answer(status(500, "no"), say("yes"))

    async def several() -> list[int]:
        async with HttpTransport({}) as transport:
            return [(await exchange(transport, Request(server.url, b"{}"))).status for _ in range(5)]

    assert asyncio.run(several()) == [500, 200, 200, 200, 200]
    assert server.connections_accepted == 1


def test_requests_at_once_are_not_limited(server: StubServer) -> None:
    count = 120  # more than aiohttp would open by itself
    server.answer_with(lambda _: delay(1.0, say("late")))

    async def at_once() -> None:
        async with HttpTransport({}) as transport, asyncio.TaskGroup() as group:
            for _ in range(count):
                group.create_task(exchange(transport, Request(server.url, b"{}")))

    asyncio.run(at_once())

    assert server.peak_in_flight == count
    assert server.wait_for_disconnect()


def test_a_second_answer_nobody_asked_for_is_not_taken_for_the_next(server: StubServer) -> None:
    server.answer(raw(response(200, b"first") + response(200, b"smuggled")), status(200, "second"))

    async def twice() -> list[bytes]:
        async with HttpTransport({}) as transport:
            return [(await exchange(transport, Request(server.url, b"{}"))).body for _ in range(2)]

    assert asyncio.run(twice()) == [b"first", b"second"]


def test_no_cookie_is_kept(server: StubServer) -> None:
    server.answer(status(200, headers=["Set-Cookie: session=1; Path=/"]))

    async def twice() -> None:
        async with HttpTransport({}) as transport:
            for _ in range(2):
                await exchange(transport, Request(server.url.replace("127.0.0.1", "localhost"), b"{}"))

    asyncio.run(twice())

    assert ["cookie" in received.headers for received in server.requests] == [False, False]


def test_a_redirect_is_an_answer_and_not_followed(server: StubServer) -> None:
    with StubServer() as elsewhere:
        server.answer(redirect(f"{elsewhere.url}/stolen"))

        got = fetch(server.url, headers=(Header("Authorization", SECRET),))

        assert (got.status, got.headers["location"]) == (307, f"{elsewhere.url}/stolen")
        assert elsewhere.requests == []


def test_no_password_is_read_from_netrc(server: StubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    monkeypatch.setenv("NETRC", str(netrc))

    fetch(server.url)

    assert "authorization" not in server.requests[0].headers


# What goes wrong


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        pytest.param(reset, "reset by peer", id="reset"),
        pytest.param(hang_up, "closed without an answer", id="closed"),
        pytest.param(truncated_body, "broke off", id="cut"),
        pytest.param(reset_in_body, "broke off", id="reset-in-body"),
        pytest.param(endless, "64 MiB", id="endless"),
        pytest.param(garbage, "not HTTP", id="garbage"),
        pytest.param(raw(b"<html>hello</html>\r\n\r\n"), "not HTTP", id="no-head"),
        pytest.param(raw(b"HTTP/9.9 200 OK\r\n\r\n"), "not HTTP", id="version"),
        pytest.param(raw(b"HTTP/1.1 -1 OK\r\n\r\n"), "not HTTP", id="status"),
        pytest.param(raw(HEAD + b"Content-Length: -5\r\n\r\nabc"), "not HTTP", id="negative-length"),
        pytest.param(raw(HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"), "not HTTP", id="two-lengths"),
        pytest.param(raw(HEAD + b"X: " + b"a" * 100_000 + b"\r\n\r\n"), "not HTTP", id="giant-header"),
        pytest.param(raw(HEAD + b"X: a\r\n" * 100_000 + b"\r\n"), "not HTTP", id="countless-headers"),
        pytest.param(raw(HEAD + b"X: a\x00b\r\n\r\n"), "not HTTP", id="nul-in-header"),
        pytest.param(raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc"), "not HTTP", id="bad-chunk"),
    ],
)
def test_a_server_that_breaks_the_rules_is_a_failure_with_its_url(
    server: StubServer, script: Script, problem: str
) -> None:
    server.answer(script)

    message = failure(f"{server.url}/v1/chat?key={SECRET}")

    assert message.startswith(f"{server.url}/v1/chat: ")
    assert problem in message
    assert SECRET not in message


@pytest.mark.parametrize(
    ("script", "got"),
    [
        pytest.param(raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + response(200, b"fine")), (200, b"fine"), id="continue"),
        pytest.param(raw(b"HTTP/1.1 204 No\r\n\r\n"), (204, b""), id="no-content"),
        pytest.param(raw(b"HTTP/1.1 101 Switching\r\n\r\nnoise"), (101, b""), id="switching"),
        pytest.param(status(200, "x", headers=["Set-Cookie: =;;==", "Link: <::>; rel"]), (200, b"x"), id="headers"),
        pytest.param(drip(response(200, b"slow"), 0.001), (200, b"slow"), id="byte-by-byte"),
    ],
)
def test_a_server_that_is_merely_strange_is_understood(
    server: StubServer, script: Script, got: tuple[int, bytes]
) -> None:
    server.answer(script)

    answer = fetch(server.url)

    assert (answer.status, answer.body) == got


def test_a_body_without_a_length_ends_with_the_connection(server: StubServer) -> None:
    def script(wire: Wire) -> None:
        wire.send(HEAD + b"\r\nuntil the end")
        wire.end()

    server.answer(script)

    assert fetch(server.url).body == b"until the end"


def test_a_refused_connection_is_named() -> None:
    url = refused_url()

    assert failure(url) == f"{url}: no connection: {os.strerror(errno.ECONNREFUSED)}"


def test_a_name_that_does_not_exist_is_named() -> None:
    def look_up(host: str, port: int, family: socket.AddressFamily, kind: socket.SocketKind) -> Found:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    message = failure("http://nowhere.invalid/v1", look_up=look_up)

    assert message.startswith("http://nowhere.invalid/v1: ")
    assert "'nowhere.invalid'" in message


@pytest.mark.parametrize("url", ["http://a..b/", f"http://{'a' * 70}.example/", "http://127.1/", "ftp://127.0.0.1/"])
def test_a_url_that_cannot_be_used_is_named(url: str) -> None:
    assert failure(url).startswith(f"{url}: ")


@pytest.mark.parametrize("value", [f"{SECRET}\r\nX: y", f"{SECRET}\0"])
def test_a_header_that_cannot_be_sent_stops_the_request_and_stays_secret(server: StubServer, value: str) -> None:
    message = failure(server.url, headers=(Header("X-Key", value),))

    assert message.startswith(f"{server.url}: ")
    assert SECRET not in message
    assert server.requests == []


def test_a_secret_that_the_server_echoes_is_in_no_error(server: StubServer) -> None:
    server.answer_with(lambda received: raw(f"{received.headers['authorization']}\r\n\r\n".encode()))

    with pytest.raises(BackendError) as raised:
        fetch(server.url, headers=(Header("Authorization", SECRET),))

    assert SECRET not in "".join(traceback.format_exception(raised.value))


# Deadlines


@pytest.mark.parametrize(
    "script",
    [stall, drip(), drip(HEAD + b"Content-Length: 999\r\n\r\n", 0), delay(3.0, say("late"))],
    ids=["stall", "drip", "head-alone", "late"],
)
def test_the_deadline_holds_to_the_last_byte(server: StubServer, script: Script) -> None:
    server.answer(script)

    with Clock() as clock:
        message = failure(server.url, timeout_secs=0.25)

    assert message == f"{server.url}: no complete answer within 0.25 s"
    assert 0.25 <= clock.secs < 1
    assert server.wait_for_disconnect(1)


def test_the_deadline_holds_while_a_name_is_looked_up() -> None:
    released = Event()

    def look_up(host: str, port: int, family: socket.AddressFamily, kind: socket.SocketKind) -> Found:
        released.wait(30)
        return []

    with Clock() as clock:
        message = failure("http://slow.example/", timeout_secs=0.25, look_up=look_up)
    released.set()

    assert message == "http://slow.example/: no complete answer within 0.25 s"
    assert clock.secs < 1


def test_the_deadline_holds_while_a_body_is_sent_that_nobody_reads() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"

        with Clock() as clock:
            message = failure(url, body=bytes(50 * MIB), timeout_secs=0.25)

    assert message == f"{url}: no complete answer within 0.25 s"
    assert clock.secs < 1


def test_the_deadline_ends_with_the_last_byte(server: StubServer) -> None:
    async def linger() -> Got:
        async with HttpTransport({}) as transport, transport.send(Request(server.url, b"{}"), 0.2) as answer:
            got = Got(answer.status, answer.headers, b"".join([chunk async for chunk in answer.chunks()]))
            await asyncio.sleep(0.4)
            return got

    assert asyncio.run(linger()).body == chat_completion("ok")


# Leaving early


@pytest.mark.parametrize(
    "script", [stall, drip(), drip(response(200, b"x" * 1000)), endless], ids=["stall", "head", "body", "endless"]
)
def test_a_cancelled_request_closes_its_connection_at_once(server: StubServer, script: Script) -> None:
    server.answer(script)

    async def cancel() -> None:
        async with HttpTransport({}) as transport:
            task = asyncio.create_task(exchange(transport, Request(server.url, b"{}")))
            await asyncio.to_thread(server.wait_for_requests)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(server.wait_for_disconnect, 1)

    asyncio.run(cancel())


def test_cancelling_does_not_wait_for_a_server_that_stopped_reading() -> None:
    async def cancel(url: str) -> None:
        async with HttpTransport({}) as transport:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(exchange(transport, Request(url, bytes(50 * MIB))), 0.2)

    with socket.create_server(("127.0.0.1", 0)) as silent, Clock() as clock:
        asyncio.run(cancel(f"http://127.0.0.1:{silent.getsockname()[1]}"))

    assert clock.secs < 1


def test_an_answer_left_unread_costs_its_connection_and_nothing_else(server: StubServer) -> None:
    server.answer(endless, say("next"))

    async def leave() -> Got:
        async with HttpTransport({}) as transport:
            async with transport.send(Request(server.url, b"{}"), 5) as answer:
                async for _ in answer.chunks():
                    break
            return await exchange(transport, Request(server.url, b"{}"))

    assert asyncio.run(leave()).body == chat_completion("next")
    assert server.connections_accepted == 2


BLOCKED_LOOK_UP = """
import asyncio, threading
from gekko.run.exchange import Request
from gekko.run.http import HttpTransport

started = threading.Event()

def look_up(*_):
    started.set()
    threading.Event().wait(60)

async def main():
    async with HttpTransport({}, look_up) as transport, asyncio.timeout(None) as limit:
        asyncio.get_running_loop().run_in_executor(None, started.wait).add_done_callback(lambda _: limit.reschedule(0))
        async with transport.send(Request("http://slow.example/", b"{}"), 60):
            pass

try:
    asyncio.run(main())
except TimeoutError:
    print("cancelled")
"""


def run_python(script: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, warnings shown."""
    command = [sys.executable, "-W", "always", "-c", script]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=60, env={**os.environ, **environ}
    )


def test_a_process_can_end_while_a_name_is_still_looked_up() -> None:
    with Clock() as clock:
        run = run_python(BLOCKED_LOOK_UP)

    assert (run.returncode, run.stdout, run.stderr) == (0, "cancelled\n", "")
    assert clock.secs < 20  # far less than the look-up, with room for a slow start


# Compression


def compressed(body: bytes, encoding: str = "gzip") -> Script:
    return status(200, body, headers=[f"Content-Encoding: {encoding}"])


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(compressed(gzip.compress(b"plain" * 1000)), id="gzip"),
        pytest.param(compressed(gzip.compress(b"plain" * 1000), "X-GZip"), id="x-gzip"),
        pytest.param(compressed(zlib.compress(b"plain" * 1000), "deflate"), id="deflate"),
        pytest.param(compressed(b"plain" * 1000, "identity"), id="identity"),
    ],
)
def test_an_answer_compressed_unasked_is_inflated(server: StubServer, script: Script) -> None:
    server.answer(script)

    assert fetch(server.url).body == b"plain" * 1000


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(compressed(b"plain"), id="not-compressed"),
        pytest.param(compressed(gzip.compress(b"plain" * 1000)[:-9]), id="no-end"),
        pytest.param(compressed(gzip.compress(b"plain") + b"more"), id="something-after-the-end"),
        pytest.param(compressed(b"plain", "br"), id="unknown"),
        pytest.param(compressed(gzip.compress(gzip.compress(b"plain")), "gzip, gzip"), id="twice"),
    ],
)
def test_a_compressed_answer_that_cannot_be_read_is_a_failure(server: StubServer, script: Script) -> None:
    server.answer(script)

    message = failure(server.url)

    assert message.startswith(f"{server.url}: ")
    assert "compressed" in message


def test_a_zip_bomb_meets_the_limit_and_not_the_memory(server: StubServer) -> None:
    deflater = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    bomb = b"".join([*(deflater.compress(bytes(MIB)) for _ in range(ANSWER_BYTES // MIB * 2)), deflater.flush()])
    server.answer(compressed(bomb))

    async def count() -> int:
        size_bytes = 0
        async with HttpTransport({}) as transport, transport.send(Request(server.url, b"{}"), 30) as answer:
            with suppress(BackendError):
                async for chunk in answer.chunks():
                    size_bytes += len(chunk)
        return size_bytes

    tracemalloc.start()
    read_bytes = asyncio.run(count())
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert read_bytes == ANSWER_BYTES
    assert peak_bytes < 8 * MIB


def test_an_answer_of_exactly_the_limit_is_accepted(server: StubServer) -> None:
    server.answer(status(200, bytes(ANSWER_BYTES)))

    assert len(fetch(server.url).body) == ANSWER_BYTES


# Proxies


def test_a_proxy_gets_the_request_and_its_own_password() -> None:
    with StubServer() as proxy:
        environ = {"HTTP_PROXY": proxy.url.replace("//", f"//me:{SECRET}@")}

        got = fetch("http://backend.example/v1/a%2Fb", environ=environ)

    (received,) = proxy.requests
    assert got.status == 200
    assert received.path == "http://backend.example/v1/a%2Fb"
    assert received.headers["host"] == "backend.example"
    assert received.headers["proxy-authorization"].startswith("Basic ")


def test_a_loopback_host_is_asked_without_the_proxy(server: StubServer) -> None:
    with StubServer() as proxy:
        for host in ("127.0.0.1", "localhost"):
            fetch(server.url.replace("127.0.0.1", host), environ={"http_proxy": proxy.url})

    assert (len(server.requests), proxy.requests) == (2, [])


@pytest.mark.parametrize(
    ("script", "problem"),
    [pytest.param(status(407), "407", id="refuses"), pytest.param(reset, "reset", id="breaks-off")],
)
def test_a_proxy_that_opens_no_tunnel_is_a_failure(script: Script, problem: str) -> None:
    with StubServer() as proxy:
        proxy.answer(script)

        message = failure("https://backend.example/v1", environ={"https_proxy": proxy.url})

    assert message.startswith("https://backend.example/v1: ")
    assert problem in message
    assert [(received.method, received.path) for received in proxy.requests] == [("CONNECT", "backend.example:443")]


def test_a_proxy_that_is_not_there_is_named_without_its_password() -> None:
    address = refused_url().removeprefix("http://")

    message = failure("http://backend.example/", environ={"http_proxy": f"http://me:{SECRET}@{address}"})

    assert f"proxy {address}" in message
    assert SECRET not in message


def test_a_proxy_of_another_kind_is_refused_without_its_password() -> None:
    message = failure("http://backend.example/", environ={"http_proxy": f"socks5://me:{SECRET}@127.0.0.1:1"})

    assert message.startswith("http://backend.example/: ")
    assert SECRET not in message


# TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for the loopback, with its key in the same file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl to make a certificate")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    names = ["-subj", "/CN=stub", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", str(path), "-out", f"{path}.crt"]
    subprocess.run([openssl, *made, *names], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


@pytest.fixture
def tls_server(certificate: Path) -> Iterator[StubServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with StubServer(context) as running:
        yield running


FETCH_TWICE = """
import asyncio
import errno
import gc
from gekko.errors import BackendError
from gekko.run.exchange import Request
from gekko.run.http import HttpTransport

async def main():
    async with HttpTransport({}) as transport:
        for _ in range(2):
            async with transport.send(Request("URL", b"{}"), 5) as answer:
                print(answer.status, len(b"".join([chunk async for chunk in answer.chunks()])))

try:
    asyncio.run(main())
except BackendError as error:
    print(error)
"""


def test_a_certificate_is_trusted_once_the_environment_names_it(tls_server: StubServer, certificate: Path) -> None:
    run = run_python(FETCH_TWICE.replace("URL", tls_server.url), SSL_CERT_FILE=str(certificate))

    size_bytes = len(chat_completion("ok"))
    assert (run.stdout, run.stderr) == (f"200 {size_bytes}\n" * 2, "")
    assert tls_server.connections_accepted == 1
    assert tls_server.wait_for_disconnect()


def test_an_unknown_certificate_is_a_failure(tls_server: StubServer) -> None:
    message = failure(tls_server.url)

    assert message.startswith(f"{tls_server.url}: ")
    assert "self-signed" in message
    assert tls_server.requests == []


def test_tls_where_there_is_none_is_a_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as plain:
        url = f"https://127.0.0.1:{plain.getsockname()[1]}"

        async def talk_plainly() -> str:
            async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                writer.write(response(400, b"plain HTTP"))
                writer.close()

            async with await asyncio.start_server(answer, sock=plain), HttpTransport({}) as transport:
                with pytest.raises(BackendError) as raised:
                    await exchange(transport, Request(url, b"{}"))
                return str(raised.value)

        message = asyncio.run(talk_plainly())

    assert message.startswith(f"{url}: ")
    assert "TLS" in message


# Silence


def test_nothing_is_logged_about_a_strange_cookie(server: StubServer) -> None:
    server.answer(status(200, headers=["Set-Cookie: a b=c", "Set-Cookie: =;;="]))

    run = run_python(FETCH_TWICE.replace("URL", server.url))

    assert (run.stdout, run.stderr) == ("200 0\n200 0\n", "")
