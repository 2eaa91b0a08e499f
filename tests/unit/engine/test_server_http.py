"""HTTP/1.1 on one connection: order, limits, back-pressure and time-outs.

The transport is a list of what was written, so that each test says exactly what arrives
when; the sockets are in tests/faults.
"""

from __future__ import annotations

import asyncio
import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from keypact.engine.http import Connection, Connections, Limits, Request

LIMITS = Limits(
    head_bytes_max=1000,
    headers_max=20,
    body_bytes_max=5000,
    arriving_bytes_max=8000,
    connections_max=3,
    idle_seconds=300,
    request_seconds=60,
    unread_seconds=30,
    linger_seconds=2,
    gzip_bytes_min=100,
)


class Transport(asyncio.Transport):
    """Keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.reading = True
        self.eof = self.closed = self.aborted = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.closed
        self.written += data

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.eof = True

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = self.aborted = True


@dataclass
class Answer:
    """One answer, taken apart."""

    status: int
    headers: dict[str, str]
    body: bytes


def answers(written: bytes) -> list[Answer]:
    """The answers in what was written, each as long as its Content-Length says."""
    found = []
    while written:
        head, written = written.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        length = int(headers.get("Content-Length", "0"))
        found.append(Answer(int(first.split()[1]), headers, written[:length]))
        written = written[length:]
    return found


@dataclass
class Wire:
    """Connections whose requests wait in ``asked`` until the test answers them."""

    loop: asyncio.AbstractEventLoop
    limits: Limits = LIMITS
    asked: list[tuple[Connection, Request]] = field(default_factory=list)
    # When set, requests are answered at once with what it gives.
    echo: bool = False

    def __post_init__(self) -> None:
        self.connections = Connections(self.handle, self.limits, self.loop)

    def handle(self, connection: Connection, request: Request) -> None:
        self.asked.append((connection, request))
        if self.echo:
            connection.answer(200, request.body)

    def connect(self) -> tuple[Connection, Transport]:
        connection, transport = self.connections.accept(), Transport()
        connection.connection_made(transport)
        return connection, transport

    def turn(self) -> None:
        """Run what the loop has to run by now."""
        self.loop.run_until_complete(asyncio.sleep(0))

    def wait(self, seconds: float) -> None:
        """Let time pass for all connections."""
        self.connections.now += seconds
        for connection in list(self.connections.open):
            connection.check_time()

    @property
    def bodies(self) -> list[bytes]:
        return [request.body for _, request in self.asked]


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture
def wire(loop: asyncio.AbstractEventLoop) -> Wire:
    return Wire(loop)


def post(body: bytes = b"{}", *headers: str, version: str = "1.1") -> bytes:
    lines = ["POST / HTTP/" + version, "Host: here", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


# Requests and answers ------------------------------------------------------------------


def test_a_request_is_the_same_however_it_is_cut(wire):
    """Byte by byte or all at once, the handler sees one whole request."""
    text = post(b'{"a":1}', "X-Amz-Target: DynamoDB_20120810.GetItem")
    whole, _ = wire.connect()
    whole.data_received(text)
    drip, _ = wire.connect()
    for index in range(len(text)):
        drip.data_received(text[index : index + 1])
    assert [request for _, request in wire.asked] == [
        Request(
            b"POST",
            b"/",
            {
                b"host": b"here",
                b"content-length": b"7",
                b"x-amz-target": b"DynamoDB_20120810.GetItem",
            },
            b'{"a":1}',
        )
    ] * 2


def test_answers_keep_the_order_of_requests(wire):
    """A client that sends ahead gets its answers in the order it asked."""
    connection, transport = wire.connect()
    connection.data_received(post(b"1") + post(b"2") + post(b"3"))
    for expected in (b"1", b"2", b"3"):
        assert wire.bodies[-1] == expected, "one request at a time is with the handler"
        connection.answer(200, b"to " + expected)
        wire.turn()
    assert [answer.body for answer in answers(transport.written)] == [b"to 1", b"to 2", b"to 3"]


def test_a_client_that_sends_ahead_is_not_read_further(wire):
    """What waits on a connection is bounded by one read of its socket."""
    connection, transport = wire.connect()
    connection.data_received(post(b"1") + post(b"2"))
    assert not transport.reading
    connection.answer(200, b"")
    wire.turn()
    assert wire.bodies == [b"1", b"2"]
    assert transport.reading


def test_the_head_of_an_answer(wire):
    """Content type, length, checksum, date and request id are DynamoDB's."""
    connection, transport = wire.connect()
    connection.data_received(post())
    connection.answer(200, b'{"Item":{}}')
    (answer,) = answers(transport.written)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/x-amz-json-1.0"
    assert answer.headers["Connection"] == "keep-alive"
    assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(b'{"Item":{}}')
    assert re.fullmatch(r"[0-9A-Z]{52}", answer.headers["x-amzn-RequestId"])
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", answer.headers["Date"])
    assert answer.headers["Server"]


