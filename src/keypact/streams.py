"""Records of DynamoDB streams as changes of a model's items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .effects import Plan
from .errors import InvalidModel
from .values import from_value

if TYPE_CHECKING:
    from .table import TableOperations

M = TypeVar("M")

_KINDS = {"INSERT", "MODIFY", "REMOVE"}


@dataclass(frozen=True, slots=True)
class Record(Generic[M]):
    """One change of one item. Images are None where the stream does not carry them."""

    kind: str
    key: dict[str, Any]
    old: M | None
    new: M | None
    sequence: str
    # The service deleted it because its time to live was over.
    by_expiry: bool


def read_record(table: TableOperations[M], record: Mapping[str, Any]) -> Plan[Record[M]]:
    """A record as Lambda and GetRecords give it, decoded and opened."""
    kind = record.get("eventName")
    body = record.get("dynamodb")
    if kind not in _KINDS or not isinstance(body, Mapping):
        raise InvalidModel("this is not a record of a DynamoDB stream: no eventName or dynamodb")
    images: dict[str, M | None] = {}
    for member in ("OldImage", "NewImage"):
        attributes = body.get(member)
        images[member] = None
        if attributes is not None:
            images[member] = yield from table.opened(attributes)
    identity = record.get("userIdentity") or {}
    return Record(
        kind=kind,
        key={name: from_value(value) for name, value in (body.get("Keys") or {}).items()},
        old=images["OldImage"],
        new=images["NewImage"],
        sequence=str(body.get("SequenceNumber", "")),
        by_expiry=(
            identity.get("type") == "Service"
            and identity.get("principalId") == "dynamodb.amazonaws.com"
        ),
    )
