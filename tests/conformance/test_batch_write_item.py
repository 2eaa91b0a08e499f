"""BatchWriteItem."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    INVALID,
    NOT_FOUND,
    Case,
    Json,
    N,
    S,
    Source,
    heap,
    on,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("batch_write_item", "API_BatchWriteItem")

A, B_, C = {"pk": S("a")}, {"pk": S("b")}, {"pk": S("c")}
DONE: Json = {"UnprocessedItems": {}}


def putting(item: Json) -> Json:
    return {"PutRequest": {"Item": item}}


def deleting(key: Json) -> Json:
    return {"DeleteRequest": {"Key": key}}


def batch(*requests: Json, table: str = "@simple", **more: Any) -> Json:
    return {"RequestItems": {table: list(requests)}, **more}


def many(count: int) -> list[Json]:
    return [putting({"pk": S(f"{number:03}")}) for number in range(count)]


CASES = [
    case(
        "puts",
        ("BatchWriteItem", batch(putting({**A, "v": N(1)}), putting(B_)), DONE),
        ("Scan", on("@simple"), heap({**A, "v": N(1)}, B_)),
    ),
    case(
        "puts_and_deletes",
        ("BatchWriteItem", batch(putting(C), deleting(A), deleting({"pk": S("absent")})), DONE),
        ("Scan", on("@simple"), heap(B_, C)),
        given=puts("@simple", A, B_),
    ),
    case(
        "put_replaces",
        ("BatchWriteItem", batch(putting({**A, "w": N(2)})), DONE),
        ("Scan", on("@simple"), heap({**A, "w": N(2)})),
        given=puts("@simple", {**A, "v": N(1)}),
    ),
    case(
        "two_tables",
        (
            "BatchWriteItem",
            {"RequestItems": {"@simple": [putting(A)], "@other": [putting(B_)]}},
            DONE,
        ),
        ("Scan", on("@simple"), heap(A)),
        ("Scan", on("@other"), heap(B_)),
    ),
    case("twenty_five", ("BatchWriteItem", batch(*many(25)), DONE)),
    case(
        "more_than_twenty_five",
        ("BatchWriteItem", batch(*many(26)), INVALID),
        ("Scan", on("@simple"), heap()),
    ),
    case(
        "more_than_twenty_five_in_two_tables",
        (
            "BatchWriteItem",
            {"RequestItems": {"@simple": many(13), "@other": many(13)}},
            INVALID,
        ),
    ),
    case(
        "same_key_twice",
        ("BatchWriteItem", batch(putting(A), putting({**A, "v": N(1)})), INVALID),
        ("Scan", on("@simple"), heap()),
    ),
    case("put_and_delete_of_one_key", ("BatchWriteItem", batch(putting(A), deleting(A)), INVALID)),
    case(
        "same_number_twice",
        (
            "BatchWriteItem",
            batch(putting({"pk": N(1)}), putting({"pk": N("1.0")}), table="@numeric_pk"),
            INVALID,
        ),
    ),
    case(
        "same_key_in_two_tables",
        (
            "BatchWriteItem",
            {"RequestItems": {"@simple": [putting(A)], "@other": [putting(A)]}},
            DONE,
        ),
    ),
    case("no_request_items", ("BatchWriteItem", {}, INVALID)),
    case("empty_request_items", ("BatchWriteItem", {"RequestItems": {}}, INVALID)),
    case("empty_list", ("BatchWriteItem", batch(), INVALID)),
    case("no_such_table", ("BatchWriteItem", batch(putting(A), table="@new"), NOT_FOUND)),
    case(
        "one_of_the_tables_is_not_there",
        (
            "BatchWriteItem",
            {"RequestItems": {"@simple": [putting(A)], "@new": [putting(A)]}},
            NOT_FOUND,
        ),
        ("Scan", on("@simple"), heap()),
    ),
    case("neither_put_nor_delete", ("BatchWriteItem", batch({}), INVALID)),
    case(
        "both_put_and_delete",
        ("BatchWriteItem", batch({**putting(A), **deleting(B_)}), INVALID),
        source="API_WriteRequest",
    ),
    case("put_without_item", ("BatchWriteItem", batch({"PutRequest": {}}), INVALID)),
    case("delete_without_key", ("BatchWriteItem", batch({"DeleteRequest": {}}), INVALID)),
    case("key_missing", ("BatchWriteItem", batch(putting({"v": N(1)})), INVALID)),
    case("key_of_wrong_type", ("BatchWriteItem", batch(putting({"pk": N(1)})), INVALID)),
    case("key_is_empty_text", ("BatchWriteItem", batch(putting({"pk": S("")})), INVALID)),
    case("sort_key_missing", ("BatchWriteItem", batch(putting(A), table="@sorted"), INVALID)),
    case("delete_key_of_wrong_type", ("BatchWriteItem", batch(deleting({"pk": N(1)})), INVALID)),
    case(
        "delete_key_with_another_attribute",
        ("BatchWriteItem", batch(deleting({**A, "v": N(1)})), INVALID),
    ),
    case("empty_set", ("BatchWriteItem", batch(putting({**A, "v": {"SS": []}})), INVALID)),
    case(
        "one_bad_request_fails_all",
        ("BatchWriteItem", batch(putting(A), putting({"v": N(1)})), INVALID),
        ("Scan", on("@simple"), heap()),
    ),
    case(
        "item_too_large_fails_all",
        (
            "BatchWriteItem",
            batch(putting(A), putting({**B_, "v": S("x" * 400 * 1024)})),
            INVALID,
        ),
        ("Scan", on("@simple"), heap()),
    ),
    case(
        "item_collection_metrics",
        (
            "BatchWriteItem",
            batch(
                putting({**A, "sk": S("1")}),
                table="@one_local",
                ReturnItemCollectionMetrics="SIZE",
            ),
            {
                **DONE,
                "ItemCollectionMetrics": {
                    "@one_local": [{"ItemCollectionKey": A, "SizeEstimateRangeGB": [0, 1]}]
                },
            },
        ),
    ),
    case(
        "conditions_are_not_a_member",
        (
            "BatchWriteItem",
            batch({"PutRequest": {"Item": A, "ConditionExpression": "attribute_exists(x)"}}),
            DONE,
        ),
        source="botocore model",
    ),
]


def test_batch_write_item(tables: Tables, case: Case) -> None:
    """BatchWriteItem answers as DynamoDB does."""
    check(tables, case)
