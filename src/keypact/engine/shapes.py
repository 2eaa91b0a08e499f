"""Requests checked against DynamoDB's own description of them.

Two stages, as in the service. First every JSON type must fit, else it is a
SerializationException. Then all members out of bounds are told together, in one
ValidationException. Attribute values are only known to be objects after this; what is
in them, and the names beside them, `attributes` checks.

The description is ``shapes.json``, distilled from botocore's model by ``tools/shapes.py``.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from .acceptance import INTEGER_MAX, Accept, compile_acceptance
from .errors import SerializationException, UnknownOperationException, ValidationException

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The service tells no more than these of one request.
VIOLATIONS_TOLD_MAX = 10
# How much of a value is shown beside its violation: a request has up to 16 MB.
SHOWN_CHARACTERS_MAX = 16 * 1024
# How much of a map's key stands in a path. No good name is longer.
KEY_CHARACTERS_MAX = 1024


def check(operation: str, request: object) -> bool:
    """Return when the request has the operation's shape; raise what DynamoDB answers if not.

    A member that is null is an absent one, and a member DynamoDB does not know is ignored.
    True means that no member is null; False that one may be.
    """
    accept = _acceptances.get(operation)
    if accept is None:
        accept = compile_acceptance(_model().shapes, _input_of(operation))
        _acceptances[operation] = accept
    if accept(request):
        return True
    _inspect(operation, request)
    return False


# Made when an operation is first asked for, so that nothing waits for the others.
_acceptances: dict[str, Accept] = {}


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One shape of the service model. Bounds count characters, elements, or are values."""

    kind: str
    members: dict[str, str] = {}
    required: tuple[str, ...] = ()
    # The members in the order their violations are told, where it is not the model's.
    told: tuple[str, ...] = ()
    # Of a map, the shape of its values.
    element: str = ""
    key: str = ""
    min: int | None = None
    max: int | None = None
    pattern: str = ""
    enum: tuple[str, ...] = ()
    # Set where an ARN may stand for a name. It has this bound alone.
    arn_max: int = 0
    # The table's name is looked at before all else: that it is "present", or its "length" too.
    name_first: str = ""


class _Model(msgspec.Struct, frozen=True):
    operations: dict[str, str]
    shapes: dict[str, Shape]


# Made at import, by one thread: where several make it at once, on their first request,
# msgspec crashes the process.
_decode_model = msgspec.json.Decoder(_Model).decode


@cache
def _model() -> _Model:
    return _decode_model(Path(__file__).with_name("shapes.json").read_bytes())


def _input_of(operation: str) -> str:
    name = _model().operations.get(operation)
    if name is None:
        raise UnknownOperationException
    return name


def _inspect(operation: str, request: object) -> None:
    """The exact check, without hurry: raises, or accepts after all."""
    name = _input_of(operation)
    _check_type(name, request, member=False)
    assert isinstance(request, dict)
    shape = _model().shapes[name]
    if shape.name_first:
        _check_table_name(request.get("TableName"), shape.name_first)
    violations = list(islice(_violations(name, request, ""), VIOLATIONS_TOLD_MAX))
    if violations:
        count = f"{len(violations)} validation error{'s' if len(violations) > 1 else ''} detected: "
        raise ValidationException(count + "; ".join(violations))
    if _has_null_attribute(name, request):
        raise ValidationException(
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
        )


def _check_table_name(table_name: str | None, name_first: str) -> None:
    if table_name is None:
        raise ValidationException(
            "The parameter 'TableName' is required but was not present in the request"
        )
    if name_first == "length" and not 3 <= len(table_name) <= 255 and not _is_arn(table_name):
        raise ValidationException(
            "TableName must be at least 3 characters long and at most 255 characters long"
        )


def _is_arn(text: str) -> bool:
    return text.startswith("arn:")


def _holds_attributes(shape: Shape) -> bool:
    """Whether it is a list or map of attribute values, whose names are not checked here."""
    return bool(shape.element) and _model().shapes[shape.element].kind == "attribute"


def _children(shape: Shape, value: Any) -> Iterator[tuple[str, str, Any]]:
    """What a structure, list or map holds: step of the path, name of the shape, value.

    A structure's absent members are there as None, in the order they are told.
    """
    if shape.kind == "structure":
        for member in shape.told or shape.members:
            yield member[0].lower() + member[1:], shape.members[member], value.get(member)
    elif shape.kind == "list":
        for number, element in enumerate(value, 1):
            yield f"{number}.member", shape.element, element
    elif shape.kind == "map":
        for key, element in value.items():
            yield f"{str(key)[:KEY_CHARACTERS_MAX]}.member", shape.element, element


