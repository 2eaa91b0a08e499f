"""The load generator: bare sockets and poll in a process of its own.

`python -m bench.load` reads orders as JSON lines on stdin and answers each with one line.
Requests are made before the clock starts; each connection has one request in flight.
Every answer must have status 200 and at least the length of a right one.
"""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from bench import items

CONNECTIONS = 32
ANSWER_SECONDS_MAX = 20
# Requests made beforehand and sent in turn.
REQUESTS = 2000
# The notes of the last puts, which the caller reads back.
PUTS_REMEMBERED = 20


@dataclass(frozen=True)
class Order:
    """What to send where, and for how long."""

    port: int
    operation: str
    item_count: int
    warm_seconds: float
    seconds: float
    # The first edition that nobody has put yet.
    edition: int = 1


@dataclass
class Outcome:
    """What came back. `answered` counts warm-up and drain; `rate` the timed part alone."""

    rate: float = 0.0
    answered: int = 0
    edition: int = 0
    p50_ms: float = 0.0
    p99_ms: float = 0.0
    # CPU time of the generator per second of the timed part.
    generator_cores: float = 0.0
    last_puts: list[tuple[int, int]] = field(default_factory=list)
    error: str = ""


TARGETS = {
    "get": "GetItem",
    "query": "Query",
    "put": "PutItem",
    "update": "UpdateItem",
    "transact": "TransactWriteItems",
    "load": "BatchWriteItem",
    "get plain": "GetItem",
    "query plain": "Query",
    "load plain": "BatchWriteItem",
}
# A right answer has at least this many bytes of body. A rich item has more than 500.
BODY_BYTES_MIN = {"get": 500, "query": 25 * 500, "get plain": 400, "query plain": 25 * 400}


def put_number(turn: int, item_count: int) -> int:
    """The item to put: of even partitions, so that updates' counters are never reset."""
    half = item_count // 2
    return _spread(turn, half) // 100 * 200 + _spread(turn, half) % 100


def update_number(turn: int, item_count: int) -> int:
    """The item to update: of odd partitions."""
    return put_number(turn, item_count) + 100


def _spread(turn: int, count: int) -> int:
    # A prime step visits every item before any comes twice.
    return turn * 7919 % count


def _bodies(operation: str, count: int) -> list[dict[str, Any]]:
    table = items.PLAIN_TABLE if operation.endswith("plain") else items.TABLE
    if operation.startswith("load"):
        return [items.batch(range(first, first + 25), table) for first in range(0, count, 25)]
    makers: dict[str, Callable[[int], dict[str, Any]]] = {
        "get": lambda turn: items.get(_spread(turn, count)),
        "query": lambda turn: items.query(_spread(turn, count)),
        "get plain": lambda turn: items.get(_spread(turn, count), table),
        "query plain": lambda turn: items.query(_spread(turn, count), table),
        "put": lambda turn: items.put(put_number(turn, count), 0),
        "update": lambda turn: items.update(update_number(turn, count)),
        # Three steps a turn: neighbours in flight share no item.
        "transact": lambda turn: items.transact(
            (
                put_number(turn, count),
                update_number(2 * turn, count),
                update_number(2 * turn + 1, count),
            ),
            0,
        ),
    }
    return [makers[operation](turn) for turn in range(REQUESTS)]


def request_bytes(operation: str, body: dict[str, Any], port: int) -> bytes:
    """One request as the AWS SDKs send it."""
    text = json.dumps(body, separators=(",", ":")).encode()
    head = (
        "POST / HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{port}\r\n"
        "Content-Type: application/x-amz-json-1.0\r\n"
        f"X-Amz-Target: DynamoDB_20120810.{TARGETS[operation]}\r\n"
        "X-Amz-Date: 20260101T000000Z\r\n"
        "Authorization: AWS4-HMAC-SHA256 "
        "Credential=AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/dynamodb/aws4_request, "
        f"SignedHeaders=host;x-amz-date;x-amz-target, Signature={'0' * 64}\r\n"
        f"Content-Length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text


class _Requests:
    """The requests in turn, each put with an edition of its own."""

    def __init__(self, order: Order) -> None:
        bodies = _bodies(order.operation, order.item_count)
        whole = [request_bytes(order.operation, body, order.port) for body in bodies]
        self.edition = order.edition
        self.sent = 0
        self.count = len(whole)
        self._marked = order.operation in ("put", "transact")
        mark = b'"note":{"S":"' + b"0" * items.MARK_BYTES
        self._parts = [text.split(mark) if self._marked else [text] for text in whole]
        self._joint = mark[: -items.MARK_BYTES]

    def next(self) -> bytes:
        parts = self._parts[self.sent % self.count]
        self.sent += 1
        if not self._marked:
            return parts[0]
        self.edition += 1
        return parts[0] + self._joint + b"%012d" % self.edition + parts[1]


class _Connection:
    __slots__ = ("buffer", "since", "socket", "wanted")

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS_MAX)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        # The length of the answer, once its head is there.
        self.wanted = 0
        self.since = 0.0


