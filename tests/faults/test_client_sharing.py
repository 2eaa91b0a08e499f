"""One backend for many threads, event loops and processes."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from keypact.backends.http import Limits
from keypact.errors import BackendError, DynamoDBError
from tests.witnesses import drivers, servers

from .clients import ONCE, QUICK, READ, AtOnce, Awaiting, backend_for
from .fault_server import FaultServer, Reply, error, message, ok

THREADS = 16
# One request in seven is throttled, so four attempts would not always do.
PATIENT = replace(QUICK, attempts_max=20)


class Echo(FaultServer):
    """Answers with what was asked, so that mixed-up answers show; throttles now and then."""

    def _reply(self, sock, request):
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        if number % 7 == 0:
            reply = error(400, "ThrottlingException")
        else:
            reply = Reply(message(200, request.body))
        sock.sendall(reply.data)
        return number % 11 != 0


@pytest.fixture
def server():
    with Echo() as running:
        yield running


def test_sixteen_threads_get_their_own_answers(server):
    """While connections are kept, closed and replaced under them."""
    with (
        backend_for(server.url, PATIENT, Limits(idle_connections_max=4)) as backend,
        ThreadPoolExecutor(THREADS) as threads,
    ):

        def work(thread):
            for number in range(60):
                request = {"TableName": f"{thread}-{number}"}
                assert backend.call("GetItem", request) == request

        list(threads.map(work, range(THREADS)))
        assert len(backend._pool._idle) <= 4


def test_tasks_get_their_own_answers(server):
    """On one event loop."""

    async def work(backend, task):
        for number in range(30):
            request = {"TableName": f"{task}-{number}"}
            assert await backend.acall("GetItem", request) == request

    async def main():
        async with backend_for(server.url, PATIENT) as backend:
            await asyncio.gather(*[work(backend, task) for task in range(32)])

    asyncio.run(main())


def test_event_loops_on_several_threads_share_a_backend(server):
    """Each has connections of its own; closing on one closes all."""
    backend = backend_for(server.url, PATIENT)
    meeting = threading.Barrier(4)

    async def main(thread):
        for number in range(20):
            request = {"TableName": f"{thread}-{number}"}
            assert await backend.acall("GetItem", request) == request
        await asyncio.to_thread(meeting.wait)
        if thread == 0:
            await backend.aclose()
        await asyncio.to_thread(meeting.wait)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda thread: asyncio.run(main(thread)), range(4)))
    with pytest.raises(BackendError, match="closed"):
        backend.call("GetItem", {})


def test_one_event_loop_after_another_leaks_nothing():
    """A loop that has ended leaves no session behind, and nobody is warned."""
    with FaultServer() as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        backend = backend_for(server.url)
        sessions = backend._open_sessions()
        for _ in range(5):
            asyncio.run(backend.acall(*READ))
            assert len(sessions._sessions) == 1
        backend.close()
        assert not sessions._sessions
        # The sockets of ended loops are closed when they are collected.
        warnings.simplefilter("ignore")
        del backend, sessions
        gc.collect()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_opens_connections_of_its_own():
    """Parent and child never speak on one connection."""
    with FaultServer() as server, backend_for(server.url) as backend:
        backend.call(*READ)
        child = os.fork()
        if child == 0:
            backend.call(*READ)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        backend.call(*READ)
        assert server.connections == 2


def test_a_cancelled_call_does_not_spoil_the_next():
    """Its connection is not used again: the late answer would be taken for another's."""

    async def main(server):
        async with backend_for(server.url) as backend:
            server.plan(replace(ok(b'{"Late":{}}'), wait_seconds=0.2))
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await backend.acall(*ONCE)
            for _ in range(3):
                assert await backend.acall(*READ) == {"Done": {"S": "yes"}}
                await asyncio.sleep(0.1)

    with FaultServer() as server:
        asyncio.run(main(server))


# The same operations on engines -----------------------------------------------------------

TABLE = {
    "TableName": "client-smoke",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
NAME = {"TableName": TABLE["TableName"]}
ITEM = {"pk": {"S": "ä\u2028\U0001f600"}, "n": {"N": "1"}, "b": {"B": "AAE="}, "l": {"L": []}}


@pytest.fixture(params=["wire", "dynoxide"])
def engine(request):
    try:
        opened = drivers.open_engine(request.param)
    except servers.Missing as missing:
        pytest.skip(str(missing))
    assert isinstance(opened, drivers.Http)
    yield opened.endpoint
    opened.close()


def test_an_engine_is_spoken_to_in_both_ways(engine):
    """Tables, items and errors, on our server and on another's."""
    with AtOnce() as plain, Awaiting() as awaited:
        ask = plain.open(engine)
        ask(("CreateTable", TABLE))
        try:
            for way in (ask, awaited.open(engine)):
                _check_items(way)
        finally:
            ask(("DeleteTable", NAME))


def _check_items(ask):
    put = {**NAME, "Item": ITEM}
    key = {**NAME, "Key": {"pk": ITEM["pk"]}}
    ask(("PutItem", put))
    assert ask(("GetItem", key)) == {"Item": ITEM}
    with pytest.raises(DynamoDBError) as caught:
        ask(("PutItem", {**put, "ConditionExpression": "attribute_not_exists(pk)"}))
    assert caught.value.code == "ConditionalCheckFailedException"
    with pytest.raises(DynamoDBError) as caught:
        ask(("GetItem", {**key, "TableName": "none-such"}))
    assert caught.value.code == "ResourceNotFoundException"
