"""Conditions and filters bound to a request: true or false of an item."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from ..attributes import Attributes, AttributeValue, decode_binary, equal
from . import syntax
from .operands import ORDERED, PREFIXED, Binder, Find
from .parser import invalid
from .paths import Values, describe
from .syntax import And, Between, Call, Comparison, In, Not, Operand, Or, Path, Value

Test = Callable[[Attributes, Values], bool]

_NO_ITEM: Attributes = {}


class Condition:
    """A condition with the values of one request."""

    __slots__ = ("_compiled", "_values")

    def __init__(self, compiled: CompiledCondition, values: Values) -> None:
        for check in compiled.checks:
            check(values)
        self._compiled = compiled
        self._values = values

    def matches(self, item: Attributes | None) -> bool:
        """Whether the condition is true of the item; None stands for no item."""
        return self._compiled.test(_NO_ITEM if item is None else item, self._values)

    def attribute_names(self) -> set[str]:
        """The names of the attributes it looks at."""
        return self._compiled.attribute_names


class CompiledCondition:
    """A condition with its names filled in, to be run with any values."""

    __slots__ = ("attribute_names", "checks", "test")

    def __init__(self, kind: str, root: syntax.Condition, names: Mapping[str, str]) -> None:
        binder = Binder(kind, names)
        self.test = _compile(binder, root)
        self.checks = tuple(binder.checks)
        self.attribute_names = binder.attribute_names


def _compile(binder: Binder, node: syntax.Condition) -> Test:
    match node:
        case And(parts):
            return _all([_compile(binder, part) for part in parts])
        case Or(parts):
            return _any([_compile(binder, part) for part in parts])
        case Not(part):
            test = _compile(binder, part)
            return lambda item, values: not test(item, values)
        case Comparison():
            return _comparison(binder, node)
        case Between():
            return _between(binder, node)
        case In(operand, options):
            return _one_of(binder.find(operand), [binder.find(option) for option in options])
        case Call(name):
            return _FUNCTIONS[name](binder, node)


def _all(tests: list[Test]) -> Test:
    if len(tests) == 2:
        first, second = tests
        return lambda item, values: first(item, values) and second(item, values)

    return lambda item, values: all(test(item, values) for test in tests)


def _any(tests: list[Test]) -> Test:
    return lambda item, values: any(test(item, values) for test in tests)


# Comparisons -----------------------------------------------------------------------


def _comparison(binder: Binder, node: Comparison) -> Test:
    sign = node.operator
    left, right = binder.find(node.left), binder.find(node.right)
    _refuse_same(binder, sign, node.left, node.right)
    if sign == "=":
        return _equal(left, right)
    if sign == "<>":
        same = _equal(left, right)
        # True also when one side is missing.
        return lambda item, values: not same(item, values)
    for operand in (node.left, node.right):
        binder.restrict(operand, ORDERED, f"operator: {sign}")
    holds = _ORDERS[sign]

    def test(item: Attributes, values: Values) -> bool:
        ours, theirs = left(item, values), right(item, values)
        if ours is None or theirs is None:
            return False
        tag = next(iter(ours))
        if tag not in theirs or tag not in ORDERED:
            return False
        return holds(rank(tag, ours[tag]), rank(tag, theirs[tag]))

    return test


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def rank(tag: str, content: str) -> Any:
    """Something that compares as values of the type do: S, N or B."""
    if tag == "S":
        # Code points compare as their UTF-8 does.
        return content
    return Decimal(content) if tag == "N" else decode_binary(content)


def _equal(left: Find, right: Find) -> Test:
    def test(item: Attributes, values: Values) -> bool:
        ours, theirs = left(item, values), right(item, values)
        # Most often the same text. Two that are missing are equal, as most witnesses say.
        if ours == theirs:
            return True
        # Sets and what holds them need the longer look.
        return ours is not None and theirs is not None and equal(ours, theirs)

    return test


def _one_of(find: Find, options: list[Find]) -> Test:
    return _any([_equal(find, option) for option in options])


def _between(binder: Binder, node: Between) -> Test:
    finds = [binder.find(operand) for operand in (node.operand, node.low, node.high)]
    for operand in (node.operand, node.low, node.high):
        binder.restrict(operand, ORDERED, "operator: BETWEEN")
    if isinstance(node.low, Value) and isinstance(node.high, Value):
        _check_bounds(binder, node.low.name, node.high.name)
    find, find_low, find_high = finds

    def test(item: Attributes, values: Values) -> bool:
        value, low, high = find(item, values), find_low(item, values), find_high(item, values)
        if value is None or low is None or high is None:
            return False
        tag = next(iter(value))
        if tag not in low or tag not in high or tag not in ORDERED:
            return False
        return bool(rank(tag, low[tag]) <= rank(tag, value[tag]) <= rank(tag, high[tag]))

    return test


def _check_bounds(binder: Binder, low: str, high: str) -> None:
    def check(values: Values) -> None:
        ((low_tag, low_content),) = values[low].items()
        ((high_tag, high_content),) = values[high].items()
        if low_tag != high_tag:
            rule = "same data type for lower and upper bounds"
        elif rank(low_tag, low_content) > rank(high_tag, high_content):
            rule = "upper bound to be greater than or equal to lower bound"
        else:
            return
        raise invalid(
            binder.kind,
            f"The BETWEEN operator requires {rule}; "
            f"lower bound operand: AttributeValue: {{{low_tag}:{low_content}}}, "
            f"upper bound operand: AttributeValue: {{{high_tag}:{high_content}}}",
        )

    binder.checks.append(check)


def _refuse_same(binder: Binder, what: str, left: Operand, right: Operand) -> None:
    if isinstance(left, Path) and isinstance(right, Path):
        parts = binder.parts(left)
        if parts == binder.parts(right):
            raise invalid(
                binder.kind,
                "The first operand must be distinct from the remaining operands for this "
                f"operator or function; operator: {what}, first operand: {describe(parts)}",
            )


# Functions -------------------------------------------------------------------------


def _attribute_exists(binder: Binder, call: Call) -> Test:
    find = binder.find(call.arguments[0])
    return lambda item, values: find(item, values) is not None


def _attribute_not_exists(binder: Binder, call: Call) -> Test:
    find = binder.find(call.arguments[0])
    return lambda item, values: find(item, values) is None


_TYPES = ("B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M")


def _attribute_type(binder: Binder, call: Call) -> Test:
    subject, wanted = call.arguments
    find = binder.find(subject)
    _refuse_same(binder, "attribute_type", subject, wanted)
    if not isinstance(wanted, Value):
        raise binder.wrong_type(
            "operator or function: attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
        )
    name = wanted.name
    binder.restrict(wanted, frozenset({"S"}), "operator or function: attribute_type")

    def check(values: Values) -> None:
        tag = values[name]["S"]
        if tag not in _TYPES:
            raise invalid(
                binder.kind,
                f"Invalid attribute type name found; type: {tag}, "
                f"valid types: {{{','.join(_TYPES)}}}",
            )

    binder.checks.append(check)

    def test(item: Attributes, values: Values) -> bool:
        value = find(item, values)
        return value is not None and values[name]["S"] in value

    return test


def _begins_with(binder: Binder, call: Call) -> Test:
    subject, prefix = call.arguments
    find, find_prefix = binder.find(subject), binder.find(prefix)
    for operand in call.arguments:
        binder.restrict(operand, PREFIXED, "operator or function: begins_with")
    _refuse_same(binder, "begins_with", subject, prefix)

    def test(item: Attributes, values: Values) -> bool:
        whole, start = find(item, values), find_prefix(item, values)
        if whole is None or start is None:
            return False
        if "S" in whole and "S" in start:
            return bool(whole["S"].startswith(start["S"]))
        if "B" in whole and "B" in start:
            return decode_binary(whole["B"]).startswith(decode_binary(start["B"]))
        return False

    return test


def _contains(binder: Binder, call: Call) -> Test:
    subject, member = call.arguments
    find, find_member = binder.find(subject), binder.find(member)
    _refuse_same(binder, "contains", subject, member)

    def test(item: Attributes, values: Values) -> bool:
        whole, part = find(item, values), find_member(item, values)
        return whole is not None and part is not None and _holds(whole, part)

    return test


def _holds(whole: AttributeValue, part: AttributeValue) -> bool:
    """A text within a text, bytes within bytes, a member of a set, an element of a list."""
    ((tag, content),) = whole.items()
    if tag == "L":
        return any(equal(element, part) for element in content)
    ((part_tag, part_content),) = part.items()
    if tag == part_tag == "S":
        return part_content in content
    if tag == part_tag == "B":
        return decode_binary(part_content) in decode_binary(content)
    return tag == part_tag + "S" and part_content in content


_FUNCTIONS: dict[str, Callable[[Binder, Call], Test]] = {
    "attribute_exists": _attribute_exists,
    "attribute_not_exists": _attribute_not_exists,
    "attribute_type": _attribute_type,
    "begins_with": _begins_with,
    "contains": _contains,
}
