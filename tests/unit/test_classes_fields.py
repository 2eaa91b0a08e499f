"""Fields of classes: what each annotation holds, writes and reads, and what it refuses."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NewType

import msgspec
import pytest

from keypact.classes import attribute, model, model_of
from keypact.codecs import Codec, codec
from keypact.errors import InvalidModel, InvalidValue, ItemNotReadable

UserId = NewType("UserId", str)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Address:
    street: str
    since: datetime | None = None
    ratings: list[float] = dataclasses.field(default_factory=list)


class Point(msgspec.Struct):
    x: int
    y: int = 0


@dataclasses.dataclass
class Tree:
    name: str
    children: list[Tree] = dataclasses.field(default_factory=list)


def codec_of(kind: type) -> Codec[Any]:
    made: Codec[Any] = codec(model_of(kind), kind)
    return made


def through_the_wire(item: Any) -> Any:
    made = codec_of(type(item))
    encoded = made.encode(item)
    read = made.read_get(msgspec.json.encode({"Item": encoded}))
    assert read == made.decode(encoded)
    return read


HALF = Decimal("0.5")
NOON = datetime(2026, 1, 16, 12, 0, 0, 120000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("annotation", "value", "stored"),
    [
        (str, "x", {"S": "x"}),
        (UserId, UserId("x"), {"S": "x"}),
        (Annotated[str, "anything"], "x", {"S": "x"}),
        (int, 10**30, {"N": "1" + "0" * 30}),
        (Decimal, HALF, {"N": "0.5"}),
        (Decimal, Decimal(3), {"N": "3"}),
        (float, 0.1, {"N": "0.1"}),
        (float, 3.0, {"N": "3"}),
        (int | Decimal, HALF, {"N": "0.5"}),
        (int | Decimal, 3, {"N": "3"}),
        (int | float, 0.1, {"N": "0.1"}),
        (int | float, 3, {"N": "3"}),
        (bytes, b"x", {"B": "eA=="}),
        (bool, False, {"BOOL": False}),
        (datetime, NOON, {"S": "2026-01-16T12:00:00.12Z"}),
        (set[str], {"a"}, {"SS": ["a"]}),
        (set[int], {2, 1}, {"NS": ["1", "2"]}),
        (set[Decimal], {HALF}, {"NS": ["0.5"]}),
        (set[float], {0.1}, {"NS": ["0.1"]}),
        (set[int | Decimal], {1, HALF}, {"NS": ["0.5", "1"]}),
        (set[bytes], {b"x"}, {"BS": ["eA=="]}),
        (set[Colour], {Colour.RED}, {"SS": ["red"]}),
        (frozenset[str], frozenset({"a"}), {"SS": ["a"]}),
        (frozenset[int | Decimal], frozenset({HALF}), {"NS": ["0.5"]}),
        (set[str], set(), {"NULL": True}),
        (frozenset[str], frozenset(), {"NULL": True}),
        (Literal["a", "b"], "b", {"S": "b"}),
        (Literal[1, 2], 2, {"N": "2"}),
        (Colour, Colour.BLUE, {"S": "blue"}),
        (Level, Level.HIGH, {"N": "2"}),
        (list[Any], [1, None, {"a"}], {"L": [{"N": "1"}, {"NULL": True}, {"SS": ["a"]}]}),
        (list, ["x"], {"L": [{"S": "x"}]}),
        (list[str | None], ["a", None], {"L": [{"S": "a"}, {"NULL": True}]}),
        (list[str | int], ["a", 1], {"L": [{"S": "a"}, {"N": "1"}]}),
        (Sequence[int], [1], {"L": [{"N": "1"}]}),
        (tuple[int, ...], (1, 2), {"L": [{"N": "1"}, {"N": "2"}]}),
        (tuple, (1, "a"), {"L": [{"N": "1"}, {"S": "a"}]}),
        (dict, {"a": 1}, {"M": {"a": {"N": "1"}}}),
        (dict[str, Any], {"a": 1}, {"M": {"a": {"N": "1"}}}),
        (Mapping[str, float], {"a": 0.1}, {"M": {"a": {"N": "0.1"}}}),
        (dict[str, list[Colour]], {"a": [Colour.RED]}, {"M": {"a": {"L": [{"S": "red"}]}}}),
        (
            Address,
            Address("High", NOON, [0.1]),
            {
                "M": {
                    "street": {"S": "High"},
                    "since": {"S": "2026-01-16T12:00:00.12Z"},
                    "ratings": {"L": [{"N": "0.1"}]},
                }
            },
        ),
        (Address, Address("High"), {"M": {"street": {"S": "High"}, "ratings": {"L": []}}}),
        (Point, Point(1, 2), {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}),
        (list[Point], [Point(1)], {"L": [{"M": {"x": {"N": "1"}, "y": {"N": "0"}}}]}),
        (
            Tree,
            Tree("a", [Tree("b")]),
            {
                "M": {
                    "name": {"S": "a"},
                    "children": {"L": [{"M": {"name": {"S": "b"}, "children": {"L": []}}}]},
                }
            },
        ),
        (str | None, None, None),
        (Point | None, None, None),
    ],
)
@pytest.mark.parametrize("kind", ["dataclass", "Struct"])
def test_a_field_holds_what_its_annotation_says(annotation, value, stored, kind):
    """Written as DynamoDB's type for it, and read back as the very same."""
    if kind == "dataclass":
        namespace: dict[str, Any] = {
            "__annotations__": {"id": str, "field": annotation},
            "__module__": __name__,
            "id": attribute(roles=("pk",)),
        }
        made = model(table="things")(type("Thing", (), namespace))
    else:
        fields = [("id", Annotated[str, attribute(roles=("pk",))]), ("field", annotation)]
        made = model(table="things")(msgspec.defstruct("Thing", fields))
    item = made(id="1", field=value)
    assert codec_of(made).encode(item).get("field") == stored
    found = through_the_wire(item)
    assert found == item
    assert type(found.field) is type(value)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, HALF),
        (int, 1.0),
        (Decimal, 0.1),
        (float, HALF),
        (set[int], {HALF}),
        (Literal["a"], "b"),
        (Literal[1], True),
        (Colour, "red"),
        (list[str], [1]),
        (list[str], "abc"),
        (dict[str, int], {"a": "b"}),
        (dict[str, int], {1: 1}),
        (Address, {"street": "x"}),
        (Address, Address(5)),  # type: ignore[arg-type]
        (list[Point], [Point("x")]),  # type: ignore[arg-type]
        (datetime, datetime(2026, 1, 1)),  # noqa: DTZ001 - refused for it
        (str | int, 1.5),
    ],
)
def test_what_an_annotation_does_not_allow_is_not_written(annotation, value):
    """It could not be read again."""
    namespace: dict[str, Any] = {
        "__annotations__": {"id": str, "field": annotation},
        "id": attribute(roles=("pk",)),
    }
    if annotation == str | int:
        namespace["field"] = attribute(type="S")
    made = model(table="things")(type("Thing", (), namespace))
    with pytest.raises(InvalidValue, match="attribute field"):
        codec_of(made).encode(made(id="1", field=value))


