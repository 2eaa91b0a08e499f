"""Conditions from values: their texts, what they refuse, and what the engine makes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keypact
from keypact.conditions import (
    Condition,
    F,
    Placeholders,
    SortRange,
    render_condition,
    render_projection,
)
from keypact.engine.expressions import Environment
from keypact.errors import EncryptedFieldNotQueryable, InvalidModel, InvalidOperator, InvalidValue
from keypact.schema import Attribute, KeyPart, Model
from keypact.values import to_value

MODEL = Model(
    name="Thing",
    table="things",
    partition=KeyPart("id", "S"),
    sort=None,
    attributes=(
        Attribute("id", "S", required=True, roles=("pk",)),
        Attribute("at", "S", format="rfc3339nano"),
        Attribute("ends", "N", format="unix_seconds"),
        Attribute("tags", "SS"),
        Attribute("blob", "S", json=True),
        Attribute("nick", "S", omit_empty=True),
        Attribute("doc", "M"),
        Attribute("secret", "S", encryption={}),
    ),
)


def _text(condition: Condition) -> str:
    return render_condition(condition, Placeholders())


A, B, C = F("a"), F("b"), F("c")

TEXTS = [
    (A == 1, "#n0 = :v0"),
    (A != 1, "#n0 <> :v0"),
    (A < 1, "#n0 < :v0"),
    (A <= 1, "#n0 <= :v0"),
    (A > 1, "#n0 > :v0"),
    (A >= 1, "#n0 >= :v0"),
    (A.between(1, 2), "#n0 BETWEEN :v0 AND :v1"),
    (A.is_in([1, 2, 3]), "#n0 IN (:v0, :v1, :v2)"),
    (A.begins_with("x"), "begins_with(#n0, :v0)"),
    (A.contains("x"), "contains(#n0, :v0)"),
    (A.size() > 3, "size(#n0) > :v0"),
    (A.size().between(1, 2), "size(#n0) BETWEEN :v0 AND :v1"),
    (A.exists(), "attribute_exists(#n0)"),
    (A.not_exists(), "attribute_not_exists(#n0)"),
    (A.is_type("SS"), "attribute_type(#n0, :v0)"),
    (A == B, "#n0 = #n1"),
    (A.size() > B.size(), "size(#n0) > size(#n1)"),
    (F("a")["b"][0]["a"] == 1, "#n0.#n1[0].#n0 = :v0"),
    ((A == 1) & (B == 2), "#n0 = :v0 AND #n1 = :v1"),
    ((A == 1) & (B == 2) & (C == 3), "#n0 = :v0 AND #n1 = :v1 AND #n2 = :v2"),
    ((A == 1) | ((B == 2) | (C == 3)), "#n0 = :v0 OR #n1 = :v1 OR #n2 = :v2"),
    ((A == 1) | (B == 2) & (C == 3), "#n0 = :v0 OR (#n1 = :v1 AND #n2 = :v2)"),
    (((A == 1) | (B == 2)) & (C == 3), "(#n0 = :v0 OR #n1 = :v1) AND #n2 = :v2"),
    (~(A == 1), "NOT (#n0 = :v0)"),
    (~((A == 1) & (B == 2)), "NOT (#n0 = :v0 AND #n1 = :v1)"),
    (~(A == 1) & (A == 2), "NOT (#n0 = :v0) AND #n0 = :v1"),
]


@pytest.mark.parametrize(("condition", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_a_condition_is_written_with_placeholders_and_no_idle_parentheses(condition, text):
    """DynamoDB's grammar, and DynamoDB refuses parentheses that do nothing."""
    placeholders = Placeholders()
    assert render_condition(condition, placeholders) == text
    environment = Environment(placeholders.names or None, placeholders.values or None)
    environment.condition("ConditionExpression", text)
    environment.finish()


def test_no_value_and_no_name_can_become_syntax():
    """Whatever they hold, they stand beside the text."""
    evil = "x) OR attribute_exists(y"
    placeholders = Placeholders()
    text = render_condition((F(evil) == evil) & F(evil).contains(evil), placeholders)
    assert text == "#n0 = :v0 AND contains(#n0, :v1)"
    assert placeholders.names == {"#n0": evil}
    assert placeholders.values == {":v0": {"S": evil}, ":v1": {"S": evil}}


def test_expressions_of_one_request_share_their_placeholders():
    """A name has one placeholder, every value its own."""
    placeholders = Placeholders()
    render_condition(A == 1, placeholders)
    render_condition((A == 2) & (B == 3), placeholders)
    assert placeholders.names == {"#n0": "a", "#n1": "b"}
    assert placeholders.values == {":v0": {"N": "1"}, ":v1": {"N": "2"}, ":v2": {"N": "3"}}
    request: dict[str, Any] = {}
    placeholders.merge_into(request)
    assert request["ExpressionAttributeNames"] is placeholders.names
    request = {}
    Placeholders().merge_into(request)
    assert request == {}


