"""A long row of writes, made from two numbers, and what a store holds after any of them.

Each worker writes items of its own. Its write number n is always the same, so whoever
knows how many were acknowledged knows every item that must be there. The writes use all
that could go wrong half-way: transactions over two tables, items that move within
indexes or leave them, values of several pages, deletions, batches.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from .workloads import Backend, Item, all_items

SLOTS = 7
TABLES: list[dict[str, Any]] = [
    {
        "TableName": "ledger",
        "KeySchema": [
            {"AttributeName": "worker", "KeyType": "HASH"},
            {"AttributeName": "entry", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": "worker", "AttributeType": "S"},
            {"AttributeName": "entry", "AttributeType": "S"},
            {"AttributeName": "bucket", "AttributeType": "S"},
            {"AttributeName": "number", "AttributeType": "N"},
        ],
        "LocalSecondaryIndexes": [
            {
                "IndexName": "by_number",
                "KeySchema": [
                    {"AttributeName": "worker", "KeyType": "HASH"},
                    {"AttributeName": "number", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["bucket"]},
            }
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by_bucket",
                "KeySchema": [
                    {"AttributeName": "bucket", "KeyType": "HASH"},
                    {"AttributeName": "number", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            },
            {
                "IndexName": "keys_by_bucket",
                "KeySchema": [{"AttributeName": "bucket", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            },
        ],
        "BillingMode": "PAY_PER_REQUEST",
    },
    {
        "TableName": "mirror",
        "KeySchema": [
            {"AttributeName": "worker", "KeyType": "HASH"},
            {"AttributeName": "entry", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": "worker", "AttributeType": "S"},
            {"AttributeName": "entry", "AttributeType": "S"},
        ],
        "BillingMode": "PAY_PER_REQUEST",
    },
]
# Items of one worker, by table and sort key.
State = dict[tuple[str, str], Item]


class Step(NamedTuple):
    """One change to one item: put it, delete it, or count it up and set what is given."""

    kind: str
    table: str
    item: Item


def create_tables(backend: Backend) -> None:
    """The tables that the writes go to."""
    for table in TABLES:
        backend.call("CreateTable", table)


def steps_of(worker: int, number: int) -> list[Step]:
    """What the worker's write of this number changes, all at once."""
    rng = random.Random(f"{worker} {number}")

    def entry(name: str, **attributes: str) -> Item:
        texts = {"worker": f"worker{worker}", "entry": name, **attributes}
        item: Item = {name: {"S": text} for name, text in texts.items()}
        item["number"] = {"N": str(number)}
        # From nothing to several pages.
        item["load"] = {"S": rng.choice("abcdef") * rng.choice([0, 10, 400, 6000])}
        return item

    slot = f"slot{rng.randrange(SLOTS)}"
    bucket = f"bucket{rng.randrange(5)}"
    match number % 6:
        case 0:
            return [
                Step("put", "ledger", entry(slot, bucket=bucket)),
                Step("put", "mirror", entry(slot, bucket=bucket)),
                Step("count", "ledger", entry("head", bucket=bucket)),
            ]
        case 1:
            return [Step("put", "mirror", entry(f"log{number % 40}"))]
        case 2:
            return [Step("count", "ledger", entry(f"counter{rng.randrange(3)}", bucket=bucket))]
        case 3:
            # Without a bucket it is in the local index only.
            return [Step("put", "ledger", entry(slot))]
        case 4:
            return [
                Step("delete", "ledger", entry(slot)),
                Step("put", "ledger", entry(f"batch{number % 4}", bucket=bucket)),
                Step("put", "mirror", entry(f"batch{number % 4}")),
            ]
        case _:
            return [Step("delete", "mirror", entry(slot))]


def request_of(worker: int, number: int) -> tuple[str, dict[str, Any]]:
    """The write as a request."""
    steps = steps_of(worker, number)
    if len(steps) > 1 and number % 6 == 4:
        batch: dict[str, list[Any]] = {}
        for step in steps:
            member = "PutRequest" if step.kind == "put" else "DeleteRequest"
            batch.setdefault(step.table, []).append({member: _part(step)})
        return "BatchWriteItem", {"RequestItems": batch}
    if len(steps) > 1:
        verbs = [_VERBS[step.kind] for step in steps]
        parts = [{"TableName": step.table, **_part(step)} for step in steps]
        return "TransactWriteItems", {
            "TransactItems": [{verb: part} for verb, part in zip(verbs, parts, strict=True)]
        }
    step = steps[0]
    return f"{_VERBS[step.kind]}Item", {"TableName": step.table, **_part(step)}


_VERBS = {"put": "Put", "delete": "Delete", "count": "Update"}


def _key(item: Item) -> Item:
    return {name: item[name] for name in ("worker", "entry")}


def _part(step: Step) -> dict[str, Any]:
    if step.kind == "put":
        return {"Item": step.item}
    if step.kind == "delete":
        return {"Key": _key(step.item)}
    names = [name for name in step.item if name not in ("worker", "entry")]
    sets = ", ".join(f"#{name} = :{name}" for name in names)
    return {
        "Key": _key(step.item),
        "UpdateExpression": f"SET {sets} ADD amount :one",
        "ExpressionAttributeNames": {f"#{name}": name for name in names},
        "ExpressionAttributeValues": {":one": {"N": "1"}}
        | {f":{name}": step.item[name] for name in names},
    }


def state_after(worker: int, count: int) -> State:
    """Everything the worker's first so many writes leave behind."""
    state: State = {}
    for number in range(count):
        apply(state, steps_of(worker, number))
    return state


def apply(state: State, steps: list[Step]) -> None:
    """Change the state as the write does."""
    for kind, table, item in steps:
        place = (table, item["entry"]["S"])
        if kind == "put":
            state[place] = item
        elif kind == "delete":
            state.pop(place, None)
        else:
            old = state.get(place, {})
            amount = int(old.get("amount", {"N": "0"})["N"]) + 1
            state[place] = {**old, **item, "amount": {"N": str(amount)}}


def read_states(backend: Backend) -> dict[str, State]:
    """Everything that is in the tables, by worker."""
    states: dict[str, State] = {}
    for table in ("ledger", "mirror"):
        for item in all_items(backend, "Scan", {"TableName": table}):
            state = states.setdefault(item["worker"]["S"], {})
            state[table, item["entry"]["S"]] = item
    return states


def count_done(state: State, worker: int, acknowledged: int) -> int:
    """How many writes explain the state: those acknowledged, or the one in flight, too.

    Raises AssertionError with the difference when neither does.
    """
    expected = state_after(worker, acknowledged)
    if state == expected:
        return acknowledged
    missing_one = dict(expected)
    apply(missing_one, steps_of(worker, acknowledged))
    if state == missing_one:
        return acknowledged + 1
    places = sorted(state.keys() | expected.keys())
    wrong = [place for place in places if state.get(place) != expected.get(place)]
    raise AssertionError(
        f"worker {worker}, {acknowledged} writes acknowledged; these items are not as they were "
        f"left, nor as the next write leaves them: {wrong}"
    )
