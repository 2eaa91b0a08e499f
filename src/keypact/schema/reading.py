"""What every reader of documents does: make nodes, count them, note what is refused."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from typing import Any

from ..errors import Problem
from .document import Document, Kind, Node, Place
from .limits import DEPTH_MAX, INTEGER_MAX, NODES_MAX

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
# Integers of more digits are too large in any base, and would be slow to convert.
_DIGITS_MAX = 20


class Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]

    def place(self, index: int) -> Place:
        """Line and column of a character, from 1."""
        line = bisect_right(self._starts, index)
        return line, index - self._starts[line - 1] + 1


class Unreadable(Exception):
    """Reading cannot go on; the problem was noted."""


class Reading:
    """One document on its way to become nodes."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._count = 0
        self._depth = 0

    def document(self, root: Node | None) -> Document:
        """The outcome."""
        return Document(self.file, root, tuple(self.problems))

    def refuse(self, message: str, hint: str, place: Place, path: str = "") -> None:
        """Note a problem; reading goes on."""
        self.problems.append(Problem(path, message, hint, self.file, *place))

    def stop(self, message: str, hint: str, place: Place, path: str = "") -> Unreadable:
        """Note a problem after which nothing can be read."""
        self.refuse(message, hint, place, path)
        return Unreadable(message)

    def node(
        self,
        kind: Kind,
        data: Any,
        place: Place,
        parent: Node | None,
        step: str | int,
        key_place: Place | None = None,
    ) -> Node:
        """A new node, or no more of them when the document has too many."""
        self._count += 1
        if self._count > NODES_MAX:
            raise self.stop(
                f"the document has more than {NODES_MAX:,} values", "split it into several", place
            )
        return Node(kind, data, *place, self.file, parent, step, key_place or place)

    def enter(self, node: Node) -> None:
        """Before the members of a list or object are read."""
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise self.stop(
                f"lists and objects are nested more than {DEPTH_MAX} deep",
                "flatten the document",
                node.place,
            )

    def leave(self) -> None:
        """After the members of a list or object were read."""
        self._depth -= 1

    def number(self, node: Node, number: float) -> None:
        """Give the node a number, if every language reads the same one."""
        if not math.isfinite(number):
            message = "the number is too large, or none at all"
            hint = "JSON has no infinity and no NaN; write it as a string"
        elif isinstance(number, int) and abs(number) > INTEGER_MAX:
            message = f"the integer is beyond {INTEGER_MAX}: not every language reads the same"
            hint = "write it as a string"
        else:
            node.kind, node.data = "number", number
            return
        node.kind, node.data = "refused", None
        self.problems.append(node.problem(message, hint))

    def integer(self, node: Node, text: str, base: int = 10) -> None:
        """Give the node the integer that the text says, if every language reads the same."""
        too_long = len(text.lstrip("+-0")) > _DIGITS_MAX
        self.number(node, INTEGER_MAX + 1 if too_long else int(text, base))

    def text(self, text: str, place: Place, path: str) -> str:
        """The text, if it can be written as UTF-8; surrogates cannot."""
        if text.isascii():
            return text
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if joined != text:
            self.refuse(
                "the text has a surrogate, which is no character",
                "write the character itself",
                place,
                path,
            )
        return joined

    def add_member(self, node: Node, key: str, child: Node) -> None:
        """Put a member into its object, unless there is one of that name."""
        if key not in node.fields:
            node.fields[key] = child
            node.data[key] = child.data
            return
        line, column = node.fields[key].key_place
        told = f"the first is at line {line}, column {column}; keep one of them"
        self.problems.append(child.problem("duplicate key", told, place=child.key_place))

    def add_item(self, node: Node, child: Node) -> None:
        """Put an item at the end of its list."""
        node.items.append(child)
        node.data.append(child.data)
