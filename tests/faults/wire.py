"""A server in a process of its own, and a client that sends bytes: right, wrong, or too few."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

KEYPACT = Path(sys.prefix) / "bin" / "keypact"
WAIT_SECONDS = 30
UNVERIFIED = (
    "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=b"
)


@contextlib.contextmanager
def serving(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`keypact dynamodb` on a free port, and its URL as it prints it."""
    with subprocess.Popen(
        [KEYPACT, "dynamodb", "--port", "0", *options], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            first = process.stderr.readline()
            assert "http://" in first, first + process.stderr.read()
            yield process, first.split()[-1]
        finally:
            process.kill()


@dataclass
class Answer:
    """One answer off the wire."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self) -> str:
        """The error's name, without its namespace."""
        name: str = json.loads(self.body)["__type"]
        return name.rpartition("#")[2]


def request(
    operation: str = "ListTables",
    arguments: dict[str, Any] | bytes = b"{}",
    *headers: str,
) -> bytes:
    """The bytes of a request, with a signature nobody verifies."""
    body = arguments if isinstance(arguments, bytes) else json.dumps(arguments).encode()
    lines = [
        "POST / HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/x-amz-json-1.0",
        f"X-Amz-Target: DynamoDB_20120810.{operation}",
        "X-Amz-Date: 20260101T000000Z",
        f"Authorization: {UNVERIFIED}",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Client:
    """One connection to the server."""

    def __init__(self, url: str, *, receive_bytes: int | None = None) -> None:
        parts = urlsplit(url)
        self.socket = socket.socket()
        if receive_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(WAIT_SECONDS)
        self.socket.connect((parts.hostname, parts.port))
        self._unread = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send all of it, whether the server listens or not."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data)

    def answer(self) -> Answer:
        """The next answer; raises EOFError when the server closes before its end."""
        while b"\r\n\r\n" not in self._unread:
            self._receive()
        head, self._unread = self._unread.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        length = int(headers.get("Content-Length", "0"))
        while len(self._unread) < length:
            self._receive()
        body, self._unread = self._unread[:length], self._unread[length:]
        return Answer(int(first.split()[1]), headers, body)

    def is_closed_by_server(self) -> bool:
        """Wait until the server closes; anything it sends before is an error."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def _receive(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise EOFError("the server closed the connection")
        self._unread += data


def ask(url: str, data: bytes) -> Answer:
    """Send the bytes on a connection of their own; the first answer."""
    with Client(url) as client:
        client.send(data)
        return client.answer()
