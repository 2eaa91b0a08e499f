"""Clients that are slow, silent, or too many: they are cut off, and the others are served."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest

from keypact.engine import Engine
from keypact.engine.http import Limits
from keypact.engine.server import running

from .wire import Client, ask, request

CONNECTIONS_MAX = 20
IMPATIENT = Limits(idle_seconds=1, request_seconds=1, unread_seconds=1, linger_seconds=1)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine()
    engine.execute(
        "CreateTable",
        {
            "TableName": "things",
            "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for number in range(3):
        item = {"k": {"S": str(number)}, "text": {"S": "x" * 300_000}}
        engine.execute("PutItem", {"TableName": "things", "Item": item})
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def url(engine: Engine) -> Iterator[str]:
    with running(engine, limits=IMPATIENT) as url:
        yield url


@pytest.fixture(autouse=True)
def _goes_on(url: str) -> Iterator[None]:
    yield
    assert ask(url, request()).status == 200


def test_a_silent_connection_is_closed(url):
    """Idle from the start, or after an answer."""
    with Client(url) as silent, Client(url) as served:
        served.send(request())
        assert served.answer().status == 200
        assert silent.is_closed_by_server()
        assert served.is_closed_by_server()


@pytest.mark.parametrize("sent", [5, 100, -1], ids=["first line", "headers", "body"])
def test_a_request_that_does_not_end_is_refused(url, sent):
    """408, wherever it stopped."""
    with Client(url) as client:
        client.send(request()[:sent])
        assert client.answer().status == 408
        assert client.is_closed_by_server()


def test_a_refused_client_that_goes_on_sending_is_cut_off(url):
    """It may finish for a moment, not for ever."""
    with Client(url) as client, contextlib.suppress(ConnectionError):
        client.socket.sendall(b"\x00\r\n\r\n")
        while True:
            client.socket.sendall(b"x" * 1000)


def test_a_client_that_does_not_read_is_cut_off(url):
    """Its answers do not pile up: it is served no more than its socket takes, then closed."""
    scan = request("Scan", {"TableName": "things"})
    with Client(url, receive_bytes=4096) as client:
        client.send(scan * 500)
        # Others are served meanwhile.
        while ask(url, request()).status == 200:
            try:
                client.socket.sendall(request())
            except ConnectionError:
                break
        received = 0
        with contextlib.suppress(ConnectionError):
            while data := client.socket.recv(1 << 20):
                received += len(data)
    assert received < 20_000_000, "of 450 MB asked for"


def test_more_connections_than_allowed_are_refused(engine):
    """503 for the one too many; there is room again when others leave."""
    limits = Limits(connections_max=CONNECTIONS_MAX)
    with running(engine, limits=limits) as url, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(Client(url)) for _ in range(CONNECTIONS_MAX)]
        for client in clients:
            client.send(request())
        assert {client.answer().status for client in clients} == {200}
        with Client(url) as refused:
            assert refused.answer().status == 503
            assert refused.is_closed_by_server()
        clients[0].socket.shutdown(socket.SHUT_WR)
        assert clients[0].is_closed_by_server()
        clients[1].send(request())
        assert clients[1].answer().status == 200
        while (answer := ask(url, request())).status != 200:
            assert answer.status == 503, "until the server has seen both leave"


def test_a_flood_of_connections_that_say_nothing(url):
    """Many open and close without a word; the next request is answered."""
    for _ in range(500):
        with Client(url):
            pass