def _value(condition: Condition) -> Any:
    placeholders = Placeholders(MODEL)
    render_condition(condition, placeholders)
    (value,) = placeholders.values.values()
    return value


def test_a_value_takes_the_form_that_its_attribute_is_stored_in():
    """Times, expiries, sets and json compare with what is there."""
    moment = datetime(2026, 1, 16, 0, 0, 0, 120_000, tzinfo=UTC)
    assert _value(F("at") == moment) == {"S": "2026-01-16T00:00:00.12Z"}
    assert _value(F("ends") < moment) == {"N": "1768521600"}
    assert _value(F("tags") == ["b", "a"]) == {"SS": ["a", "b"]}
    assert _value(F("blob") == {"b": 1, "a": 2}) == {"S": '{"a":2,"b":1}'}
    assert _value(F("nick") == "") == {"S": ""}
    assert _value(F("doc")["x"] == 1) == {"N": "1"}
    assert _value(F("tags").contains("a")) == {"S": "a"}
    assert _value(F("tags").size() == 2) == {"N": "2"}


def test_an_attribute_that_the_model_does_not_have_is_refused():
    """ErrInvalidModel, wherever it stands."""
    for condition in (F("idd") == 1, F("id") == F("idd"), F("idd").exists(), F("idd")["x"] == 1):
        with pytest.raises(InvalidModel, match="idd"):
            render_condition(condition, Placeholders(MODEL))
    with pytest.raises(InvalidValue, match="ends"):
        render_condition(F("ends") == "soon", Placeholders(MODEL))


def test_an_encrypted_attribute_is_refused_wherever_it_stands():
    """ErrEncryptedFieldNotQueryable: ciphertext is another every time."""
    secret = F("secret")
    for condition in (
        secret == "s",
        secret.exists(),
        secret.size() > 1,
        F("id") == secret,
        F("ends") > secret.size(),
        secret["v"] == 1,
        ~(secret.begins_with("x")) | (F("id") == "i"),
        secret.is_in(["a"]),
    ):
        with pytest.raises(EncryptedFieldNotQueryable) as caught:
            render_condition(condition, Placeholders(MODEL))
        assert caught.value.code == "ErrEncryptedFieldNotQueryable"


def test_an_operator_may_be_data():
    """As it comes from a contract or a request; an unknown one is ErrInvalidOperator."""
    assert _text(A.compare("<=", 1)) == "#n0 <= :v0"
    assert _text(A.compare("BETWEEN", 1, 2)) == "#n0 BETWEEN :v0 AND :v1"
    assert _text(A.compare("in", 1, 2)) == "#n0 IN (:v0, :v1)"
    assert _text(A.compare("begins_with", "x")) == "begins_with(#n0, :v0)"
    assert _text(A.compare("exists")) == "attribute_exists(#n0)"
    for operator, values in [("==", (1,)), ("like", ("x",)), ("between", (1,)), ("exists", (1,))]:
        with pytest.raises(InvalidOperator) as caught:
            A.compare(operator, *values)
        assert caught.value.code == "ErrInvalidOperator"


def test_what_dynamodb_cannot_express_is_refused():
    """An empty IN, more than 100 values, an unknown type, a prefix that is no text."""
    for build in (
        lambda: A.is_in([]),
        lambda: A.is_in(range(101)),
        lambda: A.is_type("STRING"),
        lambda: A.begins_with(1),  # type: ignore[arg-type]
        lambda: _text("a = 1"),  # type: ignore[arg-type]
        lambda: list(A),
    ):
        with pytest.raises(InvalidOperator):
            build()
    assert len(_text(A.is_in(range(100))).split(",")) == 100


def test_python_s_own_logic_is_refused():
    """`and`, `or`, `not`, chained comparisons and `in` would silently drop a part."""
    for build in (
        lambda: (A == 1) and (B == 2),
        lambda: not A.exists(),
        lambda: 1 < A < 3,
        lambda: 1 in A,
    ):
        with pytest.raises(InvalidOperator):
            build()


def test_a_projection_names_attributes_of_the_model():
    """Through placeholders, too."""
    placeholders = Placeholders(MODEL)
    assert render_projection(["id", "at"], placeholders) == "#n0, #n1"
    assert placeholders.names == {"#n0": "id", "#n1": "at"}
    with pytest.raises(InvalidModel):
        render_projection(["nowhere"], placeholders)


