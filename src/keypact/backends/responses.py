"""HTTP/1.1 answers read from a socket, and nothing taken that is not whole and in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from .http import Answer

# Session cookies and tracing make heads long; these are far beyond.
_HEAD_BYTES_MAX: Final = 64 * 1024
_CHUNK_LINE_BYTES_MAX: Final = 1024

# Gives some bytes of the answer, none at its end.
Receive = Callable[[], bytes]


class Malformed(Exception):
    """What came is no HTTP answer, or not all of one. The text says what is wrong."""


class TooLarge(Exception):
    """The answer goes beyond the limit."""


class Response(NamedTuple):
    """An answer, and whether the connection can carry another one."""

    answer: Answer
    reusable: bool


def read_response(receive: Receive, bytes_max: int) -> Response:
    """Read one answer. Raises Malformed, TooLarge, and what ``receive`` raises."""
    data = receive()
    while True:
        version, status, headers, data = _read_head(receive, data)
        if status >= 200:
            break
    body, rest = _read_body(receive, headers, data, bytes_max)
    reusable = (
        rest == b"" and version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
    )
    return Response(Answer(status, headers, body), reusable)


def read_tunnel(receive: Receive) -> int:
    """The status of a proxy's answer to CONNECT."""
    _, status, _, rest = _read_head(receive, receive())
    if status == 200 and rest:
        raise Malformed("the proxy spoke before its time")
    return status


def _read_head(receive: Receive, data: bytes) -> tuple[str, int, dict[str, str], bytes]:
    """Version, status, headers with names in lower case, and what came after them."""
    while (end := data.find(b"\r\n\r\n")) < 0:
        if len(data) > _HEAD_BYTES_MAX:
            raise Malformed("the answer has no end of headers")
        data += _more(receive)
    first, *lines = data[:end].decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    status = rest[:3]
    if version not in {"HTTP/1.1", "HTTP/1.0"} or not _is_number(status) or len(status) < 3:
        raise Malformed("the answer is not HTTP")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        name = name.lower()
        if not colon or not name or name[0] in " \t":
            raise Malformed("the answer has a header that is none")
        if name in headers and name in {"content-length", "transfer-encoding", "x-amz-crc32"}:
            raise Malformed(f"the answer has two headers {name}")
        headers[name] = value.strip()
    return version, int(status), headers, data[end + 4 :]


def _read_body(
    receive: Receive, headers: dict[str, str], data: bytes, bytes_max: int
) -> tuple[bytes, bytes | None]:
    """The body and what came after it; None when the connection's end was the body's."""
    coding = headers.get("transfer-encoding")
    length_text = headers.get("content-length")
    if coding is not None:
        if coding.lower() != "chunked" or length_text is not None:
            raise Malformed("the answer tells its length in two ways")
        return _read_chunks(receive, data, bytes_max)
    if length_text is None:
        return _read_to_end(receive, data, bytes_max), None
    if not _is_number(length_text):
        raise Malformed("the answer's length is no number")
    length = int(length_text)
    if length > bytes_max:
        raise TooLarge
    if len(data) == length:
        return data, b""
    data = _fill(receive, data, length)
    return data[:length], data[length:]


def _read_to_end(receive: Receive, data: bytes, bytes_max: int) -> bytes:
    pieces, size = [data], len(data)
    while size <= bytes_max:
        piece = receive()
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
    raise TooLarge


def _read_chunks(receive: Receive, data: bytes, bytes_max: int) -> tuple[bytes, bytes]:
    pieces: list[bytes] = []
    size = 0
    while True:
        line, data = _read_line(receive, data)
        digits = line.partition(b";")[0].strip()
        if not digits or len(digits) > 8 or digits.strip(b"0123456789abcdefABCDEF"):
            raise Malformed("a chunk's length is no number")
        length = int(digits, 16)
        size += length
        if size > bytes_max:
            raise TooLarge
        if length == 0:
            break
        data = _fill(receive, data, length + 2)
        if data[length : length + 2] != b"\r\n":
            raise Malformed("a chunk does not end where it should")
        pieces.append(data[:length])
        data = data[length + 2 :]
    trailers = 0
    while True:
        line, data = _read_line(receive, data)
        if not line:
            return b"".join(pieces), data
        trailers += 1
        if trailers > 100:
            raise Malformed("the answer has no end of trailers")


def _read_line(receive: Receive, data: bytes) -> tuple[bytes, bytes]:
    while (end := data.find(b"\r\n")) < 0:
        if len(data) > _CHUNK_LINE_BYTES_MAX:
            raise Malformed("a line of the answer has no end")
        data += _more(receive)
    return data[:end], data[end + 2 :]


def _fill(receive: Receive, data: bytes, length: int) -> bytes:
    """At least ``length`` bytes."""
    pieces, size = [data], len(data)
    while size < length:
        piece = _more(receive)
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _more(receive: Receive) -> bytes:
    piece = receive()
    if not piece:
        raise Malformed("the connection was closed before the answer's end")
    return piece


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18
