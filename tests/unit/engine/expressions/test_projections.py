"""Projections: the parts of an item that were asked for, in their places."""

from __future__ import annotations

from typing import Any

import pytest

from keypact.engine.errors import ValidationException
from keypact.engine.expressions import Environment

XY = {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}
ITEM: dict[str, Any] = {
    "n": {"N": "5"},
    "l": {"L": [{"S": "a"}, {"S": "b"}, XY, {"L": [{"N": "1"}, {"N": "2"}]}]},
    "m": {
        "M": {"k": {"S": "v"}, "l": {"L": [{"N": "1"}, {"N": "2"}, XY]}, "d": XY, "e": {"M": {}}}
    },
}


def pick(text: str, names: dict[str, str] | None = None) -> dict[str, Any]:
    env = Environment(names)
    projection = env.projection(text)
    env.finish()
    return projection.pick(ITEM)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n", {"n": {"N": "5"}}),
        ("n, m.k", {"n": {"N": "5"}, "m": {"M": {"k": {"S": "v"}}}}),
        ("m.k, m.d.x", {"m": {"M": {"k": {"S": "v"}, "d": {"M": {"x": {"N": "1"}}}}}}),
        ("m.e", {"m": {"M": {"e": {"M": {}}}}}),
        ("l[1]", {"l": {"L": [{"S": "b"}]}}),
        # In the list's order, without gaps.
        ("l[2], l[0]", {"l": {"L": [{"S": "a"}, XY]}}),
        ("l[9], l[1]", {"l": {"L": [{"S": "b"}]}}),
        ("l[2].x, l[2].y", {"l": {"L": [XY]}}),
        ("l[3][1]", {"l": {"L": [{"L": [{"N": "2"}]}]}}),
        ("m.l[2].x, m.l[0]", {"m": {"M": {"l": {"L": [{"N": "1"}, {"M": {"x": {"N": "1"}}}]}}}}),
        # What is not there leaves no trace.
        ("z", {}),
        ("l[9]", {}),
        ("m.z", {}),
        ("m.z.y", {}),
        ("m.d.z", {}),
        ("n.k", {}),
        ("m[0]", {}),
        ("l.x", {}),
        ("l[2].z", {}),
    ],
)
def test_parts_of_an_item(text: str, expected: dict[str, Any]) -> None:
    assert pick(text) == expected


def test_names_stand_for_attributes() -> None:
    """A placeholder is one name, whatever it contains."""
    assert pick("#m.#k", {"#m": "m", "#k": "k"}) == {"m": {"M": {"k": {"S": "v"}}}}
    assert pick("#p", {"#p": "m.k"}) == {}


@pytest.mark.parametrize(
    ("text", "verb", "one", "two"),
    [
        ("n, n", "overlap", "[n]", "[n]"),
        ("n, #n", "overlap", "[n]", "[n]"),
        ("m, m.k", "overlap", "[m]", "[m, k]"),
        ("a, m.k, m", "overlap", "[m, k]", "[m]"),
        ("l[0].a, l[0]", "overlap", "[l, [0], a]", "[l, [0]]"),
        ("l[0], l.a", "conflict", "[l, [0]]", "[l, a]"),
    ],
)
def test_paths_that_get_in_each_others_way(text: str, verb: str, one: str, two: str) -> None:
    with pytest.raises(ValidationException) as caught:
        Environment({"#n": "n"}).projection(text)
    assert caught.value.message == (
        f"Invalid ProjectionExpression: Two document paths {verb} with each other; must remove "
        f"or rewrite one of these paths; path one: {one}, path two: {two}"
    )


def test_attribute_names_are_those_that_paths_begin_with() -> None:
    assert Environment().projection("a.b, c[0], d").attribute_names() == {"a", "c", "d"}
