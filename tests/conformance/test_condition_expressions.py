"""Conditions: each as the condition of a PutItem and as the filter of a Query."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    BS,
    CONDITION_FAILED,
    EMPTY,
    FALSE,
    INVALID,
    NS,
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
    on,
    page,
    put,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("condition_expressions", "Expressions.OperatorsAndFunctions")

KEY = {"pk": S("a"), "sk": S("1")}
ITEM = {
    **KEY,
    "s": S("hello"),
    "blank": S(""),
    "n": N(5),
    "n2": N(5),
    "big": N(10),
    "b": B(b"abc"),
    "t": TRUE,
    "f": FALSE,
    "nil": NULL,
    "l": L(S("a"), N(1), L(S("x"))),
    "m": M(x=N(1), y=M(z=S("deep"))),
    "ss": SS("a", "b"),
    "ns": NS(1, 2),
    "bs": BS(b"a", b"b"),
    "list": S("reserved"),
}


def holds(
    name: str,
    expression: str,
    expected: Any,
    values: Json | None = None,
    names: dict[str, str] | None = None,
    *,
    filters: bool = True,
    source: str = "",
) -> Case:
    """A case: true, false or INVALID on ITEM, as a condition and, where it can be, as a filter."""
    more: Json = {}
    if values:
        more["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
    if names:
        more["ExpressionAttributeNames"] = {f"#{name}": value for name, value in names.items()}
    condition = {True: EMPTY, False: CONDITION_FAILED}.get(expected, expected)
    steps = [("PutItem", put("@sorted", ITEM, ConditionExpression=expression, **more), condition)]
    if filters:
        found = {True: page(ITEM), False: page(scanned=1)}.get(expected, expected)
        more["ExpressionAttributeValues"] = {
            **more.get("ExpressionAttributeValues", {}),
            ":partition": S("a"),
        }
        request = on(
            "@sorted", KeyConditionExpression="pk = :partition", FilterExpression=expression, **more
        )
        steps.append(("Query", request, found))
    return case(name, *steps, given=puts("@sorted", ITEM), source=source)


COMPARED = [
    ("s", "=", S("hello"), True),
    ("s", "=", S("Hello"), False),
    ("s", "<>", S("hello"), False),
    ("s", "<>", S("x"), True),
    ("s", "<", S("hellp"), True),
    ("s", ">", S("hell"), True),
    ("s", "<=", S("hello"), True),
    ("s", ">=", S("hello"), True),
    ("s", "<", S("Hello"), False),
    ("n", "=", N("5.0"), True),
    ("n", "<", N(10), True),
    ("n", ">", N("4.9"), True),
    ("n", "<=", N(5), True),
    ("n", ">=", N("5.000001"), False),
    ("n", ">", N(-100), True),
    ("b", "=", B(b"abc"), True),
    ("b", "<", B(b"abd"), True),
    ("b", ">", B(b"ab"), True),
    ("b", "<", B(b"\xff"), True),
    # Other types: unequal, and not in any order.
    ("s", "=", N(5), False),
    ("s", "<>", N(5), True),
    ("s", "<", N(5), False),
    ("s", ">", N(5), False),
    ("n", "=", S("5"), False),
    ("n", "<>", S("5"), True),
    ("n", "<", S("6"), False),
    ("b", "=", S("abc"), False),
    ("t", "=", TRUE, True),
    ("t", "=", FALSE, False),
    ("t", "<>", FALSE, True),
    ("nil", "=", NULL, True),
    ("nil", "<>", NULL, False),
    ("nil", "=", S(""), False),
    ("blank", "=", S(""), True),
    ("ss", "=", SS("b", "a"), True),
    ("ss", "=", SS("a"), False),
    ("ns", "=", NS("2.0", 1), True),
    ("bs", "=", BS(b"b", b"a"), True),
    ("ss", "<>", SS("a"), True),
    ("l", "=", L(S("a"), N(1), L(S("x"))), True),
    ("l", "=", L(N(1), S("a"), L(S("x"))), False),
    ("m", "=", M(y=M(z=S("deep")), x=N("1.0")), True),
    ("m", "=", M(x=N(1)), False),
    # Absent: equal to nothing, and unequal to everything.
    ("absent", "=", S("x"), False),
    ("absent", "<>", S("x"), True),
    ("absent", "<", S("x"), False),
    ("absent", ">=", S("x"), False),
]
WORDS = {"=": "eq", "<>": "ne", "<": "lt", ">": "gt", "<=": "le", ">=": "ge"}


def named(number: int, left: str, operator: str, right: Json) -> str:
    return f"compare_{number:02}_{left}_{WORDS[operator]}_{next(iter(right))}"


CASES = [
    *(
        holds(named(number, left, operator, right), f"{left} {operator} :v", truth, {"v": right})
        for number, (left, operator, right, truth) in enumerate(COMPARED)
    ),
    # A constant operand of < and the like must be of a type that has an order.
    *(
        holds(
            f"order_of_{next(iter(value))}", "n < :v", INVALID, {"v": value}, source="API_Condition"
        )
        for value in (TRUE, NULL, L(), M(), SS("a"), NS(1), BS(b"a"))
    ),
    holds("value_on_the_left", ":v = n", True, {"v": N(5)}),
    holds("value_less_than_attribute", ":v < n", True, {"v": N(4)}),
    holds("two_attributes", "n = n2", True),
    holds("two_attributes_in_order", "n < big", True),
    holds("two_absent_attributes_are_equal", "absent = nowhere", True, source="majority"),
    holds("attribute_with_itself", "n = n", INVALID, source="service"),
    holds("two_equal_values", ":v = :w", True, {"v": N(5), "w": N(5)}, source="majority"),
    # Paths
    holds("nested", "m.y.z = :v", True, {"v": S("deep")}),
    holds("nested_absent", "m.q.z = :v", False, {"v": S("deep")}),
    holds("into_a_string", "s.x = :v", False, {"v": S("deep")}),
    holds("list_element", "l[1] = :v", True, {"v": N(1)}),
    holds("list_element_of_list", "l[2][0] = :v", True, {"v": S("x")}),
    holds("list_element_beyond", "l[9] = :v", False, {"v": S("x")}),
    holds("index_into_a_map", "m[0] = :v", False, {"v": S("x")}),
    holds("negative_index", "l[-1] = :v", INVALID, {"v": S("x")}),
    holds("index_not_a_number", "l[x] = :v", INVALID, {"v": S("x")}),
    holds("names_in_path", "#m.#y.z = :v", True, {"v": S("deep")}, {"m": "m", "y": "y"}),
    holds("name_with_a_dot", "#d = :v", False, {"v": S("deep")}, {"d": "m.y.z"}),
    holds("reserved_word", "list = :v", INVALID, {"v": S("reserved")}),
    holds("reserved_word_in_capitals", "LIST = :v", INVALID, {"v": S("reserved")}),
    holds("reserved_word_by_name", "#l = :v", True, {"v": S("reserved")}, {"l": "list"}),
    holds("reserved_word_nested", "m.value = :v", INVALID, {"v": S("x")}),
    # Functions
    holds("exists", "attribute_exists(s)", True),
    holds("exists_when_null", "attribute_exists(nil)", True),
    holds("exists_absent", "attribute_exists(absent)", False),
    holds("exists_nested", "attribute_exists(m.y.z)", True),
    holds("exists_beyond_the_list", "attribute_exists(l[5])", False),
    holds("not_exists", "attribute_not_exists(absent)", True),
    holds("not_exists_present", "attribute_not_exists(s)", False),
    holds("exists_of_value", "attribute_exists(:v)", INVALID, {"v": S("s")}),
    holds("exists_of_two", "attribute_exists(s, n)", INVALID),
    holds("exists_of_none", "attribute_exists()", INVALID),
    *(
        holds(f"type_{kind}", f"attribute_type({name}, :t)", True, {"t": S(kind)})
        for name, kind in (
            ("s", "S"),
            ("n", "N"),
            ("b", "B"),
            ("t", "BOOL"),
            ("nil", "NULL"),
            ("l", "L"),
            ("m", "M"),
            ("ss", "SS"),
            ("ns", "NS"),
            ("bs", "BS"),
        )
    ),
    holds("type_other", "attribute_type(s, :t)", False, {"t": S("N")}),
    holds("type_absent", "attribute_type(absent, :t)", False, {"t": S("S")}),
    holds("type_unknown", "attribute_type(s, :t)", INVALID, {"t": S("STRING")}, source="service"),
    holds("type_not_text", "attribute_type(s, :t)", INVALID, {"t": N(1)}, source="service"),
    holds("type_from_attribute", "attribute_type(s, s)", INVALID),
    holds("begins", "begins_with(s, :v)", True, {"v": S("hel")}),
    holds("begins_other", "begins_with(s, :v)", False, {"v": S("ell")}),
    holds("begins_empty", "begins_with(s, :v)", True, {"v": S("")}, source="majority"),
    holds("begins_binary", "begins_with(b, :v)", True, {"v": B(b"ab")}),
    holds("begins_with_number", "begins_with(n, :v)", INVALID, {"v": N(5)}),
    holds("begins_on_number", "begins_with(n, :v)", False, {"v": S("5")}),
    holds("begins_absent", "begins_with(absent, :v)", False, {"v": S("x")}),
    holds("begins_with_one_operand", "begins_with(s)", INVALID),
    holds("contains_text", "contains(s, :v)", True, {"v": S("ell")}),
    holds("contains_not_text", "contains(s, :v)", False, {"v": S("xyz")}),
    holds("contains_binary", "contains(b, :v)", True, {"v": B(b"bc")}),
    holds("contains_in_string_set", "contains(ss, :v)", True, {"v": S("a")}),
    holds("contains_part_of_a_member", "contains(ss, :v)", False, {"v": S("")}),
    holds("contains_in_number_set", "contains(ns, :v)", True, {"v": N("2.0")}),
    holds("contains_in_binary_set", "contains(bs, :v)", True, {"v": B(b"b")}),
    holds("contains_in_list", "contains(l, :v)", True, {"v": N(1)}),
    holds("contains_list_in_list", "contains(l, :v)", True, {"v": L(S("x"))}),
    holds("contains_wrong_type_in_list", "contains(l, :v)", False, {"v": S("1")}),
    holds("contains_in_map", "contains(m, :v)", False, {"v": S("x")}),
    holds("contains_in_number", "contains(n, :v)", False, {"v": N(5)}),
    holds("contains_other_type", "contains(s, :v)", False, {"v": N(1)}),
    holds("contains_absent", "contains(absent, :v)", False, {"v": S("x")}),
    holds("contains_attribute", "contains(l, n2)", False),
    holds("contains_itself", "contains(s, s)", INVALID, source="service"),
    *(
        holds(f"size_{name}", f"size({name}) = :v", True, {"v": N(size)})
        for name, size in (
            ("s", 5),
            ("blank", 0),
            ("b", 3),
            ("l", 3),
            ("m", 2),
            ("ss", 2),
            ("ns", 2),
            ("bs", 2),
        )
    ),
    holds("size_of_number", "size(n) = :v", False, {"v": N(1)}),
    holds("size_of_number_unequal", "size(n) <> :v", True, {"v": N(1)}, source="majority"),
    holds("size_absent", "size(absent) >= :v", False, {"v": N(0)}),
    holds("size_in_between", "size(s) BETWEEN :a AND :b", True, {"a": N(1), "b": N(5)}),
    holds("size_compared_with_text", "size(s) = :v", False, {"v": S("5")}),
    holds("size_compared_with_size", "size(ss) < size(l)", True),
    holds("size_alone", "size(s)", INVALID),
    holds("size_of_value", "size(:v) = :w", INVALID, {"v": N(1), "w": N(1)}, source="majority"),
    holds("unknown_function", "starts_with(s, :v)", INVALID, {"v": S("h")}),
    holds("function_in_capitals", "ATTRIBUTE_EXISTS(s)", INVALID),
    holds("function_of_updates", "if_not_exists(s, :v)", INVALID, {"v": S("h")}),
    holds("function_not_a_condition", "attribute_exists(s) = :v", INVALID, {"v": TRUE}),
    # BETWEEN and IN
    holds("between", "n BETWEEN :a AND :b", True, {"a": N(1), "b": N(9)}),
    holds("between_includes_both", "n BETWEEN :a AND :b", True, {"a": N(5), "b": N(5)}),
    holds("between_outside", "n BETWEEN :a AND :b", False, {"a": N(6), "b": N(9)}),
    holds(
        "between_wrong_order",
        "n BETWEEN :a AND :b",
        INVALID,
        {"a": N(9), "b": N(1)},
        source="service",
    ),
    holds(
        "between_two_types",
        "n BETWEEN :a AND :b",
        INVALID,
        {"a": N(1), "b": S("9")},
        source="service",
    ),
    holds("between_other_type", "n BETWEEN :a AND :b", False, {"a": S("1"), "b": S("9")}),
    holds("between_attributes", ":v BETWEEN n AND big", True, {"v": N(7)}),
    holds("between_text", "s BETWEEN :a AND :b", True, {"a": S("h"), "b": S("i")}),
    holds(
        "between_unordered_type",
        "n BETWEEN :a AND :b",
        INVALID,
        {"a": TRUE, "b": TRUE},
        source="API_Condition",
    ),
    holds("between_absent", "absent BETWEEN :a AND :b", False, {"a": N(1), "b": N(9)}),
    holds("in_one", "n IN (:a)", True, {"a": N(5)}),
    holds("in_several", "n IN (:a, :b, :c)", True, {"a": N(1), "b": N(5), "c": S("x")}),
    holds("in_none", "n IN (:a, :b)", False, {"a": N(1), "b": S("5")}),
    holds("in_attributes", "n IN (big, n2)", True),
    holds("in_empty", "n IN ()", INVALID),
    holds("in_without_parentheses", "n IN :a", INVALID, {"a": N(5)}),
    holds("in_absent", "absent IN (:a)", False, {"a": N(5)}),
    holds("in_set_value", "ss IN (:a)", True, {"a": SS("b", "a")}),
    # Logic
    holds("and", "n = :v AND attribute_exists(s)", True, {"v": N(5)}),
    holds("and_false", "n = :v AND attribute_exists(absent)", False, {"v": N(5)}),
    holds("or", "n = :v OR attribute_exists(s)", True, {"v": N(0)}),
    holds("not", "NOT n = :v", True, {"v": N(0)}),
    holds("not_not", "NOT NOT n = :v", True, {"v": N(5)}),
    holds("and_before_or", "n = :v OR n = :w AND n = :w", True, {"v": N(5), "w": N(0)}),
    holds(
        "or_in_parentheses",
        "(n = :v OR n = :w) AND n = :w",
        False,
        {"v": N(5), "w": N(0)},
    ),
    holds("not_before_and", "NOT n = :w AND n = :v", True, {"v": N(5), "w": N(0)}),
    holds("not_of_a_group", "NOT (n = :w OR n = :v)", False, {"v": N(5), "w": N(0)}),
    holds("words_in_small_letters", "not n = :w and n = :v", True, {"v": N(5), "w": N(0)}),
    holds(
        "between_then_and",
        "n BETWEEN :a AND :b AND s = :s",
        True,
        {"a": N(1), "b": N(9), "s": S("hello")},
    ),
    holds("parentheses", "((n = :v) AND (s = :s))", True, {"v": N(5), "s": S("hello")}),
    holds("redundant_parentheses", "((n = :v))", INVALID, {"v": N(5)}, source="service"),
    # Mistakes
    holds("undefined_value", "n = :undefined", INVALID),
    holds("undefined_name", "#undefined = :v", INVALID, {"v": N(5)}),
    holds("unused_value", "n = :v", INVALID, {"v": N(5), "w": N(5)}),
    holds("unused_name", "n = :v", INVALID, {"v": N(5)}, {"x": "x"}),
    holds("not_an_expression", "hello world", INVALID),
    holds("only_an_attribute", "t", INVALID),
    holds("no_operand", "n =", INVALID),
    holds("no_operator", "n :v", INVALID, {"v": N(5)}),
    holds("double_equals", "n == :v", INVALID, {"v": N(5)}),
    holds("exclamation_equals", "n != :v", INVALID, {"v": N(5)}),
    holds("open_parenthesis", "(n = :v", INVALID, {"v": N(5)}),
    holds("close_parenthesis", "n = :v)", INVALID, {"v": N(5)}),
    holds("literal_number", "n = 5", INVALID),
    holds("literal_text", "s = 'hello'", INVALID),
    holds("trailing_and", "n = :v AND", INVALID, {"v": N(5)}),
    holds("semicolon", "n = :v;", INVALID, {"v": N(5)}),
    holds("empty", "", INVALID),
    holds("only_space", " ", INVALID),
    holds("name_starting_with_a_digit", "1n = :v", INVALID, {"v": N(5)}),
    holds("name_with_a_hyphen", "n-x = :v", INVALID, {"v": N(5)}),
    holds("chained", "n = :v = :v", INVALID, {"v": N(5)}),
    holds("spaces_and_lines", "\tn\n =\r\n:v  ", True, {"v": N(5)}),
    holds("without_spaces", "n=:v AND(n<=:v)", True, {"v": N(5)}),
    holds("value_bad_number", "n = :v", INVALID, {"v": N("five")}),
    holds("value_without_a_type", "n = :v", INVALID, {"v": {}}),
    holds("value_empty_set", "ss = :v", INVALID, {"v": {"SS": []}}),
    # Keys may stand in conditions.
    holds(
        "on_the_keys",
        "pk = :p AND begins_with(sk, :s)",
        True,
        {"p": S("a"), "s": S("1")},
        filters=False,
    ),
    case(
        "bad_name_placeholder",
        (
            "PutItem",
            put(
                "@sorted",
                ITEM,
                ConditionExpression="attribute_exists(s)",
                ExpressionAttributeNames={"n": "s"},
            ),
            INVALID,
        ),
    ),
    case(
        "bad_value_placeholder",
        (
            "PutItem",
            put(
                "@sorted",
                ITEM,
                ConditionExpression="n = :v",
                ExpressionAttributeValues={":v": N(5), "w": N(1)},
            ),
            INVALID,
        ),
    ),
    case(
        "placeholder_of_no_name",
        (
            "PutItem",
            put(
                "@sorted",
                ITEM,
                ConditionExpression="attribute_exists(#n)",
                ExpressionAttributeNames={"#n": ""},
            ),
            INVALID,
        ),
    ),
    case(
        "empty_values",
        (
            "PutItem",
            put(
                "@sorted",
                ITEM,
                ConditionExpression="attribute_not_exists(n)",
                ExpressionAttributeValues={},
            ),
            INVALID,
        ),
        source="majority",
    ),
    case(
        "empty_names",
        (
            "PutItem",
            put(
                "@sorted",
                ITEM,
                ConditionExpression="attribute_not_exists(n)",
                ExpressionAttributeNames={},
            ),
            INVALID,
        ),
        source="majority",
    ),
    case(
        "on_an_absent_item",
        (
            "PutItem",
            put(
                "@sorted",
                ITEM,
                ConditionExpression="NOT n = :v AND attribute_not_exists(pk)",
                ExpressionAttributeValues={":v": N(5)},
            ),
            EMPTY,
        ),
    ),
]


def test_condition_expressions(tables: Tables, case: Case) -> None:
    """A condition holds, fails or is refused as DynamoDB says, as condition and as filter."""
    check(tables, case)
