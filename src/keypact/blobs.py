"""JSON blobs: a JSON value as text that is the same in every language, and back.

Keys are sorted by code point, there are no spaces, and text is raw UTF-8. Numbers are
written as JavaScript and Go write them: ``1.0`` as ``1``, ``1e-07`` as ``1e-7``. An int or
Decimal keeps all its digits; a float stands for the shortest decimal that names it.
Numbers without a fraction read back as int, others as float, or as Decimal where a float
would lose digits. So text that was read and written again is the same text.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

# Lists and objects inside each other: no payload needs more, and a value that contains
# itself must end somewhere.
DEPTH_MAX = 200


class NotJson(ValueError):
    """A value or text that JSON cannot hold; says which part."""


def write_blob(value: object) -> str:
    """The text of a JSON value; ``NotJson`` for anything else."""
    parts: list[str] = []
    _write(value, parts.append, 0)
    return "".join(parts)


def read_blob(text: str) -> Any:
    """The JSON value of a text; ``NotJson`` when it is none."""
    try:
        return _READER.decode(text)
    except RecursionError:
        raise NotJson("its lists and objects are nested too deeply") from None
    except ValueError as error:
        raise NotJson(f"it is not JSON: {error}") from None


def _write(value: object, write: Callable[[str], object], depth: int) -> None:
    if value is None:
        write("null")
    elif value is True:
        write("true")
    elif value is False:
        write("false")
    elif isinstance(value, str):
        write(_text(value))
    elif isinstance(value, int):
        write(_integer(value))
    elif isinstance(value, float):
        write(_decimal(Decimal(float.__repr__(value))))
    elif isinstance(value, Decimal):
        write(_decimal(value))
    elif isinstance(value, dict):
        _write_object(value, write, _deeper(depth))
    elif isinstance(value, (list, tuple)):
        _write_list(value, write, _deeper(depth))
    else:
        raise NotJson(f"{type(value).__name__} is no type of JSON")


def _write_object(value: dict[Any, Any], write: Callable[[str], object], depth: int) -> None:
    for key in value:
        if not isinstance(key, str):
            raise NotJson(f"{key!r} is no name: names in JSON are str")
    start = "{"
    for key in sorted(value):
        write(f"{start}{_text(key)}:")
        _write(value[key], write, depth)
        start = ","
    write("}" if value else "{}")


def _write_list(value: Any, write: Callable[[str], object], depth: int) -> None:
    start = "["
    for member in value:
        write(start)
        _write(member, write, depth)
        start = ","
    write("]" if value else "[]")


def _text(value: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NotJson("an unpaired surrogate is no character") from None
    return encode_basestring(value)


def _integer(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError as error:
        raise NotJson(f"a number is too long: {error}") from None


def _deeper(depth: int) -> int:
    if depth >= DEPTH_MAX:
        raise NotJson(f"it has more than {DEPTH_MAX} levels, or contains itself")
    return depth + 1


def _decimal(number: Decimal) -> str:
    """As ECMAScript's Number::toString lays out digits, however many there are."""
    if not number.is_finite():
        raise NotJson(f"{number} is no number of JSON")
    if not number:
        return "0"
    sign, digits, _ = number.as_tuple()
    minus = "-" if sign else ""
    # The value is 0.DIGITS times ten to the power of `point`.
    point = number.adjusted() + 1
    text = "".join(map(str, digits)).strip("0")
    count = len(text)
    if count <= point <= 21:
        return minus + text + "0" * (point - count)
    if 0 < point <= 21:
        return f"{minus}{text[:point]}.{text[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    fraction = f".{text[1:]}" if count > 1 else ""
    return f"{minus}{text[0]}{fraction}e{point - 1:+d}"


def _read_fraction(text: str) -> float | Decimal:
    exact = Decimal(text)
    number = float(text)
    return number if Decimal(repr(number)) == exact else exact


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


_READER = json.JSONDecoder(parse_float=_read_fraction, parse_constant=_refuse)
