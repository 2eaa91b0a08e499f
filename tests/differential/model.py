"""What a table holds, worked out the slow way: a list of items, filtered and sorted.

It shares nothing with the engine: numbers are Decimals, texts and binaries are bytes, and
every query looks at every item.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.differential.tables import Index, Table
from tests.differential.values import Json, canonical, sort_value

NAME = "modelled"


@dataclass(frozen=True)
class Range:
    """A condition on one sort key attribute: an operator and its operands."""

    name: str
    operator: str
    operands: tuple[Json, ...]

    def holds(self, value: Json) -> bool:
        """Whether a sort key satisfies it."""
        key: Any = sort_value(value)
        first: Any = sort_value(self.operands[0])
        match self.operator:
            case "=":
                return bool(key == first)
            case "<":
                return bool(key < first)
            case "<=":
                return bool(key <= first)
            case ">":
                return bool(key > first)
            case ">=":
                return bool(key >= first)
            case "BETWEEN":
                return bool(first <= key <= sort_value(self.operands[1]))
        assert self.operator == "begins_with"
        return bool(key.startswith(first))

    def text(self, placeholders: list[str]) -> str:
        """As a key condition writes it."""
        if self.operator == "begins_with":
            return f"begins_with({self.name}, {placeholders[0]})"
        if self.operator == "BETWEEN":
            return f"{self.name} BETWEEN {placeholders[0]} AND {placeholders[1]}"
        return f"{self.name} {self.operator} {placeholders[0]}"


@dataclass(frozen=True)
class Question:
    """A query: values of the partition key, then conditions on sort key attributes."""

    index: Index | None
    partition: tuple[Json, ...]
    ranges: tuple[Range, ...] = ()

    def request(self, table: Table) -> Json:
        """The query as the engine is asked it."""
        names = (table.partition,) if self.index is None else self.index.partition
        values: dict[str, Json] = {}
        parts = []
        for name, value in zip(names, self.partition, strict=True):
            values[f":v{len(values)}"] = value
            parts.append(f"{name} = :v{len(values) - 1}")
        for one in self.ranges:
            placeholders = []
            for operand in one.operands:
                placeholders.append(f":v{len(values)}")
                values[placeholders[-1]] = operand
            parts.append(one.text(placeholders))
        request: Json = {
            "TableName": NAME,
            "KeyConditionExpression": " AND ".join(parts),
            "ExpressionAttributeValues": values,
        }
        if self.index is not None:
            request["IndexName"] = self.index.name
        return request


@dataclass
class Model:
    """The items of one table."""

    table: Table
    items: dict[tuple[Any, ...], Json] = field(default_factory=dict)

    def identity(self, item: Json) -> tuple[Any, ...]:
        """What makes two items the same one."""
        return tuple(sort_value(item[name]) for name in self.table.key_names)

    def put(self, item: Json) -> None:
        """Add or replace an item."""
        self.items[self.identity(item)] = canonical(item)

    def delete(self, key: Json) -> None:
        """Take an item away, if it is there."""
        self.items.pop(self.identity(key), None)

    def entries(self, index: Index | None) -> list[Json]:
        """What a scan of the table or of an index gives, in no order."""
        items = list(self.items.values())
        if index is None:
            return items
        inside = [item for item in items if set(index.key_names) <= item.keys()]
        if index.projection == "ALL":
            return inside
        names = {*self.table.key_names, *index.key_names, *index.included}
        return [{name: value for name, value in item.items() if name in names} for item in inside]

    def sort_key(self, index: Index | None, item: Json) -> tuple[Any, ...]:
        """What an item is ordered by within its partition."""
        names = index.sort if index else self.table.key_names[1:]
        return tuple(sort_value(item[name]) for name in names)

    def answer(self, question: Question) -> list[Json]:
        """What a query gives; items of equal sort keys stand in no order."""
        names = (self.table.partition,) if question.index is None else question.index.partition
        wanted = tuple(sort_value(value) for value in question.partition)
        found = [
            item
            for item in self.entries(question.index)
            if tuple(sort_value(item[name]) for name in names) == wanted
            and all(one.holds(item[one.name]) for one in question.ranges)
        ]
        return sorted(found, key=lambda item: self.sort_key(question.index, item))
