"""Batches: cut to DynamoDB's sizes; what comes back unprocessed is asked for again, later."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from .answers import as_library_error
from .effects import Call, Plan, Sleep
from .errors import BatchIncomplete, DynamoDBError, InvalidModel
from .values import Attributes
from .writes import creating, deleting

if TYPE_CHECKING:
    from .table import TableOperations

GET_KEYS_MAX = 100
WRITE_REQUESTS_MAX = 25
# Pauses double from the first to the longest, each drawn from zero to its bound, so that
# clients which were throttled together do not come back together.
ATTEMPTS_MAX = 8
FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 5.0

T = TypeVar("T")


def get(
    table: TableOperations[Any], keys: Sequence[Attributes], consistent: bool
) -> Plan[tuple[list[Attributes], list[Attributes]]]:
    """The stored items of these keys, in the keys' order, and the keys left after all attempts."""
    found: dict[bytes, Attributes] = {}
    unique = list({_identity(key): key for key in keys}.values())
    unprocessed: list[Attributes] = []
    for number, chunk in enumerate(_chunks(unique, GET_KEYS_MAX), 1):
        left: dict[str, Any] = {"Keys": chunk}
        if consistent:
            left["ConsistentRead"] = True
        for attempt in range(ATTEMPTS_MAX):
            yield from _pause(attempt)
            answer = yield from _call(table, "BatchGetItem", {table.model.table: left})
            for item in answer["Responses"].get(table.model.table, ()):
                found[_identity(_key_of(table, item))] = item
            left = (answer.get("UnprocessedKeys") or {}).get(table.model.table) or {}
            if not left:
                break
        else:
            # Whoever is told to slow down does not ask for the rest.
            unprocessed = [*left["Keys"], *unique[number * GET_KEYS_MAX :]]
            break
    items = [found[identity] for key in keys if (identity := _identity(key)) in found]
    return items, unprocessed


def write(table: TableOperations[Any], puts: Sequence[Any], deletes: Sequence[Any]) -> Plan[None]:
    """Write every item; all of them are checked before the first is sent.

    BatchIncomplete tells what is left as pairs: ``("put", item)`` or ``("delete", key)``.
    """
    given = [("put", item) for item in puts] + [("delete", key) for key in deletes]
    writes = [creating(table, item, if_not_exists=False, condition=None)[0] for item in puts]
    writes += [deleting(table, key, version=None, condition=None) for key in deletes]
    identities = [_identity(one.key) for one in writes]
    if len(set(identities)) < len(identities):
        raise InvalidModel("a batch writes each item once; this one has a key twice")
    requests: list[dict[str, Any]] = []
    for one in writes:
        request = yield from one.plan()
        member, part = ("PutRequest", "Item") if one.kind == "Put" else ("DeleteRequest", "Key")
        requests.append({member: {part: request[part]}})
    for number, chunk in enumerate(_chunks(requests, WRITE_REQUESTS_MAX), 1):
        left = chunk
        for attempt in range(ATTEMPTS_MAX):
            yield from _pause(attempt)
            answer = yield from _call(table, "BatchWriteItem", {table.model.table: left})
            left = (answer.get("UnprocessedItems") or {}).get(table.model.table) or []
            if not left:
                break
        else:
            left += requests[number * WRITE_REQUESTS_MAX :]
            by_identity = dict(zip(identities, given, strict=True))
            raise BatchIncomplete([by_identity[_written(table, request)] for request in left])


def _key_of(table: TableOperations[Any], item: Attributes) -> Attributes:
    return {name: item[name] for name in table.model.key_names}


def _written(table: TableOperations[Any], request: dict[str, Any]) -> bytes:
    """The identity of the item that a request of a batch writes."""
    ((member, content),) = request.items()
    item = content["Item" if member == "PutRequest" else "Key"]
    return _identity(_key_of(table, item))


def _call(table: TableOperations[Any], name: str, items: dict[str, Any]) -> Plan[dict[str, Any]]:
    try:
        answer = yield Call(name, {"RequestItems": items})
    except DynamoDBError as error:
        raise as_library_error(error, table.model.table, {}) from error
    decoded: dict[str, Any] = msgspec.json.decode(answer)
    return decoded


def _pause(attempt: int) -> Plan[None]:
    if attempt:
        longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))
        yield Sleep(random.uniform(0, longest))  # noqa: S311 - jitter, not a secret


def _chunks(values: list[T], size: int) -> Iterator[list[T]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _identity(key: Attributes) -> bytes:
    return msgspec.json.encode(key, order="sorted")
