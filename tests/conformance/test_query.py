"""Query, but for its key conditions."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    FALSE,
    INVALID,
    NOT_FOUND,
    NOT_SERIALIZED,
    TRUE,
    Case,
    Json,
    N,
    S,
    Source,
    page,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("query", "API_Query")

ROWS = [
    {"pk": S("a"), "sk": S(str(sort)), "v": N(sort), "even": TRUE if sort % 2 == 0 else FALSE}
    for sort in range(1, 6)
]
KEYS = [{"pk": row["pk"], "sk": row["sk"]} for row in ROWS]
HERE = puts("@sorted", *ROWS, {"pk": S("b"), "sk": S("1"), "v": N(100)})


def query(**more: Any) -> Json:
    request: Json = {
        "TableName": "@sorted",
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": S("a"), **more.pop("values", {})},
        **more,
    }
    return {name: member for name, member in request.items() if member is not None}


def asks(name: str, expected: Any, source: str = "", **more: Any) -> Case:
    return case(name, ("Query", query(**more), expected), given=HERE, source=source)


CASES = [
    asks("partition", page(*ROWS)),
    asks("forward", page(*ROWS), ScanIndexForward=True),
    asks("backward", page(*reversed(ROWS)), ScanIndexForward=False),
    asks("consistent", page(*ROWS), ConsistentRead=True),
    asks("empty_partition", page(), values={":p": S("z")}),
    # Pages
    asks("limit", page(*ROWS[:2], LastEvaluatedKey=KEYS[1]), Limit=2),
    asks(
        "limit_backward",
        page(*ROWS[:2:-1], LastEvaluatedKey=KEYS[3]),
        Limit=2,
        ScanIndexForward=False,
    ),
    asks("limit_of_all_still_has_a_next_page", page(*ROWS, LastEvaluatedKey=KEYS[4]), Limit=5),
    asks("limit_beyond", page(*ROWS), Limit=6),
    asks("limit_zero", INVALID, Limit=0),
    asks("limit_negative", INVALID, Limit=-1),
    asks("limit_text", NOT_SERIALIZED, Limit="two"),
    asks("start", page(*ROWS[2:]), ExclusiveStartKey=KEYS[1]),
    asks("start_backward", page(ROWS[0]), ExclusiveStartKey=KEYS[1], ScanIndexForward=False),
    asks("start_at_the_end", page(), ExclusiveStartKey=KEYS[4]),
    asks(
        "start_at_an_absent_item", page(*ROWS[2:]), ExclusiveStartKey={"pk": S("a"), "sk": S("2x")}
    ),
    asks(
        "start_and_limit",
        page(*ROWS[2:4], LastEvaluatedKey=KEYS[3]),
        ExclusiveStartKey=KEYS[1],
        Limit=2,
    ),
    asks("start_of_another_partition", INVALID, ExclusiveStartKey={"pk": S("b"), "sk": S("1")}),
    asks("start_without_sort_key", INVALID, ExclusiveStartKey={"pk": S("a")}),
    asks("start_with_another_attribute", INVALID, ExclusiveStartKey={**KEYS[1], "v": N(1)}),
    asks("start_of_wrong_type", INVALID, ExclusiveStartKey={"pk": S("a"), "sk": N(1)}),
    asks("start_empty", INVALID, ExclusiveStartKey={}),
    asks("start_without_a_type", INVALID, ExclusiveStartKey={"pk": S("a"), "sk": {}}),
    asks(
        "start_outside_the_range",
        INVALID,
        KeyConditionExpression="pk = :p AND sk > :s",
        values={":s": S("3")},
        ExclusiveStartKey=KEYS[0],
    ),
    asks(
        "start_inside_the_range",
        page(ROWS[4]),
        KeyConditionExpression="pk = :p AND sk > :s",
        values={":s": S("3")},
        ExclusiveStartKey=KEYS[3],
    ),
    # Filters
    asks(
        "filter",
        page(ROWS[1], ROWS[3], scanned=5),
        FilterExpression="even = :t",
        values={":t": TRUE},
    ),
    asks("filter_nothing", page(scanned=5), FilterExpression="v > :v", values={":v": N(50)}),
    asks(
        "filter_after_limit",
        page(ROWS[1], scanned=3, LastEvaluatedKey=KEYS[2]),
        FilterExpression="even = :t",
        values={":t": TRUE},
        Limit=3,
    ),
    asks(
        "filter_leaves_an_empty_page",
        page(scanned=1, LastEvaluatedKey=KEYS[0]),
        FilterExpression="even = :t",
        values={":t": TRUE},
        Limit=1,
    ),
    asks("filter_on_the_partition_key", INVALID, FilterExpression="pk = :p"),
    asks("filter_on_the_sort_key", INVALID, FilterExpression="sk > :s", values={":s": S("3")}),
    asks("filter_on_the_sort_key_in_a_function", INVALID, FilterExpression="attribute_exists(sk)"),
    asks("filter_empty", INVALID, FilterExpression=""),
    # Projections and Select
    asks("projection", page(*({"v": row["v"]} for row in ROWS)), ProjectionExpression="v"),
    asks("projection_of_absent", page({}, {}, {}, {}, {}), ProjectionExpression="absent"),
    asks(
        "projection_and_filter",
        page(KEYS[1], KEYS[3], scanned=5),
        ProjectionExpression="pk, sk",
        FilterExpression="even = :t",
        values={":t": TRUE},
    ),
    asks(
        "projection_and_limit",
        page({"v": N(1)}, LastEvaluatedKey=KEYS[0]),
        ProjectionExpression="v",
        Limit=1,
    ),
    asks("select_all", page(*ROWS), Select="ALL_ATTRIBUTES"),
    asks("select_count", {"Count": 5, "ScannedCount": 5}, Select="COUNT"),
    asks(
        "select_count_of_filtered",
        {"Count": 2, "ScannedCount": 5},
        Select="COUNT",
        FilterExpression="even = :t",
        values={":t": TRUE},
    ),
    asks(
        "select_count_and_limit",
        {"Count": 2, "ScannedCount": 2, "LastEvaluatedKey": KEYS[1]},
        Select="COUNT",
        Limit=2,
    ),
    asks(
        "select_specific",
        page(*({"v": row["v"]} for row in ROWS)),
        Select="SPECIFIC_ATTRIBUTES",
        ProjectionExpression="v",
    ),
    asks("select_specific_without_projection", INVALID, Select="SPECIFIC_ATTRIBUTES"),
    asks("select_all_with_projection", INVALID, Select="ALL_ATTRIBUTES", ProjectionExpression="v"),
    asks("select_count_with_projection", INVALID, Select="COUNT", ProjectionExpression="v"),
    asks("select_projected_on_a_table", INVALID, Select="ALL_PROJECTED_ATTRIBUTES"),
    asks("select_unknown", INVALID, Select="EVERYTHING"),
    # Members
    case("no_such_table", ("Query", query(TableName="@new"), NOT_FOUND)),
    asks("no_table_name", INVALID, TableName=None),
    asks("no_key_condition", INVALID, KeyConditionExpression=None, ExpressionAttributeValues=None),
    asks("no_such_index", INVALID, IndexName="nowhere"),
    asks("index_name_too_short", INVALID, IndexName="a"),
    asks("unused_value", INVALID, values={":unused": N(1)}),
    asks("unused_name", INVALID, ExpressionAttributeNames={"#unused": "v"}),
    asks(
        "names_shared_by_expressions",
        page({"v": N(2)}, scanned=1),
        KeyConditionExpression="#p = :p AND #s = :two",
        FilterExpression="#v = :n",
        ProjectionExpression="#v",
        ExpressionAttributeNames={"#p": "pk", "#s": "sk", "#v": "v"},
        values={":two": S("2"), ":n": N(2)},
    ),
    asks("bad_return_consumed_capacity", INVALID, ReturnConsumedCapacity="YES"),
]


def test_query(tables: Tables, case: Case) -> None:
    """Query answers as DynamoDB does."""
    check(tables, case)
