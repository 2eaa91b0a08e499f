"""JSON to the byte as Go's encoding/json writes it: page tokens and envelopes cross languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

Pairs = Sequence[tuple[str, Any]]

# Go escapes what HTML would read, and the two line ends that JavaScript would.
_SPECIAL = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029]')
_SHORT = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}


def write_struct(pairs: Pairs) -> str:
    """An object whose members keep this order, as a Go struct's do."""
    return "{" + ",".join(f"{write_text(name)}:{text}" for name, text in pairs) + "}"


def write_map(members: dict[str, str]) -> str:
    """An object of members already written, sorted by their names' UTF-8, as a Go map's are."""
    # Code points sort as their UTF-8 does.
    return write_struct(sorted(members.items()))


def write_list(elements: Sequence[str]) -> str:
    """A list of elements already written."""
    return "[" + ",".join(elements) + "]"


def write_text(text: str) -> str:
    """A string with Go's escapes; everything else beyond ASCII stands as it is."""
    return '"' + _SPECIAL.sub(_escape, text) + '"'


def write_bool(value: bool) -> str:
    """true or false."""
    return "true" if value else "false"


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _SHORT.get(character) or f"\\u{ord(character):04x}"
