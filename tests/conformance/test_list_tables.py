"""ListTables."""

from __future__ import annotations

from tests.conformance.cases import (
    ANYTHING,
    INVALID,
    NOT_SERIALIZED,
    Case,
    Json,
    Source,
    including,
    on,
)
from tests.conformance.check import Tables, check
from tests.conformance.shapes import definitions, keys

case = Source("list_tables", "API_ListTables")


def create(name: str) -> tuple[str, Json]:
    return (
        "CreateTable",
        {
            "TableName": name,
            "KeySchema": keys("pk"),
            "AttributeDefinitions": definitions(pk="S"),
            "BillingMode": "PAY_PER_REQUEST",
        },
    )


THREE = [create("@new3"), create("@new1"), create("@new2")]

CASES = [
    case(
        "next_in_order",
        (
            "ListTables",
            {"ExclusiveStartTableName": "@new1", "Limit": 1},
            {"TableNames": ["@new2"], "LastEvaluatedTableName": "@new2"},
        ),
        (
            "ListTables",
            {"ExclusiveStartTableName": "@new2", "Limit": 1},
            including(TableNames=["@new3"]),
        ),
        given=THREE,
    ),
    case(
        "two_at_once",
        (
            "ListTables",
            {"ExclusiveStartTableName": "@new1", "Limit": 2},
            including(TableNames=["@new2", "@new3"]),
        ),
        given=THREE,
    ),
    case(
        "start_need_not_be_there",
        (
            "ListTables",
            {"ExclusiveStartTableName": "@new1", "Limit": 1},
            including(TableNames=["@new2"]),
        ),
        given=[create("@new2")],
    ),
    case(
        "after_the_last",
        ("ListTables", {"ExclusiveStartTableName": "zzzzzzzz"}, {"TableNames": []}),
    ),
    case(
        "deleted_are_left_out",
        (
            "ListTables",
            {"ExclusiveStartTableName": "@new1", "Limit": 1},
            including(TableNames=["@new3"]),
        ),
        given=[*THREE, ("DeleteTable", on("@new2"))],
    ),
    case("limit_one", ("ListTables", {"Limit": 1}, including(TableNames=ANYTHING))),
    case("limit_hundred", ("ListTables", {"Limit": 100}, including(TableNames=ANYTHING))),
    case("limit_zero", ("ListTables", {"Limit": 0}, INVALID)),
    case("limit_negative", ("ListTables", {"Limit": -1}, INVALID)),
    case("limit_too_many", ("ListTables", {"Limit": 101}, INVALID)),
    case("limit_as_text", ("ListTables", {"Limit": "one"}, NOT_SERIALIZED)),
    case("start_too_short", ("ListTables", {"ExclusiveStartTableName": "ab"}, INVALID)),
    case("start_bad", ("ListTables", {"ExclusiveStartTableName": "a b c"}, INVALID)),
    case("start_too_long", ("ListTables", {"ExclusiveStartTableName": "x" * 256}, INVALID)),
]


def test_list_tables(tables: Tables, case: Case) -> None:
    """ListTables answers as DynamoDB does, in order of names."""
    check(tables, case)
