"""Python values as attribute values and back.

Without a model (`to_value`, `from_value`) the Python type decides: str is S; int, Decimal
and float are N; bytes is B; bool, None, list, dict and set are BOOL, NULL, L, M and a set.
With an attribute (`encode_attribute`, `decode_attribute`) its declaration decides, and a
value that does not fit is refused with the attribute's name.

Numbers are exact: int and Decimal up to 38 digits. A float is taken only where it equals
the shortest decimal that names it: 0.5 does, 0.1 does not, and Decimal("0.1") says what is
meant. They are read back as int when they are integral, as Decimal otherwise.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from re import compile as pattern
from typing import TYPE_CHECKING, Any

import msgspec

from .blobs import NotJson, read_blob, write_blob
from .errors import InvalidModel, InvalidValue, ItemNotReadable
from .lifecycle import datetime_ns, format_rfc3339nano, parse_rfc3339_ns

if TYPE_CHECKING:
    from .schema.models import Attribute

AttributeValue = dict[str, Any]
Attributes = dict[str, AttributeValue]

# DynamoDB's own limits: 38 digits, magnitude 1E-130 to 9.99…E+125.
NUMBER_DIGITS_MAX = 38
NUMBER_EXPONENT_MIN = -130
NUMBER_EXPONENT_MAX = 125
# An attribute's value, and what is inside its lists and maps.
NESTING_LEVELS_MAX = 32
# How much of a refused value a message shows.
SHOWN_CHARACTERS_MAX = 60

SET_TYPES = frozenset({"SS", "NS", "BS"})


class Unfit(ValueError):
    """Why a value does not fit, and the way to it inside the value it is part of."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.path = ""

    def inside(self, step: str) -> Unfit:
        """The same, told from one level further out."""
        self.path = step + self.path
        return self


# Without a model ---------------------------------------------------------------------------


def to_value(value: object) -> AttributeValue:
    """The attribute value of a Python value, by its Python type alone; else InvalidValue."""
    try:
        return _write(value, 1)
    except Unfit as unfit:
        raise InvalidValue(f"value{unfit.path}: {unfit}") from None


def from_value(value: AttributeValue) -> Any:
    """The Python value of an attribute value, whatever its type."""
    # The two commonest, in place.
    if "S" in value:
        return value["S"]
    if "N" in value:
        return read_number(value["N"])
    ((tag, content),) = value.items()
    return _READERS[tag](content)


def is_empty(value: object) -> bool:
    """Whether ``omit_empty`` leaves it out: nothing, zero, or a record of such fields.

    What is inside a list or map does not matter: ``[0]`` and ``{"a": ""}`` are not empty.
    """
    if isinstance(value, datetime):
        # The zero time, as Go has it: midnight of the first of January of year one in UTC.
        since = value.replace(tzinfo=None) - _FIRST_OF_ALL
        return value.year == 1 and since == (value.utcoffset() or timedelta())
    if isinstance(value, (str, int, float, Decimal, bytes, list, dict, set)) or value is None:
        return not value
    names = record_fields(value)
    if names is not None:
        return all(is_empty(getattr(value, name)) for name in names)
    return _is_sized(value) and len(value) == 0  # type: ignore[arg-type]


def record_fields(value: object) -> tuple[str, ...] | None:
    """The field names of a dataclass or Struct instance; None for anything else."""
    if isinstance(value, msgspec.Struct):
        return value.__struct_fields__
    if is_dataclass(value) and not isinstance(value, type):
        return tuple(field.name for field in fields(value))
    return None


# With an attribute -------------------------------------------------------------------------


def encode_attribute(attribute: Attribute, value: object) -> AttributeValue | None:
    """The value as the attribute stores it; None when it is left out.

    Left out: what is empty where ``omit_empty`` says so, and None where the attribute is
    optional. Any other None is stored as NULL, and so is the empty set, which DynamoDB
    does not have. An encrypted attribute gives its plaintext value.
    """
    if value is None:
        return _encode_none(attribute)
    try:
        if attribute.omit_empty and (is_empty(value) or _is_zero_time(attribute, value)):
            if attribute.required:
                raise missing(attribute)
            return None
        if attribute.json:
            return {"S": _blob_text(value)}
        return _ENCODERS[attribute.type](attribute, value)
    except Unfit as unfit:
        raise refusal(attribute, value, unfit) from None


