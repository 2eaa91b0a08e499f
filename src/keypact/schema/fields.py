"""The questions every checker asks of a node, and the problems found so far."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from ..errors import InvalidDocument, Problem
from .document import Document, Kind, Node, Place, show

_ARTICLES: dict[Kind, str] = {
    "object": "an object",
    "list": "a list",
    "string": "a string",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
# What YAML 1.1 took for a boolean, and what people write in quotes.
_SPOKEN_BOOLEANS = {
    "true": "true", "yes": "true", "on": "true", "y": "true",
    "false": "false", "no": "false", "off": "false", "n": "false",
}  # fmt: skip


class Check:
    """Collects problems. Each question answers None, or nothing, after telling a problem.

    A node that the reader refused is passed over in silence: its problem is told already.
    """

    def __init__(self, document: Document) -> None:
        self.problems: list[Problem] = list(document.problems)

    def refuse(
        self, node: Node, message: str, hint: str = "", *, place: Place | None = None
    ) -> None:
        """Tell a problem of a node."""
        self.problems.append(node.problem(message, hint, place=place))

    def in_order(self) -> list[Problem]:
        """Every problem once, in the order of the text."""
        return sorted(
            dict.fromkeys(self.problems), key=lambda problem: (problem.line, problem.column)
        )

    def raise_problems(self) -> None:
        """All problems at once as InvalidDocument; nothing if there are none."""
        if self.problems:
            raise InvalidDocument(self.in_order())

    def is_kind(self, node: Node, kind: Kind, hint: str = "") -> bool:
        """Whether the node is of this kind."""
        if node.kind == kind:
            return True
        if node.kind != "refused":
            told = _ARTICLES[node.kind]
            if node.kind in ("string", "number", "boolean"):
                told = show(node.data)
            self.refuse(
                node, f"must be {_ARTICLES[kind]}, not {told}", hint or _kind_hint(node, kind)
            )
        return False

    def fields(
        self,
        node: Node,
        *,
        required: Sequence[str] = (),
        optional: Sequence[str] = (),
        unknown_hint: str = "",
    ) -> dict[str, Node]:
        """The members of an object; unknown and missing ones are told."""
        if not self.is_kind(node, "object"):
            return {}
        known = [*required, *optional]
        for name, member in node.fields.items():
            if name not in known:
                left = [one for one in known if one not in node.fields]
                hint = _unknown_hint(name, left, known) or unknown_hint
                hint = hint or f"known here: {', '.join(known)}"
                self.refuse(member, "unknown field", hint, place=member.key_place)
        for name in required:
            if name not in node.fields and not node.partial:
                path = f"{node.path}.{name}" if node.path else name
                hint = f"add {name} here"
                missing = Problem(path, "is missing", hint, node.file, node.line, node.column)
                self.problems.append(missing)
        return {name: member for name, member in node.fields.items() if name in known}

    def text(self, node: Node | None) -> str:
        """A string that is not empty; "" if there is none."""
        if node is None or not self.is_kind(node, "string"):
            return ""
        if not node.data:
            self.refuse(node, "must not be empty", "write something, or leave the field out")
        return str(node.data)

    def choice(self, node: Node | None, choices: Collection[str]) -> str:
        """One of these strings; "" if there is none."""
        if node is None or not self.is_kind(node, "string"):
            return ""
        if node.data not in choices:
            near = closest(node.data, choices)
            hint = f"did you mean {show(near)}?" if near else "choose one of them"
            told = ", ".join(choices)
            self.refuse(node, f"must be one of {told}, not {show(node.data)}", hint)
            return ""
        return str(node.data)

    def flag(self, node: Node | None) -> bool:
        """True or false; false if there is none."""
        return node is not None and self.is_kind(node, "boolean") and bool(node.data)

    def items(self, node: Node | None) -> list[Node]:
        """The items of a list."""
        if node is None or not self.is_kind(node, "list"):
            return []
        return node.items


def closest(name: str, names: Iterable[str]) -> str:
    """The name that was probably meant, or ""."""
    from difflib import get_close_matches

    by_letters = {_letters(one): one for one in names}
    if found := by_letters.get(_letters(name)):
        return found
    # Long text is no misspelt name, and comparing it takes long.
    near = get_close_matches(name, list(by_letters.values()), 1) if len(name) <= 64 else []
    return near[0] if near else ""


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _unknown_hint(name: str, left: Sequence[str], known: Sequence[str]) -> str:
    if ":" in name and name.split(":", maxsplit=1)[0] in known:
        return "put a space after the colon"
    if near := closest(name, left):
        return f"did you mean {near}?"
    return ""


def _kind_hint(node: Node, wanted: Kind) -> str:
    if node.kind == "null":
        return "leave the field out, or give it a value"
    if wanted == "string":
        return "put it in quotes" if node.kind in ("number", "boolean") else "write a text here"
    if wanted == "boolean":
        meant = _SPOKEN_BOOLEANS.get(str(node.data).lower())
        return f"write {meant}, without quotes" if meant else "write true or false"
    if wanted == "list":
        return "begin each entry with a dash" if node.kind == "object" else "put it in brackets"
    if wanted == "object":
        return "write its members, each with its name and a colon"
    return f"write {_ARTICLES[wanted]} here"
