"""Key conditions: equality on the partition, then at most one comparison along the sort key."""

from __future__ import annotations

from typing import Any

import pytest

from keypact.engine.errors import ValidationException
from keypact.engine.expressions import Environment, KeyCondition, KeyStretch, KeyTest

P, S, T = {"S": "p"}, {"S": "s"}, {"S": "t"}
TYPES = {"pk": "S", "sk": "S", "p1": "S", "p2": "N", "s1": "S", "s2": "N", "s3": "S"}


def bind(text: str, **values: Any) -> KeyCondition:
    given = {":p": P, ":s": S, ":t": T, ":n": {"N": "1"}, **{f":{k}": v for k, v in values.items()}}
    return Environment({"#k": "pk"}, given).key_condition(text)


def refusal(text: str, **values: Any) -> str:
    with pytest.raises(ValidationException) as caught:
        bind(text, **values).resolve(["pk"], ["sk"], TYPES)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "sort", "compared"),
    [
        ("pk = :p", [], None),
        ("#k = :p", [], None),
        (":p = pk", [], None),
        ("(pk = :p)", [], None),
        ("pk = (:p)", [], None),
        ("pk = :p AND sk = :s", [S], None),
        ("sk = :s AND pk = :p", [S], None),
        ("pk = :p AND sk < :s", [], ("<", (S,))),
        ("pk = :p and sk <= :s", [], ("<=", (S,))),
        ("(pk = :p) AND (sk > :s)", [], (">", (S,))),
        ("((pk = :p) AND sk >= :s)", [], (">=", (S,))),
        ("pk = :p AND :s < sk", [], (">", (S,))),
        ("pk = :p AND :s >= sk", [], ("<=", (S,))),
        ("pk = :p AND sk BETWEEN :s AND :t", [], ("BETWEEN", (S, T))),
        ("pk = :p AND sk between :s and :s", [], ("BETWEEN", (S, S))),
        ("pk = :p AND begins_with(sk, :s)", [], ("begins_with", (S,))),
        ("pk = :p AND (begins_with(sk, :s))", [], ("begins_with", (S,))),
    ],
)
def test_conditions_on_a_plain_key(
    text: str, sort: list[Any], compared: tuple[str, tuple[Any, ...]] | None
) -> None:
    test = None if compared is None else KeyTest("sk", *compared)
    assert bind(text).resolve(["pk"], ["sk"], TYPES) == KeyStretch([P], sort, test)


N = {"N": "1"}
MISSED = "Query condition missed key schema element: "
UNSUPPORTED = "Query key condition not supported"


@pytest.mark.parametrize(
    ("text", "sort", "compared"),
    [
        ("p1 = :p AND p2 = :n", [], None),
        ("p2 = :n AND s1 = :s AND p1 = :p", [S], None),
        ("p1 = :p AND p2 = :n AND s1 = :s AND s2 = :n AND s3 = :t", [S, N, T], None),
        ("p1 = :p AND p2 = :n AND s1 > :s", [], KeyTest("s1", ">", (S,))),
        ("s2 < :n AND p1 = :p AND p2 = :n AND s1 = :s", [S], KeyTest("s2", "<", (N,))),
    ],
)
def test_conditions_on_a_key_of_several_attributes(
    text: str, sort: list[Any], compared: KeyTest | None
) -> None:
    """All partition attributes; sort attributes from the left, the last may be compared."""
    stretch = bind(text).resolve(["p1", "p2"], ["s1", "s2", "s3"], TYPES)
    assert stretch == KeyStretch([P, N], sort, compared)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p1 = :p", MISSED + "p2"),
        ("p1 = :p AND p2 > :n", UNSUPPORTED),
        ("p1 = :p AND p2 = :n AND s2 = :n", MISSED + "s1"),
        ("p1 = :p AND p2 = :n AND s1 > :s AND s2 = :n", UNSUPPORTED),
        (
            "p1 = :p AND p2 = :n AND s1 = :s AND s3 = :s",
            MISSED + "s2",
        ),
    ],
)
def test_conditions_that_leave_a_gap(text: str, message: str) -> None:
    with pytest.raises(ValidationException) as caught:
        bind(text).resolve(["p1", "p2"], ["s1", "s2", "s3"], TYPES)
    assert caught.value.message == message


