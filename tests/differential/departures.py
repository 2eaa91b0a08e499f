"""Where we differ from the witnesses and mean to: each with its reason and where that stands.

A source is the name of a page of AWS's documentation, "service" for an error text that the
service is known to give, or "majority"; the conformance cases use the same. Every departure
carries a scenario that shows it, so that one which no longer happens is found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.differential.comparison import Difference
from tests.differential.requests import Scenario, Step
from tests.differential.tables import TABLE, Index, Table
from tests.differential.values import KINDS, Json, plain_number

_TOKENS = re.compile(r"[#:]?[A-Za-z_0-9]+|<>|<=|>=|\S")


@dataclass(frozen=True)
class Departure:
    """A rule we follow and most witnesses do not."""

    name: str
    reason: str
    source: str
    applies: Callable[[Difference], bool]
    # A request to create a table stands for itself.
    example: Scenario | Json


def known(difference: Difference) -> Departure | None:
    """The departure that explains a difference."""
    return next((one for one in DEPARTURES if one.applies(difference)), None)


# What a request says ------------------------------------------------------------------


def parts(request: Any) -> Iterator[Json]:
    """Every object in a request that has a table, and so may have expressions."""
    if isinstance(request, dict):
        if "TableName" in request or "Keys" in request:
            yield request
        for member in request.values():
            yield from parts(member)
    elif isinstance(request, list):
        for member in request:
            yield from parts(member)


def condition_texts(difference: Difference) -> Iterator[tuple[str, Json]]:
    """Every condition, filter and key condition, with its request."""
    for part in parts(difference.step.request):
        for member in ("ConditionExpression", "FilterExpression", "KeyConditionExpression"):
            if isinstance(part.get(member), str):
                yield part[member], part


def conditions(difference: Difference) -> Iterator[tuple[list[str], Json]]:
    """The tokens of every condition, with the values they use."""
    for text, part in condition_texts(difference):
        yield _TOKENS.findall(text), part.get("ExpressionAttributeValues", {})


def updates(difference: Difference) -> Iterator[tuple[str, Json]]:
    """Every update expression, with its request."""
    for part in parts(difference.step.request):
        if isinstance(part.get("UpdateExpression"), str):
            yield part["UpdateExpression"], part


def names_in(text: str, part: Json) -> set[str]:
    """Attributes that a projection, condition or update begins its paths with."""
    found = re.findall(r"(?<![.\w#:])#?[A-Za-z_]\w*", text)
    names = part.get("ExpressionAttributeNames", {})
    return {names.get(name, name) for name in found}


def index_of(difference: Difference) -> Index | None:
    """The index that a query or scan reads."""
    name = difference.step.request.get("IndexName")
    return next((one for one in difference.table.indexes if one.name == name), None)


def is_refused(difference: Difference) -> bool:
    """We answer ValidationException, by itself or as a transaction's reason; they do not."""
    ours, reason = difference.ours, "ValidationError"
    if difference.facet == "answer":
        return ours.answer.count(reason) > difference.other().answer.count(reason)
    return difference.facet == "code" and (
        ours.code == "ValidationException"
        or (ours.code == "TransactionCanceledException" and reason in ours.answer)
    )


# The departures -----------------------------------------------------------------------


def _simple(
    *steps: Step, items: list[Json] | None = None, indexes: tuple[Index, ...] = ()
) -> Scenario:
    types = {"pk": "S", "sk": "S"}
    types |= {name: "S" for index in indexes for name in index.key_names}
    return Scenario(Table("pk", "sk", types, indexes), items or [], list(steps))


_KEY: Json = {"pk": {"S": "a"}, "sk": {"S": "1"}}
_ONE: Json = {"ExpressionAttributeValues": {":v": {"N": "1"}}}


def _put(condition: str, **values: Json) -> Step:
    request: Json = {"TableName": TABLE, "Item": _KEY, "ConditionExpression": condition}
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": it for name, it in values.items()}
    return Step("PutItem", request)


def _filter(condition: str, **values: Json) -> Step:
    request: Json = {"TableName": TABLE, "FilterExpression": condition}
    request["ExpressionAttributeValues"] = {f":{name}": it for name, it in values.items()}
    return Step("Scan", request, pages=True)


def _update(expression: str, **members: Any) -> Step:
    request = {"TableName": TABLE, "Key": _KEY, "UpdateExpression": expression, **members}
    return Step("UpdateItem", request)


def _has_an_operand_of_the_wrong_type(difference: Difference) -> bool:
    return is_refused(difference) and any(
        not kinds & values.get(operand, dict.fromkeys(kinds)).keys()
        or (kinds == {"S"} and values.get(operand, {"S": "S"})["S"] not in KINDS)
        for tokens, values in conditions(difference)
        for operand, kinds in _typed_operands(tokens)
    )


