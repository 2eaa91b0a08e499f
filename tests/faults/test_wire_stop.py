"""How the server ends: requests in flight are finished, what is acknowledged is kept."""

from __future__ import annotations

import contextlib
import signal
import sys
from threading import Thread

import pytest

from .wire import Client, ask, request, serving

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")


def create_table(url: str) -> None:
    answer = ask(
        url,
        request(
            "CreateTable",
            {
                "TableName": "things",
                "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        ),
    )
    assert answer.status == 200


def put(key: str) -> bytes:
    return request("PutItem", {"TableName": "things", "Item": {"k": {"S": key}}})


def is_there(url: str, key: str) -> bool:
    answer = ask(url, request("GetItem", {"TableName": "things", "Key": {"k": {"S": key}}}))
    assert answer.status == 200
    return answer.body != b"{}"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_finishes_what_has_begun(tmp_path, number):
    """A request half sent at the signal is still answered; then the process ends well."""
    with serving("--data", str(tmp_path)) as (process, url):
        create_table(url)
        with Client(url) as client:
            client.send(put("before"))
            assert client.answer().status == 200
            text = put("during")
            client.send(text[:-1])
            # Another connection, answered after those bytes were sent: they have arrived.
            assert ask(url, request()).status == 200
            process.send_signal(number)
            with contextlib.suppress(ConnectionError, EOFError):
                while True:
                    ask(url, request())
            client.send(text[-1:])
            answer = client.answer()
            assert answer.status == 200
            assert answer.headers["Connection"] == "close"
            assert client.is_closed_by_server()
        assert process.wait(30) == 0
    with serving("--data", str(tmp_path)) as (_, url):
        assert is_there(url, "before")
        assert is_there(url, "during")


def test_a_second_signal_does_not_wait(tmp_path):
    """A client that never finishes its request does not hold up the end."""
    with serving("--data", str(tmp_path)) as (process, url), Client(url) as client:
        client.send(put("never")[:-1])
        assert ask(url, request()).status == 200
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(ConnectionError, EOFError):
            while True:
                ask(url, request())
        process.send_signal(signal.SIGTERM)
        assert client.is_closed_by_server()
        assert process.wait(30) == 0


def test_what_is_acknowledged_before_a_stop_is_kept(tmp_path):
    """Several clients write while the server is told to stop: every 200 is on the disk."""
    acknowledged: list[str] = []

    def write(name: str) -> None:
        with contextlib.suppress(ConnectionError, EOFError), Client(url) as client:
            for number in range(100_000):
                client.send(put(f"{name}{number}"))
                if client.answer().status == 200:
                    acknowledged.append(f"{name}{number}")

    with serving("--data", str(tmp_path)) as (process, url):
        create_table(url)
        threads = [Thread(target=write, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 100:
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join()
        assert process.wait(30) == 0
    with serving("--data", str(tmp_path)) as (_, url):
        assert [key for key in acknowledged if not is_there(url, key)] == []