def test_sort_ranges_are_values():
    """The six stretches of a sort key that DynamoDB can read."""
    assert keypact.begins_with("x") == SortRange("begins_with", ("x",))
    assert keypact.between(1, 2) == SortRange("BETWEEN", (1, 2))
    assert keypact.at_least(1) == SortRange(">=", (1,))
    assert keypact.above(1) == SortRange(">", (1,))
    assert keypact.at_most(1) == SortRange("<=", (1,))
    assert keypact.below(1) == SortRange("<", (1,))


# Any condition at all -------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawn:
    """A condition, and what it means of an item in plain Python."""

    condition: Condition
    holds: Callable[[dict[str, Any]], bool]


MISSING = object()


def _number(item: dict[str, Any], path: tuple) -> Any:
    """The number at a path of an item, or nothing that compares."""
    value: Any = item
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return value if isinstance(value, int) else MISSING


PATHS: list[tuple[Any, ...]] = [("n",), ("m",), ("doc", "n"), ("list", 0), ("list", 1)]
paths = st.sampled_from(PATHS)
numbers = st.integers(-3, 3)
SIGNS: dict[str, Callable[[int, int], bool]] = {
    "=": lambda one, two: one == two,
    "<": lambda one, two: one < two,
    "<=": lambda one, two: one <= two,
    ">": lambda one, two: one > two,
    ">=": lambda one, two: one >= two,
}


@st.composite
def comparisons(draw: st.DrawFn) -> Drawn:
    path, sign, value = draw(paths), draw(st.sampled_from(sorted(SIGNS))), draw(numbers)
    compare = SIGNS[sign]

    def holds(item: dict[str, Any]) -> bool:
        found = _number(item, path)
        return found is not MISSING and compare(found, value)

    return Drawn(F(*path).compare(sign, value), holds)


@st.composite
def memberships(draw: st.DrawFn) -> Drawn:
    path, values = draw(paths), draw(st.lists(numbers, min_size=1, max_size=4))
    low, high = sorted((draw(numbers), draw(numbers)))
    if draw(st.booleans()):
        return Drawn(F(*path).is_in(values), lambda item: _number(item, path) in values)
    return Drawn(
        F(*path).between(low, high),
        lambda item: (found := _number(item, path)) is not MISSING and low <= found <= high,
    )


@st.composite
def functions(draw: st.DrawFn) -> Drawn:
    letter = draw(st.sampled_from("ab"))
    return draw(
        st.sampled_from(
            [
                Drawn(F("n").exists(), lambda item: "n" in item),
                Drawn(F("m").not_exists(), lambda item: "m" not in item),
                Drawn(F("t").begins_with(letter), lambda item: item["t"].startswith(letter)),
                Drawn(F("t").contains(letter), lambda item: letter in item["t"]),
                Drawn(F("set").contains(letter), lambda item: letter in item["set"]),
                Drawn(F("t").size() > 1, lambda item: len(item["t"]) > 1),
                Drawn(F("list").size() == 1, lambda item: len(item["list"]) == 1),
                Drawn(F("n").is_type("N"), lambda item: "n" in item),
                Drawn(F("t").is_type("N"), lambda item: False),
                Drawn(
                    F("n") < F("m"),
                    lambda item: "n" in item and "m" in item and item["n"] < item["m"],
                ),
            ]
        )
    )


def _junctions(children: st.SearchStrategy[Drawn]) -> st.SearchStrategy[Drawn]:
    return st.one_of(
        st.tuples(children, children).map(
            lambda pair: Drawn(
                pair[0].condition & pair[1].condition,
                lambda item: pair[0].holds(item) and pair[1].holds(item),
            )
        ),
        st.tuples(children, children).map(
            lambda pair: Drawn(
                pair[0].condition | pair[1].condition,
                lambda item: pair[0].holds(item) or pair[1].holds(item),
            )
        ),
        children.map(lambda one: Drawn(~one.condition, lambda item: not one.holds(item))),
    )


drawn = st.recursive(
    st.one_of(comparisons(), memberships(), functions()), _junctions, max_leaves=12
)
items = st.fixed_dictionaries(
    {
        "t": st.text("abc", min_size=1, max_size=3),
        "set": st.sets(st.sampled_from("abc"), min_size=1),
        "list": st.lists(numbers, max_size=2),
        "doc": st.dictionaries(st.just("n"), numbers),
    },
    optional={"n": numbers, "m": numbers},
)


@given(drawn, st.lists(items, min_size=1, max_size=5))
def test_any_condition_means_what_it_says(one: Drawn, examples: list[dict[str, Any]]):
    """The engine reads the text, and finds true what plain Python finds true."""
    placeholders = Placeholders()
    text = render_condition(one.condition, placeholders)
    environment = Environment(placeholders.names or None, placeholders.values or None)
    condition = environment.condition("FilterExpression", text)
    environment.finish()
    for item in examples:
        typed = {name: to_value(value) for name, value in item.items()}
        assert condition.matches(typed) is one.holds(item), (text, item)
