"""One HTTP/1.1 connection: requests come in, answers go out in their order, within limits.

Nothing here knows DynamoDB. A connection reads requests, hands them one at a
time to a handler, and writes what the handler answers.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http import HTTPStatus
from typing import Final, TypeAlias

import httptools
import msgspec

from .limits import REQUEST_BYTES_MAX

JSON_CONTENT: Final = b"application/x-amz-json-1.0"
PLAIN_CONTENT: Final = b"text/plain"
# Thirty-two digits and capitals, as in DynamoDB's request ids.
_ID_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUV"


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one client may take; everything beyond is refused or cut off."""

    # Far above what SDKs send; session tokens are the longest header.
    head_bytes_max: int = 32 * 1024
    headers_max: int = 100
    body_bytes_max: int = REQUEST_BYTES_MAX
    # Bodies still arriving, over all connections: many slow uploads share this.
    arriving_bytes_max: int = 256 * 1024 * 1024
    connections_max: int = 1000
    # SDKs keep connections for reuse; closing early makes them open new ones.
    idle_seconds: float = 300.0
    # From a request's first byte to its last: one byte a second does not hold us.
    request_seconds: float = 60.0
    # How long a client may leave an answer unread.
    unread_seconds: float = 60.0
    # After a refusal the rest of the request is read and dropped for this long:
    # closing at once would reset the connection before the refusal is read.
    linger_seconds: float = 2.0
    # Smaller answers cost more to compress than to send.
    gzip_bytes_min: int = 4096


class Request(msgspec.Struct, gc=False):
    """A whole request; header names are in lower case."""

    method: bytes
    url: bytes
    headers: dict[bytes, bytes]
    body: bytes


# Takes a request and sees to it that `connection.answer` is called once, now or later.
Handler: TypeAlias = "Callable[[Connection, Request], None]"


class Connections:
    """All open connections: what they share, and their time-outs."""

    def __init__(self, handler: Handler, limits: Limits, loop: asyncio.AbstractEventLoop) -> None:
        self.handler = handler
        self.limits = limits
        self.loop = loop
        self.open: set[Connection] = set()
        self.arriving_bytes = 0
        self.stopping = False
        # Random for the process, then counted: unique, and cheap to make.
        self.id_prefix = "".join(secrets.choice(_ID_ALPHABET) for _ in range(40)).encode()
        self.id_numbers: Iterator[int] = itertools.count(1)
        # The loop's time as of the last tick: exact enough for time-outs.
        self.now = loop.time()
        self.date = b""
        self.ok_head = b""
        shortest_seconds = min(
            limits.idle_seconds,
            limits.request_seconds,
            limits.unread_seconds,
            limits.linger_seconds,
        )
        self._tick_seconds = min(1.0, shortest_seconds / 4)
        self._timer: asyncio.TimerHandle | None = None
        self._all_left = asyncio.Event()
        self._tick()

    def accept(self) -> Connection:
        """Make the protocol of one more connection."""
        return Connection(self)

    def _tick(self) -> None:
        self.now = self.loop.time()
        date = formatdate(time.time(), usegmt=True).encode()
        if date != self.date:
            self.date = date
            self.ok_head = _head(200, JSON_CONTENT, date, keep_alive=True)
        for connection in list(self.open):
            connection.check_time()
        self._timer = self.loop.call_later(self._tick_seconds, self._tick)

    def joined(self, connection: Connection) -> None:
        """Count a connection in."""
        self.open.add(connection)
        self._all_left.clear()

    def left(self, connection: Connection) -> None:
        """Count a connection out."""
        self.open.discard(connection)
        if not self.open:
            self._all_left.set()

    async def stop(self, grace_seconds: float) -> None:
        """Let requests in flight finish, at most for the given time; cut off the rest."""
        self.stopping = True
        for connection in list(self.open):
            connection.stop()
        if self.open:
            try:
                await asyncio.wait_for(self._all_left.wait(), grace_seconds)
            except TimeoutError:
                self.abort()
        if self._timer is not None:
            self._timer.cancel()

    def abort(self) -> None:
        """Cut every connection off."""
        for connection in list(self.open):
            connection.abort()


