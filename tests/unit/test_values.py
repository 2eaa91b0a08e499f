"""Python values as attribute values: what is stored for what, and what is refused."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from types import MappingProxyType

import msgspec
import pytest

from keypact.errors import InvalidModel, InvalidValue, ItemNotReadable
from keypact.schema.models import Attribute
from keypact.values import (
    decode_attribute,
    encode_attribute,
    from_value,
    is_empty,
    to_value,
)


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


@dataclasses.dataclass
class Address:
    street: str = ""
    numbers: list[int] = dataclasses.field(default_factory=list)


class Point(msgspec.Struct):
    x: int = 0
    y: int = 0


def encode(type_, value, **declared):
    return encode_attribute(Attribute("a", type_, **declared), value)


# --- Without a model -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("", {"S": ""}),
        ("ä\x00😀", {"S": "ä\x00😀"}),
        (Colour.RED, {"S": "red"}),
        (True, {"BOOL": True}),
        (None, {"NULL": True}),
        (0, {"N": "0"}),
        (Level.HIGH, {"N": "3"}),
        (b"", {"B": ""}),
        (b"\x00\xff", {"B": "AP8="}),
        (bytearray(b"ab"), {"B": "YWI="}),
        (memoryview(b"ab"), {"B": "YWI="}),
        ([], {"L": []}),
        ((1, "x"), {"L": [{"N": "1"}, {"S": "x"}]}),
        ({}, {"M": {}}),
        ({"a": {"b": None}}, {"M": {"a": {"M": {"b": {"NULL": True}}}}}),
        (MappingProxyType({"a": 1}), {"M": {"a": {"N": "1"}}}),
        ({"b", "a"}, {"SS": ["a", "b"]}),
        (frozenset({10, 9, Decimal("0.5")}), {"NS": ["0.5", "9", "10"]}),
        ({b"\xff", b"\x00"}, {"BS": ["AA==", "/w=="]}),
        (set(), {"NULL": True}),
        (Address("High", [1]), {"M": {"street": {"S": "High"}, "numbers": {"L": [{"N": "1"}]}}}),
        (Point(1, 2), {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}),
    ],
)
def test_the_python_type_decides_without_a_model(value, stored):
    """Each Python type has one DynamoDB type; sets are written in order."""
    assert to_value(value) == stored


@pytest.mark.parametrize(
    "value",
    [
        object(),
        1j,
        "\ud800",
        {1: "a"},
        {"\udfff": 1},
        {1, "a"},
        {True},
        {None},
        {(1, 2)},
        [1, [object()]],
        datetime(2026, 1, 1, tzinfo=UTC),
    ],
)
def test_what_dynamodb_has_no_type_for_is_refused(value):
    """A typed error, with the code of an invalid model."""
    with pytest.raises(InvalidValue) as caught:
        to_value(value)
    assert caught.value.code == "ErrInvalidModel"


def test_an_error_says_where_inside_the_value():
    """The way through lists and maps is told."""
    with pytest.raises(InvalidValue, match=r"value\['a'\]\[1\]"):
        to_value({"a": [1, object()]})


@pytest.mark.parametrize(
    ("stored", "value"),
    [
        ({"S": "x"}, "x"),
        ({"N": "1"}, 1),
        ({"N": "-0"}, 0),
        ({"N": "1.50"}, Decimal("1.5")),
        ({"N": "1E+2"}, 100),
        ({"N": "1.0"}, 1),
        ({"B": "AP8="}, b"\x00\xff"),
        ({"BOOL": False}, False),
        ({"NULL": True}, None),
        ({"SS": ["a", "b"]}, {"a", "b"}),
        ({"NS": ["1", "0.5"]}, {1, Decimal("0.5")}),
        ({"BS": ["AA=="]}, {b"\x00"}),
        ({"L": [{"N": "1"}, {"L": []}]}, [1, []]),
        ({"M": {"a": {"M": {}}}}, {"a": {}}),
    ],
)
def test_attribute_values_read_as_plain_python(stored, value):
    """Numbers are int when they are integral, else Decimal; binary is bytes; sets are sets."""
    found = from_value(stored)
    assert found == value
    assert type(found) is type(value)


# --- Numbers -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-5, "-5"),
        (10**38 - 1, "9" * 38),
        (10**125, "1" + "0" * 125),
        (-(10**40), "-1" + "0" * 40),
        (Decimal("1.50"), "1.5"),
        (Decimal("-0.00"), "0"),
        (Decimal("100"), "100"),
        (Decimal("1E+2"), "100"),
        (Decimal("1E-130"), "0." + "0" * 129 + "1"),
        (Decimal("9." + "9" * 37 + "E+125"), "9" * 38 + "0" * 88),
        (Decimal("0." + "1" * 38), "0." + "1" * 38),
        (0.5, "0.5"),
        (-0.0, "0"),
        (1e22, "1" + "0" * 22),
        (3.0, "3"),
    ],
)
def test_numbers_are_written_exactly(value, text):
    """All 38 digits, no exponent, no idle zeros."""
    assert encode("N", value) == {"N": text}
    assert to_value(value) == {"N": text}


@pytest.mark.parametrize(
    "value",
    [
        10**38 + 1,
        Decimal("0." + "1" * 39),
        10**126,
        -(10**126),
        pytest.param(10**5000, id="ten to the power of 5000"),
        Decimal("1E+126"),
        Decimal("1E-131"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("-Infinity"),
        float("nan"),
        float("inf"),
        1e-200,
        True,
        False,
        "1",
        None.__class__,
        1j,
    ],
)
def test_numbers_that_dynamodb_cannot_hold_are_refused(value):
    """More than 38 digits, beyond 1E-130 to 9.99E+125, no number at all, or a bool."""
    with pytest.raises(InvalidValue, match="attribute a"):
        encode("N", value)


@pytest.mark.parametrize("value", [0.1, 1.1, 19.99, 1e23, 2**-60, 0.1 + 0.2])
def test_a_float_that_is_not_its_decimal_is_refused(value):
    """The error names the Decimal that was probably meant."""
    with pytest.raises(InvalidValue, match=r"give Decimal\('"):
        encode("N", value)


# --- With an attribute ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "value", "stored"),
    [
        ("S", "", {"S": ""}),
        ("S", Colour.RED, {"S": "red"}),
        ("B", memoryview(b"x"), {"B": "eA=="}),
        ("BOOL", False, {"BOOL": False}),
        ("NULL", None, {"NULL": True}),
        ("L", (), {"L": []}),
        ("M", OrderedDict(a=1), {"M": {"a": {"N": "1"}}}),
        ("M", Point(), {"M": {"x": {"N": "0"}, "y": {"N": "0"}}}),
        ("SS", ["b", "a", "b"], {"SS": ["a", "b"]}),
        ("SS", ("a",), {"SS": ["a"]}),
        ("NS", [1, 1.0, Decimal("1.00"), 2], {"NS": ["1", "2"]}),
        ("BS", [b"a", bytearray(b"a")], {"BS": ["YQ=="]}),
    ],
)
def test_a_value_is_stored_as_its_attribute_declares(type_, value, stored):
    """A list given for a set is converted; equal members are one, numbers by value."""
    assert encode(type_, value) == stored


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("S", 1),
        ("S", b"x"),
        ("S", "\ud800"),
        ("S", datetime(2026, 1, 1, tzinfo=UTC)),
        ("N", "1"),
        ("N", datetime(2026, 1, 1, tzinfo=UTC)),
        ("B", "x"),
        ("BOOL", 1),
        ("BOOL", "true"),
        ("NULL", 0),
        ("L", {1}),
        ("L", "abc"),
        ("M", [1]),
        ("M", [("a", 1)]),
        ("SS", "abc"),
        ("SS", {1}),
        ("SS", ["a", 1]),
        ("NS", {"1"}),
        ("NS", [True]),
        ("BS", {"a"}),
        ("SS", {"a": 1}),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_by_name(type_, value):
    """The error names the attribute and what was given."""
    with pytest.raises(InvalidValue, match="attribute a"):
        encode(type_, value)


def test_an_empty_set_is_null_and_reads_as_an_empty_set():
    """DynamoDB has no empty set; with omit_empty it is not there at all."""
    for type_ in ("SS", "NS", "BS"):
        assert encode(type_, set()) == {"NULL": True}
        assert encode(type_, []) == {"NULL": True}
        assert encode(type_, set(), omit_empty=True) is None
        assert decode_attribute(Attribute("a", type_), {"NULL": True}) == set()


def test_none_is_left_out_where_it_may_be_and_null_elsewhere():
    """optional and omit_empty leave it out; json says NULL, as the spec demands."""
    assert encode("S", None) == {"NULL": True}
    assert encode("S", None, optional=True) is None
    assert encode("S", None, omit_empty=True) is None
    assert encode("S", None, json=True) == {"NULL": True}
    assert encode("S", None, json=True, optional=True) == {"NULL": True}
    assert encode("S", None, json=True, omit_empty=True) is None
    assert decode_attribute(Attribute("a", "S"), {"NULL": True}) is None
    with pytest.raises(InvalidModel, match="attribute a is required"):
        encode("S", None, required=True)


def test_lists_and_maps_nest_to_32_levels():
    """The attribute's own value is the first level; DynamoDB refuses a 33rd."""

    def nested(count):
        value: object = "x"
        for _ in range(count):
            value = [value]
        return value

    assert from_value(to_value(nested(31))) == nested(31)
    with pytest.raises(InvalidValue, match="32 levels"):
        to_value(nested(32))
    endless: list = []
    endless.append(endless)
    with pytest.raises(InvalidValue):
        encode("L", endless)


