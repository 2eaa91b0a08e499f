"""Requests no client would make: an error, nothing changed, and the next one is answered."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    ANYTHING,
    EMPTY,
    INVALID,
    NOT_SERIALIZED,
    Case,
    N,
    Raw,
    S,
    Source,
    at,
    error,
    including,
    on,
    put,
)
from tests.conformance.check import Tables, check

case = Source("bad_input", "CommonErrors")

A = {"pk": S("a")}
LISTED = ("ListTables", {"Limit": 1}, including(TableNames=ANYTHING))
UNKNOWN = error("UnknownOperationException")
UNSIGNED = error("MissingAuthenticationTokenException")
PUT = "DynamoDB_20120810.PutItem"


def sends(
    name: str,
    body: bytes,
    expected: Any,
    source: str = "",
    **more: Any,
) -> Case:
    """A case: these bytes get this answer, and the engine still answers afterwards."""
    return case(name, Raw(body, expected, **more), LISTED, source=source)


def puts_value(name: str, value: bytes, expected: Any, source: str = "") -> Case:
    """A case: an attribute value as JSON text."""
    body = b'{"TableName": "@simple", "Item": {"pk": {"S": "a"}, "v": ' + value + b"}}"
    return case(
        name,
        Raw(body, expected, target=PUT),
        ("GetItem", at("@simple", A), EMPTY),
        source=source,
    )


def asks(name: str, operation: str, request: Any, expected: Any, source: str = "") -> Case:
    return case(name, (operation, request, expected), LISTED, source=source)


DEEP = 20_000

CASES = [
    # Not JSON
    sends("empty_body", b"", NOT_SERIALIZED, source="JSON protocol"),
    sends("not_json", b"hello", NOT_SERIALIZED),
    sends("open_object", b'{"Limit": 1', NOT_SERIALIZED),
    sends("trailing_garbage", b'{"Limit": 1} hello', NOT_SERIALIZED, source="majority"),
    sends("single_quotes", b"{'Limit': 1}", NOT_SERIALIZED),
    sends("trailing_comma", b'{"Limit": 1,}', NOT_SERIALIZED),
    sends("comment", b'{"Limit": 1 /* one */}', NOT_SERIALIZED),
    sends("not_a_number", b'{"Limit": NaN}', NOT_SERIALIZED),
    sends("array", b"[]", NOT_SERIALIZED),
    sends("text", b'"hello"', NOT_SERIALIZED),
    sends("number", b"5", NOT_SERIALIZED),
    sends("invalid_utf8", b'{"ExclusiveStartTableName": "\xff\xfe\xfd"}', NOT_SERIALIZED),
    sends("nul_bytes", b"\x00\x00\x00", NOT_SERIALIZED),
    sends("deep_arrays", b"[" * DEEP + b"]" * DEEP, NOT_SERIALIZED),
    # Targets
    sends("unknown_operation", b"{}", UNKNOWN, target="DynamoDB_20120810.MakeCoffee"),
    sends("operation_in_small_letters", b"{}", UNKNOWN, target="DynamoDB_20120810.listtables"),
    sends("operation_empty", b"{}", UNKNOWN, target="DynamoDB_20120810."),
    sends("unknown_service", b"{}", UNKNOWN, target="Kinesis_20131202.ListTables"),
    sends("target_without_a_dot", b"{}", UNKNOWN, target="ListTables"),
    sends("no_target", b"{}", UNKNOWN, target=None),
    sends(
        "unknown_operation_with_bad_json",
        b"{",
        NOT_SERIALIZED,
        target="DynamoDB_20120810.MakeCoffee",
        source="majority",
    ),
    # Signatures
    sends("unsigned", b"{}", UNSIGNED, headers=(("Authorization", ""), ("X-Amz-Date", ""))),
    # Types
    asks("request_is_a_list", "ListTables", [], NOT_SERIALIZED),
    asks("request_is_text", "ListTables", "hello", NOT_SERIALIZED),
    asks("limit_is_an_object", "ListTables", {"Limit": {}}, NOT_SERIALIZED),
    asks("limit_is_large", "ListTables", {"Limit": 10**9}, INVALID),
    asks("limit_is_null", "ListTables", {"Limit": None}, including(TableNames=ANYTHING)),
    asks("name_is_an_object", "DescribeTable", {"TableName": {}}, NOT_SERIALIZED),
    asks("name_is_true", "DescribeTable", {"TableName": True}, NOT_SERIALIZED),
    asks("name_is_null", "DescribeTable", {"TableName": None}, INVALID),
    asks("key_is_a_list", "GetItem", {"TableName": "@simple", "Key": [A]}, NOT_SERIALIZED),
    asks("value_is_a_list", "GetItem", at("@simple", {"pk": ["a"]}), NOT_SERIALIZED),
    asks("value_is_null", "GetItem", at("@simple", {"pk": None}), INVALID, source="majority"),
    asks("expression_is_a_number", "Scan", on("@simple", FilterExpression=5), NOT_SERIALIZED),
    asks("names_are_a_list", "Scan", on("@simple", ExpressionAttributeNames=[]), NOT_SERIALIZED),
    asks(
        "name_of_placeholder_is_a_number",
        "Scan",
        on("@simple", FilterExpression="#n = #n", ExpressionAttributeNames={"#n": 5}),
        NOT_SERIALIZED,
    ),
    asks("consistent_is_a_list", "Scan", on("@simple", ConsistentRead=[]), NOT_SERIALIZED),
    asks(
        "batch_is_a_list",
        "BatchGetItem",
        {"RequestItems": [{"@simple": {"Keys": [A]}}]},
        NOT_SERIALIZED,
    ),
    asks(
        "transaction_is_an_object",
        "TransactGetItems",
        {"TransactItems": {"Get": at("@simple", A)}},
        NOT_SERIALIZED,
    ),
    asks(
        "schema_is_an_object", "CreateTable", {"TableName": "@new", "KeySchema": {}}, NOT_SERIALIZED
    ),
    # Values
    puts_value("string_set_of_numbers", b'{"SS": [1, 2]}', NOT_SERIALIZED),
    puts_value("number_set_of_numbers", b'{"NS": [1, 2]}', NOT_SERIALIZED),
    puts_value("string_set_is_text", b'{"SS": "a"}', NOT_SERIALIZED),
    puts_value("string_is_null", b'{"S": null}', INVALID, source="majority"),
    puts_value("list_of_null", b'{"L": [null]}', INVALID, source="majority"),
    puts_value("list_of_text", b'{"L": ["a"]}', NOT_SERIALIZED),
    puts_value("map_of_text", b'{"M": {"a": "b"}}', NOT_SERIALIZED),
    puts_value("null_is_text", b'{"NULL": "maybe"}', NOT_SERIALIZED),
    puts_value("binary_is_a_number", b'{"B": 5}', NOT_SERIALIZED),
    puts_value("binary_of_bad_length", b'{"B": "abcde"}', NOT_SERIALIZED),
    puts_value("binary_of_other_alphabet", b'{"B": "_-__"}', NOT_SERIALIZED),
    puts_value("deep_list", b'{"L": [' * 200 + b"]}" * 200, INVALID, source="Constraints"),
    puts_value("open_value", b'{"S": "a"', NOT_SERIALIZED),
    puts_value("raw_newline_in_text", b'{"S": "a\nb"}', NOT_SERIALIZED),
    puts_value("bad_escape", b'{"S": "\\x41"}', NOT_SERIALIZED),
    # Text that is odd, and allowed
    case(
        "nul_in_text",
        ("PutItem", put("@simple", {**A, "v": S("a\x00b")}), EMPTY),
        ("GetItem", at("@simple", A), {"Item": {**A, "v": S("a\x00b")}}),
    ),
    case(
        "nul_in_key",
        ("PutItem", put("@simple", {"pk": S("\x00")}), EMPTY),
        ("GetItem", at("@simple", {"pk": S("\x00")}), {"Item": {"pk": S("\x00")}}),
    ),
    case(
        "nul_in_attribute_name",
        ("PutItem", put("@simple", {**A, "v\x00": N(1)}), EMPTY),
        ("GetItem", at("@simple", A), {"Item": {**A, "v\x00": N(1)}}),
    ),
    case(
        "nul_in_expression",
        ("PutItem", put("@simple", A, ConditionExpression="attribute_exists(v\x00)"), INVALID),
    ),
    case(
        "pair_of_surrogates",
        Raw(
            b'{"TableName": "@simple", "Item": {"pk": {"S": "a"}, "v": {"S": "\\ud83d\\ude00"}}}',
            EMPTY,
            target=PUT,
        ),
        ("GetItem", at("@simple", A), {"Item": {**A, "v": S("\U0001f600")}}),
    ),
    case(
        "escapes",
        Raw(
            b'{"TableName": "@simple", "Item": {"pk": {"S": "a"}, '
            b'"v": {"S": "\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041"}}}',
            EMPTY,
            target=PUT,
        ),
        ("GetItem", at("@simple", A), {"Item": {**A, "v": S('"\\/\b\f\n\r\tA')}}),
    ),
    case(
        "raw_utf8",
        Raw(
            '{"TableName": "@simple", "Item": {"pk": {"S": "a"}, "é": {"S": "日本😀"}}}'.encode(),
            EMPTY,
            target=PUT,
        ),
        ("GetItem", at("@simple", A), {"Item": {**A, "é": S("日本😀")}}),
    ),
    # Text is UTF-8, in which half a pair cannot be written. Only one witness refuses it with
    # an error of the protocol; the others fail, or keep what they cannot give back.
    puts_value(
        "unpaired_surrogate",
        b'{"S": "\\ud800"}',
        NOT_SERIALIZED,
        source="HowItWorks.NamingRulesDataTypes",
    ),
]


def test_bad_input(tables: Tables, case: Case) -> None:
    """Bad input is answered with DynamoDB's error, and the engine goes on."""
    check(tables, case)
