"""ClientRequestToken."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    EMPTY,
    INVALID,
    NOT_SERIALIZED,
    Case,
    Json,
    N,
    S,
    Source,
    at,
    cancelled,
    error,
    put,
)
from tests.conformance.check import Tables, check

case = Source("idempotency", "API_TransactWriteItems")

A = {"pk": S("a")}


def adds(token: Any, amount: int = 1, **more: Any) -> tuple[str, Json]:
    update = at(
        "@simple",
        A,
        UpdateExpression="ADD n :n",
        ExpressionAttributeValues={":n": N(amount)},
    )
    request = {"TransactItems": [{"Update": update}], "ClientRequestToken": token, **more}
    return ("TransactWriteItems", request)


def holds(number: int) -> tuple[str, Json, Json]:
    return ("GetItem", at("@simple", A, ConsistentRead=True), {"Item": {**A, "n": N(number)}})


MISMATCH = error("IdempotentParameterMismatchException")

CASES = [
    case(
        "same_request_again_changes_nothing",
        (*adds("@token1"), EMPTY),
        (*adds("@token1"), EMPTY),
        (*adds("@token1"), EMPTY),
        holds(1),
    ),
    case("another_token", (*adds("@token2"), EMPTY), (*adds("@token3"), EMPTY), holds(2)),
    case(
        "another_request_under_the_token",
        (*adds("@token4"), EMPTY),
        (*adds("@token4", 5), MISMATCH),
        holds(1),
    ),
    case(
        "another_order_under_the_token",
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": put("@simple", {"pk": S("x")})},
                    {"Put": put("@simple", {"pk": S("y")})},
                ],
                "ClientRequestToken": "@token5",
            },
            EMPTY,
        ),
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": put("@simple", {"pk": S("y")})},
                    {"Put": put("@simple", {"pk": S("x")})},
                ],
                "ClientRequestToken": "@token5",
            },
            MISMATCH,
        ),
    ),
    case(
        "after_a_failure_the_token_is_free",
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {
                        "ConditionCheck": at(
                            "@simple", A, ConditionExpression="attribute_exists(pk)"
                        )
                    },
                ],
                "ClientRequestToken": "@token6",
            },
            cancelled("ConditionalCheckFailed"),
        ),
        (*adds("@token6"), EMPTY),
        holds(1),
        source="majority",
    ),
    case(
        "again_after_the_item_has_changed",
        (*adds("@token7"), EMPTY),
        ("PutItem", put("@simple", {**A, "n": N(50)}), EMPTY),
        (*adds("@token7"), EMPTY),
        holds(50),
    ),
    case(
        "again_costs_reads",
        (
            *adds("@token8", ReturnConsumedCapacity="TOTAL"),
            {
                "ConsumedCapacity": [
                    {"TableName": "@simple", "CapacityUnits": 2, "WriteCapacityUnits": 2}
                ]
            },
        ),
        (
            *adds("@token8", ReturnConsumedCapacity="TOTAL"),
            {
                "ConsumedCapacity": [
                    {"TableName": "@simple", "CapacityUnits": 2, "ReadCapacityUnits": 2}
                ]
            },
        ),
    ),
    case(
        "without_token_happens_twice",
        *(("TransactWriteItems", {"TransactItems": adds("")[1]["TransactItems"]}, EMPTY),) * 2,
        holds(2),
    ),
    case("token_empty", (*adds(""), INVALID)),
    case("token_too_long", (*adds("x" * 37), INVALID)),
    case("token_longest", (*adds("@token1"), EMPTY)),
    case("token_a_number", (*adds(5), NOT_SERIALIZED)),
]


def test_idempotency(tables: Tables, case: Case) -> None:
    """A token makes a transaction happen once."""
    check(tables, case)
