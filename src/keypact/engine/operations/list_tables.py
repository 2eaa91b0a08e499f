"""ListTables: names in order, a hundred at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..limits import LIST_TABLES_LIMIT_MAX
from ..storage.store import Connection, Job

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """The job lists what follows the start name."""
    start = request.get("ExclusiveStartTableName") or ""
    limit = request.get("Limit") or LIST_TABLES_LIMIT_MAX

    def list_names(connection: Connection) -> dict[str, Any]:
        engine.catalog.refresh_on(connection)
        names = sorted(name for name in engine.catalog.tables.by_name if name > start)
        answer: dict[str, Any] = {"TableNames": names[:limit]}
        if len(names) > limit:
            answer["LastEvaluatedTableName"] = names[limit - 1]
        return answer

    return list_names
