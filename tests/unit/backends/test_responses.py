"""Answers in any pieces are the same answer; what is no answer is refused."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypact.backends.responses import Malformed, Response, TooLarge, read_response

HEAD = b"HTTP/1.1 200 OK\r\n"


def _read(*pieces: bytes, bytes_max: int = 1000) -> Response:
    waiting = iter([piece for piece in pieces if piece])
    return read_response(lambda: next(waiting, b""), bytes_max)


@given(st.data(), st.binary(max_size=50), st.booleans())
def test_pieces_do_not_matter(data, body, chunked):
    """A network cuts where it likes."""
    if chunked:
        whole = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
        whole += b"".join(b"1;x=y\r\n%c\r\n" % byte for byte in body) + b"0\r\nTrailer: x\r\n\r\n"
    else:
        whole = HEAD + b"CONTENT-LENGTH:  %d \r\n\r\n" % len(body) + body
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    edges = [0, *cuts, len(whole)]
    pieces = [whole[a:b] for a, b in pairwise(edges)]
    (status, _, read), reusable = _read(*pieces)
    assert (status, read, reusable) == (200, body, True)
    for length in range(len(whole)):
        with pytest.raises(Malformed):
            _read(whole[:length])


@pytest.mark.parametrize(
    ("data", "reusable"),
    [
        (HEAD + b"Content-Length: 2\r\n\r\n{}", True),
        (HEAD + b"Content-Length: 2\r\nConnection: Close\r\n\r\n{}", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", False),
        (HEAD + b"\r\n{}", False),
        # Something nobody asked for: it is not to be the next call's answer.
        (HEAD + b"Content-Length: 2\r\n\r\n{}HTTP/1.1 200 OK", False),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"Content-Length: 2\r\n\r\n{}", True),
    ],
)
def test_a_connection_is_reused_only_when_it_is_clean(data, reusable):
    """Nothing left over, and nobody said it ends."""
    response = _read(data)
    assert response.answer.body == b"{}"
    assert response.reusable is reusable


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 20\r\n\r\n",
        HEAD + b"no colon\r\n\r\n",
        HEAD + b"a: b\r\n folded: c\r\n\r\n",
        HEAD + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + b"Content-Length: -2\r\n\r\n{}",
        HEAD + b"Content-Length: +2\r\n\r\n{}",
        HEAD + b"Content-Length: \xb2\r\n\r\n{}",
        HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 3000,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"a: b\r\n" * 200 + b"\r\n",
        b"x" * 100_000,
    ],
)
def test_what_is_no_answer_is_refused(data):
    """Nothing is guessed."""
    with pytest.raises(Malformed):
        _read(data)


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b"Content-Length: 1001\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n3e9\r\n",
        HEAD + b"\r\n" + b"x" * 1001,
    ],
)
def test_more_than_the_limit_is_not_read(data):
    """Whether it is told beforehand or not."""
    with pytest.raises(TooLarge):
        _read(data)
