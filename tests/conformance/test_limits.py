"""Limits: what is just allowed, and what is just too much."""

from __future__ import annotations

from string import ascii_lowercase
from typing import Any

from tests.conformance.cases import (
    ANYTHING,
    CONDITION_FAILED,
    EMPTY,
    INVALID,
    SS,
    B,
    Case,
    Json,
    L,
    M,
    N,
    S,
    Source,
    at,
    including,
    on,
    page,
    put,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("limits", "Constraints")

A = {"pk": S("a")}
ITEM_BYTES = 400 * 1024


def sized(size_bytes: int, key: str = "a") -> Json:
    return {"pk": S(key), "v": S("x" * (size_bytes - 3 - len(key)))}


def nested(levels: int) -> Json:
    """Lists inside each other, this many."""
    value = L()
    for _ in range(levels - 1):
        value = L(value)
    return value


def nested_maps(levels: int) -> Json:
    value = M()
    for _ in range(levels - 1):
        value = M(m=value)
    return value


def takes(name: str, item: Json, table: str = "@simple", source: str = "") -> Case:
    return case(name, ("PutItem", put(table, item), EMPTY), source=source)


def refuses(name: str, item: Json, table: str = "@simple", source: str = "") -> Case:
    return case(name, ("PutItem", put(table, item), INVALID), source=source)


def row(sort: int, size_bytes: int) -> Json:
    return {"pk": S("a"), "sk": S(f"{sort:03}"), "v": S("x" * (size_bytes - 9))}


TWELVE = [row(sort, 100_000) for sort in range(12)]
QUERY = {
    "TableName": "@sorted",
    "KeyConditionExpression": "pk = :p",
    "ExpressionAttributeValues": {":p": S("a")},
    "ProjectionExpression": "sk",
}


def condition(expression: str, count: int = 1, **more: Any) -> Json:
    values = {f":v{n}": N(n) for n in range(count)}
    return put(
        "@simple", A, ConditionExpression=expression, ExpressionAttributeValues=values, **more
    )


def additions(count: int) -> Json:
    """An update with this many operators."""
    names = [f"{first}{second}x" for first in ascii_lowercase for second in ascii_lowercase]
    expression = "SET " + ",".join(f"{name}=:v+:v" for name in names[:count])
    return at(
        "@simple",
        A,
        UpdateExpression=expression,
        ExpressionAttributeValues={":v": N(1)},
    )


CASES = [
    # Items
    takes("item_largest", sized(ITEM_BYTES)),
    refuses("item_too_large", sized(ITEM_BYTES + 1)),
    takes("item_largest_counts_names", {**A, "n" * 1000: S("x" * (ITEM_BYTES - 1003))}),
    refuses("item_too_large_by_its_name", {**A, "n" * 1000: S("x" * (ITEM_BYTES - 1002))}),
    refuses("item_too_large_in_utf8", {**A, "v": S("\u00e9" * (ITEM_BYTES // 2))}),
    case(
        "update_beyond_item_size",
        (
            "UpdateItem",
            at(
                "@simple",
                A,
                UpdateExpression="SET w = :w",
                ExpressionAttributeValues={":w": S("x" * 1000)},
            ),
            INVALID,
        ),
        ("GetItem", at("@simple", A, ProjectionExpression="pk, w"), {"Item": A}),
        given=puts("@simple", sized(ITEM_BYTES - 500)),
    ),
    # Keys
    takes("partition_key_longest", {"pk": S("k" * 2048)}),
    refuses("partition_key_too_long", {"pk": S("k" * 2049)}),
    takes("partition_key_longest_binary", {"pk": B(b"k" * 2048)}, "@binary_pk"),
    refuses("partition_key_too_long_binary", {"pk": B(b"k" * 2049)}, "@binary_pk"),
    takes("partition_key_longest_in_utf8", {"pk": S("\u00e9" * 1024)}),
    refuses("partition_key_too_long_in_utf8", {"pk": S("\u00e9" * 1025)}),
    takes("sort_key_longest", {**A, "sk": S("k" * 1024)}, "@sorted"),
    refuses("sort_key_too_long", {**A, "sk": S("k" * 1025)}, "@sorted"),
    takes("index_partition_key_longest", {**A, "g": S("k" * 2048)}, "@one_global"),
    refuses("index_partition_key_too_long", {**A, "g": S("k" * 2049)}, "@one_global"),
    takes("index_sort_key_longest", {**A, "sk": S("1"), "l": S("k" * 1024)}, "@one_local"),
    refuses("index_sort_key_too_long", {**A, "sk": S("1"), "l": S("k" * 1025)}, "@one_local"),
    case("get_with_key_too_long", ("GetItem", at("@simple", {"pk": S("k" * 2049)}), INVALID)),
    case(
        "query_with_key_too_long",
        (
            "Query",
            {**QUERY, "ExpressionAttributeValues": {":p": S("k" * 2049)}},
            INVALID,
        ),
        source="service",
    ),
    # Nesting
    takes("nesting_deepest", {**A, "v": nested(31)}, source="majority"),
    refuses("nesting_too_deep", {**A, "v": nested(34)}),
    takes("nesting_deepest_maps", {**A, "v": nested_maps(31)}, source="majority"),
    refuses("nesting_too_deep_maps", {**A, "v": nested_maps(34)}),
    # Names
    takes("attribute_name_long", {**A, "n" * 255: N(1)}),
    takes("attribute_name_longest", {**A, "n" * 65535: N(1)}),
    refuses("attribute_name_too_long", {**A, "n" * 65536: N(1)}, source="botocore model"),
    # Pages of a megabyte. The item that crosses the limit is still in the page: a full page
    # is reported to cost 128.5 units, and a megabyte is 128. The documentation can be read
    # both ways, and three witnesses of four stop before that item.
    case(
        "query_page",
        (
            "Query",
            QUERY,
            page(
                *({"sk": row["sk"]} for row in TWELVE[:11]),
                LastEvaluatedKey={"pk": S("a"), "sk": S("010")},
            ),
        ),
        (
            "Query",
            {**QUERY, "ExclusiveStartKey": {"pk": S("a"), "sk": S("010")}},
            page({"sk": S("011")}),
        ),
        given=puts("@sorted", *TWELVE),
        source="service",
    ),
    case(
        "query_page_is_counted_before_the_filter",
        (
            "Query",
            {**QUERY, "FilterExpression": "attribute_not_exists(v)"},
            page(scanned=11, LastEvaluatedKey={"pk": S("a"), "sk": S("010")}),
        ),
        given=puts("@sorted", *TWELVE),
        source="service",
    ),
    case(
        "scan_page",
        (
            "Scan",
            on("@sorted", ProjectionExpression="sk"),
            page(
                *({"sk": row["sk"]} for row in TWELVE[:11]),
                LastEvaluatedKey={"pk": S("a"), "sk": S("010")},
            ),
        ),
        given=puts("@sorted", *TWELVE),
        source="service",
    ),
    case(
        "query_page_backward",
        (
            "Query",
            {**QUERY, "ScanIndexForward": False},
            page(
                *({"sk": row["sk"]} for row in TWELVE[:0:-1]),
                LastEvaluatedKey={"pk": S("a"), "sk": S("001")},
            ),
        ),
        given=puts("@sorted", *TWELVE),
        source="service",
    ),
    case(
        "batch_get_sixteen_megabytes",
        (
            "BatchGetItem",
            {"RequestItems": {"@simple": {"Keys": [{"pk": S(str(n))} for n in range(10, 53)]}}},
            including(UnprocessedKeys=including(**{"@simple": ANYTHING})),
        ),
        given=puts("@simple", *(sized(ITEM_BYTES, str(n)) for n in range(10, 53))),
        source="API_BatchGetItem",
    ),
    # Expressions
    case(
        "in_a_hundred",
        (
            "PutItem",
            condition(f"n IN ({', '.join(f':v{n}' for n in range(100))})", 100),
            CONDITION_FAILED,
        ),
    ),
    case(
        "in_more_than_a_hundred",
        ("PutItem", condition(f"n IN ({', '.join(f':v{n}' for n in range(101))})", 101), INVALID),
    ),
    case("operators_300", ("UpdateItem", additions(300), EMPTY)),
    case("operators_too_many", ("UpdateItem", additions(301), INVALID)),
    case("expression_longest", ("PutItem", condition("n <> :v0" + " " * (4096 - 8)), EMPTY)),
    case("expression_too_long", ("PutItem", condition("n <> :v0" + " " * (4097 - 8)), INVALID)),
    case(
        "path_too_deep",
        ("PutItem", condition(".".join(["n"] * 33) + " <> :v0"), INVALID),
        source="service",
    ),
    case(
        "parentheses_deep",
        ("PutItem", condition("NOT (" * 100 + "n = :v0" + ")" * 100), CONDITION_FAILED),
        source="majority",
    ),
    case(
        "parentheses_too_deep",
        ("PutItem", condition("(" * 1500 + "n = :v0" + ")" * 1500), INVALID),
    ),
    case(
        "placeholder_longest",
        (
            "PutItem",
            put(
                "@simple",
                A,
                ConditionExpression=f"attribute_not_exists(#{'n' * 254})",
                ExpressionAttributeNames={f"#{'n' * 254}": "n"},
            ),
            EMPTY,
        ),
    ),
    case(
        "placeholder_too_long",
        (
            "PutItem",
            put(
                "@simple",
                A,
                ConditionExpression=f"attribute_not_exists(#{'n' * 255})",
                ExpressionAttributeNames={f"#{'n' * 255}": "n"},
            ),
            INVALID,
        ),
    ),
    case(
        "set_of_many",
        (
            "PutItem",
            put("@simple", {**A, "s": SS(*(str(n) for n in range(1000)))}),
            EMPTY,
        ),
    ),
]


def test_limits(tables: Tables, case: Case) -> None:
    """A limit stands where DynamoDB's stands."""
    check(tables, case)
