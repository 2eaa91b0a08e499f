"""GetItem."""

from __future__ import annotations

from tests.conformance.cases import (
    EMPTY,
    INVALID,
    NOT_FOUND,
    NOT_SERIALIZED,
    NULL,
    Case,
    L,
    M,
    N,
    S,
    Source,
    at,
    on,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("get_item", "API_GetItem")

PK = {"pk": S("a")}
ITEM = {
    "pk": S("a"),
    "n": N(1),
    "m": M(x=N(1), y=M(z=S("deep"))),
    "l": L(S("zero"), S("one"), M(k=N(2))),
}
HERE = puts("@simple", ITEM)

CASES = [
    case("present", ("GetItem", at("@simple", PK), {"Item": ITEM}), given=HERE),
    case("absent", ("GetItem", at("@simple", PK), EMPTY)),
    case(
        "consistent",
        ("GetItem", at("@simple", PK, ConsistentRead=True), {"Item": ITEM}),
        given=HERE,
    ),
    case("no_such_table", ("GetItem", at("@new", PK), NOT_FOUND)),
    case("no_key", ("GetItem", on("@simple"), INVALID)),
    case("no_table_name", ("GetItem", {"Key": PK}, INVALID)),
    case("empty_key", ("GetItem", at("@simple", {}), INVALID)),
    case("key_with_another_attribute", ("GetItem", at("@simple", {**PK, "n": N(1)}), INVALID)),
    case("key_of_another_name", ("GetItem", at("@simple", {"n": S("a")}), INVALID)),
    case("key_of_wrong_type", ("GetItem", at("@simple", {"pk": N(1)}), INVALID)),
    case("sort_key_missing", ("GetItem", at("@sorted", PK), INVALID)),
    case("sort_key_too_many", ("GetItem", at("@simple", {**PK, "sk": S("x")}), INVALID)),
    case(
        "sort_key_of_wrong_type",
        ("GetItem", at("@sorted", {**PK, "sk": N(1)}), INVALID),
    ),
    case("key_is_empty_text", ("GetItem", at("@simple", {"pk": S("")}), INVALID)),
    case("key_is_null", ("GetItem", at("@simple", {"pk": NULL}), INVALID)),
    case("key_is_a_bad_number", ("GetItem", at("@numeric_pk", {"pk": N("x")}), INVALID)),
    case("key_without_a_type", ("GetItem", at("@simple", {"pk": {}}), INVALID)),
    case("key_given_as_text", ("GetItem", at("@simple", {"pk": "a"}), NOT_SERIALIZED)),
    case(
        "consistent_given_as_text",
        ("GetItem", at("@simple", PK, ConsistentRead="maybe"), NOT_SERIALIZED),
    ),
    # Projections
    case(
        "projected",
        ("GetItem", at("@simple", PK, ProjectionExpression="n"), {"Item": {"n": N(1)}}),
        given=HERE,
    ),
    case(
        "projected_without_its_key",
        (
            "GetItem",
            at("@simple", PK, ProjectionExpression="m.y.z, l[0]"),
            {"Item": {"m": M(y=M(z=S("deep"))), "l": L(S("zero"))}},
        ),
        given=HERE,
    ),
    case(
        "projected_to_nothing",
        ("GetItem", at("@simple", PK, ProjectionExpression="absent"), {"Item": {}}),
        given=HERE,
    ),
    case(
        "projected_absent_item",
        ("GetItem", at("@simple", PK, ProjectionExpression="n"), EMPTY),
    ),
    case(
        "projected_by_name",
        (
            "GetItem",
            at(
                "@simple",
                PK,
                ProjectionExpression="#n, #m.x",
                ExpressionAttributeNames={"#n": "n", "#m": "m"},
            ),
            {"Item": {"n": N(1), "m": M(x=N(1))}},
        ),
        given=HERE,
    ),
    case(
        "names_without_expression",
        ("GetItem", at("@simple", PK, ExpressionAttributeNames={"#n": "n"}), INVALID),
    ),
    case(
        "names_empty_without_expression",
        ("GetItem", at("@simple", PK, ExpressionAttributeNames={}), INVALID),
        source="majority",
    ),
    case(
        "empty_projection",
        ("GetItem", at("@simple", PK, ProjectionExpression=""), INVALID),
    ),
    case(
        "expression_attribute_values_are_not_a_member",
        (
            "GetItem",
            at(
                "@simple",
                PK,
                ProjectionExpression="n",
                ExpressionAttributeValues={":n": N(1)},
            ),
            {"Item": {"n": N(1)}},
        ),
        given=HERE,
        source="botocore model",
    ),
]


def test_get_item(tables: Tables, case: Case) -> None:
    """GetItem answers as DynamoDB does."""
    check(tables, case)
