"""The strict reader of documents: YAML 1.2 restricted to what JSON can say, or JSON.

Whatever is read here reads the same in Go, TypeScript and Python, or is refused.

- Text is UTF-8, with or without a byte order mark. JSON is recognised by the file's name or
  by its content, and read as JSON; everything else is YAML.
- Plain scalars follow the core schema of YAML 1.2: ``null`` and ``~``, ``true`` and ``True``,
  ``1``, ``+1``, ``0o7``, ``0x1F``, ``.5``, ``1e3``. With one exception: a decimal number with
  a leading zero, such as ``010``, stays a string, because JSON has no such number and other
  readers take it for eight or for ten. So ``on``, ``yes``, ``1:30``, ``1_000``, ``2026-01-01``
  and ``010`` are strings.
- Refused, each with its place: anchors, aliases, merge keys, tags, directives other than
  ``%YAML 1.2``, several documents, keys that are not strings, duplicate keys, infinity and
  NaN, integers that a double cannot hold, surrogates, control characters, and the three
  characters (U+0085, U+2028, U+2029) that end a line in YAML 1.1 and do not in 1.2.
- Problems of this kind are collected, and reading goes on. After an error of syntax, or in a
  document beyond the limits, it cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from ..errors import InvalidDocument, Problem
from .document import Document, Node
from .limits import DOCUMENT_BYTES_MAX
from .reading import Lines, Reading, Unreadable

_BYTE_ORDER_MARK = "\ufeff"


def read_file(path: str | PathLike[str]) -> Document:
    """The document in a file; InvalidDocument if the file itself cannot be read."""
    name = fspath(path)
    try:
        with open(name, "rb") as file:
            content = file.read(DOCUMENT_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        problem = Problem("", f"cannot read {name}: {reason}", "check the path", name)
        raise InvalidDocument([problem]) from error
    return read_document(content, file=name)


def read_document(text: str | bytes, *, file: str = "<text>") -> Document:
    """The document as nodes with places; its ``problems`` say what was refused."""
    # Models that are declared in Python are checked without any of these.
    from .json_reader import NotJson, read_json
    from .yaml_reader import read_yaml

    reading = Reading(file)
    try:
        decoded = _decode(reading, text)
        if file.lower().endswith(".json"):
            return _as_json(reading, decoded)
        if decoded.lstrip(" \t\r\n").startswith(("{", "[")):
            # YAML 1.2 contains JSON, but the YAML parser beneath is of 1.1, which does not.
            first = Reading(file)
            try:
                return first.document(read_json(first, decoded, Lines(decoded)))
            except NotJson:
                pass
            except Unreadable:
                return first.document(None)
        return reading.document(read_yaml(reading, decoded, Lines(decoded)))
    except Unreadable:
        return reading.document(None)


def read_data(data: Any, *, file: str = "") -> Document:
    """Data as a document that was never written: its problems have a path and no line."""
    reading = Reading(file)
    try:
        return reading.document(_plain(reading, data, None, ""))
    except Unreadable:
        return reading.document(None)


def _as_json(reading: Reading, text: str) -> Document:
    from .json_reader import NotJson, read_json

    lines = Lines(text)
    try:
        return reading.document(read_json(reading, text, lines))
    except NotJson as error:
        hint = "the file's name says JSON; YAML goes into a .yaml file"
        raise reading.stop(f"not valid JSON: {error}", hint, lines.place(error.index)) from None


def _decode(reading: Reading, text: str | bytes) -> str:
    """The text without its byte order mark, known to be UTF-8 and not too long."""
    try:
        content = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        assert isinstance(text, str)
        raise reading.stop(
            "the text has a surrogate, which is no character",
            "write the character itself",
            Lines(text).place(error.start),
        ) from None
    if len(content) > DOCUMENT_BYTES_MAX:
        raise reading.stop(
            f"the document has more than {DOCUMENT_BYTES_MAX:,} bytes",
            "split it into several",
            (1, 1),
        )
    try:
        decoded = content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start].decode().removeprefix(_BYTE_ORDER_MARK)
        raise reading.stop(
            f"byte {content[error.start]:#04x} is not UTF-8",
            "save the file as UTF-8",
            Lines(before).place(len(before)),
        ) from None
    return decoded.removeprefix(_BYTE_ORDER_MARK)


def _plain(reading: Reading, data: Any, parent: Node | None, step: str | int) -> Node:
    """A node of plain data."""
    node = reading.node("null", data, (0, 0), parent, step)
    if isinstance(data, bool):
        node.kind = "boolean"
    elif isinstance(data, str):
        node.kind, node.data = "string", reading.text(data, (0, 0), node.path)
    elif isinstance(data, (int, float)):
        reading.number(node, data)
    elif isinstance(data, Mapping):
        node.kind, node.data = "object", {}
        reading.enter(node)
        for key, value in data.items():
            if not isinstance(key, str):
                reading.refuse("a key must be a string", f"not {key!r}", (0, 0), node.path)
                node.partial = True
                continue
            reading.add_member(node, key, _plain(reading, value, node, key))
        reading.leave()
    elif isinstance(data, (list, tuple)):
        node.kind, node.data = "list", []
        reading.enter(node)
        for number, value in enumerate(data):
            reading.add_item(node, _plain(reading, value, node, number))
        reading.leave()
    elif data is not None:
        node.kind = "refused"
        message = f"{type(data).__name__} is no type of JSON"
        reading.problems.append(node.problem(message, "write it as a string"))
    return node
