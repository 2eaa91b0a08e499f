"""Page tokens that any language's implementation reads: DynamoDB's last key, in base64url."""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Any

import msgspec

from .errors import InvalidCursor
from .gojson import write_bool, write_list, write_map, write_struct, write_text
from .values import Attributes

# Two keys of a table and two of an index, at their longest and escaped, stay below this.
CURSOR_CHARACTERS_MAX = 64 * 1024
# Keys are scalars; a token of another origin may nest, but not without end.
NESTING_LEVELS_MAX = 32
_SORTS = ("", "ASC", "DESC")
_ALPHABET = re.compile(r"[A-Za-z0-9_-]+={0,2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page ended, and of which query."""

    last_key: Attributes
    index: str = ""
    sort: str = ""


def encode_cursor(last_key: Attributes, index: str = "", sort: str = "") -> str:
    """The token; "" when there is no last key."""
    if not last_key:
        return ""
    if sort not in _SORTS:
        raise InvalidCursor(f"sort is ASC, DESC or left out, not {sort!r}")
    pairs = [("lastKey", write_map({name: _write(last_key[name], 0) for name in last_key}))]
    if index:
        pairs.append(("index", write_text(index)))
    if sort:
        pairs.append(("sort", write_text(sort)))
    try:
        return urlsafe_b64encode(write_struct(pairs).encode()).decode()
    except UnicodeEncodeError:
        raise InvalidCursor("a key with an unpaired surrogate is no key") from None


def decode_cursor(text: str) -> Cursor:
    """What a token says; anything that is no token raises InvalidCursor."""
    decoded = _decode(text)
    if not isinstance(decoded, dict) or not decoded.keys() <= {"lastKey", "index", "sort"}:
        raise InvalidCursor("the cursor is not one of ours")
    last_key, index, sort = (
        decoded.get("lastKey"),
        decoded.get("index", ""),
        decoded.get("sort", ""),
    )
    if not isinstance(last_key, dict) or not last_key:
        raise InvalidCursor("the cursor has no last key")
    if not isinstance(index, str) or sort not in _SORTS:
        raise InvalidCursor("the cursor's index or sort is not readable")
    for value in last_key.values():
        _write(value, 0)
    return Cursor(last_key, index, sort)


def _decode(text: object) -> Any:
    if not isinstance(text, str) or not 0 < len(text) <= CURSOR_CHARACTERS_MAX:
        raise InvalidCursor("the cursor is empty or too long")
    if _ALPHABET.fullmatch(text) is None:
        raise InvalidCursor("the cursor is not base64url")
    bare = text.rstrip("=")
    # With padding, all of it; without is fine too.
    if len(bare) % 4 == 1 or (len(bare) != len(text) and len(text) % 4):
        raise InvalidCursor("the cursor is cut off")
    try:
        return msgspec.json.decode(urlsafe_b64decode(bare + "=" * (-len(bare) % 4)))
    except (binascii.Error, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidCursor("the cursor is damaged") from None


# Typed attribute values -------------------------------------------------------------------


def _write(value: object, depth: int) -> str:
    """A typed value with its one member, checked on the way."""
    if not isinstance(value, dict) or len(value) != 1 or depth > NESTING_LEVELS_MAX:
        raise InvalidCursor("a cursor's key is a typed attribute value with one member")
    ((tag, content),) = value.items()
    return write_struct([(tag, _write_content(tag, content, depth))])


def _write_content(tag: str, content: Any, depth: int) -> str:
    if tag in ("S", "N", "B") and isinstance(content, str):
        return write_text(content)
    if tag in ("BOOL", "NULL") and isinstance(content, bool):
        return write_bool(content)
    if tag in ("SS", "NS", "BS") and isinstance(content, list):
        if all(isinstance(member, str) for member in content):
            return write_list([write_text(member) for member in content])
    elif tag == "L" and isinstance(content, list):
        return write_list([_write(member, depth + 1) for member in content])
    elif tag == "M" and isinstance(content, dict):
        return write_map({name: _write(content[name], depth + 1) for name in content})
    raise InvalidCursor(f"a cursor's key holds what is no value of type {tag!r}")
