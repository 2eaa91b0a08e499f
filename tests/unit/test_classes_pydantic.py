"""Pydantic models as classes of items: pydantic validates, we store."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any
from uuid import UUID

import msgspec
import pytest
from pydantic import BaseModel, Field, HttpUrl, field_validator

import keypact
from keypact.classes import attribute, bind, model, model_of
from keypact.codecs import Codec, codec
from keypact.errors import InvalidDocument, InvalidModel, InvalidValue, ItemNotReadable
from keypact.schema.models import Attribute, KeyPart, Model

NOON = datetime(2026, 1, 16, 12, 0, 0, 120000, tzinfo=UTC)
ID = UUID("12345678-1234-5678-1234-567812345678")


class Colour(Enum):
    RED = "red"


class Address(BaseModel):
    street: str = Field(alias="Street")
    since: datetime | None = None


@model(table="users")
class User(BaseModel):
    pk: Annotated[UUID, attribute(roles=("pk",))] = Field(alias="PK")
    created_at: Annotated[datetime | None, attribute(roles=("created_at",))] = Field(
        default=None, alias="createdAt"
    )
    ttl: Annotated[datetime | None, attribute(roles=("ttl",))] = None
    email: str | None = None
    age: int = 0
    score: float = 0.1
    price: Decimal = Decimal("1.10")
    photo: bytes = b"\x00"
    tags: set[str] = Field(default_factory=set)
    colour: Colour = Colour.RED
    home: Address | None = None
    homes: list[Address] = []
    site: HttpUrl | None = None
    extra: Annotated[dict[str, Any], attribute(json=True)] = {}

    @field_validator("age")
    @classmethod
    def _not_negative(cls, age: int) -> int:
        if age < 0:
            raise ValueError("age is negative")
        return age


USERS: Codec[User] = codec(model_of(User), User)
ANN = User(
    PK=ID,
    createdAt=NOON,
    ttl=datetime(2026, 1, 16, tzinfo=UTC),
    age=9,
    tags={"a"},
    home=Address(Street="High", since=NOON),
    homes=[Address(Street="Low")],
    site=HttpUrl("https://example.com/"),
    extra={"b": [0.1], "a": None},
)


def test_a_pydantic_model_declares_a_model():
    """Attributes have the fields' aliases; what only pydantic knows is text."""
    found = model_of(User)
    assert {one.name: one.type for one in found.attributes} == {
        "PK": "S",
        "createdAt": "S",
        "ttl": "N",
        "email": "S",
        "age": "N",
        "score": "N",
        "price": "N",
        "photo": "B",
        "tags": "SS",
        "colour": "S",
        "home": "M",
        "homes": "L",
        "site": "S",
        "extra": "S",
    }
    assert found.by_name["email"].optional
    assert found.by_name["site"].optional
    assert found.by_name["createdAt"].format == "rfc3339nano"
    assert found.by_name["ttl"].format == "unix_seconds"
    assert found.by_name["extra"].json


def test_an_instance_is_stored_by_alias_and_comes_back():
    """Nested models, sets, times, floats and pydantic's own types."""
    encoded = USERS.encode(ANN)
    assert encoded == {
        "PK": {"S": str(ID)},
        "createdAt": {"S": "2026-01-16T12:00:00.12Z"},
        "ttl": {"N": "1768521600"},
        "age": {"N": "9"},
        "score": {"N": "0.1"},
        "price": {"N": "1.1"},
        "photo": {"B": "AA=="},
        "tags": {"SS": ["a"]},
        "colour": {"S": "red"},
        "home": {"M": {"Street": {"S": "High"}, "since": {"S": "2026-01-16T12:00:00.12Z"}}},
        "homes": {"L": [{"M": {"Street": {"S": "Low"}, "since": {"NULL": True}}}]},
        "site": {"S": "https://example.com/"},
        "extra": {"S": '{"a":null,"b":[0.1]}'},
    }
    assert USERS.decode(encoded) == ANN
    assert USERS.read_get(msgspec.json.encode({"Item": encoded})) == ANN
    assert USERS.read_page(msgspec.json.encode({"Items": [encoded]})) == ([ANN], None)
    assert USERS.key(ANN) == USERS.key(str(ID)) == {"PK": {"S": str(ID)}}


def test_what_pydantic_refuses_is_not_readable():
    """With its own words, and the item's key."""
    stored = {"PK": {"S": str(ID)}, "age": {"N": "-1"}}
    for read in (
        lambda: USERS.decode(stored),
        lambda: USERS.read_get(msgspec.json.encode({"Item": stored})),
    ):
        with pytest.raises(
            ItemNotReadable, match=r"(?s)User refuses it.*age is negative"
        ) as caught:
            read()
        assert str(ID) in str(caught.value)
    reading = codec(model_of(User), User, [lambda values: {**values, "age": 0}])
    assert reading.decode(stored).age == 0


def test_values_and_instances_go_both_ways():
    """As with every class."""
    assert USERS.build({"PK": str(ID), "age": 9}) == User(PK=ID, age=9)
    assert USERS.values_of(ANN)["score"] == Decimal("0.1")
    assert USERS.encode({"PK": str(ID)}) == {"PK": {"S": str(ID)}}
    with pytest.raises(InvalidModel, match="age is negative"):
        USERS.build({"PK": str(ID), "age": -1})


def test_a_naive_time_is_refused_by_name():
    """Inside of values too."""
    wrong = ANN.model_copy(update={"home": Address(Street="x", since=datetime(2026, 1, 1))})  # noqa: DTZ001
    with pytest.raises(InvalidValue, match=r"attribute home.*time zone"):
        USERS.encode(wrong)


def test_a_pydantic_model_is_bound_to_a_document():
    """Fields stand for attributes by alias or name; what does not fit is told."""
    plain = Model(
        "Plain", "plain", KeyPart("PK", "S"), None, (Attribute("PK", "S"), Attribute("n", "N"))
    )

    @bind(plain)
    class Plain(BaseModel):
        pk: str
        n: int | None = None

    made: Codec[Plain] = codec(plain, Plain)
    assert made.encode(Plain(pk="A")) == {"PK": {"S": "A"}}
    assert made.decode({"PK": {"S": "A"}, "n": {"N": "1"}}) == Plain(pk="A", n=1)

    with pytest.raises(InvalidDocument, match="'n' is N, which str cannot hold"):

        @bind(plain)
        class Wrong(BaseModel):
            pk: str
            n: str


def test_a_table_of_a_pydantic_class_works():
    """On the embedded engine, from create to query."""
    with keypact.connect("memory:") as backend:
        table = keypact.Table(User, backend)
        table.ensure()
        made = table.create(ANN)
        assert table.get(str(ID)) == table.get(ID) == made
        assert made.created_at is not None
        assert made.created_at > NOON
        assert table.query(str(ID)).items == [made]