@pytest.mark.parametrize(
    ("annotation", "stored", "reason"),
    [
        (Colour, {"S": "green"}, "green"),
        (Literal["a"], {"S": "b"}, "not among"),
        (list[str], {"L": [{"S": "a"}, {"N": "1"}]}, r"\[1\]"),
        (dict[str, int], {"M": {"a": {"N": "0.5"}}}, r"\['a'\]"),
        (Address, {"M": {}}, r"\.street: it is missing"),
        (Address, {"M": {"street": {"S": ""}, "since": {"S": "x"}}}, r"\.since"),
        (set[int], {"NS": ["0.5"]}, "0.5"),
        (datetime, {"S": "yesterday"}, "yesterday"),
        (datetime, {"S": "0001-01-01T00:00:00+14:00"}, "datetime can hold"),
        (str, {"NULL": True}, "NULL"),
    ],
)
def test_what_an_annotation_does_not_allow_is_not_read(annotation, stored, reason):
    """The error leads to the place inside the value."""
    namespace: dict[str, Any] = {
        "__annotations__": {"id": str, "field": annotation},
        "id": attribute(roles=("pk",)),
    }
    made = model(table="things")(type("Thing", (), namespace))
    item = {"id": {"S": "1"}, "field": stored}
    for read in (
        lambda: codec_of(made).decode(item),
        lambda: codec_of(made).read_get(msgspec.json.encode({"Item": item})),
    ):
        with pytest.raises(ItemNotReadable, match=f"attribute field.*{reason}"):
            read()


