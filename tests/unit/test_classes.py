"""Classes of items: what annotations declare, and what is told when they cannot."""

from __future__ import annotations

import dataclasses
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, NewType

import msgspec
import pytest

import keypact
from keypact.classes import attribute, bind, class_for, index, model, model_of
from keypact.codecs import Codec, codec
from keypact.errors import InvalidDocument, InvalidModel, ItemNotReadable
from keypact.schema import dump_schema, load_schema
from keypact.schema.models import Attribute, Index, KeyPart, Model, Schema

UserId = NewType("UserId", str)
NOON = datetime(2026, 1, 16, 12, 0, 0, 120000, tzinfo=UTC)


@dataclasses.dataclass
class Address:
    street: str


class Point(msgspec.Struct):
    x: int
    y: int = 0


def codec_of(kind: type) -> Codec[Any]:
    made: Codec[Any] = codec(model_of(kind), kind)
    return made


def through_the_wire(item: Any) -> Any:
    made = codec_of(type(item))
    encoded = made.encode(item)
    read = made.read_get(msgspec.json.encode({"Item": encoded}))
    assert read == made.decode(encoded)
    return read


# --- Declaring -----------------------------------------------------------------------


@model(
    table="users",
    convention="camelCase",
    namespace="acme",
    indexes=[
        index("by-email", partition="email_hash"),
        index("by-age", sort="age", fields=["nickname"]),
        index("by-team", partition="team", sort="created_at", projection="KEYS_ONLY"),
    ],
)
class User:
    """A user."""

    pk: str = attribute(name="PK", roles=("pk",))
    sk: str = attribute(name="SK", roles=("sk",))
    email_hash: str | None = None
    age: int = 0
    nickname: str | None = attribute(omit_empty=True, default=None)
    team: UserId | None = None
    created_at: datetime | None = attribute(roles=("created_at",), default=None)
    updated_at: str = attribute(roles=("updated_at",), default="")
    version: int | None = attribute(roles=("version",), default=None)
    ttl: datetime | None = attribute(roles=("ttl",), default=None)
    balance: Decimal
    photo: bytes = b""
    is_admin: bool = False
    tags: set[str] = attribute(default_factory=set, tags={"owner": "x"})
    numbers: frozenset[int] = frozenset()
    settings: dict[str, Any] = attribute(default_factory=dict)
    notes: list[str] = attribute(default_factory=list)
    profile: Any = attribute(json=True, default=None)
    secret: str | None = attribute(encrypted=True, default=None)


def test_annotations_declare_a_model():
    """Types, formats and flags follow from annotations, names from the convention."""
    found = model_of(User)
    assert found.attributes == (
        Attribute("PK", "S", required=True, roles=("pk",)),
        Attribute("SK", "S", required=True, roles=("sk",)),
        Attribute("emailHash", "S", optional=True),
        Attribute("age", "N"),
        Attribute("nickname", "S", optional=True, omit_empty=True),
        Attribute("team", "S", optional=True),
        Attribute("createdAt", "S", roles=("created_at",), format="rfc3339nano"),
        Attribute("updatedAt", "S", roles=("updated_at",), format="rfc3339nano"),
        Attribute("version", "N", roles=("version",), format="int"),
        Attribute("ttl", "N", optional=True, roles=("ttl",), format="unix_seconds"),
        Attribute("balance", "N", required=True),
        Attribute("photo", "B", binary=True),
        Attribute("isAdmin", "BOOL"),
        Attribute("tags", "SS", tags={"owner": "x"}),
        Attribute("numbers", "NS"),
        Attribute("settings", "M"),
        Attribute("notes", "L"),
        Attribute("profile", "S", optional=True, json=True),
        Attribute("secret", "S", optional=True, encryption={}),
    )
    assert found.indexes == (
        Index("by-email", "GSI", KeyPart("emailHash", "S")),
        Index("by-age", "LSI", KeyPart("PK", "S"), KeyPart("age", "N"), "INCLUDE", ("nickname",)),
        Index("by-team", "GSI", KeyPart("team", "S"), KeyPart("createdAt", "S"), "KEYS_ONLY"),
    )
    assert (found.name, found.table, found.naming, found.namespace) == (
        "User",
        "users",
        "camelCase",
        "acme",
    )


