"""The checker of histories accepts what could have happened and refuses what could not."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from .linearizability import FOREVER, Operation, find_violation, step


def read(invoked, responded, found):
    return Operation(invoked, responded, "read", found=found)


def write(invoked, responded, new):
    return Operation(invoked, responded, "write", new)


def swap(invoked, responded, new, found):
    return Operation(invoked, responded, "swap", new, found=found)


def cas(invoked, responded, expected, new):
    return Operation(invoked, responded, "cas", new, expected, expected)


def failed_cas(invoked, responded, expected, new, found):
    return Operation(invoked, responded, "cas", new, expected, found, False)


GOOD = {
    "nothing happened": [],
    "absent at first": [read(1, 2, None)],
    "a write is read": [write(1, 2, "a"), read(3, 4, "a")],
    "an overlapping read may see the old": [write(1, 4, "a"), read(2, 3, None)],
    "an overlapping read may see the new": [write(1, 4, "a"), read(2, 3, "a")],
    "overlapping writes in either order": [
        write(1, 4, "a"),
        write(2, 5, "b"),
        read(6, 7, "a"),
    ],
    "a deleted item is absent": [write(1, 2, "a"), swap(3, 4, None, "a"), read(5, 6, None)],
    "a chain of conditional writes": [
        cas(1, 2, None, "a"),
        cas(3, 4, "a", "b"),
        read(5, 6, "b"),
    ],
    "one of two rivals wins": [
        write(1, 2, "a"),
        cas(3, 6, "a", "b"),
        failed_cas(4, 7, "a", "c", "b"),
        read(8, 9, "b"),
    ],
    "no answer, and it happened": [write(1, FOREVER, "a"), read(2, 3, "a")],
    "no answer, and it happened late": [
        write(1, FOREVER, "a"),
        read(2, 3, None),
        read(4, 5, "a"),
    ],
    "no answer, and it never happened": [write(1, FOREVER, "a"), read(2, 3, None)],
    "a conditional write without an answer": [
        write(1, 2, "a"),
        cas(3, FOREVER, "a", "b"),
        read(4, 5, "b"),
    ],
    "times that touch overlap": [write(1, 2, "a"), read(2, 3, None)],
    "a late answer explains an early read": [
        write(1, 10, "a"),
        write(2, 9, "b"),
        read(3, 4, "b"),
        read(5, 6, "a"),
    ],
}

BAD = {
    "a value nobody wrote": [read(1, 2, "ghost")],
    "a stale read": [write(1, 2, "a"), write(3, 4, "b"), read(5, 6, "a")],
    "a lost write": [write(1, 2, "a"), read(3, 4, None)],
    "a value that comes and goes": [
        write(1, 10, "a"),
        read(2, 3, "a"),
        read(4, 5, None),
    ],
    "two rivals win": [write(1, 2, "a"), cas(3, 6, "a", "b"), cas(4, 7, "a", "c")],
    "a lost update": [
        write(1, 2, "a"),
        swap(3, 6, "b", "a"),
        swap(4, 7, "c", "a"),
    ],
    "a conditional write that should have failed": [write(1, 2, "a"), cas(3, 4, None, "b")],
    "a conditional write that should have succeeded": [
        write(1, 2, "a"),
        failed_cas(3, 4, "a", "b", "a"),
    ],
    "a failed write that left a trace": [
        write(1, 2, "a"),
        failed_cas(3, 4, "z", "b", "a"),
        read(5, 6, "b"),
    ],
    "a read before the write began": [read(1, 2, "a"), write(3, 4, "a")],
    "an unanswered write that was undone": [
        write(1, FOREVER, "a"),
        read(2, 3, "a"),
        read(4, 5, None),
    ],
    "an unanswered write seen before it began": [read(1, 2, "a"), write(3, FOREVER, "a")],
    "an unanswered conditional write that should not have gone through": [
        write(1, 2, "a"),
        cas(3, FOREVER, "z", "b"),
        read(4, 5, "b"),
    ],
    "two readers disagree on the order": [
        write(1, 20, "a"),
        write(1, 20, "b"),
        read(2, 3, "a"),
        read(4, 5, "b"),
        read(6, 7, "a"),
    ],
    "a swap that shows the wrong value": [write(1, 2, "a"), swap(3, 4, "b", None)],
}


@pytest.mark.parametrize("history", GOOD.values(), ids=GOOD)
def test_what_could_have_happened_is_accepted(history):
    """Some order of the operations explains every answer."""
    assert find_violation(history) is None
    assert find_violation(reversed(history)) is None


@pytest.mark.parametrize("history", BAD.values(), ids=BAD)
def test_what_could_not_have_happened_is_refused(history):
    """No order of the operations explains every answer."""
    assert find_violation(history) is not None
    assert find_violation(reversed(history)) is not None


def test_a_violation_is_shown():
    """Whoever reads the failure sees the operation that fits nowhere."""
    text = find_violation([write(1, 2, "a"), write(3, 4, "b"), read(5, 6, "a")])
    assert text is not None
    assert "2 of 3 operations" in text
    assert "found='a'" in text


def test_the_start_value_counts():
    """A history may begin with an item that is there."""
    assert find_violation([read(1, 2, "a")], start="a") is None
    assert find_violation([read(1, 2, None)], start="a") is not None


def _try_every_order(history: list[Operation]) -> bool:
    """The definition itself, for short histories: every order, with and without the unanswered."""
    answered = [operation for operation in history if operation.answered]
    unanswered = [operation for operation in history if not operation.answered]
    for chosen in range(1 << len(unanswered)):
        kept = answered + [one for place, one in enumerate(unanswered) if chosen >> place & 1]
        if any(_explains(order) for order in permutations(kept)):
            return True
    return False


def _explains(order: tuple[Operation, ...]) -> bool:
    for place, operation in enumerate(order):
        if any(later.responded < operation.invoked for later in order[place + 1 :]):
            return False
    value = None
    for operation in order:
        right, value = step(value, operation)
        if not right:
            return False
    return True


def _random_operation(rng: random.Random) -> Operation:
    invoked = rng.randrange(10)
    responded = invoked + 1 + rng.randrange(6) if rng.random() < 0.85 else FOREVER
    kind = rng.choice(["read", "write", "swap", "cas"])
    new, expected, found = (rng.choice([None, "a", "b"]) for _ in range(3))
    return Operation(invoked, responded, kind, new, expected, found, rng.random() < 0.5)


def test_the_search_agrees_with_the_definition():
    """On short random histories it finds what trying every order finds, both ways often."""
    rng = random.Random(7)
    outcomes = {True: 0, False: 0}
    for number in range(1500):
        history = [_random_operation(rng) for _ in range(rng.randint(2, 5))]
        possible = _try_every_order(history)
        assert (find_violation(history) is None) == possible, (number, history)
        outcomes[possible] += 1
    assert min(outcomes.values()) > 200, outcomes


def test_long_histories_are_searched_in_good_time():
    """Thousands of operations with a few at a time: the search is bounded by what overlaps."""
    rng = random.Random(3)
    history, value, now = [], None, 0
    for number in range(3000):
        now += 10
        invoked, responded = now - rng.randrange(25), now + rng.randrange(25)
        if rng.random() < 0.5:
            history.append(read(invoked, responded, value))
        else:
            history.append(swap(invoked, responded, str(number), value))
            value = str(number)
    assert find_violation(history) is None
    history.append(read(now + 100, now + 101, "2"))
    assert find_violation(history) is not None
