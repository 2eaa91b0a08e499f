"""Codecs: what is told when an item does not fit, keys in all their forms, old items."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest

from keypact.classes import attribute, class_for, model
from keypact.codecs import Codec, codec
from keypact.errors import InvalidModel, InvalidValue, ItemNotReadable, MissingPrimaryKey
from keypact.schema.models import Attribute, KeyPart, Model

USER = Model(
    name="User",
    table="users",
    partition=KeyPart("PK", "S"),
    sort=KeyPart("number", "N"),
    attributes=(
        Attribute("PK", "S", required=True, roles=("pk",)),
        Attribute("number", "N", required=True, roles=("sk",)),
        Attribute("nickName", "S", optional=True),
        Attribute("age", "N"),
        Attribute("email", "S", required=True),
        Attribute("tags", "SS", optional=True, omit_empty=True),
    ),
)
USERS: Codec[dict[str, Any]] = codec(USER)
ANN = {"PK": "ann", "number": 1, "email": "a@b.c"}
STORED: dict[str, Any] = {"PK": {"S": "ann"}, "number": {"N": "1"}, "email": {"S": "a@b.c"}}


@model(table="users", name="Typed")
class User:
    pk: str = attribute(name="PK", roles=("pk",))
    age: int
    score: float | None = None
    nick: str = "nobody"
    tags: set[str] = attribute(default_factory=set)


# --- Writing -------------------------------------------------------------------------


def test_an_item_becomes_its_attribute_values():
    """Any mapping will do, in any order."""
    assert USERS.encode(ANN) == STORED
    assert USERS.encode(MappingProxyType(ANN)) == STORED


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nickname", "did you mean 'nickName'"),
        ("nick_name", "did you mean 'nickName'"),
        ("pk", "did you mean 'PK'"),
        ("something else", "declare it"),
    ],
)
def test_an_undeclared_attribute_is_refused_with_a_hint(name, hint):
    """Nothing undeclared is ever written."""
    with pytest.raises(InvalidModel, match="has no attribute") as caught:
        USERS.encode({**ANN, name: "x"})
    assert repr(name) in str(caught.value)
    assert hint in str(caught.value)


def test_a_required_attribute_must_be_there():
    """By name, whether it is missing or None."""
    for item in ({"PK": "ann", "number": 1}, {**ANN, "email": None}):
        with pytest.raises(InvalidModel, match="attribute email is required"):
            USERS.encode(item)


@pytest.mark.parametrize(
    "item",
    [
        {"number": 1, "email": "x"},
        {**ANN, "PK": ""},
        {**ANN, "PK": None},
        {"PK": "ann", "email": "x"},
    ],
)
def test_an_item_without_its_key_is_refused(item):
    """An empty key is no key."""
    with pytest.raises(MissingPrimaryKey) as caught:
        USERS.encode(item)
    assert caught.value.code == "ErrMissingPrimaryKey"


def test_the_first_value_that_does_not_fit_is_named():
    """Also where code in place of the rules met it."""
    with pytest.raises(InvalidValue, match=r"attribute tags.*no str"):
        USERS.encode({**ANN, "tags": {1}})
    with pytest.raises(InvalidValue, match=r"attribute nickName.*5"):
        USERS.encode({**ANN, "nickName": 5})


# --- Keys ----------------------------------------------------------------------------

KEY = {"PK": {"S": "ann"}, "number": {"N": "1"}}


@pytest.mark.parametrize(
    "key",
    [
        ("ann", 1),
        ["ann", 1],
        {"PK": "ann", "number": 1},
        MappingProxyType({"number": 1, "PK": "ann", "email": "x"}),
    ],
)
def test_a_key_has_many_forms(key):
    """A tuple of both parts, a key by name, or the whole item."""
    assert USERS.key(key) == KEY


def test_an_instance_is_its_own_key():
    """Of the codec's class, or of any class of its model."""
    typed: Codec[Any] = codec(USER, class_for(USER))
    ann = typed.decode(STORED)
    assert typed.key(ann) == KEY
    assert USERS.key(ann) == KEY


def test_one_value_is_the_key_of_a_table_without_sort_key():
    """And a number, zero included, is a value."""
    alone = codec(Model("A", "alone", KeyPart("id", "N"), None, (Attribute("id", "N"),)))
    assert alone.key(0) == alone.key((0,)) == alone.key({"id": 0}) == {"id": {"N": "0"}}


def test_a_key_is_never_omitted():
    """Zero is a value, whatever the attribute says of empty ones; no bytes are none."""
    zero = Attribute("id", "N", omit_empty=True)
    made = codec(Model("A", "alone", KeyPart("id", "N"), None, (zero,)))
    assert made.encode({"id": 0}) == made.encode_each({"id": 0}) == {"id": {"N": "0"}}
    binary = codec(Model("A", "alone", KeyPart("id", "B"), None, (Attribute("id", "B"),)))
    for empty in (b"", bytearray(), memoryview(b"")):
        with pytest.raises(MissingPrimaryKey):
            binary.key(empty)
        with pytest.raises(MissingPrimaryKey):
            binary.encode({"id": empty})


