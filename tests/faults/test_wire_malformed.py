"""Malformed HTTP and malformed requests: the right error, and the server goes on."""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Iterator

import pytest

from keypact.engine import Engine
from keypact.engine.server import running

from .wire import Client, ask, request

MEGABYTE = 1024 * 1024
BODY_BYTES_MAX = 16 * MEGABYTE


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    engine = Engine()
    with running(engine) as url:
        yield url
    engine.close()


@pytest.fixture(autouse=True)
def _goes_on(url: str) -> Iterator[None]:
    """After whatever a test did, the next client is served."""
    yield
    assert ask(url, request()).status == 200


@pytest.mark.parametrize(
    "data",
    [
        b"\x00" * 1000,
        b"\r\n" * 10 + b"?\r\n\r\n",
        b"GET\r\n\r\n",
        b"POST / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"POST / HTTP/1.1\r\n: no name\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        bytes(range(256)) * 10,
    ],
    ids=range(8),
)
def test_garbage_is_a_bad_request(url, data):
    """400 and the end of the connection."""
    with Client(url) as client:
        client.send(data)
        assert client.answer().status == 400
        assert client.is_closed_by_server()


@pytest.mark.parametrize("seed", range(20))
def test_damaged_requests_get_an_error_or_wait_for_the_rest(url, seed):
    """A request with random bytes changed, cut or doubled never gets a 500."""
    chance = random.Random(seed)
    data = bytearray(request("Query", {"TableName": "things", "Limit": 3}))
    for _ in range(chance.randint(1, 8)):
        place = chance.randrange(len(data))
        match chance.randrange(3):
            case 0:
                data[place] = chance.randrange(256)
            case 1:
                del data[place]
            case _:
                data.insert(place, data[place])
    with Client(url) as client:
        client.send(bytes(data))
        # No more will come: what is still incomplete ends here.
        client.socket.shutdown(socket.SHUT_WR)
        try:
            status = client.answer().status
        except EOFError:
            return
        assert 400 <= status < 500, f"seed {seed}: {bytes(data)!r}"


def test_a_huge_header_is_refused(url):
    """431, though the client has not finished sending it."""
    with Client(url) as client:
        client.send(b"POST / HTTP/1.1\r\nX-Huge: " + b"x" * MEGABYTE)
        assert client.answer().status == 431
        assert client.is_closed_by_server()


def test_endless_headers_are_refused(url):
    """431 for a thousand small ones, too."""
    assert ask(url, request("ListTables", b"{}", *(f"X-{n}: 1" for n in range(1000)))).status == 431


def test_a_body_over_the_limit_is_refused_unread(url):
    """413 on the announcement alone."""
    with Client(url) as client:
        client.send(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (BODY_BYTES_MAX + 1))
        assert client.answer().status == 413


def test_a_client_that_sends_too_much_can_read_why(url):
    """The refusal arrives, although the client sends all before it reads."""
    body = b"{" + b" " * BODY_BYTES_MAX + b"}"
    assert ask(url, request("ListTables", body)).status == 413


def test_a_body_of_exactly_the_limit_is_read(url):
    """16 MB are allowed."""
    body = b"{" + b" " * (BODY_BYTES_MAX - 2) + b"}"
    assert ask(url, request("ListTables", body)).status == 200


def test_a_chunked_body_over_the_limit_is_refused(url):
    """413 as soon as it has grown too long."""
    chunk = b"%x\r\n%b\r\n" % (MEGABYTE, b" " * MEGABYTE)
    with Client(url) as client:
        client.send(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(17):
            client.send(chunk)
        assert client.answer().status == 413


@pytest.mark.parametrize("cut", [1, 20, 200, 400, -1])
def test_a_connection_cut_in_the_middle_is_forgotten(url, cut):
    """Nothing of the request is run."""
    text = request(
        "CreateTable",
        {
            "TableName": "never",
            "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    with Client(url) as client:
        client.send(text[:cut])
    assert ask(url, request()).body == b'{"TableNames":[]}'


def test_a_body_shorter_than_announced_is_no_request(url):
    """The client closes its side too early: the server closes without an answer."""
    with Client(url) as client:
        client.send(request()[:-1])
        client.socket.shutdown(socket.SHUT_WR)
        assert client.is_closed_by_server()


def test_a_body_longer_than_announced_is_two_messages(url):
    """The request is answered; what is behind it is refused."""
    with Client(url) as client:
        client.send(request() + b"}}}}")
        assert client.answer().status == 200
        with contextlib.suppress(EOFError):
            assert client.answer().status == 400
        assert client.is_closed_by_server()


@pytest.mark.parametrize(
    "body",
    [
        b'{"TableName": ' + b"[" * 5_000_000,
        b'{"a":' * 1_000_000,
        b'{"TableName": "\xc3\x28"}',
        b'{"TableName": "\x00"}',
        b'{"TableName": "\\udfff"}',
        b"\xef\xbb\xbf{}",
    ],
    ids=["deep list", "deep map", "utf-8", "nul", "surrogate", "byte order mark"],
)
def test_json_that_cannot_be_read_is_named_so(url, body):
    """SerializationException, on a connection that stays usable."""
    with Client(url) as client:
        client.send(request("PutItem", body))
        answer = client.answer()
        assert (answer.status, answer.error) == (400, "SerializationException")
        client.send(request())
        assert client.answer().status == 200


@pytest.mark.parametrize("depth", [33, 100, 300, 900])
def test_deep_values_are_refused_by_their_depth(url, depth):
    """What can still be parsed is a ValidationException or a SerializationException."""
    value = b'{"L":[' * depth + b'{"S":"x"}' + b"]}" * depth
    body = b'{"TableName":"missing","Item":{"k":%b}}' % value
    answer = ask(url, request("PutItem", body))
    assert answer.status == 400
    assert answer.error in {"ValidationException", "SerializationException"}


def test_requests_sent_ahead_are_answered_in_order(url):
    """Good, bad and unknown in one write; each gets its own answer."""
    with Client(url) as client:
        client.send(
            request()
            + request("ListTables", b"{")
            + request("Nope")
            + request("DescribeTable", {"TableName": "missing"})
            + request()
        )
        answers = [client.answer() for _ in range(5)]
    assert [answer.status for answer in answers] == [200, 400, 400, 400, 200]
    assert [answer.error for answer in answers[1:4]] == [
        "SerializationException",
        "UnknownOperationException",
        "ResourceNotFoundException",
    ]
