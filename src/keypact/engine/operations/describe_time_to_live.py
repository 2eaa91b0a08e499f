"""DescribeTimeToLive: whether items expire, and by which attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..storage.store import Job

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """Find the table; the job answers from its definition."""
    engine.catalog.refresh()
    name = engine.catalog.tables.described(request["TableName"]).ttl_attribute
    description = {"TimeToLiveStatus": "DISABLED" if name is None else "ENABLED"}
    if name is not None:
        description["AttributeName"] = name
    return lambda _connection: {"TimeToLiveDescription": description}
