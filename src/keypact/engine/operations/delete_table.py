"""DeleteTable: the table and everything in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ValidationException
from ..storage.catalog import remove_table
from ..storage.store import Connection, Job
from .describe_table import describe

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """Find the table; the job removes it."""
    table = engine.catalog.tables.described(request["TableName"])
    if table.definition.get("DeletionProtectionEnabled"):
        raise ValidationException(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )

    def delete(connection: Connection) -> dict[str, Any]:
        description = describe(engine, connection, table, status="DELETING")
        remove_table(connection, table)
        return {"TableDescription": description}

    return delete
