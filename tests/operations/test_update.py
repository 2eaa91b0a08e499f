"""update: some fields of an item, under the version it was read with."""

from __future__ import annotations

import pytest

from keypact.conditions import F
from keypact.errors import ConditionFailed, InvalidModel, InvalidValue
from tests.operations.tables import Desk


def _made(desk: Desk, **values):
    return desk.table().create(desk.user(**values))


def test_only_the_named_fields_are_written(desk: Desk):
    """What another writer has put into other fields stays."""
    table = desk.table()
    _made(desk, nickname="old", age=1)
    updated = table.update(desk.user(nickname="new", age=99, version=0), fields=["nickname"])
    assert desk.shown(updated) == {
        "PK": desk.partition,
        "SK": "profile",
        "nickname": "new",
        "age": 1,
        "version": 1,
        "createdAt": "2026-01-16T00:00:00Z",
        "updatedAt": "2026-01-16T00:00:00Z",
    }
    assert updated == table.get((desk.partition, "profile"))


def test_an_update_moves_updated_at_and_the_version_only(desk: Desk):
    """created_at stays; the version counts up by one."""
    made = _made(desk, age=1)
    desk.pass_time(1.5)
    updated = desk.shown(desk.table().update(made, fields=["age"]))
    assert updated["createdAt"] == "2026-01-16T00:00:00Z"
    assert updated["updatedAt"] == "2026-01-16T00:00:01.5Z"
    assert updated["version"] == 1


def test_the_version_is_a_condition_and_an_atomic_add(desk: Desk):
    """What goes over the wire: version = :current, and ADD version 1."""
    made = _made(desk, age=1)
    desk.table().update(made, fields=["age"])
    operation, request = desk.backend.sent[-1]
    names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
    version = next(short for short, name in names.items() if name == "version")
    assert operation == "UpdateItem"
    condition, _, added = request["ConditionExpression"].rpartition(f"{version} = ")
    assert condition
    assert values[added] == {"N": "0"}
    clause = request["UpdateExpression"].split("ADD ")[1].split()
    assert clause[0] == version
    assert values[clause[1]] == {"N": "1"}


def test_a_stale_version_is_refused(desk: Desk):
    """Of two who read the same item, the second to write is told."""
    made = _made(desk, age=1)
    table = desk.table()
    table.update(made, fields=["age"])
    with pytest.raises(ConditionFailed):
        table.update(made, fields=["age"])
    assert desk.shown(table.get((desk.partition, "profile")))["version"] == 1


def test_an_update_without_the_version_is_refused_before_any_call(desk: Desk):
    """It could not tell whether somebody else has written."""
    with pytest.raises(InvalidModel, match="version"):
        desk.table().update(desk.user(age=2), fields=["age"])
    assert not desk.backend.sent


@pytest.mark.parametrize("name", ["createdAt", "updatedAt", "version", "PK", "SK", "nowhere"])
def test_fields_of_the_library_keys_and_unknown_ones_cannot_be_named(desk: Desk, name):
    """ErrInvalidModel, and the engine hears nothing."""
    with pytest.raises(InvalidModel, match=name) as caught:
        desk.table().update(desk.user(version=0, age=1), fields=["age", name])
    assert caught.value.code == "ErrInvalidModel"
    assert not desk.backend.sent


def test_an_update_of_no_item_is_refused(desk: Desk):
    """An update never makes an item."""
    with pytest.raises(ConditionFailed):
        desk.table().update(desk.user(version=0, age=1), fields=["age"])
    assert desk.stored_user() is None


def test_an_update_of_no_item_is_refused_without_versions_too(desk: Desk):
    """Also where the model has no version to ask for."""
    with pytest.raises(ConditionFailed):
        desk.table("Counter").update({"name": desk.partition, "owner": "o"}, fields=["owner"])
    assert desk.stored("Counter", {"name": desk.partition}) is None


@pytest.mark.parametrize(
    ("name", "before", "empty"),
    [("nickname", "n", ""), ("nickname", "n", None), ("tags", {"a"}, set())],
)
def test_an_empty_value_is_removed_where_empty_values_are_left_out(desk: Desk, name, before, empty):
    """omit_empty on an update is REMOVE."""
    made = _made(desk, **{name: before})
    values = {**desk.shown(made), name: empty}
    desk.table().update(values, fields=[name])
    assert "REMOVE" in desk.backend.sent[-1][1]["UpdateExpression"]
    stored = desk.stored_user()
    assert stored is not None
    assert name not in stored


def test_none_removes_an_optional_attribute(desk: Desk):
    """None is nothing where an attribute may be absent."""
    made = desk.shown(_made(desk, age=4))
    desk.table().update({**made, "age": None}, fields=["age"])
    stored = desk.stored_user()
    assert stored is not None
    assert "age" not in stored


def test_a_named_field_that_the_item_lacks_is_removed(desk: Desk):
    """The item ends up as if it had been created so."""
    made = desk.shown(_made(desk, age=4))
    del made["age"]
    desk.table().update(made, fields=["age"])
    stored = desk.stored_user()
    assert stored is not None
    assert "age" not in stored


def test_a_required_attribute_cannot_be_removed(desk: Desk):
    """An update leaves no item that its model would refuse."""
    table = desk.table("Counter")
    table.create({"name": desk.partition, "owner": "o"})
    for values in ({}, {"owner": None}):
        with pytest.raises(InvalidModel, match="owner"):
            table.update({"name": desk.partition, **values}, fields=["owner"])
    assert desk.backend.operations == ["PutItem"]


def test_without_fields_all_that_the_item_has_is_written(desk: Desk):
    """The whole of a changed item, but for what the library owns."""
    made = desk.shown(_made(desk, age=1, nickname="n"))
    updated = desk.shown(desk.table().update({**made, "age": 2, "city": "Bern"}))
    assert (updated["age"], updated["city"], updated["nickname"]) == (2, "Bern", "n")
    assert updated["version"] == 1


def test_an_instance_can_be_changed_and_written(desk: Desk):
    """Read, change, update: what instances are for."""
    made = _made(desk, age=1)
    if desk.is_typed:
        made.age = 2
    else:
        made["age"] = 2
    assert desk.shown(desk.table().update(made))["age"] == 2


def test_no_fields_at_all_is_a_mistake(desk: Desk):
    """A list that came out empty is told, not sent."""
    with pytest.raises(InvalidModel):
        desk.table().update(desk.user(version=0), fields=[])
    assert not desk.backend.sent


def test_a_condition_joins_the_version(desk: Desk):
    """Both must hold."""
    made = _made(desk, age=1)
    table = desk.table()
    with pytest.raises(ConditionFailed):
        table.update(made, fields=["age"], condition=F("age") > 1)
    table.update(made, fields=["age"], condition=(F("age") > 1) | (F("age") == 1))


def test_a_value_that_does_not_fit_is_refused_before_any_call(desk: Desk):
    """The same rules as on create."""
    with pytest.raises(InvalidValue, match="age"):
        desk.table().update(
            {"PK": desk.partition, "SK": "profile", "version": 0, "age": "x"}, fields=["age"]
        )
    assert not desk.backend.sent
