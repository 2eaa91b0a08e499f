"""Query: the items of one partition, in sort key order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..attributes import AttributeValue, check_attributes
from ..errors import ValidationException
from ..expressions import KeyCondition
from ..limits import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from ..ordering import join_parts, partition_bytes
from ..storage.store import Connection, Job
from ..tables import Index, Table, check_key
from .changes import environment
from .key_ranges import (
    EVERYTHING,
    Bounds,
    StartKey,
    part_bytes,
    query_range,
    read_start_key,
    sort_bounds,
)
from .pages import read_page, read_page_request

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """Check the request; the job reads a page."""
    text = request.get("KeyConditionExpression")
    if text is None:
        raise ValidationException(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified "
            "in the request."
        )
    env = environment(request)
    keys = env.key_condition(text)
    table = engine.table(request["TableName"])
    name = request.get("IndexName")
    index = None if name is None else table.index(name)
    page = read_page_request(table, index, env, request)
    env.finish()
    pk, bounds = _resolve(table, index, keys)
    if page.filter is not None:
        _refuse_key_filter(table, index, page.filter.attribute_names())
    start = _read_start(table, index, request, pk, bounds)
    stretch = query_range(
        table.tree if index is None else index.tree,
        pk,
        bounds,
        start,
        indexed=index is not None,
        forward=request.get("ScanIndexForward") is not False,
    )

    def query(connection: Connection) -> dict[str, Any]:
        return read_page(connection, stretch, page)

    return query


def _resolve(table: Table, index: Index | None, keys: KeyCondition) -> tuple[bytes, Bounds]:
    """The partition and the stretch of sort keys that a key condition means."""
    schema = table.keys if index is None else index.keys
    partition, equal, compared = keys.resolve(schema.partition, schema.sort, table.types)
    parts = [
        _operand(table, name, value, PARTITION_KEY_BYTES_MAX)
        for name, value in zip(schema.partition, partition, strict=True)
    ]
    pk = partition_bytes(join_parts(parts))
    if not equal and compared is None:
        return pk, EVERYTHING
    sort = [
        _operand(table, name, value, SORT_KEY_BYTES_MAX)
        for name, value in zip(schema.sort, equal, strict=False)
    ]
    operator, operands = None, []
    if compared is not None:
        operator = compared.operator
        operands = [part_bytes(table, compared.name, value) for value in compared.values]
    return pk, sort_bounds(sort, operator, operands, len(schema.sort))


def _operand(table: Table, name: str, value: AttributeValue, bytes_max: int) -> bytes:
    encoded = part_bytes(table, name, value)
    check_key(name, table.types[name], encoded, bytes_max)
    return encoded


def _read_start(
    table: Table, index: Index | None, request: dict[str, Any], pk: bytes, bounds: Bounds
) -> StartKey | None:
    key = request.get("ExclusiveStartKey")
    if key is None:
        return None
    start = read_start_key(table, index, check_attributes(key).attributes)
    if start.pk != pk or not bounds.holds(start.rest[0]):
        raise ValidationException(
            "The provided starting key is outside query boundaries based on provided conditions"
        )
    return start


def _refuse_key_filter(table: Table, index: Index | None, names: set[str]) -> None:
    keys = table.keys if index is None else index.keys
    for name in keys.names:
        if name in names:
            raise ValidationException(
                "Filter Expression can only contain non-primary key attributes: "
                f"Primary key attribute: {name}"
            )
