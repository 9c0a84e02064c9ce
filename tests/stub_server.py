"""A real HTTP server on the loopback that answers as it is told, and can misbehave in every way a backend may.

    with StubServer() as server:
        server.say("hello")                      # a chat completion, for every request from now on
        server.answer(status(500), reset)        # the first request, then all that follow
        server.answer_with(lambda received: say(received.json["model"]))

It is written on bare sockets, because a library would refuse to send what these tests need to be sent.
"""

import json
import select
import socket
import ssl
import struct
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from threading import Condition, Thread
from types import TracebackType
from typing import Any, Self, TypeAlias

from attrs import frozen

HEAD_END = b"\r\n\r\n"
JOIN_SECS = 5.0


@frozen
class Received:
    """A request as it arrived; names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


class ConnectionOverError(Exception):
    """The client has left, or the server is being closed."""


class Wire:
    """One connection, as the scripts see it: they send bytes, wait, and end it in some way."""

    def __init__(self, sock: socket.socket, on_send: Callable[["Wire"], None]) -> None:
        self._socket = sock
        self._on_send = on_send
        self._unread = b""

    def receive(self) -> Received:
        """Return the next request.

        Raises:
            ConnectionOverError: there will be none.
        """
        while (end := self._unread.find(HEAD_END)) < 0:
            self._fill()
        request_line, *lines = self._unread[:end].decode("latin-1").split("\r\n")
        self._unread = self._unread[end + len(HEAD_END) :]
        method, path, _ = request_line.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return Received(method, path, headers, self._take(int(headers.get("content-length", "0"))))

    def _take(self, size: int) -> bytes:
        parts = [self._unread[:size]]
        self._unread = self._unread[size:]
        missing = size - len(parts[0])
        while missing:
            self._fill()
            parts.append(self._unread[:missing])
            self._unread = self._unread[missing:]
            missing -= len(parts[-1])
        return b"".join(parts)

    def _fill(self) -> None:
        chunk = self._socket.recv(256 * 1024)
        if not chunk:
            raise ConnectionOverError
        self._unread += chunk

    def send(self, data: bytes) -> None:
        """Send all of *data*, in one piece where the system allows it."""
        self._on_send(self)
        self._socket.sendall(data)

    def pause(self, seconds: float | None) -> None:
        """Wait; None is for ever.

        Raises:
            ConnectionOverError: the client left meanwhile.
        """
        readable, _, _ = select.select([self._socket], [], [], seconds)
        if readable and not self._socket.recv(1, socket.MSG_PEEK):
            raise ConnectionOverError

    def end(self) -> None:
        """Close the connection in good order once the script is done."""
        raise ConnectionOverError

    def reset(self) -> None:
        """Break the connection off: the client gets a reset (RST) instead of an end."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise ConnectionOverError


Script: TypeAlias = Callable[[Wire], None]
"""Answers one request that was read; a script that returns keeps the connection open for the next."""


