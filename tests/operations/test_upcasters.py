"""Old items: made to fit by upcasters, or an error that says what to do."""

from __future__ import annotations

import pytest

from keypact.errors import ItemNotReadable
from tests.operations.models import SCHEMA
from tests.operations.tables import Desk


@pytest.fixture
def old(desk: Desk):
    """An item as an earlier model wrote it: age is text, and owner has another name."""
    item = {
        "name": {"S": desk.partition},
        "user": {"S": "zoe"},
        "count": {"S": "33"},
    }
    desk.backend.call("PutItem", {"TableName": SCHEMA.model("Counter").table, "Item": item})
    return desk.partition


def rename_user(values: dict) -> dict:
    """`user` is `owner` since the second model."""
    if "user" in values:
        values["owner"] = values.pop("user")
    return values


def count_as_number(values: dict) -> dict:
    """`count` is a number since the third."""
    return {**values, "count": int(values["count"])}


UPCASTERS = (rename_user, count_as_number)


def test_an_item_that_does_not_fit_names_item_attribute_and_what_to_do(desk: Desk, old):
    """Every reason at once."""
    with pytest.raises(ItemNotReadable) as caught:
        desk.table("Counter").get(old)
    text = str(caught.value)
    assert caught.value.code == "ErrItemNotReadable"
    for part in (old, SCHEMA.model("Counter").table, "owner", "count", "upcaster"):
        assert part in text


def test_upcasters_bring_an_old_item_up_to_the_model_in_turn(desk: Desk, old):
    """In every way of reading; what is stored stays as it is."""
    table = desk.table("Counter", upcasters=UPCASTERS)
    fitting = {"name": old, "owner": "zoe", "count": 33}
    assert table.get(old) == fitting
    assert table.query(old).items == [fitting]
    assert table.batch_get([old]) == [fitting]
    assert table.transact_get([table.getting(old)]) == [fitting]
    stored = desk.stored("Counter", {"name": old})
    assert stored is not None
    assert stored["count"] == {"S": "33"}


def test_an_item_that_fits_does_not_pass_through_upcasters(desk: Desk):
    """New items cost nothing."""

    def refuse(values: dict) -> dict:
        raise AssertionError(values)

    table = desk.table("Counter", upcasters=[refuse])
    made = table.create({"name": desk.partition, "owner": "o"})
    assert table.get(desk.partition) == made


def test_upcasters_that_do_not_suffice_are_told(desk: Desk, old):
    """The error says what still does not fit after them."""
    table = desk.table("Counter", upcasters=[rename_user])
    with pytest.raises(ItemNotReadable, match="count"):
        table.get(old)


def test_an_upcaster_that_fails_is_named(desk: Desk, old):
    """A bug of its author, with the item at which it happened."""

    def broken(values: dict) -> dict:
        return {"count": values["nothing"]}

    with pytest.raises(ItemNotReadable, match="broken"):
        desk.table("Counter", upcasters=[broken]).get(old)