def test_what_is_encrypted_is_not_told_in_errors():
    """An error ends up in logs, where a secret must not."""
    with pytest.raises(InvalidValue) as caught:
        encode("S", 4711_0815, encryption={})
    assert "47110815" not in str(caught.value)
    assert "attribute a" in str(caught.value)


@pytest.mark.parametrize(
    ("attribute", "stored"),
    [
        (Attribute("a", "S"), {"N": "1"}),
        (Attribute("a", "N"), {"S": "1"}),
        (Attribute("a", "SS"), {"L": []}),
        (Attribute("a", "S", json=True), {"S": "{"}),
        (Attribute("a", "S", json=True), {"M": {}}),
        (Attribute("a", "N", format="int"), {"N": "1.5"}),
        (Attribute("a", "N", roles=("version",)), {"N": "1.5"}),
        (Attribute("a", "NULL"), {"S": ""}),
    ],
)
def test_what_is_stored_otherwise_than_declared_cannot_be_read(attribute, stored):
    """ItemNotReadable, with the attribute's name."""
    with pytest.raises(ItemNotReadable, match="attribute a"):
        decode_attribute(attribute, stored)


# --- omit_empty ----------------------------------------------------------------------

ZERO_TIME = datetime(1, 1, 1, tzinfo=UTC)

