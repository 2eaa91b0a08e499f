"""Conditions and filters: true of an item or false of it, as DynamoDB has it."""

from __future__ import annotations

from typing import Any

import pytest

from keypact.engine.errors import ValidationException
from keypact.engine.expressions import Environment

ITEM: dict[str, Any] = {
    "s": {"S": "héllo😀"},
    "n": {"N": "5"},
    "five": {"N": "5"},
    "b": {"B": "AQID"},
    "t": {"BOOL": True},
    "z": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2"]},
    "bs": {"BS": ["AQ==", "Ag=="]},
    "l": {"L": [{"S": "x"}, {"N": "3"}, {"L": [{"S": "y"}]}, {"SS": ["p", "q"]}]},
    "m": {"M": {"k": {"S": "v"}, "j": {"N": "2"}, "deep": {"L": [{"M": {"x": {"N": "1"}}}]}}},
    "e": {"S": ""},
    "three": {"N": "3"},
    "he": {"S": "hé"},
}

S, N, B = ({"S": "x"}, {"N": "1"}, {"B": "eA=="})
OF_EACH_TYPE: dict[str, Any] = {
    "S": S,
    "N": N,
    "B": B,
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
    "SS": {"SS": ["x"]},
    "NS": {"NS": ["1"]},
    "BS": {"BS": ["eA=="]},
    "L": {"L": [S]},
    "M": {"M": {"x": S}},
}


def matches(text: str, item: dict[str, Any] | None = ITEM, **values: Any) -> bool:
    env = Environment(None, {f":{name}": value for name, value in values.items()} or None)
    condition = env.condition("ConditionExpression", text)
    env.finish()
    return condition.matches(item)


def refusal(text: str, **values: Any) -> str:
    with pytest.raises(ValidationException) as caught:
        matches(text, **values)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        # Equal numbers are equal whatever their text; sets have no order.
        ("n = :v", {"N": "5.00e0"}, True),
        ("n = :v", {"S": "5"}, False),
        ("n <> :v", {"S": "5"}, True),
        ("ss = :v", {"SS": ["b", "a"]}, True),
        ("ns = :v", {"NS": ["2.0", "1"]}, True),
        ("ns = :v", {"NS": ["1"]}, False),
        ("l = :v", {"L": [*ITEM["l"]["L"][:3], {"SS": ["q", "p"]}]}, True),
        ("m.deep = :v", {"L": [{"M": {"x": {"N": "1.0"}}}]}, True),
        ("m = :v", {"M": {"k": {"S": "v"}}}, False),
        ("t = :v", {"BOOL": True}, True),
        ("z = :v", {"NULL": True}, True),
        ("z <> :v", {"NULL": True}, False),
        # Order: text by UTF-8, numbers by value, binary by bytes; other types have gone.
        ("n < :v", {"N": "10"}, True),
        ("n > :v", {"N": "-10"}, True),
        ("n >= :v", {"N": "5.0"}, True),
        ("n < :v", {"S": "9"}, False),
        ("s > :v", {"S": "hz"}, True),
        ("s < :v", {"S": "h\uffff"}, True),
        ("s < :v", {"S": "h😀"}, True),
        ("b < :v", {"B": "AQIDBA=="}, True),
        ("b > :v", {"B": "AQH/"}, True),
        (":v <= n", {"N": "5"}, True),
        ("ss < :v", {"S": "z"}, False),
        # Missing attributes.
        ("gone = :v", {"S": "x"}, False),
        ("gone <> :v", {"S": "x"}, True),
        ("gone < :v", {"S": "x"}, False),
        ("NOT gone < :v", {"S": "x"}, True),
        ("gone IN (:v)", {"S": "x"}, False),
        ("gone BETWEEN :v AND :v", {"S": "x"}, False),
        ("m.gone.deeper <> :v", {"S": "x"}, True),
    ],
)
def test_comparisons(text: str, value: dict[str, Any], expected: bool) -> None:
    assert matches(text, v=value) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n = five", True),
        ("n <> five", False),
        ("gone = nil", True),
        ("gone <> nil", False),
        ("gone IN (nil)", True),
        ("n < s", False),
        ("t < z", False),
        ("n IN (three, five)", True),
        ("n BETWEEN three AND five", True),
        ("n BETWEEN five AND three", False),
        ("n BETWEEN s AND five", False),
        ("size(l) > size(m)", True),
    ],
)
def test_attributes_compare_with_each_other(text: str, expected: bool) -> None:
    """What is missing equals only something else that is missing."""
    assert matches(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("attribute_exists(s)", True),
        ("attribute_exists(z)", True),
        ("attribute_exists(gone)", False),
        ("attribute_exists(m.k)", True),
        ("attribute_exists(m.deep[0].x)", True),
        ("attribute_exists(m.deep[1].x)", False),
        ("attribute_exists(m.deep[0].y)", False),
        ("attribute_exists(s.k)", False),
        ("attribute_exists(l[0])", True),
        ("attribute_exists(l[2][0])", True),
        ("attribute_exists(l[99999999999999999999999])", False),
        ("attribute_exists(m[0])", False),
        ("attribute_exists(l.x)", False),
        ("attribute_exists(ss[0])", False),
        ("attribute_not_exists(gone)", True),
        ("attribute_not_exists(l[9])", True),
        ("attribute_not_exists(s)", False),
        ("begins_with(s, he)", True),
        ("begins_with(s, n)", False),
        ("begins_with(n, five)", False),
        ("begins_with(ss, s)", False),
        ("contains(s, he)", True),
        ("contains(l, three)", True),
        ("contains(l, gone)", False),
    ],
)
def test_functions_of_paths(text: str, expected: bool) -> None:
    assert matches(text) is expected


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("begins_with(s, :v)", {"S": "hé"}, True),
        ("begins_with(s, :v)", {"S": ""}, True),
        ("begins_with(b, :v)", {"B": "AQI="}, True),
        ("begins_with(b, :v)", {"B": "Ag=="}, False),
        ("begins_with(b, :v)", {"S": "A"}, False),
        ("begins_with(gone, :v)", {"S": ""}, False),
        ("begins_with(:v, he)", {"S": "hé!"}, True),
        ("contains(s, :v)", {"S": "llo"}, True),
        ("contains(s, :v)", {"N": "5"}, False),
        ("contains(b, :v)", {"B": "AgM="}, True),
        # Bytes, not their base64: "AQM=" is in neither.
        ("contains(b, :v)", {"B": "AQM="}, False),
        ("contains(ss, :v)", {"S": "a"}, True),
        ("contains(ss, :v)", {"SS": ["a"]}, False),
        ("contains(ns, :v)", {"N": "1.0"}, True),
        ("contains(bs, :v)", {"B": "AQ=="}, True),
        ("contains(l, :v)", {"N": "3.0"}, True),
        ("contains(l, :v)", {"L": [{"S": "y"}]}, True),
        ("contains(l, :v)", {"SS": ["q", "p"]}, True),
        ("contains(l, :v)", {"S": "y"}, False),
        ("contains(m, :v)", {"S": "k"}, False),
        ("contains(n, :v)", {"N": "5"}, False),
        ("NOT contains(gone, :v)", {"S": "a"}, True),
        ("contains(:v, n)", {"L": [{"N": "5"}]}, True),
        ("attribute_type(s, :v)", {"S": "S"}, True),
        ("attribute_type(ss, :v)", {"S": "S"}, False),
        ("attribute_type(ss, :v)", {"S": "SS"}, True),
        ("attribute_type(t, :v)", {"S": "BOOL"}, True),
        ("attribute_type(z, :v)", {"S": "NULL"}, True),
        ("attribute_type(l, :v)", {"S": "L"}, True),
        ("attribute_type(gone, :v)", {"S": "S"}, False),
    ],
)
def test_functions_of_values(text: str, value: dict[str, Any], expected: bool) -> None:
    assert matches(text, v=value) is expected


