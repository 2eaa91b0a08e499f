"""The words cases are written in.

A case is a list of steps on tables of a named shape. Each step has an operation, a
request, and the whole answer expected. A table is named by its shape, such as "@simple":
the runner puts the name of a real, empty table of that shape in its place, and puts
"@simple" back into the answer. "@new" is a name that no table has yet, and "@token1" a
client request token that nobody has used.

Expectations come from AWS's documentation (a source such as "API_PutItem" is the name of
its page) and from botocore's model. Where these are silent they come from error texts and
figures that the service is known to give ("service"), and else from what most witnesses
answer ("majority"). They never come from our own engine.
"""

# Attribute values are made by functions that bear their types' names.
# ruff: noqa: N802

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


# Attribute values --------------------------------------------------------------


def S(text: str) -> Json:
    return {"S": text}


def N(number: object) -> Json:
    return {"N": str(number)}


def B(data: bytes) -> Json:
    return {"B": base64.b64encode(data).decode()}


def L(*members: Json) -> Json:
    return {"L": list(members)}


def M(**members: Json) -> Json:
    return {"M": members}


def SS(*members: str) -> Json:
    return {"SS": list(members)}


def NS(*members: object) -> Json:
    return {"NS": [str(member) for member in members]}


def BS(*members: bytes) -> Json:
    return {"BS": [base64.b64encode(member).decode() for member in members]}


TRUE: Json = {"BOOL": True}
FALSE: Json = {"BOOL": False}
NULL: Json = {"NULL": True}


# Expected answers --------------------------------------------------------------


@dataclass(frozen=True)
class Error:
    """An error of this code, with exactly these further members."""

    code: str
    members: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class AnyOrder:
    """A list whose order DynamoDB does not promise."""

    members: tuple[Any, ...]


@dataclass(frozen=True)
class Including:
    """An object with at least these members: for descriptions, which differ in dates and ids."""

    members: Json


@dataclass(frozen=True)
class Excluding:
    """An answer without these members."""

    names: tuple[str, ...]


class _Anything:
    def __repr__(self) -> str:
        return "ANYTHING"


ANYTHING = _Anything()


def any_order(*members: Any) -> AnyOrder:
    return AnyOrder(members)


def including(**members: Any) -> Including:
    return Including(members)


def error(code: str, **members: Any) -> Error:
    return Error(code, tuple(members.items()))


INVALID = error("ValidationException")
CONDITION_FAILED = error("ConditionalCheckFailedException")
NOT_FOUND = error("ResourceNotFoundException")
NOT_SERIALIZED = error("SerializationException")
EMPTY: Json = {}


def cancelled(*reasons: str | Json) -> Error:
    """A cancelled transaction: a code for each item, or a code with the item it returns."""
    expected = []
    for reason in reasons:
        members: Json = {"Code": reason} if isinstance(reason, str) else dict(reason)
        if members["Code"] != "None":
            members["Message"] = ANYTHING
        expected.append(members)
    return error("TransactionCanceledException", CancellationReasons=expected)


# Cases -------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """One request and the answer expected of it."""

    operation: str
    request: Any
    expected: Any


@dataclass(frozen=True)
class Raw:
    """Bytes as they go over HTTP, for requests that no client would make."""

    body: bytes
    expected: Any
    target: str | None = "DynamoDB_20120810.ListTables"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Case:
    """Steps run in order on empty tables. `source` says where the expectation stands."""

    id: str
    steps: tuple[Step | Raw, ...]
    source: str


@dataclass(frozen=True)
class Source:
    """Makes the cases of one file, all of whose expectations have one source unless told."""

    prefix: str
    source: str

    def __call__(
        self,
        name: str,
        *steps: tuple[str, Any, Any] | Raw,
        given: tuple[tuple[str, Json], ...] | list[tuple[str, Json]] = (),
        source: str = "",
    ) -> Case:
        """A case. What is given must succeed, and is not part of what is tested."""
        prepared = tuple(Step(operation, request, ANYTHING) for operation, request in given)
        tested = tuple(step if isinstance(step, Raw) else Step(*step) for step in steps)
        return Case(f"{self.prefix}/{name}", prepared + tested, source or self.source)


def puts(table: str, *items: Json) -> list[tuple[str, Json]]:
    """Steps that put these items."""
    return [("PutItem", {"TableName": table, "Item": item}) for item in items]


def put(table: str, item: Json, **more: Any) -> Json:
    return {"TableName": table, "Item": item, **more}


def at(table: str, key: Json, **more: Any) -> Json:
    """A request on one key of a table."""
    return {"TableName": table, "Key": key, **more}


def on(table: str, **more: Any) -> Json:
    return {"TableName": table, **more}


def page(*items: Json, scanned: int | None = None, **more: Any) -> Json:
    """A page of Query, in order, with its counts."""
    count = len(items)
    scanned = count if scanned is None else scanned
    return {"Items": list(items), "Count": count, "ScannedCount": scanned, **more}


def heap(*items: Json, scanned: int | None = None, **more: Any) -> Json:
    """A page whose items come in no promised order."""
    return {**page(*items, scanned=scanned, **more), "Items": any_order(*items)}
