"""DescribeTable: the definition as it stands, with counts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ..storage.rows import count_tree
from ..storage.store import Connection, Job
from ..tables import Definition, Table

if TYPE_CHECKING:
    from ..engine import Engine

# A count that took so long is kept for a hundred times as long: small tables are counted
# anew each time, large ones cost at most a hundredth of the time. DynamoDB's own counts
# are up to six hours old.
COUNT_KEPT_FACTOR = 100
COUNT_FREE_SECONDS = 0.01


class Counts:
    """Rows and bytes of trees, counted when asked for and kept a while."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, tuple[int, int]]] = {}

    def of(self, connection: Connection, tree: str) -> tuple[int, int]:
        """Number of rows and their bytes."""
        now = time.monotonic()
        until, counted = self._kept.get(tree, (0.0, (0, 0)))
        if now < until:
            return counted
        counted = count_tree(connection, tree)
        took_seconds = time.monotonic() - now
        if took_seconds > COUNT_FREE_SECONDS:
            self._kept[tree] = (now + took_seconds * COUNT_KEPT_FACTOR, counted)
        return counted


def prepare(engine: Engine, request: dict[str, Any]) -> Job:
    """Find the table; the job describes it."""
    engine.catalog.refresh()
    table = engine.catalog.tables.described(request["TableName"])

    def describe_it(connection: Connection) -> dict[str, Any]:
        return {"Table": describe(engine, connection, table)}

    return describe_it


def describe(
    engine: Engine, connection: Connection, table: Table, *, status: str = "ACTIVE"
) -> dict[str, Any]:
    """The table's description as DynamoDB gives it."""
    definition = table.definition
    arn = f"arn:aws:dynamodb:{engine.region}:000000000000:table/{table.name}"
    count, size = engine.counts.of(connection, table.tree)
    description: dict[str, Any] = {
        "AttributeDefinitions": definition["AttributeDefinitions"],
        "TableName": table.name,
        "KeySchema": definition["KeySchema"],
        "TableStatus": status,
        "CreationDateTime": definition["CreationDateTime"],
        "ProvisionedThroughput": _throughput(definition),
        "TableSizeBytes": size,
        "ItemCount": count,
        "TableArn": arn,
        "TableId": definition["TableId"],
        "DeletionProtectionEnabled": bool(definition.get("DeletionProtectionEnabled")),
    }
    if definition.get("BillingMode") == "PAY_PER_REQUEST":
        description["BillingModeSummary"] = {
            "BillingMode": "PAY_PER_REQUEST",
            "LastUpdateToPayPerRequestDateTime": definition["CreationDateTime"],
        }
    if "OnDemandThroughput" in definition:
        description["OnDemandThroughput"] = definition["OnDemandThroughput"]
    if "TableClass" in definition:
        description["TableClassSummary"] = {"TableClass": definition["TableClass"]}
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if member in definition:
            description[member] = [
                _describe_index(engine, connection, table, member, index, arn, status)
                for index in definition[member]
            ]
    return description


def _describe_index(
    engine: Engine,
    connection: Connection,
    table: Table,
    member: str,
    index: Definition,
    arn: str,
    status: str,
) -> dict[str, Any]:
    count, size = engine.counts.of(connection, table.indexes[index["IndexName"]].tree)
    description: dict[str, Any] = {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "IndexSizeBytes": size,
        "ItemCount": count,
        "IndexArn": f"{arn}/index/{index['IndexName']}",
    }
    if member == "GlobalSecondaryIndexes":
        description["IndexStatus"] = status
        description["ProvisionedThroughput"] = _throughput(index)
    return description


def _throughput(definition: Definition) -> dict[str, Any]:
    given = definition.get("ProvisionedThroughput") or {}
    return {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": given.get("ReadCapacityUnits", 0),
        "WriteCapacityUnits": given.get("WriteCapacityUnits", 0),
    }
