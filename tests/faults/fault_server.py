"""A server that fails as it is told to, and counts what it carried out."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Self
from zlib import crc32

TYPE = "com.amazonaws.dynamodb.v20120810#"


@dataclass(frozen=True)
class Reply:
    """What is sent for one request, and whether the request is carried out before."""

    data: bytes
    executes: bool = True
    # Before the first byte, and between bytes.
    wait_seconds: float = 0.0
    trickle_seconds: float = 0.0
    closes: bool = False
    resets: bool = False


@dataclass(frozen=True)
class Request:
    """A whole request as it came in; header names in lower case."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def operation(self) -> str:
        return self.headers["x-amz-target"].partition(".")[2]


def message(status: int, body: bytes, headers: Iterable[str] = ()) -> bytes:
    lines = [f"HTTP/1.1 {status} Reason", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def ok(body: bytes = b'{"Done":{"S":"yes"}}', *headers: str, checksum: int | None = None) -> Reply:
    checksum = crc32(body) if checksum is None else checksum
    return Reply(message(200, body, [f"x-amz-crc32: {checksum}", *headers]))


def error(status: int, code: str, text: str = "told", *headers: str, **members: object) -> Reply:
    body = json.dumps({"__type": TYPE + code, "message": text, **members}).encode()
    return Reply(message(status, body, [f"x-amz-crc32: {crc32(body)}", *headers]), executes=False)


def plain(status: int, body: bytes = b"<html>no</html>", *, executes: bool = False) -> Reply:
    """An answer that no DynamoDB gives, as of something on the way to it."""
    return Reply(message(status, body), executes=executes)


def chunked(body: bytes, sizes: Iterable[int], *headers: str) -> Reply:
    lines = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *headers, "", ""]
    data, start = "\r\n".join(lines).encode(), 0
    for size in [*sizes, len(body)]:
        piece = body[start : start + size]
        start += size
        if piece:
            data += b"%x\r\n%s\r\n" % (len(piece), piece)
    return Reply(data + b"0\r\n\r\n")


def cut(reply: Reply, length: int, *, resets: bool = False) -> Reply:
    """The same, but the connection ends after so many bytes."""
    return replace(reply, data=reply.data[:length], closes=True, resets=resets)


@dataclass
class FaultServer:
    """Gives the planned replies in order, then good ones. Every connection has a thread."""

    replies: deque[Reply] = field(default_factory=deque)
    requests: list[Request] = field(default_factory=list)
    executions: int = 0
    connections: int = 0
    otherwise: Reply = field(default_factory=ok)

    def __enter__(self) -> Self:
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        # Wakes the thread that accepts.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in list(self._sockets):
            sock.close()

    @property
    def port(self) -> int:
        return self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def plan(self, *replies: Reply) -> None:
        """Forget what was seen, and give these next."""
        with self._lock:
            self.replies = deque(replies)
            self.requests = []
            self.executions = 0

    def wrap(self, sock: socket.socket) -> socket.socket:
        """The connection to speak on; a server with TLS makes its own."""
        return sock

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self.connections += 1
                self._sockets.add(sock)
            threading.Thread(target=self._serve, args=[sock], daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        try:
            with self.wrap(sock) as wrapped:
                reader = wrapped.makefile("rb")
                while (request := read_request(reader)) is not None:
                    if not self._reply(wrapped, request):
                        return
        except (OSError, ValueError):
            return
        finally:
            self._sockets.discard(sock)

    def _reply(self, sock: socket.socket, request: Request) -> bool:
        with self._lock:
            self.requests.append(request)
            reply = self.replies.popleft() if self.replies else self.otherwise
            self.executions += reply.executes
        time.sleep(reply.wait_seconds)
        if reply.trickle_seconds:
            for byte in reply.data:
                sock.sendall(bytes([byte]))
                time.sleep(reply.trickle_seconds)
        else:
            sock.sendall(reply.data)
        if reply.resets:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return not (reply.closes or reply.resets)


def read_request(reader) -> Request | None:
    """The next whole request, or None at the end."""
    line = reader.readline().decode("latin-1").strip()
    if not line:
        return None
    headers = {}
    while text := reader.readline().decode("latin-1").strip():
        name, _, value = text.partition(":")
        headers[name.lower()] = value.strip()
    length = int(headers.get("content-length", "0"))
    body = reader.read(length)
    return Request(line, headers, body) if len(body) == length else None
