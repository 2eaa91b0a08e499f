"""Names and values: given for a purpose, in the right form, and all of them used."""

from __future__ import annotations

from typing import Any

import pytest

from keypact.engine.errors import SerializationException, ValidationException
from keypact.engine.expressions import Environment
from keypact.engine.limits import SUBSTITUTIONS_BYTES_MAX

V = {"S": "x"}


def refusal(names: Any, values: Any, *projections: str, condition: str = "") -> str:
    def bind() -> None:
        env = Environment(names, values)
        for text in projections:
            env.projection(text)
        if condition:
            env.condition("ConditionExpression", condition)
        env.finish()

    with pytest.raises(ValidationException) as caught:
        bind()
    return caught.value.message


@pytest.mark.parametrize(
    ("names", "values", "message"),
    [
        ({}, None, "ExpressionAttributeNames must not be empty"),
        (None, {}, "ExpressionAttributeValues must not be empty"),
        *(
            (
                {key: "a"},
                None,
                f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"',
            )
            for key in ("", "#", "a", ":a", "#a-b", "#a.b", "#é", "# a", "#a\n", "##a", "#\u0661")
        ),
        *(
            (
                None,
                {key: V},
                f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"',
            )
            for key in ("", ":", "v", "#v", ":v-", ":v\n", ":é")
        ),
        (
            None,
            {":a": V, ":b": {"SS": ["x", "x"]}},
            (
                "ExpressionAttributeValues contains invalid value: "
                "One or more parameter values were invalid: "
                "Input collection [x, x] contains duplicates. for key :b"
            ),
        ),
        (
            None,
            {":a": {}},
            (
                "ExpressionAttributeValues contains invalid value: "
                "Supplied AttributeValue is empty, "
                "must contain exactly one of the supported datatypes for key :a"
            ),
        ),
    ],
)
def test_names_and_values_have_their_form(names: Any, values: Any, message: str) -> None:
    """It is looked at before any expression is."""
    assert refusal(names, values, "no good") == message


def test_a_name_is_not_empty() -> None:
    assert "Attribute name must not be empty" in refusal({"#a": ""}, None, "#a")


def test_keys_are_bounded() -> None:
    Environment({"#" + "a" * 254: "a"}, {":" + "a" * 254: V})
    assert "too long" in refusal({"#" + "a" * 255: "a"}, None)
    assert "too long" in refusal(None, {":" + "a" * 255: V})


def test_values_are_bounded_together() -> None:
    half = {"S": "x" * (SUBSTITUTIONS_BYTES_MAX // 2)}
    Environment(None, {":a": half})
    assert "exceeds max size" in refusal(None, {":a": half, ":b": half})


@pytest.mark.parametrize("value", [{"S": 1}, {"B": "?"}, "x", {"L": "x"}])
def test_values_that_are_not_of_the_protocol(value: Any) -> None:
    with pytest.raises(SerializationException):
        Environment(None, {":a": value})


def test_what_an_expression_uses_must_be_given() -> None:
    assert refusal({"#a": "a"}, None, "#a, #b") == (
        "Invalid ProjectionExpression: An expression attribute name used in the document path is "
        "not defined; attribute name: #b"
    )
    assert refusal(None, {":a": V}, condition="x = :a AND y = :b") == (
        "Invalid ConditionExpression: An expression attribute value used in expression is not "
        "defined; attribute value: :b"
    )
    assert "attribute value: :b" in refusal(None, None, condition="x = :b")


def test_what_is_given_must_be_used() -> None:
    assert refusal({"#a": "a", "#b": "b", "#c": "c"}, None, "#b") == (
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #c}"
    )
    assert refusal(None, {":a": V, ":b": V}, condition="x = :a") == (
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}"
    )
    # Names come first.
    assert "Names unused" in refusal({"#a": "a"}, {":a": V}, "b")


def test_several_expressions_use_them_together() -> None:
    env = Environment({"#a": "a", "#b": "b"}, {":a": V, ":b": V})
    env.update("SET #a = :a")
    env.condition("ConditionExpression", "#b = :b AND #b = :b")
    env.finish()


@pytest.mark.parametrize("what", ["Names", "Values"])
def test_without_expressions_there_is_nothing_to_stand_for(what: str) -> None:
    names, values = ({"#a": "a"}, None) if what == "Names" else (None, {":a": V})
    assert refusal(names, values) == (
        f"ExpressionAttribute{what} can only be specified when using expressions"
    )


def test_nothing_given_and_nothing_used() -> None:
    Environment().finish()
    Environment(None, None).finish()


def test_values_are_taken_in_their_canonical_form() -> None:
    """What an update stores is as if it had been put."""
    after = Environment(None, {":v": {"N": "1.50E1"}}).update("SET a = :v").apply({})
    assert after == {"a": {"N": "15"}}


def test_one_text_serves_many_requests() -> None:
    """Names and values of one request never reach another one with the same text."""
    for name in ("x", "y", "x" * 5000, "y" * 5000):
        for value in ("1", "2"):
            env = Environment({"#a": name}, {":v": {"N": value}})
            assert env.update("SET #a = :v").apply({}) == {name: {"N": value}}
            assert env.projection("#a").pick({name: V, "z": V}) == {name: V}
            condition = env.condition("FilterExpression", "#a = :v")
            assert condition.matches({name: {"N": value}})
            assert not condition.matches({name: {"N": "3"}})
            assert env.key_condition("#a = :v").attribute_names() == {name}