def test_what_a_class_declares_is_a_document():
    """Written as DMS and loaded, it is the same model."""
    found = model_of(User)
    text = dump_schema(Schema("0.1", (found,), found.namespace))
    assert load_schema(text=text).model("User") == found


def test_the_class_is_a_dataclass_with_slots_and_keywords():
    """Made once, compared by value, and without a place for what was not declared."""
    made = User(pk="A", sk="B", balance=Decimal(1))
    assert made == User(pk="A", sk="B", balance=Decimal(1))
    assert User.__doc__ == "A user."
    with pytest.raises(AttributeError):
        made.nick = "x"  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        User("A", "B")  # type: ignore[call-arg]


def test_roles_alone_make_an_index():
    """Global, with everything projected."""

    @model(table="orders", name="Order")
    class Anything:
        id: str = attribute(roles=("pk", "index_sk:by-shop"))
        shop: str = attribute(roles=("index_pk:by-shop",))

    found = model_of(Anything)
    assert found.name == "Order"
    assert found.indexes == (Index("by-shop", "GSI", KeyPart("shop", "S"), KeyPart("id", "S")),)


def test_the_key_may_be_named_instead_of_having_roles():
    """By field or by attribute."""

    @model(table="orders", partition="shop_id", sort="number", convention="camelCase")
    class Order:
        shop_id: str
        number: int

    found = model_of(Order)
    assert (found.partition, found.sort) == (KeyPart("shopId", "S"), KeyPart("number", "N"))
    assert codec_of(Order).key(("s", 5)) == {"shopId": {"S": "s"}, "number": {"N": "5"}}


def test_every_problem_of_a_class_is_told_at_once():
    """Annotations without a type, contradictions, rules of DMS: each with its field."""
    with pytest.raises(InvalidDocument) as caught:

        @model(table="x", convention="snake_case", indexes=[index("by-age", partition="ages")])
        class Wrong:
            key: str = attribute(name="Key", roles=("pk",), encrypted=True)
            anything: Any
            both: str | int
            number: int = attribute(type="S")
            text: str = attribute(required=True, optional=True)
            when: str = attribute(roles=("ttl",))

    told = str(caught.value)
    assert caught.value.code == "ErrInvalidModel"
    for part in (
        "Wrong.anything: Any can be of several types",
        "Wrong.both: str | int can be of several types",
        "Wrong.number: int is not stored as S",
        "Wrong.text",
        "required and optional",
        "names 'ages', which is no field",
        "Wrong.when",
        "Key",
        "encrypted",
        "DynamoDB takes no name",
    ):
        assert part in told, told
    assert "must not be" not in told


@pytest.mark.parametrize(
    "annotation",
    [
        object.__class__,
        complex,
        dict[int, str],
        set[float | str],
        set[bool],
        set,
        tuple[int, str],
        Literal["a", 1],
        "Unknown",
        timedelta,
    ],
)
def test_an_annotation_without_a_dynamodb_type_is_refused(annotation):
    """With the name of class and field, or of what cannot be found."""
    namespace = {"__annotations__": {"pk": str, "odd": annotation}, "pk": attribute(roles=("pk",))}
    with pytest.raises(InvalidDocument, match="Odd"):
        model(table="odd")(type("Odd", (), namespace))


def test_a_class_without_a_partition_key_is_refused():
    """There is no item without it; nothing else is told about the hole."""
    with pytest.raises(InvalidDocument) as caught:

        @model(table="things")
        class Thing:
            name: str

    assert [problem.message for problem in caught.value.problems] == [
        "no field is the partition key"
    ]


def test_attribute_takes_only_what_it_knows():
    """A misspelt word is no silence."""
    with pytest.raises(TypeError, match="omitempty"):
        attribute(omitempty=True)  # type: ignore[call-overload]


def test_a_class_without_a_model_is_told_what_to_do():
    """Also where a table is made of it."""
    with pytest.raises(InvalidModel, match=r"Address is the class of no model.*keypact\.bind"):
        model_of(Address)


# --- Classes as they are -------------------------------------------------------------

