"""Changes of single fields, and the update expression that makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from .conditions import F, Placeholders
from .errors import InvalidOperator
from .values import to_value


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What happens to one field; made by ``F("a").set(…)`` and its kind."""

    field: F
    action: str
    value: Any

    @property
    def name(self) -> str:
        """The attribute it touches."""
        return str(self.field.path[0])


def render_update(changes: Sequence[Change], placeholders: Placeholders) -> str:
    """The text of an update expression with all the changes."""
    clauses: dict[str, list[str]] = {}
    for change in changes:
        clause, text = _render(change, placeholders)
        clauses.setdefault(clause, []).append(text)
    if not clauses:
        raise InvalidOperator("an update without changes does nothing; give at least one")
    return " ".join(f"{clause} {', '.join(texts)}" for clause, texts in clauses.items())


def _render(change: Change, placeholders: Placeholders) -> tuple[str, str]:
    field, value = change.field, change.value
    path = placeholders.path(field)
    match change.action:
        case "SET":
            stored = placeholders.stored(field, value)
            if stored is None:
                # Empty, where omit_empty leaves that out.
                return "REMOVE", path
            return "SET", f"{path} = {placeholders.value(stored)}"
        case "PUT":
            return "SET", f"{path} = {placeholders.value(value)}"
        case "DEFAULT":
            stored = placeholders.stored(field, value)
            if stored is None:
                raise InvalidOperator(f"{change.name} leaves empty values out; give one to set")
            return "SET", f"{path} = if_not_exists({path}, {placeholders.value(stored)})"
        case "APPEND" | "PREPEND":
            there = f"if_not_exists({path}, {placeholders.value({'L': []})})"
            added = placeholders.encoded(None, value)
            pair = (there, added) if change.action == "APPEND" else (added, there)
            return "SET", f"{path} = list_append({', '.join(pair)})"
        case "REMOVE":
            return "REMOVE", path
        case "ADD":
            return "ADD", f"{path} {_added(change, placeholders)}"
        case _:
            assert change.action == "DELETE"
            return "DELETE", f"{path} {_members(change, placeholders)}"


def _added(change: Change, placeholders: Placeholders) -> str:
    if isinstance(change.value, int | float | Decimal) and not isinstance(change.value, bool):
        return placeholders.value(to_value(change.value))
    return _members(change, placeholders)


def _members(change: Change, placeholders: Placeholders) -> str:
    if not isinstance(change.value, set | frozenset) or not change.value:
        raise InvalidOperator(
            f"{change.action} on {change.name} takes a set with members"
            f"{' or a number' if change.action == 'ADD' else ''}, not {change.value!r}"
        )
    return placeholders.value(to_value(change.value))