# Types ---------------------------------------------------------------------------------

_SCALARS = {"string": "String", "boolean": "Boolean", "integer": "Integer", "long": "Long"}
_PACKAGE = "com.amazonaws.dynamodb.v20120810."
# The service answers with what its Java runtime said.
_PARAMETERIZED = "sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl"
_NO_CAST = (
    f"class {_PARAMETERIZED} cannot be cast to class java.lang.Class ({_PARAMETERIZED} "
    "and java.lang.Class are in module java.base of loader 'bootstrap')"
)


def _check_type(name: str, value: Any, *, member: bool = True) -> None:
    """Raise unless the value and all in it have JSON types that fit."""
    shape = _model().shapes[name]
    if shape.kind in _SCALARS:
        _check_scalar(shape.kind, value)
        return
    fits = isinstance(value, list if shape.kind == "list" else dict)
    if not fits:
        raise SerializationException(_misfit(name, shape, value, member))
    # In the order of the request, as one reads a stream.
    if shape.kind == "structure":
        for key, child in value.items():
            if child is not None and key in shape.members:
                _check_type(shape.members[key], child)
    elif shape.kind == "list":
        for child in value:
            if child is not None:
                _check_type(shape.element, child, member=False)
    elif shape.kind == "map":
        for key, child in value.items():
            if not _holds_attributes(shape):
                _check_scalar("string", key)
            if child is not None:
                _check_type(shape.element, child, member=False)


def _misfit(name: str, shape: Shape, value: object, member: bool) -> str:
    if isinstance(value, dict):
        return "Start of structure or map found where not expected"
    if isinstance(value, list):
        return f"Unrecognized collection type {_java(name, shape)}"
    if member:
        return "Unexpected field type"
    return _NO_CAST if shape.kind in ("list", "map") else "Unexpected value type in payload"


def _java(name: str, shape: Shape) -> str:
    """The type as the service prints it: classes as ``class X``, generics without the word."""
    if shape.kind == "map":
        element = _model().shapes[shape.element]
        return f"java.util.Map<java.lang.String, {_java(shape.element, element).split()[-1]}>"
    if shape.kind == "list":
        element = _model().shapes[shape.element]
        return f"java.util.List<{_java(shape.element, element).split()[-1]}>"
    if shape.kind in _SCALARS:
        return f"class java.lang.{_SCALARS[shape.kind]}"
    return f"class {_PACKAGE}{name}"


def _check_scalar(kind: str, value: object) -> None:
    wanted = _SCALARS[kind]
    match value:
        case bool():
            if kind == "boolean":
                return
            found = "TRUE_VALUE" if value else "FALSE_VALUE"
        case int():
            # More than 64 bits is an error of reading, not of bounds.
            if kind in ("integer", "long") and -INTEGER_MAX <= value <= INTEGER_MAX:
                return
            found = "NUMBER_VALUE"
        case str():
            if kind == "string":
                _check_text(value)
                return
            if kind == "boolean":
                raise SerializationException("Unexpected token received from parser")
            found = "STRING_VALUE"
        case float() | Decimal():
            found = "DECIMAL_VALUE"
        case list():
            raise SerializationException(f"Unrecognized collection type class java.lang.{wanted}")
        case dict():
            raise SerializationException("Start of structure or map found where not expected")
        case _:
            raise SerializationException("Unexpected token received from parser")
    raise SerializationException(f"{found} cannot be converted to {wanted}")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SerializationException("Unpaired surrogate in a string") from None


# Bounds --------------------------------------------------------------------------------


def _violations(name: str, value: Any, path: str) -> Iterator[str]:
    """Everything below this value that is out of bounds, in the order it is told."""
    shape = _model().shapes[name]
    if shape.kind in ("list", "map"):
        yield from _violations_together(name, shape, value, path)
    for step, target, child in _children(shape, value):
        below = f"{path}.{step}" if path else step
        if child is None:
            if _must_not_be_null(shape, step):
                yield _violation("null", below, "Member must not be null")
            continue
        # Elements' own bounds were told with their list or map.
        if shape.kind == "structure":
            for constraint in _broken(_model().shapes[target], child):
                yield _violation(_quoted(target, child), below, constraint)
        if _model().shapes[target].kind != "attribute":
            yield from _violations(target, child, below)


def _must_not_be_null(shape: Shape, step: str) -> bool:
    if shape.kind == "structure":
        return step[0].upper() + step[1:] in shape.required
    # An attribute value that is null is an empty one, which has a text of its own.
    return not _holds_attributes(shape)


