"""Attribute values are checked, made canonical and measured as DynamoDB does."""

from __future__ import annotations

import base64
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypact.engine.attributes import (
    add_numbers,
    canonical_number,
    check_attributes,
    check_value,
    equal,
    size_of,
    size_of_attributes,
)
from keypact.engine.errors import SerializationException, ServiceError, ValidationException

number_texts = st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str)
base64_texts = st.binary(min_size=1, max_size=20).map(lambda raw: base64.b64encode(raw).decode())
scalars = st.one_of(
    st.builds(lambda v: {"S": v}, st.text()),
    st.builds(lambda v: {"N": v}, number_texts.filter(lambda t: len(t) < 30)),
    st.builds(lambda v: {"B": v}, base64_texts),
    st.builds(lambda v: {"BOOL": v}, st.booleans()),
    st.just({"NULL": True}),
    st.builds(lambda v: {"SS": v}, st.lists(st.text(min_size=1), min_size=1, unique=True)),
    st.builds(lambda v: {"NS": [str(n) for n in v]}, st.sets(st.integers(), min_size=1)),
    st.builds(lambda v: {"BS": sorted(v)}, st.sets(base64_texts, min_size=1)),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.builds(lambda v: {"L": v}, st.lists(inner, max_size=4)),
        st.builds(lambda v: {"M": v}, st.dictionaries(st.text(min_size=1), inner, max_size=4)),
    ),
    max_leaves=12,
)


@given(values)
def test_checking_is_idempotent_and_leaves_its_input(value: dict[str, Any]) -> None:
    """A canonical value is its own canonical form, of the same size; the input stays."""
    before = deepcopy(value)
    checked, size = check_value(value)
    assert value == before
    assert check_value(checked) == (checked, size)
    assert size_of(checked) == size
    assert equal(checked, checked)


@given(st.dictionaries(st.text(min_size=1), values, max_size=5))
def test_an_item_is_as_large_as_its_names_and_values(item: dict[str, Any]) -> None:
    """Names count in UTF-8."""
    checked, size = check_attributes(item)
    assert size == size_of_attributes(checked)
    assert size == sum(len(name.encode()) + size_of(value) for name, value in checked.items())


@given(st.decimals(min_value=-(10**20), max_value=10**20, places=5))
def test_canonical_numbers_keep_their_value(number: Decimal) -> None:
    """The text changes, the number does not, and equal numbers have equal texts."""
    text = canonical_number(str(number))
    assert Decimal(text) == number
    assert canonical_number(f"{number:E}") == text
    assert "e" not in text.lower()
    assert not text.startswith("+")


# Sizes by AWS's page "DynamoDB Item sizes and formats".
@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": "héllo"}, 6),
        ({"N": "0"}, 1),
        ({"N": "12"}, 2),
        ({"N": "123"}, 3),
        ({"N": "1000"}, 2),
        ({"B": "AAAA"}, 3),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["ab", "c"]}, 3),
        ({"L": []}, 3),
        ({"L": [{"S": "ab"}]}, 6),
        ({"M": {}}, 3),
        ({"M": {"k": {"S": "ab"}}}, 7),
    ],
)
def test_sizes_follow_the_documentation(value: dict[str, Any], size: int) -> None:
    """UTF-8 bytes, half a byte a digit and one more, three bytes for a list or map."""
    assert check_value(value) == (value, size)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1.0", "1"),
        ("+1", "1"),
        ("-0", "0"),
        ("0.0", "0"),
        ("007", "7"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("1E-3", "0.001"),
        ("-12.340", "-12.34"),
        ("9" * 38, "9" * 38),
        ("1" + "0" * 40, "1" + "0" * 40),
    ],
)
def test_numbers_have_one_text(text: str, canonical: str) -> None:
    """Leading and trailing zeros, signs and exponents go."""
    assert canonical_number(text) == canonical


@pytest.mark.parametrize(
    "text", ["", " 1", "1 ", "abc", "1_0", "NaN", "Infinity", "--1", "1e", "0x1", "\u0661", "1e400"]
)
def test_what_is_no_number_is_refused(text: str) -> None:
    """Python reads more than DynamoDB does; we read what DynamoDB does."""
    with pytest.raises(ValidationException):
        canonical_number(text)


@pytest.mark.parametrize("text", ["1E126", "-1E126", "1E-131", "9" * 39, "1." + "1" * 38])
def test_numbers_out_of_range_are_refused(text: str) -> None:
    """38 digits, magnitude from 1E-130 to 9.9…E+125."""
    with pytest.raises(ValidationException):
        canonical_number(text)


def test_a_sum_beyond_38_digits_is_refused() -> None:
    """Arithmetic is exact or not at all."""
    assert add_numbers("9" * 38, "1") == "1" + "0" * 38
    with pytest.raises(ValidationException):
        add_numbers("1" + "0" * 40, "1")


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({}, ValidationException),
        ({"S": "a", "N": "1"}, ValidationException),
        ({"X": "a"}, ValidationException),
        ({"S": None}, ValidationException),
        ({"S": 1}, SerializationException),
        ({"N": 1}, SerializationException),
        ({"BOOL": "true"}, SerializationException),
        ({"NULL": False}, ValidationException),
        ({"B": "not base64!"}, SerializationException),
        ({"B": "AAA"}, SerializationException),
        ({"SS": []}, ValidationException),
        ({"SS": ["a", "a"]}, ValidationException),
        ({"NS": ["1", "1.0"]}, ValidationException),
        ({"SS": "a"}, SerializationException),
        ({"L": {"S": "a"}}, SerializationException),
        ({"M": []}, SerializationException),
        ({"S": "\ud800"}, SerializationException),
        ("S", SerializationException),
        (None, ValidationException),
        ({"L": [None]}, ValidationException),
    ],
)
def test_values_that_are_none_are_refused(value: Any, error: type[ServiceError]) -> None:
    """A wrong JSON type is not of the protocol; a wrong value breaks a rule."""
    with pytest.raises(error):
        check_value(value)


def test_nesting_ends_at_32_levels() -> None:
    """32 levels are held, 33 are not, and a thousand do not exhaust the stack."""

    def nested(levels: int) -> dict[str, Any]:
        value: dict[str, Any] = {"S": "x"}
        for _ in range(levels):
            value = {"L": [value]}
        return value

    assert check_value(nested(31))
    for levels in (33, 1000):
        with pytest.raises(ValidationException):
            check_value(nested(levels))
