"""TransactWriteItems."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    EMPTY,
    INVALID,
    NOT_FOUND,
    Case,
    Json,
    N,
    S,
    Source,
    at,
    cancelled,
    heap,
    on,
    put,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("transact_write_items", "API_TransactWriteItems")

A, B_, C = {"pk": S("a")}, {"pk": S("b")}, {"pk": S("c")}
ONE = {":one": N(1)}


def writes(*items: Json, **more: Any) -> tuple[str, Json]:
    return ("TransactWriteItems", {"TransactItems": list(items), **more})


def putting(item: Json, table: str = "@simple", **more: Any) -> Json:
    return {"Put": put(table, item, **more)}


def updating(key: Json, expression: str, **more: Any) -> Json:
    return {"Update": at("@simple", key, UpdateExpression=expression, **more)}


def deleting(key: Json, **more: Any) -> Json:
    return {"Delete": at("@simple", key, **more)}


def checking(key: Json, condition: str, **more: Any) -> Json:
    return {"ConditionCheck": at("@simple", key, ConditionExpression=condition, **more)}


def does(
    name: str,
    request: tuple[str, Json],
    answer: Any,
    left: list[Json] | None = None,
    given: tuple[Json, ...] = (),
    source: str = "",
) -> Case:
    """A case: the answer, and the items in @simple afterwards."""
    steps: list[tuple[str, Any, Any]] = [(*request, answer)]
    if left is not None:
        steps.append(("Scan", on("@simple"), heap(*left)))
    return case(name, *steps, given=puts("@simple", *given), source=source)


ABSENT = "attribute_not_exists(pk)"
PRESENT = "attribute_exists(pk)"

CASES = [
    does("one_put", writes(putting(A)), EMPTY, [A]),
    does("two_puts", writes(putting(A), putting({**B_, "v": N(1)})), EMPTY, [A, {**B_, "v": N(1)}]),
    does(
        "every_kind",
        writes(
            putting({**A, "v": N(1)}),
            updating(B_, "ADD v :one", ExpressionAttributeValues=ONE),
            deleting(C),
            checking({"pk": S("d")}, PRESENT),
        ),
        EMPTY,
        [{**A, "v": N(1)}, {**B_, "v": N(6)}, {"pk": S("d")}],
        given=({**B_, "v": N(5)}, C, {"pk": S("d")}),
    ),
    does(
        "update_creates",
        writes(updating(A, "SET v = :one", ExpressionAttributeValues=ONE)),
        EMPTY,
        [{**A, "v": N(1)}],
    ),
    does("delete_absent", writes(deleting(A)), EMPTY, []),
    does("check_alone", writes(checking(A, PRESENT)), EMPTY, [A], given=(A,)),
    case(
        "two_tables",
        (*writes(putting(A), putting(A, "@other")), EMPTY),
        ("Scan", on("@simple"), heap(A)),
        ("Scan", on("@other"), heap(A)),
    ),
    does("a_hundred", writes(*(putting({"pk": S(str(n))}) for n in range(100))), EMPTY),
    does(
        "more_than_a_hundred",
        writes(*(putting({"pk": S(str(n))}) for n in range(101))),
        INVALID,
        [],
    ),
    # Conditions
    does(
        "put_condition_fails",
        writes(putting({**A, "v": N(2)}, ConditionExpression=ABSENT), putting(B_)),
        cancelled("ConditionalCheckFailed", "None"),
        [A],
        given=(A,),
    ),
    does(
        "last_condition_fails",
        writes(
            putting(B_),
            updating(C, "SET v = :one", ExpressionAttributeValues=ONE),
            deleting(A, ConditionExpression=ABSENT),
        ),
        cancelled("None", "None", "ConditionalCheckFailed"),
        [A],
        given=(A,),
    ),
    does(
        "check_fails",
        writes(putting(B_), checking(A, PRESENT)),
        cancelled("None", "ConditionalCheckFailed"),
        [],
    ),
    does(
        "all_conditions_fail",
        writes(checking(A, PRESENT), putting(B_, ConditionExpression=PRESENT)),
        cancelled("ConditionalCheckFailed", "ConditionalCheckFailed"),
        [],
    ),
    does(
        "update_condition_fails",
        writes(
            updating(
                A, "SET v = :one", ConditionExpression="v > :one", ExpressionAttributeValues=ONE
            )
        ),
        cancelled("ConditionalCheckFailed"),
        [{**A, "v": N(0)}],
        given=({**A, "v": N(0)},),
    ),
    does(
        "failed_put_returns_the_item_when_asked",
        writes(
            putting(
                A,
                ConditionExpression=ABSENT,
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        ),
        cancelled({"Code": "ConditionalCheckFailed", "Item": {**A, "v": N(1)}}),
        given=({**A, "v": N(1)},),
    ),
    does(
        "failed_update_returns_the_item_when_asked",
        writes(
            putting(B_),
            updating(
                A,
                "SET v = :one",
                ConditionExpression="v > :one",
                ExpressionAttributeValues=ONE,
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            ),
        ),
        cancelled("None", {"Code": "ConditionalCheckFailed", "Item": {**A, "v": N(1)}}),
        given=({**A, "v": N(1)},),
    ),
    does(
        "failed_delete_returns_the_item_when_asked",
        writes(
            deleting(
                A,
                ConditionExpression=ABSENT,
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        ),
        cancelled({"Code": "ConditionalCheckFailed", "Item": A}),
        given=(A,),
    ),
    does(
        "failed_check_returns_the_item_when_asked",
        writes(
            checking(A, ABSENT, ReturnValuesOnConditionCheckFailure="ALL_OLD"),
            checking(B_, PRESENT, ReturnValuesOnConditionCheckFailure="ALL_OLD"),
        ),
        cancelled({"Code": "ConditionalCheckFailed", "Item": A}, "ConditionalCheckFailed"),
        given=(A,),
    ),
    does(
        "failed_return_none",
        writes(checking(A, ABSENT, ReturnValuesOnConditionCheckFailure="NONE")),
        cancelled("ConditionalCheckFailed"),
        given=(A,),
    ),
    # Updates that cannot be done cancel the transaction
    does(
        "update_of_absent_attribute",
        writes(putting(B_), updating(A, "SET v = v + :one", ExpressionAttributeValues=ONE)),
        cancelled("None", "ValidationError"),
        [],
    ),
    does(
        "update_of_wrong_type",
        writes(updating(A, "ADD v :one", ExpressionAttributeValues=ONE), putting(B_)),
        cancelled("ValidationError", "None"),
        [{**A, "v": S("x")}],
        given=({**A, "v": S("x")},),
    ),
    does(
        "update_under_absent",
        writes(updating(A, "SET m.x = :one", ExpressionAttributeValues=ONE)),
        cancelled("ValidationError"),
        [],
    ),
    does(
        "update_beyond_item_size",
        writes(
            updating(
                A,
                "SET w = :w",
                ExpressionAttributeValues={":w": S("x" * 250_000)},
            )
        ),
        cancelled("ValidationError"),
        given=({**A, "v": S("x" * 250_000)},),
    ),
    # The whole request is refused
    does("same_item_twice", writes(putting(A), deleting(A)), INVALID, []),
    does("same_item_checked_and_written", writes(checking(A, ABSENT), putting(A)), INVALID, []),
    does("same_item_in_two_puts", writes(putting(A), putting({**A, "v": N(1)})), INVALID, []),
    does("no_items", ("TransactWriteItems", {}), INVALID),
    does("empty_items", writes(), INVALID),
    does("empty_item", writes({}), INVALID),
    does("two_kinds_in_one", writes({**putting(A), **deleting(B_)}), INVALID, source="service"),
    does("no_such_table", writes(putting(A, "@new")), NOT_FOUND),
    does("one_of_the_tables_is_not_there", writes(putting(A), putting(A, "@new")), NOT_FOUND, []),
    does("check_without_condition", writes({"ConditionCheck": at("@simple", A)}), INVALID),
    does("update_without_expression", writes({"Update": at("@simple", A)}), INVALID),
    does("put_without_item", writes({"Put": on("@simple")}), INVALID),
    does("delete_without_key", writes({"Delete": on("@simple")}), INVALID),
    does("put_without_table", writes({"Put": {"Item": A}}), INVALID),
    does("condition_syntax", writes(putting(A, ConditionExpression="pk =")), INVALID, []),
    does("update_syntax", writes(putting(B_), updating(A, "SET")), INVALID, []),
    does("undefined_value", writes(updating(A, "SET v = :undefined")), INVALID, []),
    does(
        "unused_value", writes(updating(A, "REMOVE v", ExpressionAttributeValues=ONE)), INVALID, []
    ),
    does("values_without_expression", writes(putting(A, ExpressionAttributeValues=ONE)), INVALID),
    does("key_is_empty_text", writes(putting({"pk": S("")})), INVALID, [], source="majority"),
    does("empty_set", writes(putting({**A, "v": {"SS": []}})), INVALID, []),
    does(
        "bad_return_on_failure",
        writes(putting(A, ReturnValuesOnConditionCheckFailure="ALL_NEW")),
        INVALID,
    ),
    does(
        "key_missing_in_put",
        writes(putting({"v": N(1)})),
        cancelled("ValidationError"),
        [],
    ),
    does(
        "key_of_wrong_type_in_put",
        writes(putting({"pk": N(1)})),
        cancelled("ValidationError"),
        [],
        source="majority",
    ),
    does(
        "key_of_wrong_type_in_delete",
        writes(deleting({"pk": N(1)})),
        cancelled("ValidationError"),
        [],
        source="majority",
    ),
    does(
        "key_with_another_attribute",
        writes(deleting({**A, "v": N(1)})),
        cancelled("ValidationError"),
        [],
    ),
    does(
        "item_too_large",
        writes(putting(B_), putting({**A, "v": S("x" * 400 * 1024)})),
        INVALID,
        [],
        source="majority",
    ),
    does(
        "more_than_four_megabytes",
        writes(*(putting({"pk": S(str(n)), "v": S("x" * 399_000)}) for n in range(11))),
        INVALID,
        [],
    ),
    does("bad_return_consumed_capacity", writes(putting(A), ReturnConsumedCapacity="YES"), INVALID),
    case(
        "item_collection_metrics",
        (
            *writes(putting({**A, "sk": S("1")}, "@one_local"), ReturnItemCollectionMetrics="SIZE"),
            {
                "ItemCollectionMetrics": {
                    "@one_local": [{"ItemCollectionKey": A, "SizeEstimateRangeGB": [0, 1]}]
                }
            },
        ),
    ),
]


def test_transact_write_items(tables: Tables, case: Case) -> None:
    """TransactWriteItems answers as DynamoDB does, all or nothing."""
    check(tables, case)
