"""Consumed capacity: TOTAL and INDEXES, at the boundaries of units."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    BS,
    EMPTY,
    NULL,
    SS,
    TRUE,
    B,
    Case,
    Json,
    L,
    M,
    N,
    S,
    Source,
    any_order,
    at,
    including,
    on,
    page,
    put,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("capacity", "CapacityUnitCalculations")

A, B_ = {"pk": S("a")}, {"pk": S("b")}
TOTAL = {"ReturnConsumedCapacity": "TOTAL"}
INDEXES = {"ReturnConsumedCapacity": "INDEXES"}
NONE = {"ReturnConsumedCapacity": "NONE"}


def sized(size_bytes: int, key: str = "a", **more: Json) -> Json:
    """An item of exactly this size: two bytes and one of key, one of name, the rest of text."""
    return {"pk": S(key), "v": S("x" * (size_bytes - 3 - len(key))), **more}


def used(units: float, table: str = "@simple", **more: Any) -> Json:
    return {"ConsumedCapacity": {"TableName": table, "CapacityUnits": units, **more}}


def each(units: float, table: str = "@simple", **more: Any) -> list[Json]:
    return [{"TableName": table, "CapacityUnits": units, **more}]


def by_index(total: float, table_units: float, table: str, **indexes: dict[str, float]) -> Json:
    parts = {
        {"glob": "GlobalSecondaryIndexes", "loc": "LocalSecondaryIndexes"}[kind]: {
            name: {"CapacityUnits": units} for name, units in members.items()
        }
        for kind, members in indexes.items()
    }
    return used(total, table, Table={"CapacityUnits": table_units}, **parts)


def putting(
    name: str, item: Json, units: float, before: Json | None = None, source: str = ""
) -> Case:
    return case(
        f"put_{name}",
        ("PutItem", put("@simple", item, **TOTAL), used(units)),
        given=puts("@simple", before) if before else (),
        source=source,
    )


def getting(name: str, item: Json, units: float, **more: Any) -> Case:
    answer = {"Item": item, **used(units)}
    return case(
        f"get_{name}",
        ("GetItem", at("@simple", A, **TOTAL, **more), answer),
        given=puts("@simple", item),
    )


def fills(name: str, value: Json, value_bytes: int, source: str = "") -> Case:
    """A case: an attribute of this size beside text that makes 1,024 bytes, and one byte more."""
    rest = 1024 - 1 - value_bytes
    return case(
        f"size_of_{name}",
        ("PutItem", put("@simple", {**sized(rest), "w": value}, **TOTAL), used(1)),
        ("PutItem", put("@simple", {**sized(rest + 1, "b"), "w": value}, **TOTAL), used(2)),
        source=source,
    )


def query(**more: Any) -> Json:
    return {
        "TableName": "@sorted",
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": S("a")},
        **more,
    }


def row(sort: str, size_bytes: int) -> Json:
    return {"pk": S("a"), "sk": S(sort), "v": S("x" * (size_bytes - 7))}


ROWS = [row("1", 2000), row("2", 2000), row("3", 2000)]
HERE = puts("@sorted", *ROWS)


def reading(name: str, operation: str, request: Json, units: float, source: str = "") -> Case:
    return case(
        name,
        (operation, {**request, **TOTAL}, including(**used(units, "@sorted"))),
        given=HERE,
        source=source,
    )


G = {"g": S("g")}
LOCAL = {"pk": S("a"), "sk": S("1")}


def on_global(name: str, operation: str, request: Json, answer: Json, *before: Json) -> Case:
    return case(
        f"global_{name}",
        (operation, {"TableName": "@one_global", **request, **INDEXES}, answer),
        given=puts("@one_global", *before),
    )


def on_local(name: str, operation: str, request: Json, answer: Json, *before: Json) -> Case:
    return case(
        f"local_{name}",
        (operation, {"TableName": "@one_local", **request, **INDEXES}, answer),
        given=puts("@one_local", *before),
    )


def update(expression: str, **values: Json) -> Json:
    request: Json = {"Key": A, "UpdateExpression": expression}
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": v for name, v in values.items()}
    return request


def doubled(units: float, kind: str, table: str = "@simple", **more: Any) -> Json:
    return {"ConsumedCapacity": each(units, table, **{f"{kind}CapacityUnits": units}, **more)}


CASES = [
    # Writes: a unit a kilobyte
    putting("small", A, 1),
    putting("at_one_unit", sized(1024), 1),
    putting("above_one_unit", sized(1025), 2),
    putting("at_two_units", sized(2048), 2),
    putting("above_two_units", sized(2049), 3),
    putting("over_a_larger_item", A, 3, before=sized(2049)),
    putting("over_a_smaller_item", sized(2049), 3, before=A),
    case("put_none", ("PutItem", put("@simple", A, **NONE), EMPTY)),
    case("put_unasked", ("PutItem", put("@simple", A), EMPTY)),
    case(
        "put_indexes_without_any",
        ("PutItem", put("@simple", A, **INDEXES), used(1, Table={"CapacityUnits": 1})),
    ),
    case("delete_absent", ("DeleteItem", at("@simple", A, **TOTAL), used(1))),
    case(
        "delete_large",
        ("DeleteItem", at("@simple", A, **TOTAL), used(3)),
        given=puts("@simple", sized(2049)),
    ),
    case(
        "update_small",
        ("UpdateItem", {"TableName": "@simple", **update("SET w = :w", w=N(1)), **TOTAL}, used(1)),
    ),
    case(
        "update_of_a_large_item",
        ("UpdateItem", {"TableName": "@simple", **update("SET w = :w", w=N(1)), **TOTAL}, used(3)),
        given=puts("@simple", sized(2049)),
    ),
    case(
        "update_to_smaller",
        ("UpdateItem", {"TableName": "@simple", **update("REMOVE v"), **TOTAL}, used(3)),
        given=puts("@simple", sized(2049)),
    ),
    # Sizes of values
    fills("number", N(12345), 4),
    fills("number_of_two_digits", N(12), 2),
    fills("trailing_zeros", N(1200), 2),
    fills("boolean", TRUE, 1),
    fills("null", NULL, 1),
    fills("binary", B(b"\x00" * 7), 7),
    fills("two_byte_letters", S("\u00e9" * 5), 10),
    fills("four_byte_letters", S("\U0001f600" * 5), 20),
    fills("empty_list", L(), 3),
    fills("empty_map", M(), 3),
    fills("list", L(S("abc"), S("de")), 3 + 2 + 5),
    fills("map", M(k=S("abc"), kk=S("d")), 3 + 2 + 3 + 4),
    fills("string_set", SS("ab", "cde"), 5),
    fills("binary_set", BS(b"ab", b"cde"), 5),
    # Reads: half a unit for four kilobytes, a whole one when consistent
    getting("small", A, 0.5),
    getting("small_consistent", A, 1, ConsistentRead=True),
    getting("at_one_unit", sized(4096), 0.5),
    getting("above_one_unit", sized(4097), 1),
    getting("at_one_unit_consistent", sized(4096), 1, ConsistentRead=True),
    getting("above_one_unit_consistent", sized(4097), 2, ConsistentRead=True),
    case("get_absent", ("GetItem", at("@simple", A, **TOTAL), used(0.5))),
    case(
        "get_absent_consistent",
        ("GetItem", at("@simple", A, ConsistentRead=True, **TOTAL), used(1)),
    ),
    case(
        "get_counts_the_whole_item_under_a_projection",
        (
            "GetItem",
            at("@simple", A, ProjectionExpression="pk", **TOTAL),
            {"Item": A, **used(1)},
        ),
        given=puts("@simple", sized(4097)),
    ),
    case(
        "get_indexes",
        ("GetItem", at("@simple", A, **INDEXES), used(0.5, Table={"CapacityUnits": 0.5})),
    ),
    # Queries and scans round once
    reading("query_sums_before_rounding", "Query", query(), 1),
    reading("query_consistent", "Query", query(ConsistentRead=True), 2),
    reading("query_two_items", "Query", query(Limit=2), 0.5),
    reading("query_count", "Query", query(Select="COUNT"), 1),
    reading("query_projection", "Query", query(ProjectionExpression="sk"), 1),
    reading("query_filter", "Query", query(FilterExpression="attribute_exists(x)"), 1),
    reading("scan", "Scan", on("@sorted"), 1),
    reading("scan_consistent", "Scan", on("@sorted", ConsistentRead=True), 2),
    reading("scan_one", "Scan", on("@sorted", Limit=1), 0.5),
    case("query_nothing", ("Query", query(**TOTAL), {**page(), **used(0.5, "@sorted")})),
    case(
        "query_nothing_consistent",
        ("Query", query(ConsistentRead=True, **TOTAL), {**page(), **used(1, "@sorted")}),
    ),
    case(
        "query_indexes",
        (
            "Query",
            query(**INDEXES),
            {**page(), **used(0.5, "@sorted", Table={"CapacityUnits": 0.5})},
        ),
    ),
    # Batches round each item
    case(
        "batch_get",
        (
            "BatchGetItem",
            {"RequestItems": {"@simple": {"Keys": [A, B_, {"pk": S("absent")}]}}, **TOTAL},
            including(ConsumedCapacity=each(2)),
        ),
        given=puts("@simple", sized(4097), sized(100, "b")),
    ),
    case(
        "batch_get_consistent",
        (
            "BatchGetItem",
            {"RequestItems": {"@simple": {"Keys": [A, B_], "ConsistentRead": True}}, **TOTAL},
            including(ConsumedCapacity=each(3)),
        ),
        given=puts("@simple", sized(4097), sized(100, "b")),
    ),
    case(
        "batch_get_two_tables",
        (
            "BatchGetItem",
            {"RequestItems": {"@simple": {"Keys": [A]}, "@other": {"Keys": [A, B_]}}, **TOTAL},
            including(ConsumedCapacity=any_order(*each(0.5), *each(1, "@other"))),
        ),
    ),
    case(
        "batch_write",
        (
            "BatchWriteItem",
            {
                "RequestItems": {
                    "@simple": [
                        {"PutRequest": {"Item": sized(1025)}},
                        {"DeleteRequest": {"Key": B_}},
                        {"PutRequest": {"Item": {"pk": S("c")}}},
                    ]
                },
                **TOTAL,
            },
            including(ConsumedCapacity=each(4)),
        ),
    ),
    case(
        "batch_write_indexes",
        (
            "BatchWriteItem",
            {
                "RequestItems": {"@one_global": [{"PutRequest": {"Item": {**A, **G}}}]},
                **INDEXES,
            },
            including(
                ConsumedCapacity=each(
                    2,
                    "@one_global",
                    Table={"CapacityUnits": 1},
                    GlobalSecondaryIndexes={"by_g": {"CapacityUnits": 1}},
                )
            ),
        ),
    ),
    # Transactions cost double
    case(
        "transact_put",
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": put("@simple", A)}], **TOTAL},
            doubled(2, "Write"),
        ),
    ),
    case(
        "transact_put_large",
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": put("@simple", sized(1025))}], **TOTAL},
            doubled(4, "Write"),
        ),
    ),
    case(
        "transact_every_kind",
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": put("@simple", A)},
                    {"Delete": at("@simple", B_)},
                    {
                        "Update": at(
                            "@simple",
                            {"pk": S("c")},
                            UpdateExpression="SET v = :v",
                            ExpressionAttributeValues={":v": N(1)},
                        )
                    },
                    {
                        "ConditionCheck": at(
                            "@simple",
                            {"pk": S("d")},
                            ConditionExpression="attribute_not_exists(pk)",
                        )
                    },
                ],
                **TOTAL,
            },
            doubled(8, "Write"),
        ),
    ),
    case(
        "transact_two_tables",
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": put("@simple", A)}, {"Put": put("@other", A)}], **TOTAL},
            {
                "ConsumedCapacity": any_order(
                    *doubled(2, "Write")["ConsumedCapacity"],
                    *doubled(2, "Write", "@other")["ConsumedCapacity"],
                )
            },
        ),
    ),
    case(
        "transact_get",
        (
            "TransactGetItems",
            {
                "TransactItems": [{"Get": at("@simple", A)}, {"Get": at("@simple", B_)}],
                **TOTAL,
            },
            including(**doubled(6, "Read")),
        ),
        given=puts("@simple", sized(4097), sized(100, "b")),
    ),
    case(
        "transact_get_absent",
        (
            "TransactGetItems",
            {"TransactItems": [{"Get": at("@simple", A)}], **TOTAL},
            including(**doubled(2, "Read")),
        ),
    ),
    # Indexes
    on_global(
        "put_in_index",
        "PutItem",
        {"Item": {**A, **G}},
        by_index(2, 1, "@one_global", glob={"by_g": 1}),
    ),
    on_global("put_not_in_index", "PutItem", {"Item": A}, by_index(1, 1, "@one_global")),
    on_global(
        "put_large",
        "PutItem",
        {"Item": {**sized(1500), **G}},
        by_index(4, 2, "@one_global", glob={"by_g": 2}),
    ),
    on_global(
        "put_unchanged", "PutItem", {"Item": {**A, **G}}, by_index(1, 1, "@one_global"), {**A, **G}
    ),
    on_global(
        "put_with_another_index_key",
        "PutItem",
        {"Item": {**A, "g": S("h")}},
        by_index(3, 1, "@one_global", glob={"by_g": 2}),
        {**A, **G},
    ),
    on_global(
        "put_out_of_the_index",
        "PutItem",
        {"Item": A},
        by_index(2, 1, "@one_global", glob={"by_g": 1}),
        {**A, **G},
    ),
    on_global(
        "delete",
        "DeleteItem",
        {"Key": A},
        by_index(2, 1, "@one_global", glob={"by_g": 1}),
        {**A, **G},
    ),
    on_global("delete_not_in_index", "DeleteItem", {"Key": A}, by_index(1, 1, "@one_global"), A),
    on_global(
        "update_projected",
        "UpdateItem",
        update("SET w = :w", w=N(1)),
        by_index(2, 1, "@one_global", glob={"by_g": 1}),
        {**A, **G},
    ),
    on_global(
        "update_index_key",
        "UpdateItem",
        update("SET g = :g", g=S("h")),
        by_index(3, 1, "@one_global", glob={"by_g": 2}),
        {**A, **G},
    ),
    on_global(
        "query",
        "Query",
        {
            "IndexName": "by_g",
            "KeyConditionExpression": "g = :g",
            "ExpressionAttributeValues": {":g": S("g")},
        },
        {**page({**A, **G}), **by_index(0.5, 0, "@one_global", glob={"by_g": 0.5})},
        {**A, **G},
    ),
    on_global(
        "scan",
        "Scan",
        {"IndexName": "by_g"},
        {**page({**A, **G}), **by_index(0.5, 0, "@one_global", glob={"by_g": 0.5})},
        {**A, **G},
    ),
    case(
        "global_total",
        ("PutItem", put("@one_global", {**A, **G}, **TOTAL), used(2, "@one_global")),
    ),
    case(
        "global_keys_only_entry_is_small",
        (
            "PutItem",
            put(
                "@indexed",
                {"pk": S("a"), "sk": S("b"), "g": S("g"), "x": S("x" * 1500)},
                **INDEXES,
            ),
            used(
                4,
                "@indexed",
                Table={"CapacityUnits": 2},
                GlobalSecondaryIndexes={
                    "keys": {"CapacityUnits": 1},
                    "some": {"CapacityUnits": 1},
                },
            ),
        ),
    ),
    case(
        "global_update_of_attribute_not_projected",
        (
            "UpdateItem",
            at(
                "@indexed",
                {"pk": S("a"), "sk": S("b")},
                UpdateExpression="SET x = :x",
                ExpressionAttributeValues={":x": N(1)},
                **INDEXES,
            ),
            used(1, "@indexed", Table={"CapacityUnits": 1}),
        ),
        given=puts("@indexed", {"pk": S("a"), "sk": S("b"), "g": S("g")}),
    ),
    on_local(
        "put_in_index",
        "PutItem",
        {"Item": {**LOCAL, "l": S("l")}},
        by_index(2, 1, "@one_local", loc={"by_l": 1}),
    ),
    on_local("put_not_in_index", "PutItem", {"Item": LOCAL}, by_index(1, 1, "@one_local")),
    on_local(
        "query",
        "Query",
        {
            "IndexName": "by_l",
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": S("a")},
        },
        {**page({**LOCAL, "l": S("l")}), **by_index(0.5, 0, "@one_local", loc={"by_l": 0.5})},
        {**LOCAL, "l": S("l")},
    ),
    on_local(
        "query_consistent",
        "Query",
        {
            "IndexName": "by_l",
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": S("a")},
            "ConsistentRead": True,
        },
        {**page({**LOCAL, "l": S("l")}), **by_index(1, 0, "@one_local", loc={"by_l": 1})},
        {**LOCAL, "l": S("l")},
    ),
    case(
        "local_query_fetches_from_the_table",
        (
            "Query",
            on(
                "@indexed",
                IndexName="local_keys",
                KeyConditionExpression="pk = :p",
                ExpressionAttributeValues={":p": S("a")},
                Select="ALL_ATTRIBUTES",
                **INDEXES,
            ),
            including(
                Count=1,
                **used(
                    1,
                    "@indexed",
                    Table={"CapacityUnits": 0.5},
                    LocalSecondaryIndexes={"local_keys": {"CapacityUnits": 0.5}},
                ),
            ),
        ),
        given=puts("@indexed", {"pk": S("a"), "sk": S("b"), "l": S("l"), "c": N(1)}),
        source="LSI",
    ),
]


def test_capacity(tables: Tables, case: Case) -> None:
    """Consumed capacity is counted as DynamoDB counts it."""
    check(tables, case)
