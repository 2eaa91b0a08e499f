"""Items go some time after their time to live is over, with their index entries."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from keypact.engine import Engine
from keypact.engine.reaper import CHUNK_ROWS, _delete_chunk
from tests.faults.checks import check_indexes

NOW = 1_700_000_000
DAY_SECONDS = 24 * 60 * 60
# An item whose time is further back than this does not expire:
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html
FIVE_YEARS_SECONDS = 5 * 365 * DAY_SECONDS


class EngineBackend:
    """An engine with a clock that is moved by hand."""

    def __init__(self, folder: Path | None = None) -> None:
        self.now: float = NOW
        self.engine = Engine(folder, clock=lambda: self.now)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self.engine.execute(operation, request)

    def create(self, name: str = "sessions") -> None:
        """A table with an index of each kind of projection."""
        indexes = [
            ("whole", {"ProjectionType": "ALL"}),
            ("keys", {"ProjectionType": "KEYS_ONLY"}),
        ]
        self.call(
            "CreateTable",
            {
                "TableName": name,
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": [
                    {"AttributeName": "pk", "AttributeType": "S"},
                    {"AttributeName": "owner", "AttributeType": "S"},
                ],
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": index,
                        "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
                        "Projection": projection,
                    }
                    for index, projection in indexes
                ],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )

    def put(self, pk: str, expires: Any = None, *, attribute: str = "ttl") -> None:
        item = {"pk": {"S": pk}, "owner": {"S": "ann"}}
        if expires is not None:
            item[attribute] = expires if isinstance(expires, dict) else {"N": str(expires)}
        self.call("PutItem", {"TableName": "sessions", "Item": item})

    def set_ttl(self, attribute: str = "ttl", *, enabled: bool = True) -> None:
        specification = {"AttributeName": attribute, "Enabled": enabled}
        self.call(
            "UpdateTimeToLive",
            {"TableName": "sessions", "TimeToLiveSpecification": specification},
        )

    def keys(self) -> list[str]:
        """What is in the table; its indexes hold the same, or this fails."""
        check_indexes(self)
        items = self.call("Scan", {"TableName": "sessions"})["Items"]
        return sorted(item["pk"]["S"] for item in items)

    def reap(self) -> int:
        return self.engine._reaper.reap()


@pytest.fixture
def backend() -> Iterator[EngineBackend]:
    made = EngineBackend()
    made.create()
    yield made
    made.engine.close()


# What goes -------------------------------------------------------------------------------


def test_an_expired_item_goes_with_its_index_entries(backend):
    """One whose second is still to come stays."""
    backend.set_ttl()
    backend.put("past", NOW - 1)
    backend.put("next", NOW + 1)
    assert backend.reap() == 1
    assert backend.keys() == ["next"]


def test_items_from_before_time_to_live_was_set_go_too(backend):
    """More of them than one commit takes, and as many again that stay."""
    for number in range(CHUNK_ROWS + 50):
        backend.put(f"old{number:03}", NOW - 1)
        backend.put(f"young{number:03}", NOW + 1)
    backend.set_ttl()
    assert backend.reap() == CHUNK_ROWS + 50
    assert backend.keys() == [f"young{number:03}" for number in range(CHUNK_ROWS + 50)]


@pytest.mark.parametrize("count", [CHUNK_ROWS, CHUNK_ROWS * 2])
def test_a_walk_that_ends_with_a_whole_chunk_ends(backend, count):
    """Exactly as many rows as whole commits take, all of them expired."""
    for number in range(count):
        backend.put(f"old{number:03}", NOW - 1)
    backend.set_ttl()
    assert backend.reap() == count
    assert backend.keys() == []


def test_items_expire_as_the_clock_goes_on(backend):
    """Each pass takes what has expired by then."""
    backend.set_ttl()
    for hours in range(1, 4):
        backend.put(f"hour{hours}", NOW + 3600 * hours)
    passes = []
    for _ in range(5):
        passes.append(backend.reap())
        backend.now += 3600
    assert passes == [0, 1, 1, 1, 0]


def test_a_time_that_is_put_off_counts(backend):
    """An update of the attribute is an update of the expiry, in either direction."""
    backend.set_ttl()
    backend.put("put off", NOW - 1)
    backend.put("put off", NOW + 1)
    backend.put("called in", NOW + 1)
    backend.put("called in", NOW - 1)
    backend.put("made eternal", NOW - 1)
    backend.put("made eternal")
    backend.reap()
    assert backend.keys() == ["made eternal", "put off"]


def test_an_update_sets_the_expiry_too(backend):
    """It is not only puts that name a time."""
    backend.set_ttl()
    backend.put("item", NOW + 100)
    backend.call(
        "UpdateItem",
        {
            "TableName": "sessions",
            "Key": {"pk": {"S": "item"}},
            "UpdateExpression": "SET #t = :t",
            "ExpressionAttributeNames": {"#t": "ttl"},
            "ExpressionAttributeValues": {":t": {"N": str(NOW - 1)}},
        },
    )
    assert backend.reap() == 1


# What stays ------------------------------------------------------------------------------

STAYING = {
    "no attribute": None,
    "a string": {"S": str(NOW - 1)},
    "a set of numbers": {"NS": [str(NOW - 1)]},
    "a list": {"L": [{"N": str(NOW - 1)}]},
    "null": {"NULL": True},
    "more than five years ago": NOW - FIVE_YEARS_SECONDS - 1,
    "the beginning of time": 0,
    "before the beginning": -1,
    "milliseconds": NOW * 1000,
    "too large for any clock": "1E+125",
    "too small for any clock": "-9E+125",
}


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_is_no_time_of_the_last_five_years_never_expires(backend, when):
    """Whether the item or the setting was first."""
    if when == "after":
        backend.set_ttl()
    for name, value in STAYING.items():
        backend.put(name, value)
    backend.put("almost five years ago", NOW - FIVE_YEARS_SECONDS + DAY_SECONDS)
    if when == "before":
        backend.set_ttl()
    assert backend.reap() == 1
    assert backend.keys() == sorted(STAYING)


def test_without_time_to_live_everything_stays(backend):
    """Nothing expires by an attribute that nobody named."""
    backend.put("past", NOW - 1)
    assert backend.reap() == 0
    assert backend.keys() == ["past"]


def test_once_disabled_everything_stays(backend):
    """Items that had expired and were not yet taken stay as well."""
    backend.set_ttl()
    backend.put("past", NOW - 1)
    backend.set_ttl(enabled=False)
    backend.put("past too", NOW - 1)
    assert backend.reap() == 0
    assert backend.keys() == ["past", "past too"]


def test_another_attribute_counts_alone(backend):
    """What the old attribute said is forgotten."""
    backend.set_ttl("ttl")
    backend.put("by old", NOW - 1, attribute="ttl")
    backend.put("by new", NOW - 1, attribute="until")
    backend.set_ttl("ttl", enabled=False)
    backend.set_ttl("until")
    assert backend.reap() == 1
    assert backend.keys() == ["by old"]


def test_a_change_of_attribute_in_the_middle_of_a_pass_is_noticed(backend):
    """Between reading what is there and deleting, the attribute may become another."""
    backend.set_ttl("ttl")
    backend.put("by old", NOW - 1, attribute="ttl")
    backend.reap()
    backend.put("by old", NOW - 1, attribute="ttl")
    backend.set_ttl("ttl", enabled=False)
    backend.set_ttl("until")
    # The second half of a pass whose first half was with the old attribute.
    backend.engine._reaper._repeat("sessions", lambda on, table: _delete_chunk(on, table, NOW))
    assert backend.keys() == ["by old"]


def test_an_item_that_comes_between_is_taken_by_its_own_time(backend):
    """Writers go on while the reaper works; nothing unexpired is ever taken."""
    backend.set_ttl()
    stop = threading.Event()

    def keep_writing() -> None:
        number = 0
        while not stop.is_set():
            backend.put(f"item{number % 20}", NOW + (1 if number % 2 else -1))
            number += 1
        for number in range(20):
            backend.put(f"item{number}", NOW + 1)

    writer = threading.Thread(target=keep_writing)
    writer.start()
    taken = 0
    while taken < 20:
        taken += backend.reap()
    stop.set()
    writer.join()
    assert backend.reap() == 0
    assert backend.keys() == sorted(f"item{number}" for number in range(20))


def test_a_table_that_goes_in_the_middle_of_a_pass_ends_nothing(backend):
    """The pass goes on to the next table."""
    backend.set_ttl()
    backend.put("past", NOW - 1)
    backend.call("DeleteTable", {"TableName": "sessions"})
    assert backend.engine._reaper._reap_table("sessions", NOW) == 0


# Several passes, several processes -------------------------------------------------------


def test_the_walk_over_old_items_is_made_once(backend):
    """The definition says when it is done."""
    backend.put("old", NOW + 1)
    backend.set_ttl()
    assert "TimeToLiveUnread" in backend.engine.catalog.tables.by_name["sessions"].definition
    backend.reap()
    described = backend.call("DescribeTimeToLive", {"TableName": "sessions"})
    assert described["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLED"
    backend.engine.catalog.refresh()
    assert "TimeToLiveUnread" not in backend.engine.catalog.tables.by_name["sessions"].definition


def test_another_engine_on_the_folder_reaps_as_well(tmp_path):
    """Whichever process is there looks after the tables of all."""
    first, second = EngineBackend(tmp_path), EngineBackend(tmp_path)
    first.create()
    first.put("past", NOW - 1)
    first.set_ttl()
    assert second.reap() == 1
    assert first.reap() == 0
    assert first.keys() == []
    first.engine.close()
    second.engine.close()


def test_old_request_tokens_go(backend):
    """A token is kept for ten minutes and not for ever."""

    def tokens() -> list[str]:
        return backend.engine.store.read(
            lambda on: [token for (token,) in on.execute("SELECT token FROM request_tokens")]
        )

    put = {"Put": {"TableName": "sessions", "Item": {"pk": {"S": "a"}}}}
    backend.call("TransactWriteItems", {"TransactItems": [put], "ClientRequestToken": "first"})
    backend.now += 300
    backend.call("TransactWriteItems", {"TransactItems": [put], "ClientRequestToken": "second"})
    backend.now += 301
    backend.reap()
    assert tokens() == ["second"]
    backend.now += 300
    backend.reap()
    assert tokens() == []


# The thread ------------------------------------------------------------------------------


def test_closing_ends_the_thread():
    """No thread outlives its engine."""
    made = EngineBackend()
    thread = made.engine._reaper._thread
    assert thread.is_alive()
    made.engine.close()
    assert not thread.is_alive()


def test_a_pass_that_fails_is_not_the_last(backend, monkeypatch, caplog):
    """The thread says what happened and tries again."""
    reaper = backend.engine._reaper
    passes: list[int] = []

    def reap() -> int:
        passes.append(len(passes))
        if len(passes) == 1:
            raise RuntimeError("a bad day")
        reaper._stopped.set()
        return 0

    monkeypatch.setattr(reaper, "reap", reap)
    monkeypatch.setattr("keypact.engine.reaper.REAPER_FIRST_RUN_SECONDS", 0)
    monkeypatch.setattr("keypact.engine.reaper.REAPER_INTERVAL_SECONDS", 0)
    # On this thread: the engine's own waits a minute for its first pass.
    reaper._run()
    assert passes == [0, 1]
    assert "a bad day" in caplog.text
