"""create: a whole item, stamped by the library."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from keypact.conditions import F
from keypact.errors import (
    ConditionFailed,
    InvalidModel,
    InvalidValue,
    MissingPrimaryKey,
    TableNotFound,
)
from keypact.schema import Model
from tests.operations.models import SCHEMA
from tests.operations.tables import Desk


def test_a_created_item_is_stored_by_its_attribute_names(desk: Desk):
    """Any implementation of the schema finds each value under its one name and type."""
    desk.table().create(
        desk.user(
            nickname="Zoë",
            age=33,
            tags={"b", "a"},
            lucky={3, 1},
            settings={"b": [1, None], "a": "é"},
            photo=b"\x00\xff",
            address={"street": "A 1"},
            history=["x", 2],
        )
    )
    stored = desk.stored_user()
    assert stored is not None
    assert sorted(stored.pop("tags")["SS"]) == ["a", "b"]
    assert sorted(stored.pop("lucky")["NS"]) == ["1", "3"]
    assert stored == {
        "PK": {"S": desk.partition},
        "SK": {"S": "profile"},
        "createdAt": {"S": "2026-01-16T00:00:00Z"},
        "updatedAt": {"S": "2026-01-16T00:00:00Z"},
        "version": {"N": "0"},
        "nickname": {"S": "Zoë"},
        "age": {"N": "33"},
        "settings": {"S": '{"a":"é","b":[1,null]}'},
        "photo": {"B": "AP8="},
        "address": {"M": {"street": {"S": "A 1"}}},
        "history": {"L": [{"S": "x"}, {"N": "2"}]},
    }
    assert desk.backend.operations == ["PutItem"]


def test_create_returns_the_item_as_it_is_stored(desk: Desk):
    """What comes back is what a get would give."""
    table = desk.table()
    made = table.create(
        desk.user(nickname="n", tags=["b", "a", "b"] if not desk.is_typed else {"a", "b"})
    )
    assert desk.shown(made)["tags"] == {"a", "b"}
    assert made == table.get((desk.partition, "profile"))


@pytest.mark.parametrize("given", [datetime(2026, 2, 1, 0, 0, 0, 9, tzinfo=UTC), 1769904000])
def test_an_expiry_is_stored_as_whole_epoch_seconds(desk: Desk, given):
    """An aware datetime is rounded down; it is read back as a number."""
    table = desk.table()
    made = table.create({"PK": desk.partition, "SK": "profile", "ttl": given})
    stored = desk.stored_user()
    assert stored is not None
    assert stored["ttl"] == {"N": "1769904000"}
    assert desk.shown(made)["ttl"] == 1769904000


def test_both_times_come_from_the_clock_and_replace_what_was_given(desk: Desk):
    """created_at and updated_at belong to the library; the fraction has no idle zeros."""
    desk.now_ns += 120_000_000
    desk.table().create(
        desk.user(createdAt="1999-01-01T00:00:00Z", updatedAt="1999-01-01T00:00:00Z")
    )
    stored = desk.stored_user()
    assert stored is not None
    assert stored["createdAt"] == stored["updatedAt"] == {"S": "2026-01-16T00:00:00.12Z"}


def test_a_clock_may_give_an_aware_datetime(desk: Desk):
    """A datetime of any zone is written in UTC."""
    table = desk.table(clock=lambda: datetime.fromisoformat("2026-01-16T02:00:00.5+02:00"))
    assert desk.shown(table.create(desk.user()))["createdAt"] == "2026-01-16T00:00:00.5Z"


@pytest.mark.parametrize(
    ("given", "stored"), [({}, "0"), ({"version": 0}, "0"), ({"version": 7}, "7")]
)
def test_an_empty_version_is_written_as_zero_and_a_given_one_is_kept(desk: Desk, given, stored):
    """A new item always has a version that an update can name."""
    desk.table().create(desk.user(**given))
    item = desk.stored_user()
    assert item is not None
    assert item["version"] == {"N": stored}


def test_put_is_another_name_of_create(desk: Desk):
    """DynamoDB's word works too, and an item with the key is replaced whole."""
    table = desk.table()
    table.put(desk.user(nickname="first", age=1))
    table.put(desk.user(nickname="second"))
    assert "age" not in desk.shown(table.get((desk.partition, "profile")))


