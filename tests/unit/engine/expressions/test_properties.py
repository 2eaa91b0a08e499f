"""Any expression at all: read as it was written, and doing what a plain model of it does."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from keypact.engine.attributes import equal
from keypact.engine.errors import ValidationException
from keypact.engine.expressions import Environment
from keypact.engine.expressions.grammars import parse_condition, parse_update
from keypact.engine.expressions.syntax import (
    Action,
    Between,
    Call,
    Comparison,
    Condition,
    In,
    Path,
    Value,
)

from .model import Impossible, Item, holds, look, updated
from .writing import (
    RESOLVED,
    VALUES,
    conditions,
    items,
    resolved,
    updates,
    used,
    write_condition,
    write_update,
)

several_items = st.lists(items, min_size=1, max_size=6)

A, B, C = Path(("a",)), Path(("b",)), Path(("c",))
# Each type twice or more, with values that are equal, above, below and within each other.
SAMPLES: list[Item] = [
    *VALUES.values(),
    {"S": "abc"},
    {"S": "\uffff"},
    {"S": "😀"},
    {"N": "3"},
    {"N": "-1.4"},
    {"B": "YQ=="},
    {"B": "/w=="},
    {"BOOL": False},
    {"SS": ["ab", "a"]},
    {"NS": ["3"]},
    {"BS": ["YWI=", "YQ=="]},
    {"L": [{"N": "2"}, {"SS": ["ab", "a"]}, {"L": []}]},
    {"L": []},
    {"M": {"a": {"SS": ["ab", "a"]}}},
    {"M": {}},
]


@given(conditions)
def test_a_condition_is_read_as_it_was_written(node: Condition) -> None:
    """With no parentheses but the needed ones, and with any white space."""
    text = write_condition(node)
    assert parse_condition("ConditionExpression", text).root == node
    spaced = text.replace(" ", "\t \r\n").replace("(", " ( ").replace(".", " . ")
    assert parse_condition("ConditionExpression", spaced).root == node


@given(updates)
def test_an_update_is_read_as_it_was_written(chosen: list[Action]) -> None:
    text = write_update(chosen)
    assert list(parse_update("UpdateExpression", text).actions) == chosen


@given(conditions, several_items)
def test_a_condition_means_what_the_model_says(node: Condition, examples: list[Item]) -> None:
    before = deepcopy(examples)
    check_condition(node, examples)
    assert examples == before


def check_condition(node: Condition, examples: list[Item]) -> None:
    text = write_condition(node)
    env = Environment(used(text, RESOLVED), used(text, VALUES))
    condition = env.condition("FilterExpression", text)
    env.finish()
    for item in examples:
        assert condition.matches(item) is holds(node, item), (text, item)


def test_every_comparison_of_every_two_values() -> None:
    """All types with each other, and with nothing."""
    present = [{"a": one, "b": two} for one, two in product(SAMPLES, SAMPLES)]
    alone = [{name: one} for name, one in product("ab", SAMPLES)]
    nodes: list[Condition] = [
        *(Comparison(sign, A, B) for sign in ("=", "<>", "<", "<=", ">", ">=")),
        *(Call(name, (A, B)) for name in ("begins_with", "contains")),
        *(Comparison(sign, Call("size", (A,)), B) for sign in ("=", "<>", "<", ">=")),
        In(A, (B,)),
        In(A, (C, B)),
        Between(A, B, B),
        Between(A, Value(":o"), B),
    ]
    for node in nodes:
        check_condition(node, [*present, *alone, {}])


def test_every_three_values_of_which_one_may_lie_between() -> None:
    ordered = [one for one in SAMPLES if one.keys() & {"S", "N", "B"}]
    triples = [{"a": one, "b": low, "c": high} for one, low, high in product(ordered, repeat=3)]
    check_condition(Between(A, B, C), triples)


@given(updates, several_items)
def test_an_update_does_what_the_model_does(chosen: list[Action], examples: list[Item]) -> None:
    """Also in what it refuses. The item given is never touched, nor what is inside it."""
    check_update(chosen, examples)


def check_update(chosen: list[Action], examples: list[Item]) -> None:
    text = write_update(chosen)
    env = Environment(used(text, RESOLVED), used(text, VALUES))
    update = env.update(text)
    env.finish()
    for item in examples:
        before = deepcopy(item)
        after: Item | None = None
        expected: Item | None = None
        with suppress(ValidationException):
            after = update.apply(item)
        with suppress(Impossible):
            expected = updated(chosen, item)
        assert item == before
        assert same(after, expected), (text, item, after, expected)


def same(one: Any, two: Any) -> bool:
    if one is None or two is None:
        return one is two
    return equal({"M": one}, {"M": two})


def test_every_addition_and_deletion_on_every_value() -> None:
    present = [{"a": one, "m": {"M": {"a": one}}} for one in SAMPLES]
    examples = [*present, {}, {"m": {"M": {}}}]
    for section, names in {"ADD": [":n", ":o", ":ss", ":ns"], "DELETE": [":ss", ":ns"]}.items():
        for name, path in product(names, (A, Path(("m", "a")))):
            check_update([Action(section, path, Value(name))], examples)


def test_every_mixture_of_actions_on_a_list() -> None:
    """Each of five places, within the list or beyond its end: set, removed or left."""
    values = [{"L": [{"N": str(each)} for each in range(length)]} for length in range(5)]
    examples = [{"b": value} for value in values]
    # A value of its own for each place, so that their order shows.
    names = (":n", ":o", ":s", ":b", ":t")
    for sections in product(("SET", "REMOVE", ""), repeat=5):
        chosen = [
            Action(section, Path(("b", index)), None if section == "REMOVE" else Value(name))
            for index, (section, name) in enumerate(zip(sections, names, strict=True))
            if section
        ]
        chosen.sort(key=lambda action: action.section)
        # The order of the text does not matter.
        for written in (chosen, chosen[::-1]):
            if written:
                check_update(written, examples)


@given(updates, items, st.data())
def test_what_an_update_returns_lies_at_its_paths(
    chosen: list[Action], item: Item, data: st.DataObject
) -> None:
    """Each path into the item is in what is picked, unless the item has nothing there."""
    text = write_update(chosen)
    update = Environment(used(text, RESOLVED), used(text, VALUES)).update(text)
    picked = update.pick(item)
    assert picked.keys() <= update.attribute_names()
    action = data.draw(st.sampled_from(chosen))
    parts = resolved(action.path) or ()
    found = look(item, action.path)
    if found is not None:
        assert parts[0] in picked
        # Elements of a list close up, so that only names lead to the same place.
        if all(isinstance(part, str) for part in parts):
            assert look(picked, action.path) == found
