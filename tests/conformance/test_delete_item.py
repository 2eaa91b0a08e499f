"""DeleteItem."""

from __future__ import annotations

from tests.conformance.cases import (
    CONDITION_FAILED,
    EMPTY,
    INVALID,
    NOT_FOUND,
    Case,
    N,
    S,
    Source,
    at,
    error,
    heap,
    on,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("delete_item", "API_DeleteItem")

PK = {"pk": S("a")}
ITEM = {**PK, "n": N(1), "s": S("x")}
HERE = puts("@simple", ITEM)

CASES = [
    case(
        "present",
        ("DeleteItem", at("@simple", PK), EMPTY),
        ("GetItem", at("@simple", PK), EMPTY),
        given=HERE,
    ),
    case("absent", ("DeleteItem", at("@simple", PK), EMPTY)),
    case(
        "only_that_item",
        ("DeleteItem", at("@sorted", {**PK, "sk": S("1")}), EMPTY),
        ("Scan", on("@sorted"), heap({**PK, "sk": S("2")})),
        given=puts("@sorted", {**PK, "sk": S("1")}, {**PK, "sk": S("2")}),
    ),
    case("no_such_table", ("DeleteItem", at("@new", PK), NOT_FOUND)),
    case("no_key", ("DeleteItem", on("@simple"), INVALID)),
    case("empty_key", ("DeleteItem", at("@simple", {}), INVALID)),
    case("key_of_wrong_type", ("DeleteItem", at("@simple", {"pk": N(1)}), INVALID)),
    case("key_with_another_attribute", ("DeleteItem", at("@simple", ITEM), INVALID)),
    case("sort_key_missing", ("DeleteItem", at("@sorted", PK), INVALID)),
    case("key_is_empty_text", ("DeleteItem", at("@simple", {"pk": S("")}), INVALID)),
    case(
        "condition_true",
        (
            "DeleteItem",
            at(
                "@simple",
                PK,
                ConditionExpression="n = :one",
                ExpressionAttributeValues={":one": N(1)},
            ),
            EMPTY,
        ),
        ("GetItem", at("@simple", PK), EMPTY),
        given=HERE,
    ),
    case(
        "condition_false",
        (
            "DeleteItem",
            at(
                "@simple",
                PK,
                ConditionExpression="n = :two",
                ExpressionAttributeValues={":two": N(2)},
            ),
            CONDITION_FAILED,
        ),
        ("GetItem", at("@simple", PK), {"Item": ITEM}),
        given=HERE,
    ),
    case(
        "condition_on_an_absent_item",
        (
            "DeleteItem",
            at("@simple", PK, ConditionExpression="attribute_exists(pk)"),
            CONDITION_FAILED,
        ),
    ),
    case(
        "absent_item_may_satisfy_a_condition",
        (
            "DeleteItem",
            at("@simple", PK, ConditionExpression="attribute_not_exists(n)"),
            EMPTY,
        ),
    ),
    case(
        "failed_condition_returns_the_item_when_asked",
        (
            "DeleteItem",
            at(
                "@simple",
                PK,
                ConditionExpression="attribute_not_exists(pk)",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            ),
            error("ConditionalCheckFailedException", Item=ITEM),
        ),
        given=HERE,
    ),
    case(
        "return_all_old",
        ("DeleteItem", at("@simple", PK, ReturnValues="ALL_OLD"), {"Attributes": ITEM}),
        given=HERE,
    ),
    case(
        "return_all_old_of_an_absent_item",
        ("DeleteItem", at("@simple", PK, ReturnValues="ALL_OLD"), EMPTY),
    ),
    case(
        "return_all_new",
        ("DeleteItem", at("@simple", PK, ReturnValues="ALL_NEW"), INVALID),
    ),
    case(
        "return_updated_old",
        ("DeleteItem", at("@simple", PK, ReturnValues="UPDATED_OLD"), INVALID),
    ),
    case(
        "return_updated_new",
        ("DeleteItem", at("@simple", PK, ReturnValues="UPDATED_NEW"), INVALID),
    ),
    case(
        "names_without_expression",
        ("DeleteItem", at("@simple", PK, ExpressionAttributeNames={"#n": "n"}), INVALID),
    ),
    case(
        "values_without_expression",
        ("DeleteItem", at("@simple", PK, ExpressionAttributeValues={":n": N(1)}), INVALID),
    ),
    case(
        "empty_condition",
        ("DeleteItem", at("@simple", PK, ConditionExpression=""), INVALID),
    ),
    case(
        "item_collection_metrics_with_a_local_index",
        (
            "DeleteItem",
            at("@one_local", {**PK, "sk": S("b")}, ReturnItemCollectionMetrics="SIZE"),
            {
                "ItemCollectionMetrics": {
                    "ItemCollectionKey": PK,
                    "SizeEstimateRangeGB": [0, 1],
                }
            },
        ),
        given=puts("@one_local", {**PK, "sk": S("b")}),
    ),
]


def test_delete_item(tables: Tables, case: Case) -> None:
    """DeleteItem answers as DynamoDB does."""
    check(tables, case)