def test_if_not_exists_keeps_the_item_that_is_there(desk: Desk):
    """The second of two creators is told, and nothing is written."""
    table = desk.table()
    table.create(desk.user(nickname="first"), if_not_exists=True)
    with pytest.raises(ConditionFailed) as caught:
        table.create(desk.user(nickname="second"), if_not_exists=True)
    assert caught.value.code == "ErrConditionFailed"
    assert caught.value.key == {"PK": desk.partition, "SK": "profile"}
    assert desk.shown(table.get((desk.partition, "profile")))["nickname"] == "first"


def test_a_condition_decides_about_a_create(desk: Desk):
    """Only an item of which the condition is true is replaced."""
    table = desk.table()
    table.create(desk.user(age=1))
    table.create(desk.user(age=2), condition=F("age") == 1)
    with pytest.raises(ConditionFailed):
        table.create(desk.user(age=3), condition=F("age") == 1)
    assert desk.shown(table.get((desk.partition, "profile")))["age"] == 2


def test_empty_values_are_left_out_where_the_model_says_so(desk: Desk):
    """omit_empty: "" and the empty set are not stored."""
    desk.table().create(desk.user(nickname="", tags=set()))
    stored = desk.stored_user()
    assert stored is not None
    assert not stored.keys() & {"nickname", "tags"}


def test_an_empty_set_is_stored_as_null_and_read_as_a_set(desk: Desk):
    """DynamoDB has no empty set; without omit_empty NULL stands for it."""
    table = desk.table()
    table.create(desk.user(lucky=set()))
    stored = desk.stored_user()
    assert stored is not None
    assert stored["lucky"] == {"NULL": True}
    read = table.get((desk.partition, "profile"))
    assert (read.lucky if desk.is_typed else read["lucky"]) == set()


@pytest.mark.parametrize("key", [{"PK": ""}, {"PK": None}, {"SK": ""}])
def test_an_empty_key_is_refused_before_any_call(desk: Desk, key):
    """ErrMissingPrimaryKey, and the engine hears nothing."""
    item = {"PK": desk.partition, "SK": "profile", **key}
    with pytest.raises(MissingPrimaryKey):
        desk.table().create(item)
    assert not desk.backend.sent


def test_a_missing_key_is_refused_before_any_call(desk: Desk):
    """A mapping without its sort key is no item."""
    with pytest.raises(MissingPrimaryKey):
        desk.table().create({"PK": desk.partition})
    assert not desk.backend.sent


def test_an_attribute_that_is_not_declared_is_refused(desk: Desk):
    """Nothing undeclared is ever written."""
    with pytest.raises(InvalidModel, match="nickame"):
        desk.table().create({"PK": desk.partition, "SK": "profile", "nickame": "x"})
    assert not desk.backend.sent


def test_a_value_that_does_not_fit_is_refused_with_its_attribute(desk: Desk):
    """A text is no number."""
    with pytest.raises(InvalidValue, match="age"):
        desk.table().create({"PK": desk.partition, "SK": "profile", "age": "33"})
    assert not desk.backend.sent


def test_a_missing_table_is_not_a_missing_item(desk: Desk):
    """ErrTableNotFound says what makes the table."""
    model = SCHEMA.model("Counter")
    nowhere = Model(model.name, "nowhere", model.partition, model.sort, model.attributes)
    with pytest.raises(TableNotFound, match=r"nowhere.*ensure"):
        desk.table(nowhere).create({"name": "x", "owner": "o"})