PLAIN = Model(
    name="Plain",
    table="plain",
    partition=KeyPart("PK", "S"),
    sort=None,
    attributes=(
        Attribute("PK", "S", required=True, roles=("pk",)),
        Attribute("createdAt", "S", roles=("created_at",), format="rfc3339nano"),
        Attribute("point", "M", optional=True),
    ),
)


def test_a_class_is_bound_to_a_model_of_a_document():
    """Fields stand for attributes by their names in either convention."""

    @bind(PLAIN)
    @dataclasses.dataclass
    class Thing:
        pk: str
        created_at: datetime | None = None
        point: Point | None = None

    @bind(PLAIN)
    class Record(msgspec.Struct, rename="camel"):
        key: Annotated[str, attribute(name="PK")]
        created_at: str | None = None
        point: Point | None = None

    assert model_of(Thing) is model_of(Record) is PLAIN
    assert through_the_wire(Thing("A", NOON, Point(1))) == Thing("A", NOON, Point(1))
    text = "2026-01-16T12:00:00Z"
    assert through_the_wire(Record("A", text, Point(1))) == Record("A", text, Point(1))
    # An instance of either is an item for whoever has the model.
    assert codec(PLAIN).encode(Thing("A")) == {"PK": {"S": "A"}}  # type: ignore[arg-type]
    assert codec(PLAIN).encode(Record("A")) == {"PK": {"S": "A"}}  # type: ignore[arg-type]


def test_a_class_that_does_not_fit_its_model_is_refused():
    """Fields without attribute, attributes without field, types that differ: all at once."""
    with pytest.raises(InvalidDocument) as caught:

        @bind(PLAIN)
        @dataclasses.dataclass
        class Thing:
            pk: int
            extra: str
            harmless: str = ""

    told = str(caught.value)
    for part in ("'PK' is S, which int cannot hold", "Thing.extra", "'createdAt'", "'point'"):
        assert part in told
    assert "harmless" not in told


def test_code_in_a_class_runs_when_an_item_is_read():
    """__post_init__ is kept, and what it refuses is not readable."""

    @model(table="things")
    class Thing:
        id: str = attribute(roles=("pk",))
        size: int

        def __post_init__(self) -> None:
            if self.size < 0:
                raise ValueError("size is negative")

    assert through_the_wire(Thing(id="1", size=1)) == Thing(id="1", size=1)
    stored = {"id": {"S": "1"}, "size": {"N": "-1"}}
    for read in (
        lambda: codec_of(Thing).decode(stored),
        lambda: codec_of(Thing).read_get(msgspec.json.encode({"Item": stored})),
    ):
        with pytest.raises(ItemNotReadable, match="Thing refuses it: size is negative"):
            read()


def test_frozen_classes_and_subclasses_work():
    """A subclass declares a model of its own, with the fields above it."""

    @model(table="things", frozen=True)
    class Base:
        id: str = attribute(roles=("pk",))

    @model(table="things", frozen=True)
    class Sub(Base):
        size: int = 0

    assert through_the_wire(Sub(id="1", size=2)) == Sub(id="1", size=2)
    assert [one.name for one in model_of(Sub).attributes] == ["id", "size"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        Base(id="1").id = "2"  # type: ignore[misc]


def test_a_class_for_a_model_is_made_once():
    """Its fields are the attributes in Python's spelling."""
    made: Any = class_for(PLAIN)
    assert made is class_for(PLAIN)
    assert model_of(made) == PLAIN
    assert [field.name for field in dataclasses.fields(made)] == ["pk", "created_at", "point"]
    assert through_the_wire(made(pk="A")) == made(pk="A")


def test_names_are_public():
    """What classes are declared with is found at the top."""
    assert keypact.model is model
    assert keypact.attribute is attribute
    assert keypact.model_of is model_of


def test_pydantic_is_not_imported_for_other_classes():
    """An extra costs only those who use it."""
    import subprocess

    code = (
        "import sys, keypact.codecs, keypact.classes as c\n"
        "class T:\n  id: str = c.attribute(roles=('pk',))\n"
        "T = c.model(table='ttt')(T)\n"
        "keypact.codecs.codec(c.model_of(T), T).encode(T(id='1'))\n"
        "assert 'pydantic' not in sys.modules"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