EMPTY: list[tuple[str, object]] = [
    ("S", None),
    ("S", ""),
    ("N", 0),
    ("N", 0.0),
    ("N", -0.0),
    ("N", Decimal("0.00")),
    ("BOOL", False),
    ("B", b""),
    ("B", bytearray()),
    ("L", []),
    ("L", ()),
    ("M", {}),
    ("M", MappingProxyType({})),
    ("SS", set()),
    ("SS", frozenset()),
    ("SS", []),
    ("M", Address()),
    ("M", Point()),
    ("S", ZERO_TIME),
    ("S", datetime(1, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))),
    ("S", "0001-01-01T00:00:00Z"),
    ("S", "0001-01-01T02:00:00.000+02:00"),
]
KEPT: list[tuple[str, object]] = [
    ("S", " "),
    ("S", "0"),
    ("N", 1),
    ("N", Decimal("1E-130")),
    ("BOOL", True),
    ("B", b"\x00"),
    ("L", [0]),
    ("L", [None]),
    ("M", {"a": ""}),
    ("SS", {""}),
    ("NS", {0}),
    ("M", Point(x=1)),
    ("M", Address(numbers=[0])),
    ("S", ZERO_TIME + timedelta(microseconds=1)),
    ("S", "0001-01-01T00:00:00.000000001Z"),
]