def response(status: int, body: bytes, content_type: str = "application/json", headers: Iterable[str] = ()) -> bytes:
    """Return a complete answer; *headers* are further lines."""
    lines = [f"HTTP/1.1 {status} Stub", f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("latin-1") + HEAD_END + body


def chat_completion(
    content: str | None,
    finish_reason: str | None = "stop",
    model: str = "stub-model",
    usage: tuple[int, int] | None = (3, 5),
) -> bytes:
    """Return the body of a chat completion; *usage* counts the tokens of prompt and completion."""
    message = {"role": "assistant", "content": content}
    completion: dict[str, object] = {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
    }
    if usage is not None:
        prompt, written = usage
        completion["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": written,
            "total_tokens": prompt + written,
        }
    return json.dumps(completion).encode()


def refused_url() -> str:
    """Return the URL of a port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


# Scripts that answer well.


def raw(data: bytes) -> Script:
    """Send exactly these bytes and keep the connection open."""
    return lambda wire: wire.send(data)


def status(code: int, body: bytes | str = b"", content_type: str = "text/plain", headers: Iterable[str] = ()) -> Script:
    """Answer with any status and body."""
    return raw(response(code, body.encode() if isinstance(body, str) else body, content_type, headers))


def answer_json(value: object) -> Script:
    """Answer 200 with a JSON text."""
    return status(200, json.dumps(value), "application/json")


def say(content: str, finish_reason: str | None = "stop") -> Script:
    """Answer with a chat completion of this content."""
    return raw(response(200, chat_completion(content, finish_reason)))


def delay(seconds: float, then: Script) -> Script:
    """Answer later."""

    def script(wire: Wire) -> None:
        wire.pause(seconds)
        then(wire)

    return script


Step: TypeAlias = bytes | float | Script
"""A part of a stream: bytes to send, seconds to wait, or whatever a script does."""


def stream(*steps: Step, content_type: str = "text/event-stream") -> Script:
    """Answer in pieces: `stream(piece("Hel"), 0.1, piece("lo"), ended(), DONE)`; a script may cut it short."""

    def script(wire: Wire) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked"
        wire.send(head.encode() + HEAD_END)
        for step in steps:
            if isinstance(step, bytes):
                wire.send(b"%x\r\n%s\r\n" % (len(step), step))
            elif callable(step):
                step(wire)
            else:
                wire.pause(step)
        wire.send(b"0\r\n\r\n")

    return script


def event(value: object) -> bytes:
    """Return a server-sent event that holds a JSON text."""
    return b"data: %s\n\n" % json.dumps(value).encode()


def piece(content: str | None, finish_reason: str | None = None) -> bytes:
    """Return the event of the next words of a chat completion."""
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish_reason}
    return event({"object": "chat.completion.chunk", "model": "stub-model", "choices": [choice]})


def ended(finish_reason: str = "stop", usage: tuple[int, int] = (3, 5)) -> bytes:
    """Return the events that end a chat completion: why it ended, then how many tokens there were."""
    prompt, written = usage
    counts = {"prompt_tokens": prompt, "completion_tokens": written}
    return piece(None, finish_reason) + event({"choices": [], "usage": counts})


DONE = b"data: [DONE]\n\n"


def say_in_pieces(*contents: str, finish_reason: str = "stop") -> Script:
    """Answer with a whole chat completion in pieces."""
    return stream(*map(piece, contents), ended(finish_reason), DONE)


# Scripts that misbehave.


def reset(wire: Wire) -> None:
    """Break the connection off instead of an answer."""
    wire.reset()


def hang_up(wire: Wire) -> None:
    """Close the connection in good order, but without an answer."""
    wire.end()


def stall(wire: Wire) -> None:
    """Never answer."""
    wire.pause(None)


def drip(data: bytes | None = None, interval_secs: float = 0.05) -> Script:
    """Send an answer byte by byte, with a pause after each."""

    def script(wire: Wire) -> None:
        answer = response(200, chat_completion("drip")) if data is None else data
        for index in range(len(answer)):
            wire.send(answer[index : index + 1])
            wire.pause(interval_secs)

    return script


def redirect(location: str, code: int = 307) -> Script:
    """Send the client elsewhere."""
    return status(code, headers=[f"Location: {location}"])


def html(wire: Wire) -> None:
    """Answer 200 with a page, as a captive portal does."""
    wire.send(response(200, b"<!DOCTYPE html><title>Welcome</title>", "text/html"))


def truncated_json(wire: Wire) -> None:
    """Answer with a whole body that is half a JSON text."""
    body = chat_completion("cut")
    wire.send(response(200, body[: len(body) // 2]))


def error_object(wire: Wire) -> None:
    """Answer 200, but with an error inside."""
    wire.send(response(200, b'{"error": {"message": "the model is not loaded", "type": "invalid_request_error"}}'))


def empty_choices(wire: Wire) -> None:
    """Answer with a completion that has no choice in it."""
    wire.send(response(200, b'{"object": "chat.completion", "model": "stub-model", "choices": []}'))


def endless(wire: Wire) -> None:
    """Send chunks for ever."""
    wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked" + HEAD_END)
    chunk = b"%x\r\n%s\r\n" % (256 * 1024, b" " * 256 * 1024)
    while True:
        wire.send(chunk)


def truncated_body(wire: Wire) -> None:
    """Close the connection before as many bytes were sent as were promised."""
    whole = response(200, chat_completion("cut"))
    wire.send(whole[:-20])
    wire.end()


def reset_in_body(wire: Wire) -> None:
    """Break the connection off in the middle of the body."""
    wire.send(response(200, chat_completion("cut"))[:-20])
    wire.pause(0.05)  # or the reset would overtake what was sent
    wire.reset()


def garbage(wire: Wire) -> None:
    """Answer with something that is not HTTP."""
    wire.send(b"\x00\xff\x15SSH-2.0-not-http\r\n\r\n")
    wire.end()


class StubServer:
    """The server; a context manager. It answers every path alike and records every request, in order of arrival."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Received] = []
        self.connections_accepted = 0
        self.peak_in_flight = 0
        self._tls = tls
        self._changed = Condition()
        self._unanswered: set[Wire] = set()
        self._open: set[socket.socket] = set()
        self._threads: list[Thread] = []
        self._closing = False
        self.say("ok")

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._closing = True
            # A shutdown wakes whatever thread sits in accept(), recv(), send() or select(); a close would not.
            for sock in (self._listener, *self._open):
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(JOIN_SECS)
        self._listener.close()

    @property
    def url(self) -> str:
        """Where it listens, without a slash at the end."""
        port = self._listener.getsockname()[1]
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{port}"

    # What it is told

    def answer(self, *scripts: Script) -> None:
        """Follow one script after the other, a request each; the last one stays."""
        waiting = deque(scripts)
        self.answer_with(lambda _: waiting.popleft() if len(waiting) > 1 else waiting[0])

    def answer_with(self, choose: Callable[[Received], Script]) -> None:
        """Ask *choose* for the script of every request."""
        self._choose = choose

    def say(self, content: str) -> None:
        """Answer every request with a chat completion of this content."""
        self.answer(say(content))

    def say_each(self, contents: Iterable[str]) -> None:
        """Answer with one chat completion after the other; the last one stays."""
        self.answer(*(say(content) for content in contents))

    # What it has seen

    @property
    def in_flight(self) -> int:
        """Requests that were read and whose answer has not begun."""
        return len(self._unanswered)

    @property
    def open_connections(self) -> int:
        """Connections that neither side has closed yet."""
        return len(self._open)

    def wait_for_requests(self, count: int = 1, timeout: float = 5.0) -> bool:
        """Return whether that many requests have arrived in all, as soon as they have."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.requests) >= count, timeout)

    def wait_for_disconnect(self, timeout: float = 5.0) -> bool:
        """Return whether every client has left, as soon as the last one has; False where none ever came."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self.connections_accepted) and not self._open, timeout)

    # How it works: one thread accepts, one more serves each connection

    def _start(self, work: Callable[..., None], *args: object) -> None:
        thread = Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls:
                sock = self._tls.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
            with self._changed:
                if self._closing:
                    sock.close()
                    return
                self._open.add(sock)
                self.connections_accepted += 1
                self._start(self._serve, sock)

    def _serve(self, sock: socket.socket) -> None:
        wire = Wire(sock, self._begin_answer)
        try:
            # What the client does to its end, or a failing handshake, is the client's affair.
            with suppress(ConnectionOverError, OSError):
                if isinstance(sock, ssl.SSLSocket):
                    sock.do_handshake()
                while True:
                    self._answer_one(wire)
        finally:
            sock.close()
            with self._changed:
                self._open.discard(sock)
                self._changed.notify_all()

    def _answer_one(self, wire: Wire) -> None:
        received = wire.receive()
        with self._changed:
            self.requests.append(received)
            self._unanswered.add(wire)
            self.peak_in_flight = max(self.peak_in_flight, len(self._unanswered))
            script = self._choose(received)
            self._changed.notify_all()
        try:
            script(wire)
        finally:
            self._begin_answer(wire)

    def _begin_answer(self, wire: Wire) -> None:
        # Counted when the answer begins, not when it is done: a client that has read its answer may send the next
        # request over another connection before this thread runs again, and the peak would come out too high.
        with self._changed:
            self._unanswered.discard(wire)
