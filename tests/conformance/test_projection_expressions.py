"""Projection expressions."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    INVALID,
    SS,
    Case,
    Json,
    L,
    M,
    N,
    S,
    Source,
    at,
    on,
    page,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("projection_expressions", "Expressions.ProjectionExpressions")

KEY = {"pk": S("a")}
ITEM = {
    **KEY,
    "s": S("x"),
    "n": N(1),
    "m": M(a=N(1), b=M(c=S("deep"), d=N(4)), e=L(N(0), M(f=N(5), g=N(6)))),
    "l": L(S("zero"), S("one"), M(k=N(2), j=N(3)), L(N(30), N(31))),
    "ss": SS("p", "q"),
    "name": S("reserved"),
    "x.y": S("dotted"),
}


def projects(
    name: str,
    expression: str,
    expected: Any,
    names: dict[str, str] | None = None,
    source: str = "",
) -> Case:
    """A case: what GetItem and Scan return of ITEM, or an error."""
    more: Json = {}
    if names:
        more["ExpressionAttributeNames"] = {f"#{name}": value for name, value in names.items()}
    fails = not isinstance(expected, dict)
    return case(
        name,
        (
            "GetItem",
            at("@simple", KEY, ProjectionExpression=expression, **more),
            expected if fails else {"Item": expected},
        ),
        (
            "Scan",
            on("@simple", ProjectionExpression=expression, **more),
            expected if fails else page(expected),
        ),
        given=puts("@simple", ITEM),
        source=source,
    )


CASES = [
    projects("one", "s", {"s": S("x")}),
    projects("several", "s, n", {"s": S("x"), "n": N(1)}),
    projects("key", "pk", KEY),
    projects("whole_map", "m", {"m": ITEM["m"]}),
    projects("member", "m.a", {"m": M(a=N(1))}),
    projects("member_of_member", "m.b.c", {"m": M(b=M(c=S("deep")))}),
    projects("two_members", "m.a, m.b.c", {"m": M(a=N(1), b=M(c=S("deep")))}),
    projects("two_members_of_a_member", "m.b.c, m.b.d", {"m": M(b=M(c=S("deep"), d=N(4)))}),
    projects("element", "l[0]", {"l": L(S("zero"))}),
    projects("last_element", "l[3]", {"l": L(L(N(30), N(31)))}),
    projects("elements_in_list_order", "l[2], l[0]", {"l": L(S("zero"), ITEM["l"]["L"][2])}),
    projects("member_of_element", "l[2].k", {"l": L(M(k=N(2)))}),
    projects("two_members_of_an_element", "l[2].k, l[2].j", {"l": L(M(k=N(2), j=N(3)))}),
    projects("element_of_element", "l[3][1]", {"l": L(L(N(31)))}),
    projects("element_of_member", "m.e[1].f", {"m": M(e=L(M(f=N(5))))}),
    projects("element_beyond", "l[10]", {}),
    projects("element_beyond_and_another", "l[10], l[1]", {"l": L(S("one"))}),
    projects("absent", "absent", {}),
    projects("absent_and_present", "absent, s", {"s": S("x")}),
    projects("absent_member", "m.z", {}),
    projects("absent_member_of_member", "m.b.z", {}),
    projects("absent_member_besides", "m.z, m.a", {"m": M(a=N(1))}),
    projects("member_of_text", "s.a", {}),
    projects("element_of_text", "s[0]", {}),
    projects("element_of_map", "m[0]", {}),
    projects("member_of_list", "l.a", {}),
    projects("member_of_set", "ss.p", {}),
    projects("by_name", "#n", {"name": S("reserved")}, {"n": "name"}),
    projects("name_with_a_dot", "#d", {"x.y": S("dotted")}, {"d": "x.y"}),
    projects("names_in_path", "#m.#b.c", {"m": M(b=M(c=S("deep")))}, {"m": "m", "b": "b"}),
    projects("name_then_element", "#l[1]", {"l": L(S("one"))}, {"l": "l"}),
    projects("without_spaces", "s,n", {"s": S("x"), "n": N(1)}),
    projects("spaces", " s ,\tn\n", {"s": S("x"), "n": N(1)}),
    # Refused
    projects("reserved_word", "name", INVALID),
    projects("reserved_word_nested", "m.name", INVALID),
    projects("same_twice", "s, s", INVALID),
    projects("same_by_name", "s, #s", INVALID, {"s": "s"}),
    projects("parent_and_member", "m, m.a", INVALID),
    projects("member_and_parent", "m.a, m", INVALID),
    projects("list_and_element", "l, l[0]", INVALID),
    projects("same_element_twice", "l[0], l[0]", INVALID),
    projects("member_and_element", "m.a, m[0]", INVALID),
    projects("undefined_name", "#undefined", INVALID),
    projects("unused_name", "s", INVALID, {"x": "x"}),
    projects("value", ":v", INVALID),
    projects("function", "size(s)", INVALID),
    projects("empty", "", INVALID),
    projects("only_space", " ", INVALID),
    projects("trailing_comma", "s,", INVALID),
    projects("leading_comma", ",s", INVALID),
    projects("no_comma", "s n", INVALID),
    projects("star", "*", INVALID),
    projects("negative_index", "l[-1]", INVALID),
    projects("no_index", "l[]", INVALID),
    projects("open_index", "l[0", INVALID),
    projects("fraction_index", "l[0.5]", INVALID),
    projects("index_of_nothing", "[0]", INVALID),
    projects("dangling_dot", "m.", INVALID),
    projects("starting_digit", "1s", INVALID),
    projects("hyphen", "a-b", INVALID),
    projects("parentheses", "(s)", INVALID),
]


def test_projection_expressions(tables: Tables, case: Case) -> None:
    """A projection returns what DynamoDB returns, or is refused."""
    check(tables, case)
