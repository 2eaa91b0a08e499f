"""What workers do to a shared store, from threads or from processes of their own.

Each workload takes a backend, who the worker is, and plain values; it returns plain
values, so that it can run anywhere.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from keypact.errors import DynamoDBError

from .linearizability import FOREVER

Workload = Callable[..., Any]
Item = dict[str, dict[str, Any]]


class Backend(Protocol):
    """Whatever answers requests: a backend, an engine, or another process."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer, or DynamoDBError raised."""
        ...


def create_table(backend: Backend, name: str, **members: Any) -> None:
    """A table with the string key ``pk``; further members as CreateTable takes them."""
    definitions = [{"AttributeName": "pk", "AttributeType": "S"}]
    backend.call(
        "CreateTable",
        {
            "TableName": name,
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": definitions + members.pop("AttributeDefinitions", []),
            "BillingMode": "PAY_PER_REQUEST",
            **members,
        },
    )


def get(backend: Backend, table: str, pk: str) -> Item | None:
    """The item as it is now."""
    answer = backend.call(
        "GetItem", {"TableName": table, "Key": {"pk": {"S": pk}}, "ConsistentRead": True}
    )
    return answer.get("Item")


def all_items(backend: Backend, operation: str, request: dict[str, Any]) -> Iterator[Item]:
    """The items of all pages of a query or scan."""
    request = dict(request)
    while True:
        page = backend.call(operation, request)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


# Counters --------------------------------------------------------------------------------


