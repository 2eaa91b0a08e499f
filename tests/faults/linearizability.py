"""Whether a history of one register could have happened one operation after the other.

A register is one item: a value, or None where the item is absent. Every operation has a
time of invocation and one of response, and must have taken effect at a moment between
them. The search follows Wing and Gong: try every operation that could be next, and never
look twice at the same set of operations with the same value. It is exact. Its cost grows
with how many operations overlap, not with the length of the history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

Value = str | None
FOREVER = float("inf")


class Operation(NamedTuple):
    """One call and what it answered, with times of one clock."""

    invoked: float
    # FOREVER when no answer came: it may have happened at any time since, or never.
    responded: float
    # read, write, swap (a write that shows the old value), or cas (a conditional write).
    kind: str
    # What a write, swap or cas was to set; None deletes.
    new: Value = None
    # What a cas expected to find.
    expected: Value = None
    # What a read, swap or cas found.
    found: Value = None
    # Whether a cas went through.
    succeeded: bool = True

    @property
    def answered(self) -> bool:
        """Whether the caller knows what came of it."""
        return self.responded != FOREVER


def step(value: Value, operation: Operation) -> tuple[bool, Value]:
    """Whether the operation's answer is right for a register of this value, and its value after."""
    kind = operation.kind
    if not operation.answered:
        # Nobody saw the answer, so any is right.
        if kind == "read" or (kind == "cas" and value != operation.expected):
            return True, value
        return True, operation.new
    if kind == "read":
        return value == operation.found, value
    if kind == "write":
        return True, operation.new
    if kind == "swap":
        return value == operation.found, operation.new
    assert kind == "cas"
    if operation.succeeded:
        return value == operation.expected, operation.new
    return value != operation.expected and value == operation.found, value


def find_violation(history: Iterable[Operation], start: Value = None) -> str | None:
    """None if the history is linearizable from the start value; else where it stops being so."""
    operations = sorted(history, key=lambda operation: operation.invoked)
    everything_answered = sum(
        1 << place for place, operation in enumerate(operations) if operation.answered
    )
    todo: list[tuple[int, Value]] = [(0, start)]
    seen = set(todo)
    furthest = 0
    while todo:
        done, value = todo.pop()
        if done & everything_answered == everything_answered:
            return None
        if done.bit_count() > furthest.bit_count():
            furthest = done
        for place in _next(operations, done):
            right, after = step(value, operations[place])
            state = (done | 1 << place, after)
            if right and state not in seen:
                seen.add(state)
                todo.append(state)
    return _describe(operations, furthest)


def _next(operations: Sequence[Operation], done: int) -> list[int]:
    """The operations that may come next: invoked before any that is left has responded."""
    found: list[int] = []
    earliest_response = FOREVER
    place = _lowest_unset(done)
    while place < len(operations) and operations[place].invoked <= earliest_response:
        if not done >> place & 1:
            found.append(place)
            earliest_response = min(earliest_response, operations[place].responded)
        place += 1
    # One that was found early may have been invoked after another's response.
    return [place for place in found if operations[place].invoked <= earliest_response]


def _lowest_unset(bits: int) -> int:
    return (~bits & bits + 1).bit_length() - 1


def _describe(operations: Sequence[Operation], furthest: int) -> str:
    stuck = [operations[place] for place in _next(operations, furthest)]
    first = max(0, _lowest_unset(furthest) - 10)
    lines = [f"{furthest.bit_count()} of {len(operations)} operations can be put in an order."]
    lines += ["None of these can come next:", *(f"  {operation}" for operation in stuck)]
    lines += ["Before them:"]
    lines += [
        f"  {operation}"
        for place, operation in enumerate(operations[first:], first)
        if furthest >> place & 1
    ][-10:]
    return "\n".join(lines)


def by_register(records: Iterable[Sequence[Any]]) -> dict[str, list[Operation]]:
    """Recorded calls, each a register's name and an operation's fields, sorted out by name."""
    histories: dict[str, list[Operation]] = {}
    for name, *fields in records:
        histories.setdefault(name, []).append(Operation(*fields))
    return histories
