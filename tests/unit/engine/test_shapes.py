"""Requests against DynamoDB's shapes. Texts and orders are those of dynalite and dynoxide."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from botocore.model import ServiceModel
from botocore.validate import ParamValidator
from hypothesis import given
from hypothesis import strategies as st

from keypact.engine import shapes
from keypact.engine.errors import (
    SerializationException,
    UnknownOperationException,
    ValidationException,
)
from tests.unit.engine.requests import ANYTHING, ARN, GOOD, KEY, Json, damaged
from tools import shapes as tool


def refused(operation: str, request: object) -> str:
    with pytest.raises(ValidationException) as caught:
        shapes.check(operation, request)
    return caught.value.message


def unreadable(operation: str, request: object) -> str:
    with pytest.raises(SerializationException) as caught:
        shapes.check(operation, request)
    return caught.value.message


def null(path: str) -> str:
    return f"Value null at '{path}' failed to satisfy constraint: Member must not be null"


def test_shapes_are_those_of_botocore() -> None:
    """A newer botocore with other shapes is noticed: run ``python -m tools.shapes``."""
    model = tool.service_model()
    assert json.loads(tool.SHAPES.read_text()) == json.loads(tool.distil(model)), (
        "DynamoDB's shapes have changed in botocore: run python -m tools.shapes"
    )
    for name, first in tool.TOLD_FIRST.items():
        assert set(first) <= set(model["shapes"][name]["members"]), name
    for name, order in tool.ENUM_ORDER.items():
        assert sorted(order) == sorted(model["shapes"][name]["enum"]), name


def test_an_operation_without_a_shape_is_unknown() -> None:
    """The service's answer, not a KeyError."""
    with pytest.raises(UnknownOperationException):
        shapes.check("FlyItem", {})


# Good requests ---------------------------------------------------------------------------


def test_every_operation_has_a_good_request_here() -> None:
    """So that the properties below are about all of them."""
    assert GOOD.keys() == shapes._model().operations.keys()


@pytest.mark.parametrize("operation", GOOD)
def test_a_good_request_passes(operation: str) -> None:
    """And is left as it was."""
    request = copy.deepcopy(GOOD[operation])
    shapes.check(operation, request)
    assert request == GOOD[operation]
    assert not botocore_report(operation, request)


def test_a_null_member_is_an_absent_one() -> None:
    """At the top and below."""
    shapes.check("GetItem", {"TableName": "orders", "Key": KEY, "ConsistentRead": None})
    shapes.check("BatchGetItem", {"RequestItems": {"t-1": {"Keys": [KEY], "ConsistentRead": None}}})
    assert refused("Query", {"TableName": None}).endswith(null("tableName"))


def test_unknown_members_are_ignored() -> None:
    """Whatever is in them."""
    shapes.check("GetItem", {"TableName": "orders", "Key": KEY, "Flavour": [1, {"x": None}]})


def test_text_outside_ascii_is_good_text() -> None:
    """It takes the exact check, and passes."""
    shapes.check("GetItem", GOOD["GetItem"] | {"ExpressionAttributeNames": {"#a": "größe"}})


# Types -----------------------------------------------------------------------------------

NO_CAST = (
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
    "java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
    "java.lang.Class are in module java.base of loader 'bootstrap')"
)
JAVA = "com.amazonaws.dynamodb.v20120810"
LISTS_BY_NAME = f"java.util.Map<java.lang.String, java.util.List<{JAVA}.WriteRequest>>"
MAP_FOUND = "Start of structure or map found where not expected"


