"""UpdateTimeToLive: names the attribute that says when items expire, or forgets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ValidationException
from ..storage.catalog import redefine_table
from ..storage.store import Connection, Job

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """Check against what is set; the job changes it."""
    table = engine.catalog.tables.described(request["TableName"])
    specification = request["TimeToLiveSpecification"]
    name: str = specification["AttributeName"]
    current = table.ttl_attribute
    if specification["Enabled"]:
        if current is not None:
            raise ValidationException(
                "TimeToLive is already enabled"
                if current == name
                else "TimeToLive is active on a different AttributeName: "
                f"current AttributeName is {current}"
            )
        # The reaper notes the expiry of items that are already there.
        definition = table.definition | {"TimeToLive": name, "TimeToLiveUnread": True}
    else:
        if current is None:
            raise ValidationException("TimeToLive is already disabled")
        if current != name:
            raise ValidationException(
                "TimeToLive is active on a different AttributeName: "
                f"current AttributeName is {current}"
            )
        definition = {
            key: value
            for key, value in table.definition.items()
            if key not in ("TimeToLive", "TimeToLiveUnread")
        }

    def update(connection: Connection) -> dict[str, Any]:
        redefine_table(connection, table, definition)
        return {"TimeToLiveSpecification": specification}

    return update
