"""DeleteItem: by key; deleting what is not there succeeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..attributes import check_attributes
from ..storage.store import Connection, Job
from ..tables import Table
from .changes import (
    Change,
    Request,
    Unplaced,
    condition,
    environment,
    refuse_return_values,
    returns_old_on_failure,
    run,
)

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: Request) -> Job:
    """Check the request; the job deletes the item."""
    refuse_return_values(request, "NONE", "ALL_OLD")
    change = read_delete(request)(engine.table(request["TableName"]))

    def delete(connection: Connection) -> dict[str, Any]:
        outcome, answer = run(connection, change, request)
        if outcome.old is not None and request.get("ReturnValues") == "ALL_OLD":
            answer["Attributes"] = outcome.old.attributes
        return answer

    return delete


def read_delete(request: Request) -> Unplaced:
    """A delete as a change."""
    env = environment(request)
    parsed = condition(env, request)
    env.finish()
    key = check_attributes(request["Key"]).attributes
    shows_old = returns_old_on_failure(request)

    def place(table: Table) -> Change:
        pk, sk = table.request_key(key)
        return Change(table, pk, sk, parsed, lambda _old: None, shows_old)

    return place
