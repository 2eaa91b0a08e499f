"""Quick acceptance of good requests: one generated function an operation.

`shapes` describes requests and tells exactly what is wrong with one. Most requests have
nothing wrong, and for those this says so in about a microsecond. Its "no" means only
"look closer": it refuses what is rare, too, such as null members and names that are ARNs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .shapes import Shape

# Numbers have 64 bits at most. The store holds no larger one, either.
INTEGER_MAX = 2**63 - 1

Accept = Callable[[object], bool]


def compile_acceptance(shapes: Mapping[str, Shape], name: str) -> Accept:
    """A function that is true only of values which have the shape for certain."""
    source = _Source(shapes)
    body = "\n".join(source.check(name, "request", 1))
    # A required member that is missing raises KeyError, which costs the good ones nothing.
    text = (
        f"def accept(request):\n  try:\n{body}\n  except KeyError:\n   return False\n  return True"
    )
    namespace: dict[str, Any] = source.constants
    exec(text, namespace)  # noqa: S102 - made from shapes.json alone, never from a request
    accept: Accept = namespace["accept"]
    return accept


class _Source:
    """The lines of an acceptance function, and the constants they name."""

    def __init__(self, shapes: Mapping[str, Shape]) -> None:
        self._shapes = shapes
        self.constants: dict[str, Any] = {}

    def check(self, name: str, value: str, depth: int) -> Iterator[str]:
        """Lines that return False unless the variable has the shape."""
        shape = self._shapes[name]
        margin = " " * (depth + 2)
        yield f"{margin}if {self._misfits(name, shape, value)}: return False"
        inner = f"{value}_{depth}"
        if shape.kind == "structure":
            yield from self._members(shape, value, inner, depth)
        elif shape.kind == "list":
            yield f"{margin}for {inner} in {value}:"
            yield from self.check(shape.element, inner, depth + 1)
        elif shape.kind == "map" and self._shapes[shape.element].kind == "attribute":
            # Attributes' names are checked with their values, elsewhere.
            yield f"{margin}for {inner} in {value}.values():"
            yield from self.check(shape.element, inner, depth + 1)
        elif shape.kind == "map":
            yield f"{margin}for {inner}_key, {inner} in {value}.items():"
            yield from self.check(shape.key, f"{inner}_key", depth + 1)
            yield from self.check(shape.element, inner, depth + 1)

    def _members(self, shape: Shape, value: str, inner: str, depth: int) -> Iterator[str]:
        margin = " " * (depth + 2)
        for member in shape.required:
            yield f"{margin}{inner} = {value}[{member!r}]"
            yield from self.check(shape.members[member], inner, depth)
        optional = [member for member in shape.members if member not in shape.required]
        if not optional:
            return
        yield f"{margin}if len({value}) != {len(shape.required)}:"
        for member in optional:
            yield f"{margin} if {member!r} in {value}:"
            yield f"{margin}  {inner} = {value}[{member!r}]"
            yield from self.check(shape.members[member], inner, depth + 2)

    def _misfits(self, name: str, shape: Shape, value: str) -> str:
        """An expression that is true unless the value itself fits, whatever is in it."""
        match shape.kind:
            case "boolean":
                return f"{value} is not True and {value} is not False"
            case "integer" | "long":
                low = -INTEGER_MAX if shape.min is None else shape.min
                high = INTEGER_MAX if shape.max is None else shape.max
                return f"type({value}) is not int or not {low} <= {value} <= {high}"
            case "string":
                return f"type({value}) is not str or {self._text_misfits(name, shape, value)}"
            case "list":
                return f"type({value}) is not list{_length_misfits(shape, value)}"
        return f"type({value}) is not dict{_length_misfits(shape, value)}"

    def _text_misfits(self, name: str, shape: Shape, value: str) -> str:
        if shape.enum:
            self.constants[f"among_{name}"] = frozenset(shape.enum)
            return f"{value} not in among_{name}"
        if shape.pattern:
            self.constants[f"match_{name}"] = re.compile(shape.pattern).fullmatch
            return f"not match_{name}({value}){_length_misfits(shape, value)}"
        # Text of ASCII is well-formed; other text is looked at closely.
        return f"not {value}.isascii(){_length_misfits(shape, value)}"


def _length_misfits(shape: Shape, value: str) -> str:
    if shape.min is None and shape.max is None:
        return ""
    if shape.max is None:
        return f" or len({value}) < {shape.min}"
    return f" or not {shape.min or 0} <= len({value}) <= {shape.max}"
