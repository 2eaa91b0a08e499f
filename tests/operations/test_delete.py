"""delete: one item, under its version when one is given."""

from __future__ import annotations

import pytest

from keypact.conditions import F
from keypact.errors import ConditionFailed, InvalidModel, MissingPrimaryKey
from tests.operations.tables import Desk


def test_a_deleted_item_is_gone(desk: Desk):
    """And deleting it again succeeds, as it does in DynamoDB."""
    table = desk.table()
    table.create(desk.user())
    table.delete((desk.partition, "profile"))
    table.delete((desk.partition, "profile"))
    assert table.find((desk.partition, "profile")) is None
    assert "ConditionExpression" not in desk.backend.sent[1][1]


@pytest.mark.parametrize("version", [0, 3])
def test_a_version_is_a_condition_and_so_is_zero(desk: Desk, version):
    """Zero is the version of a new item, not the absence of one."""
    table = desk.table()
    table.create(desk.user(version=version))
    with pytest.raises(ConditionFailed):
        table.delete((desk.partition, "profile"), version=version + 1)
    table.create(desk.user(version=version + 1))
    with pytest.raises(ConditionFailed):
        table.delete((desk.partition, "profile"), version=version)
    table.delete((desk.partition, "profile"), version=version + 1)
    assert desk.stored_user() is None


def test_a_version_of_an_item_that_is_gone_does_not_hold(desk: Desk):
    """Somebody else was first."""
    with pytest.raises(ConditionFailed):
        desk.table().delete((desk.partition, "profile"), version=0)


def test_a_condition_decides_about_a_delete(desk: Desk):
    """Alone, or together with a version."""
    table = desk.table()
    table.create(desk.user(age=1))
    with pytest.raises(ConditionFailed):
        table.delete((desk.partition, "profile"), version=0, condition=F("age") == 2)
    table.delete((desk.partition, "profile"), version=0, condition=F("age") == 1)
    assert desk.stored_user() is None


def test_an_item_is_a_key_too(desk: Desk):
    """What was read can be handed back to be deleted."""
    table = desk.table()
    table.delete(table.create(desk.user()))
    assert desk.stored_user() is None


def test_a_model_without_versions_takes_none(desk: Desk):
    """A version that cannot be compared is a mistake."""
    with pytest.raises(InvalidModel):
        desk.table("Counter").delete(desk.partition, version=0)
    assert not desk.backend.sent


def test_an_empty_key_is_refused_before_any_call(desk: Desk):
    """ErrMissingPrimaryKey."""
    with pytest.raises(MissingPrimaryKey):
        desk.table().delete((desk.partition, ""))
    assert not desk.backend.sent
