"""JSON blobs: one text for one value, in every language."""

from __future__ import annotations

import json
import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypact.blobs import DEPTH_MAX, NotJson, read_blob, write_blob
from keypact.errors import InvalidValue
from keypact.schema.models import Attribute
from keypact.values import decode_attribute, encode_attribute


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        ("", '""'),
        ("a/b<>&\u2028é😀\x7f", '"a/b<>&\u2028é😀\x7f"'),
        ('"\\\n\r\t\b\f\x00\x1f', '"\\"\\\\\\n\\r\\t\\b\\f\\u0000\\u001f"'),
        ([], "[]"),
        ({}, "{}"),
        ((1, [2]), "[1,[2]]"),
        ({"b": 1, "a": {"d": [], "c": None}}, '{"a":{"c":null,"d":[]},"b":1}'),
        # By code point, where UTF-16 would put them the other way round.
        ({"\U0001f600": 1, "\uff5e": 2, "Z": 3, "a": 4}, '{"Z":3,"a":4,"\uff5e":2,"\U0001f600":1}'),
        (2**70, "1180591620717411303424"),
        (Decimal("12345678901234567890.123456789"), "12345678901234567890.123456789"),
        (Decimal("1.50"), "1.5"),
        (Decimal("1E+30"), "1e+30"),
        (Decimal("-0"), "0"),
    ],
)
def test_a_value_has_one_text(value, text):
    """Sorted by code point, no spaces, raw UTF-8, the escapes that JSON demands and no more."""
    assert write_blob(value) == text


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        # RFC 8785, appendix B: doubles as ECMAScript writes them.
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_floats_are_written_as_ecmascript_does(bits, text):
    """So that Go and TypeScript write the same bytes for the same number."""
    import struct

    assert write_blob(struct.unpack(">d", bytes.fromhex(bits))[0]) == text


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        Decimal("NaN"),
        {1: 2},
        {None: 1},
        {"a"},
        b"x",
        "\ud800",
        object(),
    ],
)
def test_what_json_cannot_hold_is_refused(value):
    """NaN and infinity, names that are not text, sets, bytes, surrogates."""
    with pytest.raises(NotJson):
        write_blob({"a": [value]})
    with pytest.raises(InvalidValue, match="attribute a"):
        encode_attribute(Attribute("a", "S", json=True), [value])


def test_an_integer_that_python_will_not_print_is_refused():
    """Beyond some thousands of digits there is no text to be had."""
    with pytest.raises(NotJson):
        write_blob(10**5000)
    with pytest.raises(NotJson):
        read_blob("1" * 5000)


def test_a_value_that_contains_itself_is_refused():
    """There is a limit to nesting, far beyond what anybody stores."""
    endless: dict = {}
    endless["a"] = endless
    with pytest.raises(NotJson, match="levels"):
        write_blob(endless)
    deep: object = 1
    for _ in range(DEPTH_MAX):
        deep = [deep]
    assert read_blob(write_blob(deep)) == deep


@pytest.mark.parametrize("text", ["", "{", "NaN", "[Infinity]", "{'a':1}", "[1,]", "[" * 100_000])
def test_text_that_is_no_json_is_refused(text):
    """With a typed error, however it is broken."""
    with pytest.raises(NotJson):
        read_blob(text)


def test_numbers_read_without_losing_digits():
    """int; float where it names the same decimal; Decimal where a float would lose digits."""
    found = read_blob("[1,-0,12345678901234567890,0.1,1e3,0.1234567890123456789,1e400]")
    assert found == [
        1,
        0,
        12345678901234567890,
        0.1,
        1000.0,
        Decimal("0.1234567890123456789"),
        Decimal("1e400"),
    ]
    assert [type(one) for one in found] == [int, int, int, float, float, Decimal, Decimal]


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


def _is_same(found, value):
    """Equal; and where a float was given, the number that is this float."""
    if isinstance(value, float):
        return not isinstance(found, bool) and float(found) == value
    if isinstance(value, list):
        return len(found) == len(value) and all(map(_is_same, found, value))
    if isinstance(value, dict):
        return found.keys() == value.keys() and all(_is_same(found[k], value[k]) for k in value)
    return found == value and type(found) is type(value)


@given(_JSON)
def test_any_json_value_comes_back(value):
    """Written, read by any JSON reader, and read by us, it is the same value."""
    text = write_blob(value)
    assert _is_same(json.loads(text), value)
    assert _is_same(read_blob(text), value)
    assert write_blob(read_blob(text)) == text
    attribute = Attribute("a", "S", json=True)
    encoded = encode_attribute(attribute, value)
    assert encoded == ({"NULL": True} if value is None else {"S": text})
    assert encoded is not None
    assert _is_same(decode_attribute(attribute, encoded), value)


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_decimal_keeps_its_value(number):
    """Every digit is written, and text read and written again is the same text."""
    text = write_blob(number)
    assert Decimal(text) == number
    assert write_blob(read_blob(text)) == text
