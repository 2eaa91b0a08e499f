"""A write to one item, checked and ready: what put, update, delete and transactions share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..capacity import Bill, write_units
from ..errors import ConditionalCheckFailedException, ValidationException
from ..expressions import Condition, Environment
from ..limits import ITEM_BYTES_MAX
from ..storage.rows import IndexChange, StoredItem, collection_bytes, load, replace
from ..storage.store import Connection
from ..tables import Table

Request = dict[str, Any]


class Change(NamedTuple):
    """What is to happen to one item, if its condition holds."""

    table: Table
    pk: bytes
    sk: bytes
    condition: Condition | None
    # From the item as it is (None: absent) to the item as it shall be.
    transform: Callable[[StoredItem | None], StoredItem | None]
    return_old_on_failure: bool
    # A condition check alone writes nothing.
    writes: bool = True


# A request whose expressions and values are checked, waiting for its table.
Unplaced = Callable[[Table], Change]


class Outcome(NamedTuple):
    """An item before and after a change."""

    change: Change
    old: StoredItem | None
    new: StoredItem | None


def decide(connection: Connection, change: Change) -> Outcome:
    """Read the item, test the condition, work out the new item. Nothing is written."""
    old = load(connection, change.table, change.pk, change.sk)
    condition = change.condition
    if condition is not None and not condition.matches(None if old is None else old.attributes):
        shown = {"Item": old.attributes} if old and change.return_old_on_failure else {}
        raise ConditionalCheckFailedException("The conditional request failed", **shown)
    return Outcome(change, old, change.transform(old))


def apply(connection: Connection, outcome: Outcome) -> list[IndexChange]:
    """Write what was decided."""
    if not outcome.change.writes or (outcome.old is None and outcome.new is None):
        return []
    return replace(connection, outcome.change.table, outcome.old, outcome.new)


def charge(bill: Bill, outcome: Outcome, changes: list[IndexChange], factor: float = 1.0) -> None:
    """Add to the bill what the write cost."""
    sizes = [item.size for item in (outcome.old, outcome.new) if item is not None]
    bill.charge(write_units(*sizes), changes, factor)


def run(connection: Connection, change: Change, request: Request) -> tuple[Outcome, dict[str, Any]]:
    """Make one change and start its answer with the metrics that were asked for."""
    outcome = decide(connection, change)
    changes = apply(connection, outcome)
    answer: dict[str, Any] = {}
    detail = request.get("ReturnConsumedCapacity")
    if detail is not None and detail != "NONE":
        bill = Bill(request["TableName"], "Write")
        charge(bill, outcome, changes)
        answer["ConsumedCapacity"] = bill.consumed(detail)
    if request.get("ReturnItemCollectionMetrics") == "SIZE" and change.table.has_local_indexes:
        item = outcome.new or outcome.old
        if item is not None:
            answer["ItemCollectionMetrics"] = collection_metrics(connection, change.table, item)
    return outcome, answer


def collection_metrics(connection: Connection, table: Table, item: StoredItem) -> dict[str, Any]:
    """The size of all items that share this one's partition key, in a range of one GB."""
    gigabytes = float(collection_bytes(connection, table, item.pk) // 1024**3)
    name = table.keys.partition[0]
    return {
        "ItemCollectionKey": {name: item.attributes[name]},
        "SizeEstimateRangeGB": [gigabytes, gigabytes + 1.0],
    }


def environment(request: Request) -> Environment:
    """The request's substitutions, which all its expressions share."""
    return Environment(
        request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues")
    )


def condition(env: Environment, request: Request) -> Condition | None:
    """The request's condition, if it has one."""
    text = request.get("ConditionExpression")
    return None if text is None else env.condition("ConditionExpression", text)


def returns_old_on_failure(request: Request) -> bool:
    """Whether a failed condition is to show the item that failed it."""
    return request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"


def refuse_return_values(request: Request, *allowed: str) -> None:
    """Put and delete return the old item or nothing."""
    if request.get("ReturnValues", "NONE") not in allowed:
        raise ValidationException("ReturnValues can only be ALL_OLD or NONE")


def check_size(size: int, message: str) -> None:
    """Refuse an item larger than DynamoDB holds."""
    if size > ITEM_BYTES_MAX:
        raise ValidationException(message)
