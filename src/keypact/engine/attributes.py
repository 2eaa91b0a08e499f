"""Attribute values in wire form: checked, made canonical, and measured.

A checked value is a dict with exactly one member, its number and base64 texts in
the one form the store keeps, so that equal scalars are equal texts.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from decimal import Context, Decimal, InvalidOperation
from typing import Any, NamedTuple

from .errors import SerializationException, ValidationException
from .limits import (
    ATTRIBUTE_NAME_BYTES_MAX,
    NESTING_LEVELS_MAX,
    NUMBER_CHARACTERS_MAX,
    NUMBER_DIGITS_MAX,
    NUMBER_EXPONENT_MAX,
    NUMBER_EXPONENT_MIN,
)

AttributeValue = dict[str, Any]
Attributes = dict[str, AttributeValue]


class Measured(NamedTuple):
    """Checked attributes and their size in bytes, as DynamoDB counts them."""

    attributes: Attributes
    size: int


def check_attributes(attributes: Attributes, depth: int = 0) -> Measured:
    """A canonical copy of the map and its size; the input is left as it was."""
    checked: Attributes = {}
    size = 0
    for name, value in attributes.items():
        # The two commonest types inline: a call each would double the cost.
        if type(value) is dict and len(value) == 1:
            if "S" in value:
                text = value["S"]
                if type(text) is str:
                    checked[name] = {"S": text}
                    size += text_bytes(name) + text_bytes(text)
                    continue
            elif "N" in value:
                number = value["N"]
                if type(number) is str and len(number) <= NUMBER_DIGITS_MAX and _CANONICAL(number):
                    checked[name] = {"N": number}
                    size += text_bytes(name) + number_size(number)
                    continue
        checked[name], value_size = check_value(value, depth)
        size += text_bytes(name) + value_size
    if "" in checked or size > ATTRIBUTE_NAME_BYTES_MAX:
        _check_names(checked)
    return Measured(checked, size)


def _check_names(attributes: Attributes) -> None:
    for name in attributes:
        if not name:
            raise _invalid("Empty attribute name")
        if text_bytes(name) > ATTRIBUTE_NAME_BYTES_MAX:
            raise _invalid(
                f"Attribute name is too large, must be less than {ATTRIBUTE_NAME_BYTES_MAX} bytes"
            )


def check_value(value: object, depth: int = 0) -> tuple[AttributeValue, int]:
    """The canonical form of one attribute value, and its size without its name."""
    tag, content = _only_member(value)
    canonical, size = _CHECKS[tag](content, depth)
    return {tag: canonical}, size


def type_of(value: AttributeValue) -> str:
    """``S``, ``N``, ``B``, ``BOOL``, ``NULL``, ``SS``, ``NS``, ``BS``, ``L`` or ``M``."""
    return next(iter(value))


def text_bytes(text: str) -> int:
    """Length in UTF-8; text that has none is refused."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise SerializationException("Unpaired surrogate in a string") from None


def size_of(value: AttributeValue) -> int:
    """Size of a checked value, without its name."""
    tag, content = next(iter(value.items()))
    return _SIZES[tag](content)


def size_of_attributes(attributes: Attributes) -> int:
    """Size of checked attributes, names included."""
    size = 0
    for name, value in attributes.items():
        size += text_bytes(name) + size_of(value)
    return size


def equal(left: AttributeValue, right: AttributeValue) -> bool:
    """Equal as DynamoDB compares: by type and value, sets without order."""
    tag = next(iter(left))
    if tag not in right:
        return False
    ours, theirs = left[tag], right[tag]
    if tag == "L":
        return len(ours) == len(theirs) and all(map(equal, ours, theirs))
    if tag == "M":
        return ours.keys() == theirs.keys() and all(equal(ours[key], theirs[key]) for key in ours)
    if tag in _SET_TAGS:
        return len(ours) == len(theirs) and set(ours) == set(theirs)
    return bool(ours == theirs)


def decode_binary(text: str) -> bytes:
    """The bytes of a checked binary value."""
    return a2b_base64(text)


# Numbers -----------------------------------------------------------------------

# Wide enough to hold any sum of two numbers exactly before it is judged.
_EXACT = Context(prec=400, Emin=-1000, Emax=1000)


