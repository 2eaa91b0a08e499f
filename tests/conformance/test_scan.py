"""Scan."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    ANYTHING,
    INVALID,
    NOT_FOUND,
    Case,
    Json,
    N,
    S,
    Source,
    heap,
    including,
    on,
    page,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("scan", "API_Scan")

ROWS = [
    {"pk": S(partition), "sk": S(sort), "v": N(number)}
    for number, (partition, sort) in enumerate((("a", "1"), ("a", "2"), ("b", "1"), ("c", "9")))
]
HERE = puts("@sorted", *ROWS)
ONE = puts("@sorted", ROWS[0])
KEY = {"pk": S("a"), "sk": S("1")}


def scan(**more: Any) -> Json:
    return {"TableName": "@sorted", **more}


def asks(
    name: str,
    expected: Any,
    given: list[tuple[str, Json]] = HERE,
    source: str = "",
    **more: Any,
) -> Case:
    return case(name, ("Scan", scan(**more), expected), given=given, source=source)


CASES = [
    asks("everything", heap(*ROWS)),
    asks("empty_table", heap(), given=[]),
    asks("consistent", heap(*ROWS), ConsistentRead=True),
    asks("partition_in_order", page(*ROWS[:2]), given=puts("@sorted", ROWS[1], ROWS[0])),
    asks(
        "filter",
        heap(ROWS[2], ROWS[3], scanned=4),
        FilterExpression="v > :v",
        ExpressionAttributeValues={":v": N(1)},
    ),
    asks(
        "filter_on_keys",
        heap(ROWS[0], ROWS[1], scanned=4),
        FilterExpression="pk = :p",
        ExpressionAttributeValues={":p": S("a")},
    ),
    asks("filter_to_nothing", heap(scanned=4), FilterExpression="attribute_exists(x)"),
    asks("projection", heap(*({"v": row["v"]} for row in ROWS)), ProjectionExpression="v"),
    asks("count", {"Count": 4, "ScannedCount": 4}, Select="COUNT"),
    asks(
        "count_of_filtered",
        {"Count": 1, "ScannedCount": 4},
        Select="COUNT",
        FilterExpression="v = :v",
        ExpressionAttributeValues={":v": N(1)},
    ),
    # Pages
    asks("limit", page(ROWS[0], LastEvaluatedKey=KEY), given=ONE, Limit=1),
    asks("limit_beyond", page(ROWS[0]), given=ONE, Limit=2),
    asks("limit_zero", INVALID, Limit=0),
    asks("limit_of_all_still_has_a_next_page", including(LastEvaluatedKey=ANYTHING), Limit=4),
    asks(
        "limit_and_filter",
        page(scanned=1, LastEvaluatedKey=KEY),
        given=ONE,
        Limit=1,
        FilterExpression="attribute_exists(x)",
    ),
    asks("start_at_the_end", page(), given=ONE, ExclusiveStartKey=KEY),
    asks(
        "start_at_an_absent_item",
        page(ROWS[1]),
        given=puts("@sorted", ROWS[1]),
        ExclusiveStartKey=KEY,
    ),
    asks("start_without_sort_key", INVALID, ExclusiveStartKey={"pk": S("a")}),
    asks("start_with_another_attribute", INVALID, ExclusiveStartKey={**KEY, "v": N(1)}),
    asks("start_of_wrong_type", INVALID, ExclusiveStartKey={"pk": S("a"), "sk": N(1)}),
    asks("start_empty", INVALID, ExclusiveStartKey={}),
    # Select
    asks("select_all", heap(*ROWS), Select="ALL_ATTRIBUTES"),
    asks("select_specific_without_projection", INVALID, Select="SPECIFIC_ATTRIBUTES"),
    asks("select_all_with_projection", INVALID, Select="ALL_ATTRIBUTES", ProjectionExpression="v"),
    asks("select_count_with_projection", INVALID, Select="COUNT", ProjectionExpression="v"),
    asks("select_projected_on_a_table", INVALID, Select="ALL_PROJECTED_ATTRIBUTES"),
    asks("select_unknown", INVALID, Select="NONE"),
    # Segments
    asks("one_segment", heap(*ROWS), Segment=0, TotalSegments=1),
    asks("segment_without_total", INVALID, Segment=0),
    asks("total_without_segment", INVALID, TotalSegments=2),
    asks("segment_not_below_total", INVALID, Segment=2, TotalSegments=2),
    asks("segment_negative", INVALID, Segment=-1, TotalSegments=2),
    asks("total_zero", INVALID, Segment=0, TotalSegments=0),
    asks("total_too_many", INVALID, Segment=0, TotalSegments=1_000_001),
    asks("last_of_a_million_segments", ANYTHING, Segment=999_999, TotalSegments=1_000_000),
    # Members
    case("no_such_table", ("Scan", on("@new"), NOT_FOUND)),
    case("no_table_name", ("Scan", {}, INVALID)),
    asks("no_such_index", INVALID, IndexName="nowhere"),
    asks("filter_empty", INVALID, FilterExpression=""),
    asks("values_without_expression", INVALID, ExpressionAttributeValues={":v": N(1)}),
    asks("names_without_expression", INVALID, ExpressionAttributeNames={"#v": "v"}),
    asks(
        "unused_value",
        INVALID,
        FilterExpression="attribute_exists(v)",
        ExpressionAttributeValues={":v": N(1)},
    ),
    asks(
        "key_condition_is_not_a_member",
        heap(*ROWS),
        KeyConditionExpression="pk = :p",
        source="botocore model",
    ),
    asks("bad_return_consumed_capacity", INVALID, ReturnConsumedCapacity="YES"),
]


def test_scan(tables: Tables, case: Case) -> None:
    """Scan answers as DynamoDB does."""
    check(tables, case)
