"""Queries, scans, pages and indexes of our engine are what its items imply."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self

from hypothesis import strategies as st

import keypact
from tests.differential.model import NAME, Model, Question, Range
from tests.differential.properties import holds_for
from tests.differential.tables import Index, Pool, Table, pools, tables
from tests.differential.values import Json, canonical, keys_of_kind, pick, sort_value

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMS = ("put", "put", "batch", "transaction", "delete", "replace")
PLAIN = {"n": "N", "s": "S", "m": "BOOL"}
OPERATORS = ("=", "<", "<=", ">", ">=", "BETWEEN", "begins_with")


@dataclass(frozen=True)
class Write:
    """One write as the engine is asked it, and what it does to the model."""

    operation: str
    request: Json
    puts: tuple[Json, ...] = ()
    deletes: tuple[Json, ...] = ()


@dataclass(frozen=True)
class History:
    """A table and the writes made to it, with questions about the outcome."""

    table: Table
    writes: list[Write]
    questions: list[Question]

    def __str__(self) -> str:
        calls = [["CreateTable", self.table.creation(NAME)]]
        calls += [[write.operation, write.request] for write in self.writes]
        calls += [["Query", question.request(self.table)] for question in self.questions]
        return "[\n" + ",\n".join(json.dumps(call, sort_keys=True) for call in calls) + "\n]"


# Histories ----------------------------------------------------------------------------


@st.composite
def histories(draw: st.DrawFn, *, questions: int = 6) -> History:
    table = draw(tables(several=draw(st.booleans())))
    pool = draw(pools(table, wide=True))
    count = pick(draw, (0, 2, 5, 12, 25))
    writes = [draw(_writes(pool)) for _ in range(count)]
    asked = [draw(_questions(pool)) for _ in range(questions)]
    return History(table, writes, asked)


@st.composite
def _writes(draw: st.DrawFn, pool: Pool) -> Write:
    item = pool.item(draw, PLAIN)
    key = pool.table.key_of(item)
    form = pick(draw, FORMS)
    if form == "delete":
        return Write("DeleteItem", {"TableName": NAME, "Key": key}, deletes=(key,))
    if form == "batch":
        other = pool.item(draw, PLAIN)
        requests: list[Json] = [{"PutRequest": {"Item": item}}]
        gone = pool.table.key_of(other)
        if _differ(gone, key):
            requests.append({"DeleteRequest": {"Key": gone}})
            return Write("BatchWriteItem", {"RequestItems": {NAME: requests}}, (item,), (gone,))
        return Write("BatchWriteItem", {"RequestItems": {NAME: requests}}, (item,))
    if form == "transaction":
        put = {"Put": {"TableName": NAME, "Item": item}}
        return Write("TransactWriteItems", {"TransactItems": [put]}, (item,))
    if form == "replace":
        return _replacement(item, key)
    return Write("PutItem", {"TableName": NAME, "Item": item}, (item,))


def _differ(one: Json, other: Json) -> bool:
    return any(sort_value(one[name]) != sort_value(other[name]) for name in one)


def _replacement(item: Json, key: Json) -> Write:
    """An update that sets every attribute of the item and removes the others."""
    names = ["g", "h", "k", "n", "s", "m"]
    set_names = [name for name in item if name not in key]
    removed = [name for name in names if name not in item and name not in key]
    expression = ""
    if set_names:
        expression += "SET " + ", ".join(f"#{name} = :{name}" for name in set_names)
    if removed:
        expression += " REMOVE " + ", ".join(f"#{name}" for name in removed)
    request: Json = {"TableName": NAME, "Key": key}
    if expression:
        request["UpdateExpression"] = expression
        request["ExpressionAttributeNames"] = {f"#{name}": name for name in set_names + removed}
    if set_names:
        request["ExpressionAttributeValues"] = {f":{name}": item[name] for name in set_names}
    return Write("UpdateItem", request, (item,))


@st.composite
def _questions(draw: st.DrawFn, pool: Pool) -> Question:
    index = pick(draw, [None, *pool.table.indexes])
    table = pool.table
    partition = (table.partition,) if index is None else index.partition
    sort = table.key_names[1:] if index is None else index.sort
    values = tuple(pool.key_value(draw, name) for name in partition)
    ranges = []
    for name in sort:
        if not pick(draw, range(4)):
            break
        ranges.append(draw(_ranges(pool, name)))
        if ranges[-1].operator != "=":
            break
    return Question(index, values, tuple(ranges))


@st.composite
def _ranges(draw: st.DrawFn, pool: Pool, name: str) -> Range:
    kind = pool.table.types[name]
    operators = OPERATORS if kind != "N" else OPERATORS[:-1]
    operator = pick(draw, operators)
    # Mostly a key that is there; else one between or beyond them.
    operands = []
    for _ in range(2 if operator == "BETWEEN" else 1):
        is_other = pick(draw, range(3)) == 2
        other = keys_of_kind(kind, wide=True)
        operands.append(draw(other) if is_other else pool.key_value(draw, name))
    return Range(name, operator, tuple(sorted(operands, key=sort_value)))


# Running ------------------------------------------------------------------------------


class Played:
    """The engine and the model after a history."""

    def __init__(self, history: History) -> None:
        self.table = history.table
        self.model = Model(history.table)
        self.backend = keypact.connect("memory:")
        self.backend.call("CreateTable", history.table.creation(NAME))
        for write in history.writes:
            self.backend.call(write.operation, write.request)
            for item in write.puts:
                self.model.put(item)
            for key in write.deletes:
                self.model.delete(key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.backend.close()

    def sources(self) -> list[Index | None]:
        """The table, then its indexes."""
        return [None, *self.table.indexes]

    def pages(self, operation: str, request: Json) -> Iterator[Json]:
        """Every page from the request on."""
        pages_max = 3 * len(self.model.items) + 3
        for _ in range(pages_max):
            page = self.backend.call(operation, request)
            yield page
            if "LastEvaluatedKey" not in page:
                return
            request = {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]}
        raise AssertionError(f"no end after {pages_max} pages: {json.dumps(request)}\n{self}")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _heap(items: list[Json]) -> list[str]:
    return sorted(_text(_sorted_sets(item)) for item in items)


def _sorted_sets(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: sorted(one) if name in ("SS", "NS", "BS") else _sorted_sets(one)
            for name, one in value.items()
        }
    return [_sorted_sets(one) for one in value] if isinstance(value, list) else value


@holds_for(histories(), short=120, soak=1500)
def test_a_query_gives_what_the_items_imply(example: History) -> None:
    """Items, their order and both counts, for every key type, operator and index."""
    with Played(example) as played:
        for question in example.questions:
            request = question.request(example.table)
            page = played.backend.call("Query", request)
            expected = played.model.answer(question)
            order = [played.model.sort_key(question.index, item) for item in expected]
            reproducer = f"{_text(request)}"
            assert _heap(page["Items"]) == _heap(expected), reproducer
            assert [
                played.model.sort_key(question.index, item) for item in page["Items"]
            ] == order, reproducer
            assert page["Count"] == page["ScannedCount"] == len(expected), reproducer


@holds_for(histories(questions=0), short=80, soak=1000)
def test_an_index_holds_what_the_items_imply(example: History) -> None:
    """Items that have the whole index key, with the attributes the index projects."""
    with Played(example) as played:
        for index in played.sources():
            request: Json = {"TableName": NAME}
            if index is not None:
                request["IndexName"] = index.name
            page = played.backend.call("Scan", request)
            expected = played.model.entries(index)
            assert _heap(page["Items"]) == _heap(expected), f"{_text(request)}"
            assert page["Count"] == page["ScannedCount"] == len(expected), f"{request}"


@holds_for(histories(questions=3), short=60, soak=700)
def test_pages_of_any_limit_join_to_the_whole(example: History) -> None:
    """Nothing is skipped or repeated, forward and backward, and every page but the last is full."""
    with Played(example) as played:
        requests = [
            ("Query", {**question.request(example.table), "ScanIndexForward": forward})
            for question in example.questions
            for forward in (True, False)
        ]
        for index in played.sources():
            source = {} if index is None else {"IndexName": index.name}
            requests.append(("Scan", {"TableName": NAME, **source}))
        for operation, request in requests:
            whole = played.backend.call(operation, request)["Items"]
            for limit in {1, 2, 3, 5, len(whole), len(whole) + 1} - {0}:
                pages = list(played.pages(operation, {**request, "Limit": limit}))
                reproducer = f"Limit {limit}: {operation} {_text(request)}"
                assert [item for page in pages for item in page["Items"]] == whole, reproducer
                counts = [page["ScannedCount"] for page in pages]
                assert counts[:-1] == [limit] * (len(pages) - 1), reproducer
                assert counts[-1] < limit, reproducer


@holds_for(histories(), short=80, soak=1000)
def test_descending_is_ascending_reversed(example: History) -> None:
    """ScanIndexForward turns the order around and changes nothing else."""
    with Played(example) as played:
        for question in example.questions:
            request = question.request(example.table)
            forward = played.backend.call("Query", request)
            backward = played.backend.call("Query", {**request, "ScanIndexForward": False})
            assert backward["Items"] == forward["Items"][::-1], f"{_text(request)}"
            assert backward["Count"] == forward["Count"], f"{_text(request)}"


@holds_for(
    st.tuples(histories(questions=0), st.integers(1, 9), st.integers(1, 4)), short=60, soak=700
)
def test_segments_part_the_table(example: tuple[History, int, int]) -> None:
    """Every item is in exactly one segment, however its pages are cut."""
    history, total, limit = example
    with Played(history) as played:
        for index in played.sources():
            source = {} if index is None else {"IndexName": index.name}
            found: list[Json] = []
            for segment in range(total):
                request = {"TableName": NAME, "Segment": segment, "TotalSegments": total, **source}
                for page in played.pages("Scan", {**request, "Limit": limit}):
                    found += page["Items"]
            reproducer = f"{total} segments, Limit {limit}, {source}"
            assert _heap(found) == _heap(played.model.entries(index)), reproducer


@holds_for(
    st.tuples(histories(questions=3), st.integers(-2, 3), st.integers(1, 4)), short=60, soak=700
)
def test_a_limit_counts_what_is_read(example: tuple[History, int, int]) -> None:
    """Filters come after limits: ScannedCount is what was read, Count what passed."""
    history, bound, limit = example
    with Played(history) as played:
        for question in history.questions:
            index = question.index
            if index is not None and "n" in index.key_names:
                continue
            request = question.request(history.table)
            values = {**request["ExpressionAttributeValues"], ":bound": {"N": str(bound)}}
            request |= {"FilterExpression": "n >= :bound", "ExpressionAttributeValues": values}
            expected = [
                item
                for item in played.model.answer(question)
                if "N" in item.get("n", {}) and Decimal(item["n"]["N"]) >= bound
            ]
            scanned = len(played.model.answer(question))
            pages = list(played.pages("Query", {**request, "Limit": limit}))
            reproducer = f"Limit {limit}: {_text(request)}"
            found = [item for page in pages for item in page["Items"]]
            assert _heap(found) == _heap(expected), reproducer
            assert sum(page["ScannedCount"] for page in pages) == scanned, reproducer
            assert all(page["Count"] == len(page["Items"]) for page in pages), reproducer
            assert all(page["ScannedCount"] <= limit for page in pages), reproducer


# Order over all there is ----------------------------------------------------------------


@st.composite
def _keys(draw: st.DrawFn) -> tuple[str, list[Json]]:
    kind = draw(st.sampled_from(["S", "N", "B"]))
    keys = st.lists(keys_of_kind(kind, wide=True), max_size=20, unique_by=sort_value)
    return kind, draw(keys)


@holds_for(_keys(), short=100, soak=2000)
def test_sort_keys_have_their_order(example: tuple[str, list[Json]]) -> None:
    """Numbers by value up to 38 digits and any exponent, text by UTF-8, binary unsigned."""
    kind, keys = example
    table = Table("pk", "sk", {"pk": "S", "sk": kind})
    with keypact.connect("memory:") as backend:
        backend.call("CreateTable", table.creation(NAME))
        for key in keys:
            item = {"pk": {"S": "a"}, "sk": key}
            backend.call("PutItem", {"TableName": NAME, "Item": item})
        question = Question(None, ({"S": "a"},))
        found = [item["sk"] for item in backend.call("Query", question.request(table))["Items"]]
    assert found == canonical(sorted(keys, key=sort_value)), _text([kind, keys])


# Pages of one megabyte --------------------------------------------------------------------

PAGE_BYTES_MAX = 1024 * 1024


_sizes = st.sampled_from([1, 1_000, 50_000, 262_144 - 9, 300_000, 400_000]) | st.integers(
    1, 400_000
)
_many = st.sampled_from([1, 5, 9, 16]).flatmap(
    lambda count: st.lists(_sizes, min_size=count, max_size=count)
)


@holds_for(_many, short=15, soak=150)
def test_a_page_ends_with_the_item_that_passes_one_megabyte(example: list[int]) -> None:
    """Every page but the last holds more than 1 MB, and would not without its last item."""
    sizes = {f"{number:03}": size for number, size in enumerate(example)}
    with keypact.connect("memory:") as backend:
        backend.call("CreateTable", Table("pk", "sk", {"pk": "S", "sk": "S"}).creation(NAME))
        for sort, size in sizes.items():
            item = {"pk": {"S": "a"}, "sk": {"S": sort}, "v": {"S": "x" * size}}
            backend.call("PutItem", {"TableName": NAME, "Item": item})
        request: Json = Question(None, ({"S": "a"},)).request(Table("pk", "sk", {}))
        pages: list[list[str]] = []
        while True:
            page = backend.call("Query", request)
            pages.append([item["sk"]["S"] for item in page["Items"]])
            if "LastEvaluatedKey" not in page:
                break
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    assert [sort for page in pages for sort in page] == sorted(sizes), example
    # Names and keys: "pk" + "a" + "sk" + "000" + "v".
    totals = [[sizes[sort] + 9 for sort in page] for page in pages]
    for total in totals[:-1]:
        assert sum(total) > PAGE_BYTES_MAX >= sum(total[:-1]), example
    assert sum(totals[-1]) <= PAGE_BYTES_MAX, example