def refusal(attribute: Attribute, value: object, unfit: Unfit) -> InvalidValue:
    """The error for a value that an attribute cannot hold. What is to be secret is not told."""
    if attribute.is_encrypted:
        return InvalidValue(
            f"attribute {attribute.name}: a value of type {type(value).__name__} does not fit "
            f"{attribute.type} (it is encrypted, so the value is not shown)"
        )
    return InvalidValue(f"attribute {attribute.name}{unfit.path}: {unfit}")


def decode_attribute(attribute: Attribute, value: AttributeValue) -> Any:
    """The Python value that is stored; ItemNotReadable when the attribute says otherwise.

    NULL reads as None, and as the empty set where the attribute is a set.
    """
    try:
        return read_attribute(attribute, value)
    except Unfit as unfit:
        raise ItemNotReadable(f"attribute {attribute.name}: {unfit}") from None


def read_attribute(attribute: Attribute, value: AttributeValue) -> Any:
    """As `decode_attribute`, for callers who know more of the item: raises ``Unfit``."""
    for tag, content in value.items():
        if tag != attribute.type:
            if tag == "NULL":
                return set() if attribute.type in SET_TYPES else None
            raise Unfit(f"it is stored as {tag}, the model declares {attribute.type}")
        if attribute.json:
            try:
                return read_blob(content)
            except NotJson as error:
                raise Unfit(str(error)) from None
        decoded = _READERS[tag](content)
        if format_of(attribute) in INTEGRAL and type(decoded) is not int:
            raise Unfit(f"{content} is stored, the model declares an integer")
        return decoded
    raise Unfit("its stored value has no type")


def _encode_none(attribute: Attribute) -> AttributeValue | None:
    if attribute.omit_empty and not attribute.required:
        return None
    # There None is a value like others.
    if (attribute.json or attribute.type == "NULL") and not attribute.omit_empty:
        return {"NULL": True}
    if attribute.required:
        raise missing(attribute)
    return None if attribute.optional else {"NULL": True}


def missing(attribute: Attribute) -> InvalidModel:
    """The error for a required attribute that has no value."""
    return InvalidModel(f"attribute {attribute.name} is required, and has no value")


def _is_zero_time(attribute: Attribute, value: object) -> bool:
    return (
        isinstance(value, str)
        and format_of(attribute) == "rfc3339nano"
        and value.startswith("0001-01-01T")
        and _nanoseconds(parse_rfc3339_ns, value) == _ZERO_TIME_NS
    )


# Numbers -----------------------------------------------------------------------------------

INTEGRAL = frozenset({"int", "unix_seconds"})
_PLAIN_INTEGER_MAX = 10**NUMBER_DIGITS_MAX
_INTEGER_MAX = 10 ** (NUMBER_EXPONENT_MAX + 1)
_PLAIN = pattern(r"-?[0-9]+(?:\.[0-9]+)?").fullmatch
# Whole numbers within these bounds have fewer than 38 digits, beyond doubt.
SHORT_INTEGER_MAX = 10**18


def number_text(value: object) -> str:
    """The one text of a number: no exponent, no idle zeros; ``Unfit`` beyond the bounds."""
    if isinstance(value, bool):
        raise Unfit(f"{value} is a bool, not a number")
    if isinstance(value, int):
        if -_PLAIN_INTEGER_MAX < value < _PLAIN_INTEGER_MAX:
            return int.__repr__(value)
        if not -_INTEGER_MAX < value < _INTEGER_MAX:
            raise Unfit("the number is beyond 9.99E+125, the largest that DynamoDB holds")
        return decimal_text(Decimal(value))
    if isinstance(value, float):
        return decimal_text(_exact_decimal(value))
    if isinstance(value, Decimal):
        return decimal_text(value)
    raise Unfit(f"{show(value)} is no number; give an int, a Decimal or an exact float")


