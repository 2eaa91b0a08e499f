"""CreateTable requests: good ones, and with one thing wrong."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.differential.tables import tables
from tests.differential.values import Json, pick

Spoiler = Callable[[st.DrawFn, Json], Any]


@st.composite
def definitions(draw: st.DrawFn) -> Json:
    """A request to create a table, wrong two times of three."""
    request = copy.deepcopy(draw(tables()).creation())
    if pick(draw, range(3)):
        pick(draw, _SPOILERS)(draw, request)
    return request


def _indexes(request: Json) -> list[Json]:
    """The indexes; one is added when there are none."""
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if request.get(member):
            return list(request[member])
    index = {
        "IndexName": "global0",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    request["GlobalSecondaryIndexes"] = [index]
    return [index]


def _schemas(request: Json) -> list[list[Json]]:
    return [request["KeySchema"], *(index["KeySchema"] for index in _indexes(request))]


def _define(request: Json, name: str, kind: str = "S") -> None:
    request["AttributeDefinitions"].append({"AttributeName": name, "AttributeType": kind})


def _lose_definition(draw: st.DrawFn, request: Json) -> None:
    request["AttributeDefinitions"].pop()


def _define_too_much(draw: st.DrawFn, request: Json) -> None:
    _define(request, pick(draw, ("unused", "pk")))


def _define_strangely(draw: st.DrawFn, request: Json) -> None:
    kind = pick(draw, ("SS", "BOOL", "s", "", "M"))
    pick(draw, request["AttributeDefinitions"])["AttributeType"] = kind


def _turn_keys(draw: st.DrawFn, request: Json) -> None:
    pick(draw, _schemas(request)).reverse()


def _rename_key(draw: st.DrawFn, request: Json) -> None:
    element = pick(draw, pick(draw, _schemas(request)))
    element["AttributeName"] = pick(draw, ("pk", "sk", "unknown", ""))


def _retype_key(draw: st.DrawFn, request: Json) -> None:
    element = pick(draw, pick(draw, _schemas(request)))
    element["KeyType"] = pick(draw, ("HASH", "RANGE", "SORT"))


def _lose_key(draw: st.DrawFn, request: Json) -> None:
    pick(draw, _schemas(request)).pop(0)


def _rename_index(draw: st.DrawFn, request: Json) -> None:
    names = ("global0", "local0", "ab", "a b", "x" * 255, "x" * 256)
    pick(draw, _indexes(request))["IndexName"] = pick(draw, names)


def _project_strangely(draw: st.DrawFn, request: Json) -> None:
    projections: tuple[Json, ...] = (
        {},
        {"ProjectionType": "INCLUDE"},
        {"ProjectionType": "INCLUDE", "NonKeyAttributes": []},
        {"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["n"]},
        {"ProjectionType": "ALL", "NonKeyAttributes": ["n"]},
        {"ProjectionType": "SOME"},
        {"NonKeyAttributes": ["n"]},
        {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["n", "n"]},
        {"ProjectionType": "INCLUDE", "NonKeyAttributes": [f"n{at}" for at in range(21)]},
    )
    pick(draw, _indexes(request))["Projection"] = pick(draw, projections)


def _lose_projection(draw: st.DrawFn, request: Json) -> None:
    del pick(draw, _indexes(request))["Projection"]


def _bill_strangely(draw: st.DrawFn, request: Json) -> None:
    throughput = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    nothing = {"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}
    ways: tuple[Json, ...] = (
        {"BillingMode": None},
        {"BillingMode": "PROVISIONED"},
        {"ProvisionedThroughput": throughput},
        {
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": nothing,
        },
        {"BillingMode": "FREE"},
    )
    request.update(pick(draw, ways))
    if request["BillingMode"] is None:
        del request["BillingMode"]


def _provision(draw: st.DrawFn, request: Json) -> None:
    """Not wrong, but the other way to pay."""
    throughput = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    request["BillingMode"] = "PROVISIONED"
    request["ProvisionedThroughput"] = throughput
    for index in request.get("GlobalSecondaryIndexes", []):
        index["ProvisionedThroughput"] = throughput


def _empty_list(draw: st.DrawFn, request: Json) -> None:
    members = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes", "KeySchema")
    request[pick(draw, members)] = []


def _many_indexes(draw: st.DrawFn, request: Json) -> None:
    member, count = pick(draw, (("GlobalSecondaryIndexes", 21), ("LocalSecondaryIndexes", 6)))
    request[member] = [
        {**copy.deepcopy(_indexes(request)[0]), "IndexName": f"index{at}"} for at in range(count)
    ]


def _local_on_other_key(draw: st.DrawFn, request: Json) -> None:
    index = copy.deepcopy(_indexes(request)[0])
    request["LocalSecondaryIndexes"] = [{**index, "IndexName": "local7"}]


def _lose_member(draw: st.DrawFn, request: Json) -> None:
    del request[pick(draw, ("KeySchema", "AttributeDefinitions", "TableName"))]


def _name_strangely(draw: st.DrawFn, request: Json) -> None:
    request["TableName"] = pick(draw, ("ab", "a b c", "x" * 256, "", "é" * 3))


_SPOILERS: list[Spoiler] = [
    _lose_definition,
    _define_too_much,
    _define_strangely,
    _turn_keys,
    _rename_key,
    _retype_key,
    _lose_key,
    _rename_index,
    _project_strangely,
    _lose_projection,
    _bill_strangely,
    _provision,
    _empty_list,
    _many_indexes,
    _local_on_other_key,
    _lose_member,
    _name_strangely,
]
