"""Keys as bytes sort as DynamoDB sorts them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypact.engine.attributes import canonical_number
from keypact.engine.ordering import (
    after_prefix,
    join_parts,
    key_bytes,
    number_bytes,
    partition_bytes,
    segment_bounds,
)

numbers = st.builds(
    lambda sign, digits, exponent: Decimal((sign, tuple(map(int, str(digits))), exponent)),
    st.integers(0, 1),
    st.integers(0, 10**38 - 1),
    st.integers(-130, 87),
).filter(lambda number: not number or -130 <= number.adjusted() <= 125)


@given(numbers, numbers)
def test_number_bytes_sort_by_value(left: Decimal, right: Decimal) -> None:
    """Bytes compare as the numbers do, over the whole range of 38 digits and exponents."""
    ours = number_bytes(canonical_number(str(left)))
    theirs = number_bytes(canonical_number(str(right)))
    assert (ours < theirs) == (left < right)
    assert (ours == theirs) == (left == right)


@given(st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_close_numbers_sort_by_value(left: int, right: int) -> None:
    """Numbers near each other, whose digits are prefixes of one another, sort too."""
    ours = number_bytes(canonical_number(str(Decimal(left) / 100)))
    theirs = number_bytes(canonical_number(str(Decimal(right) / 100)))
    assert (ours < theirs) == (left < right)


@given(st.text(), st.text())
def test_strings_sort_by_utf8(left: str, right: str) -> None:
    """Text compares by its UTF-8 bytes, not by locale or UTF-16."""
    assert (key_bytes("S", left) < key_bytes("S", right)) == (left.encode() < right.encode())


@given(st.binary(max_size=8), st.binary(max_size=8))
def test_after_prefix_ends_the_prefix(prefix: bytes, key: bytes) -> None:
    """A key begins with the prefix exactly when it lies between it and its end."""
    end = after_prefix(prefix)
    assert key.startswith(prefix) == (prefix <= key and (end is None or key < end))


parts = st.lists(st.binary(max_size=4), min_size=2, max_size=2)


@given(parts, parts)
def test_joined_parts_sort_one_after_the_other(left: list[bytes], right: list[bytes]) -> None:
    """A key of several attributes compares by the first that differs."""
    assert (join_parts(left) < join_parts(right)) == (left < right)
    assert (join_parts(left) == join_parts(right)) == (left == right)


@given(st.binary(max_size=16), st.integers(1, 1_000_000))
def test_each_partition_is_in_one_segment(key: bytes, total: int) -> None:
    """The segments of a scan cover every partition once."""
    row = partition_bytes(key)
    hash_value = int.from_bytes(row[:4], "big")
    segment = hash_value * total >> 32
    for candidate in {max(0, segment - 1), segment, min(total - 1, segment + 1)}:
        low, high = segment_bounds(candidate, total)
        inside = low <= row and (high is None or row < high)
        assert inside == (candidate == segment)


@pytest.mark.parametrize("total", [1, 2, 3, 7, 1000])
def test_segments_meet_without_gap(total: int) -> None:
    """Where one segment ends the next begins."""
    bounds = [segment_bounds(segment, total) for segment in range(total)]
    assert bounds[0][0] == bytes(4)
    assert [high for _, high in bounds[:-1]] == [low for low, _ in bounds[1:]]
    assert bounds[-1][1] is None
