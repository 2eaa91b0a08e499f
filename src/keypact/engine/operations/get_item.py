"""GetItem: one item by its key; a read without a projection is a copy of its bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ..attributes import check_attributes
from ..capacity import Bill, read_units
from ..expressions import Environment, Projection
from ..storage.rows import decode, find
from ..storage.store import Connection, Job

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """Check the request; the job reads the item."""
    projection = read_projection(request)
    key = check_attributes(request["Key"]).attributes
    table = engine.table(request["TableName"])
    pk, sk = table.request_key(key)
    detail = request.get("ReturnConsumedCapacity", "NONE")

    def get(connection: Connection) -> dict[str, Any]:
        answer: dict[str, Any] = {}
        row = find(connection, table, pk, sk)
        if row is not None:
            answer["Item"] = shown(row[1], projection)
        if detail != "NONE":
            bill = Bill(request["TableName"], "Read")
            consistent = bool(request.get("ConsistentRead"))
            bill.charge(read_units(0 if row is None else row[0], consistent=consistent))
            answer["ConsumedCapacity"] = bill.consumed(detail)
        return answer

    return get


def read_projection(request: dict[str, Any]) -> Projection | None:
    """The projection of a request that has no other expression."""
    text = request.get("ProjectionExpression")
    names = request.get("ExpressionAttributeNames")
    if text is None and names is None:
        return None
    env = Environment(names, None)
    projection = None if text is None else env.projection(text)
    env.finish()
    return projection


def shown(raw: bytes, projection: Projection | None) -> Any:
    """An item's wire form, whole or the projected part."""
    return msgspec.Raw(raw) if projection is None else projection.pick(decode(raw))