@pytest.mark.parametrize("key", ["ann", ("ann",), ("", 1), {"PK": "ann"}, {}, None, ("ann", None)])
def test_a_key_with_a_part_missing_is_refused(key):
    """Missing and empty are the same."""
    with pytest.raises(MissingPrimaryKey, match="PK and number"):
        USERS.key(key)


def test_a_key_by_another_name_is_told():
    """The name that was probably meant."""
    with pytest.raises(MissingPrimaryKey, match="'pk' is not 'PK'"):
        USERS.key({"pk": "ann", "number": 1})


def test_a_key_that_does_not_fit_is_refused():
    """A part of another type, or a part too many."""
    with pytest.raises(InvalidValue, match="attribute number"):
        USERS.key(("ann", "one"))
    with pytest.raises(InvalidModel, match="PK, number"):
        USERS.key(("ann", 1, 2))


# --- Reading -------------------------------------------------------------------------


def _answer(item: Any) -> bytes:
    return json.dumps({"Item": item}).encode()


def test_what_is_not_declared_is_ignored_on_reading():
    """A model may know less than others who write to its table."""
    stored = {**STORED, "unknown": {"M": {"a": {"N": "1"}}}}
    assert USERS.decode(stored) == USERS.read_get(_answer(stored)) == ANN


def test_an_answer_without_item_is_none():
    """DynamoDB leaves Item out when there is none."""
    assert USERS.read_get(b"{}") is None
    assert USERS.read_page(b'{"Items":[],"Count":0}') == ([], None)


def test_an_item_that_does_not_fit_is_told_with_key_attribute_and_advice():
    """All of its reasons at once, from attribute values and from the wire."""
    stored = {"PK": {"S": "ann"}, "number": {"N": "1"}, "age": {"S": "old"}}
    for read in (lambda: USERS.decode(stored), lambda: USERS.read_get(_answer(stored))):
        with pytest.raises(ItemNotReadable) as caught:
            read()
        text = str(caught.value)
        assert caught.value.code == "ErrItemNotReadable"
        for part in ("'PK': 'ann'", "'number': 1", "table users", "model User", "upcaster"):
            assert part in text
        assert "attribute age: it is stored as S, the model declares N" in text
        assert "attribute email: it is missing" in text


def test_one_misfit_on_a_page_spares_the_others():
    """With an upcaster the whole page is read, each item by its own way."""
    old = {**STORED, "age": {"S": "33"}}
    page = json.dumps({"Items": [STORED, old, STORED]}).encode()
    with pytest.raises(ItemNotReadable):
        USERS.read_page(page)
    reading = codec(USER, None, [lambda values: {**values, "age": int(values["age"])}])
    assert reading.read_page(page)[0] == [ANN, {**ANN, "age": 33}, ANN]


