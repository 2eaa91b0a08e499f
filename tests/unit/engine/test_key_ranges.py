"""A range of rows holds exactly the keys for which the key condition is true."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypact.engine.operations.key_ranges import sort_bounds
from keypact.engine.ordering import join_parts

# Few byte values, the awkward ones among them, so that prefixes and equal keys are common.
part = st.lists(st.sampled_from([0, 1, 97, 254, 255]), max_size=3).map(bytes)

COMPARISONS: dict[str, Callable[[bytes, bytes], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "begins_with": bytes.startswith,
}


@pytest.mark.parametrize("name", COMPARISONS)
@given(key=part, operand=part)
def test_a_range_of_one_part_holds_what_compares(name: str, key: bytes, operand: bytes) -> None:
    """The common case: a sort key of one attribute."""
    bounds = sort_bounds([], name, [operand], 1)
    assert bounds.holds(key) == COMPARISONS[name](key, operand)


@given(key=part, low=part, high=part)
def test_between_holds_both_ends(key: bytes, low: bytes, high: bytes) -> None:
    """BETWEEN includes its bounds."""
    assert sort_bounds([], "BETWEEN", [low, high], 1).holds(key) == (low <= key <= high)


@given(key=part, other=part)
def test_equality_holds_one_key(key: bytes, other: bytes) -> None:
    """A sort key given whole is a range of one key."""
    assert sort_bounds([other], None, [], 1).holds(key) == (key == other)


three = st.lists(part, min_size=3, max_size=3)


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("equal_count", [0, 1, 2])
@given(key=three, equal=three, operand=part)
def test_a_range_of_three_parts_holds_what_compares(
    name: str, equal_count: int, key: list[bytes], equal: list[bytes], operand: bytes
) -> None:
    """Parts left of the compared one are equal; parts right of it may be anything."""
    equal = equal[:equal_count]
    bounds = sort_bounds(equal, name, [operand], 3)
    expected = key[:equal_count] == equal and COMPARISONS[name](key[equal_count], operand)
    assert bounds.holds(join_parts(key)) == expected


@pytest.mark.parametrize("equal_count", [0, 1, 2, 3])
@given(key=three, equal=three, low=part, high=part)
def test_equal_parts_and_between_hold_what_compares(
    equal_count: int, key: list[bytes], equal: list[bytes], low: bytes, high: bytes
) -> None:
    """The same for equality alone and for BETWEEN."""
    equal = equal[:equal_count]
    row = join_parts(key)
    assert sort_bounds(equal, None, [], 3).holds(row) == (key[:equal_count] == equal)
    if equal_count < 3:
        between = sort_bounds(equal, "BETWEEN", [low, high], 3)
        expected = key[:equal_count] == equal and low <= key[equal_count] <= high
        assert between.holds(row) == expected
