"""The server is killed under its clients: what it answered is there when it starts again."""

from __future__ import annotations

import http.client
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest

from keypact.errors import DynamoDBError

from . import ledger
from .checks import check_file, check_indexes
from .children import Child

CLIENTS = 4


class Client:
    """One connection to a server."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer, DynamoDBError, or whatever a broken connection raises."""
        self._connection.request(
            "POST",
            "/",
            json.dumps(request),
            {
                "Content-Type": "application/x-amz-json-1.0",
                "X-Amz-Target": f"DynamoDB_20120810.{operation}",
                "X-Amz-Date": "20260101T000000Z",
                "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/"
                "aws4_request, SignedHeaders=host;x-amz-date, Signature=b",
            },
        )
        response = self._connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status != 200:
            raise DynamoDBError(answer["__type"], answer.get("message", ""), answer)
        return answer

    def close(self) -> None:
        self._connection.close()


def start_server(folder: Path) -> tuple[Child, str]:
    """A server that listens, and where."""
    child = Child("serve", folder=str(folder))
    return child, child.receive_text().split()[-1]


def write_until_cut_off(url: str, worker: int, start: int, enough: Event) -> int:
    """Write through one connection until it breaks; gives how many writes were answered."""
    client = Client(url)
    number = start
    try:
        while True:
            client.call(*ledger.request_of(worker, number))
            number += 1
            if number - start >= 10:
                enough.set()
    except (OSError, http.client.HTTPException, json.JSONDecodeError):
        return number
    finally:
        client.close()


@pytest.mark.parametrize("kills", [3, pytest.param(40, marks=pytest.mark.soak)])
def test_what_the_server_answered_survives_kills(tmp_path, seed, kills):
    """Every write that a client has an answer to is there; of the others, all or nothing."""
    rng = random.Random(seed)
    done = [0] * CLIENTS
    for kill in range(kills + 1):
        server, url = start_server(tmp_path)
        with server:
            client = Client(url)
            if kill == 0:
                ledger.create_tables(client)
            states = ledger.read_states(client)
            done = [
                ledger.count_done(states.get(f"worker{worker}", {}), worker, done[worker])
                for worker in range(CLIENTS)
            ]
            check_indexes(client)
            client.close()
            if kill < kills:
                done = _kill_under_load(server, url, done, rng)
        check_file(tmp_path)
    assert sum(done) >= 10 * kills


def _kill_under_load(server: Child, url: str, starts: list[int], rng: random.Random) -> list[int]:
    enough = Event()
    with ThreadPoolExecutor(CLIENTS) as pool:
        futures = [
            pool.submit(write_until_cut_off, url, worker, start, enough)
            for worker, start in enumerate(starts)
        ]
        assert enough.wait(60)
        time.sleep(rng.uniform(0, 0.1))
        server.kill()
        return [future.result() for future in futures]
