"""PynamoDB unchanged: models, conditions, batches and transactions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from pynamodb.attributes import (
    NumberAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    VersionAttribute,
)
from pynamodb.connection import Connection
from pynamodb.exceptions import DoesNotExist, PutError, TransactWriteError, UpdateError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite


def order_model(url: str) -> Any:
    """A model of the scenario's table, bound to the server."""

    class ByState(GlobalSecondaryIndex[Any]):
        class Meta:
            index_name = "by_state"
            projection = AllProjection()

        state = UnicodeAttribute(hash_key=True)
        placed = NumberAttribute(range_key=True)

    class Order(Model):
        class Meta:
            table_name = "pynamodb"
            host = url
            region = "us-east-1"
            billing_mode = "PAY_PER_REQUEST"

        customer = UnicodeAttribute(hash_key=True)
        placed = NumberAttribute(range_key=True)
        state = UnicodeAttribute(default="open")
        tags = UnicodeSetAttribute(null=True)
        visits = NumberAttribute(default=0)
        ends = TTLAttribute(null=True)
        version = VersionAttribute()
        by_state = ByState()

    return Order


def test_a_model_goes_through_a_tables_life(url):
    """Create, save, condition, update, query, batch, transact, time to live, delete."""
    model = order_model(url)
    model.create_table(wait=True)
    assert model.exists()
    assert model.describe_table()["TableStatus"] == "ACTIVE"

    ends = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    first = model("ann", 1, tags={"a", "b"}, ends=ends)
    first.save()
    got = model.get("ann", 1, consistent_read=True)
    assert (got.tags, got.ends, got.version) == ({"a", "b"}, ends, 1)

    with pytest.raises(PutError) as refused:
        model("ann", 1).save(condition=model.customer.does_not_exist())
    assert refused.value.cause_response_code == "ConditionalCheckFailedException"

    got.update(actions=[model.visits.add(5), model.tags.delete({"a"})])
    assert (got.visits, got.tags, got.version) == (5, {"b"}, 2)
    with pytest.raises(UpdateError):
        first.update(actions=[model.visits.set(0)])

    with model.batch_write() as batch:
        for number in range(2, 40):
            batch.save(model("bob", number))
    found = model.by_state.query("open", model.placed > 1, page_size=7, limit=30)
    assert [order.placed for order in found] == list(range(2, 32))
    assert len(list(model.batch_get([("bob", 2), ("bob", 3), ("bob", 99)]))) == 2
    assert model.count("bob", filter_condition=model.visits == 0) == 38

    connection = Connection(host=url, region="us-east-1")
    write = TransactWrite(connection=connection)
    write.save(model("cy", 1))
    write.condition_check(model, "bob", 2, condition=model.visits > 100)
    with pytest.raises(TransactWriteError) as cancelled:
        write._commit()
    # It puts the checks before the writes.
    reasons = cancelled.value.cancellation_reasons
    assert [reason and reason.code for reason in reasons] == ["ConditionalCheckFailed", None]
    with pytest.raises(DoesNotExist):
        model.get("cy", 1)
    with TransactGet(connection=connection) as read:
        future = read.get(model, "bob", 2)
    assert future.get().state == "open"

    # It switched the time to live on when it made the table.
    described = boto3.client("dynamodb", endpoint_url=url).describe_time_to_live(
        TableName="pynamodb"
    )
    assert described["TimeToLiveDescription"]["AttributeName"] == "ends"

    got.refresh()
    got.delete()
    with pytest.raises(DoesNotExist):
        model.get("ann", 1)
    model.delete_table()
    assert not model.exists()