def canonical_number(text: str) -> str:
    """The one text of a number: no exponent, sign only when negative, no idle zeros."""
    if len(text) <= NUMBER_DIGITS_MAX and _CANONICAL(text):
        return text
    # Decimal takes more than DynamoDB does: underscores, white space, "NaN".
    if len(text) > NUMBER_CHARACTERS_MAX or not _NUMBER_CHARACTERS.issuperset(text):
        raise _not_a_number(text)
    try:
        # Exact, whatever the context's precision.
        return number_text(Decimal(text))
    except InvalidOperation:
        raise _not_a_number(text) from None


def number_text(number: Decimal) -> str:
    """The canonical text of a Decimal within DynamoDB's bounds; others are refused."""
    if not number:
        return "0"
    if not number.is_finite():
        raise ValidationException(_OVERFLOW)
    adjusted = number.adjusted()
    if adjusted > NUMBER_EXPONENT_MAX:
        raise ValidationException(_OVERFLOW)
    if adjusted < NUMBER_EXPONENT_MIN:
        raise ValidationException(_UNDERFLOW)
    sign, digits, _ = number.as_tuple()
    text = "".join(map(str, digits)).strip("0")
    if len(text) > NUMBER_DIGITS_MAX:
        raise ValidationException("Attempting to store more than 38 significant digits in a Number")
    return format(Decimal((sign, tuple(map(int, text)), adjusted - len(text) + 1)), "f")


def add_numbers(left: str, right: str) -> str:
    """Exact sum, refused when it has more than 38 digits."""
    # Counters, by far the most of it, need no Decimal.
    if left.isdigit() and right.isdigit() and max(len(left), len(right)) < NUMBER_DIGITS_MAX:
        return str(int(left) + int(right))
    return number_text(_EXACT.add(Decimal(left), Decimal(right)))


def subtract_numbers(left: str, right: str) -> str:
    """Exact difference, refused when it has more than 38 digits."""
    return number_text(_EXACT.subtract(Decimal(left), Decimal(right)))


def number_size(text: str) -> int:
    """One byte for two significant digits, one more, and one for a minus sign."""
    digits = text.lstrip("-").replace(".", "").strip("0")
    return (len(digits) + 1) // 2 + 1 + text.startswith("-")


_CANONICAL = re.compile(r"0|-?(?:[1-9][0-9]*|0\.[0-9]*[1-9]|[1-9][0-9]*\.[0-9]*[1-9])").fullmatch
_NUMBER_CHARACTERS = frozenset("0123456789+-.eE")
_OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
_UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)


def _not_a_number(text: str) -> ValidationException:
    if not text:
        return ValidationException("The parameter cannot be converted to a numeric value")
    shown = text[:NUMBER_CHARACTERS_MAX]
    return ValidationException(f"The parameter cannot be converted to a numeric value: {shown}")


# One check a type: content, depth -> canonical content, size --------------------


def _check_string(content: object, _depth: int) -> tuple[str, int]:
    text = _string(content)
    return text, text_bytes(text)


def _check_number(content: object, _depth: int) -> tuple[str, int]:
    text = canonical_number(_string(content))
    return text, number_size(text)


def _check_binary(content: object, _depth: int) -> tuple[str, int]:
    text = _base64(_string(content))
    return text, _binary_size(text)


def _check_bool(content: object, _depth: int) -> tuple[bool, int]:
    if type(content) is not bool:
        raise _cannot_convert(content, "Boolean")
    return content, 1


def _check_null(content: object, _depth: int) -> tuple[bool, int]:
    if type(content) is not bool:
        raise _cannot_convert(content, "Boolean")
    if content is not True:
        raise _invalid("Null attribute value types must have the value of true")
    return True, 1


def _check_string_set(content: object, _depth: int) -> tuple[list[str], int]:
    members = [_string(member) for member in _members(content, "An string set  may not be empty")]
    _refuse_duplicates(members)
    return members, sum(map(text_bytes, members))


def _check_number_set(content: object, _depth: int) -> tuple[list[str], int]:
    members = [
        canonical_number(_string(member))
        for member in _members(content, "An number set  may not be empty")
    ]
    _refuse_duplicates(members)
    return members, sum(map(number_size, members))


