"""Distil DynamoDB's request shapes from botocore's service model.

Run from the root of the repository after a new botocore: ``python -m tools.shapes``.
It rewrites ``src/keypact/engine/shapes.json``, which the engine checks requests against;
the engine itself does not need botocore.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SHAPES = Path(__file__).parents[1] / "src" / "keypact" / "engine" / "shapes.json"

OPERATIONS = (
    "BatchExecuteStatement",
    "BatchGetItem",
    "BatchWriteItem",
    "CreateTable",
    "DeleteItem",
    "DeleteTable",
    "DescribeContinuousBackups",
    "DescribeEndpoints",
    "DescribeLimits",
    "DescribeTable",
    "DescribeTimeToLive",
    "ExecuteStatement",
    "ExecuteTransaction",
    "GetItem",
    "ListTables",
    "ListTagsOfResource",
    "PutItem",
    "Query",
    "Scan",
    "TagResource",
    "TransactGetItems",
    "TransactWriteItems",
    "UntagResource",
    "UpdateContinuousBackups",
    "UpdateItem",
    "UpdateTable",
    "UpdateTimeToLive",
)

# The model names fewer bounds than the service keeps. Each change has its source.
NAME = "[a-zA-Z0-9_.-]+"
CHANGES: dict[str, dict[str, Any]] = {
    # Where the model says TableArn, a name is as welcome. The developer guide ("Naming
    # rules") gives names their pattern and 255 characters; dynoxide and ministack let one
    # or two characters through to ResourceNotFoundException, as the model's minimum does.
    "TableArn": {"min": 1, "max": 255, "pattern": NAME, "arn_max": 1024},
    # In the maps of batches, dynalite and ministack refuse one or two characters.
    "LongTableArn": {"kind": "string", "min": 3, "max": 255, "pattern": NAME, "arn_max": 1024},
    "BatchGetRequestMap": {"key": "LongTableArn"},
    "BatchWriteItemRequestMap": {"key": "LongTableArn"},
    # The model does not require these since a replica in another account takes them from
    # its source; dynalite and dynoxide do require them.
    "CreateTableInput": {
        "required": ["AttributeDefinitions", "KeySchema", "TableName"],
        "name_first": "present",
    },
}
# Operations on tables look at the name before all else: dynalite and dynoxide.
for _operation in (
    "DeleteTable",
    "DescribeContinuousBackups",
    "DescribeTable",
    "DescribeTimeToLive",
    "UpdateContinuousBackups",
    "UpdateTable",
    "UpdateTimeToLive",
):
    CHANGES[f"{_operation}Input"] = {"name_first": "length"}
MEMBER_CHANGES = {
    (name, "TableName"): "LongTableArn"
    for name, change in CHANGES.items()
    if change.get("name_first") == "length"
}
# A table is made by name, not by ARN.
MEMBER_CHANGES["CreateTableInput", "TableName"] = "TableName"

# The service tells violations in an order of its own, and so its sets of values; this is
# what dynalite answers. Members that are not listed follow in the model's order.
TOLD_FIRST: dict[str, tuple[str, ...]] = {
    "BatchGetItemInput": ("ReturnConsumedCapacity", "RequestItems"),
    "BatchWriteItemInput": (
        "ReturnConsumedCapacity",
        "ReturnItemCollectionMetrics",
        "RequestItems",
    ),
    "CreateGlobalSecondaryIndexAction": (
        "Projection",
        "IndexName",
        "ProvisionedThroughput",
        "KeySchema",
    ),
    "CreateTableInput": (
        "AttributeDefinitions",
        "TableName",
        "BillingMode",
        "ProvisionedThroughput",
        "KeySchema",
        "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
    ),
    "DeleteItemInput": (
        "ReturnConsumedCapacity",
        "TableName",
        "ReturnValues",
        "ReturnItemCollectionMetrics",
        "Key",
        "ConditionalOperator",
        "Expected",
    ),
    "GetItemInput": ("ReturnConsumedCapacity", "AttributesToGet", "TableName", "Key"),
    "ListTablesInput": ("Limit", "ExclusiveStartTableName"),
    "ProvisionedThroughput": ("WriteCapacityUnits", "ReadCapacityUnits"),
    "PutItemInput": (
        "ReturnConsumedCapacity",
        "TableName",
        "Item",
        "ConditionalOperator",
        "Expected",
        "ReturnValues",
        "ReturnItemCollectionMetrics",
    ),
    "QueryInput": (
        "Select",
        "IndexName",
        "ReturnConsumedCapacity",
        "QueryFilter",
        "TableName",
        "ConditionalOperator",
        "AttributesToGet",
        "Limit",
        "KeyConditions",
    ),
    "ScanInput": (
        "Select",
        "IndexName",
        "TotalSegments",
        "ReturnConsumedCapacity",
        "TableName",
        "ConditionalOperator",
        "ScanFilter",
        "Segment",
        "Limit",
        "AttributesToGet",
    ),
    "UpdateItemInput": (
        "ReturnConsumedCapacity",
        "TableName",
        "ReturnItemCollectionMetrics",
        "ReturnValues",
        "Key",
        "ConditionalOperator",
        "Expected",
    ),
    "UpdateTableInput": ("TableName", "ProvisionedThroughput", "BillingMode"),
    "WriteRequest": ("DeleteRequest", "PutRequest"),
}
ENUM_ORDER: dict[str, tuple[str, ...]] = {
    "ComparisonOperator": (
        *("IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT"),
        *("NOT_NULL", "NE", "LE", "BEGINS_WITH", "GE", "CONTAINS"),
    ),
    "ConditionalOperator": ("OR", "AND"),
    "ProjectionType": ("ALL", "INCLUDE", "KEYS_ONLY"),
    "ReturnValue": ("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"),
    "ScalarAttributeType": ("B", "N", "S"),
    "Select": ("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
}


def service_model() -> dict[str, Any]:
    """DynamoDB's service model, from the botocore that is installed."""
    from botocore.loaders import Loader

    model: dict[str, Any] = Loader().load_service_model("dynamodb", "service-2", "2012-08-10")
    return model


