"""Requests of every data operation on one table, valid and nearly so, and scenarios of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.differential import expressions
from tests.differential.expressions import Writing
from tests.differential.mistakes import spoiled
from tests.differential.tables import TABLE, Index, Table, pools, tables
from tests.differential.values import Json, pick


@dataclass(frozen=True)
class Step:
    """One request. With `pages`, it is repeated from LastEvaluatedKey until there is none."""

    operation: str
    request: Json
    pages: bool = False


@dataclass(frozen=True)
class Scenario:
    """A table, the items it starts with, and the requests made of it."""

    table: Table
    items: list[Json]
    steps: list[Step]

    def __str__(self) -> str:
        """As JSON: a list of operations and requests."""
        calls: list[list[Any]] = [["CreateTable", self.table.creation()]]
        calls += [["PutItem", {"TableName": TABLE, "Item": item}] for item in self.items]
        calls += [
            [step.operation, step.request, *(["all pages"] if step.pages else [])]
            for step in self.steps
        ]
        return "[\n" + ",\n".join(json.dumps(call, sort_keys=True) for call in calls) + "\n]"


Maker = Callable[[Writing], Step]

# A scenario that fails shrinks to few; one that is drawn has many.
_item_counts = st.sampled_from([0, 3, 6, 9, 9, 9])
_step_counts = st.sampled_from([1, 4, 8, 8, 8])


@st.composite
def scenarios(
    draw: st.DrawFn,
    makers: list[Maker],
    *,
    indexed: bool = True,
    spoil_once_in: int = 0,
) -> Scenario:
    """A table, some items, then steps by these makers."""
    table = draw(tables(indexed=indexed))
    pool = draw(pools(table))
    items = [pool.item(draw) for _ in range(draw(_item_counts))]
    steps: list[Step] = []
    for _ in range(draw(_step_counts)):
        writing = Writing(draw, pool)
        step = pick(draw, makers)(writing)
        if spoil_once_in and writing.chance(spoil_once_in):
            step = Step(step.operation, draw(spoiled(pool, step.request)), step.pages)
        if steps and writing.chance(10):
            step = pick(draw, steps)
        steps.append(step)
    return Scenario(table, items, steps)


# Single items -----------------------------------------------------------------------


def _conditions(writing: Writing, once_in: int = 2) -> Json:
    request: Json = {}
    if writing.chance(once_in):
        request["ConditionExpression"] = expressions.condition(writing)
    if writing.chance(4):
        request["ReturnValuesOnConditionCheckFailure"] = writing.one_of(["ALL_OLD", "NONE"])
    return request


def _capacity(writing: Writing) -> Json:
    if writing.chance(4):
        return {"ReturnConsumedCapacity": writing.one_of(["TOTAL", "INDEXES", "NONE"])}
    return {}


def _write(writing: Writing, **members: Any) -> Json:
    request: Json = {"TableName": TABLE, **members, **_conditions(writing), **_capacity(writing)}
    if writing.chance(6):
        request["ReturnItemCollectionMetrics"] = "SIZE"
    return request


def put_item(writing: Writing) -> Step:
    """A whole item, under a condition or not."""
    request = _write(writing, Item=writing.pool.item(writing.draw))
    if writing.chance(3):
        request["ReturnValues"] = writing.one_of(["ALL_OLD", "NONE"])
    return Step("PutItem", writing.finish(request))


def delete_item(writing: Writing) -> Step:
    """A key, under a condition or not."""
    request = _write(writing, Key=writing.pool.key(writing.draw))
    if writing.chance(3):
        request["ReturnValues"] = writing.one_of(["ALL_OLD", "NONE"])
    return Step("DeleteItem", writing.finish(request))


_RETURNS = ["ALL_NEW", "ALL_OLD", "UPDATED_NEW", "UPDATED_OLD", "NONE"]


def update_item(writing: Writing) -> Step:
    """An update expression, under a condition or not."""
    request = {"TableName": TABLE, "Key": writing.pool.key(writing.draw)}
    if not writing.chance(20):
        request["UpdateExpression"] = expressions.update(writing)
    request |= _conditions(writing, once_in=5) | _capacity(writing)
    if writing.chance(2):
        request["ReturnValues"] = writing.one_of(_RETURNS)
    return Step("UpdateItem", writing.finish(request))


def get_item(writing: Writing) -> Step:
    """One item, whole or projected."""
    request = {"TableName": TABLE, "Key": writing.pool.key(writing.draw), **_capacity(writing)}
    if writing.chance(2):
        request["ProjectionExpression"] = expressions.projection(writing)
    if writing.chance(3):
        request["ConsistentRead"] = True
    return Step("GetItem", writing.finish(request))


# Pages ------------------------------------------------------------------------------


def _index(writing: Writing) -> Index | None:
    return writing.one_of([None, *writing.pool.table.indexes])


def _page(writing: Writing, index: Index | None) -> Json:
    request: Json = {"TableName": TABLE, **_capacity(writing)}
    if index is not None:
        request["IndexName"] = index.name
    if writing.chance(3):
        request["FilterExpression"] = expressions.condition(writing)
    if writing.chance(3):
        request["ProjectionExpression"] = expressions.projection(writing, index)
    elif writing.chance(3):
        selects = ["COUNT", "ALL_ATTRIBUTES"]
        if index is not None:
            selects += ["COUNT", "ALL_PROJECTED_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"]
        request["Select"] = writing.one_of(selects)
    if (index is None or not index.is_global) and writing.chance(4):
        request["ConsistentRead"] = True
    return request


def query(writing: Writing) -> Step:
    """One partition of the table or of an index."""
    index = _index(writing)
    writing.with_keys = writing.chance(8)
    request = {
        "KeyConditionExpression": expressions.key_condition(writing, index),
        **_page(writing, index),
    }
    if writing.chance(3):
        request["ScanIndexForward"] = False
    if writing.chance(2):
        request["Limit"] = writing.one_of([1, 2, 3, 5])
    if index is None and writing.chance(8):
        request["ExclusiveStartKey"] = _start_key(writing)
    # A page of an index may end elsewhere: items of equal index keys come in any order.
    pages = "Limit" in request and (index is not None or not writing.chance(2))
    return Step("Query", writing.finish(request), pages)


def _start_key(writing: Writing) -> Json:
    """A place to start from, whether an item is there or not, mostly in the partition asked for."""
    key = writing.pool.key(writing.draw)
    name = writing.pool.table.partition
    asked = [value for value in writing.values.values() if value in writing.pool.contents[name]]
    if asked and not writing.chance(5):
        key[name] = asked[0]
    return key


def scan(writing: Writing) -> Step:
    """The whole table or index, all pages of it, for each engine has an order of its own."""
    request = _page(writing, _index(writing))
    if writing.chance(3):
        request["Limit"] = writing.one_of([1, 2, 3, 5])
    return Step("Scan", writing.finish(request), pages=True)


# Batches and transactions -------------------------------------------------------------


def _keys(writing: Writing) -> list[Json]:
    """Different keys."""
    keys = [writing.pool.key(writing.draw) for _ in range(writing.one_of([1, 2, 3]))]
    return list({str(key): key for key in keys}.values())


def batch_get_item(writing: Writing) -> Step:
    """Some keys of the table."""
    keys = _keys(writing)
    wanted: Json = {"Keys": keys}
    if writing.chance(3):
        wanted["ProjectionExpression"] = expressions.projection(writing)
    wanted = writing.finish(wanted)
    return Step("BatchGetItem", {"RequestItems": {TABLE: wanted}, **_capacity(writing)})


def batch_write_item(writing: Writing) -> Step:
    """Puts and deletes."""
    table = writing.pool.table
    requests: dict[str, Json] = {}
    for _ in range(writing.one_of([1, 2, 3])):
        if writing.chance(3):
            key = writing.pool.key(writing.draw)
            requests.setdefault(str(key), {"DeleteRequest": {"Key": key}})
        else:
            item = writing.pool.item(writing.draw)
            requests.setdefault(str(table.key_of(item)), {"PutRequest": {"Item": item}})
    return Step(
        "BatchWriteItem", {"RequestItems": {TABLE: list(requests.values())}, **_capacity(writing)}
    )


def transact_write_items(writing: Writing) -> Step:
    """Puts, updates, deletes and checks of different items."""
    pool = writing.pool
    items: dict[str, Json] = {}
    for _ in range(writing.one_of([1, 2, 3])):
        part = Writing(writing.draw, pool)
        kind = part.one_of(["Put", "Update", "Delete", "ConditionCheck"])
        item = pool.item(part.draw)
        request: Json = {"TableName": TABLE, **_conditions(part, once_in=3)}
        if kind == "Put":
            request["Item"] = item
        else:
            request["Key"] = pool.table.key_of(item)
        if kind == "Update":
            request["UpdateExpression"] = expressions.update(part)
        if kind == "ConditionCheck" and "ConditionExpression" not in request:
            request["ConditionExpression"] = expressions.condition(part)
        repeated = str(pool.table.key_of(item))
        items.setdefault(repeated, {kind: part.finish(request)})
    whole: Json = {"TransactItems": list(items.values()), **_capacity(writing)}
    if writing.chance(4):
        # The table's own name: no other scenario has it.
        whole["ClientRequestToken"] = TABLE
    return Step("TransactWriteItems", whole)


def transact_get_items(writing: Writing) -> Step:
    """Some keys, each whole or projected."""
    gets = []
    for key in _keys(writing):
        part = Writing(writing.draw, writing.pool)
        request: Json = {"TableName": TABLE, "Key": key}
        if part.chance(3):
            request["ProjectionExpression"] = expressions.projection(part)
        gets.append({"Get": part.finish(request)})
    return Step("TransactGetItems", {"TransactItems": gets, **_capacity(writing)})


SINGLE: list[Maker] = [put_item, get_item, update_item, update_item, delete_item]
PAGES: list[Maker] = [query, query, scan]
SEVERAL: list[Maker] = [batch_get_item, batch_write_item, transact_write_items, transact_get_items]
EVERY: list[Maker] = [*SINGLE, *PAGES, *SEVERAL]
