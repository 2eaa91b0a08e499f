"""Golden cursors: tokens that every implementation writes and reads to the byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from .runner import Report
from .scenarios import DMS_VERSION, FOLDER

# (last key, index, sort) -> token, and back; whatever is refused raises.
Encode = Callable[[dict[str, Any], str, str], str]
Decode = Callable[[str], tuple[dict[str, Any], str, str]]


def check_cursors(
    encode: Encode, decode: Decode, report: Report, path: Path = FOLDER / "cursors.json"
) -> None:
    """Every token of the file is written so, read so, or refused."""
    data = msgspec.json.decode(path.read_bytes())
    assert data["dms_version"] == DMS_VERSION, path
    for one in data["cursors"]:
        content = (one["last_key"], one.get("index", ""), one.get("sort", ""))
        token = encode(*content)
        reason = "" if token == one["token"] else f"encoded {token}, not {one['token']}"
        report.note(f"cursors: {one['name']}", reason)
        if one["token"]:
            report.note(f"cursors: {one['name']}, read", _misread(decode, one["token"], content))
    for one in data["also_read"]:
        content = (one["last_key"], one.get("index", ""), one.get("sort", ""))
        report.note(f"cursors: {one['name']}", _misread(decode, one["token"], content))
    for one in data["refused"]:
        try:
            found = decode(one["token"])
        except Exception:  # noqa: BLE001 - how an implementation refuses is its own
            report.note(f"cursors: {one['name']}", "")
        else:
            report.note(f"cursors: {one['name']}", f"{one['token']} was read as {found!r}")


def _misread(decode: Decode, token: str, content: tuple[dict[str, Any], str, str]) -> str:
    try:
        found = decode(token)
    except Exception as error:  # noqa: BLE001 - how an implementation fails is its own
        return f"{token} was refused: {error!r}"
    return "" if found == content else f"{token} was read as {found!r}"
