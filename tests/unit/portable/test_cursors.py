"""Golden cursors, held to an encoder that was written from the specification alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

import keypact
from keypact.portable import DMS_VERSION, FOLDER, Report, check_cursors

GOLDEN = json.loads((FOLDER / "cursors.json").read_text())

# An encoder from the specification: RFC 8259 strings with Go's escapes, keys in the order
# of their bytes, RFC 4648 base64url with padding. Nothing of the library is in it.

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def text(value: str) -> str:
    """A JSON string as Go's encoding/json writes it."""
    written = ""
    for character in value:
        if character in SHORT:
            written += SHORT[character]
        elif character < " " or character in "<>&\u2028\u2029":
            written += "\\u" + hex(ord(character))[2:].rjust(4, "0")
        else:
            written += character
    return f'"{written}"'


def members(pairs: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{text(name)}:{value}" for name, value in pairs) + "}"


def by_bytes(values: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(values.items(), key=lambda pair: pair[0].encode())


def typed(value: dict[str, Any]) -> str:
    ((kind, content),) = value.items()
    if kind == "M":
        written = members([(name, typed(one)) for name, one in by_bytes(content)])
    elif kind == "L":
        written = "[" + ",".join(map(typed, content)) + "]"
    elif kind in ("SS", "NS", "BS"):
        written = "[" + ",".join(map(text, content)) + "]"
    elif kind in ("BOOL", "NULL"):
        written = "true" if content else "false"
    else:
        written = text(content)
    return members([(kind, written)])


def base64url(data: bytes) -> str:
    bits = "".join(f"{byte:08b}" for byte in data)
    groups = [bits[start : start + 6].ljust(6, "0") for start in range(0, len(bits), 6)]
    letters = "".join(ALPHABET[int(group, 2)] for group in groups)
    return letters + "=" * (-len(letters) % 4)


def cursor_json(last_key: dict[str, Any], index: str, sort: str) -> str:
    if not last_key:
        return ""
    pairs = [("lastKey", members([(name, typed(one)) for name, one in by_bytes(last_key)]))]
    pairs += [("index", text(index))] if index else []
    pairs += [("sort", text(sort))] if sort else []
    return members(pairs)


@pytest.mark.parametrize("one", GOLDEN["cursors"], ids=lambda one: one["name"])
def test_the_file_is_what_the_specification_says(one):
    """The JSON and the token, by the independent encoder."""
    written = cursor_json(one["last_key"], one.get("index", ""), one.get("sort", ""))
    assert one["json"] == written
    assert one["token"] == base64url(written.encode())


@pytest.mark.parametrize("one", GOLDEN["cursors"], ids=lambda one: one["name"])
def test_the_library_writes_the_golden_token(one):
    """To the byte."""
    content = (one["last_key"], one.get("index", ""), one.get("sort", ""))
    assert keypact.encode_cursor(*content) == one["token"]


def test_the_file_is_of_the_pinned_version():
    """And that version is one that the library supports."""
    assert GOLDEN["dms_version"] == DMS_VERSION
    assert DMS_VERSION in keypact.DMS_VERSIONS


def _decode(token: str) -> tuple[dict[str, Any], str, str]:
    cursor = keypact.decode_cursor(token)
    return cursor.last_key, cursor.index, cursor.sort


def test_every_token_is_written_read_or_refused():
    """Two checks for each cursor but the empty one, one for the others."""
    report = Report()
    check_cursors(keypact.encode_cursor, _decode, report)
    assert not report.failures
    counted = 2 * len(GOLDEN["cursors"]) - 1 + len(GOLDEN["also_read"]) + len(GOLDEN["refused"])
    assert report.passed == counted


def test_a_wrong_encoder_is_found():
    """One that does not escape as Go does, and a decoder that takes anything."""
    report = Report()

    def careless(last_key: dict[str, Any], index: str, sort: str) -> str:
        return base64url(json.dumps({"lastKey": last_key}).encode())

    check_cursors(careless, lambda token: ({}, "", ""), report)
    assert len(report.failures) > len(GOLDEN["cursors"])