def test_no_two_request_ids_are_equal(wire):
    """Across answers and across servers."""
    ids = set()
    for server in (wire, Wire(wire.loop)):
        server.echo = True
        connection, transport = server.connect()
        for _ in range(50):
            connection.data_received(post())
        ids |= {answer.headers["x-amzn-RequestId"] for answer in answers(transport.written)}
    assert len(ids) == 100


@pytest.mark.parametrize(
    ("version", "header", "kept"),
    [
        ("1.1", "X-Nothing: said", True),
        ("1.1", "Connection: close", False),
        ("1.0", "X-Nothing: said", False),
        ("1.0", "Connection: keep-alive", True),
    ],
)
def test_the_connection_is_kept_as_the_client_asks(wire, version, header, kept):
    """HTTP/1.1 keeps it unless told; HTTP/1.0 closes it unless told."""
    connection, transport = wire.connect()
    connection.data_received(post(b"{}", header, version=version))
    connection.answer(200, b"{}")
    (answer,) = answers(transport.written)
    assert answer.headers["Connection"] == ("keep-alive" if kept else "close")
    assert transport.closed is not kept


def test_nothing_behind_a_last_request_is_run(wire):
    """After Connection: close the rest of the bytes is not a request, nor an error."""
    connection, transport = wire.connect()
    connection.data_received(post(b"1") + post(b"2", "Connection: close") + post(b"3"))
    connection.answer(200, b"")
    wire.turn()
    connection.answer(200, b"")
    wire.turn()
    assert wire.bodies == [b"1", b"2"]
    assert [answer.status for answer in answers(transport.written)] == [200, 200]
    assert transport.closed


def test_a_client_that_waits_for_leave_gets_it(wire):
    """Expect: 100-continue is answered before the body, and once."""
    connection, transport = wire.connect()
    head, body = post(b"{}", "Expect: 100-continue")[:-2], b"{}"
    connection.data_received(head)
    assert transport.written == b"HTTP/1.1 100 Continue\r\n\r\n"
    connection.data_received(body[:1])
    connection.data_received(body[1:])
    assert transport.written == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert wire.bodies == [b"{}"]


def test_a_body_may_come_in_chunks(wire):
    """A chunked body is joined, whatever its chunks are."""
    connection, _ = wire.connect()
    connection.data_received(
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"
    )
    assert wire.bodies == [b"abcd"]


def test_a_client_may_close_its_side_after_asking(wire):
    """The answer is still written; then the connection ends."""
    connection, transport = wire.connect()
    connection.data_received(post())
    assert connection.eof_received(), "the transport stays open"
    connection.answer(200, b"{}")
    assert answers(transport.written)[0].status == 200
    assert transport.closed


def test_a_client_that_leaves_before_its_answer_harms_nothing(wire):
    """The answer is dropped."""
    connection, transport = wire.connect()
    connection.data_received(post())
    connection.connection_lost(None)
    connection.answer(200, b"{}")
    assert transport.written == b""
    assert not wire.connections.open


# Compression ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [
        ("gzip", True),
        ("gzip, deflate, br", True),
        ("br;q=1.0, GZIP;q=0.5", True),
        ("identity", False),
        ("deflate", False),
        ("gzip;q=0", False),
    ],
)
def test_a_long_answer_is_compressed_for_who_takes_it(wire, accepted, compressed):
    """The checksum is that of the bytes sent, as SDKs check it before decompressing."""
    body = b"x" * LIMITS.gzip_bytes_min
    connection, transport = wire.connect()
    connection.data_received(post(b"{}", f"Accept-Encoding: {accepted}"))
    connection.answer(200, body)
    (answer,) = answers(transport.written)
    assert (answer.headers.get("Content-Encoding") == "gzip") is compressed
    assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)
    assert (gzip.decompress(answer.body) if compressed else answer.body) == body