def test_json_fields_hold_records_too():
    """Within the blob the annotation counts as everywhere."""

    @model(table="things")
    class Thing:
        id: str = attribute(roles=("pk",))
        address: Address | None = attribute(json=True, default=None)
        prices: list[Decimal] = attribute(json=True, default_factory=list)
        at: datetime | None = attribute(json=True, default=None)

    item = Thing(
        id="1", address=Address("High", NOON, [0.1]), prices=[HALF, Decimal("1.10")], at=NOON
    )
    encoded = codec_of(Thing).encode(item)
    assert encoded["address"] == {
        "S": '{"ratings":[0.1],"since":"2026-01-16T12:00:00.12Z","street":"High"}'
    }
    assert encoded["prices"] == {"S": "[0.5,1.1]"}
    assert through_the_wire(item) == item
    assert codec_of(Thing).encode(Thing(id="1"))["address"] == {"NULL": True}


def test_times_read_in_utc_from_any_offset_and_precision():
    """A datetime ends at microseconds; the rest is cut off."""

    @model(table="things")
    class Thing:
        id: str = attribute(roles=("pk",))
        at: datetime
        ttl: datetime | None = attribute(roles=("ttl",), default=None)

    def read(text: str) -> datetime:
        item = {"id": {"S": "1"}, "at": {"S": text}, "ttl": {"N": "1768521600"}}
        found = codec_of(Thing).read_get(msgspec.json.encode({"Item": item}))
        assert found == codec_of(Thing).decode(item)
        assert found.ttl == datetime(2026, 1, 16, tzinfo=UTC)
        moment: datetime = found.at
        return moment

    assert read("2026-01-16T12:00:00.12Z") == NOON
    assert read("2026-01-16T13:00:00.12+01:00") == NOON
    assert read("2026-01-16T12:00:00.120000999Z") == NOON
    assert read("2026-01-31T12:00:00.120000999Z").microsecond == 120000
    assert read("2026-01-16T12:00:00.12Z").utcoffset() == timedelta()
    late = Thing(id="1", at=NOON, ttl=datetime(2026, 1, 16, 0, 0, 0, 999999, tzinfo=UTC))
    assert codec_of(Thing).encode(late)["ttl"] == {"N": "1768521600"}
    east = NOON.astimezone(timezone(timedelta(hours=9)))
    assert codec_of(Thing).encode(Thing(id="1", at=east))["at"] == {"S": "2026-01-16T12:00:00.12Z"}


def test_a_key_is_read_whole_or_not_at_all():
    """A key that loses digits on reading would lead to another item."""

    @model(table="things")
    class Event:
        at: datetime = attribute(roles=("pk",))
        score: float = attribute(roles=("sk",))

    item = Event(at=NOON, score=0.1)
    assert through_the_wire(item) == item
    stored = codec_of(Event).encode(item)
    for key, value in (
        ("at", {"S": "2026-01-16T12:00:00.120000001Z"}),
        ("at", {"S": "2026-01-16T12:00:00.120Z"}),
        ("score", {"N": "0.1000000000000000000001"}),
    ):
        with pytest.raises(ItemNotReadable, match=f"attribute {key}.*of a key"):
            codec_of(Event).decode({**stored, key: value})
        with pytest.raises(ItemNotReadable, match=f"attribute {key}.*of a key"):
            codec_of(Event).read_get(msgspec.json.encode({"Item": {**stored, key: value}}))


def test_keys_and_attributes_may_be_given_as_fields_hold_them():
    """An Enum, a datetime or a float; and also as they are stored."""

    @model(table="things")
    class Thing:
        colour: Colour = attribute(roles=("pk",))
        score: float = attribute(roles=("sk",))
        ttl: datetime | None = attribute(roles=("ttl",), default=None)
        address: Address | None = None

    made = codec_of(Thing)
    key = {"colour": {"S": "red"}, "score": {"N": "0.1"}}
    for given in ((Colour.RED, 0.1), ("red", Decimal("0.1")), Thing(colour=Colour.RED, score=0.1)):
        assert made.key(given) == key
    for street in (Address("High"), {"street": "High", "ratings": []}):
        assert made.encode_attribute("address", street) == {
            "M": {"street": {"S": "High"}, "ratings": {"L": []}}
        }
    for ttl in (datetime(2026, 1, 16, tzinfo=UTC), 1768521600):
        assert made.encode_attribute("ttl", ttl) == {"N": "1768521600"}
    with pytest.raises(InvalidModel, match="colour"):
        made.encode_attribute("color", "red")
