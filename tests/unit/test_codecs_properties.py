"""Codecs on drawn models: what goes in comes out, and fast code does what the rules say."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from keypact.classes import class_for, model_of
from keypact.codecs import Codec, codec
from keypact.errors import KeypactError
from keypact.generation import generate_module
from keypact.schema.models import Attribute, Model, Schema
from keypact.values import decode_attribute, encode_attribute, is_empty

from .drawn_models import models, models_with_items, of_attribute, values


def _same(left: Any, right: Any) -> bool:
    """Equal, and of the same types all the way down."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, set):
        return left == right and {(type(one), one) for one in left} == {
            (type(one), one) for one in right
        }
    return bool(left == right)


def _as_read(model: Model, item: dict[str, Any]) -> dict[str, Any]:
    """The item without what is left out on writing."""
    return {
        name: value
        for name, value in item.items()
        if not _is_left_out(model.by_name[name], value, is_key=name in model.key_names)
    }


def _is_left_out(attribute: Attribute, value: Any, *, is_key: bool) -> bool:
    if is_key:
        return False
    if attribute.omit_empty and is_empty(value):
        return True
    return value is None and attribute.optional and not attribute.json and attribute.type != "NULL"


def _outcome(action: Any) -> Any:
    try:
        return action()
    except KeypactError as error:
        return type(error), str(error)


@given(models_with_items())
def test_any_item_comes_back_as_a_mapping(drawn):
    """Encoded, sent as JSON, decoded: the same values, of the same types."""
    model, item = drawn
    made: Codec[dict[str, Any]] = codec(model)
    encoded = made.encode(item)
    wire = msgspec.json.encode({"Item": encoded})
    expected = _as_read(model, item)
    assert _same(made.decode(encoded), expected)
    assert _same(made.read_get(wire), expected)
    page = json.dumps({"Items": [encoded, encoded], "LastEvaluatedKey": {"a": {"S": "b"}}})
    found, last_key = made.read_page(page.encode())
    assert _same(found, [expected, expected])
    assert last_key == {"a": {"S": "b"}}


@given(models_with_items())
def test_any_item_comes_back_as_an_instance(drawn):
    """Through a class that was made for the model, nothing is lost either."""
    model, item = drawn
    mapping = codec(model)
    typed: Codec[Any] = codec(model, class_for(model))
    encoded = mapping.encode(item)
    instance = typed.read_get(msgspec.json.encode({"Item": encoded}))
    assert instance is not None
    assert instance == typed.decode(encoded)
    again = typed.encode(instance)
    assert typed.decode(again) == instance
    # A class says None where there is nothing and where NULL is stored.
    null = {"NULL": True}
    kept = {name: value for name, value in encoded.items() if value != null}
    assert kept == {name: value for name, value in again.items() if value != null}


@given(models_with_items())
def test_generated_code_equals_the_plain_path(drawn):
    """Attribute by attribute, by the functions of `values`, gives the same."""
    model, item = drawn
    made = codec(model)
    encoded = made.encode(item)
    plain = {
        name: value
        for name, given_value in item.items()
        if (value := encode_attribute(model.by_name[name], given_value)) is not None
    }
    assert encoded == plain == made.encode_each(item)
    assert made.decode(encoded) == {
        name: decode_attribute(model.by_name[name], value) for name, value in encoded.items()
    }


_ODD: st.SearchStrategy[Any] = values | st.sampled_from(
    [
        "\ud800",
        0.1,
        0.5,
        float("nan"),
        -0.0,
        10**40,
        10**40 + 1,
        Decimal("1E+200"),
        Decimal("-0.0"),
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2026, 1, 1),  # noqa: DTZ001 - refused
        datetime(1, 1, 1, tzinfo=UTC),
        "2026-01-16T00:00:00Z",
        "2026-02-30T00:00:00Z",
        {1, "a"},
        {"\ud800"},
        [[object]],
        {"a": {1: 2}},
        bytearray(b"x"),
        (1, 2),
        frozenset({"a"}),
    ]
)


@given(models().flatmap(lambda model: st.tuples(st.just(model), st.data())))
def test_generated_code_refuses_what_the_rules_refuse(drawn):
    """Any value for any attribute: the same result, or the same error."""
    model, data = drawn
    made = codec(model)
    item = {
        one.name: data.draw(of_attribute(one) | _ODD)
        for one in model.attributes
        if data.draw(st.integers(0, 9))
    }
    if data.draw(st.integers(0, 9)) == 0:
        item["nobody declared this"] = 1
    fast, plain = _outcome(lambda: made.encode(item)), _outcome(lambda: made.encode_each(item))
    assert fast == plain


_STORED = st.one_of(
    st.fixed_dictionaries({"S": st.text(max_size=3)}),
    st.sampled_from(
        [
            {"S": "2026-01-16T00:00:00Z"},
            {"S": '{"a":1}'},
            {"N": "1"},
            {"N": "1.5"},
            {"N": "1E+2"},
            {"B": "null"},
            {"BOOL": True},
            {"NULL": True},
            {"SS": ["a"]},
            {"NS": ["1", "1.5", "1E+2"]},
            {"BS": ["AA=="]},
            {"L": [{"N": "1"}]},
            {"M": {"a": {"NULL": True}}},
        ]
    ),
)


@given(models().flatmap(lambda model: st.tuples(st.just(model), st.data())))
def test_the_wire_is_read_by_the_same_rules(drawn):
    """Straight from bytes or through attribute values: the same item, or the same error."""
    model, data = drawn
    stored = {one.name: data.draw(_STORED) for one in model.attributes if data.draw(st.booleans())}
    stored["nobody declared this"] = {"S": "x"}
    wire = msgspec.json.encode({"Item": stored})
    for made in (codec(model), codec(model, class_for(model))):
        straight, plain = (
            _outcome(lambda m=made: m.read_get(wire)),
            _outcome(lambda m=made: m.decode(stored)),
        )
        assert straight == plain
        if isinstance(straight, dict):
            assert _same(straight, plain)


@given(models())
def test_a_generated_class_declares_the_model_it_came_from(model):
    """The source says all that the model says, whatever its names are."""
    namespace: dict[str, Any] = {"__name__": "generated"}
    source = generate_module(Schema("0.1", (model,)))
    exec(compile(source, "generated", "exec", dont_inherit=True), namespace)
    assert model_of(namespace["Drawn"]) == model
    assert model_of(class_for(model)) == model
