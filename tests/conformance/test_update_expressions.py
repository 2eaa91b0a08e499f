"""Update expressions: the item before, the expression, the item after."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    BS,
    EMPTY,
    INVALID,
    NS,
    NULL,
    SS,
    TRUE,
    Case,
    Json,
    L,
    M,
    N,
    S,
    Source,
    at,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("update_expressions", "Expressions.UpdateExpressions")

KEY = {"pk": S("a")}
ITEM = {
    **KEY,
    "n": N(5),
    "s": S("x"),
    "m": M(a=N(1), kid=M(b=N(2))),
    "l": L(S("a"), S("b"), S("c"), S("d")),
    "ss": SS("a", "b"),
    "ns": NS(1, 2),
    "bs": BS(b"a", b"b"),
    "t": TRUE,
}


def updates(
    name: str,
    expression: str,
    after: Any,
    values: Json | None = None,
    names: dict[str, str] | None = None,
    *,
    before: Json | None = ITEM,
    source: str = "",
) -> Case:
    """A case: `after` is the changed attributes, an absent one as None, or an error."""
    more: Json = {}
    if values:
        more["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
    if names:
        more["ExpressionAttributeNames"] = {f"#{name}": value for name, value in names.items()}
    request = at("@simple", KEY, UpdateExpression=expression, ReturnValues="ALL_NEW", **more)
    left: Json = {"Item": before} if before else EMPTY
    answer = after
    if isinstance(after, dict):
        changed = {**(before or KEY), **after}
        changed = {name: value for name, value in changed.items() if value is not None}
        answer, left = {"Attributes": changed}, {"Item": changed}
    return case(
        name,
        ("UpdateItem", request, answer),
        ("GetItem", at("@simple", KEY), left),
        given=puts("@simple", before) if before else (),
        source=source,
    )


CASES = [
    # SET
    updates("set_new", "SET v = :v", {"v": N(1)}, {"v": N(1)}),
    updates("set_on_absent_item", "SET v = :v", {"v": N(1)}, {"v": N(1)}, before=None),
    updates("set_other_type", "SET n = :v", {"n": S("five")}, {"v": S("five")}),
    updates(
        "set_several", "SET n = :v, s = :w", {"n": N(1), "s": S("y")}, {"v": N(1), "w": S("y")}
    ),
    updates("set_one_value_twice", "SET n = :v, s = :v", {"n": N(1), "s": N(1)}, {"v": N(1)}),
    updates("set_from_attribute", "SET v = s", {"v": S("x")}),
    updates("set_sees_the_old_item", "SET n = s, s = n", {"n": S("x"), "s": N(5)}),
    updates("set_from_absent", "SET v = absent", INVALID),
    updates("set_from_path", "SET v = m.kid.b", {"v": N(2)}),
    updates("set_from_element", "SET v = l[2]", {"v": S("c")}),
    updates("set_from_absent_element", "SET v = l[9]", INVALID),
    updates("set_nested", "SET m.a = :v", {"m": M(a=N(9), kid=M(b=N(2)))}, {"v": N(9)}),
    updates("set_nested_new", "SET m.c = :v", {"m": M(a=N(1), c=N(9), kid=M(b=N(2)))}, {"v": N(9)}),
    updates("set_nested_deep", "SET m.kid.b = :v", {"m": M(a=N(1), kid=M(b=N(9)))}, {"v": N(9)}),
    updates("set_under_absent", "SET gone.a = :v", INVALID, {"v": N(9)}),
    updates("set_under_absent_nested", "SET m.gone.a = :v", INVALID, {"v": N(9)}),
    updates("set_under_absent_item", "SET m.a = :v", INVALID, {"v": N(9)}, before=None),
    updates("set_under_a_scalar", "SET s.a = :v", INVALID, {"v": N(9)}),
    updates("set_under_a_list", "SET l.a = :v", INVALID, {"v": N(9)}),
    updates("set_under_a_set", "SET ss.a = :v", INVALID, {"v": N(9)}),
    updates("set_index_of_map", "SET m[0] = :v", INVALID, {"v": N(9)}),
    updates("set_index_of_scalar", "SET s[0] = :v", INVALID, {"v": N(9)}),
    updates("set_index_of_absent", "SET gone[0] = :v", INVALID, {"v": N(9)}),
    updates("set_element", "SET l[1] = :v", {"l": L(S("a"), N(9), S("c"), S("d"))}, {"v": N(9)}),
    updates("set_element_beyond", "SET l[9] = :v", {"l": L(*ITEM["l"]["L"], N(9))}, {"v": N(9)}),
    updates(
        "set_two_elements_beyond",
        "SET l[20] = :v, l[10] = :w",
        {"l": L(*ITEM["l"]["L"], N(10), N(20))},
        {"v": N(20), "w": N(10)},
    ),
    updates("set_by_name", "SET #x = :v", {"a b.c": N(1)}, {"v": N(1)}, {"x": "a b.c"}),
    updates(
        "set_nested_by_names",
        "SET #m.#x = :v",
        {"m": {"M": {**ITEM["m"]["M"], "x.y": N(1)}}},
        {"v": N(1)},
        {"m": "m", "x": "x.y"},
    ),
    updates("set_empty_text", "SET v = :v", {"v": S("")}, {"v": S("")}),
    updates("set_null", "SET v = :v", {"v": NULL}, {"v": NULL}),
    updates("set_empty_map", "SET v = :v", {"v": M()}, {"v": M()}),
    updates("set_whole_map", "SET m = :v", {"m": M(z=N(1))}, {"v": M(z=N(1))}),
    updates("set_empty_set", "SET v = :v", INVALID, {"v": {"SS": []}}),
    updates("set_in_small_letters", "set v = :v remove s", {"v": N(1), "s": None}, {"v": N(1)}),
    # Arithmetic
    updates("plus", "SET n = n + :v", {"n": N(7)}, {"v": N(2)}),
    updates("minus", "SET n = n - :v", {"n": N(-2)}, {"v": N(7)}),
    updates("minus_the_attribute", "SET n = :v - n", {"n": N(2)}, {"v": N(7)}),
    updates("plus_two_values", "SET n = :v + :w", {"n": N("3.5")}, {"v": N(3), "w": N("0.5")}),
    updates("plus_two_attributes", "SET v = n + m.a", {"v": N(6)}),
    updates("plus_on_absent", "SET v = absent + :v", INVALID, {"v": N(1)}),
    updates("plus_on_absent_item", "SET n = n + :v", INVALID, {"v": N(1)}, before=None),
    updates("plus_text", "SET n = n + :v", INVALID, {"v": S("1")}),
    updates("plus_on_text", "SET s = s + :v", INVALID, {"v": N(1)}),
    updates("plus_list", "SET l = l + :v", INVALID, {"v": L(N(1))}),
    updates("plus_three", "SET n = n + :v + :v", INVALID, {"v": N(1)}),
    updates("times", "SET n = n * :v", INVALID, {"v": N(1)}),
    updates("plus_without_spaces", "SET n=n+:v", {"n": N(7)}, {"v": N(2)}),
    updates("plus_exact", "SET n = n + :v", {"n": N("5.1")}, {"v": N("0.1")}),
    updates(
        "plus_38_digits",
        "SET n = n + :v",
        {"n": N("12345678901234567890123456789012345683")},
        {"v": N("12345678901234567890123456789012345678")},
    ),
    updates("literal_number", "SET n = n + 1", INVALID),
    # if_not_exists
    updates("if_not_exists_present", "SET n = if_not_exists(n, :v)", {}, {"v": N(1)}),
    updates("if_not_exists_absent", "SET v = if_not_exists(v, :v)", {"v": N(1)}, {"v": N(1)}),
    updates("if_not_exists_other", "SET v = if_not_exists(n, :v)", {"v": N(5)}, {"v": N(1)}),
    updates("if_not_exists_of_attribute", "SET v = if_not_exists(absent, s)", {"v": S("x")}),
    updates("if_not_exists_of_absent", "SET v = if_not_exists(absent, gone)", INVALID),
    updates(
        "if_not_exists_plus",
        "SET v = if_not_exists(v, :zero) + :v",
        {"v": N(1)},
        {"zero": N(0), "v": N(1)},
    ),
    updates(
        "if_not_exists_nested",
        "SET v = if_not_exists(absent, if_not_exists(gone, :v))",
        {"v": N(1)},
        {"v": N(1)},
    ),
    updates(
        "if_not_exists_on_absent_item",
        "SET v = if_not_exists(v, :v)",
        {"v": N(1)},
        {"v": N(1)},
        before=None,
    ),
    updates("if_not_exists_of_value", "SET v = if_not_exists(:v, :v)", INVALID, {"v": N(1)}),
    updates("if_not_exists_one_operand", "SET v = if_not_exists(n)", INVALID),
    updates("if_not_exists_path", "SET v = if_not_exists(m.q.r, :v)", {"v": N(1)}, {"v": N(1)}),
    # list_append
    updates(
        "append", "SET l = list_append(l, :v)", {"l": L(*ITEM["l"]["L"], N(1))}, {"v": L(N(1))}
    ),
    updates(
        "prepend", "SET l = list_append(:v, l)", {"l": L(N(1), *ITEM["l"]["L"])}, {"v": L(N(1))}
    ),
    updates(
        "append_two_values",
        "SET v = list_append(:v, :w)",
        {"v": L(N(1), N(2))},
        {"v": L(N(1)), "w": L(N(2))},
    ),
    updates("append_itself", "SET l = list_append(l, l)", {"l": L(*ITEM["l"]["L"] * 2)}),
    updates("append_to_absent", "SET v = list_append(v, :v)", INVALID, {"v": L(N(1))}),
    updates(
        "append_to_absent_with_default",
        "SET v = list_append(if_not_exists(v, :none), :v)",
        {"v": L(N(1))},
        {"v": L(N(1)), "none": L()},
    ),
    updates("append_not_a_list", "SET l = list_append(l, :v)", INVALID, {"v": N(1)}),
    updates("append_to_text", "SET s = list_append(s, :v)", INVALID, {"v": L(N(1))}),
    updates("append_to_set", "SET ss = list_append(ss, :v)", INVALID, {"v": L(S("c"))}),
    updates("append_empty", "SET l = list_append(l, :v)", {}, {"v": L()}),
    updates("append_one_operand", "SET l = list_append(l)", INVALID),
    updates("append_three_operands", "SET l = list_append(l, l, l)", INVALID),
    updates("append_in_capitals", "SET l = LIST_APPEND(l, :v)", INVALID, {"v": L(N(1))}),
    updates("unknown_function", "SET v = upper(s)", INVALID),
    updates("condition_function", "SET v = attribute_exists(s)", INVALID),
    updates("size_function", "SET v = size(s)", INVALID),
    # REMOVE
    updates("remove", "REMOVE s", {"s": None}),
    updates("remove_several", "REMOVE s, n", {"s": None, "n": None}),
    updates("remove_absent", "REMOVE absent", {}),
    updates("remove_on_absent_item", "REMOVE s", {}, before=None, source="majority"),
    updates("remove_nested", "REMOVE m.kid.b", {"m": M(a=N(1), kid=M())}),
    updates("remove_nested_absent", "REMOVE m.absent", {}),
    updates("remove_under_absent", "REMOVE absent.x", INVALID),
    updates("remove_under_a_scalar", "REMOVE s.x", INVALID),
    updates("remove_element", "REMOVE l[1]", {"l": L(S("a"), S("c"), S("d"))}),
    updates("remove_elements_by_old_positions", "REMOVE l[0], l[2]", {"l": L(S("b"), S("d"))}),
    updates("remove_elements_backwards", "REMOVE l[2], l[0]", {"l": L(S("b"), S("d"))}),
    updates("remove_element_beyond", "REMOVE l[9]", {}),
    updates("remove_element_of_absent", "REMOVE absent[0]", INVALID),
    updates("remove_all_elements", "REMOVE l[0], l[1], l[2], l[3]", {"l": L()}),
    updates("remove_value", "REMOVE :v", INVALID, {"v": S("s")}),
    updates("remove_set_whole", "REMOVE ss", {"ss": None}),
    updates(
        "remove_and_set_elements",
        "SET l[0] = :v REMOVE l[1]",
        {"l": L(N(9), S("c"), S("d"))},
        {"v": N(9)},
    ),
    # ADD
    updates("add_number", "ADD n :v", {"n": N(8)}, {"v": N(3)}),
    updates("add_negative", "ADD n :v", {"n": N(2)}, {"v": N(-3)}),
    updates("add_number_to_absent", "ADD v :v", {"v": N(3)}, {"v": N(3)}),
    updates("add_number_to_absent_item", "ADD v :v", {"v": N(3)}, {"v": N(3)}, before=None),
    updates("add_strings", "ADD ss :v", {"ss": SS("a", "b", "c")}, {"v": SS("b", "c")}),
    updates("add_numbers", "ADD ns :v", {"ns": NS(1, 2, 3)}, {"v": NS("2.0", 3)}),
    updates("add_binaries", "ADD bs :v", {"bs": BS(b"a", b"b", b"c")}, {"v": BS(b"c")}),
    updates("add_set_to_absent", "ADD v :v", {"v": SS("a")}, {"v": SS("a")}),
    updates("add_number_to_text", "ADD s :v", INVALID, {"v": N(1)}),
    updates("add_number_to_set", "ADD ns :v", INVALID, {"v": N(1)}),
    updates("add_set_to_number", "ADD n :v", INVALID, {"v": NS(1)}),
    updates("add_other_kind_of_set", "ADD ss :v", INVALID, {"v": NS(1)}),
    updates("add_text", "ADD v :v", INVALID, {"v": S("x")}),
    updates("add_list", "ADD v :v", INVALID, {"v": L(N(1))}),
    updates("add_map", "ADD v :v", INVALID, {"v": M(x=N(1))}),
    updates("add_boolean", "ADD v :v", INVALID, {"v": TRUE}),
    updates("add_empty_set", "ADD v :v", INVALID, {"v": {"SS": []}}),
    updates("add_nested", "ADD m.a :v", {"m": M(a=N(4), kid=M(b=N(2)))}, {"v": N(3)}),
    updates("add_nested_new", "ADD m.c :v", {"m": M(a=N(1), c=N(3), kid=M(b=N(2)))}, {"v": N(3)}),
    updates("add_under_absent", "ADD absent.c :v", INVALID, {"v": N(3)}),
    updates("add_attribute", "ADD n m", INVALID),
    updates("add_with_equals", "ADD n = :v", INVALID, {"v": N(1)}),
    updates("add_several", "ADD n :v, v :v", {"n": N(6), "v": N(1)}, {"v": N(1)}),
    # DELETE
    updates("delete_member", "DELETE ss :v", {"ss": SS("b")}, {"v": SS("a")}),
    updates("delete_absent_member", "DELETE ss :v", {}, {"v": SS("z")}),
    updates("delete_all_members", "DELETE ss :v", {"ss": None}, {"v": SS("a", "b")}),
    updates("delete_numbers", "DELETE ns :v", {"ns": NS(2)}, {"v": NS("1.0", 7)}),
    updates("delete_binaries", "DELETE bs :v", {"bs": BS(b"b")}, {"v": BS(b"a")}),
    updates("delete_from_absent", "DELETE absent :v", {}, {"v": SS("z")}),
    updates(
        "delete_on_absent_item", "DELETE ss :v", {}, {"v": SS("z")}, before=None, source="majority"
    ),
    updates("delete_other_kind_of_set", "DELETE ss :v", INVALID, {"v": NS(1)}),
    updates("delete_from_number", "DELETE n :v", INVALID, {"v": NS(5)}),
    updates("delete_number", "DELETE n :v", INVALID, {"v": N(5)}),
    updates("delete_text", "DELETE ss :v", INVALID, {"v": S("a")}),
    updates("delete_list", "DELETE l :v", INVALID, {"v": L(S("a"))}),
    updates("delete_without_value", "DELETE ss", INVALID),
    # Clauses together
    updates(
        "all_clauses",
        "SET v = :v REMOVE s ADD n :v DELETE ss :a",
        {"v": N(1), "s": None, "n": N(6), "ss": SS("b")},
        {"v": N(1), "a": SS("a")},
    ),
    updates(
        "clauses_in_any_order",
        "DELETE ss :a ADD n :v REMOVE s SET v = :v",
        {"v": N(1), "s": None, "n": N(6), "ss": SS("b")},
        {"v": N(1), "a": SS("a")},
    ),
    updates("clause_twice", "SET n = :v SET s = :v", INVALID, {"v": N(1)}),
    updates("remove_clause_twice", "REMOVE n REMOVE s", INVALID),
    # Overlaps
    updates("same_path_twice", "SET n = :v, n = :w", INVALID, {"v": N(1), "w": N(2)}),
    updates("same_path_in_two_clauses", "SET n = :v REMOVE n", INVALID, {"v": N(1)}),
    updates("same_path_by_name", "SET n = :v REMOVE #n", INVALID, {"v": N(1)}, {"n": "n"}),
    updates("path_and_its_parent", "SET m = :v, m.a = :v", INVALID, {"v": M()}),
    updates("path_and_its_grandparent", "SET m.kid.b = :v REMOVE m", INVALID, {"v": N(1)}),
    updates("element_and_its_list", "SET l[0] = :v REMOVE l", INVALID, {"v": N(1)}),
    updates("same_element_twice", "SET l[0] = :v REMOVE l[0]", INVALID, {"v": N(1)}),
    updates("element_and_member", "SET m[0] = :v, m.a = :v", INVALID, {"v": N(1)}),
    updates(
        "siblings",
        "SET m.a = :v, m.kid.b = :v, m.c = :v",
        {"m": M(a=N(9), c=N(9), kid=M(b=N(9)))},
        {"v": N(9)},
    ),
    # Keys
    updates("set_key", "SET pk = :v", INVALID, {"v": S("b")}),
    updates("set_key_to_itself", "SET pk = :v", INVALID, {"v": S("a")}),
    updates("remove_key", "REMOVE pk", INVALID),
    updates("add_key", "ADD pk :v", INVALID, {"v": N(1)}),
    updates("set_under_key", "SET pk.x = :v", INVALID, {"v": N(1)}),
    updates("set_from_key", "SET v = pk", {"v": S("a")}),
    # Mistakes
    updates("empty", "", INVALID),
    updates("only_space", "  ", INVALID),
    updates("only_the_word", "SET", INVALID),
    updates("unknown_clause", "PUT n = :v", INVALID, {"v": N(1)}),
    updates("no_clause", "n = :v", INVALID, {"v": N(1)}),
    updates("trailing_comma", "SET n = :v,", INVALID, {"v": N(1)}),
    updates("leading_comma", "SET , n = :v", INVALID, {"v": N(1)}),
    updates("missing_comma", "SET n = :v s = :v", INVALID, {"v": N(1)}),
    updates("no_value", "SET n =", INVALID),
    updates("no_equals", "SET n :v", INVALID, {"v": N(1)}),
    updates("value_on_the_left", "SET :v = n", INVALID, {"v": N(1)}),
    updates("undefined_value", "SET n = :undefined", INVALID),
    updates("undefined_name", "SET #undefined = n", INVALID),
    updates("unused_value", "SET n = :v", INVALID, {"v": N(1), "w": N(1)}),
    updates("unused_name", "SET n = :v", INVALID, {"v": N(1)}, {"x": "x"}),
    updates("reserved_word", "SET name = :v", INVALID, {"v": N(1)}),
    updates("reserved_word_nested", "SET m.name = :v", INVALID, {"v": N(1)}),
    updates("reserved_word_by_name", "SET #n = :v", {"name": N(1)}, {"v": N(1)}, {"n": "name"}),
    updates("comparison", "SET n = :v = :v", INVALID, {"v": N(1)}),
    updates("semicolon", "SET n = :v;", INVALID, {"v": N(1)}),
    updates("hyphen_in_name", "SET a-b = :v", INVALID, {"v": N(1)}),
    updates("negative_index", "SET l[-1] = :v", INVALID, {"v": N(1)}),
    updates("empty_index", "SET l[] = :v", INVALID, {"v": N(1)}),
    updates("dangling_dot", "SET m. = :v", INVALID, {"v": N(1)}),
    updates("starting_dot", "SET .m = :v", INVALID, {"v": N(1)}),
    updates("double_dot", "SET m..a = :v", INVALID, {"v": N(1)}),
]


def test_update_expressions(tables: Tables, case: Case) -> None:
    """An update expression does what DynamoDB does with it, or is refused and changes nothing."""
    check(tables, case)
