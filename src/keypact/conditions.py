"""Conditions and filters from values, never from strings.

``F("age") >= 18`` is a condition; ``&``, ``|`` and ``~`` combine them. Names and values
always go through placeholders, so no value can become syntax.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import EncryptedFieldNotQueryable, InvalidOperator
from .schema.models import Attribute, Model
from .values import Attributes, AttributeValue, encode_attribute, to_value

if TYPE_CHECKING:
    from .updates import Change

IN_VALUES_MAX = 100
_TYPES = frozenset({"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"})


class Placeholders:
    """The names and values of one request; every expression of it draws from here."""

    def __init__(self, model: Model | None = None) -> None:
        self.model = model
        self.names: dict[str, str] = {}
        self.values: Attributes = {}
        self._known: dict[str, str] = {}

    def name(self, name: str) -> str:
        """The placeholder of an attribute name, one for each name."""
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = f"#n{len(self.names)}"
            self.names[found] = name
        return found

    def value(self, value: AttributeValue) -> str:
        """A placeholder for a typed value."""
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = value
        return placeholder

    def path(self, field: F) -> str:
        """A document path; its first name must be an attribute of the model."""
        first, *rest = field.path
        self._attribute(field)
        text = self.name(str(first))
        for step in rest:
            text += f"[{step}]" if isinstance(step, int) else f".{self.name(step)}"
        return text

    def encoded(self, field: F | None, value: Any) -> str:
        """A Python value as it is compared with that field."""
        encoded = None if field is None else self.stored(field, value)
        return self.value(to_value(value) if encoded is None else encoded)

    def stored(self, field: F, value: Any) -> AttributeValue | None:
        """A Python value as it is stored in that field; None when it is left out."""
        attribute = None if len(field.path) > 1 else self._attribute(field)
        return to_value(value) if attribute is None else encode_attribute(attribute, value)

    def merge_into(self, request: dict[str, Any]) -> None:
        """Add what was used to a request."""
        if self.names:
            request["ExpressionAttributeNames"] = self.names
        if self.values:
            request["ExpressionAttributeValues"] = self.values

    def _attribute(self, field: F) -> Attribute | None:
        return None if self.model is None else self.model.attribute(str(field.path[0]))


# Conditions ---------------------------------------------------------------------------------


class Condition:
    """Something that is true or false of an item."""

    __slots__ = ()

    def __and__(self, other: Condition) -> Condition:
        return Junction("AND", (*_parts(self, "AND"), *_parts(other, "AND")))

    def __or__(self, other: Condition) -> Condition:
        return Junction("OR", (*_parts(self, "OR"), *_parts(other, "OR")))

    def __invert__(self) -> Condition:
        return Negation(self)

    def __bool__(self) -> bool:
        # `a and b`, `if a == b` and `1 < a < 3` would silently drop a part.
        raise InvalidOperator("a condition is not true or false by itself; combine with & | ~")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Condition):
    """A field, or its size, against values: =, <>, <, <=, >, >=, BETWEEN, IN."""

    left: F | Size
    operator: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function(Condition):
    """A function of a field: attribute_exists, begins_with, contains and so on."""

    name: str
    field: F
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Junction(Condition):
    """Conditions of which all, or any, hold."""

    word: str
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Negation(Condition):
    """A condition that does not hold."""

    inner: Condition


def _parts(condition: Condition, word: str) -> tuple[Condition, ...]:
    if isinstance(condition, Junction) and condition.word == word:
        return condition.parts
    return (condition,)


class _Comparable:
    """What fields and sizes have in common."""

    __slots__ = ()

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return self._compare("=", other)

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return self._compare("<>", other)

    def __lt__(self, other: object) -> Condition:
        return self._compare("<", other)

    def __le__(self, other: object) -> Condition:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> Condition:
        return self._compare(">", other)

    def __ge__(self, other: object) -> Condition:
        return self._compare(">=", other)

    __hash__ = None  # type: ignore[assignment]

    def between(self, low: Any, high: Any) -> Condition:
        """From low to high, both included."""
        return self._compare("BETWEEN", low, high)

    def is_in(self, values: Iterable[Any]) -> Condition:
        """Equal to one of the values."""
        members = tuple(values)
        if not 1 <= len(members) <= IN_VALUES_MAX:
            raise InvalidOperator(f"IN takes 1 to {IN_VALUES_MAX} values, not {len(members)}")
        return self._compare("IN", *members)

    def _compare(self, operator: str, *values: Any) -> Condition:
        assert isinstance(self, F | Size)
        return Comparison(self, operator, values)


@dataclass(frozen=True, slots=True, eq=False)
class Size(_Comparable):
    """The length of a text, binary, set, list or map."""

    field: F


class F(_Comparable):
    """A field of an item: ``F("address")["street"]``, ``F("tags")[0]``.

    Compared it gives conditions; ``set``, ``add`` and the like give changes.
    """

    __slots__ = ("path",)

    def __init__(self, name: str, *steps: str | int) -> None:
        self.path: tuple[str | int, ...] = (name, *steps)

    def __getitem__(self, step: str | int) -> F:
        return F(*self.path, step)  # type: ignore[arg-type]

    def __iter__(self) -> Any:
        # Without this, Python would count up indexes for ever.
        raise InvalidOperator("a field is not a sequence here; use contains() or is_in()")

    def __repr__(self) -> str:
        first, *rest = self.path
        return f"F({first!r})" + "".join(f"[{step!r}]" for step in rest)

    # Conditions

    def exists(self) -> Condition:
        """The item has it."""
        return Function("attribute_exists", self)

    def not_exists(self) -> Condition:
        """The item does not have it."""
        return Function("attribute_not_exists", self)

    def is_type(self, kind: str) -> Condition:
        """It is stored as this DynamoDB type."""
        if kind not in _TYPES:
            raise InvalidOperator(f"{kind!r} is no DynamoDB type; it is one of {sorted(_TYPES)}")
        return Function("attribute_type", self, (kind,))

    def begins_with(self, prefix: str | bytes) -> Condition:
        """A text or binary that begins so."""
        if not isinstance(prefix, str | bytes):
            raise InvalidOperator(f"begins_with takes text or bytes, not {prefix!r}")
        return Function("begins_with", self, (prefix,))

    def contains(self, part: Any) -> Condition:
        """A text with this part, or a set or list with this member."""
        return Function("contains", self, (part,))

    def size(self) -> Size:
        """Its length."""
        return Size(self)

    def compare(self, operator: str, *values: Any) -> Condition:
        """A condition whose operator is data, such as ``"<="`` or ``"begins_with"``."""
        build = _OPERATORS.get(operator.lower())
        if build is None:
            known = ", ".join(_OPERATORS)
            raise InvalidOperator(f"{operator!r} is no operator; there are {known}")
        try:
            condition: Condition = build(self, *values)
        except TypeError:
            raise InvalidOperator(f"{operator} does not take {len(values)} values") from None
        return condition

    # Changes

    def set(self, value: Any) -> Change:
        """Give it this value."""
        return _change(self, "SET", value)

    def put(self, value: AttributeValue) -> Change:
        """Give it this typed value as it stands."""
        return _change(self, "PUT", value)

    def set_if_not_exists(self, value: Any) -> Change:
        """Give it this value if it has none."""
        return _change(self, "DEFAULT", value)

    def add(self, value: Any) -> Change:
        """Add to a number, or members to a set; what is missing counts as 0 or empty."""
        return _change(self, "ADD", value)

    def discard(self, members: Any) -> Change:
        """Take members out of a set."""
        return _change(self, "DELETE", members)

    def append(self, values: Sequence[Any]) -> Change:
        """Add to the end of a list, which is made if it is missing."""
        return _change(self, "APPEND", list(values))

    def prepend(self, values: Sequence[Any]) -> Change:
        """Add to the beginning of a list, which is made if it is missing."""
        return _change(self, "PREPEND", list(values))

    def remove(self) -> Change:
        """Take it away."""
        return _change(self, "REMOVE", None)


_OPERATORS: Mapping[str, Any] = {
    "=": F.__eq__,
    "<>": F.__ne__,
    "<": F.__lt__,
    "<=": F.__le__,
    ">": F.__gt__,
    ">=": F.__ge__,
    "between": F.between,
    "in": lambda field, *values: field.is_in(values),
    "begins_with": F.begins_with,
    "contains": F.contains,
    "exists": F.exists,
    "not_exists": F.not_exists,
    "is_type": F.is_type,
}


def _change(field: F, action: str, value: Any) -> Change:
    from .updates import Change

    return Change(field, action, value)


# Sort keys ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SortRange:
    """A stretch of sort keys for a query."""

    operator: str
    values: tuple[Any, ...]


def begins_with(prefix: str | bytes) -> SortRange:
    """Sort keys that begin so."""
    return SortRange("begins_with", (prefix,))


def between(low: Any, high: Any) -> SortRange:
    """Sort keys from low to high, both included."""
    return SortRange("BETWEEN", (low, high))


def at_least(low: Any) -> SortRange:
    """Sort keys from here on."""
    return SortRange(">=", (low,))


def at_most(high: Any) -> SortRange:
    """Sort keys up to here."""
    return SortRange("<=", (high,))


def above(low: Any) -> SortRange:
    """Sort keys after this one."""
    return SortRange(">", (low,))


def below(high: Any) -> SortRange:
    """Sort keys before this one."""
    return SortRange("<", (high,))


# Rendering ------------------------------------------------------------------------------------


def render_condition(condition: Condition, placeholders: Placeholders) -> str:
    """The text of an expression; DynamoDB refuses idle parentheses, so there are none."""
    match condition:
        case Junction(word, parts):
            return f" {word} ".join(_enclosed(part, placeholders) for part in parts)
        case Negation(inner):
            return f"NOT ({render_condition(inner, placeholders)})"
        case Comparison(left, operator, values):
            return _comparison(left, operator, values, placeholders)
        case Function(name, field, values):
            # A member of a set, or part of a text: not what the whole field holds.
            arguments = [placeholders.encoded(None, value) for value in values]
            return f"{name}({', '.join([_queryable(field, placeholders), *arguments])})"
    raise InvalidOperator(f"{condition!r} is no condition; build one with F(...)")


def render_projection(names: Sequence[str], placeholders: Placeholders) -> str:
    """The text of a projection onto these attributes."""
    return ", ".join(placeholders.path(F(name)) for name in names)


def _enclosed(condition: Condition, placeholders: Placeholders) -> str:
    text = render_condition(condition, placeholders)
    return f"({text})" if isinstance(condition, Junction) else text


def _comparison(
    left: F | Size, operator: str, values: tuple[Any, ...], placeholders: Placeholders
) -> str:
    field = left.field if isinstance(left, Size) else left
    text = _queryable(field, placeholders)
    if isinstance(left, Size):
        text = f"size({text})"
    encoded_as = None if isinstance(left, Size) else left
    operands = [_operand(encoded_as, value, placeholders) for value in values]
    if operator == "BETWEEN":
        return f"{text} BETWEEN {operands[0]} AND {operands[1]}"
    if operator == "IN":
        return f"{text} IN ({', '.join(operands)})"
    return f"{text} {operator} {operands[0]}"


def _operand(field: F | None, value: Any, placeholders: Placeholders) -> str:
    if isinstance(value, F):
        return _queryable(value, placeholders)
    if isinstance(value, Size):
        return f"size({_queryable(value.field, placeholders)})"
    return placeholders.encoded(field, value)


def _queryable(field: F, placeholders: Placeholders) -> str:
    model = placeholders.model
    if model is not None and field.path[0] in model.encrypted:
        raise EncryptedFieldNotQueryable(
            f"{field.path[0]} of model {model.name} is encrypted: no condition can see into it"
        )
    return placeholders.path(field)
