"""UpdateItem, but for its update expressions."""

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
    on,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("update_item", "API_UpdateItem")

PK = {"pk": S("a")}
ITEM = {**PK, "n": N(1)}
HERE = puts("@simple", ITEM)
SET = {"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": N(2)}}

CASES = [
    case(
        "present",
        ("UpdateItem", at("@simple", PK, **SET), EMPTY),
        ("GetItem", at("@simple", PK), {"Item": {**PK, "n": N(2)}}),
        given=HERE,
    ),
    case(
        "absent_is_created",
        ("UpdateItem", at("@simple", PK, **SET), EMPTY),
        ("GetItem", at("@simple", PK), {"Item": {**PK, "n": N(2)}}),
    ),
    case(
        "absent_is_created_with_sort_key",
        ("UpdateItem", at("@sorted", {**PK, "sk": S("b")}, **SET), EMPTY),
        (
            "GetItem",
            at("@sorted", {**PK, "sk": S("b")}),
            {"Item": {**PK, "sk": S("b"), "n": N(2)}},
        ),
    ),
    case(
        "without_expression_creates_the_key",
        ("UpdateItem", at("@simple", PK), EMPTY),
        ("GetItem", at("@simple", PK), {"Item": PK}),
    ),
    case(
        "without_expression_changes_nothing",
        ("UpdateItem", at("@simple", PK), EMPTY),
        ("GetItem", at("@simple", PK), {"Item": ITEM}),
        given=HERE,
    ),
    case("no_such_table", ("UpdateItem", at("@new", PK, **SET), NOT_FOUND)),
    case("no_key", ("UpdateItem", on("@simple", **SET), INVALID)),
    case("no_table_name", ("UpdateItem", {"Key": PK, **SET}, INVALID)),
    case("empty_key", ("UpdateItem", at("@simple", {}, **SET), INVALID)),
    case("key_of_wrong_type", ("UpdateItem", at("@simple", {"pk": N(1)}, **SET), INVALID)),
    case("key_with_another_attribute", ("UpdateItem", at("@simple", ITEM, **SET), INVALID)),
    case("sort_key_missing", ("UpdateItem", at("@sorted", PK, **SET), INVALID)),
    case("key_is_empty_text", ("UpdateItem", at("@simple", {"pk": S("")}, **SET), INVALID)),
    case(
        "set_sort_key",
        (
            "UpdateItem",
            at(
                "@sorted",
                {**PK, "sk": S("b")},
                UpdateExpression="SET sk = :n",
                ExpressionAttributeValues={":n": S("c")},
            ),
            INVALID,
        ),
    ),
    case(
        "condition_true",
        ("UpdateItem", at("@simple", PK, ConditionExpression="n < :n", **SET), EMPTY),
        ("GetItem", at("@simple", PK), {"Item": {**PK, "n": N(2)}}),
        given=HERE,
    ),
    case(
        "condition_false",
        ("UpdateItem", at("@simple", PK, ConditionExpression="n > :n", **SET), CONDITION_FAILED),
        ("GetItem", at("@simple", PK), {"Item": ITEM}),
        given=HERE,
    ),
    case(
        "condition_false_creates_nothing",
        (
            "UpdateItem",
            at("@simple", PK, ConditionExpression="attribute_exists(pk)", **SET),
            CONDITION_FAILED,
        ),
        ("GetItem", at("@simple", PK), EMPTY),
    ),
    case(
        "condition_without_update",
        (
            "UpdateItem",
            at("@simple", PK, ConditionExpression="attribute_exists(pk)"),
            CONDITION_FAILED,
        ),
    ),
    case(
        "condition_before_the_update_is_tried",
        (
            "UpdateItem",
            at(
                "@simple",
                PK,
                UpdateExpression="SET n = n + :n",
                ConditionExpression="attribute_exists(pk)",
                ExpressionAttributeValues={":n": N(1)},
            ),
            CONDITION_FAILED,
        ),
    ),
    case(
        "names_without_expression",
        ("UpdateItem", at("@simple", PK, ExpressionAttributeNames={"#n": "n"}), INVALID),
    ),
    case(
        "values_without_expression",
        ("UpdateItem", at("@simple", PK, ExpressionAttributeValues={":n": N(1)}), INVALID),
    ),
    case(
        "values_shared_by_expressions",
        (
            "UpdateItem",
            at(
                "@simple",
                PK,
                UpdateExpression="SET #n = :n",
                ConditionExpression="#n = :old",
                ExpressionAttributeNames={"#n": "n"},
                ExpressionAttributeValues={":n": N(2), ":old": N(1)},
            ),
            EMPTY,
        ),
        given=HERE,
    ),
    case(
        "item_collection_metrics_with_a_local_index",
        (
            "UpdateItem",
            at("@one_local", {**PK, "sk": S("b")}, ReturnItemCollectionMetrics="SIZE", **SET),
            {"ItemCollectionMetrics": {"ItemCollectionKey": PK, "SizeEstimateRangeGB": [0, 1]}},
        ),
    ),
    case(
        "counter",
        *(
            (
                "UpdateItem",
                at(
                    "@simple",
                    PK,
                    UpdateExpression="ADD n :one",
                    ExpressionAttributeValues={":one": N(1)},
                    ReturnValues="UPDATED_NEW",
                ),
                {"Attributes": {"n": N(count)}},
            )
            for count in (1, 2, 3)
        ),
    ),
]


def test_update_item(tables: Tables, case: Case) -> None:
    """UpdateItem answers as DynamoDB does."""
    check(tables, case)
