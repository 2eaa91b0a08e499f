"""Operands bound to attribute names: how each is found, and which types it may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..attributes import Attributes, AttributeValue, type_of
from .parser import invalid
from .paths import Parts, Values, lookup, resolve
from .syntax import Call, Operand, Path, Value

# Finds an operand's value in an item; None when the item does not have it.
Find = Callable[[Attributes, Values], AttributeValue | None]
# Raises when the request's values cannot serve the expression.
Check = Callable[[Values], None]

SIZED = frozenset({"S", "B", "SS", "NS", "BS", "L", "M"})
ORDERED = frozenset({"S", "N", "B"})
PREFIXED = frozenset({"S", "B"})


class Binder:
    """One expression and the names it uses, while it is made ready to run."""

    def __init__(self, kind: str, names: Mapping[str, str]) -> None:
        self.kind = kind
        self.checks: list[Check] = []
        # Of the attributes that its paths begin with.
        self.attribute_names: set[str] = set()
        self._names = names

    def parts(self, path: Path) -> Parts:
        """The path with its names filled in."""
        parts = resolve(path, self._names)
        self.attribute_names.add(str(parts[0]))
        return parts

    def find(self, operand: Operand) -> Find:
        """How to get at a condition's operand."""
        if isinstance(operand, Value):
            name = operand.name
            return lambda _item, values: values[name]
        if isinstance(operand, Path):
            found = lookup(self.parts(operand))
            return lambda item, _values: found(item)
        assert isinstance(operand, Call)
        assert operand.name == "size"
        (argument,) = operand.arguments
        self.restrict(argument, SIZED, "operator or function: size")
        return _sized(self.find(argument))

    def restrict(self, operand: Operand, allowed: frozenset[str], what: str) -> None:
        """Refuse a value of another type. What an item has is not known yet and not judged."""
        if isinstance(operand, Call):
            if operand.name == "size" and "N" not in allowed:
                raise self.wrong_type(what, "N")
        elif isinstance(operand, Value):
            name = operand.name

            def check(values: Values) -> None:
                tag = type_of(values[name])
                if tag not in allowed:
                    raise self.wrong_type(what, tag)

            self.checks.append(check)

    def wrong_type(self, what: str, tag: str) -> Exception:
        """The error for an operand that its operator cannot take."""
        return invalid(
            self.kind,
            f"Incorrect operand type for operator or function; {what}, operand type: {tag}",
        )


def _sized(find: Find) -> Find:
    def size(item: Attributes, values: Values) -> AttributeValue | None:
        value = find(item, values)
        if value is None:
            return None
        ((tag, content),) = value.items()
        count = _SIZES.get(tag)
        return None if count is None else {"N": str(count(content))}

    return size


def _text_size(text: str) -> int:
    """Length in UTF-16, as the service counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _binary_size(text: str) -> int:
    return len(text) * 3 // 4 - text.count("=", -2)


_SIZES: dict[str, Callable[[Any], int]] = {
    "S": _text_size,
    "B": _binary_size,
    "SS": len,
    "NS": len,
    "BS": len,
    "L": len,
    "M": len,
}