def _exact_decimal(value: float) -> Decimal:
    shortest = Decimal(float.__repr__(value))
    if shortest.is_finite() and shortest != value:
        raise Unfit(
            f"the float {value!r} is not exactly {shortest}; give Decimal({str(shortest)!r})"
        )
    return shortest


def decimal_text(number: Decimal) -> str:
    """`number_text` of a Decimal."""
    text = str(number)
    if len(text) <= NUMBER_DIGITS_MAX and _PLAIN(text):
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    if not number.is_finite():
        raise Unfit(f"{number} is no number that DynamoDB holds")
    if not number:
        return "0"
    magnitude = number.adjusted()
    if not NUMBER_EXPONENT_MIN <= magnitude <= NUMBER_EXPONENT_MAX:
        raise Unfit(f"{number} is outside of 1E-130 to 9.99E+125, which DynamoDB holds")
    sign, digits, _ = number.as_tuple()
    text = "".join(map(str, digits)).strip("0")
    if len(text) > NUMBER_DIGITS_MAX:
        raise Unfit(f"the number has {len(text)} significant digits, DynamoDB holds 38")
    return format(Decimal((sign, tuple(map(int, text)), magnitude - len(text) + 1)), "f")


def read_number(text: str) -> int | Decimal:
    """The number of a text: an int when it is integral."""
    if text.isdigit():
        return int(text)
    try:
        if "." not in text and "E" not in text and "e" not in text:
            return int(text)
        number = Decimal(text)
    except (ValueError, InvalidOperation):
        raise Unfit(f"{text!r} is no number") from None
    return whole(number)


def whole(number: Decimal) -> int | Decimal:
    """A finite number as an int when it is integral."""
    integral = number.to_integral_value()
    return int(integral) if integral == number else number


def whole_set(numbers: Collection[int | Decimal]) -> set[int | Decimal]:
    """The numbers, each as an int when it is integral."""
    return {number if isinstance(number, int) else whole(number) for number in numbers}


# Times -------------------------------------------------------------------------------------

# A time in UTC that is valid on sight; others are parsed. The zero time is not among them.
PLAIN_TIME = pattern(
    r"(?!000[01])[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?Z"
).fullmatch

_FIRST_OF_ALL = datetime(1, 1, 1)  # noqa: DTZ001 - compared after its offset is taken off
_ZERO_TIME_NS = -62_135_596_800 * 10**9


def time_text(value: datetime) -> str:
    """An aware datetime in RFC3339Nano, as Go prints it."""
    if value.tzinfo is UTC:
        text = value.isoformat().removesuffix("+00:00")
        return f"{text.rstrip('0')}Z" if value.microsecond else f"{text}Z"
    return format_rfc3339nano(_nanoseconds(datetime_ns, value))


def _nanoseconds(convert: Callable[[Any], int], value: object) -> int:
    try:
        return convert(value)
    except InvalidValue as error:
        raise Unfit(str(error)) from None


_ROLE_FORMATS = {
    "created_at": "rfc3339nano",
    "updated_at": "rfc3339nano",
    "version": "int",
    "ttl": "unix_seconds",
}


def format_of(attribute: Attribute) -> str | None:
    """The attribute's format, declared or that of its lifecycle role."""
    if attribute.format is not None or not attribute.roles:
        return attribute.format
    return next((_ROLE_FORMATS[role] for role in attribute.roles if role in _ROLE_FORMATS), None)


# One encoder a type: attribute, value -> attribute value ---------------------------------------


def _encode_text(attribute: Attribute, value: object) -> AttributeValue:
    if format_of(attribute) == "rfc3339nano":
        if isinstance(value, datetime):
            return {"S": time_text(value)}
        if isinstance(value, str):
            _nanoseconds(parse_rfc3339_ns, value)
    elif isinstance(value, datetime):
        raise Unfit("a datetime needs format: rfc3339nano on its attribute")
    return {"S": _text(value)}