def _typed_operands(tokens: list[str]) -> Iterator[tuple[str, set[str]]]:
    """Operands that must have some types, with these."""
    for operand in _ordered_operands(tokens):
        yield operand, {"S", "N", "B"}
    for at, token in enumerate(tokens):
        if token in ("begins_with", "attribute_type"):
            for operand in tokens[at + 2 :]:
                if operand == ")":
                    break
                yield operand, {"S", "B"} if token == "begins_with" else {"S"}


def _ordered_operands(tokens: list[str]) -> Iterator[str]:
    """Operands beside < and the like, and those of BETWEEN."""
    for at, token in enumerate(tokens):
        if token in ("<", "<=", ">", ">="):
            yield from tokens[max(at - 1, 0) : at + 2]
        elif token == "BETWEEN":
            yield from tokens[max(at - 1, 0) : at]
            yield from _bounds(tokens, at)


def _bounds(tokens: list[str], between: int) -> Iterator[str]:
    """The last token of the lower bound, the first of the upper one."""
    if "AND" in tokens[between:]:
        at = tokens.index("AND", between)
        yield from (tokens[at - 1], *tokens[at + 1 : at + 2])


def _compares_with_itself(difference: Difference) -> bool:
    return is_refused(difference) and any(
        _TWICE.search(_with_names(text, part)) for text, part in condition_texts(difference)
    )


_TWICE = re.compile(
    r"(?<![\w.\]])([\w.\[\]]+) ([<>=]+|BETWEEN|IN \() ?([^()]+, |\S+ AND )?\1(?![\w.\[])"
)


def _with_names(text: str, part: Json) -> str:
    names = part.get("ExpressionAttributeNames", {})
    return re.sub(r"#\w+", lambda found: names.get(found[0], found[0]), text)


def _has_bounds_that_do_not_fit(difference: Difference) -> bool:
    return is_refused(difference) and any(
        token == "BETWEEN" and all(bound in values for bound in _bounds(tokens, at))
        for tokens, values in conditions(difference)
        for at, token in enumerate(tokens)
    )


def _wants_what_a_global_index_lacks(difference: Difference) -> bool:
    index = index_of(difference)
    wanted = _wanted(difference)
    return (
        is_refused(difference)
        and index is not None
        and index.is_global
        and not wanted <= _projected(difference.table, index)
    )


def _wanted(difference: Difference) -> set[str]:
    request = difference.step.request
    return names_in(request.get("ProjectionExpression", ""), request)


def _projected(table: Table, index: Index) -> set[str]:
    return {*table.key_names, *index.key_names, *index.included}


def _filters_by_what_is_not_projected(difference: Difference) -> bool:
    index, request = index_of(difference), difference.step.request
    return (
        index is not None
        and index.projection != "ALL"
        and difference.facet == "answer"
        and not names_in(request.get("FilterExpression", ""), request)
        <= _projected(difference.table, index)
    )


def _fetches_from_the_table(difference: Difference) -> bool:
    index = index_of(difference)
    if index is None or index.is_global or index.projection == "ALL":
        return False
    selects_all = difference.step.request.get("Select") == "ALL_ATTRIBUTES"
    lacks = not _wanted(difference) <= _projected(difference.table, index)
    return difference.facet in ("answer", "capacity") and (selects_all or lacks)


def _removes_under_what_is_absent(difference: Difference) -> bool:
    return is_refused(difference) and any(
        re.search(r"REMOVE[^=:]*[.\[]", text) for text, _ in updates(difference)
    )


def _needs_more_than_38_digits(difference: Difference) -> bool:
    dynoxide = difference.theirs.get("dynoxide")
    return (
        is_refused(difference)
        and dynoxide is not None
        and dynoxide.code == difference.ours.code
        and any(re.search(r"[+-]|\bADD\b", text) for text, _ in updates(difference))
    )


def _updates_a_key(difference: Difference) -> bool:
    keys = set(difference.table.key_names)
    return is_refused(difference) and any(
        names_in(text, part) & keys for text, part in updates(difference)
    )


def _denies_twice(difference: Difference) -> bool:
    return (
        any(re.search(r"NOT[\s(]+NOT\b", text) for text, _ in condition_texts(difference))
        and difference.other().code == "ValidationException"
    )


def _is_a_transaction(difference: Difference) -> bool:
    return (
        difference.ours.code == "ValidationException"
        and difference.step.operation in ("TransactWriteItems", "TransactGetItems")
        and difference.other().code in ("", "TransactionCanceledException")
    )


def _names_members_by_other_texts(difference: Difference) -> bool:
    """Whether a set of numbers is changed by numbers that are not written as they are kept."""
    return any(
        re.search(r"\b(ADD|DELETE)\b", text)
        and any(
            plain_number(Decimal(member)) != member
            for value in part.get("ExpressionAttributeValues", {}).values()
            for member in value.get("NS", ())
        )
        for text, part in updates(difference)
    )


def _projects_too_many(difference: Difference) -> bool:
    request = difference.step.request
    indexes = [
        *request.get("GlobalSecondaryIndexes", []),
        *request.get("LocalSecondaryIndexes", []),
    ]
    return is_refused(difference) and any(
        len(index.get("Projection", {}).get("NonKeyAttributes", [])) > 20 for index in indexes
    )


