"""ReturnValues, on the operations that have it."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    CONDITION_FAILED,
    EMPTY,
    INVALID,
    Case,
    Json,
    L,
    M,
    N,
    S,
    Source,
    at,
    error,
    put,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("return_values", "API_UpdateItem")

PK = {"pk": S("a")}
ITEM = {**PK, "n": N(1), "s": S("x"), "m": M(a=N(1), b=N(2)), "l": L(N(0), N(1), N(2))}
HERE = puts("@simple", ITEM)


def update(expression: str, returned: str, **more: Any) -> Json:
    return at("@simple", PK, UpdateExpression=expression, ReturnValues=returned, **more)


def values(**given: Json) -> Json:
    return {f":{name}": value for name, value in given.items()}


CASES = [
    case(
        "put_none",
        ("PutItem", put("@simple", ITEM, ReturnValues="NONE"), EMPTY),
        given=HERE,
    ),
    case(
        "put_all_old",
        ("PutItem", put("@simple", PK, ReturnValues="ALL_OLD"), {"Attributes": ITEM}),
        given=HERE,
    ),
    case(
        "put_all_old_when_new",
        ("PutItem", put("@simple", PK, ReturnValues="ALL_OLD"), EMPTY),
    ),
    *(
        case(
            f"put_{returned.lower()}",
            ("PutItem", put("@simple", PK, ReturnValues=returned), INVALID),
            source="API_PutItem",
        )
        for returned in ("ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
    ),
    case(
        "update_none",
        (
            "UpdateItem",
            update("SET n = :n", "NONE", ExpressionAttributeValues=values(n=N(2))),
            EMPTY,
        ),
        given=HERE,
    ),
    case(
        "update_all_old",
        (
            "UpdateItem",
            update("SET n = :n", "ALL_OLD", ExpressionAttributeValues=values(n=N(2))),
            {"Attributes": ITEM},
        ),
        given=HERE,
    ),
    case(
        "update_all_old_when_new",
        (
            "UpdateItem",
            update("SET n = :n", "ALL_OLD", ExpressionAttributeValues=values(n=N(2))),
            EMPTY,
        ),
    ),
    case(
        "update_all_new",
        (
            "UpdateItem",
            update("SET n = :n REMOVE s", "ALL_NEW", ExpressionAttributeValues=values(n=N(2))),
            {"Attributes": {**PK, "n": N(2), "m": ITEM["m"], "l": ITEM["l"]}},
        ),
        given=HERE,
    ),
    case(
        "update_all_new_when_new",
        (
            "UpdateItem",
            update("SET n = :n", "ALL_NEW", ExpressionAttributeValues=values(n=N(2))),
            {"Attributes": {**PK, "n": N(2)}},
        ),
    ),
    case(
        "update_all_new_without_expression",
        ("UpdateItem", at("@simple", PK, ReturnValues="ALL_NEW"), {"Attributes": ITEM}),
        given=HERE,
    ),
    case(
        "update_all_new_without_expression_when_new",
        ("UpdateItem", at("@simple", PK, ReturnValues="ALL_NEW"), {"Attributes": PK}),
    ),
    case(
        "update_updated_old",
        (
            "UpdateItem",
            update("SET n = :n", "UPDATED_OLD", ExpressionAttributeValues=values(n=N(2))),
            {"Attributes": {"n": N(1)}},
        ),
        given=HERE,
    ),
    case(
        "update_updated_new",
        (
            "UpdateItem",
            update("SET n = :n", "UPDATED_NEW", ExpressionAttributeValues=values(n=N(2))),
            {"Attributes": {"n": N(2)}},
        ),
        given=HERE,
    ),
    case(
        "update_updated_old_of_an_absent_attribute",
        (
            "UpdateItem",
            update("SET fresh = :n", "UPDATED_OLD", ExpressionAttributeValues=values(n=N(2))),
            EMPTY,
        ),
        given=HERE,
    ),
    case(
        "update_updated_old_when_new",
        (
            "UpdateItem",
            update("SET n = :n", "UPDATED_OLD", ExpressionAttributeValues=values(n=N(2))),
            EMPTY,
        ),
    ),
    case(
        "update_updated_new_when_new",
        (
            "UpdateItem",
            update("SET n = :n", "UPDATED_NEW", ExpressionAttributeValues=values(n=N(2))),
            {"Attributes": {"n": N(2)}},
        ),
    ),
    case(
        "update_updated_old_of_removed",
        ("UpdateItem", update("REMOVE s", "UPDATED_OLD"), {"Attributes": {"s": S("x")}}),
        given=HERE,
    ),
    case(
        "update_updated_new_of_removed",
        ("UpdateItem", update("REMOVE s", "UPDATED_NEW"), EMPTY),
        given=HERE,
    ),
    case(
        "update_updated_new_of_nested",
        (
            "UpdateItem",
            update("SET m.a = :n", "UPDATED_NEW", ExpressionAttributeValues=values(n=N(9))),
            {"Attributes": {"m": M(a=N(9))}},
        ),
        given=HERE,
    ),
    case(
        "update_updated_old_of_nested",
        (
            "UpdateItem",
            update("SET m.a = :n", "UPDATED_OLD", ExpressionAttributeValues=values(n=N(9))),
            {"Attributes": {"m": M(a=N(1))}},
        ),
        given=HERE,
    ),
    case(
        "update_updated_new_of_list_element",
        (
            "UpdateItem",
            update("SET l[1] = :n", "UPDATED_NEW", ExpressionAttributeValues=values(n=N(9))),
            {"Attributes": {"l": L(N(9))}},
        ),
        given=HERE,
    ),
    case(
        "update_updated_old_of_list_element",
        (
            "UpdateItem",
            update("SET l[1] = :n", "UPDATED_OLD", ExpressionAttributeValues=values(n=N(9))),
            {"Attributes": {"l": L(N(1))}},
        ),
        given=HERE,
    ),
    case(
        "update_updated_new_of_added",
        (
            "UpdateItem",
            update("ADD n :n", "UPDATED_NEW", ExpressionAttributeValues=values(n=N(4))),
            {"Attributes": {"n": N(5)}},
        ),
        given=HERE,
    ),
    case(
        "update_updated_new_of_two",
        (
            "UpdateItem",
            update(
                "SET s = :s ADD n :n",
                "UPDATED_NEW",
                ExpressionAttributeValues=values(n=N(4), s=S("y")),
            ),
            {"Attributes": {"n": N(5), "s": S("y")}},
        ),
        given=HERE,
    ),
    case(
        "update_updated_new_of_unchanged",
        (
            "UpdateItem",
            update("SET n = :n", "UPDATED_NEW", ExpressionAttributeValues=values(n=N(1))),
            {"Attributes": {"n": N(1)}},
        ),
        given=HERE,
    ),
    case(
        "update_updated_old_of_unchanged",
        (
            "UpdateItem",
            update("SET n = :n", "UPDATED_OLD", ExpressionAttributeValues=values(n=N(1))),
            {"Attributes": {"n": N(1)}},
        ),
        given=HERE,
    ),
    case(
        "update_updated_new_without_expression",
        ("UpdateItem", at("@simple", PK, ReturnValues="UPDATED_NEW"), EMPTY),
        given=HERE,
    ),
    case(
        "update_updated_old_without_expression",
        ("UpdateItem", at("@simple", PK, ReturnValues="UPDATED_OLD"), EMPTY),
        given=HERE,
    ),
    case(
        "update_unknown_value",
        ("UpdateItem", at("@simple", PK, ReturnValues="EVERYTHING"), INVALID),
    ),
    case(
        "update_failed_condition_returns_the_item_when_asked",
        (
            "UpdateItem",
            update(
                "SET n = :n",
                "NONE",
                ConditionExpression="n > :n",
                ExpressionAttributeValues=values(n=N(5)),
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            ),
            error("ConditionalCheckFailedException", Item=ITEM),
        ),
        given=HERE,
    ),
    case(
        "update_failed_condition_returns_nothing_unless_asked",
        (
            "UpdateItem",
            update(
                "SET n = :n",
                "ALL_OLD",
                ConditionExpression="n > :n",
                ExpressionAttributeValues=values(n=N(5)),
            ),
            CONDITION_FAILED,
        ),
        given=HERE,
    ),
    case(
        "update_failed_condition_on_an_absent_item",
        (
            "UpdateItem",
            update(
                "SET n = :n",
                "NONE",
                ConditionExpression="attribute_exists(pk)",
                ExpressionAttributeValues=values(n=N(5)),
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            ),
            CONDITION_FAILED,
        ),
        ("GetItem", at("@simple", PK), EMPTY),
    ),
]


def test_return_values(tables: Tables, case: Case) -> None:
    """What a write returns is what DynamoDB returns."""
    check(tables, case)