def _declared(type_, value):
    is_time = isinstance(value, datetime) or (isinstance(value, str) and value.startswith("0001"))
    return Attribute("a", type_, omit_empty=True, format="rfc3339nano" if is_time else None)


@pytest.mark.parametrize(("type_", "value"), EMPTY)
def test_omit_empty_leaves_out_what_is_empty(type_, value):
    """Nothing, zero, or a record of nothing but such."""
    assert encode_attribute(_declared(type_, value), value) is None


@pytest.mark.parametrize(("type_", "value"), KEPT)
def test_omit_empty_keeps_everything_else(type_, value):
    """What is inside a list or map does not make it empty."""
    encoded = encode_attribute(_declared(type_, value), value)
    assert encoded is not None
    assert type_ in encoded


def test_a_required_attribute_is_not_omitted():
    """An empty value where omit_empty and required meet is told, not dropped."""
    with pytest.raises(InvalidModel, match="attribute a is required"):
        encode("S", "", required=True, omit_empty=True)
    assert encode("S", "", required=True) == {"S": ""}


def test_a_record_in_a_record_is_empty_when_both_are():
    """Emptiness is asked of every field."""

    @dataclasses.dataclass
    class Outer:
        inner: Point
        when: datetime | None = None

    assert is_empty(Outer(Point()))
    assert not is_empty(Outer(Point(y=1)))
    assert not is_empty(Colour.RED)
    assert not is_empty(Enum)


# --- Times ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2026, 1, 16, tzinfo=UTC), "2026-01-16T00:00:00Z"),
        (datetime(2026, 1, 16, 0, 0, 0, 120000, tzinfo=UTC), "2026-01-16T00:00:00.12Z"),
        (datetime(2026, 1, 16, 0, 0, 0, 1, tzinfo=UTC), "2026-01-16T00:00:00.000001Z"),
        (
            datetime(2026, 1, 16, 1, 0, tzinfo=timezone(timedelta(hours=2))),
            "2026-01-15T23:00:00Z",
        ),
        (datetime(20, 10, 10, 10, 10, 10, tzinfo=UTC), "0020-10-10T10:10:10Z"),
        # Text is kept as it is given, once it is a time.
        ("2026-01-16T00:00:00.1200+02:00", "2026-01-16T00:00:00.1200+02:00"),
    ],
)
def test_times_are_stored_as_go_prints_them(value, text):
    """RFC3339Nano: UTC, Z, no idle zeros; by the format or by the role."""
    assert encode("S", value, format="rfc3339nano") == {"S": text}
    assert encode("S", value, roles=("created_at",)) == {"S": text}


@pytest.mark.parametrize(
    "value",
    [
        datetime(2026, 1, 16),  # noqa: DTZ001 - the point of it
        "2026-01-16",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-16T24:00:00Z",
        "2026-01-16T00:00:00",
        "0000-01-01T00:00:00Z",
        "",
        1768521600,
    ],
)
def test_what_is_no_time_is_refused(value):
    """Naive datetimes, and text that is no RFC 3339."""
    with pytest.raises(InvalidValue, match="attribute a"):
        encode("S", value, format="rfc3339nano")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1768521600, "1768521600"),
        (Decimal("1768521600.0"), "1768521600"),
        (datetime(2026, 1, 16, 0, 0, 0, 999999, tzinfo=UTC), "1768521600"),
        (datetime(1969, 12, 31, 23, 59, 59, 500000, tzinfo=UTC), "-1"),
        (datetime(2026, 1, 16, 2, tzinfo=timezone(timedelta(hours=2))), "1768521600"),
    ],
)
def test_ttl_is_epoch_seconds(value, text):
    """An int, or an aware datetime rounded down."""
    assert encode("N", value, format="unix_seconds") == {"N": text}
    assert encode("N", value, roles=("ttl",)) == {"N": text}


@pytest.mark.parametrize(
    "value",
    [datetime(2026, 1, 16), 1.5, Decimal("0.5"), True, "1768521600"],  # noqa: DTZ001
)
def test_what_is_no_ttl_is_refused(value):
    """Naive datetimes, fractions, text."""
    with pytest.raises(InvalidValue, match="attribute a"):
        encode("N", value, roles=("ttl",))