@pytest.mark.parametrize(
    ("path", "size"),
    [("s", 7), ("e", 0), ("b", 3), ("ss", 2), ("ns", 2), ("bs", 2), ("l", 4), ("m", 3)],
)
def test_size(path: str, size: int) -> None:
    """Text is measured in UTF-16, binary in bytes, the rest in members."""
    assert matches(f"size({path}) = :v", v={"N": str(size)})


@pytest.mark.parametrize("path", ["n", "t", "z", "gone", "m.j"])
def test_what_has_no_size_compares_as_missing(path: str) -> None:
    assert not matches(f"size({path}) >= :v", v={"N": "0"})
    assert matches(f"size({path}) <> :v", v={"N": "0"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{t} OR {t} AND {f}", True),
        ("({t} OR {t}) AND {f}", False),
        ("{f} AND {t} OR {t}", True),
        ("NOT {f} AND {f}", False),
        ("NOT ({f} AND {f})", True),
        ("NOT {t} OR {t}", True),
        ("NOT NOT {t}", True),
        ("NOT NOT NOT {t}", False),
        ("NOT (NOT {t})", True),
        ("{f} or not {f} and {t}", True),
        ("{t} And {t} aNd {f}", False),
    ],
)
def test_not_binds_closest_then_and_then_or(text: str, expected: bool) -> None:
    """Keywords are the same in any case."""
    text = text.format(t="attribute_exists(s)", f="attribute_exists(gone)")
    assert matches(text) is expected


def test_no_item_is_an_item_without_attributes() -> None:
    assert matches("attribute_not_exists(pk)", None)
    assert not matches("attribute_exists(pk)", None)


