"""YAML text to nodes, from the parser's events; what the values mean is decided here.

The parser is libyaml where PyYAML was built with it, and pure Python elsewhere. One may
refuse a tab that the other takes; what both read is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .document import Node, Place, show
from .reading import Lines, Reading

if TYPE_CHECKING:
    from yaml import Event

# What the parser cannot read, and what ends a line in YAML 1.1 but not in 1.2.
_UNWRITABLE = re.compile(
    "[^\t\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
# Comments and empty lines may stand before directives.
_LEADING_LINE = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?|(%[^\r\n]*))(?:\r\n|\r|\n|\Z)")
_DIRECTIVE = re.compile(r"%YAML[ \t]+1\.2[ \t]*(?:[ \t]#.*)?")

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
}  # fmt: skip
# A decimal integer has no leading zero, as in JSON.
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

_ANY_SYNTAX_HINT = "look for quotes, brackets and indentation at this place or before it"
# The parser's words, where another sentence helps more.
_SYNTAX_HINTS = {
    "that cannot start any token": "tabs cannot indent; text that begins with @, ` or % is quoted",
    "mapping values are not allowed": 'text with ": " in it is put in quotes',
    "could not find expected ':'": "a key is followed by a colon and a space",
    "escape code": "write the character itself",
    "unknown escape character": "in double quotes a backslash is written twice",
}


def read_yaml(reading: Reading, text: str, lines: Lines) -> Node:
    """The top node of the only document in the text."""
    import yaml

    if match := _UNWRITABLE.search(text):
        raise reading.stop(
            f"the character U+{ord(match[0]):04X} cannot stand in YAML as it is",
            f'write it as "\\u{ord(match[0]):04x}", in double quotes',
            lines.place(match.start()),
        )
    _check_directives(reading, text, lines)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Parser(reading, yaml.parse(text, Loader=loader)).document()
    except (yaml.YAMLError, ValueError) as error:
        # ValueError: an escape beyond the last character, in the parser of pure Python.
        raise _syntax_problem(reading, error) from None


def _check_directives(reading: Reading, text: str, lines: Lines) -> None:
    position = 0
    while (match := _LEADING_LINE.match(text, position)) and match.end() > position:
        if match[1] and not _DIRECTIVE.fullmatch(match[1]):
            raise reading.stop(
                f"directive {show(match[1].rstrip())} is not allowed",
                "the only directive is %YAML 1.2, and it may be left out",
                lines.place(position),
            )
        position = match.end()


def _syntax_problem(reading: Reading, error: Exception) -> Exception:
    mark, begin = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    told = str(getattr(error, "problem", None) or error)
    hint = next((hint for words, hint in _SYNTAX_HINTS.items() if words in told), _ANY_SYNTAX_HINT)
    if begin is not None:
        told += f", {getattr(error, 'context', '')} that begins at line {begin.line + 1}"
    place = _place(mark or begin) if mark or begin else (1, 1)
    return reading.stop(f"not valid YAML: {told}", hint, place)


def _place(mark: Any) -> Place:
    return mark.line + 1, mark.column + 1


class _Parser:
    """Descends into the parser's events."""

    def __init__(self, reading: Reading, events: Iterator[Event]) -> None:
        self.reading = reading
        self.events = events

    def document(self) -> Node:
        """The one document of the stream."""
        from yaml import DocumentStartEvent

        next(self.events)
        first = next(self.events)
        if not isinstance(first, DocumentStartEvent):
            raise self.reading.stop("the document is empty", "is it the right file?", (1, 1))
        root = self._value(next(self.events), None, "", None)
        next(self.events)
        second = next(self.events)
        if isinstance(second, DocumentStartEvent):
            self.reading.refuse(
                "a second document begins here",
                "a file holds one document; split it at ---",
                _place(second.start_mark),
            )
        return root

    def _value(
        self, event: Event, parent: Node | None, step: str | int, key_place: Place | None
    ) -> Node:
        """The value that begins with the event."""
        from yaml import AliasEvent, MappingStartEvent, ScalarEvent

        place = _place(event.start_mark)
        node = self.reading.node("null", None, place, parent, step, key_place)
        if isinstance(event, AliasEvent):
            node.kind = "refused"
            self._refuse(node, f"alias *{event.anchor}", "write the value out here")
            return node
        self._refuse_properties(event, node)
        if isinstance(event, ScalarEvent):
            self._scalar(node, event)
            return node
        self.reading.enter(node)
        if isinstance(event, MappingStartEvent):
            self._mapping(node)
        else:
            self._sequence(node)
        self.reading.leave()
        return node

    def _mapping(self, node: Node) -> None:
        from yaml import MappingEndEvent

        node.kind, node.data = "object", {}
        for event in self.events:
            if isinstance(event, MappingEndEvent):
                return
            place = _place(event.start_mark)
            key = self._key(event, node)
            if key is None:
                node.partial = True
                self._value(next(self.events), node, getattr(event, "value", "?"), place)
            else:
                child = self._value(next(self.events), node, key, place)
                self.reading.add_member(node, key, child)

    def _sequence(self, node: Node) -> None:
        from yaml import SequenceEndEvent

        node.kind, node.data = "list", []
        for event in self.events:
            if isinstance(event, SequenceEndEvent):
                return
            self.reading.add_item(node, self._value(event, node, len(node.items), None))

    def _key(self, event: Event, node: Node) -> str | None:
        """The text of a key; None if it was refused."""
        from yaml import ScalarEvent

        known = len(self.reading.problems)
        key = self._value(event, node, getattr(event, "value", "?"), None)
        if len(self.reading.problems) > known:
            return None
        if isinstance(event, ScalarEvent) and not event.style and event.value == "<<":
            message, hint = "merge key << is not allowed", "write the members out here"
        elif key.kind == "string":
            return str(key.data)
        elif isinstance(event, ScalarEvent):
            message, hint = f"the key {show(key.data)} is not a string", "put the key in quotes"
        else:
            message, hint = f"{show(key.data)} cannot be a key", "keys are strings"
        self.reading.problems.append(node.problem(message, hint, place=key.place))
        return None

    def _refuse(self, node: Node, what: str, hint: str) -> None:
        self.reading.problems.append(node.problem(f"{what} is not allowed", hint))

    def _refuse_properties(self, event: Any, node: Node) -> None:
        """Anchors and tags, which may stand before any value."""
        if event.anchor is not None:
            self._refuse(node, f"anchor &{event.anchor}", "JSON has none; leave it out")
        if event.tag is not None:
            self._refuse(node, f"tag {event.tag}", "JSON has none; leave it out")

    def _scalar(self, node: Node, event: Any) -> None:
        text: str = event.value
        if event.style or event.tag is not None:
            node.kind, node.data = "string", self.reading.text(text, node.place, node.path)
        elif text in _NULLS:
            pass
        elif text in _BOOLEANS:
            node.kind, node.data = "boolean", _BOOLEANS[text]
        elif _INTEGER.fullmatch(text):
            self.reading.integer(node, text)
        elif _OCTAL.fullmatch(text):
            self.reading.integer(node, text[2:], 8)
        elif _HEXADECIMAL.fullmatch(text):
            self.reading.integer(node, text[2:], 16)
        elif _FLOAT.fullmatch(text):
            self.reading.number(node, float(text))
        elif _NO_NUMBER.fullmatch(text):
            self.reading.number(node, float("nan"))
        else:
            node.kind, node.data = "string", text
