"""DescribeTable."""

from __future__ import annotations

from tests.conformance.cases import (
    INVALID,
    NOT_FOUND,
    NOT_SERIALIZED,
    Case,
    Excluding,
    Source,
    any_order,
    including,
    on,
)
from tests.conformance.check import Tables, check
from tests.conformance.shapes import definitions, keys

case = Source("describe_table", "API_DescribeTable")

CREATE = {
    "TableName": "@new",
    "KeySchema": keys("pk"),
    "AttributeDefinitions": definitions(pk="S"),
    "BillingMode": "PAY_PER_REQUEST",
}

CASES = [
    case(
        "active",
        (
            "DescribeTable",
            on("@simple"),
            including(Table=including(TableName="@simple", TableStatus="ACTIVE")),
        ),
    ),
    case(
        "without_indexes",
        (
            "DescribeTable",
            on("@simple"),
            including(
                Table=Excluding(
                    (
                        "GlobalSecondaryIndexes",
                        "LocalSecondaryIndexes",
                        "StreamSpecification",
                        "LatestStreamArn",
                    )
                )
            ),
        ),
    ),
    case(
        "with_indexes",
        (
            "DescribeTable",
            on("@indexed"),
            including(
                Table=including(
                    GlobalSecondaryIndexes=any_order(
                        including(IndexName="all", Projection={"ProjectionType": "ALL"}),
                        including(IndexName="keys", Projection={"ProjectionType": "KEYS_ONLY"}),
                        including(
                            IndexName="some",
                            Projection={
                                "ProjectionType": "INCLUDE",
                                "NonKeyAttributes": any_order("a", "b"),
                            },
                        ),
                    ),
                    LocalSecondaryIndexes=any_order(
                        including(IndexName="local_all"),
                        including(IndexName="local_keys"),
                        including(IndexName="local_some"),
                    ),
                )
            ),
        ),
    ),
    case("no_such_table", ("DescribeTable", on("@new"), NOT_FOUND)),
    case("no_name", ("DescribeTable", {}, INVALID)),
    case("name_empty", ("DescribeTable", on(""), INVALID)),
    case("name_bad", ("DescribeTable", on("d e f"), INVALID)),
    case("name_a_list", ("DescribeTable", {"TableName": ["abc"]}, NOT_SERIALIZED)),
    case(
        "after_delete",
        ("DescribeTable", on("@new"), NOT_FOUND),
        given=[("CreateTable", CREATE), ("DeleteTable", on("@new"))],
    ),
]


def test_describe_table(tables: Tables, case: Case) -> None:
    """DescribeTable answers as DynamoDB does."""
    check(tables, case)