@pytest.mark.parametrize(
    ("operation", "request_", "message"),
    [
        ("GetItem", {"TableName": 3}, "NUMBER_VALUE cannot be converted to String"),
        ("GetItem", {"TableName": 3.5}, "DECIMAL_VALUE cannot be converted to String"),
        ("GetItem", {"TableName": True}, "TRUE_VALUE cannot be converted to String"),
        ("GetItem", {"TableName": False}, "FALSE_VALUE cannot be converted to String"),
        ("GetItem", {"TableName": []}, "Unrecognized collection type class java.lang.String"),
        ("GetItem", {"TableName": {}}, MAP_FOUND),
        ("GetItem", {"ConsistentRead": "true"}, "Unexpected token received from parser"),
        ("GetItem", {"ConsistentRead": 1}, "NUMBER_VALUE cannot be converted to Boolean"),
        ("GetItem", {"ConsistentRead": []}, "Unrecognized collection type class java.lang.Boolean"),
        ("ListTables", {"Limit": "23"}, "STRING_VALUE cannot be converted to Integer"),
        ("ListTables", {"Limit": True}, "TRUE_VALUE cannot be converted to Integer"),
        ("ListTables", {"Limit": {}}, MAP_FOUND),
        (
            "CreateTable",
            {"ProvisionedThroughput": {"ReadCapacityUnits": "1"}},
            "STRING_VALUE cannot be converted to Long",
        ),
        ("GetItem", {"Key": "x"}, "Unexpected field type"),
        (
            "GetItem",
            {"Key": []},
            f"Unrecognized collection type java.util.Map<java.lang.String, {JAVA}.AttributeValue>",
        ),
        ("GetItem", {"Key": {"a": "x"}}, "Unexpected value type in payload"),
        (
            "GetItem",
            {"Key": {"a": []}},
            f"Unrecognized collection type class {JAVA}.AttributeValue",
        ),
        ("GetItem", {"AttributesToGet": "x"}, "Unexpected field type"),
        ("GetItem", {"AttributesToGet": {}}, MAP_FOUND),
        ("GetItem", {"AttributesToGet": [1]}, "NUMBER_VALUE cannot be converted to String"),
        (
            "GetItem",
            {"ExpressionAttributeNames": []},
            "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>",
        ),
        ("CreateTable", {"KeySchema": ["x"]}, "Unexpected value type in payload"),
        (
            "CreateTable",
            {"KeySchema": [[]]},
            f"Unrecognized collection type class {JAVA}.KeySchemaElement",
        ),
        ("BatchGetItem", {"RequestItems": {"abc": {"Keys": ["x"]}}}, NO_CAST),
        ("BatchWriteItem", {"RequestItems": {"abc": True}}, NO_CAST),
        ("BatchWriteItem", {"RequestItems": {"abc": {}}}, MAP_FOUND),
        (
            "BatchWriteItem",
            {"RequestItems": []},
            f"Unrecognized collection type {LISTS_BY_NAME}",
        ),
        ("PutItem", {"Expected": {"a": {"Value": "x"}}}, "Unexpected field type"),
        ("TransactWriteItems", {"TransactItems": [{"Put": "x"}]}, "Unexpected field type"),
    ],
)
def test_a_type_that_does_not_fit(operation: str, request_: Json, message: str) -> None:
    """It is told before anything that is missing, in the words of the service."""
    assert unreadable(operation, request_) == message


@pytest.mark.parametrize("request_", [None, [], "x", 1, True, b"{}"])
def test_a_request_is_an_object(request_: object) -> None:
    """Anything else cannot be read."""
    unreadable("GetItem", request_)


@pytest.mark.parametrize("limit", [2**63, -(10**30), 1.0, float("nan"), b"1"])
def test_a_limit_is_a_whole_number_of_64_bits(limit: object) -> None:
    """So the store can always hold it."""
    unreadable("Query", {"TableName": "orders", "Limit": limit})


@pytest.mark.parametrize(
    "request_",
    [
        {"ProjectionExpression": "a\ud800"},
        {"ExpressionAttributeNames": {"#a": "\udfff"}},
        {"ExpressionAttributeNames": {"#\ud800": "a"}},
        {"AttributesToGet": ["\ud800"]},
    ],
)
def test_an_unpaired_surrogate_is_unreadable(request_: Json) -> None:
    """What passes can be encoded, so no one later fails on it."""
    unreadable("GetItem", {"TableName": "orders", "Key": KEY} | request_)


