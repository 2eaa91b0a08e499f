"""BatchGetItem: up to 100 items of several tables; what exceeds 16 MB comes back unprocessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..attributes import Attributes, check_attributes
from ..capacity import Bill, read_units
from ..errors import ValidationException
from ..expressions import Projection
from ..limits import BATCH_GET_BYTES_MAX, BATCH_GET_KEYS_MAX
from ..storage.rows import find
from ..storage.store import Connection, Job
from ..tables import Table, present
from .get_item import read_projection, shown

if TYPE_CHECKING:
    from ..engine import Engine


class _Want(NamedTuple):
    """One key to read, and the part of the request it stands in."""

    table_name: str
    table: Table
    pk: bytes
    sk: bytes
    key: Attributes
    projection: Projection | None


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """Check the request; the job reads the items."""
    parts = {name: present(part) for name, part in request["RequestItems"].items()}
    _check_count(parts)
    wants = [want for name, part in parts.items() for want in _read_part(engine, name, part)]
    detail = request.get("ReturnConsumedCapacity", "NONE")

    def get(connection: Connection) -> dict[str, Any]:
        responses: dict[str, list[Any]] = {name: [] for name in parts}
        bills = {name: Bill(name, "Read") for name in parts}
        unprocessed: dict[str, dict[str, Any]] = {}
        total = 0
        for want in wants:
            name = want.table_name
            if total > BATCH_GET_BYTES_MAX:
                rest = unprocessed.setdefault(name, parts[name] | {"Keys": []})
                rest["Keys"].append(want.key)
                continue
            row = find(connection, want.table, want.pk, want.sk)
            size = 0 if row is None else row[0]
            total += size
            consistent = bool(parts[name].get("ConsistentRead"))
            bills[name].charge(read_units(size, consistent=consistent))
            if row is not None:
                responses[name].append(shown(row[1], want.projection))
        answer: dict[str, Any] = {"Responses": responses, "UnprocessedKeys": unprocessed}
        if detail != "NONE":
            answer["ConsumedCapacity"] = [bill.consumed(detail) for bill in bills.values()]
        return answer

    return get


def _check_count(parts: dict[str, dict[str, Any]]) -> None:
    count = sum(len(part["Keys"]) for part in parts.values())
    if count > BATCH_GET_KEYS_MAX:
        raise ValidationException("Too many items requested for the BatchGetItem call")


def _read_part(engine: Engine, name: str, part: dict[str, Any]) -> list[_Want]:
    projection = read_projection(part)
    keys = [check_attributes(key).attributes for key in part["Keys"]]
    table = engine.table(name)
    wants: dict[tuple[bytes, bytes], _Want] = {}
    for key in keys:
        pk, sk = table.request_key(key)
        if (pk, sk) in wants:
            raise ValidationException("Provided list of item keys contains duplicates")
        wants[pk, sk] = _Want(name, table, pk, sk, key, projection)
    return list(wants.values())
