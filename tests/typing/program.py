"""A program as users write them, with mistakes that a type checker must catch.

Each mistake carries an ignore with the code of its error. A checker that misses one
reports the ignore as unused; `test_typing` takes the ignores off and expects each error.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, assert_type

import msgspec

import keypact
from keypact.classes import bind, class_for, index
from keypact.codecs import Codec, codec
from keypact.errors import KeypactError
from keypact.generation import generate_module
from keypact.table import Page

# Models ------------------------------------------------------------------------------


@keypact.model(table="users", indexes=[index("by-email", partition="email")])
class User:
    """A user."""

    pk: str = keypact.attribute(name="PK", roles=("pk",))
    email: str
    age: int = 0
    nickname: str | None = None
    balance: Decimal = keypact.attribute(default=Decimal(0))
    tags: set[str] = keypact.attribute(default_factory=set, omit_empty=True)
    created_at: datetime | None = keypact.attribute(roles=("created_at",), default=None)


@keypact.model(table="things", frozen=True)
class Thing:
    """A thing that does not change."""

    id: str = keypact.attribute(roles=("pk",))


class Mistaken:
    """Fields whose declarations contradict their annotations."""

    number: int = keypact.attribute(default="x")  # type: ignore[assignment]
    names: set[str] = keypact.attribute(default_factory=list)  # type: ignore[arg-type]
    unknown: str = keypact.attribute(omitempty=True)  # type: ignore[call-overload]
    role: str = keypact.attribute(roles="pk")  # type: ignore[call-overload]


@keypact.model(name="NoTable")  # type: ignore[call-arg]
class NoTable:
    """A model must say where its items live."""


def declare(schema: keypact.Schema) -> str:
    """Models from a document."""
    user = schema.model("User")
    assert_type(user, keypact.Model)
    user.table = "other"  # type: ignore[misc]
    schema.modell("User")  # type: ignore[attr-defined]

    @bind(user)
    class Bound(msgspec.Struct):
        pk: Annotated[str, keypact.attribute(name="PK")]

    assert_type(Bound("x").pk, str)
    assert_type(class_for(user), type)
    bind("User")  # type: ignore[arg-type]
    return generate_module(schema, source="models.dms.yaml")


# Instances ---------------------------------------------------------------------------


def make() -> None:
    """Instances have typed fields, by keyword."""
    user = User(pk="A", email="a@b.c", age=1)
    assert_type(user.nickname, str | None)
    assert_type(user.tags, set[str])
    assert_type(user.balance, Decimal)
    User(pk="A")  # type: ignore[call-arg]
    User("A", "a@b.c")  # type: ignore[call-arg]
    User(pk=1, email="a@b.c")  # type: ignore[arg-type]
    User(pk="A", email="a@b.c", mail="x")  # type: ignore[call-arg]
    user.nick = "x"  # type: ignore[attr-defined]
    user.age = "old"  # type: ignore[assignment]
    user.nickname.upper()  # type: ignore[union-attr]
    Thing(id="x").id = "y"  # type: ignore[misc]


# Tables ------------------------------------------------------------------------------


def use(backend: keypact.Backend, model: keypact.Model) -> None:
    """A class gives instances, a model gives mappings."""
    users = keypact.Table(User, backend)
    assert_type(users, keypact.Table[User])
    rows = keypact.Table(model, backend)
    assert_type(rows, keypact.Table[dict[str, Any]])

    found = users.get("A")
    assert_type(found, User)
    assert_type(users.find("A"), User | None)
    assert_type(rows.get(("A", "B")), dict[str, Any])
    assert_type(users.create(found), User)
    assert_type(users.create({"PK": "A", "email": "a@b.c"}, if_not_exists=True), User)
    assert_type(users.update(found, fields=["nickname"]), User)
    assert_type(users.query("A"), Page[User])
    assert_type(users.query("A").items, list[User])
    assert_type(users.query("A").cursor, str)
    assert_type(users.each("A"), Iterator[User])
    assert_type(users.batch_get(["A", "B"]), list[User])
    assert_type(users.delete("A"), None)

    print(found.nick)  # type: ignore[attr-defined]
    print(users.find("A").email)  # type: ignore[union-attr]
    users.create(Thing(id="x"))  # type: ignore[arg-type]
    users.create("A")  # type: ignore[arg-type]
    users.get("A", consistant=True)  # type: ignore[call-arg]
    users.update(found, fields=[1])  # type: ignore[list-item]
    users.query("A", limit="ten")  # type: ignore[arg-type]
    users.query()  # type: ignore[call-arg]
    for row in users.query("A").items:
        print(row["email"])  # type: ignore[index]
    users.scan()  # type: ignore[call-arg]
    users.drop()  # type: ignore[attr-defined]
    keypact.Table("users", backend)  # type: ignore[call-overload]
    keypact.Table(User)  # type: ignore[call-overload]


async def use_async(backend: keypact.Backend) -> None:
    """The same, awaited."""
    users = keypact.AsyncTable(User, backend)
    assert_type(users, keypact.AsyncTable[User])
    assert_type(await users.get("A"), User)
    assert_type((await users.query("A")).items, list[User])
    assert_type(users.each("A"), AsyncIterator[User])
    print(users.get("A").email)  # type: ignore[attr-defined]
    async for user in users.each("A"):
        print(user.mail)  # type: ignore[attr-defined]
    for user in users.each("A"):  # type: ignore[attr-defined]
        print(user)


# Codecs and errors -------------------------------------------------------------------


def convert(model: keypact.Model) -> None:
    """A codec knows what it makes."""
    assert_type(codec(model), Codec[dict[str, Any]])
    typed = codec(model, User)
    assert_type(typed, Codec[User])
    assert_type(typed.decode({"PK": {"S": "A"}}), User)
    assert_type(typed.read_get(b"{}"), User | None)
    typed.encode(5)  # type: ignore[arg-type]
    typed.decode(b"{}")  # type: ignore[arg-type]
    codec(User)  # type: ignore[call-overload]
    codec(model, None, [lambda values: 5])  # type: ignore[list-item, return-value]


def handle(error: KeypactError) -> str:
    """Every error has a stable code."""
    assert_type(error.retryable, bool)
    print(error.status)  # type: ignore[attr-defined]
    return error.code
