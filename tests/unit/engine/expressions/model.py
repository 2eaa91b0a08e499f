"""A plain model of conditions and updates, each rule as DynamoDB's documentation has it."""

from __future__ import annotations

import base64
from copy import deepcopy
from fractions import Fraction
from typing import Any

from keypact.engine.expressions.syntax import (
    Action,
    And,
    Between,
    Call,
    Comparison,
    Condition,
    In,
    Not,
    Operand,
    Or,
    Path,
    Sum,
    Value,
)

from .writing import VALUES, resolved

Item = dict[str, Any]

# Conditions ------------------------------------------------------------------------


def look(item: Item, path: Path) -> Any:
    value: Any = {"M": item}
    for part in resolved(path) or ():
        inside = value.get("M" if isinstance(part, str) else "L")
        try:
            value = inside[part]
        except (TypeError, KeyError, IndexError):
            return None
    return value


def evaluate(operand: Operand, item: Item) -> Any:
    """The operand as a Python value beside its type; None when it is missing."""
    match operand:
        case Path():
            raw = look(item, operand)
        case Value(name):
            raw = VALUES[name]
        case Call("size", (Path() as path,)):
            raw = look(item, path)
            if raw is None:
                return None
            tag, content = plain(raw)
            if tag in ("N", "BOOL", "NULL"):
                return None
            if tag == "S":
                content = content.encode("utf-16-le")[::2]
            return ("N", Fraction(len(content)))
        case _:
            raise AssertionError(operand)
    return None if raw is None else plain(raw)


def plain(raw: Any) -> tuple[str, Any]:
    ((tag, content),) = raw.items()
    match tag:
        case "N":
            return tag, Fraction(content)
        case "B":
            return tag, base64.b64decode(content)
        case "SS":
            return tag, frozenset(content)
        case "BS":
            return tag, frozenset(map(base64.b64decode, content))
        case "NS":
            return tag, frozenset(map(Fraction, content))
        case "L":
            return tag, [plain(element) for element in content]
        case "M":
            return tag, {name: plain(member) for name, member in content.items()}
    return tag, content


def holds(node: Condition, item: Item) -> bool:
    match node:
        case And(parts):
            return all(holds(part, item) for part in parts)
        case Or(parts):
            return any(holds(part, item) for part in parts)
        case Not(part):
            return not holds(part, item)
        case Comparison("<>", left, right):
            return not holds(Comparison("=", left, right), item)
        case Comparison(sign, left, right):
            return compare(sign, evaluate(left, item), evaluate(right, item))
        case Between(operand, low, high):
            value = evaluate(operand, item)
            return compare("<=", evaluate(low, item), value) and compare(
                "<=", value, evaluate(high, item)
            )
        case In(operand, options):
            value = evaluate(operand, item)
            return any(compare("=", value, evaluate(option, item)) for option in options)
        case Call("attribute_exists", (Path() as path,)):
            return look(item, path) is not None
        case Call("attribute_not_exists", (Path() as path,)):
            return look(item, path) is None
        case Call(name, (first, second)):
            whole, part = evaluate(first, item), evaluate(second, item)
            return whole is not None and part is not None and FUNCTIONS[name](whole, part)
    raise AssertionError(node)


def compare(sign: str, left: Any, right: Any) -> bool:
    if sign == "=" and left is None and right is None:
        return True
    if left is None or right is None or left[0] != right[0]:
        return False
    if sign == "=":
        return bool(left[1] == right[1])
    if left[0] not in ("S", "N", "B"):
        return False
    ours, theirs = (one[1].encode() if isinstance(one[1], str) else one[1] for one in (left, right))
    above, below = ours > theirs, ours < theirs
    return bool({"<": below, "<=": not above, ">": above, ">=": not below}[sign])


def begins(whole: Any, part: Any) -> bool:
    return whole[0] == part[0] and whole[0] in ("S", "B") and whole[1].startswith(part[1])


def contains(whole: Any, part: Any) -> bool:
    if whole[0] == "L":
        return part in whole[1]
    if whole[0] in ("S", "B"):
        return whole[0] == part[0] and part[1] in whole[1]
    return whole[0] in ("SS", "NS", "BS") and whole[0][0] == part[0] and part[1] in whole[1]


FUNCTIONS = {"begins_with": begins, "contains": contains}


# Updates: a copy, changed place by place --------------------------------------------


class Impossible(Exception):
    """The update cannot be made on this item."""


GONE = object()


def updated(chosen: list[Action], item: Item) -> Item:
    """Everything is worked out from the item as it was; then each place is written."""
    results = [(resolved(action.path) or (), result(action, item)) for action in chosen]
    after: Any = {"M": deepcopy(item)}
    # Later elements first would be appended in the wrong order.
    for parts, new in sorted(results, key=lambda pair: [str(part).zfill(9) for part in pair[0]]):
        write(after, parts, new, {"M": item})
    close_up(after)
    return dict(after["M"])


def write(place: Any, parts: tuple[str | int, ...], new: Any, was: Any) -> None:
    part, *rest = parts
    tag = "M" if isinstance(part, str) else "L"
    if tag not in was:
        raise Impossible
    if rest:
        try:
            inside, was_inside = place[tag][part], was[tag][part]
        except (KeyError, IndexError):
            raise Impossible from None
        write(inside, tuple(rest), new, was_inside)
    elif tag == "M":
        place["M"][part] = new
    elif isinstance(part, int) and part < len(was["L"]):
        place["L"][part] = new
    else:
        place["L"].append(new)


def close_up(value: Any) -> None:
    if "M" in value:
        value["M"] = {name: one for name, one in value["M"].items() if one is not GONE}
        for one in value["M"].values():
            close_up(one)
    elif "L" in value:
        value["L"] = [one for one in value["L"] if one is not GONE]
        for one in value["L"]:
            close_up(one)


def result(action: Action, item: Item) -> Any:
    old = look(item, action.path)
    if action.section == "REMOVE":
        return GONE
    assert action.value is not None
    if action.section == "SET":
        return compute(action.value, item)
    assert isinstance(action.value, Value)
    ((tag, content),) = VALUES[action.value.name].items()
    if old is None:
        return {tag: content} if action.section == "ADD" else GONE
    if tag not in old:
        raise Impossible
    if action.section == "ADD":
        if tag == "N":
            return number(Fraction(old["N"]) + Fraction(content))
        return {tag: sorted({*old[tag], *content})}
    rest = sorted(set(old[tag]) - set(content))
    return {tag: rest} if rest else GONE


def number(value: Fraction) -> Item:
    # The numbers drawn have one decimal at most.
    text = f"{float(value):.1f}".removesuffix(".0")
    return {"N": "0" if text == "-0" else text}


def compute(operand: Operand, item: Item) -> Item:
    match operand:
        case Path():
            found = look(item, operand)
            if found is None:
                raise Impossible
            return deepcopy(found)
        case Value(name):
            return deepcopy(VALUES[name])
        case Sum(sign, left, right):
            ours, theirs = compute(left, item), compute(right, item)
            if "N" not in ours or "N" not in theirs:
                raise Impossible
            one, two = Fraction(ours["N"]), Fraction(theirs["N"])
            return number(one + two if sign == "+" else one - two)
        case Call("if_not_exists", (Path() as path, default)):
            found = look(item, path)
            return compute(default, item) if found is None else deepcopy(found)
        case Call("list_append", (first, second)):
            head, tail = compute(first, item), compute(second, item)
            if "L" not in head or "L" not in tail:
                raise Impossible
            return {"L": head["L"] + tail["L"]}
    raise AssertionError(operand)
