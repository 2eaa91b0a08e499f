"""PutItem."""

from __future__ import annotations

from tests.conformance.cases import (
    BS,
    CONDITION_FAILED,
    EMPTY,
    FALSE,
    INVALID,
    NOT_FOUND,
    NOT_SERIALIZED,
    NS,
    NULL,
    SS,
    TRUE,
    B,
    Case,
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

case = Source("put_item", "API_PutItem")

PK = {"pk": S("a")}
EVERY_TYPE = {
    "pk": S("a"),
    "s": S("text"),
    "empty": S(""),
    "n": N("-1.5"),
    "b": B(b"\x00\xff"),
    "no_bytes": B(b""),
    "t": TRUE,
    "f": FALSE,
    "nothing": NULL,
    "l": L(S("x"), N(1), L(), M()),
    "m": M(inner=M(deep=L(N(2))), other=NULL),
    "ss": SS("b", "a"),
    "ns": NS(2, 1),
    "bs": BS(b"b", b"a"),
}

CASES = [
    case(
        "every_type_comes_back",
        ("PutItem", put("@simple", EVERY_TYPE), EMPTY),
        ("GetItem", at("@simple", PK), {"Item": EVERY_TYPE}),
    ),
    case(
        "replaces_the_whole_item",
        ("PutItem", put("@simple", {"pk": S("a"), "new": N(1)}), EMPTY),
        ("GetItem", at("@simple", PK), {"Item": {"pk": S("a"), "new": N(1)}}),
        given=puts("@simple", EVERY_TYPE),
    ),
    case(
        "sort_keys_make_separate_items",
        ("PutItem", put("@sorted", {"pk": S("a"), "sk": S("2")}), EMPTY),
        (
            "GetItem",
            at("@sorted", {"pk": S("a"), "sk": S("1")}),
            {"Item": {"pk": S("a"), "sk": S("1"), "v": N(1)}},
        ),
        given=puts("@sorted", {"pk": S("a"), "sk": S("1"), "v": N(1)}),
    ),
    case(
        "numeric_key",
        ("PutItem", put("@numeric_pk", {"pk": N(7), "v": S("x")}), EMPTY),
        ("GetItem", at("@numeric_pk", {"pk": N(7)}), {"Item": {"pk": N(7), "v": S("x")}}),
    ),
    case(
        "numeric_key_equal_by_value",
        ("PutItem", put("@numeric_pk", {"pk": N("7.0"), "v": S("y")}), EMPTY),
        ("GetItem", at("@numeric_pk", {"pk": N("70e-1")}), {"Item": {"pk": N(7), "v": S("y")}}),
        given=puts("@numeric_pk", {"pk": N(7), "v": S("x")}),
    ),
    case(
        "binary_key",
        ("PutItem", put("@binary_pk", {"pk": B(b"\x00"), "v": S("x")}), EMPTY),
        (
            "GetItem",
            at("@binary_pk", {"pk": B(b"\x00")}),
            {"Item": {"pk": B(b"\x00"), "v": S("x")}},
        ),
    ),
    # Tables and members
    case("no_such_table", ("PutItem", put("@new", PK), NOT_FOUND)),
    case("no_table_name", ("PutItem", {"Item": PK}, INVALID)),
    case("no_item", ("PutItem", {"TableName": "@simple"}, INVALID)),
    case("null_item", ("PutItem", {"TableName": "@simple", "Item": None}, INVALID)),
    case(
        "table_name_too_short",
        ("PutItem", {"TableName": "ab", "Item": PK}, NOT_FOUND),
        source="botocore model",
    ),
    case("table_name_bad_character", ("PutItem", {"TableName": "a b c", "Item": PK}, INVALID)),
    case(
        "unknown_members_are_ignored",
        ("PutItem", put("@simple", PK, Colour="red"), EMPTY),
        source="JSON protocol",
    ),
    case("item_is_a_list", ("PutItem", {"TableName": "@simple", "Item": []}, NOT_SERIALIZED)),
    case("item_is_text", ("PutItem", {"TableName": "@simple", "Item": "x"}, NOT_SERIALIZED)),
    case("table_name_is_a_number", ("PutItem", {"TableName": 5, "Item": PK}, NOT_SERIALIZED)),
    # Keys
    case("empty_item", ("PutItem", put("@simple", {}), INVALID)),
    case("key_missing", ("PutItem", put("@simple", {"v": N(1)}), INVALID)),
    case("sort_key_missing", ("PutItem", put("@sorted", PK), INVALID)),
    case("key_of_wrong_type", ("PutItem", put("@simple", {"pk": N(1)}), INVALID)),
    case(
        "sort_key_of_wrong_type",
        ("PutItem", put("@sorted", {"pk": S("a"), "sk": N(1)}), INVALID),
    ),
    case("key_is_null", ("PutItem", put("@simple", {"pk": NULL}), INVALID)),
    case("key_is_a_set", ("PutItem", put("@simple", {"pk": SS("a")}), INVALID)),
    case("key_is_empty_text", ("PutItem", put("@simple", {"pk": S("")}), INVALID)),
    case(
        "sort_key_is_empty_text",
        ("PutItem", put("@sorted", {"pk": S("a"), "sk": S("")}), INVALID),
    ),
    case("key_is_empty_binary", ("PutItem", put("@binary_pk", {"pk": B(b"")}), INVALID)),
    # Attribute values
    case("value_without_a_type", ("PutItem", put("@simple", {**PK, "v": {}}), INVALID)),
    case(
        "value_of_two_types",
        ("PutItem", put("@simple", {**PK, "v": {"S": "x", "N": "1"}}), INVALID),
    ),
    case("value_of_unknown_type", ("PutItem", put("@simple", {**PK, "v": {"X": "x"}}), INVALID)),
    case("null_must_be_true", ("PutItem", put("@simple", {**PK, "v": {"NULL": False}}), INVALID)),
    case("empty_string_set", ("PutItem", put("@simple", {**PK, "v": {"SS": []}}), INVALID)),
    case("empty_number_set", ("PutItem", put("@simple", {**PK, "v": {"NS": []}}), INVALID)),
    case("empty_binary_set", ("PutItem", put("@simple", {**PK, "v": {"BS": []}}), INVALID)),
    case("empty_set_in_map", ("PutItem", put("@simple", {**PK, "v": M(x={"SS": []})}), INVALID)),
    case("empty_set_in_list", ("PutItem", put("@simple", {**PK, "v": L({"SS": []})}), INVALID)),
    case("twice_in_string_set", ("PutItem", put("@simple", {**PK, "v": SS("a", "a")}), INVALID)),
    case("twice_in_number_set", ("PutItem", put("@simple", {**PK, "v": NS(1, 1)}), INVALID)),
    case("twice_by_value", ("PutItem", put("@simple", {**PK, "v": NS(1, "1.0")}), INVALID)),
    case("twice_in_binary_set", ("PutItem", put("@simple", {**PK, "v": BS(b"a", b"a")}), INVALID)),
    case(
        "empty_text_in_string_set",
        ("PutItem", put("@simple", {**PK, "v": SS("")}), EMPTY),
        ("GetItem", at("@simple", PK), {"Item": {**PK, "v": SS("")}}),
        source="HowItWorks.NamingRulesDataTypes",
    ),
    case("number_not_a_number", ("PutItem", put("@simple", {**PK, "v": N("one")}), INVALID)),
    case("number_empty", ("PutItem", put("@simple", {**PK, "v": N("")}), INVALID)),
    case("number_set_with_text", ("PutItem", put("@simple", {**PK, "v": NS(1, "x")}), INVALID)),
    case(
        "binary_not_base64",
        ("PutItem", put("@simple", {**PK, "v": {"B": "*"}}), NOT_SERIALIZED),
    ),
    case(
        "string_given_as_number",
        ("PutItem", put("@simple", {**PK, "v": {"S": 1}}), NOT_SERIALIZED),
    ),
    case(
        "number_given_as_number",
        ("PutItem", put("@simple", {**PK, "v": {"N": 1}}), NOT_SERIALIZED),
    ),
    case(
        "list_given_as_map",
        ("PutItem", put("@simple", {**PK, "v": {"L": {}}}), NOT_SERIALIZED),
    ),
    case(
        "map_given_as_list",
        ("PutItem", put("@simple", {**PK, "v": {"M": []}}), NOT_SERIALIZED),
    ),
    case(
        "boolean_given_as_text",
        ("PutItem", put("@simple", {**PK, "v": {"BOOL": "maybe"}}), NOT_SERIALIZED),
    ),
    case(
        "value_given_as_text",
        ("PutItem", put("@simple", {**PK, "v": "x"}), NOT_SERIALIZED),
    ),
    case(
        "empty_attribute_name",
        ("PutItem", put("@simple", {**PK, "": S("x")}), INVALID),
        source="HowItWorks.NamingRulesDataTypes",
    ),
    # Conditions
    case(
        "absent_key_may_be_created",
        (
            "PutItem",
            put("@simple", PK, ConditionExpression="attribute_not_exists(pk)"),
            EMPTY,
        ),
    ),
    case(
        "present_key_may_not_be_created",
        (
            "PutItem",
            put("@simple", {**PK, "v": N(2)}, ConditionExpression="attribute_not_exists(pk)"),
            CONDITION_FAILED,
        ),
        ("GetItem", at("@simple", PK), {"Item": {**PK, "v": N(1)}}),
        given=puts("@simple", {**PK, "v": N(1)}),
    ),
    case(
        "failed_condition_returns_the_old_item_when_asked",
        (
            "PutItem",
            put(
                "@simple",
                {**PK, "v": N(2)},
                ConditionExpression="attribute_not_exists(pk)",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            ),
            error("ConditionalCheckFailedException", Item={**PK, "v": N(1)}),
        ),
        given=puts("@simple", {**PK, "v": N(1)}),
    ),
    case(
        "failed_condition_on_an_absent_item_returns_none",
        (
            "PutItem",
            put(
                "@simple",
                PK,
                ConditionExpression="attribute_exists(pk)",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            ),
            CONDITION_FAILED,
        ),
    ),
    case(
        "condition_sees_the_old_item_not_the_new",
        (
            "PutItem",
            put(
                "@simple",
                {**PK, "v": N(2)},
                ConditionExpression="v = :old",
                ExpressionAttributeValues={":old": N(1)},
            ),
            EMPTY,
        ),
        given=puts("@simple", {**PK, "v": N(1)}),
    ),
    case(
        "names_without_expression",
        ("PutItem", put("@simple", PK, ExpressionAttributeNames={"#v": "v"}), INVALID),
    ),
    case(
        "values_without_expression",
        ("PutItem", put("@simple", PK, ExpressionAttributeValues={":v": N(1)}), INVALID),
    ),
    case(
        "bad_value_of_return_on_failure",
        (
            "PutItem",
            put("@simple", PK, ReturnValuesOnConditionCheckFailure="ALL_NEW"),
            INVALID,
        ),
    ),
    case("bad_return_values", ("PutItem", put("@simple", PK, ReturnValues="SOME"), INVALID)),
    case(
        "bad_return_consumed_capacity",
        ("PutItem", put("@simple", PK, ReturnConsumedCapacity="ALL"), INVALID),
    ),
    case(
        "bad_return_item_collection_metrics",
        ("PutItem", put("@simple", PK, ReturnItemCollectionMetrics="ALL"), INVALID),
    ),
    case(
        "item_collection_metrics_with_a_local_index",
        (
            "PutItem",
            put("@one_local", {"pk": S("a"), "sk": S("b")}, ReturnItemCollectionMetrics="SIZE"),
            {
                "ItemCollectionMetrics": {
                    "ItemCollectionKey": {"pk": S("a")},
                    "SizeEstimateRangeGB": [0, 1],
                }
            },
        ),
    ),
    case(
        "no_item_collection_metrics_without_a_local_index",
        ("PutItem", put("@simple", PK, ReturnItemCollectionMetrics="SIZE"), EMPTY),
    ),
    # Keys of indexes
    case(
        "index_key_of_wrong_type",
        ("PutItem", put("@one_global", {**PK, "g": N(1)}), INVALID),
        ("GetItem", at("@one_global", PK), EMPTY),
    ),
    case("index_key_is_empty_text", ("PutItem", put("@one_global", {**PK, "g": S("")}), INVALID)),
    case("index_key_is_null", ("PutItem", put("@one_global", {**PK, "g": NULL}), INVALID)),
    case(
        "local_index_key_of_wrong_type",
        ("PutItem", put("@one_local", {"pk": S("a"), "sk": S("b"), "l": N(1)}), INVALID),
    ),
    case(
        "local_index_key_is_empty_text",
        ("PutItem", put("@one_local", {"pk": S("a"), "sk": S("b"), "l": S("")}), INVALID),
    ),
    case("index_key_may_be_absent", ("PutItem", put("@one_global", PK), EMPTY)),
]


def test_put_item(tables: Tables, case: Case) -> None:
    """PutItem answers as DynamoDB does."""
    check(tables, case)