_GLOBAL = Index("global0", True, ("g",), (), "KEYS_ONLY")
_LOCAL = Index("local0", False, ("pk",), ("k",), "KEYS_ONLY")
_INDEXED = [{**_KEY, "g": {"S": "x"}, "k": {"S": "y"}, "s": {"S": "z"}}]

DEPARTURES = [
    Departure(
        "an operand of the wrong type",
        "Strings, numbers and binaries have an order, strings and binaries beginnings.",
        "API_Condition",
        _has_an_operand_of_the_wrong_type,
        _simple(_put("n < :v", v={"BOOL": True})),
    ),
    Departure(
        "an operand compared with itself",
        "The first operand must be distinct from the others.",
        "service",
        _compares_with_itself,
        _simple(_put("n < n")),
    ),
    Departure(
        "bounds that hold nothing",
        "BETWEEN needs an upper bound that is not below the lower one, and of its type.",
        "service",
        _has_bounds_that_do_not_fit,
        _simple(_filter("n BETWEEN :v AND :w", v={"N": "1"}, w={"S": "2"}), items=[_KEY]),
    ),
    Departure(
        "what a global index does not project",
        "A query of a global index cannot fetch attributes from the table.",
        "API_Query",
        _wants_what_a_global_index_lacks,
        _simple(
            Step(
                "Scan",
                {"TableName": TABLE, "IndexName": "global0", "ProjectionExpression": "s"},
                pages=True,
            ),
            items=_INDEXED,
            indexes=(_GLOBAL,),
        ),
    ),
    Departure(
        "what a local index does not project",
        "Attributes that are asked for and not projected are fetched from the table, and cost.",
        "API_Query",
        _fetches_from_the_table,
        _simple(
            Step(
                "Scan",
                {"TableName": TABLE, "IndexName": "local0", "ProjectionExpression": "s"},
                pages=True,
            ),
            items=_INDEXED,
            indexes=(_LOCAL,),
        ),
    ),
    Departure(
        "a filter on what an index does not project",
        "A filter sees what the index holds, and two missing attributes are equal.",
        "majority",
        _filters_by_what_is_not_projected,
        _simple(
            Step(
                "Scan",
                {"TableName": TABLE, "IndexName": "global0", "FilterExpression": "s = x"},
                pages=True,
            ),
            items=_INDEXED,
            indexes=(_GLOBAL,),
        ),
    ),
    Departure(
        "removing under what is not there",
        "The path to what is removed must lead to a map or list.",
        "service",
        _removes_under_what_is_absent,
        _simple(_update("REMOVE m.x"), items=[_KEY]),
    ),
    Departure(
        "a sum of more than 38 digits",
        "A number has up to 38 digits; exceeding this results in an exception.",
        "HowItWorks.NamingRulesDataTypes",
        _needs_more_than_38_digits,
        _simple(
            _update(
                "SET n = :v - :w",
                ExpressionAttributeValues={":v": {"N": "-10"}, ":w": {"N": f"-0.{'0' * 40}1"}},
            ),
        ),
    ),
    Departure(
        "an update of a key whose condition fails",
        "The request is refused before its condition is looked at.",
        "API_UpdateItem",
        _updates_a_key,
        _simple(_update("REMOVE sk", ConditionExpression="attribute_exists(n)")),
    ),
    Departure(
        "a transaction with a wrong expression",
        "An expression that no item can make right is refused before the transaction begins.",
        "API_TransactWriteItems",
        _is_a_transaction,
        _simple(
            Step(
                "TransactWriteItems",
                {"TransactItems": [{"Update": _update("SET n = :v REMOVE n", **_ONE).request}]},
            )
        ),
    ),
    Departure(
        "more than 20 projected attributes",
        "NonKeyAttributes has 1 to 20 members.",
        "API_Projection",
        _projects_too_many,
        Table(
            "pk",
            "",
            {"pk": "S"},
            (Index("wide", True, ("pk",), (), "INCLUDE", tuple(f"n{at}" for at in range(21))),),
        ).creation(),
    ),
    Departure(
        "NOT before NOT",
        "NOT stands before any condition, one that begins with NOT included.",
        "Expressions.OperatorsAndFunctions",
        _denies_twice,
        # ministack refuses the number here, not the NOTs; that makes three.
        _simple(
            _filter("NOT NOT NOT begins_with(n, :v)", v={"S": "a"}),
            items=[{**_KEY, "n": {"N": "1"}}],
        ),
    ),
    Departure(
        "members of a set by other texts",
        "Numbers are compared by value: 10e-1 is the member 1.",
        "HowItWorks.NamingRulesDataTypes",
        _names_members_by_other_texts,
        _simple(
            _update("DELETE ns :v", ExpressionAttributeValues={":v": {"NS": ["10e-1"]}}),
            items=[{**_KEY, "ns": {"NS": ["1", "2"]}}],
        ),
    ),
]