def test_a_short_answer_is_sent_as_it_is(wire):
    """Compressing it would cost more than it saves."""
    connection, transport = wire.connect()
    connection.data_received(post(b"{}", "Accept-Encoding: gzip"))
    connection.answer(200, b"x" * (LIMITS.gzip_bytes_min - 1))
    assert "Content-Encoding" not in answers(transport.written)[0].headers


# Limits ---------------------------------------------------------------------------------


def refusal(transport: Transport) -> int:
    """The status of the one answer that ended the connection."""
    (answer,) = answers(transport.written)
    assert answer.headers["Connection"] == "close"
    assert transport.eof
    return answer.status


def test_a_long_head_is_refused_in_one_read(wire):
    """431, and the handler never sees it."""
    connection, transport = wire.connect()
    connection.data_received(post(b"{}", "X-Long: " + "x" * LIMITS.head_bytes_max))
    assert refusal(transport) == 431
    assert not wire.asked


@pytest.mark.parametrize("start", ["POST /", "POST / HTTP/1.1\r\nX-Long: "])
def test_a_head_that_never_ends_is_refused(wire, start):
    """431 long before it has filled any memory."""
    connection, transport = wire.connect()
    connection.data_received(start.encode())
    sent = 0
    while not transport.eof:
        connection.data_received(b"x" * 100)
        sent += 100
        assert sent <= LIMITS.head_bytes_max + 200
    assert refusal(transport) == 431


def test_too_many_headers_are_refused(wire):
    """431 for more than a client ever sends."""
    connection, transport = wire.connect()
    connection.data_received(post(b"{}", *(f"X-{n}: 1" for n in range(LIMITS.headers_max))))
    assert refusal(transport) == 431
    assert not wire.asked


def test_a_long_body_is_refused_by_its_announcement(wire):
    """413 before a byte of it is read, even in the place of a 100 Continue."""
    connection, transport = wire.connect()
    connection.data_received(
        b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
        % (LIMITS.body_bytes_max + 1)
    )
    assert refusal(transport) == 413


def test_a_body_of_exactly_the_limit_is_taken(wire):
    """The limit itself is allowed, in one read or several."""
    text = post(b"x" * LIMITS.body_bytes_max)
    connection, _ = wire.connect()
    connection.data_received(text)
    connection, _ = wire.connect()
    connection.data_received(text[:3000])
    connection.data_received(text[3000:])
    assert [len(body) for body in wire.bodies] == [LIMITS.body_bytes_max] * 2