class Connection(asyncio.Protocol):
    """The protocol of one connection.

    One request is with the handler at a time, so answers keep the order of
    requests. What a client sends ahead waits; while it waits, or while the
    client does not read its answers, nothing more is read.
    """

    def __init__(self, connections: Connections) -> None:
        self._shared = connections
        self._limits = connections.limits
        self._handler = connections.handler
        self._transport: asyncio.Transport | None = None
        # Whole requests behind the one that is with the handler.
        self._waiting: deque[Request] = deque()
        self._busy = False
        self._accept_encoding = b""
        # The request that is arriving. The parser fills these without running
        # Python code: with eight or more headers a request, that is what counts.
        self._url = bytearray()
        self._headers: dict[bytes, bytes] = {}
        self._body = bytearray()
        self.on_url = self._url.extend
        self.on_header = self._headers.__setitem__
        self.on_body = self._body.extend
        self._arriving = False
        self._in_body = False
        self._in_first_read = False
        self._announcement_read = False
        self._read_bytes = 0
        self._head_bytes = 0
        self._body_bytes_counted = 0
        # No further request will be read: what still comes in is dropped.
        self._deaf = False
        self._reading = True
        self._writable = True
        # When the present wait (idle, arriving, unread, lingering) began.
        self._since = connections.now
        self._parser: httptools.HttpRequestParser | None = httptools.HttpRequestParser(self)

    # From the transport ---------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection, or refuse it when there are too many."""
        # uvloop's transports are no subclasses of asyncio's.
        self._transport = transport  # type: ignore[assignment]
        full = len(self._shared.open) >= self._limits.connections_max
        self._shared.joined(self)
        if full:
            self._refuse(503, b"Too many connections")
        elif self._shared.stopping:
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Forget everything; an answer that comes later is dropped."""
        self._transport = None
        self._deaf = True
        self._waiting.clear()
        self._uncount_body()
        # The parser holds our methods: without this the two would wait for the
        # cycle collector.
        self._parser = None
        self._shared.left(self)

    def data_received(self, data: bytes) -> None:
        """Parse what came; whole requests are with the handler, or in line, after this."""
        if self._deaf or self._parser is None:
            return
        self._read_bytes = len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._refuse(400, b"Upgrade is not supported")
        except httptools.HttpParserError as error:
            self._refuse(400, b"Bad request: " + str(error).encode())
        if self._arriving and not self._deaf:
            self._check_arriving()
        if self._waiting:
            self._set_reading()

    def eof_received(self) -> bool:
        """A client may close its side once it has sent its request."""
        self._deaf = True
        return self._busy or bool(self._waiting)

    def pause_writing(self) -> None:
        """The client does not read: do nothing more for it until it does."""
        self._writable = False
        self._since = self._shared.now
        self._set_reading()

    def resume_writing(self) -> None:
        """The client has read on."""
        self._writable = True
        self._since = self._shared.now
        if self._waiting and not self._busy:
            self._shared.loop.call_soon(self._next)
        self._set_reading()

    def _set_reading(self) -> None:
        """Read only while there is nothing to catch up with."""
        reading = self._deaf or (self._writable and not self._waiting)
        transport = self._transport
        if reading == self._reading or transport is None or transport.is_closing():
            return
        self._reading = reading
        if reading:
            transport.resume_reading()
        else:
            transport.pause_reading()

    # From the parser ------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        self._arriving = True
        self._in_body = False
        self._in_first_read = True
        self._announcement_read = False
        self._head_bytes = 0
        self._since = self._shared.now

    def on_headers_complete(self) -> None:
        """The head is there; one that may be long is measured."""
        self._in_body = True
        limits = self._limits
        if self._read_bytes > limits.head_bytes_max or not self._in_first_read:
            head_bytes = len(self._url) + sum(
                len(name) + len(value) + 4 for name, value in self._headers.items()
            )
            if head_bytes > limits.head_bytes_max:
                self._refuse(431, b"The headers are too long")
        if len(self._headers) > limits.headers_max:
            self._refuse(431, b"Too many headers")

    def on_message_complete(self) -> None:
        """A whole request: to the handler, or in line behind the one that is there."""
        self._arriving = False
        parser = self._parser
        if self._deaf or parser is None:
            return
        request = Request(
            parser.get_method(),
            bytes(self._url),
            {name.lower(): value for name, value in self._headers.items()},
            bytes(self._body),
        )
        self._url.clear()
        self._headers.clear()
        self._body.clear()
        if self._body_bytes_counted:
            self._uncount_body()
        if len(request.body) > self._limits.body_bytes_max:
            self._refuse(413, b"")
            return
        if not request.body and parser.should_upgrade():
            # The parser takes what follows such a head for another protocol.
            self._refuse(400, b"Upgrade is not supported")
            return
        if not parser.should_keep_alive():
            self._deaf = True
        if self._busy or self._waiting or not self._writable:
            self._waiting.append(request)
        else:
            self._begin(request)

    def _check_arriving(self) -> None:
        """Refuse a request that exceeds a limit before all of it is here."""
        limits = self._limits
        if not self._in_body:
            if self._in_first_read:
                # Other requests may stand before it in this read: not counted.
                self._in_first_read = False
                return
            self._head_bytes += self._read_bytes
            if self._head_bytes > limits.head_bytes_max:
                self._refuse(431, b"The headers are too long")
            return
        if not self._announcement_read:
            self._announcement_read = True
            headers = {name.lower(): value for name, value in self._headers.items()}
            # The parser lets only digits through.
            if int(headers.get(b"content-length", b"0")) > limits.body_bytes_max:
                self._refuse(413, b"")
                return
            expects = headers.get(b"expect", b"").lower() == b"100-continue"
            if expects and not self._body and not self._busy and self._transport is not None:
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._shared.arriving_bytes += len(self._body) - self._body_bytes_counted
        self._body_bytes_counted = len(self._body)
        if len(self._body) > limits.body_bytes_max:
            self._refuse(413, b"")
        elif self._shared.arriving_bytes > limits.arriving_bytes_max:
            self._refuse(503, b"Too much is being uploaded at once")

    def _uncount_body(self) -> None:
        self._shared.arriving_bytes -= self._body_bytes_counted
        self._body_bytes_counted = 0

    # To and from the handler ----------------------------------------------------------

    def _begin(self, request: Request) -> None:
        self._busy = True
        self._accept_encoding = request.headers.get(b"accept-encoding", b"")
        self._handler(self, request)

    def _next(self) -> None:
        """Begin the request that waited longest, if nothing came between."""
        if self._waiting and self._writable and not self._busy:
            self._begin(self._waiting.popleft())
            self._set_reading()

    def answer(self, status: int, body: bytes, content_type: bytes = JSON_CONTENT) -> None:
        """Write the answer to the request that is with the handler."""
        transport = self._transport
        if transport is None:
            return
        shared = self._shared
        self._busy = False
        self._since = shared.now
        waiting = bool(self._waiting)
        last = not waiting and (self._deaf or (shared.stopping and not self._arriving))
        encoding = b""
        if len(body) >= self._limits.gzip_bytes_min and _takes_gzip(self._accept_encoding):
            # Level 1: between us and most clients is a loopback, so time is what costs.
            body = zlib.compress(body, 1, wbits=31)
            encoding = b"Content-Encoding: gzip\r\n"
        if status == 200 and not last and content_type is JSON_CONTENT:
            head = shared.ok_head
        else:
            head = _head(status, content_type, shared.date, keep_alive=not last)
        transport.write(
            # The checksum is of the body as sent, compressed or not: SDKs check
            # it before they decompress.
            b"%b%bContent-Length: %d\r\nx-amzn-RequestId: %b%012X\r\nx-amz-crc32: %d\r\n\r\n%b"
            % (
                head,
                encoding,
                len(body),
                shared.id_prefix,
                next(shared.id_numbers),
                zlib.crc32(body),
                body,
            )
        )
        if last:
            self._deaf = True
            transport.close()
        elif waiting:
            shared.loop.call_soon(self._next)

    def _refuse(self, status: int, text: bytes) -> None:
        """End the connection; say why, unless answers to earlier requests are still owed."""
        transport = self._transport
        if self._deaf or transport is None:
            return
        self._deaf = True
        self._arriving = False
        self._body.clear()
        self._uncount_body()
        if self._busy or self._waiting:
            return
        head = _head(status, PLAIN_CONTENT, self._shared.date, keep_alive=False)
        transport.write(b"%bContent-Length: %d\r\n\r\n%b" % (head, len(text), text))
        self._since = self._shared.now
        self._set_reading()
        if transport.can_write_eof():
            transport.write_eof()
        else:
            transport.close()

    # Time-outs and the end ------------------------------------------------------------

    def check_time(self) -> None:
        """End the connection when what it waits for takes too long."""
        limits = self._limits
        waited_seconds = self._shared.now - self._since
        if not self._writable:
            if waited_seconds > limits.unread_seconds:
                self.abort()
        elif self._busy or self._waiting:
            return
        elif self._deaf:
            if waited_seconds > limits.linger_seconds:
                self.abort()
        elif self._arriving:
            if waited_seconds > limits.request_seconds:
                self._refuse(408, b"The request took too long to arrive")
        elif waited_seconds > limits.idle_seconds and self._transport is not None:
            self._transport.close()

    def stop(self) -> None:
        """Close now when idle, else with the last answer that is owed."""
        idle = not (self._busy or self._waiting or self._arriving)
        if idle and self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Cut the connection off."""
        if self._transport is not None:
            self._transport.abort()


def _head(status: int, content_type: bytes, date: bytes, *, keep_alive: bool) -> bytes:
    """The lines of an answer's head that do not depend on its body."""
    return b"HTTP/1.1 %d %b\r\nServer: Server\r\nDate: %b\r\nContent-Type: %b\r\n%b" % (
        status,
        HTTPStatus(status).phrase.encode(),
        date,
        content_type,
        b"Connection: keep-alive\r\n" if keep_alive else b"Connection: close\r\n",
    )


def _takes_gzip(accept_encoding: bytes) -> bool:
    """Whether an Accept-Encoding header allows gzip."""
    for part in accept_encoding.lower().split(b","):
        name, _, weight = part.partition(b";")
        if name.strip() == b"gzip":
            return weight.replace(b" ", b"") not in {b"q=0", b"q=0.0", b"q=0.00", b"q=0.000"}
    return False