# Bounds ----------------------------------------------------------------------------------


def test_violations_are_told_together_in_the_services_order() -> None:
    """Not in the order of the request."""
    request = {
        "ReturnValues": "x",
        "Expected": {"a": {"ComparisonOperator": "x"}},
        "TableName": ";",
    }
    assert refused("PutItem", request) == (
        "4 validation errors detected: "
        "Value ';' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; "
        "Value null at 'item' failed to satisfy constraint: Member must not be null; "
        "Value 'x' at 'expected.a.member.comparisonOperator' failed to satisfy constraint: "
        "Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, "
        "NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]; "
        "Value 'x' at 'returnValues' failed to satisfy constraint: "
        "Member must satisfy enum value set: "
        "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
    )


def test_no_more_than_ten_violations_are_told() -> None:
    """As many as there are in a request, its answer stays short."""
    message = refused(
        "CreateTable",
        {"TableName": "orders", "AttributeDefinitions": [{}] * 50, "KeySchema": [{}]},
    )
    assert message.startswith("10 validation errors detected: ")
    assert message.count("Member must not be null") == 10
    assert message.endswith(null("attributeDefinitions.5.member.attributeType"))


@pytest.mark.parametrize(
    ("operation", "request_", "violation"),
    [
        ("Query", {"TableName": "orders", "Limit": 0}, "'0' at 'limit': value >= 1"),
        ("ListTables", {"Limit": 101}, "'101' at 'limit': value <= 100"),
        ("Query", {"TableName": "orders", "IndexName": "ab"}, "'ab' at 'indexName': length >= 3"),
        ("GetItem", {"TableName": "orders", "Key": KEY, "AttributesToGet": []},
         "'[]' at 'attributesToGet': length >= 1"),
        ("BatchGetItem", {"RequestItems": {}}, "'{}' at 'requestItems': length >= 1"),
        ("BatchGetItem", {"RequestItems": {"abc": {"Keys": []}}},
         "'[]' at 'requestItems.abc.member.keys': length >= 1"),
        ("TransactWriteItems", {"TransactItems": []}, "'[]' at 'transactItems': length >= 1"),
        ("ExecuteTransaction", {"TransactStatements": []},
         "'[]' at 'transactStatements': length >= 1"),
        ("ExecuteStatement", {"Statement": ""}, "'' at 'statement': length >= 1"),
        ("UpdateTimeToLive",
         {"TableName": "orders", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": ""}},
         "'' at 'timeToLiveSpecification.attributeName': length >= 1"),
        ("Scan", {"TableName": "orders", "Segment": -1}, "'-1' at 'segment': value >= 0"),
        ("Scan", {"TableName": "orders", "TotalSegments": 1_000_001},
         "'1000001' at 'totalSegments': value <= 1000000"),
    ],
)  # fmt: skip
def test_a_bound(operation: str, request_: Json, violation: str) -> None:
    """One violation, with the value, its path, and the bound."""
    shown, _, bound = violation.rpartition(": ")
    measure, comparison, limit = bound.split()
    compared = {">=": "greater than or equal to", "<=": "less than or equal to"}[comparison]
    assert refused(operation, request_) == (
        f"1 validation error detected: Value {shown} failed to satisfy constraint: "
        f"Member must have {measure} {compared} {limit}"
    )


def test_what_is_missing_below_is_told_with_its_path() -> None:
    """Elements of lists are counted from one; keys of maps stand in the path."""
    assert refused("BatchWriteItem", {"RequestItems": {"abc": [{"PutRequest": {}}]}}).endswith(
        null("requestItems.abc.member.1.member.putRequest.item")
    )
    assert refused("TransactGetItems", {"TransactItems": [{"Get": {"Key": KEY}}]}).endswith(
        null("transactItems.1.member.get.tableName")
    )


def test_bounds_of_a_maps_keys_and_values_are_told_once() -> None:
    """All of the constraints in one violation."""
    message = refused("BatchWriteItem", {"RequestItems": {"a;": [], "b;": []}})
    assert message == (
        "2 validation errors detected: "
        "Value '{a;=[], b;=[]}' at 'requestItems' failed to satisfy constraint: "
        "Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
        "Member must have length greater than or equal to 3, "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]; "
        "Value '{a;=[], b;=[]}' at 'requestItems' failed to satisfy constraint: "
        "Map value must satisfy constraint: [Member must have length less than or equal to 25, "
        "Member must have length greater than or equal to 1]"
    )


