"""A page of a query or scan: rows read up to a limit, filtered, projected, counted, billed."""

from __future__ import annotations

from typing import Any

import msgspec

from ..capacity import Bill, read_units
from ..errors import ValidationException
from ..expressions import Condition, Environment, Projection
from ..limits import PAGE_BYTES_MAX
from ..storage.rows import Range, decode, encode, find, read_range
from ..storage.store import Connection, snapshot
from ..tables import Index, Table
from .key_ranges import last_key

Request = dict[str, Any]


class PageRequest(msgspec.Struct, frozen=True):
    """What query and scan have in common, checked."""

    table: Table
    index: Index | None
    filter: Condition | None
    projection: Projection | None
    counts_only: bool
    # A local index lacks attributes that are asked for: each item is read from the table.
    fetches: bool
    limit: int | None
    consistent: bool
    detail: str
    table_name: str


def read_page_request(
    table: Table, index: Index | None, env: Environment, request: Request
) -> PageRequest:
    """Check the members that query and scan share."""
    consistent = bool(request.get("ConsistentRead"))
    if consistent and index is not None and index.is_global:
        raise ValidationException("Consistent reads are not supported on global secondary indexes")
    text = request.get("FilterExpression")
    condition = None if text is None else env.condition("FilterExpression", text)
    text = request.get("ProjectionExpression")
    projection = None if text is None else env.projection(text)
    select = _select(index, projection, request)
    return PageRequest(
        table=table,
        index=index,
        filter=condition,
        projection=projection,
        counts_only=select == "COUNT",
        fetches=_fetches(index, select, projection),
        limit=request.get("Limit"),
        consistent=consistent,
        detail=request.get("ReturnConsumedCapacity", "NONE"),
        table_name=request["TableName"],
    )


def _select(index: Index | None, projection: Projection | None, request: Request) -> str:
    select: str | None = request.get("Select")
    if select is None:
        if projection is not None:
            return "SPECIFIC_ATTRIBUTES"
        return "ALL_ATTRIBUTES" if index is None else "ALL_PROJECTED_ATTRIBUTES"
    if select == "ALL_PROJECTED_ATTRIBUTES" and index is None:
        raise ValidationException(
            "One or more parameter values were invalid: "
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        )
    if select == "SPECIFIC_ATTRIBUTES":
        if projection is None:
            raise ValidationException(
                "One or more parameter values were invalid: Must specify the AttributesToGet or "
                "ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
            )
    elif projection is not None:
        what = "only the Count" if select == "COUNT" else select
        raise ValidationException(
            f"Cannot specify the ProjectionExpression when choosing to get {what}"
        )
    return select


def _fetches(index: Index | None, select: str, projection: Projection | None) -> bool:
    """Whether an index must be completed from the table; a global one cannot be.

    Only what is to be returned counts: a filter sees what the index projects.
    """
    if index is None or index.projection == "ALL":
        return False
    wanted = set() if projection is None else projection.attribute_names()
    missing = wanted - index.projected
    if index.is_global:
        if select == "ALL_ATTRIBUTES":
            raise ValidationException(
                "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
                f"supported for global secondary index {index.name} because its projection type "
                "is not ALL"
            )
        if missing:
            raise ValidationException(
                "One or more parameter values were invalid: Global secondary index "
                f"{index.name} does not project [{', '.join(sorted(missing))}]"
            )
        return False
    return select == "ALL_ATTRIBUTES" or bool(missing)


def read_page(connection: Connection, stretch: Range, page: PageRequest) -> dict[str, Any]:
    """Read one page of the range and make the answer."""
    if page.fetches:
        # On one state: an entry's item must not go between the two reads.
        found, size, fetch_units = snapshot(
            connection, lambda: _read_fetching(connection, stretch, page)
        )
    else:
        rows, size = read_range(
            connection, stretch, "size, item", rows_max=page.limit, bytes_max=PAGE_BYTES_MAX
        )
        found, fetch_units = [raw for _, raw in rows], 0.0
    answer: dict[str, Any] = {}
    # The page ended for another reason than the range's end.
    if len(found) == page.limit or size > PAGE_BYTES_MAX:
        answer["LastEvaluatedKey"] = last_key(page.table, page.index, decode(found[-1]))
    matching = found
    if page.filter is not None or page.projection is not None:
        matching = _shape(found, page.filter, page.projection)
    answer["Count"] = len(matching)
    answer["ScannedCount"] = len(found)
    if not page.counts_only:
        answer["Items"] = msgspec.Raw(b"[" + b",".join(matching) + b"]")
    if page.detail != "NONE":
        answer["ConsumedCapacity"] = _consumed(page, size, fetch_units)
    return answer


def _read_fetching(
    connection: Connection, stretch: Range, page: PageRequest
) -> tuple[list[bytes], int, float]:
    """Entries of a local index, each completed from the table: items, entries' size, units."""
    rows, size = read_range(
        connection, stretch, "size, tpk, tsk", rows_max=page.limit, bytes_max=PAGE_BYTES_MAX
    )
    items: list[bytes] = []
    units = 0.0
    for _, tpk, tsk in rows:
        row = find(connection, page.table, tpk, tsk)
        assert row is not None
        items.append(row[1])
        units += read_units(row[0], consistent=page.consistent)
    return items, size, units


def _shape(
    found: list[bytes], condition: Condition | None, projection: Projection | None
) -> list[bytes]:
    shaped: list[bytes] = []
    for raw in found:
        item = decode(raw)
        if condition is not None and not condition.matches(item):
            continue
        shaped.append(raw if projection is None else encode(projection.pick(item)))
    return shaped


def _consumed(page: PageRequest, size: int, fetch_units: float) -> dict[str, Any]:
    bill = Bill(page.table_name, "Read")
    units = read_units(size, consistent=page.consistent)
    if page.index is None:
        bill.charge(units)
    else:
        bill.charge(fetch_units)
        bill.charge_index(page.index.name, units, is_global=page.index.is_global)
    return bill.consumed(page.detail)
