"""Secondary indexes: every projection, sparse, of both kinds."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    INVALID,
    NULL,
    Case,
    Json,
    N,
    S,
    Source,
    at,
    cancelled,
    heap,
    on,
    page,
    put,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("indexes", "SecondaryIndexes")


def item(sort: str, **more: Json) -> Json:
    return {"pk": S("p"), "sk": S(sort), **more}


ONE = item("1", g=S("x"), h=N(2), l=S("b"), a=S("a1"), b=S("b1"), c=S("c1"))
TWO = item("2", g=S("x"), h=N(1), l=S("a"), a=S("a2"), c=S("c2"))
SPARSE = item("3", a=S("a3"))
ONLY_G = item("4", g=S("x"), a=S("a4"))
FAR = {"pk": S("q"), "sk": S("1"), "g": S("y"), "h": N(1), "l": S("z")}
ALL = [ONE, TWO, SPARSE, ONLY_G, FAR]
HERE = puts("@indexed", *ALL)


def only(item: Json, *names: str) -> Json:
    return {name: item[name] for name in names if name in item}


def query(index: str, partition: Json | None = None, **more: Any) -> Json:
    attribute, value = ("pk", S("p")) if index.startswith("local") else ("g", S("x"))
    return {
        "TableName": "@indexed",
        "IndexName": index,
        "KeyConditionExpression": f"{attribute} = :p",
        **more,
        "ExpressionAttributeValues": {":p": partition or value, **more.pop("values", {})},
    }


def asks(
    name: str,
    index: str,
    expected: Any,
    given: list[tuple[str, Json]] = HERE,
    source: str = "",
    **more: Any,
) -> Case:
    return case(name, ("Query", query(index, **more), expected), given=given, source=source)


def scans(name: str, index: str, expected: Any, source: str = "", **more: Any) -> Case:
    request = on("@indexed", IndexName=index, **more)
    return case(name, ("Scan", request, expected), given=HERE, source=source)


def after(name: str, index: str, expected: Any, *changes: tuple[str, Json]) -> Case:
    """A case: what the index returns after changes to ONE and TWO."""
    return asks(name, index, expected, given=[*puts("@indexed", ONE, TWO), *changes])


KEY_1 = only(ONE, "pk", "sk")
KEY_2 = only(TWO, "pk", "sk")


def change(key: Json, expression: str, **values: Json) -> tuple[str, Json]:
    request = at("@indexed", key, UpdateExpression=expression)
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": v for name, v in values.items()}
    return ("UpdateItem", request)


GLOBAL_KEYS = ("pk", "sk", "g")
LOCAL_KEYS = ("pk", "sk", "l")

CASES = [
    # What is in each index
    asks("global_all", "all", page(TWO, ONE)),
    asks("global_keys", "keys", heap(*(only(one, *GLOBAL_KEYS) for one in (ONE, TWO, ONLY_G)))),
    asks(
        "global_some",
        "some",
        page(*(only(one, *GLOBAL_KEYS, "a", "b") for one in (ONE, TWO, ONLY_G))),
    ),
    asks("local_all", "local_all", page(TWO, ONE)),
    asks("local_keys", "local_keys", page(only(TWO, *LOCAL_KEYS), only(ONE, *LOCAL_KEYS))),
    asks(
        "local_some",
        "local_some",
        page(only(TWO, *LOCAL_KEYS, "a"), only(ONE, *LOCAL_KEYS, "a", "b")),
    ),
    asks("global_other_partition", "all", page(FAR), partition=S("y")),
    asks("global_empty_partition", "all", page(), partition=S("none")),
    asks("global_backward", "all", page(ONE, TWO), ScanIndexForward=False),
    asks("local_backward", "local_all", page(ONE, TWO), ScanIndexForward=False),
    asks(
        "global_range",
        "all",
        page(ONE),
        KeyConditionExpression="g = :p AND h > :h",
        values={":h": N(1)},
    ),
    asks(
        "local_range",
        "local_all",
        page(ONE),
        KeyConditionExpression="pk = :p AND begins_with(l, :l)",
        values={":l": S("b")},
    ),
    scans("scan_global_all", "all", heap(ONE, TWO, FAR)),
    scans(
        "scan_global_keys",
        "keys",
        heap(*(only(one, *GLOBAL_KEYS) for one in (ONE, TWO, ONLY_G, FAR))),
    ),
    scans(
        "scan_global_some",
        "some",
        heap(*(only(one, *GLOBAL_KEYS, "a", "b") for one in (ONE, TWO, ONLY_G, FAR))),
    ),
    scans("scan_local_all", "local_all", heap(ONE, TWO, FAR)),
    scans(
        "scan_local_keys", "local_keys", heap(*(only(one, *LOCAL_KEYS) for one in (ONE, TWO, FAR)))
    ),
    scans("scan_count", "all", {"Count": 3, "ScannedCount": 3}, Select="COUNT"),
    scans(
        "scan_filter",
        "all",
        heap(ONE, TWO, scanned=3),
        FilterExpression="g = :g",
        ExpressionAttributeValues={":g": S("x")},
    ),
    # Changes reach the index
    after("deleted", "all", page(TWO), ("DeleteItem", at("@indexed", KEY_1))),
    after("replaced_without_key", "all", page(TWO), ("PutItem", put("@indexed", KEY_1))),
    after(
        "moved",
        "all",
        page({**ONE, "h": N(0)}, TWO),
        change(KEY_1, "SET h = :h", h=N(0)),
    ),
    after("moved_away", "all", page(TWO), change(KEY_1, "SET g = :g", g=S("other"))),
    after("key_removed", "all", page(TWO), change(KEY_1, "REMOVE g")),
    after("sort_key_removed", "all", page(TWO), change(KEY_1, "REMOVE h")),
    after("local_key_removed", "local_all", page(TWO), change(KEY_1, "REMOVE l")),
    after(
        "local_moved",
        "local_all",
        page({**ONE, "l": S("A")}, TWO),
        change(KEY_1, "SET l = :l", l=S("A")),
    ),
    after(
        "attribute_changed",
        "all",
        page(TWO, {**ONE, "c": S("new")}),
        change(KEY_1, "SET c = :c", c=S("new")),
    ),
    after(
        "included_attribute_removed",
        "some",
        page(only(ONE, *GLOBAL_KEYS, "a"), only(TWO, *GLOBAL_KEYS, "a")),
        change(KEY_1, "REMOVE b"),
    ),
    after(
        "key_added",
        "all",
        page(TWO, ONE, item("9", g=S("x"), h=N(9))),
        change(item("9"), "SET g = :g, h = :h", g=S("x"), h=N(9)),
    ),
    asks(
        "batch_written",
        "all",
        page(TWO, ONE),
        given=[
            (
                "BatchWriteItem",
                {
                    "RequestItems": {
                        "@indexed": [{"PutRequest": {"Item": one}} for one in (ONE, TWO, SPARSE)]
                    }
                },
            )
        ],
    ),
    # Equal index keys
    asks(
        "same_index_key",
        "all",
        heap(
            *(
                {"pk": S(partition), "sk": S("1"), "g": S("x"), "h": N(1)}
                for partition in ("a", "b", "c")
            )
        ),
        given=puts(
            "@indexed",
            *(
                {"pk": S(partition), "sk": S("1"), "g": S("x"), "h": N(1)}
                for partition in ("a", "b", "c")
            ),
        ),
    ),
    asks(
        "same_local_key_by_sort_key",
        "local_all",
        page(item("1", l=S("x")), item("2", l=S("x")), item("3", l=S("x"))),
        given=puts("@indexed", *(item(sort, l=S("x")) for sort in ("3", "1", "2"))),
        source="majority",
    ),
    # Pages carry the keys of the index and of the table
    asks(
        "page_of_global",
        "all",
        page(TWO, LastEvaluatedKey=only(TWO, "pk", "sk", "g", "h")),
        Limit=1,
    ),
    asks(
        "next_page_of_global",
        "all",
        page(ONE),
        ExclusiveStartKey=only(TWO, "pk", "sk", "g", "h"),
    ),
    asks(
        "page_of_global_without_sort_key",
        "keys",
        page(only(ONE, *GLOBAL_KEYS), LastEvaluatedKey=only(ONE, *GLOBAL_KEYS)),
        given=puts("@indexed", ONE),
        Limit=1,
    ),
    asks(
        "page_of_index_sharing_a_key",
        "some",
        page(only(ONE, *GLOBAL_KEYS, "a", "b"), LastEvaluatedKey=only(ONE, *GLOBAL_KEYS)),
        Limit=1,
    ),
    asks(
        "page_of_local",
        "local_all",
        page(TWO, LastEvaluatedKey=only(TWO, *LOCAL_KEYS)),
        Limit=1,
    ),
    asks("next_page_of_local", "local_all", page(ONE), ExclusiveStartKey=only(TWO, *LOCAL_KEYS)),
    asks("start_without_table_key", "all", INVALID, ExclusiveStartKey=only(TWO, "g", "h")),
    asks("start_without_index_key", "all", INVALID, ExclusiveStartKey=only(TWO, "pk", "sk")),
    asks(
        "start_with_another_attribute",
        "all",
        INVALID,
        ExclusiveStartKey=only(TWO, "pk", "sk", "g", "h", "a"),
    ),
    asks(
        "start_of_another_partition",
        "all",
        INVALID,
        ExclusiveStartKey={**only(TWO, "pk", "sk", "h"), "g": S("other")},
    ),
    asks(
        "start_of_wrong_type",
        "all",
        INVALID,
        ExclusiveStartKey={**only(TWO, "pk", "sk", "g"), "h": S("1")},
    ),
    case(
        "page_of_inverted",
        (
            "Query",
            on(
                "@inverted",
                IndexName="inverted",
                KeyConditionExpression="sk = :s",
                ExpressionAttributeValues={":s": S("1")},
                Limit=1,
            ),
            page(
                {"pk": S("a"), "sk": S("1")},
                LastEvaluatedKey={"pk": S("a"), "sk": S("1")},
            ),
        ),
        (
            "Query",
            on(
                "@inverted",
                IndexName="inverted",
                KeyConditionExpression="sk = :s",
                ExpressionAttributeValues={":s": S("1")},
                ExclusiveStartKey={"pk": S("a"), "sk": S("1")},
            ),
            page({"pk": S("b"), "sk": S("1")}),
        ),
        given=puts("@inverted", {"pk": S("b"), "sk": S("1")}, {"pk": S("a"), "sk": S("1")}),
    ),
    # Consistent reads
    asks("global_consistent", "all", INVALID, ConsistentRead=True),
    scans("scan_global_consistent", "all", INVALID, ConsistentRead=True),
    asks("local_consistent", "local_all", page(TWO, ONE), ConsistentRead=True),
    # Select and projections
    asks(
        "select_projected",
        "keys",
        heap(*(only(one, *GLOBAL_KEYS) for one in (ONE, TWO, ONLY_G))),
        Select="ALL_PROJECTED_ATTRIBUTES",
    ),
    asks("select_all_of_global_all", "all", page(TWO, ONE), Select="ALL_ATTRIBUTES"),
    asks("select_all_of_global_keys", "keys", INVALID, Select="ALL_ATTRIBUTES"),
    asks("select_all_of_global_some", "some", INVALID, Select="ALL_ATTRIBUTES"),
    asks("select_all_of_local_keys", "local_keys", page(TWO, ONE), Select="ALL_ATTRIBUTES"),
    asks("select_all_of_local_some", "local_some", page(TWO, ONE), Select="ALL_ATTRIBUTES"),
    asks("select_count", "all", {"Count": 2, "ScannedCount": 2}, Select="COUNT"),
    asks(
        "project_key",
        "keys",
        heap(only(ONE, "sk"), only(TWO, "sk"), only(ONLY_G, "sk")),
        ProjectionExpression="sk",
    ),
    asks(
        "project_included",
        "some",
        page(*(only(one, "a") for one in (ONE, TWO, ONLY_G))),
        ProjectionExpression="a",
    ),
    asks(
        "project_not_projected_in_global",
        "keys",
        INVALID,
        source="API_Query",
        ProjectionExpression="c",
    ),
    asks(
        "project_not_projected_in_local",
        "local_keys",
        page(only(TWO, "c"), only(ONE, "c")),
        ProjectionExpression="c",
    ),
    asks(
        "project_some_not_projected_in_local",
        "local_some",
        page(only(TWO, "a", "c"), only(ONE, "a", "c")),
        ProjectionExpression="a, c",
    ),
    # Filters
    asks("filter_on_index_key", "all", INVALID, FilterExpression="h = :h", values={":h": N(1)}),
    asks(
        "filter_on_table_key",
        "all",
        page(TWO, scanned=2),
        FilterExpression="sk = :s",
        values={":s": S("2")},
    ),
    asks(
        "filter_on_attribute",
        "all",
        page(ONE, scanned=2),
        FilterExpression="a = :a",
        values={":a": S("a1")},
    ),
    # Keys
    asks("query_by_table_key", "all", INVALID, KeyConditionExpression="pk = :p"),
    asks(
        "query_by_wrong_sort_key",
        "local_all",
        INVALID,
        KeyConditionExpression="pk = :p AND sk = :s",
        values={":s": S("1")},
    ),
    asks("query_with_wrong_type", "all", INVALID, partition=N(1)),
    asks("no_such_index", "nowhere", INVALID, KeyConditionExpression="g = :p"),
    scans("scan_no_such_index", "nowhere", INVALID),
    case(
        "key_of_wrong_type_in_put",
        ("PutItem", put("@indexed", item("1", g=S("x"), h=S("2"))), INVALID),
    ),
    case(
        "key_of_wrong_type_in_update",
        ("UpdateItem", change(KEY_1, "SET h = :h", h=S("2"))[1], INVALID),
        ("GetItem", at("@indexed", KEY_1), {"Item": ONE}),
        given=puts("@indexed", ONE),
    ),
    case(
        "key_of_wrong_type_in_batch",
        (
            "BatchWriteItem",
            {"RequestItems": {"@indexed": [{"PutRequest": {"Item": item("1", g=N(1))}}]}},
            INVALID,
        ),
    ),
    case(
        "key_of_wrong_type_in_transaction",
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": put("@indexed", item("1", g=N(1)))}]},
            cancelled("ValidationError"),
        ),
        source="majority",
    ),
    case(
        "key_set_to_empty_text",
        ("UpdateItem", change(KEY_1, "SET g = :g", g=S(""))[1], INVALID),
        given=puts("@indexed", ONE),
    ),
    case(
        "key_set_to_null",
        ("UpdateItem", change(KEY_1, "SET l = :l", l=NULL)[1], INVALID),
        given=puts("@indexed", ONE),
    ),
]


def test_indexes(tables: Tables, case: Case) -> None:
    """An index holds and returns what DynamoDB's does."""
    check(tables, case)