def add_to_counter(backend: Backend, who: int, *, times: int) -> None:
    """Count up with ADD, which reads and writes in one request."""
    for _ in range(times):
        backend.call(
            "UpdateItem",
            {
                "TableName": "counters",
                "Key": {"pk": {"S": "added"}},
                "UpdateExpression": "ADD amount :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            },
        )


def count_by_version(backend: Backend, who: int, *, times: int) -> int:
    """Count up by reading, then writing on condition that nobody wrote; gives the retries."""
    done = retries = 0
    while done < times:
        old = get(backend, "counters", "versioned")
        # Time for the others to come between.
        time.sleep(0.0002)
        version = 0 if old is None else int(old["version"]["N"])
        request: dict[str, Any] = {
            "TableName": "counters",
            "Item": {"pk": {"S": "versioned"}, "version": {"N": str(version + 1)}},
            "ConditionExpression": "attribute_not_exists(pk)",
        }
        if old is not None:
            request["ConditionExpression"] = "version = :seen"
            request["ExpressionAttributeValues"] = {":seen": old["version"]}
        try:
            backend.call("PutItem", request)
            done += 1
        except DynamoDBError as error:
            if error.code != "ConditionalCheckFailedException":
                raise
            retries += 1
    return retries


# A bank ----------------------------------------------------------------------------------

ACCOUNTS = 6
OPENING_BALANCE = 100
BANK_TOTAL = ACCOUNTS * OPENING_BALANCE


def open_accounts(backend: Backend) -> None:
    """Accounts in two tables, so that transfers cross them."""
    create_table(backend, "bank0")
    create_table(backend, "bank1")
    for number in range(ACCOUNTS):
        item = {"pk": {"S": f"account{number}"}, "balance": {"N": str(OPENING_BALANCE)}}
        backend.call("PutItem", {"TableName": f"bank{number % 2}", "Item": item})


def transfer(backend: Backend, who: int, *, seed: int, times: int) -> int:
    """Move money between accounts, never below zero; gives how many transfers went through."""
    rng = random.Random(f"{seed} {who}")
    moved = 0
    for _ in range(times):
        giver, taker = rng.sample(range(ACCOUNTS), 2)
        amount = {":n": {"N": str(rng.randint(1, 60))}}
        take = _update(giver, "SET balance = balance - :n", amount)
        take["ConditionExpression"] = "balance >= :n"
        give = _update(taker, "SET balance = balance + :n", amount)
        try:
            backend.call(
                "TransactWriteItems", {"TransactItems": [{"Update": take}, {"Update": give}]}
            )
            moved += 1
        except DynamoDBError as error:
            if error.code != "TransactionCanceledException":
                raise
    return moved


def _update(account: int, expression: str, values: dict[str, Any]) -> dict[str, Any]:
    return {
        "TableName": f"bank{account % 2}",
        "Key": {"pk": {"S": f"account{account}"}},
        "UpdateExpression": expression,
        "ExpressionAttributeValues": values,
    }


def balances(backend: Backend) -> list[int]:
    """Every balance, all at one moment."""
    gets = [
        {"Get": {"TableName": f"bank{number % 2}", "Key": {"pk": {"S": f"account{number}"}}}}
        for number in range(ACCOUNTS)
    ]
    answer = backend.call("TransactGetItems", {"TransactItems": gets})
    return [int(one["Item"]["balance"]["N"]) for one in answer["Responses"]]


def transfer_and_watch(backend: Backend, who: int, *, seed: int, times: int) -> dict[str, Any]:
    """Even workers transfer; odd ones watch their neighbour, and report every state they saw."""
    if who % 2 == 0:
        moved = transfer(backend, who, seed=seed, times=times)
        backend.call("PutItem", {"TableName": "bank0", "Item": {"pk": {"S": f"done{who}"}}})
        return {"moved": moved}
    seen: set[tuple[int, ...]] = set()
    while get(backend, "bank0", f"done{who - 1}") is None:
        seen.add(tuple(balances(backend)))
    return {"seen": sorted(seen)}


# Registers -------------------------------------------------------------------------------

REGISTERS = 3


def play_registers(backend: Backend, who: int, *, seed: int, times: int) -> list[list[Any]]:
    """Read and write registers at random; gives each call with its times and answer."""
    return [call.make(backend) for call in register_calls(f"{seed} {who}", times)]


class RegisterCall:
    """One call to one register."""

    def __init__(self, name: str, kind: str, new: str | None, known: dict[str, Any]) -> None:
        self._name, self._kind, self._new, self._known = name, kind, new, known
        self._expected = known.get(name)

    def make(self, backend: Backend, announce: Callable[[list[Any]], None] | None = None) -> Any:
        """Register, times, kind, new, expected, found, succeeded: an Operation's fields.

        Announced is the same without an answer, as it stands if none ever comes.
        """
        operation, request = _register_request(self._name, self._kind, self._new, self._expected)
        found, succeeded = None, True
        # A delete that shows what it deleted is a swap with nothing.
        kind = "swap" if self._kind == "delete" else self._kind
        invoked = time.monotonic_ns()
        if announce is not None:
            announce([self._name, invoked, FOREVER, kind, self._new, self._expected])
        try:
            answer = backend.call(operation, request)
            item = answer.get("Item") or answer.get("Attributes")
        except DynamoDBError as error:
            if error.code != "ConditionalCheckFailedException":
                raise
            item, succeeded = error.details.get("Item"), False
        responded = time.monotonic_ns()
        if item:
            found = item["value"]["S"]
        self._known[self._name] = found if kind == "read" or not succeeded else self._new
        return [self._name, invoked, responded, kind, self._new, self._expected, found, succeeded]


def register_calls(player: str, times: int) -> Iterator[RegisterCall]:
    """A player's calls; values are never used twice, and conditions expect what it knows."""
    rng = random.Random(player)
    known: dict[str, Any] = {}
    for number in range(times):
        kind = rng.choice(["read", "read", "write", "swap", "cas", "cas", "delete"])
        new = f"{player} {number}" if kind in ("write", "swap", "cas") else None
        # The players take turns at different times.
        time.sleep(rng.random() * 0.0002)
        yield RegisterCall(f"register{rng.randrange(REGISTERS)}", kind, new, known)


def _register_request(
    name: str, kind: str, new: str | None, expected: str | None
) -> tuple[str, dict[str, Any]]:
    key = {"pk": {"S": name}}
    if kind == "read":
        return "GetItem", {"TableName": "registers", "Key": key, "ConsistentRead": True}
    if kind == "delete":
        return "DeleteItem", {"TableName": "registers", "Key": key, "ReturnValues": "ALL_OLD"}
    request: dict[str, Any] = {"TableName": "registers", "Item": key | {"value": {"S": new}}}
    if kind == "swap":
        request["ReturnValues"] = "ALL_OLD"
    if kind == "cas":
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        request["ExpressionAttributeNames"] = {"#v": "value"}
        if expected is None:
            request["ConditionExpression"] = "attribute_not_exists(#v)"
        else:
            request["ConditionExpression"] = "#v = :expected"
            request["ExpressionAttributeValues"] = {":expected": {"S": expected}}
    return "PutItem", request
