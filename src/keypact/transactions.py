"""Transactions over the tables of one backend: all or nothing, with a reason for each item."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from .answers import as_library_error
from .effects import Call, Plan
from .errors import DynamoDBError, InvalidModel
from .values import Attributes

if TYPE_CHECKING:
    from .table import TableOperations
    from .writes import Write

M = TypeVar("M")

ITEMS_MAX = 100


@dataclass(frozen=True, slots=True)
class Read(Generic[M]):
    """A get that waits to be part of a transaction."""

    table: TableOperations[M]
    key: Attributes


def write(writes: Sequence[Write], token: str | None) -> Plan[None]:
    """Send all writes as one transaction, once for each token."""
    _check_count(len(writes))
    items: list[dict[str, Any]] = []
    for one in writes:
        request = yield from one.plan()
        items.append({one.kind: request})
    # Always a token: a retry on the way must not write twice.
    request = {"TransactItems": items, "ClientRequestToken": token or str(uuid.uuid4())}
    yield from _call("TransactWriteItems", request, [one.table for one in writes])


def get(reads: Sequence[Read[Any]]) -> Plan[list[Any]]:
    """All items as they were at one moment."""
    _check_count(len(reads))
    request = {
        "TransactItems": [
            {"Get": {"TableName": read.table.model.table, "Key": read.key}} for read in reads
        ]
    }
    answer = yield from _call("TransactGetItems", request, [read.table for read in reads])
    found: list[Any] = []
    for read, response in zip(reads, answer["Responses"], strict=True):
        attributes = response.get("Item")
        if attributes is None:
            found.append(None)
        else:
            item = yield from read.table.shown(attributes)
            found.append(item)
    return found


def _check_count(count: int) -> None:
    if not 1 <= count <= ITEMS_MAX:
        raise InvalidModel(f"a transaction has 1 to {ITEMS_MAX} items, this one {count}")


def _call(
    name: str, request: dict[str, Any], tables: Sequence[TableOperations[Any]]
) -> Plan[dict[str, Any]]:
    try:
        answer = yield Call(name, request)
    except DynamoDBError as error:
        names = ", ".join(sorted({table.model.table for table in tables}))
        raise as_library_error(error, names, {}) from error
    decoded: dict[str, Any] = msgspec.json.decode(answer)
    return decoded
