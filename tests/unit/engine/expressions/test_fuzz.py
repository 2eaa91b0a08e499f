"""No text does anything but work or be refused."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from keypact.engine.errors import ValidationException
from keypact.engine.expressions import Environment

from .writing import RESOLVED, VALUES, conditions, items, updates, write_condition, write_update

WORDS = [
    *"()[],.=+-<>#:",
    *("<>", "<=", ">=", " ", "\n", "\x00", "é", "😀", "'", '"', "0", "99999999999", "-1"),
    *("AND", "or", "NOT", "BETWEEN", "in", "SET", "remove", "ADD", "DELETE", "NAME"),
    *("size", "begins_with", "contains", "attribute_type", "if_not_exists", "list_append", "foo"),
    *("a", "m", "#n", "#x", *VALUES, ":x"),
]
TOKENS = re.compile(r"[#:]?\w+|<>|<=|>=|\s+|.", re.DOTALL)

garbled = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)
glued = st.lists(st.sampled_from(WORDS), max_size=25).map("".join)
written = st.one_of(conditions.map(write_condition), updates.map(write_update))


@st.composite
def nearly_right(draw: st.DrawFn) -> str:
    """A good text with a few of its tokens lost, doubled, exchanged or replaced."""
    tokens = TOKENS.findall(draw(written))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(tokens) - 1, 0)))
        match draw(st.sampled_from(["lose", "double", "exchange", "replace", "insert"])):
            case "lose":
                del tokens[at : at + 1]
            case "double":
                tokens[at:at] = tokens[at : at + 1]
            case "exchange":
                other = draw(st.integers(0, max(len(tokens) - 1, 0)))
                if tokens:
                    tokens[at], tokens[other] = tokens[other], tokens[at]
            case "replace":
                tokens[at : at + 1] = [draw(st.sampled_from(WORDS))]
            case _:
                tokens.insert(at, draw(st.sampled_from(WORDS)))
    return "".join(tokens)


@given(st.one_of(nearly_right(), garbled, glued, st.text()), items)
@example("(" * 4096, {})
@example("a" + "[0]" * 1300, {})
@example("NOT " * 1024, {})
@example("SET a = " + "if_not_exists(a," * 250, {})
@example("size(" * 819, {})
@example("a." * 2048, {})
@example("\ud800 = a", {})
@example("a[" + "9" * 4000 + "] = a", {})
def test_every_text_works_or_is_refused(text: str, item: dict[str, Any]) -> None:
    """Read as each of the five kinds, bound, and run on an item."""
    env = Environment(RESOLVED, VALUES)

    def condition() -> None:
        assert env.condition("ConditionExpression", text).matches(item) in (True, False)

    def update() -> None:
        bound = env.update(text)
        bound.pick(item)
        bound.apply(item)

    def key_condition() -> None:
        env.key_condition(text).resolve(["a"], ["m"], {"a": "S", "m": "N"})

    for run in (condition, update, lambda: env.projection(text).pick(item), key_condition):
        try:
            run()
        except ValidationException as error:
            assert error.message  # noqa: PT017  # either outcome is fine, but not silence
