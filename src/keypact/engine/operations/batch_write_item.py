"""BatchWriteItem: up to 25 puts and deletes, each for itself, in one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..attributes import check_attributes
from ..capacity import Bill
from ..errors import ValidationException
from ..limits import BATCH_WRITE_BYTES_MAX, BATCH_WRITE_REQUESTS_MAX
from ..storage.store import Connection, Job
from ..tables import Table
from .changes import Change, apply, charge, collection_metrics, decide
from .put_item import new_item

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """Check every write; the job makes them."""
    parts: dict[str, list[dict[str, Any]]] = request["RequestItems"]
    if sum(map(len, parts.values())) > BATCH_WRITE_REQUESTS_MAX:
        raise ValidationException("Too many items requested for the BatchWriteItem call")
    changes = [
        (name, change) for name, part in parts.items() for change in _read(engine, name, part)
    ]
    detail = request.get("ReturnConsumedCapacity", "NONE")
    with_metrics = request.get("ReturnItemCollectionMetrics") == "SIZE"

    def write(connection: Connection) -> dict[str, Any]:
        bills = {name: Bill(name, "Write") for name in parts}
        metrics: dict[str, list[dict[str, Any]]] = {}
        for name, change in changes:
            outcome = decide(connection, change)
            charge(bills[name], outcome, apply(connection, outcome))
            item = outcome.new or outcome.old
            if with_metrics and change.table.has_local_indexes and item is not None:
                found = collection_metrics(connection, change.table, item)
                if found not in metrics.setdefault(name, []):
                    metrics[name].append(found)
        answer: dict[str, Any] = {"UnprocessedItems": {}}
        if metrics:
            answer["ItemCollectionMetrics"] = metrics
        if detail != "NONE":
            answer["ConsumedCapacity"] = [bill.consumed(detail) for bill in bills.values()]
        return answer

    return write


def _read(engine: Engine, name: str, part: list[dict[str, Any]]) -> list[Change]:
    table = engine.table(name)
    changes: dict[tuple[bytes, bytes], Change] = {}
    total = 0
    for write in part:
        change, size = _read_one(table, write)
        total += size
        if (change.pk, change.sk) in changes:
            raise ValidationException("Provided list of item keys contains duplicates")
        changes[change.pk, change.sk] = change
    if total > BATCH_WRITE_BYTES_MAX:
        raise ValidationException("The batch exceeds 16 MB")
    return list(changes.values())


def _read_one(table: Table, write: dict[str, Any]) -> tuple[Change, int]:
    put, delete = write.get("PutRequest"), write.get("DeleteRequest")
    if (put is None) == (delete is None):
        raise ValidationException(
            "Supplied WriteRequest must contain exactly one of PutRequest and DeleteRequest"
            if put
            else "Supplied WriteRequest is empty, must contain a PutRequest or a DeleteRequest"
        )
    if put is not None:
        new = new_item(table, check_attributes(put["Item"]))
        return Change(table, new.pk, new.sk, None, lambda _old: new, False), new.size
    assert delete is not None
    pk, sk = table.request_key(check_attributes(delete["Key"]).attributes)
    return Change(table, pk, sk, None, lambda _old: None, False), 0
