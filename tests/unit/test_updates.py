"""Changes of fields: the text of the update, and what the engine makes of it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypact.conditions import F, Placeholders, render_condition
from keypact.engine.expressions import Environment
from keypact.errors import InvalidModel, InvalidOperator, InvalidValue
from keypact.schema import Attribute, KeyPart, Model
from keypact.updates import Change, render_update
from keypact.values import from_value, to_value

MODEL = Model(
    name="Thing",
    table="things",
    partition=KeyPart("id", "S"),
    sort=None,
    attributes=(
        Attribute("id", "S", required=True, roles=("pk",)),
        Attribute("nick", "S", omit_empty=True),
        Attribute("count", "N"),
        Attribute("blob", "S", json=True),
        Attribute("tags", "SS"),
        Attribute("maybe", "S", optional=True),
        Attribute("secret", "S", encryption={}),
    ),
)

A, B = F("a"), F("b")
TEXTS = [
    ([A.set(1)], "SET #n0 = :v0"),
    ([A.set(1), B.set(2)], "SET #n0 = :v0, #n1 = :v1"),
    ([A.set_if_not_exists(1)], "SET #n0 = if_not_exists(#n0, :v0)"),
    ([A.append([1])], "SET #n0 = list_append(if_not_exists(#n0, :v0), :v1)"),
    ([A.prepend([1])], "SET #n0 = list_append(:v1, if_not_exists(#n0, :v0))"),
    ([A[0].set(1)], "SET #n0[0] = :v0"),
    ([A["b"]["a"].set(1)], "SET #n0.#n1.#n0 = :v0"),
    ([A.remove(), B[1].remove()], "REMOVE #n0, #n1[1]"),
    ([A.add(1)], "ADD #n0 :v0"),
    ([A.add({"x"})], "ADD #n0 :v0"),
    ([A.discard({"x"})], "DELETE #n0 :v0"),
    ([A.put({"M": {}})], "SET #n0 = :v0"),
    (
        [A.set(1), B.remove(), F("c").set(2), F("d").add(1)],
        "SET #n0 = :v0, #n2 = :v1 REMOVE #n1 ADD #n3 :v2",
    ),
]


@pytest.mark.parametrize(("changes", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_changes_are_written_with_placeholders_one_clause_each(changes, text):
    """DynamoDB allows each clause once."""
    placeholders = Placeholders()
    assert render_update(changes, placeholders) == text
    environment = Environment(placeholders.names or None, placeholders.values or None)
    environment.update(text)
    environment.finish()


def test_a_condition_and_an_update_share_their_placeholders():
    """They are of one request."""
    placeholders = Placeholders()
    assert render_update([A.set(1)], placeholders) == "SET #n0 = :v0"
    assert render_condition((A == 2) & (B == 1), placeholders) == "#n0 = :v1 AND #n1 = :v2"


def _values(*changes: Change) -> list[Any]:
    placeholders = Placeholders(MODEL)
    render_update(changes, placeholders)
    return list(placeholders.values.values())


def test_a_value_takes_the_form_that_its_attribute_is_stored_in():
    """As create would store it."""
    assert _values(F("blob").set({"b": 1, "a": None})) == [{"S": '{"a":null,"b":1}'}]
    assert _values(F("tags").set(["b", "a"])) == [{"SS": ["a", "b"]}]
    assert _values(F("tags").set(set())) == [{"NULL": True}]
    assert _values(F("count").add(Decimal("0.5"))) == [{"N": "0.5"}]
    assert _values(F("secret").put({"M": {"v": {"N": "1"}}})) == [{"M": {"v": {"N": "1"}}}]
    with pytest.raises(InvalidValue, match="count"):
        _values(F("count").set("one"))


@pytest.mark.parametrize("change", [F("nick").set(""), F("nick").set(None), F("maybe").set(None)])
def test_setting_what_is_left_out_removes(change):
    """An empty value where omit_empty stands, or None where the attribute is optional."""
    assert render_update([change], Placeholders(MODEL)) == "REMOVE #n0"


def test_a_default_that_is_left_out_is_refused():
    """It could neither be set nor left."""
    with pytest.raises(InvalidOperator, match="nick"):
        render_update([F("nick").set_if_not_exists("")], Placeholders(MODEL))


def test_an_attribute_that_the_model_does_not_have_is_refused():
    """ErrInvalidModel."""
    with pytest.raises(InvalidModel, match="nik"):
        render_update([F("nik").set("x")], Placeholders(MODEL))


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [A.add("1")],
        [A.add(True)],
        [A.add(set())],
        [A.discard({})],
        [A.discard(1)],
        [A.add([1])],
    ],
)
def test_what_dynamodb_cannot_express_is_refused(changes):
    """ErrInvalidOperator: ADD takes a number or members, DELETE members, an update something."""
    with pytest.raises(InvalidOperator):
        render_update(changes, Placeholders())


def test_a_change_knows_the_attribute_it_touches():
    """Also when it touches only a part of it."""
    assert F("a")["b"][0].set(1).name == "a"


# Any changes at all ---------------------------------------------------------------------------

numbers = st.integers(-5, 5)
texts = st.sampled_from("xyz")
items = st.fixed_dictionaries(
    {},
    optional={
        "n": numbers,
        "set": st.sets(texts, min_size=1),
        "list": st.lists(numbers, max_size=3),
        "t": texts,
    },
)


def _without(item: dict[str, Any], name: str) -> None:
    item.pop(name, None)


@st.composite
def changes_and_meanings(draw: st.DrawFn) -> list[tuple[Change, Any]]:
    """At most one change an attribute, with what it does to a plain item."""
    number, members, listed = (
        draw(numbers),
        draw(st.sets(texts, min_size=1)),
        draw(st.lists(numbers)),
    )
    choices: dict[str, list[tuple[Change, Any]]] = {
        "n": [
            (F("n").set(number), lambda item: item.update(n=number)),
            (F("n").add(number), lambda item: item.update(n=item.get("n", 0) + number)),
            (F("n").set_if_not_exists(number), lambda item: item.setdefault("n", number)),
            (F("n").remove(), lambda item: _without(item, "n")),
        ],
        "set": [
            (F("set").add(members), lambda item: item.update(set=item.get("set", set()) | members)),
            (F("set").discard(members), lambda item: _discard(item, members)),
        ],
        "list": [
            (
                F("list").append(listed),
                lambda item: item.update(list=item.get("list", []) + listed),
            ),
            (
                F("list").prepend(listed),
                lambda item: item.update(list=listed + item.get("list", [])),
            ),
            (F("list").remove(), lambda item: _without(item, "list")),
        ],
        "t": [(F("t").set("new"), lambda item: item.update(t="new"))],
    }
    chosen = draw(st.lists(st.sampled_from(sorted(choices)), min_size=1, unique=True))
    return [draw(st.sampled_from(choices[name])) for name in chosen]


def _discard(item: dict[str, Any], members: set[str]) -> None:
    rest = item.get("set", set()) - members
    if rest:
        item["set"] = rest
    else:
        item.pop("set", None)


@given(changes_and_meanings(), items)
def test_any_changes_do_what_they_say(chosen: list[tuple[Change, Any]], item: dict[str, Any]):
    """The engine reads the text, and makes of an item what plain Python makes of it."""
    placeholders = Placeholders()
    text = render_update([change for change, _ in chosen], placeholders)
    environment = Environment(placeholders.names or None, placeholders.values or None)
    update = environment.update(text)
    environment.finish()
    expected = {name: _copy(value) for name, value in item.items()}
    for _, meaning in chosen:
        meaning(expected)
    after = update.apply({name: to_value(value) for name, value in item.items()})
    assert {name: from_value(value) for name, value in after.items()} == expected, text


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, (set, list)) else value