def _violations_together(name: str, shape: Shape, value: Any, path: str) -> Iterator[str]:
    """What a list or map tells once for all of its elements or keys."""
    shapes = _model().shapes
    if _holds_attributes(shape):
        return
    groups = [("Member", shapes[shape.element], value)]
    if shape.kind == "map":
        keys = ("Map keys", shapes[shape.key], value)
        groups = [keys, ("Map value", shapes[shape.element], value.values())]
    for whose, element, elements in groups:
        if any(_broken(element, one) for one in elements if one is not None):
            constraints = ", ".join(_constraints(element))
            constraint = f"{whose} must satisfy constraint: [{constraints}]"
            yield _violation(_quoted(name, value), path, constraint)


def _violation(shown: str, path: str, constraint: str) -> str:
    return f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}"


def _broken(shape: Shape, value: Any) -> Sequence[str]:
    """The shape's own constraints that the value breaks."""
    if shape.kind in ("attribute", "boolean", "structure"):
        return ()
    size = value if shape.kind in ("integer", "long") else len(value)
    if shape.arn_max and shape.kind == "string" and _is_arn(value):
        return () if size <= shape.arn_max else [_at_most(shape, shape.arn_max)]
    broken = []
    # An empty name where an ARN may stand is only too short.
    if shape.pattern and not re.fullmatch(shape.pattern, value) and (value or not shape.arn_max):
        broken.append(_of_pattern(shape))
    if shape.max is not None and size > shape.max:
        broken.append(_at_most(shape, shape.max))
    if shape.min is not None and size < shape.min:
        broken.append(_at_least(shape, shape.min))
    if shape.enum and value not in shape.enum:
        broken.append(_of_set(shape))
    return broken


def _constraints(shape: Shape) -> Iterator[str]:
    """All the shape's own constraints."""
    if shape.max is not None:
        yield _at_most(shape, shape.max)
    if shape.min is not None:
        yield _at_least(shape, shape.min)
    if shape.pattern:
        yield _of_pattern(shape)
    if shape.enum:
        yield _of_set(shape)


def _at_most(shape: Shape, bound: int) -> str:
    return f"Member must have {_measure(shape)} less than or equal to {bound}"


def _at_least(shape: Shape, bound: int) -> str:
    return f"Member must have {_measure(shape)} greater than or equal to {bound}"


def _measure(shape: Shape) -> str:
    return "value" if shape.kind in ("integer", "long") else "length"


def _of_pattern(shape: Shape) -> str:
    return f"Member must satisfy regular expression pattern: {shape.pattern}"


def _of_set(shape: Shape) -> str:
    return f"Member must satisfy enum value set: [{', '.join(shape.enum)}]"


def _has_null_attribute(name: str, value: Any) -> bool:
    shape = _model().shapes[name]
    children = [(target, child) for _, target, child in _children(shape, value)]
    if _holds_attributes(shape):
        return any(child is None for _, child in children)
    return any(_has_null_attribute(*child) for child in children if child[1] is not None)


# Values shown ----------------------------------------------------------------------------


def _quoted(name: str, value: Any) -> str:
    """The value as the service shows it beside a violation, cut where it is long."""
    pieces: list[str] = []
    room = SHOWN_CHARACTERS_MAX
    for piece in _pieces(name, value):
        pieces.append(piece[:room])
        room -= len(piece)
        if room < 0:
            pieces.append("...")
            break
    # Attributes are not checked yet, so what is shown of them may not be well-formed.
    text = "".join(pieces).encode(errors="replace").decode()
    return f"'{text}'"


def _pieces(name: str, value: Any) -> Iterator[str]:
    shape = _model().shapes[name]
    if value is None:
        yield "null"
    elif shape.kind == "attribute":
        # Flat: values nest as deep as their sender likes.
        tags = (f"{tag}={content}" for tag, content in value.items() if type(content) is str)
        yield f"AttributeValue({', '.join(tags)})"
    elif shape.kind == "structure":
        yield f"{name}("
        for number, (member, target) in enumerate(shape.members.items()):
            yield f"{', ' if number else ''}{member[0].lower()}{member[1:]}="
            yield from _pieces(target, value.get(member))
        yield ")"
    elif shape.kind == "list":
        yield "["
        for number, element in enumerate(value):
            yield ", " if number else ""
            yield from _pieces(shape.element, element)
        yield "]"
    elif shape.kind == "map":
        yield "{"
        for number, (key, element) in enumerate(value.items()):
            yield f"{', ' if number else ''}{key}="
            yield from _pieces(shape.element, element)
        yield "}"
    else:
        yield str(value)
