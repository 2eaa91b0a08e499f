"""ensure and describe: DynamoDB tables from models."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest

import keypact
from keypact.errors import DynamoDBError, InvalidModel, TableNotFound
from keypact.schema import Index, KeyPart, Model
from tests.operations.models import SCHEMA
from tests.operations.tables import Desk


def _model(desk: Desk, name: str = "User") -> Model:
    """The model on a table of this test's own."""
    return replace(SCHEMA.model(name), table=f"t{desk.partition[-40:]}-{SCHEMA.model(name).table}")


@pytest.fixture
def model(desk: Desk):
    made = _model(desk)
    yield made
    with contextlib.suppress(DynamoDBError):
        desk.backend.call("DeleteTable", {"TableName": made.table})


def test_a_missing_table_is_made_with_keys_indexes_and_expiry(desk: Desk, model):
    """Everything that the model's operations need, paid by request."""
    table = desk.table(model)
    with pytest.raises(TableNotFound):
        table.describe()
    table.ensure()
    found = table.describe()
    assert found["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]
    types = {one["AttributeName"]: one["AttributeType"] for one in found["AttributeDefinitions"]}
    assert types == {"PK": "S", "SK": "S", "email": "S", "createdAt": "S", "city": "S", "age": "N"}
    globals_ = {one["IndexName"]: one for one in found["GlobalSecondaryIndexes"]}
    assert globals_.keys() == {"by-email", "by-city"}
    assert globals_["by-city"]["Projection"]["ProjectionType"] == "KEYS_ONLY"
    (local,) = found["LocalSecondaryIndexes"]
    assert local["IndexName"] == "by-age"
    expiry = desk.backend.call("DescribeTimeToLive", {"TableName": model.table})
    assert expiry["TimeToLiveDescription"]["TimeToLiveStatus"] in ("ENABLED", "ENABLING")
    assert expiry["TimeToLiveDescription"]["AttributeName"] == "ttl"


def test_a_second_ensure_changes_nothing(desk: Desk, model):
    """It only looks."""
    table = desk.table(model)
    table.ensure()
    desk.backend.sent.clear()
    table.ensure()
    assert set(desk.backend.operations) == {"DescribeTable", "DescribeTimeToLive"}


def test_a_model_without_expiry_turns_none_on(desk: Desk):
    """Nothing that was not declared."""
    desk.table("Counter").ensure()
    assert "UpdateTimeToLive" not in desk.backend.operations
    assert "CreateTable" not in desk.backend.operations


def test_a_table_that_is_another_is_refused_with_all_differences(desk: Desk, model):
    """Nothing is changed; the error tells every difference."""
    bare = replace(model, indexes=model.indexes[1:2])
    desk.table(bare).ensure()
    wrong = [
        (replace(model, sort=None), ["key"]),
        (model, ["by-email", "by-age"]),
        (
            replace(
                model,
                indexes=(Index("by-city", "GSI", KeyPart("city", "S"), KeyPart("age", "N")),),
            ),
            ["by-city has another key"],
        ),
        (
            replace(model, indexes=(Index("by-city", "GSI", KeyPart("city", "S")),)),
            ["by-city does not project everything"],
        ),
        (
            replace(
                model,
                indexes=(Index("by-city", "GSI", KeyPart("city", "S"), None, "INCLUDE", ("age",)),),
            ),
            ["by-city does not project age"],
        ),
    ]
    desk.backend.sent.clear()
    for other, differences in wrong:
        with pytest.raises(InvalidModel) as caught:
            desk.table(other).ensure()
        assert caught.value.code == "ErrInvalidModel"
        for difference in [*differences, model.table]:
            assert difference in str(caught.value)
    assert set(desk.backend.operations) == {"DescribeTable"}


def test_a_table_that_has_more_is_fine(desk: Desk, model):
    """Others may need what this model does not."""
    desk.table(model).ensure()
    desk.table(replace(model, indexes=())).ensure()


def test_models_that_share_a_table_make_it_together(desk: Desk, model):
    """One table with the indexes of all; each model's own ensure is content with it."""
    profile = replace(model, name="Profile", indexes=model.indexes[:1])
    badge = replace(model, name="Badge", indexes=model.indexes[1:])
    desk.table(profile).ensure(also=[badge])
    assert desk.backend.operations.count("CreateTable") == 1
    desk.table(badge).ensure()
    desk.table(profile).ensure()
    indexes = desk.table(badge).describe()["GlobalSecondaryIndexes"]
    assert {one["IndexName"] for one in indexes} == {"by-email", "by-city"}


def test_models_that_share_a_table_share_its_key_and_indexes(desk: Desk, model):
    """What contradicts is told before any call."""
    other_key = replace(model, name="Other", sort=None)
    with pytest.raises(InvalidModel, match="key"):
        desk.table(model).ensure(also=[other_key])
    other_index = replace(
        model, name="Other", indexes=(Index("by-city", "GSI", KeyPart("email", "S")),)
    )
    with pytest.raises(InvalidModel, match="by-city"):
        desk.table(model).ensure(also=[other_index])
    assert not desk.backend.sent


def test_what_ensure_makes_can_be_used(desk: Desk, model):
    """Write, read, query on every index."""
    table = desk.table(model)
    table.ensure()
    table.create({"PK": "p", "SK": "s", "email": "e", "city": "c", "age": 1})
    assert table.get(("p", "s"))["age"] == 1
    for index, key in (("by-email", "e"), ("by-city", "c"), ("by-age", "p")):
        assert len(table.query(key, index=index)) == 1
    assert len(table.query("p", keypact.begins_with("s"))) == 1
