"""Key conditions of Query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.conformance.cases import (
    INVALID,
    NULL,
    SS,
    B,
    Case,
    Json,
    N,
    S,
    Source,
    on,
    page,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("key_conditions", "Query.KeyConditionExpressions")


def row(sort: str) -> Json:
    return {"pk": S("a"), "sk": S(sort)}


def numbered(sort: object) -> Json:
    return {"pk": S("a"), "sk": N(sort)}


def binary(sort: bytes) -> Json:
    return {"pk": S("a"), "sk": B(sort)}


TEXTS = [row(sort) for sort in ("a", "ab", "abc", "b", "c")]
NUMBERS = [numbered(sort) for sort in (-10, -2, 0, "1.5", 2, 10)]
BINARIES = [binary(sort) for sort in (b"\x00", b"\x01\x02", b"\x01\x03", b"\xff")]
OTHERS = [{"pk": S("b"), "sk": S("a")}, {"pk": S("aa"), "sk": S("a")}]


def selects(
    name: str,
    expression: str,
    expected: Any,
    values: Json | None = None,
    names: dict[str, str] | None = None,
    *,
    table: str = "@sorted",
    source: str = "",
) -> Case:
    """A case: the sort keys found, in order, or an error. The partition is :p."""
    stored = {
        "@sorted": TEXTS + OTHERS,
        "@numbered": NUMBERS,
        "@binary": BINARIES,
        "@simple": [{"pk": S("a")}, {"pk": S("b")}],
    }[table]
    makers: dict[str, Callable[[Any], Json]] = {
        "@sorted": row,
        "@numbered": numbered,
        "@binary": binary,
    }
    make = makers.get(table)
    if isinstance(expected, list):
        expected = page(*(make(sort) if make else {"pk": S(sort)} for sort in expected))
    more: Json = {}
    if names:
        more["ExpressionAttributeNames"] = {f"#{name}": value for name, value in names.items()}
    given = {"p": S("a")} | (values or {})
    used = {f":{name}": value for name, value in given.items() if f":{name}" in expression}
    if used:
        more["ExpressionAttributeValues"] = used
    request = on(table, KeyConditionExpression=expression, **more)
    return case(name, ("Query", request, expected), given=puts(table, *stored), source=source)


CASES = [
    selects("partition", "pk = :p", ["a", "ab", "abc", "b", "c"]),
    selects("partition_of_simple_table", "pk = :p", ["a"], table="@simple"),
    selects("partition_absent", "pk = :p", [], {"p": S("z")}),
    selects("equal", "pk = :p AND sk = :s", ["ab"], {"s": S("ab")}),
    selects("equal_absent", "pk = :p AND sk = :s", [], {"s": S("zz")}),
    selects("less", "pk = :p AND sk < :s", ["a", "ab"], {"s": S("abc")}),
    selects("less_or_equal", "pk = :p AND sk <= :s", ["a", "ab", "abc"], {"s": S("abc")}),
    selects("greater", "pk = :p AND sk > :s", ["b", "c"], {"s": S("abc")}),
    selects("greater_or_equal", "pk = :p AND sk >= :s", ["abc", "b", "c"], {"s": S("abc")}),
    selects(
        "between",
        "pk = :p AND sk BETWEEN :s AND :t",
        ["ab", "abc", "b"],
        {"s": S("ab"), "t": S("b")},
    ),
    selects("between_one", "pk = :p AND sk BETWEEN :s AND :s", ["ab"], {"s": S("ab")}),
    selects("begins", "pk = :p AND begins_with(sk, :s)", ["ab", "abc"], {"s": S("ab")}),
    selects("begins_none", "pk = :p AND begins_with(sk, :s)", [], {"s": S("zz")}),
    selects("sort_key_first", "sk = :s AND pk = :p", ["ab"], {"s": S("ab")}),
    selects("begins_first", "begins_with(sk, :s) AND pk = :p", ["ab", "abc"], {"s": S("ab")}),
    selects("in_parentheses", "(pk = :p) AND (sk = :s)", ["ab"], {"s": S("ab")}),
    selects(
        "in_small_letters", "pk = :p and sk between :s and :t", ["ab"], {"s": S("ab"), "t": S("ab")}
    ),
    selects("by_names", "#p = :p AND #s = :s", ["ab"], {"s": S("ab")}, {"p": "pk", "s": "sk"}),
    selects("without_spaces", "pk=:p AND sk=:s", ["ab"], {"s": S("ab")}),
    selects("numbers_by_value", "pk = :p", [-10, -2, 0, "1.5", 2, 10], table="@numbered"),
    selects("number_equal", "pk = :p AND sk = :s", [2], {"s": N("2.00")}, table="@numbered"),
    selects("number_less", "pk = :p AND sk < :s", [-10, -2, 0], {"s": N("1.5")}, table="@numbered"),
    selects("number_greater", "pk = :p AND sk > :s", [2, 10], {"s": N("1.5")}, table="@numbered"),
    selects(
        "number_between",
        "pk = :p AND sk BETWEEN :s AND :t",
        [-2, 0, "1.5"],
        {"s": N("-2.5"), "t": N("1.9")},
        table="@numbered",
    ),
    selects(
        "number_begins", "pk = :p AND begins_with(sk, :s)", INVALID, {"s": N(1)}, table="@numbered"
    ),
    selects(
        "bytes_unsigned", "pk = :p", [b"\x00", b"\x01\x02", b"\x01\x03", b"\xff"], table="@binary"
    ),
    selects(
        "bytes_begin",
        "pk = :p AND begins_with(sk, :s)",
        [b"\x01\x02", b"\x01\x03"],
        {"s": B(b"\x01")},
        table="@binary",
    ),
    selects(
        "bytes_begin_at_the_end",
        "pk = :p AND begins_with(sk, :s)",
        [b"\xff"],
        {"s": B(b"\xff")},
        table="@binary",
    ),
    selects(
        "bytes_greater",
        "pk = :p AND sk > :s",
        [b"\x01\x03", b"\xff"],
        {"s": B(b"\x01\x02")},
        table="@binary",
    ),
    # Refused
    selects("no_partition", "sk = :s", INVALID, {"s": S("ab")}),
    selects("partition_less", "pk < :p", INVALID),
    selects("partition_begins", "begins_with(pk, :p)", INVALID),
    selects("partition_between", "pk BETWEEN :p AND :p", INVALID),
    selects("partition_in", "pk IN (:p)", INVALID),
    selects("partition_unequal", "pk <> :p", INVALID),
    selects("partition_twice", "pk = :p AND pk = :q", INVALID, {"q": S("b")}),
    selects("sort_unequal", "pk = :p AND sk <> :s", INVALID, {"s": S("ab")}),
    selects("sort_in", "pk = :p AND sk IN (:s)", INVALID, {"s": S("ab")}),
    selects("sort_twice", "pk = :p AND sk > :s AND sk < :t", INVALID, {"s": S("a"), "t": S("c")}),
    selects("sort_contains", "pk = :p AND contains(sk, :s)", INVALID, {"s": S("ab")}),
    selects("sort_exists", "pk = :p AND attribute_exists(sk)", INVALID),
    selects("sort_size", "pk = :p AND size(sk) = :n", INVALID, {"n": N(1)}),
    selects("or", "pk = :p OR sk = :s", INVALID, {"s": S("ab")}),
    selects("not", "pk = :p AND NOT sk = :s", INVALID, {"s": S("ab")}),
    selects("another_attribute", "pk = :p AND v = :s", INVALID, {"s": S("ab")}),
    selects("another_attribute_besides", "pk = :p AND sk = :s AND v = :s", INVALID, {"s": S("ab")}),
    selects(
        "sort_key_of_simple_table", "pk = :p AND sk = :s", INVALID, {"s": S("ab")}, table="@simple"
    ),
    selects("partition_of_wrong_type", "pk = :p", INVALID, {"p": N(1)}),
    selects("sort_of_wrong_type", "pk = :p AND sk = :s", INVALID, {"s": N(1)}),
    selects("sort_range_of_wrong_type", "pk = :p AND sk > :s", INVALID, {"s": N(1)}),
    selects(
        "sort_begins_of_wrong_type", "pk = :p AND begins_with(sk, :s)", INVALID, {"s": B(b"a")}
    ),
    selects(
        "between_wrong_order",
        "pk = :p AND sk BETWEEN :s AND :t",
        INVALID,
        {"s": S("b"), "t": S("a")},
    ),
    selects(
        "between_two_types", "pk = :p AND sk BETWEEN :s AND :t", INVALID, {"s": S("b"), "t": N(1)}
    ),
    selects("partition_empty", "pk = :p", INVALID, {"p": S("")}),
    selects("sort_empty", "pk = :p AND sk = :s", INVALID, {"s": S("")}),
    selects("nested_path", "pk.x = :p", INVALID),
    selects("list_element", "pk[0] = :p", INVALID),
    selects("two_attributes", "pk = sk", INVALID),
    selects("two_values", ":p = :p", INVALID),
    selects("undefined_value", "pk = :undefined", INVALID),
    selects("undefined_name", "#undefined = :p", INVALID),
    selects("empty", "", INVALID),
    selects("syntax", "pk = :p AND", INVALID),
    selects("comma", "pk = :p, sk = :s", INVALID, {"s": S("ab")}),
    selects("redundant_parentheses", "((pk = :p))", INVALID, source="service"),
    selects("null_value", "pk = :p", INVALID, {"p": NULL}),
    selects("set_value", "pk = :p", INVALID, {"p": SS("a")}),
]


def test_key_conditions(tables: Tables, case: Case) -> None:
    """A key condition selects what DynamoDB selects, or is refused."""
    check(tables, case)
