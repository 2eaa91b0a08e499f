"""Documents as trees of nodes: plain data, and the place where each of it was written.

A reader makes a ``Document``; a checker walks its nodes and asks a node for a ``Problem``,
which then knows its path, file, line and column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import InvalidDocument, Problem
from .limits import SHOWN_CHARACTERS_MAX

# "refused": the reader has told a problem of it, and there is no value to look at.
Kind = Literal["object", "list", "string", "number", "boolean", "null", "refused"]
Place = tuple[int, int]

_PLAIN_STEP = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_STEP = re.compile(r'\.?([A-Za-z_][A-Za-z0-9_-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')


@dataclass(slots=True, eq=False)
class Node:
    """A value of a document and where it was written; line and column count from 1.

    ``data`` is the value as plain Python. An object's members are in ``fields``, a list's
    in ``items``. ``partial`` says that members were refused, so that a missing one may not
    be missing.
    """

    kind: Kind
    data: Any
    line: int = 0
    column: int = 0
    file: str = ""
    parent: Node | None = field(default=None, repr=False)
    step: str | int = ""
    # Where the name of this member stands; its own place for what has no name.
    key_place: Place = (0, 0)
    fields: dict[str, Node] = field(default_factory=dict, repr=False)
    items: list[Node] = field(default_factory=list, repr=False)
    partial: bool = False

    @property
    def place(self) -> Place:
        """Line and column."""
        return self.line, self.column

    @property
    def path(self) -> str:
        """The way here from the top: ``models[2].indexes[0].partition``."""
        steps: list[str | int] = []
        node = self
        while node.parent is not None:
            steps.append(node.step)
            node = node.parent
        return join_path(reversed(steps))

    def at(self, *steps: str | int) -> Node:
        """The node these steps lead to, or the last one on the way that exists."""
        node = self
        for step in steps:
            if isinstance(step, str) and step in node.fields:
                node = node.fields[step]
            elif isinstance(step, int) and 0 <= step < len(node.items):
                node = node.items[step]
            else:
                break
        return node

    def problem(self, message: str, hint: str = "", *, place: Place | None = None) -> Problem:
        """Something wrong with this value, told where it stands or at the place given."""
        line, column = place or self.place
        return Problem(self.path, message, hint, self.file, line, column)


@dataclass(frozen=True, slots=True)
class Document:
    """What was read: the top node, and every problem met while reading.

    ``root`` is None when the text could not be read to its end. Whoever walks the nodes
    starts with ``problems``, and so reports them together with its own.
    """

    file: str
    root: Node | None
    problems: tuple[Problem, ...] = ()

    @property
    def data(self) -> Any:
        """The document as plain Python; InvalidDocument if there was any problem."""
        if self.problems or self.root is None:
            raise InvalidDocument(self.problems)
        return self.root.data

    def at(self, path: str) -> Node:
        """The node at a path such as ``models[2].table``, or the last one on the way."""
        if self.root is None:
            raise InvalidDocument(self.problems)
        return self.root.at(*split_path(path))


def join_path(steps: Iterable[str | int]) -> str:
    """Steps as text; names that would be mistaken for several are quoted.

    >>> join_path(["models", 0, "tags", "a.b"])
    'models[0].tags["a.b"]'
    """
    path = ""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        elif _PLAIN_STEP.fullmatch(step):
            path += f".{step}" if path else step
        else:
            path += f"[{show(step)}]"
    return path


def split_path(path: str) -> list[str | int]:
    """The steps of a path; ValueError if it is none.

    >>> split_path('models[0].tags["a.b"]')
    ['models', 0, 'tags', 'a.b']
    """
    steps: list[str | int] = []
    position = 0
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            raise ValueError(f"not a path: {path!r}")
        name, number, quoted = match.groups()
        steps.append(name or (int(number) if number else json.loads(quoted)))
        position = match.end()
    return steps


def show(data: Any) -> str:
    """A value as messages show it: in JSON, cut when long."""
    if isinstance(data, str) and len(data) > SHOWN_CHARACTERS_MAX:
        data = data[:SHOWN_CHARACTERS_MAX] + "…"
    if isinstance(data, dict):
        return "an object"
    if isinstance(data, list):
        return "a list"
    return json.dumps(data, ensure_ascii=False)