def _check_binary_set(content: object, _depth: int) -> tuple[list[str], int]:
    members = [
        _base64(_string(member)) for member in _members(content, "Binary sets should not be empty")
    ]
    _refuse_duplicates(members)
    return members, sum(map(_binary_size, members))


def _check_list(content: object, depth: int) -> tuple[list[AttributeValue], int]:
    if type(content) is not list:
        raise SerializationException("Unexpected field type")
    depth = _deeper(depth)
    members: list[AttributeValue] = []
    size = 3
    for member in content:
        value, member_size = check_value(member, depth)
        members.append(value)
        size += 1 + member_size
    return members, size


def _check_map(content: object, depth: int) -> tuple[Attributes, int]:
    if type(content) is not dict:
        raise SerializationException("Unexpected field type")
    checked, size = check_attributes(content, _deeper(depth))
    return checked, 3 + len(checked) + size


_CHECKS: dict[str, Callable[[object, int], tuple[Any, int]]] = {
    "S": _check_string,
    "N": _check_number,
    "B": _check_binary,
    "BOOL": _check_bool,
    "NULL": _check_null,
    "SS": _check_string_set,
    "NS": _check_number_set,
    "BS": _check_binary_set,
    "L": _check_list,
    "M": _check_map,
}
_SET_TAGS = frozenset({"SS", "NS", "BS"})


def _binary_size(text: str) -> int:
    return len(text) * 3 // 4 - text.count("=", -2)


_SIZES: dict[str, Callable[[Any], int]] = {
    "S": text_bytes,
    "N": number_size,
    "B": _binary_size,
    "BOOL": lambda _content: 1,
    "NULL": lambda _content: 1,
    "SS": lambda members: sum(map(text_bytes, members)),
    "NS": lambda members: sum(map(number_size, members)),
    "BS": lambda members: sum(map(_binary_size, members)),
    "L": lambda members: 3 + len(members) + sum(map(size_of, members)),
    "M": lambda members: 3 + len(members) + size_of_attributes(members),
}


_EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"


def _only_member(value: object) -> tuple[str, object]:
    if type(value) is not dict:
        if value is None:
            raise ValidationException(_EMPTY)
        raise SerializationException("Unexpected field type")
    if len(value) == 1:
        ((tag, content),) = value.items()
        if tag in _CHECKS and content is not None:
            return tag, content
    present = [
        (tag, content) for tag, content in value.items() if tag in _CHECKS and content is not None
    ]
    if len(present) == 1:
        return present[0]
    if not present:
        raise ValidationException(_EMPTY)
    raise ValidationException(
        "Supplied AttributeValue has more than one datatypes set, "
        "must contain exactly one of the supported datatypes"
    )


def _members(content: object, empty: str) -> list[object]:
    if type(content) is not list:
        raise SerializationException("Unexpected field type")
    if not content:
        raise _invalid(empty)
    return content


def _refuse_duplicates(members: list[str]) -> None:
    if len(set(members)) != len(members):
        raise _invalid(f"Input collection [{', '.join(members)}] contains duplicates.")


def _string(content: object) -> str:
    if type(content) is str:
        return content
    raise _cannot_convert(content, "String")


def _base64(text: str) -> str:
    """The text itself, if it is how base64 writes some bytes: then equal bytes are equal texts."""
    try:
        if b2a_base64(a2b_base64(text, strict_mode=True), newline=False) == text.encode():
            return text
    except ValueError:
        pass
    raise SerializationException("A binary value is not base64")


def _deeper(depth: int) -> int:
    if depth >= NESTING_LEVELS_MAX - 1:
        raise ValidationException("Nesting Levels have exceeded supported limits")
    return depth + 1


def _invalid(what: str) -> ValidationException:
    return ValidationException(f"One or more parameter values were invalid: {what}")


def _cannot_convert(content: object, wanted: str) -> SerializationException:
    match content:
        case bool():
            found = "TRUE_VALUE" if content else "FALSE_VALUE"
        case int():
            found = "NUMBER_VALUE"
        case float():
            found = "DECIMAL_VALUE"
        case str():
            found = "STRING_VALUE"
        case list():
            return SerializationException("Unexpected field type")
        case _:
            return SerializationException("Start of structure or map found where not expected.")
    return SerializationException(f"{found} cannot be converted to {wanted}")
