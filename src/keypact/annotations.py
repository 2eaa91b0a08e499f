"""What an annotation means: its DynamoDB type, and the way between field and plain value.

A plain value is what a mapping holds for an attribute. `Shape.lower` takes a field's value
to it, `Shape.lift` takes it back, and both refuse what the annotation does not allow, so
that whatever was written can be read again.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from .errors import InvalidValue
from .lifecycle import parse_rfc3339
from .values import PLAIN_TIME, Unfit, show, time_text, whole

Convert = Callable[[Any], Any]


class Unsupported(TypeError):
    """An annotation that says nothing DynamoDB can hold."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a field may hold. ``type`` is None where the annotation leaves it open."""

    name: str
    type: str | None
    lower: Convert
    lift: Convert
    optional: bool = False
    # The attribute's own check does: no `lower`, or no `lift`, would add to it.
    writes_plain: bool = False
    reads_plain: bool = False
    # An int needs no `lower`.
    takes_int: bool = False
    # What msgspec may read from the wire, so that no `lift` is needed.
    wire: Any = None
    # A key of this shape must be checked: what it reads may not be all that is stored.
    loses: bool = False
    # The attribute may be text or epoch seconds.
    is_time: bool = False
    # Every value is as good as any other.
    is_anything: bool = False


def shape_of(annotation: Any) -> Shape:
    """The shape of a field with this annotation; ``Unsupported`` if it can have none."""
    annotation = _unwrapped(annotation)
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        return _union(get_args(annotation))
    if origin is Literal:
        return _literal(get_args(annotation))
    if (origin or annotation) in _CONTAINERS:
        return _CONTAINERS[origin or annotation](get_args(annotation))
    if isinstance(annotation, type) and origin is None:
        if issubclass(annotation, Enum):
            return _enum(annotation)
        if is_dataclass(annotation) or issubclass(annotation, msgspec.Struct):
            return _record(annotation)
    raise Unsupported(f"{_name(annotation)} has no DynamoDB type")


def _unwrapped(annotation: Any) -> Any:
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        else:
            return annotation


