"""Scan: every item of a table or index, in the order of their partitions' hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..attributes import check_attributes
from ..errors import ValidationException
from ..ordering import segment_bounds
from ..storage.rows import Range
from ..storage.store import Connection, Job
from ..tables import Index, Table
from .changes import environment
from .key_ranges import INDEX_ORDER, read_start_key
from .pages import read_page, read_page_request

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """Check the request; the job reads a page."""
    segment = _read_segment(request)
    env = environment(request)
    table = engine.table(request["TableName"])
    name = request.get("IndexName")
    index = None if name is None else table.index(name)
    page = read_page_request(table, index, env, request)
    env.finish()
    stretch = _range(table, index, request, segment)

    def scan(connection: Connection) -> dict[str, Any]:
        return read_page(connection, stretch, page)

    return scan


def _read_segment(request: dict[str, Any]) -> tuple[int, int] | None:
    segment, total = request.get("Segment"), request.get("TotalSegments")
    if segment is None and total is None:
        return None
    if total is None:
        raise ValidationException(
            "The TotalSegments parameter is required but was not present in the request "
            "when Segment parameter is present"
        )
    if segment is None:
        raise ValidationException(
            "The Segment parameter is required but was not present in the request "
            "when parameter TotalSegments is present"
        )
    if segment >= total:
        raise ValidationException(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {total}"
        )
    return segment, total


def _range(
    table: Table,
    index: Index | None,
    request: dict[str, Any],
    segment: tuple[int, int] | None,
) -> Range:
    where: list[str] = []
    parameters: list[object] = []
    low, high = (b"", None) if segment is None else segment_bounds(*segment)
    key = request.get("ExclusiveStartKey")
    if key is not None:
        start = read_start_key(table, index, check_attributes(key).attributes)
        if segment is not None and (start.pk < low or (high is not None and start.pk >= high)):
            raise ValidationException(
                "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
                f"ExclusiveStartKey with correct Segment. TotalSegments: {segment[1]} "
                f"Segment: {segment[0]}"
            )
        columns, marks = (
            ("(pk, sk)", "(?, ?)") if index is None else (f"({INDEX_ORDER})", "(?, ?, ?, ?)")
        )
        where.append(f"{columns} > {marks}")
        parameters += [start.pk, *start.rest]
    elif low:
        where.append("pk >= ?")
        parameters.append(low)
    if high is not None:
        where.append("pk < ?")
        parameters.append(high)
    return Range(
        table.tree if index is None else index.tree,
        " AND ".join(where),
        tuple(parameters),
        "pk, sk" if index is None else INDEX_ORDER,
    )
