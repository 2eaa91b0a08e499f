"""The embedded engine from async code: the same answers, and commits that are shared."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import keypact
from keypact.errors import DynamoDBError

TABLE = {
    "TableName": "things",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(params=["memory", "sqlite"])
def address(request, tmp_path):
    return "memory:" if request.param == "memory" else f"sqlite:{tmp_path}"


def _put(name):
    return {"TableName": "things", "Item": {"pk": {"S": str(name)}}}


def test_awaited_calls_answer_as_plain_ones(address):
    """Reads, writes and errors."""

    async def main():
        async with keypact.connect(address) as backend:
            await backend.acall("CreateTable", TABLE)
            assert await backend.aanswer("PutItem", _put("a")) == b"{}"
            read = {"TableName": "things", "Key": {"pk": {"S": "a"}}}
            assert await backend.acall("GetItem", read) == {"Item": {"pk": {"S": "a"}}}
            assert await backend.aanswer("GetItem", read) == backend.answer("GetItem", read)
            refused = {**_put("a"), "ConditionExpression": "attribute_not_exists(pk)"}
            with pytest.raises(DynamoDBError, match="ConditionalCheckFailedException"):
                await backend.acall("PutItem", refused)
            with pytest.raises(DynamoDBError, match="UnknownOperationException"):
                await backend.acall("NoSuchOperation", {})

    asyncio.run(main())


def test_writes_of_concurrent_tasks_are_all_kept(address):
    """Each is acknowledged by its own answer."""

    async def main():
        async with keypact.connect(address) as backend:
            await backend.acall("CreateTable", TABLE)
            await asyncio.gather(*[backend.acall("PutItem", _put(n)) for n in range(200)])
            scanned = await backend.acall("Scan", {"TableName": "things", "Select": "COUNT"})
            assert scanned["Count"] == 200

    asyncio.run(main())


def test_event_loops_on_several_threads_share_a_backend(address):
    """Outcomes are delivered on the loop that waits for them."""
    with keypact.connect(address) as backend:
        backend.call("CreateTable", TABLE)

        async def work(thread):
            await asyncio.gather(*[backend.acall("PutItem", _put((thread, n))) for n in range(25)])

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda thread: asyncio.run(work(thread)), range(4)))
        assert backend.call("Scan", {"TableName": "things"})["Count"] == 100


def test_a_cancelled_write_leaves_the_others_alone(tmp_path):
    """It may happen all the same; nobody else notices."""

    async def main():
        async with keypact.connect(f"sqlite:{tmp_path}") as backend:
            await backend.acall("CreateTable", TABLE)
            tasks = [asyncio.create_task(backend.acall("PutItem", _put(n))) for n in range(20)]
            await asyncio.sleep(0)
            tasks[3].cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            assert [n for n, outcome in enumerate(outcomes) if outcome != {}] == [3]

    asyncio.run(main())


def test_closing_ends_the_threads(tmp_path):
    """Nothing is left running."""
    backend = keypact.connect(f"sqlite:{tmp_path}")
    backend.call("CreateTable", TABLE)
    asyncio.run(backend.acall("PutItem", _put("a")))
    backend.close()
    assert "keypact-writer" not in {thread.name for thread in threading.enumerate()}
