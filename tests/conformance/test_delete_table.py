"""DeleteTable."""

from __future__ import annotations

from tests.conformance.cases import (
    ANYTHING,
    EMPTY,
    INVALID,
    NOT_FOUND,
    B,
    Case,
    N,
    S,
    Source,
    at,
    heap,
    including,
    on,
    put,
    puts,
)
from tests.conformance.check import Tables, check
from tests.conformance.shapes import definitions, keys

case = Source("delete_table", "API_DeleteTable")

CREATE = {
    "TableName": "@new",
    "KeySchema": keys("pk"),
    "AttributeDefinitions": definitions(pk="S"),
    "BillingMode": "PAY_PER_REQUEST",
}
PK = {"pk": S("a")}

CASES = [
    case(
        "present",
        (
            "DeleteTable",
            on("@new"),
            including(TableDescription=including(TableName="@new", TableStatus="DELETING")),
        ),
        ("DescribeTable", on("@new"), NOT_FOUND),
        ("GetItem", at("@new", PK), NOT_FOUND),
        ("PutItem", put("@new", PK), NOT_FOUND),
        ("Scan", on("@new"), NOT_FOUND),
        ("DeleteTable", on("@new"), NOT_FOUND),
        given=[("CreateTable", CREATE), *puts("@new", PK)],
    ),
    case(
        "created_again_it_is_empty",
        ("CreateTable", CREATE, ANYTHING),
        ("Scan", on("@new"), heap()),
        ("GetItem", at("@new", PK), EMPTY),
        given=[("CreateTable", CREATE), *puts("@new", PK), ("DeleteTable", on("@new"))],
    ),
    case(
        "created_again_with_other_keys",
        (
            "CreateTable",
            {
                **CREATE,
                "KeySchema": keys("n", "m"),
                "AttributeDefinitions": definitions(n="N", m="B"),
            },
            ANYTHING,
        ),
        ("PutItem", put("@new", {"n": N(1), "m": B(b"x")}), EMPTY),
        ("PutItem", put("@new", PK), INVALID),
        given=[("CreateTable", CREATE), *puts("@new", PK), ("DeleteTable", on("@new"))],
    ),
    case("no_such_table", ("DeleteTable", on("@new"), NOT_FOUND)),
    case("no_name", ("DeleteTable", {}, INVALID)),
    case("name_bad", ("DeleteTable", on("a/b/c"), INVALID)),
    case(
        "other_tables_stay",
        ("GetItem", at("@simple", PK), {"Item": PK}),
        given=[
            *puts("@simple", PK),
            ("CreateTable", CREATE),
            *puts("@new", PK),
            ("DeleteTable", on("@new")),
        ],
    ),
]


def test_delete_table(tables: Tables, case: Case) -> None:
    """DeleteTable answers as DynamoDB does."""
    check(tables, case)
