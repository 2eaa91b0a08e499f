"""batch_get and batch_write: many items, cut to DynamoDB's sizes, tried again."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

import keypact
from keypact import batches
from keypact.errors import BatchIncomplete, InvalidModel, MissingPrimaryKey
from tests.operations.models import SCHEMA
from tests.operations.tables import Awaited, Desk


def _counters(desk: Desk, count: int) -> list[dict[str, Any]]:
    return [
        {"name": f"{desk.partition}-{number}", "owner": "o", "count": number}
        for number in range(count)
    ]


def test_many_items_are_written_25_at_a_time(desk: Desk):
    """60 items are three requests."""
    table = desk.table("Counter")
    items = _counters(desk, 60)
    table.batch_write(put=items)
    sizes = [len(request["RequestItems"][table.model.table]) for _, request in desk.backend.sent]
    assert desk.backend.operations == ["BatchWriteItem"] * 3
    assert sizes == [25, 25, 10]
    assert table.batch_get([item["name"] for item in items]) == items


def test_many_keys_are_read_100_at_a_time_in_their_order(desk: Desk):
    """What comes back follows the keys, whatever order the engine has."""
    table = desk.table("Counter")
    items = _counters(desk, 120)
    table.batch_write(put=items)
    desk.backend.sent.clear()
    backwards = items[::-1]
    assert table.batch_get([item["name"] for item in backwards], consistent=True) == backwards
    requests = [request["RequestItems"][table.model.table] for _, request in desk.backend.sent]
    assert [len(request["Keys"]) for request in requests] == [100, 20]
    assert all(request["ConsistentRead"] for request in requests)


def test_a_key_given_twice_is_asked_for_once_and_given_twice(desk: Desk):
    """DynamoDB refuses a key twice in one request; callers need not care."""
    table = desk.table("Counter")
    first, second = _counters(desk, 2)
    table.batch_write(put=[first, second])
    desk.backend.sent.clear()
    keys = [second["name"], first["name"], second["name"]]
    assert table.batch_get(keys) == [second, first, second]
    assert len(desk.backend.sent) == 1


def test_what_is_not_there_is_left_out(desk: Desk):
    """No error, and no hole."""
    table = desk.table("Counter")
    first, second = _counters(desk, 2)
    table.batch_write(put=[first, second])
    assert table.batch_get([first["name"], desk.partition + "-none", second["name"]]) == [
        first,
        second,
    ]


def test_nothing_to_do_sends_nothing(desk: Desk):
    """An empty batch is no mistake."""
    table = desk.table("Counter")
    assert table.batch_get([]) == []
    table.batch_write()
    assert not desk.backend.sent


def test_items_are_stamped_and_deleted_in_one_batch(desk: Desk):
    """Puts have their lifecycle; deletes take any form of key."""
    table = desk.table()
    old = table.create(desk.user("old"))
    table.batch_write(put=[desk.user("new")], delete=[old])
    assert desk.stored_user("old") is None
    stored = desk.stored_user("new")
    assert stored is not None
    assert stored["version"] == {"N": "0"}
    assert stored["createdAt"] == {"S": "2026-01-16T00:00:00Z"}


def test_all_items_are_checked_before_the_first_is_sent(desk: Desk):
    """A mistake in the last leaves the store as it was."""
    table = desk.table("Counter")
    with pytest.raises(MissingPrimaryKey):
        table.batch_write(put=[*_counters(desk, 30), {"name": "", "owner": "o"}])
    with pytest.raises(InvalidModel, match="twice"):
        table.batch_write(put=_counters(desk, 30), delete=[f"{desk.partition}-29"])
    assert not desk.backend.sent


# An engine that is busy -----------------------------------------------------------------------


class Busy:
    """A backend that leaves all but one of each batch undone, until it has been asked enough."""

    def __init__(self, busy_answers: int) -> None:
        self.left = busy_answers
        self.asked: list[int] = []

    def answer(self, operation: str, request: dict[str, Any]) -> bytes:
        ((table, wanted),) = request["RequestItems"].items()
        keys = wanted["Keys"] if operation == "BatchGetItem" else wanted
        self.asked.append(len(keys))
        self.left -= 1
        done, undone = (keys[:1], keys[1:]) if self.left >= 0 else (keys, [])
        if operation == "BatchGetItem":
            items = [{**key, "owner": {"S": "o"}} for key in done]
            unprocessed = {table: {**wanted, "Keys": undone}} if undone else {}
            return json.dumps(
                {"Responses": {table: items}, "UnprocessedKeys": unprocessed}
            ).encode()
        return json.dumps({"UnprocessedItems": {table: undone} if undone else {}}).encode()

    async def aanswer(self, operation: str, request: dict[str, Any]) -> bytes:
        return self.answer(operation, request)


@pytest.fixture(params=["sync", "async"])
def busy(request, monkeypatch):
    """Makes a table on a busy backend; pauses are noted, not made."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    with asyncio.Runner() as runner:

        def table(busy_answers: int) -> Any:
            backend: Any = Busy(busy_answers)
            model = SCHEMA.model("Counter")
            if request.param == "sync":
                return keypact.Table(model, backend), backend, pauses
            return Awaited(keypact.AsyncTable(model, backend), runner), backend, pauses

        yield table


def test_unprocessed_keys_are_asked_for_again_after_a_pause(busy):
    """Only the undone ones; the pauses are drawn from zero to a bound that doubles."""
    table, backend, pauses = busy(3)
    found = table.batch_get(["a", "b", "c", "d", "e"])
    assert [item["name"] for item in found] == ["a", "b", "c", "d", "e"]
    assert backend.asked == [5, 4, 3, 2]
    bounds = [batches.FIRST_PAUSE_SECONDS * 2**attempt for attempt in range(3)]
    assert len(pauses) == 3
    assert all(0 <= pause <= bound for pause, bound in zip(pauses, bounds, strict=True))


def test_unprocessed_writes_are_sent_again_after_a_pause(busy):
    """Until none is left."""
    table, backend, pauses = busy(2)
    table.batch_write(put=[{"name": name, "owner": "o"} for name in "abc"])
    assert backend.asked == [3, 2, 1]
    assert len(pauses) == 2


def test_a_get_that_stays_incomplete_tells_what_is_left_and_what_was_found(busy):
    """ErrBatchIncomplete: the keys can be asked for again as they are."""
    table, backend, _ = busy(99)
    keys = [f"k{number}" for number in range(120)]
    with pytest.raises(BatchIncomplete) as caught:
        table.batch_get(keys)
    error = caught.value
    assert error.code == "ErrBatchIncomplete"
    assert error.retryable
    assert len(backend.asked) == batches.ATTEMPTS_MAX
    assert [item["name"] for item in error.done] == keys[: batches.ATTEMPTS_MAX]
    assert error.unprocessed == [{"name": key} for key in keys[batches.ATTEMPTS_MAX :]]
    backend.left = 0
    assert len(table.batch_get(error.unprocessed)) == 120 - batches.ATTEMPTS_MAX


def test_a_write_that_stays_incomplete_tells_what_is_left(busy):
    """The items and keys as they were given, those of later chunks included."""
    table, backend, _ = busy(99)
    items = [{"name": f"k{number}", "owner": "o"} for number in range(26)]
    with pytest.raises(BatchIncomplete) as caught:
        table.batch_write(put=items, delete=["gone"])
    assert len(backend.asked) == batches.ATTEMPTS_MAX
    left = [("put", item) for item in items[batches.ATTEMPTS_MAX :]] + [("delete", "gone")]
    assert caught.value.unprocessed == left