@pytest.mark.parametrize("operator", ["=", "<>"])
@pytest.mark.parametrize("tag", OF_EACH_TYPE)
def test_values_of_all_types_may_be_equal(operator: str, tag: str) -> None:
    assert matches(f"gone {operator} :v", v=OF_EACH_TYPE[tag]) is (operator == "<>")


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("tag", OF_EACH_TYPE)
def test_only_values_that_have_an_order_are_compared(operator: str, tag: str) -> None:
    """Text, numbers and binary; a value of another type is refused before any item is read."""
    for text in (f"gone {operator} :v", f":v {operator} gone"):
        if tag in ("S", "N", "B"):
            assert not matches(text, v=OF_EACH_TYPE[tag])
        else:
            assert refusal(text, v=OF_EACH_TYPE[tag]) == (
                "Invalid ConditionExpression: Incorrect operand type for operator or function; "
                f"operator: {operator}, operand type: {tag}"
            )


TAKEN = {
    "begins_with(gone, :v)": {"S", "B"},
    "begins_with(:v, gone)": {"S", "B"},
    "gone = size(:v)": {"S", "B", "SS", "NS", "BS", "L", "M"},
    "contains(gone, :v)": set(OF_EACH_TYPE),
    "gone IN (:v)": set(OF_EACH_TYPE),
    "gone BETWEEN :v AND :v": {"S", "N", "B"},
}


@pytest.mark.parametrize("text", TAKEN)
@pytest.mark.parametrize("tag", OF_EACH_TYPE)
def test_types_that_functions_take(text: str, tag: str) -> None:
    if tag in TAKEN[text]:
        assert not matches(text, v=OF_EACH_TYPE[tag])
    else:
        message = refusal(text, v=OF_EACH_TYPE[tag])
        assert "Incorrect operand type for operator or function" in message
        assert message.endswith(f"operand type: {tag}")


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        (
            "n BETWEEN :a AND :b",
            {"a": {"N": "10"}, "b": {"N": "9"}},
            (
                "The BETWEEN operator requires upper bound to be greater than or equal to "
                "lower bound; lower bound operand: AttributeValue: {N:10}, "
                "upper bound operand: AttributeValue: {N:9}"
            ),
        ),
        (
            "n BETWEEN :a AND :b",
            {"a": {"N": "1"}, "b": {"S": "10"}},
            (
                "The BETWEEN operator requires same data type for lower and upper bounds; "
                "lower bound operand: AttributeValue: {N:1}, "
                "upper bound operand: AttributeValue: {S:10}"
            ),
        ),
        (
            "attribute_type(s, :a)",
            {"a": {"S": "s"}},
            (
                "Invalid attribute type name found; type: s, "
                "valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
            ),
        ),
        (
            "attribute_type(s, :a)",
            {"a": {"N": "1"}},
            (
                "Incorrect operand type for operator or function; "
                "operator or function: attribute_type, operand type: N"
            ),
        ),
        (
            "attribute_type(s, n)",
            {},
            (
                "Incorrect operand type for operator or function; "
                "operator or function: attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
            ),
        ),
        (
            "begins_with(size(s), he)",
            {},
            (
                "Incorrect operand type for operator or function; "
                "operator or function: begins_with, operand type: N"
            ),
        ),
    ],
)
def test_values_that_cannot_serve(text: str, values: dict[str, Any], message: str) -> None:
    assert refusal(text, **values) == f"Invalid ConditionExpression: {message}"


@pytest.mark.parametrize(
    ("text", "operator", "operand"),
    [
        ("s = s", "=", "[s]"),
        ("m.k <> m.k", "<>", "[m, k]"),
        ("l[0] < l[0]", "<", "[l, [0]]"),
        ("contains(s, s)", "contains", "[s]"),
        ("begins_with(s, s)", "begins_with", "[s]"),
        ("attribute_type(s, s)", "attribute_type", "[s]"),
    ],
)
def test_an_attribute_is_not_compared_with_itself(text: str, operator: str, operand: str) -> None:
    assert refusal(text) == (
        "Invalid ConditionExpression: The first operand must be distinct from the remaining "
        f"operands for this operator or function; operator: {operator}, first operand: {operand}"
    )


@pytest.mark.parametrize(
    "text", ["m.k = m.j", "size(s) = size(s)", "n IN (n)", "n BETWEEN n AND five"]
)
def test_what_only_looks_the_same_is_compared(text: str) -> None:
    assert matches(text) is (text != "m.k = m.j")


def test_the_same_value_twice_is_compared() -> None:
    assert matches(":v = :v", v=S)


def test_names_stand_for_attributes() -> None:
    env = Environment({"#a": "m", "#b": "k", "#d": "a.b-c"}, {":v": {"S": "v"}})
    condition = env.condition("FilterExpression", "#a.#b = :v AND #d = :v")
    assert condition.matches({**ITEM, "a.b-c": {"S": "v"}})
    assert condition.attribute_names() == {"m", "a.b-c"}


def test_attribute_names_are_those_that_paths_begin_with() -> None:
    env = Environment(None, {":v": N})
    text = "a.b[0] = :v OR size(c) > :v AND NOT (begins_with(d, e) OR f IN (g, h))"
    assert env.condition("FilterExpression", text).attribute_names() == set("acdefgh")
