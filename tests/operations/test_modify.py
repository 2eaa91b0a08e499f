"""modify: changes by expression, made where the item is."""

from __future__ import annotations

import pytest

from keypact.conditions import F
from keypact.errors import ConditionFailed, InvalidModel, InvalidOperator
from tests.operations.tables import Desk


@pytest.fixture
def counter(desk: Desk):
    """A counter with something of everything."""
    desk.table("Counter").create(
        {"name": desk.partition, "owner": "o", "count": 5, "seen": {"a", "b"}, "log": ["x"]}
    )
    return desk.table("Counter")


CHANGES = [
    ([F("count").set(7)], {"count": 7}),
    ([F("count").set_if_not_exists(7)], {"count": 5}),
    ([F("note").set_if_not_exists("n")], {"note": "n"}),
    ([F("count").add(2)], {"count": 7}),
    ([F("count").add(-2)], {"count": 3}),
    ([F("seen").add({"c"})], {"seen": {"a", "b", "c"}}),
    ([F("seen").discard({"a", "z"})], {"seen": {"b"}}),
    ([F("count").remove()], {"count": None}),
    ([F("log").append(["y", 1])], {"log": ["x", "y", 1]}),
    ([F("log").prepend(["w"])], {"log": ["w", "x"]}),
    ([F("log")[0].set("z")], {"log": ["z"]}),
    ([F("log")[0].remove()], {"log": []}),
    ([F("note").set("")], {"note": None}),
    (
        [F("owner").set("p"), F("count").add(1), F("log").remove()],
        {"owner": "p", "count": 6, "log": None},
    ),
]


@pytest.mark.parametrize(
    ("changes", "expected"), CHANGES, ids=[str(number) for number in range(len(CHANGES))]
)
def test_a_change_does_what_it_says(desk: Desk, counter, changes, expected):
    """set, set_if_not_exists, add, remove, discard, append, prepend, one element."""
    modified = counter.modify(desk.partition, changes)
    for name, value in expected.items():
        assert modified.get(name) == value
    assert modified == counter.get(desk.partition)
    untouched = {"owner": "o", "count": 5, "seen": {"a", "b"}, "log": ["x"]}
    for name in untouched.keys() - expected.keys():
        assert modified[name] == untouched[name]


def test_lists_sets_and_numbers_are_made_where_they_are_missing(desk: Desk):
    """The first append, add or count needs no item prepared for it."""
    table = desk.table("Counter")
    table.create({"name": desk.partition, "owner": "o"})
    modified = table.modify(
        desk.partition, [F("log").append([1]), F("seen").add({"a"}), F("count").add(1)]
    )
    assert (modified["log"], modified["seen"], modified["count"]) == ([1], {"a"}, 1)


def test_an_item_that_is_not_there_is_not_made(desk: Desk):
    """As with update: ConditionFailed."""
    with pytest.raises(ConditionFailed):
        desk.table("Counter").modify(desk.partition, [F("count").add(1)])
    assert desk.stored("Counter", {"name": desk.partition}) is None


def test_a_model_with_a_version_needs_it(desk: Desk):
    """No way around the lock: missing is a mistake, stale is refused, right counts up."""
    table = desk.table()
    table.create(desk.user(age=1))
    with pytest.raises(InvalidModel, match="version"):
        table.modify((desk.partition, "profile"), [F("age").add(1)])
    desk.pass_time(1)
    modified = desk.shown(table.modify((desk.partition, "profile"), [F("age").add(1)], version=0))
    assert (modified["age"], modified["version"]) == (2, 1)
    assert modified["updatedAt"] == "2026-01-16T00:00:01Z"
    with pytest.raises(ConditionFailed):
        table.modify((desk.partition, "profile"), [F("age").add(1)], version=0)


@pytest.mark.parametrize("name", ["createdAt", "updatedAt", "version", "PK", "SK", "nowhere"])
def test_what_the_library_owns_cannot_be_changed(desk: Desk, name):
    """Nor keys, nor what no model declares."""
    with pytest.raises(InvalidModel, match=name):
        desk.table().modify((desk.partition, "profile"), [F(name).set("x")], version=0)
    assert not desk.backend.sent


def test_values_take_their_attribute_s_form(desk: Desk):
    """json is stored as text, a nested map by its Python types."""
    table = desk.table()
    table.create(desk.user(address={"street": "A 1"}))
    table.modify(
        (desk.partition, "profile"),
        [F("settings").set({"b": 1, "a": 2}), F("address")["no"].set(4)],
        version=0,
    )
    stored = desk.stored_user()
    assert stored is not None
    assert stored["settings"] == {"S": '{"a":2,"b":1}'}
    assert stored["address"] == {"M": {"street": {"S": "A 1"}, "no": {"N": "4"}}}


def test_a_condition_decides_about_a_change(desk: Desk, counter):
    """Nothing happens where it does not hold."""
    counter.modify(desk.partition, [F("count").add(1)], condition=F("count") < 6)
    with pytest.raises(ConditionFailed):
        counter.modify(desk.partition, [F("count").add(1)], condition=F("count") < 6)
    assert counter.get(desk.partition)["count"] == 6


@pytest.mark.parametrize("changes", [[], [F("seen").discard(set())], [F("count").add("1")]])
def test_what_cannot_be_expressed_is_refused_before_any_call(desk: Desk, changes):
    """ErrInvalidOperator."""
    with pytest.raises(InvalidOperator):
        desk.table("Counter").modify(desk.partition, changes)
    assert not desk.backend.sent


def test_names_that_dynamodb_reserves_are_no_trouble(desk: Desk, counter):
    """`name`, `count`, `owner`, `log` are words of DynamoDB: they go through placeholders."""
    counter.modify(desk.partition, [F("log").remove()], condition=F("name").exists())
    request = desk.backend.sent[-1][1]
    assert set(request["ExpressionAttributeNames"].values()) == {"log", "name"}