class WrongAnswer(Exception):
    """The server hung up, or did not answer 200 with a body long enough."""


def _complete(connection: _Connection, data: bytes, body_bytes_min: int) -> bool:
    """Take in what arrived; whether the answer is whole."""
    buffer = connection.buffer + data if connection.buffer else data
    if not connection.wanted:
        end = buffer.find(b"\r\n\r\n")
        if end < 0:
            connection.buffer = buffer
            return False
        if not buffer.startswith(b"HTTP/1.1 200"):
            raise WrongAnswer(buffer[:600].decode(errors="replace"))
        head = buffer[:end].lower()
        at = head.find(b"content-length:")
        if at < 0:
            raise WrongAnswer(f"no Content-Length in {head.decode(errors='replace')}")
        length = int(head[at + 15 :].split(b"\r\n", 1)[0])
        if length < body_bytes_min:
            raise WrongAnswer(f"{length} bytes of body, where {body_bytes_min} are the least")
        connection.wanted = end + 4 + length
    if len(buffer) < connection.wanted:
        connection.buffer = buffer
        return False
    connection.buffer = b""
    connection.wanted = 0
    return True


def run(order: Order) -> Outcome:
    """Send for the time ordered, then wait for what is in flight.

    An order to load sends every request once and ignores the clock.
    """
    requests = _Requests(order)
    poller = select.epoll()
    connections = {}
    for _ in range(CONNECTIONS):
        connection = _Connection(order.port)
        connections[connection.socket.fileno()] = connection
        poller.register(connection.socket, select.EPOLLIN)
    try:
        return _drive(order, requests, poller, connections)
    finally:
        poller.close()
        for connection in connections.values():
            connection.socket.close()


def _drive(
    order: Order,
    requests: _Requests,
    poller: select.epoll,
    connections: dict[int, _Connection],
) -> Outcome:
    body_bytes_min = BODY_BYTES_MIN.get(order.operation, 2)
    once = order.operation.startswith("load")
    outcome = Outcome()
    clock = time.perf_counter
    started = clock()
    warm_until, until = started + order.warm_seconds, started + order.warm_seconds + order.seconds
    latencies: list[float] = []
    warm_cpu = 0.0
    in_flight = 0
    for connection in connections.values():
        if once and requests.sent == requests.count:
            break
        connection.since = clock()
        connection.socket.sendall(requests.next())
        in_flight += 1
    while in_flight:
        events = poller.poll(ANSWER_SECONDS_MAX)
        if not events:
            raise WrongAnswer(f"no answer for {ANSWER_SECONDS_MAX} s")
        now = clock()
        for descriptor, _ in events:
            connection = connections[descriptor]
            data = connection.socket.recv(1 << 18)
            if not data:
                raise WrongAnswer("the server hung up")
            if not _complete(connection, data, body_bytes_min):
                continue
            outcome.answered += 1
            if warm_until <= now < until:
                if not latencies:
                    warm_cpu = time.process_time()
                latencies.append(now - connection.since)
            if requests.sent < requests.count if once else now < until:
                connection.since = now
                connection.socket.sendall(requests.next())
            else:
                if in_flight == CONNECTIONS:
                    cpu_seconds = time.process_time() - warm_cpu
                    outcome.generator_cores = cpu_seconds / max(order.seconds, 1e-9)
                in_flight -= 1
    latencies.sort()
    if latencies:
        outcome.rate = len(latencies) / order.seconds
        outcome.p50_ms = latencies[len(latencies) // 2] * 1000
        outcome.p99_ms = latencies[int(len(latencies) * 0.99)] * 1000
    outcome.edition = requests.edition
    if order.operation == "put":
        outcome.last_puts = [
            (
                put_number((requests.sent - back) % requests.count, order.item_count),
                requests.edition - back + 1,
            )
            for back in range(1, PUTS_REMEMBERED + 1)
        ]
    return outcome


class Generator:
    """The generator's process, for as long as the `with` lasts."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.load"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(10)

    def send(self, order: Order) -> Outcome:
        """Carry out one order; raises WrongAnswer."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(asdict(order)) + "\n")
        stdin.flush()
        outcome = Outcome(**json.loads(stdout.readline()))
        if outcome.error:
            raise WrongAnswer(outcome.error)
        return outcome


def main() -> None:
    """Carry out orders until stdin ends."""
    for line in sys.stdin:
        try:
            outcome = run(Order(**json.loads(line)))
        except (WrongAnswer, OSError) as error:
            outcome = Outcome(error=f"{type(error).__name__}: {error}")
        print(json.dumps(asdict(outcome)), flush=True)


if __name__ == "__main__":
    main()
