"""A good request for every operation, and ways to spoil one."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]

KEY: Json = {"pk": {"S": "a"}, "sk": {"N": "1"}}
NAMES: Json = {"#a": "name"}
VALUES: Json = {":v": {"S": "x"}}
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/orders"
CONDITIONS: Json = {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]}}
INDEX: Json = {
    "IndexName": "by-owner",
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["b"]},
    "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
}
WRITE: Json = {
    "TableName": "orders",
    "ConditionExpression": "#a = :v",
    "ExpressionAttributeNames": NAMES,
    "ExpressionAttributeValues": VALUES,
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
}
RETURNS: Json = {
    "ReturnValues": "NONE",
    "ReturnConsumedCapacity": "TOTAL",
    "ReturnItemCollectionMetrics": "SIZE",
}
OLDER_WRITE: Json = {
    "Expected": {"a": {"Value": {"S": "x"}, "Exists": True}},
    "ConditionalOperator": "AND",
}

# One good request an operation, with nearly every member DynamoDB knows.
GOOD: dict[str, Json] = {
    "BatchExecuteStatement": {
        "Statements": [{"Statement": "SELECT * FROM orders", "Parameters": [{"S": "x"}]}]
    },
    "BatchGetItem": {
        "RequestItems": {
            "orders": {
                "Keys": [KEY],
                "AttributesToGet": ["a"],
                "ConsistentRead": True,
                "ProjectionExpression": "#a",
                "ExpressionAttributeNames": NAMES,
            }
        },
        "ReturnConsumedCapacity": "INDEXES",
    },
    "BatchWriteItem": {
        "RequestItems": {
            "orders": [{"PutRequest": {"Item": KEY}}, {"DeleteRequest": {"Key": KEY}}],
        },
        "ReturnConsumedCapacity": "NONE",
    },
    "CreateTable": {
        "TableName": "orders",
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [INDEX],
        "LocalSecondaryIndexes": [INDEX],
        "BillingMode": "PAY_PER_REQUEST",
        "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        "SSESpecification": {"Enabled": False},
        "Tags": [{"Key": "team", "Value": ""}],
        "TableClass": "STANDARD",
        "DeletionProtectionEnabled": False,
    },
    "DeleteItem": {"Key": KEY} | WRITE | RETURNS | OLDER_WRITE,
    "DeleteTable": {"TableName": "orders"},
    "DescribeContinuousBackups": {"TableName": "orders"},
    "DescribeEndpoints": {},
    "DescribeLimits": {},
    "DescribeTable": {"TableName": "orders"},
    "DescribeTimeToLive": {"TableName": "orders"},
    "ExecuteStatement": {"Statement": "SELECT * FROM orders", "Limit": 1, "NextToken": "x"},
    "ExecuteTransaction": {
        "TransactStatements": [{"Statement": "SELECT * FROM orders"}],
        "ClientRequestToken": "x",
    },
    "GetItem": {
        "TableName": "orders",
        "Key": KEY,
        "AttributesToGet": ["a"],
        "ConsistentRead": False,
        "ReturnConsumedCapacity": "TOTAL",
        "ProjectionExpression": "#a, b.c[0]",
        "ExpressionAttributeNames": NAMES,
    },
    "ListTables": {"ExclusiveStartTableName": "orders", "Limit": 100},
    "ListTagsOfResource": {"ResourceArn": ARN},
    "PutItem": {"Item": KEY} | WRITE | RETURNS | OLDER_WRITE,
    "Query": {
        "TableName": "orders",
        "IndexName": "by-owner",
        "Select": "COUNT",
        "Limit": 25,
        "ConsistentRead": True,
        "KeyConditions": CONDITIONS,
        "QueryFilter": CONDITIONS,
        "ScanIndexForward": False,
        "ExclusiveStartKey": KEY,
        "FilterExpression": "#a = :v",
        "KeyConditionExpression": "pk = :v",
        "ExpressionAttributeNames": NAMES,
        "ExpressionAttributeValues": VALUES,
    },
    "Scan": {
        "TableName": "orders",
        "Select": "ALL_ATTRIBUTES",
        "ScanFilter": CONDITIONS,
        "TotalSegments": 1_000_000,
        "Segment": 999_999,
        "ExclusiveStartKey": KEY,
    },
    "TagResource": {"ResourceArn": ARN, "Tags": [{"Key": "team", "Value": "x"}]},
    "TransactGetItems": {"TransactItems": [{"Get": {"TableName": "orders", "Key": KEY}}]},
    "TransactWriteItems": {
        "TransactItems": [
            {"Put": {"Item": KEY} | WRITE},
            {"Delete": {"Key": KEY} | WRITE},
            {"Update": {"Key": KEY, "UpdateExpression": "SET #a = :v"} | WRITE},
            {"ConditionCheck": {"Key": KEY} | WRITE},
        ],
        "ClientRequestToken": "x",
    },
    "UntagResource": {"ResourceArn": ARN, "TagKeys": ["team"]},
    "UpdateContinuousBackups": {
        "TableName": "orders",
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    },
    "UpdateItem": {
        "Key": KEY,
        "UpdateExpression": "SET #a = :v",
        "AttributeUpdates": {"a": {"Value": {"S": "x"}, "Action": "PUT"}},
    }
    | WRITE
    | RETURNS,
    "UpdateTable": {
        "TableName": "orders",
        "BillingMode": "PROVISIONED",
        "GlobalSecondaryIndexUpdates": [{"Create": INDEX}, {"Delete": {"IndexName": "by-owner"}}],
    },
    "UpdateTimeToLive": {
        "TableName": "orders",
        "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"},
    },
}

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.sampled_from(["", "ab", "orders", "ALL_NEW", "x" * 256, "a\n", "\ud800", ARN]),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


def places(value: object) -> list[tuple[Any, Any]]:
    """Every container in a value, with each of its keys or positions."""
    found: list[tuple[Any, Any]]
    if isinstance(value, dict):
        found = [(value, key) for key in value]
    elif isinstance(value, list):
        found = [(value, position) for position in range(len(value))]
    else:
        return []
    return found + [place for container, key in found for place in places(container[key])]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, Any]:
    """An operation, and a good request for it changed in up to three places."""
    operation = draw(st.sampled_from(sorted(GOOD)))
    request = copy.deepcopy(GOOD[operation])
    for _ in range(draw(st.integers(0, 3))):
        found = places(request)
        if not found:
            break
        container, key = draw(st.sampled_from(found))
        match draw(st.sampled_from(["replace", "remove", "repeat", "rename"])):
            case "replace":
                container[key] = draw(ANYTHING)
            case "remove":
                del container[key]
            case "repeat" if isinstance(container, list):
                container.extend([container[key]] * draw(st.sampled_from([1, 24, 100])))
            case _ if isinstance(container, dict):
                container[draw(st.text(max_size=4))] = container.pop(key)
    return operation, request