def test_a_value_is_shown_up_to_a_limit() -> None:
    """A large request does not make a large answer."""
    item = {"pk": {"S": "x" * 1000}}
    message = refused(
        "BatchWriteItem", {"RequestItems": {"abc": [{"PutRequest": {"Item": item}}] * 99}}
    )
    assert "Map value must satisfy constraint" in message
    assert len(message) < 20_000
    assert len(refused("Query", {"TableName": "x" * 10**6})) < 20_000


def test_attribute_values_are_not_walked() -> None:
    """However deep they are, and whatever text is in them, the answer can be sent."""
    deep: Json = {"S": "\ud800"}
    for _ in range(10_000):
        deep = {"M": {"a": deep}}
    put = {"PutRequest": {"Item": {"\ud800": deep, "s": {"S": "\ud800"}}}}
    shapes.check("BatchWriteItem", {"RequestItems": {"abc": [put]}})
    assert refused("BatchWriteItem", {"RequestItems": {"abc": [put] * 26}}).encode()


@pytest.mark.parametrize(
    ("operation", "request_", "path"),
    [
        ("GetItem", {"TableName": "orders", "Key": KEY, "AttributesToGet": [None]},
         "attributesToGet.1.member"),
        ("BatchGetItem", {"RequestItems": {"abc": None}}, "requestItems.abc.member"),
        ("TransactWriteItems", {"TransactItems": [None]}, "transactItems.1.member"),
    ],
)  # fmt: skip
def test_null_is_no_element(operation: str, request_: Json, path: str) -> None:
    """Lists and maps hold what their shape says, so operations never meet None there."""
    assert refused(operation, request_).endswith(null(path))


def test_a_null_attribute_value_is_an_empty_one() -> None:
    """Attribute values are objects in whatever passes."""
    for request in (
        {"Item": {"a": None}},
        {"Item": KEY, "ExpressionAttributeValues": {":a": None}},
    ):
        assert refused("PutItem", {"TableName": "orders"} | request) == (
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
        )


# Names of tables -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a", "a.b-c_D9", "x" * 255, ARN, "arn:" + "x" * 1020])
def test_a_table_is_named_by_name_or_arn(name: str) -> None:
    """Names too short for any table are accepted: the answer is that there is none."""
    shapes.check("GetItem", {"TableName": name, "Key": KEY})
    shapes.check("TransactGetItems", {"TransactItems": [{"Get": {"TableName": name, "Key": KEY}}]})


