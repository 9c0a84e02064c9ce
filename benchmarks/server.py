"""A server that answers every chat request with the same text, so many milliseconds after it came.

It prints its URL, and ends with its standard input. Beside `/v1/...` it answers `/counters` with what it has seen
since it was last asked: requests, connections, the most requests in flight, and the seconds from the first request to
the last answer. One event loop and no framework: it must cost little beside what is measured.
"""

import asyncio
import json
import sys
import threading
import time

from benchmarks.suites import ANSWER

COMPLETION = json.dumps(
    {
        "model": "served",
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}],
        "usage": {"prompt_tokens": 40, "completion_tokens": 20},
    }
).encode()


def response(body: bytes) -> bytes:
    """Return a whole response."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


class Counters:
    """What the server has seen."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget what was seen."""
        self.requests = self.connections = self.in_flight = self.most_in_flight = 0
        self.first = self.last = 0.0

    def came(self) -> None:
        """Count a request."""
        self.first = self.first or time.monotonic()
        self.requests += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)

    def answered(self) -> None:
        """Count an answer."""
        self.in_flight -= 1
        self.last = time.monotonic()

    def told(self) -> bytes:
        """Return all of it, and begin anew."""
        seen = {
            "requests": self.requests,
            "connections": self.connections,
            "most_in_flight": self.most_in_flight,
            "secs": self.last - self.first,
        }
        self.begin()
        return json.dumps(seen).encode()


class Connection(asyncio.Protocol):
    """One connection; requests come one after the other, each with a Content-Length."""

    def __init__(self, counters: Counters, delay_secs: float) -> None:
        self._counters = counters
        self._delay_secs = delay_secs
        self._received = b""
        self._is_counted = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each request that is complete."""
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0] or 0)
        if len(body) < length:
            return
        self._received = body[length:]
        if head.split(b" ", 2)[1] == b"/counters":
            self._transport.write(response(self._counters.told()))
            return
        self._counters.connections += not self._is_counted
        self._is_counted = True
        self._counters.came()
        if self._delay_secs:
            asyncio.get_running_loop().call_later(self._delay_secs, self._answer)
        else:
            self._answer()

    def _answer(self) -> None:
        self._counters.answered()
        if not self._transport.is_closing():
            self._transport.write(response(COMPLETION))


async def main(delay_secs: float) -> None:
    """Serve until standard input ends."""
    counters, loop = Counters(), asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(counters, delay_secs), "127.0.0.1", 0, backlog=1024)
    ended = asyncio.Event()

    def wait() -> None:
        sys.stdin.read()
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=wait, daemon=True).start()
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await ended.wait()


asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0))
