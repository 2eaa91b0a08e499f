"""Walking through a table: every item comes once, whatever the size of the pages."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.conformance.cases import Json, N, S, on
from tests.conformance.runner import Tables
from tests.witnesses.drivers import engine_names

PARTITIONS = 6
ROWS = 5
ITEMS = [
    {
        "pk": S(f"p{partition}"),
        "sk": S(f"{row:02}"),
        "g": S(f"g{row % 2}"),
        "h": N(partition),
        "l": S(f"{9 - row}"),
        "v": N(partition * ROWS + row),
    }
    for partition in range(PARTITIONS)
    for row in range(ROWS)
]
EVERY_ENGINE = pytest.mark.parametrize("tables", engine_names(), indirect=True)


def identities(items: list[Json]) -> Counter[tuple[str, str]]:
    return Counter((item["pk"]["S"], item["sk"]["S"]) for item in items)


def fill(tables: Tables) -> str:
    name = tables.emptied("@indexed")
    for start in range(0, len(ITEMS), 25):
        batch = [{"PutRequest": {"Item": item}} for item in ITEMS[start : start + 25]]
        answer = tables.engine.call("BatchWriteItem", {"RequestItems": {name: batch}})
        assert answer.ok, answer
    return name


def walk(tables: Tables, operation: str, request: Json) -> list[Json]:
    """Follow LastEvaluatedKey to the end."""
    items: list[Json] = []
    for _ in range(3 * len(ITEMS)):
        answer = tables.engine.call(operation, request)
        assert answer.ok, answer
        assert len(answer.body["Items"]) <= request.get("Limit", len(ITEMS))
        items += answer.body["Items"]
        if "LastEvaluatedKey" not in answer.body:
            return items
        request = {**request, "ExclusiveStartKey": answer.body["LastEvaluatedKey"]}
    raise AssertionError("the pages do not end")


def query(name: str, condition: str, value: Json, **more: Any) -> Json:
    return on(
        name,
        KeyConditionExpression=condition,
        ExpressionAttributeValues={":v": value},
        **more,
    )


@EVERY_ENGINE
@pytest.mark.parametrize("limit", [1, 4, 30, 31])
def test_scan_by_pages_finds_every_item_once(tables: Tables, limit: int) -> None:
    """Pages of any size add up to the table."""
    name = fill(tables)
    assert identities(walk(tables, "Scan", on(name, Limit=limit))) == identities(ITEMS)


@EVERY_ENGINE
@pytest.mark.parametrize("index", ["all", "keys", "some", "local_all", "local_keys"])
def test_scan_of_an_index_by_pages_finds_every_item_once(tables: Tables, index: str) -> None:
    """Pages of an index, whose keys repeat, neither lose nor repeat an item."""
    name = fill(tables)
    found = walk(tables, "Scan", on(name, IndexName=index, Limit=4))
    assert identities(found) == identities(ITEMS)


@EVERY_ENGINE
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("limit", [1, 2, 5])
def test_query_by_pages_is_the_query(tables: Tables, forward: bool, limit: int) -> None:
    """Pages put together are the partition, in order, both ways."""
    request = query(fill(tables), "pk = :v", S("p3"), ScanIndexForward=forward)
    expected = [item for item in ITEMS if item["pk"] == S("p3")][:: 1 if forward else -1]
    assert walk(tables, "Query", {**request, "Limit": limit}) == expected


@EVERY_ENGINE
@pytest.mark.parametrize("forward", [True, False])
def test_query_of_an_index_by_pages_is_the_query(tables: Tables, forward: bool) -> None:
    """Index entries with equal keys fall neither between pages nor on two of them."""
    request = query(
        fill(tables), "g = :v", S("g0"), IndexName="all", ScanIndexForward=forward, Limit=2
    )
    found = walk(tables, "Query", request)
    assert identities(found) == identities([item for item in ITEMS if item["g"] == S("g0")])
    numbers = [int(item["h"]["N"]) for item in found]
    assert numbers == sorted(numbers, reverse=not forward)


@EVERY_ENGINE
def test_filtered_pages_find_what_the_filter_leaves(tables: Tables) -> None:
    """Empty pages on the way do not end the walk."""
    request = on(
        fill(tables),
        Limit=2,
        FilterExpression="v > :v",
        ExpressionAttributeValues={":v": N(26)},
    )
    found = walk(tables, "Scan", request)
    assert sorted(int(item["v"]["N"]) for item in found) == [27, 28, 29]


@EVERY_ENGINE
@pytest.mark.parametrize("segments", [1, 2, 3, 7])
def test_segments_of_a_scan_share_the_table(tables: Tables, segments: int) -> None:
    """Every item is in exactly one segment, also when segments are read by pages."""
    name = fill(tables)
    found: list[Json] = []
    for segment in range(segments):
        request = on(name, Segment=segment, TotalSegments=segments)
        whole = walk(tables, "Scan", request)
        assert identities(walk(tables, "Scan", {**request, "Limit": 3})) == identities(whole)
        found += whole
    assert identities(found) == identities(ITEMS)


@EVERY_ENGINE
def test_deleting_what_was_read_does_not_end_the_walk(tables: Tables) -> None:
    """A start key may name an item that is gone."""
    name = fill(tables)
    request = on(name, Limit=3)
    found: list[Json] = []
    for _ in range(3 * len(ITEMS)):
        answer = tables.engine.call("Scan", request)
        assert answer.ok, answer
        found += answer.body["Items"]
        for item in answer.body["Items"]:
            key = {"pk": item["pk"], "sk": item["sk"]}
            assert tables.engine.call("DeleteItem", {"TableName": name, "Key": key}).ok
        if "LastEvaluatedKey" not in answer.body:
            break
        request = {**request, "ExclusiveStartKey": answer.body["LastEvaluatedKey"]}
    assert identities(found) == identities(ITEMS)
    assert tables.engine.call("Scan", on(name)).body["Count"] == 0
