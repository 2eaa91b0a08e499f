"""hide_expired: what has expired is left out of reads before DynamoDB deletes it."""

from __future__ import annotations

import pytest

from keypact.errors import ItemNotFound
from tests.operations.tables import SECOND_NS, Desk

# So far ahead that no engine, by its own clock, deletes anything meanwhile.
YEAR_2100_SECONDS = 4_102_444_800


@pytest.fixture
def table(desk: Desk):
    """One that expires in ten seconds, one that never does, in a table that hides."""
    desk.now_ns = YEAR_2100_SECONDS * SECOND_NS
    made = desk.table(hide_expired=True)
    made.create(desk.user("expires", ttl=YEAR_2100_SECONDS + 10, email=desk.partition))
    made.create(desk.user("stays", email=desk.partition))
    return made


def _reads(desk: Desk, table) -> list[list[str]]:
    """What every way of reading finds."""
    keys = [(desk.partition, sort) for sort in ("expires", "stays")]
    results = [
        table.query(desk.partition).items,
        table.query(desk.partition, index="by-email").items,
        list(table.each(desk.partition, limit=1)),
        table.batch_get(keys),
        [item for item in table.transact_get([table.getting(key) for key in keys]) if item],
        [item for key in keys if (item := table.find(key))],
    ]
    return [sorted(desk.shown(item)["SK"] for item in items) for items in results]


def test_an_item_is_shown_until_its_time_is_over(desk: Desk, table):
    """By the injected clock."""
    desk.pass_time(9)
    assert _reads(desk, table) == [["expires", "stays"]] * 6
    assert desk.shown(table.get((desk.partition, "expires")))["ttl"] == YEAR_2100_SECONDS + 10


def test_an_expired_item_is_left_out_of_every_read(desk: Desk, table):
    """get raises ItemNotFound; queries, batches and transactions do not have it."""
    desk.pass_time(11)
    assert _reads(desk, table) == [["stays"]] * 6
    with pytest.raises(ItemNotFound):
        table.get((desk.partition, "expires"))


def test_without_the_option_expired_items_are_returned(desk: Desk, table):
    """As DynamoDB does, until it deletes them."""
    desk.pass_time(11)
    assert _reads(desk, desk.table()) == [["expires", "stays"]] * 6