def _name(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


# Scalars -----------------------------------------------------------------------------------


def _same(value: Any) -> Any:
    return value


def _expect(kind: type, value: Any) -> Any:
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise Unfit(f"{show(value)} is no {kind.__name__}")


def _scalar(kind: type, type_: str) -> Shape:
    check = partial(_expect, kind)
    return Shape(kind.__name__, type_, check, check, writes_plain=True, reads_plain=True)


def _expect_bytes(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return value
    raise Unfit(f"{show(value)} is no bytes")


def _lower_time(value: Any) -> str:
    return time_text(_expect(datetime, value))


def _lift_time(value: Any) -> datetime:
    """From RFC 3339 text or epoch seconds; what is below a microsecond is cut off."""
    try:
        if type(value) is int:
            return datetime.fromtimestamp(value, UTC)
        if type(value) is str and PLAIN_TIME(value):
            return datetime.fromisoformat(value)
        return parse_rfc3339(_expect(str, value))
    except (InvalidValue, ValueError, OverflowError, OSError):
        raise Unfit(f"{show(value)} is no time that a datetime can hold") from None


def _lift_none(value: Any) -> None:
    if value is not None:
        raise Unfit(f"{show(value)} is not None")


def _number(kinds: frozenset[Any]) -> Shape:
    """Any of int, Decimal and float."""
    name = " | ".join(kind.__name__ for kind in (int, Decimal, float) if kind in kinds)
    wire = {frozenset({int}): int, frozenset({Decimal}): Decimal, frozenset({float}): float}
    return Shape(
        name,
        "N",
        partial(_lower_number, kinds),
        partial(_lift_number, kinds),
        writes_plain=Decimal in kinds and float not in kinds,
        reads_plain={int, Decimal} <= kinds,
        takes_int=True,
        wire=wire.get(kinds),
        loses=float in kinds and Decimal not in kinds,
    )


def _lower_number(kinds: frozenset[Any], value: Any) -> int | Decimal:
    if isinstance(value, float) and float in kinds:
        # The class says that it is a float, and reads it back as the very same.
        return Decimal(float.__repr__(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Decimal) and Decimal in kinds:
        return value
    allowed = " or ".join(kind.__name__ for kind in (int, Decimal, float) if kind in kinds)
    raise Unfit(f"{show(value)} is no {allowed}")


def _lift_number(kinds: frozenset[Any], value: Any) -> int | Decimal | float:
    if type(value) is float:
        # Only JSON has floats, and there they stand for the decimal that names them.
        value = whole(Decimal(repr(value)))
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise Unfit(f"{show(value)} is no number")
    if isinstance(value, int):
        if int in kinds:
            return value
        return Decimal(value) if Decimal in kinds else float(value)
    if Decimal in kinds:
        return value
    if float in kinds:
        return float(value)
    raise Unfit(f"{value} is no int")


_TIME = Shape("datetime", "S", _lower_time, _lift_time, writes_plain=True, loses=True, is_time=True)
_NONE = Shape("None", "NULL", _same, _lift_none, True, writes_plain=True, reads_plain=True)
ANYTHING = Shape(
    "Any", None, _same, _same, True, writes_plain=True, reads_plain=True, is_anything=True
)

_SCALARS: dict[Any, Shape] = {
    str: _scalar(str, "S"),
    bool: _scalar(bool, "BOOL"),
    bytes: Shape("bytes", "B", _expect_bytes, _same, writes_plain=True, reads_plain=True),
    int: _number(frozenset({int})),
    Decimal: _number(frozenset({Decimal})),
    float: _number(frozenset({float})),
    datetime: _TIME,
    None: _NONE,
    type(None): _NONE,
    Any: ANYTHING,
    object: ANYTHING,
}


# Choices -----------------------------------------------------------------------------------


def _union(members: tuple[Any, ...]) -> Shape:
    rest = tuple(_unwrapped(member) for member in members if member is not type(None))
    optional = len(rest) < len(members)
    if set(rest) <= {int, Decimal, float}:
        shape = _number(frozenset(rest))
    elif len(rest) == 1:
        shape = shape_of(rest[0])
    else:
        shapes = [shape_of(member) for member in rest]
        found = {shape.type for shape in shapes}
        shape = Shape(
            " | ".join(shape.name for shape in shapes),
            found.pop() if len(found) == 1 else None,
            partial(_first, [shape.lower for shape in shapes]),
            partial(_first, [shape.lift for shape in shapes]),
            loses=any(shape.loses for shape in shapes),
        )
    return _optional(shape) if optional else shape


def _optional(shape: Shape) -> Shape:
    return replace(
        shape,
        name=f"{shape.name} | None",
        lower=partial(_unless_none, shape.lower),
        lift=partial(_unless_none, shape.lift),
        optional=True,
    )


def _unless_none(convert: Convert, value: Any) -> Any:
    return None if value is None else convert(value)


def _first(converts: Sequence[Convert], value: Any) -> Any:
    for convert in converts:
        try:
            return convert(value)
        except Unfit:
            continue
    raise Unfit(f"{show(value)} is none of what is allowed here")


def _one_type(values: Sequence[Any], name: str) -> str:
    kinds = {type(value) for value in values}
    if kinds == {str}:
        return "S"
    if kinds == {int}:
        return "N"
    raise Unsupported(f"{name} needs values that are all str or all int")


def _literal(values: tuple[Any, ...]) -> Shape:
    name = f"Literal[{', '.join(map(repr, values))}]"
    rest = tuple(value for value in values if value is not None)
    check = partial(_among, rest)
    shape = Shape(name, _one_type(rest, name), check, check)
    return _optional(shape) if len(rest) < len(values) else shape


def _among(allowed: tuple[Any, ...], value: Any) -> Any:
    for one in allowed:
        if value == one and type(value) is type(one):
            return one
    raise Unfit(f"{show(value)} is not among {', '.join(map(repr, allowed))}")


def _enum(kind: type[Enum]) -> Shape:
    type_ = _one_type([member.value for member in kind], kind.__name__)
    return Shape(kind.__name__, type_, partial(_lower_enum, kind), partial(_lift_enum, kind))


def _lower_enum(kind: type[Enum], value: Any) -> Any:
    return _expect(kind, value).value


def _lift_enum(kind: type[Enum], value: Any) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise Unfit(f"{show(value)} is no value of {kind.__name__}") from None


# Containers --------------------------------------------------------------------------------


def _list(arguments: tuple[Any, ...]) -> Shape:
    member = shape_of(arguments[0]) if arguments else ANYTHING
    return _sequence(list, member, f"list[{member.name}]")


def _tuple(arguments: tuple[Any, ...]) -> Shape:
    if arguments and (len(arguments) != 2 or arguments[1] is not Ellipsis):
        raise Unsupported("a tuple has one type of members here: tuple[str, ...]")
    member = shape_of(arguments[0]) if arguments else ANYTHING
    return _sequence(tuple, member, f"tuple[{member.name}, ...]")


def _sequence(kind: type, member: Shape, name: str) -> Shape:
    if member is ANYTHING:
        check: Convert = partial(_expect_sequence, name)
        lift = check if kind is list else tuple
        return Shape(name, "L", check, lift, writes_plain=True, reads_plain=kind is list)
    return Shape(
        name,
        "L",
        partial(_convert_list, list, member.lower, name),
        partial(_convert_list, kind, member.lift, name),
    )


def _expect_sequence(name: str, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return value
    raise Unfit(f"{show(value)} is no {name}")


def _convert_list(kind: Callable[[Any], Any], convert: Convert, name: str, value: Any) -> Any:
    members: list[Any] = []
    try:
        for member in _expect_sequence(name, value):
            members.append(convert(member))  # noqa: PERF401 - errors tell the index
    except Unfit as unfit:
        step = f"[{len(members)}]" if isinstance(value, (list, tuple)) else ""
        raise unfit.inside(step) from None
    return members if kind is list else kind(members)


def _set(kind: type, arguments: tuple[Any, ...]) -> Shape:
    if not arguments:
        raise Unsupported(f"say what is in it, such as {kind.__name__}[str]")
    member = shape_of(arguments[0])
    name = f"{kind.__name__}[{member.name}]"
    types_ = {"S": "SS", "N": "NS", "B": "BS"}
    if member.type not in types_ or member.optional:
        raise Unsupported(f"{name}: DynamoDB has sets of str, of numbers and of bytes only")
    wire = member.wire
    if member.reads_plain and kind is frozenset and member.type != "N":
        wire = str if member.type == "S" else bytes
    return Shape(
        name,
        types_[member.type],
        partial(_convert_set, set, member.lower, name),
        partial(_convert_set, kind, member.lift, name),
        writes_plain=member.writes_plain and not member.is_time,
        reads_plain=member.reads_plain and kind is set,
        wire=None if wire is None else types.GenericAlias(kind, (wire,)),
    )


def _convert_set(kind: type, convert: Convert, name: str, value: Any) -> Any:
    if not isinstance(value, (set, frozenset, list, tuple)):
        raise Unfit(f"{show(value)} is no {name}")
    return kind(map(convert, value))


def _dict(arguments: tuple[Any, ...]) -> Shape:
    if arguments and _unwrapped(arguments[0]) is not str:
        raise Unsupported("the names in a map are str: dict[str, ...]")
    member = shape_of(arguments[1]) if arguments else ANYTHING
    name = f"dict[str, {member.name}]"
    if member is ANYTHING:
        check: Convert = partial(_expect_mapping, name)
        return Shape(name, "M", check, check, writes_plain=True, reads_plain=True)
    return Shape(
        name,
        "M",
        partial(_convert_dict, member.lower, name),
        partial(_convert_dict, member.lift, name),
    )


def _expect_mapping(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return value
    raise Unfit(f"{show(value)} is no {name}")


def _convert_dict(convert: Convert, name: str, value: Any) -> dict[str, Any]:
    members: dict[str, Any] = {}
    key: Any = None
    try:
        for key, member in _expect_mapping(name, value).items():
            members[key] = convert(member)
    except Unfit as unfit:
        raise unfit.inside("" if key is None else f"[{key!r}]") from None
    return members


_CONTAINERS: dict[Any, Callable[[tuple[Any, ...]], Shape]] = {
    list: _list,
    Sequence: _list,
    tuple: _tuple,
    set: partial(_set, set),
    frozenset: partial(_set, frozenset),
    dict: _dict,
    Mapping: _dict,
}


# Records -----------------------------------------------------------------------------------


def _record(kind: type) -> Shape:
    return Shape(kind.__name__, "M", partial(_lower_record, kind), partial(_lift_record, kind))


def _lower_record(kind: type, value: Any) -> dict[str, Any]:
    """The record's fields by their stored names; what is None and may be is left out."""
    # Looked up only now: a record may contain itself.
    from .records import fields_of

    members: dict[str, Any] = {}
    record = _expect(kind, value)
    for field in fields_of(kind):
        member = getattr(record, field.name)
        if member is None and field.shape.optional:
            continue
        try:
            members[field.stored] = field.shape.lower(member)
        except Unfit as unfit:
            raise unfit.inside(f".{field.name}") from None
    return members


def _lift_record(kind: type, value: Any) -> Any:
    from .records import fields_of

    stored = _expect_mapping(kind.__name__, value)
    members: dict[str, Any] = {}
    for field in fields_of(kind):
        try:
            if field.stored in stored:
                members[field.name] = field.shape.lift(stored[field.stored])
            elif not field.has_default:
                if not field.shape.optional:
                    raise Unfit("it is missing")
                members[field.name] = None
        except Unfit as unfit:
            raise unfit.inside(f".{field.name}") from None
    return kind(**members)
