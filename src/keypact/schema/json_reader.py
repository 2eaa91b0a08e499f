"""JSON text to nodes."""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder

from .document import Node, Place
from .reading import Lines, Reading

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_STRINGS = JSONDecoder()
_WORD = re.compile(r"true|false|null")


class NotJson(Exception):
    """The text is not JSON; ``index`` says where."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.index = index


def read_json(reading: Reading, text: str, lines: Lines) -> Node:
    """The top node of a JSON text, which is all of the text."""
    parser = _Parser(reading, text, lines)
    root = parser.value(parser.skip(0), None, "", None)
    if parser.end != len(text):
        raise NotJson("something follows the end of the document", parser.end)
    return root


class _Parser:
    """Descends into values; ``end`` is where the last one, and the space after it, ended."""

    def __init__(self, reading: Reading, text: str, lines: Lines) -> None:
        self.reading = reading
        self.text = text
        self.lines = lines
        self.end = 0

    def skip(self, index: int) -> int:
        """Past the space."""
        match = _SPACE.match(self.text, index)
        assert match is not None
        self.end = match.end()
        return self.end

    def value(
        self, index: int, parent: Node | None, step: str | int, key_place: Place | None
    ) -> Node:
        """The value that begins here."""
        place = self.lines.place(index)
        node = self.reading.node("null", None, place, parent, step, key_place)
        start = self.text[index : index + 1]
        if start == "{":
            self._object(node, index)
        elif start == "[":
            self._list(node, index)
        elif start == '"':
            text = self._string(index)
            node.kind, node.data = "string", self.reading.text(text, place, node.path)
        elif match := _WORD.match(self.text, index):
            if match[0] != "null":
                node.kind, node.data = "boolean", match[0] == "true"
            self.skip(match.end())
        elif match := _NUMBER.match(self.text, index):
            self._number(node, match)
        elif start:
            raise NotJson("a value was expected", index)
        else:
            raise NotJson("the text ends where a value was expected", index)
        return node

    def _object(self, node: Node, index: int) -> None:
        node.kind, node.data = "object", {}
        self.reading.enter(node)
        index = self.skip(index + 1)
        if not self._next("}", index):
            while True:
                self._member(node, index)
                if self._next("}", self.end):
                    break
                index = self._expect(",", "a comma or }", self.end)
        self.reading.leave()

    def _member(self, node: Node, index: int) -> None:
        if self.text[index : index + 1] != '"':
            raise NotJson("a key in double quotes was expected", index)
        place = self.lines.place(index)
        key = self.reading.text(self._string(index), place, node.path)
        start = self._expect(":", "a colon", self.end)
        child = self.value(start, node, key, place)
        self.reading.add_member(node, key, child)

    def _list(self, node: Node, index: int) -> None:
        node.kind, node.data = "list", []
        self.reading.enter(node)
        index = self.skip(index + 1)
        if not self._next("]", index):
            while True:
                child = self.value(index, node, len(node.items), None)
                self.reading.add_item(node, child)
                if self._next("]", self.end):
                    break
                index = self._expect(",", "a comma or ]", self.end)
        self.reading.leave()

    def _string(self, index: int) -> str:
        try:
            text, end = _STRINGS.raw_decode(self.text, index)
        except JSONDecodeError as error:
            message = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
            raise NotJson(message, error.pos) from None
        self.skip(end)
        return str(text)

    def _number(self, node: Node, match: re.Match[str]) -> None:
        if match[1] or match[2]:
            self.reading.number(node, float(match[0]))
        else:
            self.reading.integer(node, match[0])
        self.skip(match.end())

    def _next(self, character: str, index: int) -> bool:
        if not self.text.startswith(character, index):
            return False
        self.skip(index + 1)
        return True

    def _expect(self, character: str, what: str, index: int) -> int:
        if not self._next(character, index):
            raise NotJson(f"{what} was expected", index)
        return self.end
