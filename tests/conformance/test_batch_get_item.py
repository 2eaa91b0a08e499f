"""BatchGetItem."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    INVALID,
    NOT_FOUND,
    NOT_SERIALIZED,
    TRUE,
    Case,
    Json,
    N,
    S,
    Source,
    any_order,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("batch_get_item", "API_BatchGetItem")

A, B_, C = {"pk": S("a")}, {"pk": S("b")}, {"pk": S("c")}
ITEMS = [{**A, "v": N(1), "w": N(10)}, {**B_, "v": N(2)}]
HERE = puts("@simple", *ITEMS)


def batch(*keys: Json, table: str = "@simple", **more: Any) -> Json:
    return {"RequestItems": {table: {"Keys": list(keys), **more}}}


def found(*items: Json, table: str = "@simple") -> Json:
    return {"Responses": {table: any_order(*items)}, "UnprocessedKeys": {}}


def many(count: int) -> list[Json]:
    return [{"pk": S(f"{number:03}")} for number in range(count)]


CASES = [
    case("two", ("BatchGetItem", batch(A, B_), found(*ITEMS)), given=HERE),
    case("absent_are_left_out", ("BatchGetItem", batch(A, C), found(ITEMS[0])), given=HERE),
    case("none_found", ("BatchGetItem", batch(C), found())),
    case(
        "consistent",
        ("BatchGetItem", batch(A, ConsistentRead=True), found(ITEMS[0])),
        given=HERE,
    ),
    case(
        "projection",
        ("BatchGetItem", batch(A, B_, ProjectionExpression="v"), found({"v": N(1)}, {"v": N(2)})),
        given=HERE,
    ),
    case(
        "projection_by_name",
        (
            "BatchGetItem",
            batch(A, ProjectionExpression="#v", ExpressionAttributeNames={"#v": "v"}),
            found({"v": N(1)}),
        ),
        given=HERE,
    ),
    case(
        "two_tables",
        (
            "BatchGetItem",
            {"RequestItems": {"@simple": {"Keys": [A]}, "@other": {"Keys": [A, B_]}}},
            {
                "Responses": {"@simple": [ITEMS[0]], "@other": [{**A, "o": TRUE}]},
                "UnprocessedKeys": {},
            },
        ),
        given=[*HERE, *puts("@other", {**A, "o": TRUE})],
    ),
    case("a_hundred", ("BatchGetItem", batch(*many(100)), found())),
    case("more_than_a_hundred", ("BatchGetItem", batch(*many(101)), INVALID)),
    case(
        "more_than_a_hundred_in_two_tables",
        (
            "BatchGetItem",
            {"RequestItems": {"@simple": {"Keys": many(60)}, "@other": {"Keys": many(41)}}},
            INVALID,
        ),
    ),
    case("same_key_twice", ("BatchGetItem", batch(A, A), INVALID)),
    case(
        "same_number_twice",
        ("BatchGetItem", batch({"pk": N(1)}, {"pk": N("1.0")}, table="@numeric_pk"), INVALID),
    ),
    case("no_request_items", ("BatchGetItem", {}, INVALID)),
    case("empty_request_items", ("BatchGetItem", {"RequestItems": {}}, INVALID)),
    case("no_keys", ("BatchGetItem", {"RequestItems": {"@simple": {}}}, INVALID)),
    case("empty_keys", ("BatchGetItem", batch(), INVALID)),
    case("no_such_table", ("BatchGetItem", batch(A, table="@new"), NOT_FOUND)),
    case(
        "one_of_the_tables_is_not_there",
        (
            "BatchGetItem",
            {"RequestItems": {"@simple": {"Keys": [A]}, "@new": {"Keys": [A]}}},
            NOT_FOUND,
        ),
    ),
    case("key_of_wrong_type", ("BatchGetItem", batch({"pk": N(1)}), INVALID)),
    case("key_with_another_attribute", ("BatchGetItem", batch(ITEMS[0]), INVALID)),
    case("empty_key", ("BatchGetItem", batch({}), INVALID)),
    case("sort_key_missing", ("BatchGetItem", batch(A, table="@sorted"), INVALID)),
    case("one_bad_key_fails_all", ("BatchGetItem", batch(A, {"x": S("a")}), INVALID), given=HERE),
    case("key_is_empty_text", ("BatchGetItem", batch({"pk": S("")}), INVALID)),
    case(
        "names_without_expression",
        ("BatchGetItem", batch(A, ExpressionAttributeNames={"#v": "v"}), INVALID),
    ),
    case("empty_projection", ("BatchGetItem", batch(A, ProjectionExpression=""), INVALID)),
    case("bad_projection", ("BatchGetItem", batch(A, ProjectionExpression="v,"), INVALID)),
    case(
        "keys_given_as_map",
        ("BatchGetItem", {"RequestItems": {"@simple": {"Keys": {}}}}, NOT_SERIALIZED),
    ),
]


def test_batch_get_item(tables: Tables, case: Case) -> None:
    """BatchGetItem answers as DynamoDB does."""
    check(tables, case)
