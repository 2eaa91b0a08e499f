"""TransactGetItems: up to 100 items, all as they were at one moment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..attributes import check_attributes
from ..capacity import TRANSACTION_FACTOR, Bill, read_units
from ..errors import SchemaMismatch, ValidationException
from ..limits import TRANSACTION_BYTES_MAX
from ..storage.rows import find
from ..storage.store import Connection, Job, snapshot
from ..tables import present
from .get_item import read_projection, shown
from .transactions import all_or_cancel, refuse_repeats

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """Check every get; the job reads them on one state of the store."""
    gets = [present(one["Get"]) for one in request["TransactItems"]]
    reads = [
        (get["TableName"], read_projection(get), check_attributes(get["Key"]).attributes)
        for get in gets
    ]
    tables = [engine.table(name) for name, _, _ in reads]
    keys = all_or_cancel(
        (partial(table.request_key, key) for table, (_, _, key) in zip(tables, reads, strict=True)),
        SchemaMismatch,
    )
    refuse_repeats([(table.id, *key) for table, key in zip(tables, keys, strict=True)])
    detail = request.get("ReturnConsumedCapacity", "NONE")

    def read(connection: Connection) -> dict[str, Any]:
        responses: list[dict[str, Any]] = []
        bills: dict[str, Bill] = {}
        total = 0
        for (name, projection, _), table, key in zip(reads, tables, keys, strict=True):
            row = find(connection, table, *key)
            size = 0 if row is None else row[0]
            total += size
            bill = bills.setdefault(name, Bill(name, "Read"))
            bill.charge(read_units(size, consistent=True), factor=TRANSACTION_FACTOR)
            item = None if row is None else shown(row[1], projection)
            # A projection that finds nothing counts as no item, unlike in GetItem.
            responses.append({"Item": item} if item else {})
        if total > TRANSACTION_BYTES_MAX:
            raise ValidationException("Collection size of all items exceeds 4 MB")
        answer: dict[str, Any] = {"Responses": responses}
        if detail != "NONE":
            answer["ConsumedCapacity"] = [
                bill.consumed(detail, in_transaction=True) for bill in bills.values()
            ]
        return answer

    return lambda connection: snapshot(connection, lambda: read(connection))
