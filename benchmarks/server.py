"""A server that answers every chat request with the same text; prints its URL, and ends with its standard input."""

import sys

from benchmarks.suites import ANSWER
from tests.stub_server import StubServer

with StubServer() as server:
    server.say(ANSWER)
    print(server.url, flush=True)
    sys.stdin.read()
