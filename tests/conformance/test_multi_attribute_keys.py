"""Global indexes whose keys have several attributes."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    ANYTHING,
    EMPTY,
    INVALID,
    Case,
    Json,
    N,
    S,
    Source,
    at,
    heap,
    including,
    on,
    page,
    put,
    puts,
)
from tests.conformance.check import Tables, check
from tests.conformance.shapes import definitions, index, keys

case = Source("multi_attribute_keys", "GSI.DesignPattern.MultiAttributeKeys")

SCHEMA = [
    {"AttributeName": "a", "KeyType": "HASH"},
    {"AttributeName": "b", "KeyType": "HASH"},
    {"AttributeName": "c", "KeyType": "RANGE"},
    {"AttributeName": "d", "KeyType": "RANGE"},
]
TYPES = definitions(pk="S", a="S", b="S", c="N", d="S")


def create(schema: list[Json] = SCHEMA, types: list[Json] = TYPES) -> tuple[str, Json]:
    return (
        "CreateTable",
        {
            "TableName": "@new",
            "KeySchema": keys("pk"),
            "AttributeDefinitions": types,
            "BillingMode": "PAY_PER_REQUEST",
            "GlobalSecondaryIndexes": [index("several", schema)],
        },
    )


def item(key: str, c: int, d: str, a: str = "A", b: str = "B") -> Json:
    return {"pk": S(key), "a": S(a), "b": S(b), "c": N(c), "d": S(d)}


# In the order of the index: c by value, then d.
ROWS = [item("4", -2, "z"), item("1", 2, "x"), item("3", 2, "y"), item("2", 10, "a")]
OTHERS = [
    item("5", 1, "x", b="C"),
    item("6", 1, "x", a="AB", b="X"),
    # These lack a part of the key, so they are not in the index.
    {"pk": S("7"), "a": S("A"), "b": S("B"), "c": N(1)},
    {"pk": S("8"), "a": S("A"), "c": N(1), "d": S("x")},
]
HERE = [create(), *puts("@new", *ROWS, *OTHERS)]


def asks(name: str, condition: str, expected: Any, **more: Any) -> Case:
    values = {":a": S("A"), ":b": S("B"), ":c": N(2), ":d": S("x"), ":e": S("y")}
    used = {value: values[value] for value in values if value in condition}
    request = on(
        "@new",
        IndexName="several",
        KeyConditionExpression=condition,
        ExpressionAttributeValues=used,
        **more,
    )
    return case(name, ("Query", request, expected), given=HERE)


BOTH = "a = :a AND b = :b"


def definition(count: int, kind: str) -> list[Json]:
    return [{"AttributeName": f"{kind[0].lower()}{n}", "KeyType": kind} for n in range(count)]


def typed(schema: list[Json]) -> list[Json]:
    return definitions(pk="S", **{key["AttributeName"]: "S" for key in schema})


FOUR = definition(4, "HASH") + definition(4, "RANGE")
FIVE_PARTITION = definition(5, "HASH")
FIVE_SORT = definition(1, "HASH") + definition(5, "RANGE")

CASES = [
    asks("partition", BOTH, page(*ROWS)),
    asks("partition_in_another_order", "b = :b AND a = :a", page(*ROWS)),
    asks("backward", BOTH, page(*reversed(ROWS)), ScanIndexForward=False),
    asks("first_sort_attribute", f"{BOTH} AND c = :c", page(ROWS[1], ROWS[2])),
    asks("first_sort_attribute_range", f"{BOTH} AND c > :c", page(ROWS[3])),
    asks("both_sort_attributes", f"{BOTH} AND c = :c AND d = :d", page(ROWS[1])),
    asks("second_sort_attribute_range", f"{BOTH} AND c = :c AND d > :d", page(ROWS[2])),
    asks(
        "second_sort_attribute_begins", f"{BOTH} AND c = :c AND begins_with(d, :e)", page(ROWS[2])
    ),
    asks(
        "second_sort_attribute_between",
        f"{BOTH} AND c = :c AND d BETWEEN :d AND :e",
        page(ROWS[1], ROWS[2]),
    ),
    asks("limit", BOTH, page(ROWS[0], LastEvaluatedKey=ROWS[0]), Limit=1),
    asks("start", BOTH, page(*ROWS[2:]), ExclusiveStartKey=ROWS[1]),
    # Refused
    asks("partition_attribute_left_out", "a = :a", INVALID),
    asks("other_partition_attribute_left_out", "b = :b", INVALID),
    asks("partition_attribute_range", "a = :a AND b > :b", INVALID),
    asks("sort_attribute_skipped", f"{BOTH} AND d = :d", INVALID),
    asks("range_before_the_last", f"{BOTH} AND c > :c AND d = :d", INVALID),
    asks(
        "start_without_a_part",
        BOTH,
        INVALID,
        ExclusiveStartKey={"pk": S("1"), "a": S("A"), "b": S("B"), "c": N(2)},
    ),
    asks("filter_on_a_part", BOTH, INVALID, FilterExpression="c = :c"),
    case(
        "scan_leaves_out_what_lacks_a_part",
        ("Scan", on("@new", IndexName="several"), heap(*ROWS, *OTHERS[:2])),
        given=HERE,
    ),
    case(
        "part_of_wrong_type",
        ("PutItem", put("@new", {**ROWS[0], "c": S("2")}), INVALID),
        given=[create()],
    ),
    case(
        "part_removed",
        (
            "UpdateItem",
            at("@new", {"pk": S("1")}, UpdateExpression="REMOVE d"),
            EMPTY,
        ),
        ("Scan", on("@new", IndexName="several"), heap()),
        given=[create(), *puts("@new", ROWS[1])],
    ),
    case(
        "described",
        (
            "DescribeTable",
            on("@new"),
            including(Table=including(GlobalSecondaryIndexes=[including(KeySchema=SCHEMA)])),
        ),
        given=[create()],
    ),
    case("four_and_four", (*create(FOUR, typed(FOUR)), including(TableDescription=ANYTHING))),
    case("five_partition_attributes", (*create(FIVE_PARTITION, typed(FIVE_PARTITION)), INVALID)),
    case("five_sort_attributes", (*create(FIVE_SORT, typed(FIVE_SORT)), INVALID)),
    case(
        "same_attribute_twice",
        (
            *create(
                [*SCHEMA[:2], SCHEMA[2], {**SCHEMA[2], "AttributeName": "a"}], typed(SCHEMA[:3])
            ),
            INVALID,
        ),
    ),
    case(
        "sort_before_partition",
        (
            *create([SCHEMA[0], SCHEMA[2], SCHEMA[1]], definitions(pk="S", a="S", b="S", c="N")),
            INVALID,
        ),
    ),
]


def test_multi_attribute_keys(tables: Tables, case: Case) -> None:
    """A key of several attributes is compared as DynamoDB compares it."""
    check(tables, case)
