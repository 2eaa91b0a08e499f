"""Queries: key conditions from values, and page tokens that fit them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .codecs import Codec
from .conditions import Condition, Placeholders, SortRange, render_condition
from .cursor import decode_cursor, encode_cursor
from .errors import InvalidCursor, InvalidModel, InvalidOperator, MissingPrimaryKey
from .schema.models import KeyPart, Model
from .values import Attributes, AttributeValue, to_value

Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Query:
    """Which rows a page is of: a table or index, and a direction (None: a scan)."""

    codec: Codec[Any]
    index: str | None
    descending: bool | None

    @property
    def model(self) -> Model:
        """The model that is asked for."""
        return self.codec.model

    def request(
        self,
        partition: Any,
        sort: Any,
        limit: int | None,
        cursor: str | None,
        filter_: Condition | None,
        consistent: bool,
    ) -> Request:
        """The wire request of one page."""
        model = self.model
        index = None if self.index is None else model.index(self.index)
        partition_part, sort_part = (
            (model.partition, model.sort) if index is None else (index.partition, index.sort)
        )
        placeholders = Placeholders(model)
        value = self._key_value(partition_part, partition)
        text = f"{placeholders.name(partition_part.attribute)} = {placeholders.value(value)}"
        if sort is not None:
            if sort_part is None:
                raise InvalidModel(f"{self._where()} has no sort key; leave sort out")
            text += " AND " + self._sort_text(sort_part, sort, placeholders)
        request: Request = {"TableName": model.table, "KeyConditionExpression": text}
        if self.index is not None:
            request["IndexName"] = self.index
        if self.descending:
            request["ScanIndexForward"] = False
        if consistent:
            request["ConsistentRead"] = True
        self._page(request, limit, cursor, filter_, placeholders)
        if cursor and request["ExclusiveStartKey"][partition_part.attribute] != value:
            raise InvalidCursor("the cursor is of another partition than the query")
        return request

    def scan_request(
        self, limit: int | None, cursor: str | None, filter_: Condition | None
    ) -> Request:
        """The wire request of one page of a scan."""
        request: Request = {"TableName": self.model.table}
        self._page(request, limit, cursor, filter_, Placeholders(self.model))
        return request

    def cursor(self, last_key: Attributes | None) -> str:
        """The token for the page after the one that ended here."""
        return encode_cursor(last_key or {}, index=self.index or "", sort=self._direction())

    def _page(
        self,
        request: Request,
        limit: int | None,
        cursor: str | None,
        filter_: Condition | None,
        placeholders: Placeholders,
    ) -> None:
        if limit is not None:
            request["Limit"] = limit
        if filter_ is not None:
            request["FilterExpression"] = render_condition(filter_, placeholders)
        placeholders.merge_into(request)
        if cursor:
            request["ExclusiveStartKey"] = self._start(cursor)

    def _start(self, text: str) -> Attributes:
        cursor = decode_cursor(text)
        if cursor.index != (self.index or ""):
            raise InvalidCursor(
                f"the cursor is of index {cursor.index!r}, the query of {self.index or ''!r}"
            )
        # Other languages leave the direction out when it is ascending.
        direction = cursor.sort or ("ASC" if self.descending is not None else "")
        if direction != self._direction():
            raise InvalidCursor(
                f"the cursor is of a query in direction {direction or 'none'}, "
                f"this one has {self._direction() or 'none'}"
            )
        return self._checked(cursor.last_key)

    def _checked(self, last_key: Attributes) -> Attributes:
        """The key, if it is one of this table and index."""
        parts = [self.model.partition, self.model.sort]
        if self.index is not None:
            index = self.model.index(self.index)
            parts += [index.partition, index.sort]
        types = {part.attribute: part.type for part in parts if part is not None}
        if {name: next(iter(value)) for name, value in last_key.items()} != types:
            raise InvalidCursor(f"the cursor is of another table than {self._where()}")
        return last_key

    def _direction(self) -> str:
        if self.descending is None:
            return ""
        return "DESC" if self.descending else "ASC"

    def _sort_text(self, part: KeyPart, sort: Any, placeholders: Placeholders) -> str:
        name = placeholders.name(part.attribute)
        if not isinstance(sort, SortRange):
            return f"{name} = {placeholders.value(self._key_value(part, sort))}"
        if sort.operator == "begins_with" and part.type == "N":
            raise InvalidOperator(f"{part.attribute} is a number, and begins with nothing")
        values = [placeholders.value(self._bound(part, one)) for one in sort.values]
        if sort.operator == "begins_with":
            return f"begins_with({name}, {values[0]})"
        if sort.operator == "BETWEEN":
            return f"{name} BETWEEN {values[0]} AND {values[1]}"
        return f"{name} {sort.operator} {values[0]}"

    def _bound(self, part: KeyPart, value: Any) -> AttributeValue:
        # A bound may be part of a value: "2026-01" of a time, "RES#" of a key.
        if part.type == "S" and isinstance(value, str) and value:
            return to_value(value)
        if part.type == "B" and isinstance(value, bytes) and value:
            return to_value(value)
        return self._key_value(part, value)

    def _key_value(self, part: KeyPart, value: Any) -> AttributeValue:
        encoded = self.codec.encode_attribute(part.attribute, value)
        if encoded is None or encoded.get(part.type) in (None, ""):
            raise MissingPrimaryKey(f"{part.attribute} has no value in a query of {self._where()}")
        return encoded

    def _where(self) -> str:
        return f"model {self.model.name}" + (f", index {self.index}" if self.index else "")
