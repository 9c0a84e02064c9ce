"""The server that other tests rely on keeps its own promises."""

import json
import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection, RemoteDisconnected

import pytest

from tests.stub_server import Script, StubServer, delay, drip, endless, refused_url, reset, say, stall, status


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer() as running:
        yield running


@pytest.fixture
def client(server: StubServer) -> Iterator[HTTPConnection]:
    connection = connect(server)
    yield connection
    connection.close()


def connect(server: StubServer) -> HTTPConnection:
    return HTTPConnection("127.0.0.1", int(server.url.rpartition(":")[2]), timeout=5)


def ask(client: HTTPConnection) -> str:
    client.request("POST", "/v1/chat/completions", b'{"model": "m"}', {"X-Name": "value"})
    content: str = json.loads(client.getresponse().read())["choices"][0]["message"]["content"]
    return content


def test_it_says_what_it_is_told_in_turn(server: StubServer, client: HTTPConnection) -> None:
    server.say_each(["a", "b"])

    assert [ask(client) for _ in range(3)] == ["a", "b", "b"]
    assert server.connections_accepted == 1


def test_it_records_what_it_received(server: StubServer, client: HTTPConnection) -> None:
    server.answer_with(lambda received: say(received.json["model"]))

    content = ask(client)

    (received,) = server.requests
    assert content == "m"
    assert (received.method, received.path, received.headers["x-name"]) == ("POST", "/v1/chat/completions", "value")


def test_it_counts_what_is_in_flight(server: StubServer) -> None:
    server.answer(delay(0.2, say("late")))
    clients = [connect(server) for _ in range(3)]

    for client in clients:
        client.request("POST", "/", b"{}")
    assert server.wait_for_requests(3)

    assert (server.in_flight, server.open_connections) == (3, 3)
    for client in clients:
        client.getresponse().read()
        client.close()
    assert server.wait_for_disconnect()
    assert (server.in_flight, server.open_connections, server.peak_in_flight) == (0, 0, 3)


def test_it_notices_who_leaves_before_the_answer(server: StubServer, client: HTTPConnection) -> None:
    server.answer(stall)
    client.request("POST", "/", b"{}")
    assert server.wait_for_requests()
    assert not server.wait_for_disconnect(0.05)

    client.close()

    assert server.wait_for_disconnect(1)


def test_a_reset_is_a_reset(server: StubServer, client: HTTPConnection) -> None:
    server.answer(reset)
    client.request("POST", "/", b"{}")

    with pytest.raises(ConnectionResetError) as raised:
        client.getresponse()

    assert not isinstance(raised.value, RemoteDisconnected)


@pytest.mark.parametrize(
    "script", [stall, drip(), endless, delay(60, status(200))], ids=["stall", "drip", "endless", "delay"]
)
def test_it_closes_at_once_whatever_its_clients_do(script: Script) -> None:
    with StubServer() as server:
        server.answer(script)
        clients = [connect(server) for _ in range(5)]
        for client in clients:
            client.request("POST", "/", b"{}")
        assert server.wait_for_requests(5)
        start = time.monotonic()
    elapsed = time.monotonic() - start

    for client in clients:
        client.close()
    assert elapsed < 0.3


def test_nobody_listens_at_a_refused_url() -> None:
    port = int(refused_url().rpartition(":")[2])

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)