def distil(model: dict[str, Any]) -> str:
    """The text of shapes.json for a service model."""
    inputs = {name: model["operations"][name]["input"]["shape"] for name in OPERATIONS}
    shapes: dict[str, dict[str, Any]] = {}
    waiting = list(inputs.values())
    while waiting:
        name = waiting.pop()
        if name not in shapes:
            shapes[name] = _shape(name, model["shapes"].get(name, {}))
            waiting += _named_in(shapes[name])
    # One line a shape: small, and a change reads well in a diff.
    lines = [f'"{name}": {json.dumps(shapes[name])}' for name in sorted(shapes)]
    body = ",\n".join(lines)
    return f'{{"operations": {json.dumps(inputs, indent=0)},\n"shapes": {{\n{body}\n}}}}\n'


def _shape(name: str, model: dict[str, Any]) -> dict[str, Any]:
    if name == "AttributeValue":
        # Its contents are checked where values are read.
        return {"kind": "attribute"}
    shape: dict[str, Any] = {}
    if model:
        shape["kind"] = model["type"]
    if "members" in model:
        shape["members"] = {
            member: MEMBER_CHANGES.get((name, member), target["shape"])
            for member, target in model["members"].items()
        }
    if model.get("required"):
        shape["required"] = model["required"]
    if name in TOLD_FIRST:
        first = TOLD_FIRST[name]
        rest = (member for member in shape["members"] if member not in first)
        shape["told"] = [*first, *rest]
    if "member" in model:
        shape["element"] = model["member"]["shape"]
    if "value" in model:
        shape["key"] = model["key"]["shape"]
        shape["element"] = model["value"]["shape"]
    for bound in ("min", "max", "pattern"):
        if bound in model:
            shape[bound] = model[bound]
    if "enum" in model:
        order = ENUM_ORDER.get(name, ())
        shape["enum"] = [*order, *(value for value in model["enum"] if value not in order)]
    return shape | CHANGES.get(name, {})


def _named_in(shape: dict[str, Any]) -> list[str]:
    named = [*shape.get("members", {}).values()]
    named += [shape[role] for role in ("key", "element") if role in shape]
    return named


if __name__ == "__main__":
    SHAPES.write_text(distil(service_model()))