def _encode_number(attribute: Attribute, value: object) -> AttributeValue:
    form = format_of(attribute)
    if isinstance(value, datetime):
        if form != "unix_seconds":
            raise Unfit("a datetime needs format: unix_seconds on its attribute")
        return {"N": str(_nanoseconds(datetime_ns, value) // 10**9)}
    text = number_text(value)
    if form in INTEGRAL and "." in text:
        raise Unfit(f"{show(value)} is no integer, which format: {form} asks for")
    return {"N": text}


def _encode_binary(_attribute: Attribute, value: object) -> AttributeValue:
    return {"B": _base64(value)}


def _encode_bool(_attribute: Attribute, value: object) -> AttributeValue:
    if value is True or value is False:
        return {"BOOL": value}
    raise Unfit(f"{show(value)} is no bool")


def _encode_null(_attribute: Attribute, value: object) -> AttributeValue:
    raise Unfit(f"{show(value)} is not None, the only value of NULL")


def _encode_map(_attribute: Attribute, value: object) -> AttributeValue:
    if isinstance(value, Mapping) or record_fields(value) is not None:
        return _write(value, 1)
    raise Unfit(f"{show(value)} is no dict, dataclass or Struct")


def _encode_list(_attribute: Attribute, value: object) -> AttributeValue:
    if isinstance(value, (list, tuple)):
        return write_list(value, 1)
    raise Unfit(f"{show(value)} is no list")


def _encode_set(attribute: Attribute, value: object) -> AttributeValue:
    if not isinstance(value, (set, frozenset, list, tuple)):
        raise Unfit(f"{show(value)} is no set or list")
    return write_set(attribute.type, value)


_ENCODERS: dict[str, Callable[[Attribute, object], AttributeValue]] = {
    "S": _encode_text,
    "N": _encode_number,
    "B": _encode_binary,
    "BOOL": _encode_bool,
    "NULL": _encode_null,
    "M": _encode_map,
    "L": _encode_list,
    "SS": _encode_set,
    "NS": _encode_set,
    "BS": _encode_set,
}


def _blob_text(value: object) -> str:
    try:
        return write_blob(value)
    except NotJson as error:
        raise Unfit(str(error)) from None


# Any value, by its Python type -----------------------------------------------------------------


def _write(value: object, level: int) -> AttributeValue:
    kind = type(value)
    # The two commonest, in place.
    if kind is str and value.isascii():  # type: ignore[attr-defined]
        return {"S": value}
    if kind is int and -SHORT_INTEGER_MAX < value < SHORT_INTEGER_MAX:  # type: ignore[operator]
        return {"N": str(value)}
    writer = _WRITERS.get(kind)
    if writer is not None:
        return writer(value, level)
    # Subclasses, and what only behaves like one of the types.
    for base, writer in _WRITERS.items():
        if isinstance(value, base):
            return writer(value, level)
    if isinstance(value, Mapping):
        return write_map(value, level)
    names = record_fields(value)
    if names is not None:
        return write_map({name: getattr(value, name) for name in names}, level)
    if isinstance(value, datetime):
        raise Unfit("a datetime inside a value has no form of its own; give text or a number")
    raise Unfit(f"{show(value)} has no DynamoDB type")


def write_map(value: Mapping[Any, Any], level: int = 1) -> AttributeValue:
    """A map; ``level`` says how deep inside a value it is."""
    _check_level(level)
    members: Attributes = {}
    key: object = None
    try:
        for key, member in value.items():
            if not isinstance(key, str):
                raise Unfit("the names in a map are str")
            members[_text(key)] = _write(member, level + 1)
    except Unfit as unfit:
        raise unfit.inside(f"[{key!r}]") from None
    return {"M": members}


def write_list(value: Iterable[Any], level: int = 1) -> AttributeValue:
    """A list; ``level`` says how deep inside a value it is."""
    _check_level(level)
    members: list[AttributeValue] = []
    try:
        for member in value:
            members.append(_write(member, level + 1))  # noqa: PERF401 - errors tell the index
    except Unfit as unfit:
        raise unfit.inside(f"[{len(members)}]") from None
    return {"L": members}


def _write_any_set(value: set[Any] | frozenset[Any], _level: int) -> AttributeValue:
    for member in value:
        if isinstance(member, str):
            return write_set("SS", value)
        if isinstance(member, (bytes, bytearray, memoryview)):
            return write_set("BS", value)
        return write_set("NS", value)
    return {"NULL": True}


def write_set(kind: str, members: Collection[Any]) -> AttributeValue:
    """A set of one type, each member once and in order; NULL when it is empty."""
    if not members:
        return {"NULL": True}
    if kind == "SS":
        # Nothing to convert in what is a set of plain text already.
        if type(members) is set and {*map(type, members)} == {str} and all(map(_is_ascii, members)):
            return {"SS": sorted(members)}
        return {"SS": sorted({_text(member) for member in members})}
    if kind == "NS":
        return {"NS": sorted({number_text(member) for member in members}, key=_number_order)}
    return {"BS": sorted({_base64(member) for member in members}, key=a2b_base64)}


def _number_order(text: str) -> Any:
    return Decimal(text) if "." in text else int(text)


_is_ascii = str.isascii

_WRITERS: dict[type, Callable[[Any, int], AttributeValue]] = {
    str: lambda value, _level: {"S": _text(value)},
    bool: lambda value, _level: {"BOOL": value},
    int: lambda value, _level: {"N": number_text(value)},
    float: lambda value, _level: {"N": number_text(value)},
    Decimal: lambda value, _level: {"N": number_text(value)},
    type(None): lambda _value, _level: {"NULL": True},
    bytes: lambda value, _level: {"B": _base64(value)},
    bytearray: lambda value, _level: {"B": _base64(value)},
    memoryview: lambda value, _level: {"B": _base64(value)},
    dict: write_map,
    list: write_list,
    tuple: write_list,
    set: _write_any_set,
    frozenset: _write_any_set,
}


def is_text(value: str) -> bool:
    """Whether UTF-8 can hold it: a Python str may have surrogates."""
    try:
        return value.isascii() or bool(value.encode())
    except UnicodeEncodeError:
        return False


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Unfit(f"{show(value)} is no str")
    if not is_text(value):
        raise Unfit("an unpaired surrogate is no character")
    # A subclass, such as an Enum's member, as the text that it is.
    return str.__str__(value)


def _base64(value: object) -> str:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise Unfit(f"{show(value)} is no bytes")
    return b2a_base64(value, newline=False).decode("ascii")


def _check_level(level: int) -> None:
    if level >= NESTING_LEVELS_MAX:
        raise Unfit(f"it has more than {NESTING_LEVELS_MAX} levels, which DynamoDB refuses")


def _is_sized(value: object) -> bool:
    return isinstance(value, (Mapping, tuple, frozenset, bytearray, memoryview))


def show(value: object) -> str:
    """A value as messages show it: its type, and not too much of it."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - whatever it is, this is not the place to learn it
        text = "something"
    if len(text) > SHOWN_CHARACTERS_MAX:
        text = text[: SHOWN_CHARACTERS_MAX - 1] + "…"
    return f"{text} ({type(value).__name__})"


# One reader a type: content -> Python value ------------------------------------------------------

_READERS: dict[str, Callable[[Any], Any]] = {
    "S": lambda content: content,
    "N": read_number,
    "B": a2b_base64,
    "BOOL": lambda content: content,
    "NULL": lambda _content: None,
    "SS": set,
    "NS": lambda content: set(map(read_number, content)),
    "BS": lambda content: set(map(a2b_base64, content)),
    "L": lambda content: list(map(from_value, content)),
    "M": lambda content: {name: from_value(member) for name, member in content.items()},
}