def test_upcasters_follow_each_other_until_the_item_fits():
    """Each gets what the one before returned; undeclared rests are dropped."""
    seen: list[dict[str, Any]] = []

    def rename(values: dict[str, Any]) -> dict[str, Any]:
        seen.append(dict(values))
        values["email"] = values.pop("mail")
        return values

    def convert(values: dict[str, Any]) -> dict[str, Any]:
        seen.append(dict(values))
        return {**values, "age": int(values["age"]), "rest": 1}

    def never(values: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError(values)

    stored = {"PK": {"S": "ann"}, "number": {"N": "1"}, "age": {"S": "9"}, "mail": {"S": "m"}}
    reading = codec(USER, None, [rename, convert, never])
    expected = {"PK": "ann", "number": 1, "age": 9, "email": "m"}
    assert reading.decode(stored) == reading.read_get(_answer(stored)) == expected
    assert seen[:2] == [
        {"PK": "ann", "number": 1, "age": "9", "mail": "m"},
        {"PK": "ann", "number": 1, "age": "9", "email": "m"},
    ]


def test_upcasters_make_instances_too():
    """What they return passes through the class."""
    stored = {"PK": {"S": "ann"}, "age": {"S": "9"}}
    reading: Codec[Any] = codec(class_model(), User, [lambda values: {**values, "age": 9}])
    assert reading.decode(stored) == User(pk="ann", age=9)
    with pytest.raises(ItemNotReadable, match="after its upcasters"):
        codec(class_model(), User, [lambda values: {**values, "age": "x"}]).decode(stored)


def class_model() -> Model:
    from keypact.classes import model_of

    return model_of(User)


def test_an_upcaster_that_fails_is_named():
    """Its own error is the cause."""

    def broken(values: dict[str, Any]) -> dict[str, Any]:
        raise KeyError("year")

    with pytest.raises(ItemNotReadable, match=r"broken failed with KeyError\('year'\)") as caught:
        codec(USER, None, [broken]).decode({"PK": {"S": "a"}})
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_part_of_an_item_is_read_when_asked_for():
    """An index that projects keys only leaves out what is required."""
    stored = {name: STORED[name] for name in ("PK", "number")}
    page = json.dumps({"Items": [stored]}).encode()
    expected = {"PK": "ann", "number": 1}
    assert USERS.decode(stored, partial=True) == expected
    assert USERS.read_page(page, partial=True)[0] == [expected]
    typed: Codec[Any] = codec(USER, class_for(USER))
    with pytest.raises(ItemNotReadable, match="only a part of the item was read"):
        typed.decode(stored, partial=True)


# --- Classes -------------------------------------------------------------------------


def test_a_class_reads_defaults_where_nothing_is_stored():
    """A new field with a default needs no upcaster."""
    reading = codec(class_model(), User)
    stored = {"PK": {"S": "ann"}, "age": {"N": "9"}}
    found = reading.decode(stored)
    assert found == reading.read_get(_answer(stored)) == User(pk="ann", age=9)
    other = reading.decode(stored)
    found.tags.add("x")
    assert other.tags == set()


def test_none_in_a_class_is_nothing_in_the_item():
    """A class has no other way to say so."""
    writing = codec(class_model(), User)
    assert writing.encode(User(pk="ann", age=9)) == {
        "PK": {"S": "ann"},
        "age": {"N": "9"},
        "nick": {"S": "nobody"},
        "tags": {"NULL": True},
    }
    assert writing.encode_attribute("score", None) is None
    assert USERS.encode_attribute("age", None) == {"NULL": True}


def test_a_float_field_holds_any_float():
    """The class says float, and gets the very same float back."""
    writing = codec(class_model(), User)
    encoded = writing.encode(User(pk="ann", age=9, score=0.1))
    assert encoded["score"] == {"N": "0.1"}
    assert writing.decode(encoded).score == 0.1
    assert writing.read_get(_answer(encoded)) == User(pk="ann", age=9, score=0.1)


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        ({"PK": {"S": "a"}}, "attribute age: it is missing, and its field has no default"),
        ({"PK": {"S": "a"}, "age": {"N": "1.5"}}, "1.5 is no int"),
        ({"PK": {"S": "a"}, "age": {"NULL": True}}, "NULL is stored, which int cannot hold"),
        ({"PK": {"S": "a"}, "age": {"N": "1"}, "nick": {"NULL": True}}, "str cannot hold"),
    ],
)
def test_what_a_class_cannot_hold_is_not_readable(stored, reason):
    """Annotations are kept, also where the model would allow more."""
    reading = codec(class_model(), User)
    for read in (lambda: reading.decode(stored), lambda: reading.read_get(_answer(stored))):
        with pytest.raises(ItemNotReadable) as caught:
            read()
        assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"), [("age", 1.5), ("age", "9"), ("age", True), ("score", "x"), ("nick", 5)]
)
def test_what_a_class_could_not_read_is_not_written(field, value):
    """InvalidValue with the attribute's name, before anything is sent."""
    item = User(pk="ann", age=1)
    setattr(item, field, value)
    with pytest.raises(InvalidValue, match=f"attribute {field}"):
        codec(class_model(), User).encode(item)


def test_an_instance_of_another_model_is_refused():
    """And so is anything that is no item at all."""
    with pytest.raises(InvalidModel, match="class of model Typed, not of User"):
        USERS.encode(User(pk="ann", age=1))  # type: ignore[arg-type]
    for item in ("ann", 5, None, object()):
        with pytest.raises(InvalidModel, match="an item of model User is a mapping"):
            USERS.encode(item)  # type: ignore[arg-type]


def test_values_and_items_go_both_ways():
    """values_of gives a mapping of either, build makes either."""
    writing = codec(class_model(), User)
    ann = User(pk="ann", age=9, score=0.5)
    values = writing.values_of(ann)
    assert dict(values) == {"PK": "ann", "age": 9, "score": 0.5, "nick": "nobody", "tags": set()}
    assert writing.build(values) == ann
    assert writing.build({"PK": "ann", "age": 9}) == User(pk="ann", age=9)
    assert USERS.values_of(ANN) == USERS.build(ANN) == ANN
    with pytest.raises(InvalidModel, match="attribute age"):
        writing.build({"PK": "ann"})
    with pytest.raises(InvalidModel, match="has no attribute 'pk'"):
        writing.build({"pk": "ann", "age": 9})


def test_fields_stand_for_their_attributes():
    """Whoever has a class may call an attribute by its field."""
    typed: Codec[Any] = codec(USER, class_for(USER))
    assert typed.attribute_names(["nick_name", "nickName", "pk"]) == ["nickName", "nickName", "PK"]
    for made in (typed, USERS):
        with pytest.raises(InvalidModel, match="did you mean 'email'"):
            made.attribute_names(["e_mail"])


def test_a_codec_is_made_once():
    """For equal models, class and upcasters."""
    assert codec(USER) is codec(Model(**{f: getattr(USER, f) for f in USER.__dataclass_fields__}))
    assert codec(class_model(), User) is codec(class_model(), User)