@pytest.mark.parametrize("size", [1, 400, LIMITS.body_bytes_max + 1])
def test_a_body_that_grows_beyond_the_limit_is_refused(wire, size):
    """413 for chunks that together are too long, however small each is."""
    connection, transport = wire.connect()
    connection.data_received(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunk = b"%x\r\n%b\r\n" % (size, b"x" * size)
    for _ in range(LIMITS.body_bytes_max // size + 1):
        connection.data_received(chunk)
    connection.data_received(b"0\r\n\r\n")
    assert refusal(transport) == 413
    assert not wire.asked


def test_bodies_still_arriving_share_a_limit(wire):
    """One upload too many gets 503; when one ends there is room again."""
    first, _ = wire.connect()
    second, refused = wire.connect()
    text = post(b"x" * LIMITS.body_bytes_max)
    first.data_received(text[:4500])
    second.data_received(text[:4500])
    assert refusal(refused) == 503
    first.data_received(text[4500:])
    third, _ = wire.connect()
    third.data_received(text[:4500])
    third.data_received(text[4500:])
    assert [len(body) for body in wire.bodies] == [LIMITS.body_bytes_max] * 2


def test_a_connection_too_many_is_refused(wire):
    """503 for it, and nothing for the others; one that leaves makes room."""
    kept = [wire.connect() for _ in range(LIMITS.connections_max)]
    refused, transport = wire.connect()
    assert refusal(transport) == 503
    refused.connection_lost(None)
    kept[0][0].connection_lost(None)
    _, transport = wire.connect()
    assert transport.written == b""


@pytest.mark.parametrize(
    "text",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"BREW / HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nX-Nul: a\x00b\r\n\r\n",
        b"POST / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_what_is_not_http_is_refused(wire, text):
    """400, the connection ends, and the handler sees nothing."""
    connection, transport = wire.connect()
    connection.data_received(text)
    assert refusal(transport) == 400
    assert not wire.asked


def test_garbage_behind_a_request_does_not_cost_its_answer(wire):
    """The answer that is owed is written; then the connection ends."""
    connection, transport = wire.connect()
    connection.data_received(post(b"1") + b"\x00garbage\r\n\r\n")
    connection.answer(200, b"{}")
    assert [answer.status for answer in answers(transport.written)] == [200]
    assert transport.closed


# Back-pressure --------------------------------------------------------------------------


def test_nothing_is_done_for_a_client_that_does_not_read(wire):
    """Its further requests wait, unread and unrun, until it has read its answers."""
    connection, transport = wire.connect()
    connection.data_received(post(b"1"))
    connection.pause_writing()
    assert not transport.reading
    connection.answer(200, b"")
    connection.data_received(post(b"2"))
    wire.turn()
    assert wire.bodies == [b"1"]
    connection.resume_writing()
    wire.turn()
    assert wire.bodies == [b"1", b"2"]
    assert transport.reading


# Time-outs and the end ------------------------------------------------------------------


def test_an_idle_connection_is_closed(wire):
    """After the idle time, counted from the last answer."""
    connection, transport = wire.connect()
    wire.wait(LIMITS.idle_seconds - 1)
    connection.data_received(post())
    connection.answer(200, b"{}")
    wire.wait(LIMITS.idle_seconds - 1)
    assert not transport.closed
    wire.wait(2)
    assert transport.closed


def test_a_request_that_drips_in_is_refused(wire):
    """408 once it has taken too long altogether, however steadily it drips."""
    connection, transport = wire.connect()
    for index in range(7):
        connection.data_received(post()[index : index + 1])
        wire.wait(LIMITS.request_seconds / 6)
    assert refusal(transport) == 408


def test_a_request_that_is_with_the_handler_has_no_time_out(wire):
    """A slow disk is not the client's fault."""
    connection, transport = wire.connect()
    connection.data_received(post())
    wire.wait(10 * LIMITS.idle_seconds)
    connection.answer(200, b"{}")
    assert answers(transport.written)[0].status == 200


def test_a_client_that_never_reads_is_cut_off(wire):
    """After the unread time, its answers are dropped with it."""
    connection, transport = wire.connect()
    connection.data_received(post())
    connection.answer(200, b"{}")
    connection.pause_writing()
    wire.wait(LIMITS.unread_seconds + 1)
    assert transport.aborted


def test_a_refused_client_may_finish_sending_for_a_while(wire):
    """What it sends is dropped, so that it can read the refusal; then it is cut off."""
    connection, transport = wire.connect()
    connection.data_received(b"\x00\r\n\r\n")
    connection.data_received(b"x" * 100_000)
    wire.wait(LIMITS.linger_seconds - 1)
    assert not transport.closed
    wire.wait(2)
    assert transport.aborted


def test_a_stop_closes_idle_connections_and_finishes_the_others(wire):
    """A request in flight gets its answer, marked as the last."""
    _, idle = wire.connect()
    busy, transport = wire.connect()
    busy.data_received(post())
    stop = wire.loop.create_task(wire.connections.stop(60))
    wire.turn()
    assert idle.closed
    assert not transport.closed
    busy.answer(200, b"{}")
    assert answers(transport.written)[0].headers["Connection"] == "close"
    assert transport.closed
    for connection in list(wire.connections.open):
        connection.connection_lost(None)
    wire.loop.run_until_complete(stop)


def test_a_stop_does_not_wait_for_ever(wire):
    """What is not finished in the time given is cut off."""
    connection, transport = wire.connect()
    connection.data_received(post())
    wire.loop.run_until_complete(wire.connections.stop(0))
    assert transport.aborted