OPERATOR = "Invalid operator used in KeyConditionExpression: "
CONDITION = "Invalid condition in KeyConditionExpression: "
MULTIPLE = CONDITION + "Multiple attribute names used in one condition"
NESTED = "KeyConditionExpressions cannot contain nested operations"
DEEP = "KeyConditionExpressions cannot have conditions on nested attributes"
ONCE = "KeyConditionExpressions must only contain one condition per key"
SCHEMA = (
    "One or more parameter values were invalid: Condition parameter type does not match schema type"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sk = :s", MISSED + "pk"),
        ("a = :p", MISSED + "pk"),
        ("pk = :p AND a = :s", MISSED + "sk"),
        ("pk = :p AND sk = :s AND a = :s", UNSUPPORTED),
        ("pk > :p", UNSUPPORTED),
        ("begins_with(pk, :p)", UNSUPPORTED),
        ("pk BETWEEN :p AND :p", UNSUPPORTED),
        ("pk = :p OR sk = :s", OPERATOR + "OR"),
        ("NOT pk = :p", OPERATOR + "NOT"),
        ("NOT NOT pk = :p", OPERATOR + "NOT"),
        ("pk = :p AND sk <> :s", OPERATOR + "<>"),
        ("pk IN (:p)", OPERATOR + "IN"),
        ("attribute_exists(pk)", OPERATOR + "attribute_exists"),
        ("pk = :p AND contains(sk, :s)", OPERATOR + "contains"),
        ("pk = sk", MULTIPLE),
        ("pk = :p AND sk BETWEEN pk AND :s", MULTIPLE),
        ("pk = :p AND begins_with(sk, pk)", MULTIPLE),
        (":p = :p", CONDITION + "No key attribute specified"),
        (
            "pk = :p AND begins_with(:s, sk)",
            CONDITION + "begins_with operator must have the key attribute as its first operand",
        ),
        (
            "pk = :p AND :s BETWEEN sk AND :t",
            CONDITION + "BETWEEN operator must have the key attribute as its first operand",
        ),
        ("size(pk) = :n", NESTED),
        ("pk = :p AND sk > size(sk)", NESTED),
        ("pk.a = :p", DEEP),
        ("pk = :p AND sk[0] = :s", DEEP),
        ("pk = :p AND pk = :p", ONCE),
        ("pk = :p AND sk > :s AND sk < :t", ONCE),
        ("pk = :p AND (sk = :s AND sk = :s)", ONCE),
        ("pk = :n", SCHEMA),
        ("pk = :p AND sk > :n", SCHEMA),
        (
            "pk = :p AND sk BETWEEN :t AND :s",
            (
                "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be "
                "greater than or equal to lower bound; lower bound operand: AttributeValue: {S:t}, "
                "upper bound operand: AttributeValue: {S:s}"
            ),
        ),
        (
            "pk = :p AND begins_with(sk, :n)",
            (
                "Invalid KeyConditionExpression: Incorrect operand type for operator or function; "
                "operator or function: begins_with, operand type: N"
            ),
        ),
        (
            "pk = pk",
            (
                "Invalid KeyConditionExpression: The first operand must be distinct from the "
                "remaining operands for this operator or function; operator: =, first operand: [pk]"
            ),
        ),
    ],
)
def test_conditions_that_no_query_takes(text: str, message: str) -> None:
    assert refusal(text) == message


def test_a_table_without_a_sort_key_takes_no_second_condition() -> None:
    with pytest.raises(ValidationException, match=UNSUPPORTED):
        bind("pk = :p AND sk = :s").resolve(["pk"], [], TYPES)


def test_binary_prefixes() -> None:
    stretch = bind("pk = :p AND begins_with(sk, :b)", b={"B": "AQ=="}).resolve(
        ["pk"], ["sk"], {"pk": "S", "sk": "B"}
    )
    assert stretch.compared == KeyTest("sk", "begins_with", ({"B": "AQ=="},))
