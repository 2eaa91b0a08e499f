"""get and find: one item by its key."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from keypact.errors import InvalidModel, ItemNotFound, MissingPrimaryKey, TableNotFound
from tests.operations.models import SCHEMA
from tests.operations.tables import Desk


def test_a_key_is_a_tuple_a_mapping_or_an_item(desk: Desk):
    """Whoever has an item, or the parts of its key, can get it."""
    table = desk.table()
    made = table.create(desk.user(nickname="n"))
    partition = desk.partition
    for key in [(partition, "profile"), {"PK": partition, "SK": "profile"}, made]:
        assert table.get(key) == made


def test_a_single_key_may_be_the_bare_value(desk: Desk):
    """A table without a sort key needs no tuple."""
    table = desk.table("Counter")
    made = table.create({"name": desk.partition, "owner": "o", "count": 1})
    assert table.get(desk.partition) == made


def test_numbers_are_int_when_whole_and_decimal_otherwise(desk: Desk):
    """Exact both ways, to 38 digits."""
    table = desk.table("Counter")
    for count in (1, Decimal("0.1"), int("9" * 38), Decimal("1e-20")):
        table.create({"name": desk.partition, "owner": "o", "count": count})
        read = table.get(desk.partition)["count"]
        assert read == count
        assert type(read) is type(count)


def test_no_item_raises_item_not_found_with_the_key(desk: Desk):
    """The error tells table and key in plain values."""
    with pytest.raises(ItemNotFound) as caught:
        desk.table().get((desk.partition, "none"))
    assert caught.value.code == "ErrItemNotFound"
    assert caught.value.key == {"PK": desk.partition, "SK": "none"}
    assert caught.value.table == SCHEMA.model("User").table


def test_no_table_raises_table_not_found(desk: Desk):
    """A missing table is not a missing item."""
    table = desk.table(replace(SCHEMA.model("Counter"), table="nowhere"))
    with pytest.raises(TableNotFound) as caught:
        table.get("x")
    assert caught.value.code == "ErrTableNotFound"
    with pytest.raises(TableNotFound):
        table.find("x")


def test_find_gives_none_where_get_raises(desk: Desk):
    """For those who ask whether it is there."""
    table = desk.table()
    assert table.find((desk.partition, "profile")) is None
    made = table.create(desk.user())
    assert table.find((desk.partition, "profile")) == made


def test_a_consistent_read_is_asked_for_only_on_demand(desk: Desk):
    """It costs twice as much, so it is the caller's choice."""
    table = desk.table()
    table.create(desk.user())
    table.get((desk.partition, "profile"))
    table.get((desk.partition, "profile"), consistent=True)
    (_, plain), (_, consistent) = desk.backend.sent[1:]
    assert "ConsistentRead" not in plain
    assert consistent["ConsistentRead"] is True


@pytest.mark.parametrize("key", ["", ("p", ""), ("p",), {"PK": "p"}, {"SK": "s"}, ("p", None)])
def test_a_key_that_is_missing_or_empty_is_refused_before_any_call(desk: Desk, key):
    """ErrMissingPrimaryKey, and the engine hears nothing."""
    with pytest.raises(MissingPrimaryKey):
        desk.table().get(key)
    assert not desk.backend.sent


def test_a_key_with_too_many_parts_is_refused(desk: Desk):
    """A tuple is the partition and the sort key, no more."""
    with pytest.raises(InvalidModel):
        desk.table().get((desk.partition, "profile", "more"))
    assert not desk.backend.sent


def test_attributes_of_other_writers_are_ignored(desk: Desk):
    """A model may know less than others who write to its table."""
    item = {
        "PK": {"S": desk.partition},
        "SK": {"S": "profile"},
        "version": {"N": "3"},
        "createdAt": {"S": "2026-01-16T01:00:00.123456789+01:00"},
        "updatedAt": {"S": "2026-01-16T00:00:00Z"},
        "theirs": {"M": {"x": {"N": "1"}}},
    }
    desk.backend.call("PutItem", {"TableName": SCHEMA.model("User").table, "Item": item})
    read = desk.shown(desk.table().get((desk.partition, "profile")))
    assert "theirs" not in read
    assert read["version"] == 3
    assert read["createdAt"] == "2026-01-16T01:00:00.123456789+01:00"
