"""Tables on any engine, waited for or awaited, with every request that they send kept."""

from __future__ import annotations

import asyncio
import copy
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import keypact
from keypact.backends import Backend
from keypact.codecs import codec
from keypact.schema import Model
from tests.operations import models

START_NS = int(datetime(2026, 1, 16, tzinfo=UTC).timestamp()) * 1_000_000_000
SECOND_NS = 1_000_000_000

EXPRESSIONS = (
    "ConditionExpression",
    "FilterExpression",
    "KeyConditionExpression",
    "ProjectionExpression",
    "UpdateExpression",
)
# What may stand in an expression besides placeholders.
WORDS = re.compile(
    r"attribute_exists|attribute_not_exists|attribute_type|begins_with|contains|size|"
    r"if_not_exists|list_append|AND|OR|NOT|BETWEEN|IN|SET|REMOVE|ADD|DELETE|"
    r"[#:][nv]\d+|\[\d+\]|<>|<=|>=|[=<>(),.+\s]"
)


class Recording:
    """A backend that keeps the requests that pass through it."""

    def __init__(self, backend: Backend) -> None:
        self._backend: Any = backend
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Asked by the test itself, and so not kept."""
        return self._backend.call(operation, request)

    def answer(self, operation: str, request: dict[str, Any]) -> bytes:
        """Keep the request and pass it on."""
        self.sent.append((operation, copy.deepcopy(request)))
        return self._backend.answer(operation, request)

    async def aanswer(self, operation: str, request: dict[str, Any]) -> bytes:
        """Keep the request and pass it on."""
        self.sent.append((operation, copy.deepcopy(request)))
        return await self._backend.aanswer(operation, request)

    @property
    def operations(self) -> list[str]:
        """The operations asked for, in order."""
        return [operation for operation, _ in self.sent]

    def names_in_the_clear(self) -> list[str]:
        """What the expressions that were sent hold besides placeholders and DynamoDB's words."""
        texts = [text for _, request in self.sent for text in _expressions(request)]
        return [rest for text in texts if (rest := WORDS.sub("", text))]


def _expressions(request: Any) -> Iterator[str]:
    if isinstance(request, dict):
        for name, value in request.items():
            if name in EXPRESSIONS:
                yield value
            else:
                yield from _expressions(value)
    elif isinstance(request, list):
        for value in request:
            yield from _expressions(value)


class Awaited:
    """An AsyncTable whose coroutines are run to their end, so that one test fits both."""

    def __init__(self, table: keypact.AsyncTable[Any], runner: asyncio.Runner) -> None:
        self._table = table
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._table, name)
        if not inspect.iscoroutinefunction(value):
            return value
        return lambda *args, **kwargs: self._runner.run(value(*args, **kwargs))

    def each(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """The async iterator's items, one at a time."""
        items = self._table.each(*args, **kwargs)

        async def following() -> Any:
            return await anext(items)

        while True:
            try:
                yield self._runner.run(following())
            except StopAsyncIteration:
                return


@dataclass
class Desk:
    """One way of working on one engine: sync or async, with mappings or instances."""

    backend: Recording
    runner: asyncio.Runner | None = None
    is_typed: bool = False
    now_ns: int = START_NS
    partition: str = ""

    def table(self, model: str | Model = "User", **options: Any) -> Any:
        """A table that reads the desk's clock."""
        described = models.SCHEMA.model(model) if isinstance(model, str) else model
        kind: Any = models.User if self.is_typed and model == "User" else described
        options.setdefault("clock", lambda: self.now_ns)
        backend: Any = self.backend
        if self.runner is None:
            return keypact.Table(kind, backend, **options)
        return Awaited(keypact.AsyncTable(kind, backend, **options), self.runner)

    def user(self, sort: str = "profile", **values: Any) -> Any:
        """A user of this test's own partition, as a mapping or an instance."""
        item = {"PK": self.partition, "SK": sort, **values}
        if not self.is_typed:
            return item
        return codec(models.SCHEMA.model("User"), models.User).build(item)

    def shown(self, item: Any) -> dict[str, Any]:
        """A user's values by attribute name; what an instance holds as nothing is left out."""
        if not self.is_typed:
            assert type(item) is dict
            return item
        assert type(item) is models.User
        values = codec(models.SCHEMA.model("User"), models.User).values_of(item)
        return {name: value for name, value in values.items() if value not in (None, set())}

    def stored(self, model: str, key: dict[str, Any]) -> dict[str, Any] | None:
        """What the engine holds, as typed values and past every table."""
        typed = {name: {"S": value} for name, value in key.items()}
        request = {
            "TableName": models.SCHEMA.model(model).table,
            "Key": typed,
            "ConsistentRead": True,
        }
        return self.backend.call("GetItem", request).get("Item")

    def stored_user(self, sort: str = "profile") -> dict[str, Any] | None:
        """What the engine holds of a user."""
        return self.stored("User", {"PK": self.partition, "SK": sort})

    def pass_time(self, seconds: float) -> None:
        """Move the clock that all the desk's tables read."""
        self.now_ns += int(seconds * SECOND_NS)
