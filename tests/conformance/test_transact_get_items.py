"""TransactGetItems."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    INVALID,
    NOT_FOUND,
    TRUE,
    Case,
    Json,
    M,
    N,
    S,
    Source,
    at,
    cancelled,
    on,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("transact_get_items", "API_TransactGetItems")

A, B_ = {"pk": S("a")}, {"pk": S("b")}
ITEM = {**A, "v": N(1), "m": M(x=N(1), y=N(2))}
HERE = puts("@simple", ITEM)


def reads(*gets: Json, **more: Any) -> tuple[str, Json]:
    return ("TransactGetItems", {"TransactItems": [{"Get": get} for get in gets], **more})


def many(count: int) -> list[Json]:
    return [at("@simple", {"pk": S(str(number))}) for number in range(count)]


CASES = [
    case("one", (*reads(at("@simple", A)), {"Responses": [{"Item": ITEM}]}), given=HERE),
    case(
        "in_the_order_asked",
        (
            *reads(at("@simple", B_), at("@simple", A)),
            {"Responses": [{"Item": B_}, {"Item": ITEM}]},
        ),
        given=[*HERE, *puts("@simple", B_)],
    ),
    case(
        "absent_has_an_empty_place",
        (
            *reads(at("@simple", B_), at("@simple", A)),
            {"Responses": [{}, {"Item": ITEM}]},
        ),
        given=HERE,
    ),
    case(
        "two_tables",
        (
            *reads(at("@simple", A), at("@other", A)),
            {"Responses": [{"Item": ITEM}, {"Item": {**A, "o": TRUE}}]},
        ),
        given=[*HERE, *puts("@other", {**A, "o": TRUE})],
    ),
    case(
        "projection",
        (
            *reads(at("@simple", A, ProjectionExpression="v, m.x")),
            {"Responses": [{"Item": {"v": N(1), "m": M(x=N(1))}}]},
        ),
        given=HERE,
    ),
    case(
        "projection_by_name",
        (
            *reads(
                at(
                    "@simple",
                    A,
                    ProjectionExpression="#v",
                    ExpressionAttributeNames={"#v": "v"},
                )
            ),
            {"Responses": [{"Item": {"v": N(1)}}]},
        ),
        given=HERE,
    ),
    case(
        "projection_to_nothing",
        (
            *reads(at("@simple", A, ProjectionExpression="absent")),
            {"Responses": [{}]},
        ),
        given=HERE,
    ),
    case("a_hundred", (*reads(*many(100)), {"Responses": [{}] * 100})),
    case("more_than_a_hundred", (*reads(*many(101)), INVALID)),
    case("same_item_twice", (*reads(at("@simple", A), at("@simple", A)), INVALID)),
    case("no_items", ("TransactGetItems", {}, INVALID)),
    case("empty_items", (*reads(), INVALID)),
    case("item_without_get", ("TransactGetItems", {"TransactItems": [{}]}, INVALID)),
    case("get_without_key", (*reads(on("@simple")), INVALID)),
    case("get_without_table", (*reads({"Key": A}), INVALID)),
    case("no_such_table", (*reads(at("@new", A)), NOT_FOUND)),
    case(
        "one_of_the_tables_is_not_there",
        (*reads(at("@simple", A), at("@new", A)), NOT_FOUND),
    ),
    case("projection_syntax", (*reads(at("@simple", A, ProjectionExpression="v,")), INVALID)),
    case(
        "names_without_expression",
        (*reads(at("@simple", A, ExpressionAttributeNames={"#v": "v"})), INVALID),
    ),
    case(
        "key_of_wrong_type",
        (
            *reads(at("@simple", B_), at("@simple", {"pk": N(1)})),
            cancelled("None", "ValidationError"),
        ),
    ),
    case(
        "key_with_another_attribute",
        (*reads(at("@simple", {**A, "v": N(1)})), cancelled("ValidationError")),
    ),
    case(
        "sort_key_missing",
        (*reads(at("@sorted", A)), cancelled("ValidationError")),
    ),
    case(
        "bad_return_consumed_capacity",
        (*reads(at("@simple", A), ReturnConsumedCapacity="X"), INVALID),
    ),
]


def test_transact_get_items(tables: Tables, case: Case) -> None:
    """TransactGetItems answers as DynamoDB does."""
    check(tables, case)
