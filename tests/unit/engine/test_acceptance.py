"""Quick acceptance: a yes is never wrong, and good requests get one."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings

from keypact.engine import shapes
from keypact.engine.acceptance import Accept, compile_acceptance
from keypact.engine.errors import SerializationException, ValidationException
from tests.unit.engine.requests import ARN, GOOD, damaged, places


@cache
def acceptance(operation: str) -> Accept:
    return compile_acceptance(shapes._model().shapes, shapes._input_of(operation))


def accepted_exactly(operation: str, request: object) -> bool:
    try:
        shapes._inspect(operation, request)
    except (SerializationException, ValidationException):
        return False
    return True


@pytest.mark.parametrize("operation", GOOD)
def test_a_good_request_is_accepted_quickly(operation: str) -> None:
    """So the exact check is not needed for it."""
    assert acceptance(operation)(GOOD[operation])


# Values just outside some bound, and of every wrong type.
NASTY: list[Any] = [
    *(None, True, 1.0, [], {}, b"x", [None], {"a": None}, [[]], [{}], {"a": "x"}, {"a": {}}),
    *(0, -1, 101, 1_000_001, 2**31, 2**63, -(2**63)),
    *("", "a", "ab", "HASH", "hash", "a;b", "abc\n", "é", "\ud800", ARN, "é" * 256),
    *("x" * 129, "x" * 256, "x" * 257, "x" * 1025, "x" * 65_536, "arn:" + "x" * 1021),
    *([{"a": {"S": "x"}}] * 101, ["x"] * 21, {"\ud800": "x"}, {"\ud800": {}}, {3: "x"}),
]


@pytest.mark.parametrize("operation", GOOD)
def test_quick_acceptance_implies_exact_acceptance_at_every_place(operation: str) -> None:
    """Each member, element and map value in turn."""
    for number in range(len(places(GOOD[operation]))):
        for value in NASTY:
            request = copy.deepcopy(GOOD[operation])
            container, key = places(request)[number]
            container[key] = copy.deepcopy(value)
            if acceptance(operation)(request):
                assert accepted_exactly(operation, request), (key, value)


@pytest.mark.parametrize("operation", ["BatchGetItem", "BatchWriteItem", "GetItem", "Query"])
@pytest.mark.parametrize("name", [text for text in NASTY if isinstance(text, str)])
def test_quick_acceptance_implies_exact_acceptance_of_keys(operation: str, name: str) -> None:
    """The keys of maps have bounds, too."""
    for number in range(len(places(GOOD[operation]))):
        request = copy.deepcopy(GOOD[operation])
        container, key = places(request)[number]
        if isinstance(container, dict):
            container[name] = container.pop(key)
            if acceptance(operation)(request):
                assert accepted_exactly(operation, request), key


@settings(max_examples=4 * settings().max_examples)
@given(damaged())
def test_quick_acceptance_implies_exact_acceptance(case: tuple[str, Any]) -> None:
    """The generated functions never let through what the exact check refuses."""
    operation, request = case
    if acceptance(operation)(request):
        assert accepted_exactly(operation, request)
