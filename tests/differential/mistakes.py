"""Requests with one thing wrong, or nearly so."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.differential.expressions import EXPRESSIONS, TOKENS
from tests.differential.tables import ATTRIBUTES, Pool
from tests.differential.values import Json, anything, pick

Spoiler = Callable[[st.DrawFn, Pool, Json], Json]


@st.composite
def spoiled(draw: st.DrawFn, pool: Pool, request: Json) -> Json:
    """The request with one thing wrong: in an expression, a key, a list or another member."""
    ways: list[Spoiler] = [_with_odd_member]
    if any(name in request for name in EXPRESSIONS):
        ways += [_with_odd_expression] * 6
    if any(name in request for name in _KEYS):
        ways += [_with_odd_key] * 2
    if "TransactItems" in request or "RequestItems" in request:
        ways += [_with_odd_list, _with_odd_part, _with_odd_part]
    return pick(draw, ways)(draw, pool, request)


def _with_odd_part(draw: st.DrawFn, pool: Pool, request: Json) -> Json:
    """One of the requests in a batch or transaction is wrong."""
    if "TransactItems" in request:
        parts = list(request["TransactItems"])
        at = pick(draw, range(len(parts)))
        ((kind, part),) = parts[at].items()
        parts[at] = {kind: draw(spoiled(pool, part))}
        return {**request, "TransactItems": parts}
    ((name, wanted),) = request["RequestItems"].items()
    if isinstance(wanted, dict):
        return {**request, "RequestItems": {name: draw(spoiled(pool, wanted))}}
    at = pick(draw, range(len(wanted)))
    ((kind, part),) = wanted[at].items()
    changed = [*wanted[:at], {kind: draw(spoiled(pool, part))}, *wanted[at + 1 :]]
    return {**request, "RequestItems": {name: changed}}


def _with_odd_list(draw: st.DrawFn, pool: Pool, request: Json) -> Json:
    """Nothing, one thing twice, or too much in a batch or transaction."""

    def changed(members: list[Any]) -> list[Any]:
        ways: tuple[list[Any], ...] = ([], [*members, members[0]], members * 101, [*members, {}])
        return pick(draw, ways)

    if "TransactItems" in request:
        return {**request, "TransactItems": changed(request["TransactItems"])}
    ((name, wanted),) = request["RequestItems"].items()
    if isinstance(wanted, dict):
        wanted = {**wanted, "Keys": changed(wanted["Keys"])}
    else:
        wanted = changed(wanted)
    return {**request, "RequestItems": {name: wanted}}


def _with_odd_expression(draw: st.DrawFn, pool: Pool, request: Json) -> Json:
    return draw(_with_spoiled_expression(request))


def _with_odd_member(draw: st.DrawFn, pool: Pool, request: Json) -> Json:
    member, value = pick(draw, _ODD_MEMBERS)
    return {**request, member: value}


_ODD_MEMBERS: list[tuple[str, Any]] = [
    ("TableName", "@absent"),
    ("IndexName", "absent"),
    ("Limit", 0),
    ("Select", "COUNT"),
    ("Select", "SPECIFIC_ATTRIBUTES"),
    ("Select", "ALL_PROJECTED_ATTRIBUTES"),
    ("ReturnValues", "UPDATED_NEW"),
    ("ReturnValues", "ALL_OLD"),
    ("ReturnValues", "ALL"),
    ("ConsistentRead", True),
    ("ReturnConsumedCapacity", "SOME"),
    ("Segment", 3),
    ("TotalSegments", 2),
    ("ExclusiveStartKey", {}),
    ("ExpressionAttributeNames", {}),
    ("ExpressionAttributeValues", {}),
    ("ProjectionExpression", "n, n"),
    ("ClientRequestToken", "x" * 37),
]


def _with_odd_key(draw: st.DrawFn, pool: Pool, request: Json) -> Json:
    member = next(name for name in _KEYS if name in request)
    key = dict(request[member][0] if member == "Keys" else request[member])
    name = pick(draw, sorted(pool.table.types))
    way = pick(draw, ("leave out", "other type", "more", "empty"))
    if way == "leave out":
        key.pop(name, None)
    elif way == "other type":
        key[name] = draw(anything)
    elif way == "more":
        key["n2"] = {"N": "1"}
    else:
        key[name] = {"S": ""} if pool.table.types[name] == "S" else {"B": ""}
    return {**request, member: [key] if member == "Keys" else key}


_KEYS = ("Key", "Item", "ExclusiveStartKey", "Keys")


# Expressions ---------------------------------------------------------------------------

TOKEN_SOUP = (
    *"()[],.=<>+-",
    "<>",
    "<=",
    *("AND", "OR", "NOT", "IN", "BETWEEN", "SET", "REMOVE", "ADD", "DELETE"),
    *("size", "contains", "begins_with", "attribute_exists", "attribute_type"),
    *("if_not_exists", "list_append", "n", "s", "status", "name", "#n", ":v0", ":v1", "#x"),
    *("0", "1", "-1", "01", "1a", "é", "'a'", '"a"', "pk", "and", "Set", "*", "[0]"),
)


@st.composite
def _with_spoiled_expression(draw: st.DrawFn, request: Json) -> Json:
    """The request with an expression or substitution changed, which mostly makes it invalid."""
    texts = [name for name in EXPRESSIONS if request.get(name)]
    ways = ["unused name", "unused value", "empty substitutions"]
    if texts:
        ways += ["token", "token", "token", "reserved", "empty"]
    if request.get("ExpressionAttributeNames"):
        ways.append("undefined name")
    if request.get("ExpressionAttributeValues"):
        ways += ["undefined value", "other type", "other type"]
    way = pick(draw, ways)
    changed = dict(request)
    names = dict(request.get("ExpressionAttributeNames", {}))
    values = dict(request.get("ExpressionAttributeValues", {}))
    match way:
        case "token":
            name = pick(draw, texts)
            changed[name] = draw(_mutated(request[name]))
        case "reserved":
            name = pick(draw, texts)
            changed[name] = _with_reserved_word(request[name])
        case "empty":
            changed[pick(draw, texts)] = ""
        case "unused name":
            names["#unused"] = "n"
        case "unused value":
            values[":unused"] = {"N": "1"}
        case "undefined name":
            del names[pick(draw, list(names))]
        case "undefined value":
            del values[pick(draw, list(values))]
        case "other type":
            values[pick(draw, list(values))] = draw(anything)
        case "empty substitutions":
            changed[pick(draw, ["ExpressionAttributeNames"])] = {}
            return changed
    for member, content in (
        ("ExpressionAttributeNames", names),
        ("ExpressionAttributeValues", values),
    ):
        changed.pop(member, None)
        if content:
            changed[member] = content
    return changed


@st.composite
def _mutated(draw: st.DrawFn, text: str) -> str:
    """The text with a token left out, doubled, replaced or put in."""
    tokens = TOKENS.findall(text)
    at = draw(st.integers(0, len(tokens) - 1))
    other = pick(draw, TOKEN_SOUP)
    put = {
        "leave out": [],
        "double": [tokens[at], tokens[at]],
        "replace": [other],
        "put in": [other, tokens[at]],
    }
    tokens[at : at + 1] = put[pick(draw, list(put))]
    return " ".join(tokens)


def _with_reserved_word(text: str) -> str:
    """The first name written as the reserved word `status`."""
    names = "|".join([*ATTRIBUTES, "pk", "sk", r"#\w+"])
    return re.sub(rf"(?<![#:\w])({names})(?!\w|\()", "status", text, count=1)
