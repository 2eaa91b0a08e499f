"""PutItem: a whole item, in place of any with the same key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..attributes import Measured, check_attributes
from ..storage.rows import StoredItem, encode, put_unseen
from ..storage.store import Connection, Job
from ..tables import Table
from .changes import (
    Change,
    Request,
    Unplaced,
    check_size,
    condition,
    environment,
    refuse_return_values,
    returns_old_on_failure,
    run,
)

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: Request) -> Job:
    """Check the request; the job puts the item."""
    refuse_return_values(request, "NONE", "ALL_OLD")
    change = read_put(request)(engine.table(request["TableName"]))
    if not (change.table.indexes or _NEEDS_OLD.intersection(request)):
        new = change.transform(None)
        assert new is not None

        def put_blindly(connection: Connection) -> dict[str, Any]:
            put_unseen(connection, change.table, new)
            return {}

        return put_blindly

    def put(connection: Connection) -> dict[str, Any]:
        outcome, answer = run(connection, change, request)
        if outcome.old is not None and request.get("ReturnValues") == "ALL_OLD":
            answer["Attributes"] = outcome.old.attributes
        return answer

    return put


# With none of these the item that is replaced need not be read.
_NEEDS_OLD = frozenset(
    {
        "ConditionExpression",
        "ReturnValues",
        "ReturnConsumedCapacity",
        "ReturnItemCollectionMetrics",
    }
)


def read_put(request: Request) -> Unplaced:
    """A put as a change."""
    env = environment(request)
    parsed = condition(env, request)
    env.finish()
    item = check_attributes(request["Item"])
    shows_old = returns_old_on_failure(request)

    def place(table: Table) -> Change:
        new = new_item(table, item)
        return Change(table, new.pk, new.sk, parsed, lambda _old: new, shows_old)

    return place


def new_item(table: Table, item: Measured) -> StoredItem:
    """A checked item, held against the table, in the form that is kept."""
    attributes, size = item
    check_size(size, "Item size has exceeded the maximum allowed size")
    pk, sk = table.item_key(attributes)
    if table.indexes:
        table.check_index_keys(attributes)
    return StoredItem(pk, sk, attributes, size, encode(attributes))
