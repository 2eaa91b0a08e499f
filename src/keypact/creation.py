"""DynamoDB tables from models: what they need, made when missing, compared when there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

import msgspec

from .answers import as_library_error
from .effects import Call, Plan, Sleep
from .errors import DynamoDBError, InvalidModel, TableNotFound, Unavailable
from .schema.models import Index, KeyPart, Model
from .schema.tables import merge_indexes

# DynamoDB makes a table in seconds; indexes on a new table are made with it.
WAIT_SECONDS_MAX = 120.0
POLL_SECONDS = 0.5


def ensure(models: Sequence[Model]) -> Plan[None]:
    """Make the tables of these models that are missing; compare those that are there."""
    by_table = attrgetter("table")
    for table, group in groupby(sorted(models, key=by_table), by_table):
        request = table_request(list(group))
        try:
            yield from describe(table)
        except TableNotFound:
            yield from _create(request)
        _compare(request, (yield from _await_active(table)))
    for model in models:
        if model.ttl is not None:
            yield from _ensure_ttl(model.table, model.ttl)


def describe(table: str) -> Plan[dict[str, Any]]:
    """DescribeTable's answer."""
    try:
        answer = yield Call("DescribeTable", {"TableName": table})
    except DynamoDBError as error:
        raise as_library_error(error, table, {}) from error
    description: dict[str, Any] = msgspec.json.decode(answer)["Table"]
    return description


def table_request(models: Sequence[Model]) -> dict[str, Any]:
    """The CreateTable request that serves all these models of one table."""
    first = models[0]
    types: dict[str, str] = {}
    for model in models:
        if (model.partition, model.sort) != (first.partition, first.sort):
            raise InvalidModel(
                f"models {first.name} and {model.name} share table {first.table} "
                "but not its key; give them the same key"
            )
        _note_types(types, model.partition, model.sort)
        for index in model.indexes:
            _note_types(types, index.partition, index.sort)
    indexes = merge_indexes(models)
    _check_agreement(models, indexes)
    request: dict[str, Any] = {
        "TableName": first.table,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _key_schema(first.partition, first.sort),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in types.items()
        ],
    }
    for member, is_global in _MEMBERS:
        of_kind = [_index(one) for one in indexes if one.is_global is is_global]
        if of_kind:
            request[member] = of_kind
    return request


def _check_agreement(models: Sequence[Model], indexes: Sequence[Index]) -> None:
    """Models of several documents meet here first: one index may differ in its fields only."""
    merged = {index.name: replace(index, fields=()) for index in indexes}
    for model in models:
        for index in model.indexes:
            if replace(index, fields=()) != merged[index.name]:
                raise InvalidModel(
                    f"index {index.name} of table {model.table} differs between models"
                )


_MEMBERS = (("LocalSecondaryIndexes", False), ("GlobalSecondaryIndexes", True))


def _note_types(types: dict[str, str], *parts: KeyPart | None) -> None:
    for part in parts:
        if part is not None and types.setdefault(part.attribute, part.type) != part.type:
            raise InvalidModel(f"{part.attribute} has two types in the keys of one table")


def _key_schema(partition: KeyPart, sort: KeyPart | None) -> list[dict[str, str]]:
    schema = [{"AttributeName": partition.attribute, "KeyType": "HASH"}]
    if sort is not None:
        schema.append({"AttributeName": sort.attribute, "KeyType": "RANGE"})
    return schema


def _index(index: Index) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.fields:
        projection["NonKeyAttributes"] = list(index.fields)
    return {
        "IndexName": index.name,
        "KeySchema": _key_schema(index.partition, index.sort),
        "Projection": projection,
    }


def _create(request: dict[str, Any]) -> Plan[None]:
    try:
        yield Call("CreateTable", request)
    except DynamoDBError as error:
        # Someone else was first; whether it is the same table is seen next.
        if error.code != "ResourceInUseException":
            raise


def _await_active(table: str) -> Plan[dict[str, Any]]:
    for _ in range(int(WAIT_SECONDS_MAX / POLL_SECONDS)):
        try:
            description = yield from describe(table)
        except TableNotFound:
            # DynamoDB may say so for a moment after it was made.
            description = {"TableStatus": "CREATING"}
        # A table that is being updated can be used meanwhile.
        if description["TableStatus"] in ("ACTIVE", "UPDATING"):
            return description
        yield Sleep(POLL_SECONDS)
    raise Unavailable(f"table {table} was not ready after {WAIT_SECONDS_MAX:.0f} s; try again")


def _compare(request: dict[str, Any], description: dict[str, Any]) -> None:
    """Refuse a table that is there with another key, or without an index the models need."""
    differences = list(_differences(request, description))
    if differences:
        raise InvalidModel(
            f"table {request['TableName']} is not what the model describes: "
            f"{'; '.join(differences)}"
        )


def _differences(request: dict[str, Any], description: dict[str, Any]) -> Iterator[str]:
    if request["KeySchema"] != description["KeySchema"]:
        yield "its key is another"
    there = {
        one["AttributeName"]: one["AttributeType"] for one in description["AttributeDefinitions"]
    }
    for one in request["AttributeDefinitions"]:
        found = there.get(one["AttributeName"], one["AttributeType"])
        if found != one["AttributeType"]:
            yield f"{one['AttributeName']} is {found}, not {one['AttributeType']}"
    for member, _ in _MEMBERS:
        existing = {index["IndexName"]: index for index in description.get(member) or ()}
        for index in request.get(member, ()):
            found_index = existing.get(index["IndexName"])
            if found_index is None:
                yield f"it has no index {index['IndexName']}"
            elif found_index["KeySchema"] != index["KeySchema"]:
                yield f"index {index['IndexName']} has another key"
            elif missing := _not_projected(index["Projection"], found_index["Projection"]):
                yield f"index {index['IndexName']} does not project {missing}"


def _not_projected(needed: dict[str, Any], there: dict[str, Any]) -> str:
    """What a model expects of an index and the table's index does not have; "" for nothing."""
    if there["ProjectionType"] == "ALL":
        return ""
    if needed["ProjectionType"] == "ALL":
        return "everything"
    projected = there.get("NonKeyAttributes") or ()
    return ", ".join(name for name in needed.get("NonKeyAttributes", ()) if name not in projected)


def _ensure_ttl(table: str, attribute: str) -> Plan[None]:
    try:
        answer = yield Call("DescribeTimeToLive", {"TableName": table})
        status = msgspec.json.decode(answer)["TimeToLiveDescription"]
        if status.get("TimeToLiveStatus") in ("ENABLED", "ENABLING"):
            if status.get("AttributeName") != attribute:
                raise InvalidModel(
                    f"table {table} expires items by {status.get('AttributeName')}, "
                    f"the model by {attribute}"
                )
            return
        specification = {"Enabled": True, "AttributeName": attribute}
        yield Call(
            "UpdateTimeToLive", {"TableName": table, "TimeToLiveSpecification": specification}
        )
    except DynamoDBError as error:
        if "already enabled" not in error.message:
            raise as_library_error(error, table, {}) from error