@pytest.mark.parametrize(
    ("name", "constraint"),
    [
        ("", "Member must have length greater than or equal to 1"),
        ("abc;", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        ("orders\n", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        ("x" * 256, "Member must have length less than or equal to 255"),
        ("arn:" + "x" * 1021, "Member must have length less than or equal to 1024"),
    ],
)
def test_what_no_table_can_be_named(name: str, constraint: str) -> None:
    """One violation, at the name."""
    assert refused("GetItem", {"TableName": name, "Key": KEY}) == (
        f"1 validation error detected: Value '{name}' at 'tableName' "
        f"failed to satisfy constraint: {constraint}"
    )


def test_a_table_is_made_by_a_name_of_three_characters_or_more() -> None:
    """And an ARN is no name for it."""
    for name, told in {"ab": "length greater than or equal to 3", ARN: "pattern"}.items():
        message = refused("CreateTable", GOOD["CreateTable"] | {"TableName": name})
        assert message.startswith("1 validation error detected: ")
        assert told in message


@pytest.mark.parametrize(
    "operation", ["DeleteTable", "DescribeTable", "DescribeTimeToLive", "UpdateTable"]
)
def test_operations_on_tables_look_at_the_name_first(operation: str) -> None:
    """Before every other violation, and in words of their own."""
    other = {"BillingMode": "x"}
    assert refused(operation, other) == (
        "The parameter 'TableName' is required but was not present in the request"
    )
    for name in ("", "ab", "x" * 256):
        assert refused(operation, {"TableName": name} | other) == (
            "TableName must be at least 3 characters long and at most 255 characters long"
        )
    assert "pattern: [a-zA-Z0-9_.-]+" in refused(operation, {"TableName": "abc;"} | other)


# Properties ------------------------------------------------------------------------------


def passes(operation: str, request: object) -> bool:
    try:
        shapes.check(operation, request)
    except (SerializationException, ValidationException):
        return False
    return True


@given(st.sampled_from(sorted(GOOD)), ANYTHING)
def test_no_request_makes_anything_but_dynamodbs_errors(operation: str, request: object) -> None:
    """Whatever JSON holds."""
    passes(operation, request)


@given(damaged())
def test_what_passes_has_the_types_of_botocores_model(case: tuple[str, Any]) -> None:
    """botocore's own validator finds no missing member and no wrong type in it."""
    operation, request = case
    if passes(operation, request):
        assert not botocore_report(operation, request)


@cache
def botocore_model() -> ServiceModel:
    return ServiceModel(tool.service_model())


def botocore_report(operation: str, request: Any) -> list[str]:
    """What botocore finds wrong, but in attribute values, which are not checked here."""
    shape = botocore_model().operation_model(operation).input_shape
    known = without_nulls(shape, request)
    return [str(error) for error in ParamValidator().validate(known, shape)._errors]


def without_nulls(shape: Any, value: Any) -> Any:
    """The value as a client would send it: no nulls, nothing DynamoDB does not know."""
    match shape.type_name:
        case "structure" if shape.name == "AttributeValue":
            return {"S": "x"}
        case "structure":
            return {
                name: without_nulls(member, value[name])
                for name, member in shape.members.items()
                if value.get(name) is not None
            }
        case "list":
            return [without_nulls(shape.member, element) for element in value]
        case "map":
            return {key: without_nulls(shape.value, element) for key, element in value.items()}
    return value


def test_the_description_is_read_at_first_use() -> None:
    """Importing the engine reads no file, so it starts at once."""
    code = (
        "from keypact.engine import shapes; assert not shapes._model.cache_info().currsize; "
        "shapes.check('ListTables', {}); assert list(shapes._acceptances) == ['ListTables']"
    )
    source = Path(shapes.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(source)}, check=False
    )
    assert done.returncode == 0


def test_every_shape_is_one_the_engine_can_read() -> None:
    """Nothing in the data is unknown to the check, and every name leads somewhere."""
    model = shapes._model()
    text = Path(shapes.__file__).with_name("shapes.json").read_bytes()
    assert msgspec.json.decode(text)["shapes"].keys() == model.shapes.keys()
    kinds = {"structure", "list", "map", "string", "integer", "long", "boolean", "attribute"}
    for shape in model.shapes.values():
        assert shape.kind in kinds
        assert set(shape.told or shape.members) == set(shape.members)
        named = {*shape.members.values(), shape.element, shape.key} - {""}
        assert named <= model.shapes.keys()
