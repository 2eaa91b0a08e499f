"""Tables: a model on a backend, and what can be done with its items.

Every operation is written once, as a plan in `TableOperations`. ``Table`` carries plans
out at once, ``AsyncTable`` awaits them.
"""

from __future__ import annotations

from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

import msgspec

from .answers import as_library_error, plain
from .backends import Backend
from .codecs import Codec, Upcaster, codec
from .effects import Call, Plan, adrive, drive
from .errors import BatchIncomplete, DynamoDBError, InvalidModel, ItemNotFound
from .lifecycle import Clock, is_expired, now_ns, system_clock
from .schema.models import Model
from .sealing import open_all
from .values import Attributes

# What only some operations need is imported by them: a program's first get waits for none of it.
if TYPE_CHECKING:
    from .conditions import Condition
    from .encryption import KeyProvider
    from .leases import Lease
    from .streams import Record
    from .transactions import Read
    from .updates import Change
    from .writes import Write

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Page(Generic[M]):
    """Some items, and the token for the next ones: "" at the end."""

    items: list[M]
    cursor: str

    def __iter__(self) -> Iterator[M]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class operation(Generic[P, R]):  # noqa: N801 - used as a decorator
    """A plan that is a plain method on ``Table`` and a coroutine method on ``AsyncTable``."""

    def __init__(self, plan: Callable[Concatenate[Any, P], Plan[R]]) -> None:
        self.plan = plan
        self.__doc__ = plan.__doc__

    @overload
    def __get__(self, instance: Table[Any], owner: Any) -> Callable[P, R]: ...
    @overload
    def __get__(
        self, instance: AsyncTable[Any], owner: Any
    ) -> Callable[P, Coroutine[Any, Any, R]]: ...
    @overload
    def __get__(self, instance: None, owner: Any) -> operation[P, R]: ...
    def __get__(self, instance: Any, owner: Any) -> Any:
        raise AssertionError("Table and AsyncTable replace operations by methods")

    def method(self) -> Callable[..., Any]:
        """As a method that carries the plan out at once."""
        plan = self.plan

        @wraps(plan)
        def run(table: Table[Any], *args: Any, **kwargs: Any) -> Any:
            return drive(plan(table, *args, **kwargs), table.backend)

        return run

    def coroutine_method(self) -> Callable[..., Any]:
        """As a method that awaits the plan."""
        plan = self.plan

        @wraps(plan)
        async def run(table: AsyncTable[Any], *args: Any, **kwargs: Any) -> Any:
            return await adrive(plan(table, *args, **kwargs), table.backend)

        return run


class TableOperations(Generic[M]):
    """What ``Table`` and ``AsyncTable`` have in common: everything but the waiting."""

    def __init__(
        self,
        model: Any,
        backend: Backend,
        clock: Clock | None = None,
        encryption: KeyProvider | None = None,
        *,
        hide_expired: bool = False,
        upcasters: Sequence[Upcaster] = (),
    ) -> None:
        item_class = None if isinstance(model, Model) else model
        self.model = model if isinstance(model, Model) else _model_of(model)
        self.backend = backend
        self.clock = clock or system_clock
        self.encryption = encryption
        self.hide_expired = hide_expired
        self.codec = cast(Codec[M], codec(self.model, item_class, tuple(upcasters)))

    # One item ---------------------------------------------------------------------------

    @operation
    def create(
        self,
        item: M | Mapping[str, Any],
        if_not_exists: bool = False,
        condition: Condition | None = None,
    ) -> Plan[M]:
        """Store a whole item, in place of any with its key; returns it as stored.

        With ``if_not_exists`` an item that is there already raises ConditionFailed.
        """
        from .writes import creating

        write, attributes = creating(self, item, if_not_exists=if_not_exists, condition=condition)
        # Before it is sent: what cannot be read back is not written.
        stored = self.codec.decode(attributes)
        yield from self._send("PutItem", write)
        return stored

    put = create

    @operation
    def get(self, key: Any, consistent: bool = False) -> Plan[M]:
        """The item with this key; raises ItemNotFound."""
        found = yield from self._get(key, consistent)
        if found is None:
            raise ItemNotFound(self.model.table, plain(self.codec.key(key)))
        return found

    @operation
    def find(self, key: Any, consistent: bool = False) -> Plan[M | None]:
        """The item with this key, or None."""
        found = yield from self._get(key, consistent)
        return found

    @operation
    def update(
        self,
        item: M | Mapping[str, Any],
        fields: Iterable[str] | None = None,
        condition: Condition | None = None,
    ) -> Plan[M]:
        """Write these fields of an item that is there; returns the whole item as it is now.

        The item carries its key and, where the model has a version, the version it was
        read with: another writer in between raises ConditionFailed.
        """
        from .writes import updating

        answer = yield from self._send(
            "UpdateItem", updating(self, item, fields, condition=condition)
        )
        updated = yield from self.opened(answer["Attributes"])
        return updated

    @operation
    def modify(
        self,
        key: Any,
        changes: Sequence[Change],
        version: int | None = None,
        condition: Condition | None = None,
    ) -> Plan[M]:
        """Change an item by expressions (set, add, remove, append); returns it as it is now."""
        from .writes import modifying

        write = modifying(self, key, changes, version=version, condition=condition)
        answer = yield from self._send("UpdateItem", write)
        updated = yield from self.opened(answer["Attributes"])
        return updated

    @operation
    def delete(
        self, key: Any, version: int | None = None, condition: Condition | None = None
    ) -> Plan[None]:
        """Delete an item, if it still has this version; deleting nothing succeeds."""
        from .writes import deleting

        yield from self._send(
            "DeleteItem", deleting(self, key, version=version, condition=condition)
        )

    # Many items -------------------------------------------------------------------------

    @operation
    def query(
        self,
        partition: Any,
        sort: Any = None,
        index: str | None = None,
        descending: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        filter: Condition | None = None,  # noqa: A002 - DynamoDB's word
        consistent: bool = False,
    ) -> Plan[Page[M]]:
        """One page of a partition, in sort key order.

        ``sort`` is a value, or a range such as ``begins_with("RES#")``.
        """
        from .queries import Query

        query = Query(self.codec, index, descending)
        request = query.request(partition, sort, limit, cursor, filter, consistent)
        partial = index is not None and self.model.index(index).projection != "ALL"
        items, last_key = yield from self._read_page("Query", request, partial)
        return Page(items, query.cursor(last_key))

    @operation
    def scan(
        self,
        *,
        reason: str,
        limit: int | None = None,
        cursor: str | None = None,
        filter: Condition | None = None,  # noqa: A002 - DynamoDB's word
    ) -> Plan[Page[M]]:
        """One page of everything. ``reason`` says why no query will do, and is logged."""
        import logging

        from .queries import Query

        if not reason:
            raise InvalidModel("a scan reads the whole table: give the reason why no query will do")
        log = logging.getLogger(__name__)
        log.warning("scan of table %s: %s", self.model.table, reason)
        query = Query(self.codec, None, descending=None)
        request = query.scan_request(limit, cursor, filter)
        items, last_key = yield from self._read_page("Scan", request)
        return Page(items, query.cursor(last_key))

    @operation
    def batch_get(self, keys: Iterable[Any], consistent: bool = False) -> Plan[list[M]]:
        """The items of these keys that are there, in the keys' order."""
        from . import batches

        asked = [self.codec.key(key) for key in keys]
        found, left = yield from batches.get(self, asked, consistent)
        items: list[M] = []
        for attributes in found:
            item = yield from self.shown(attributes)
            if item is not None:
                items.append(item)
        if left:
            raise BatchIncomplete([plain(key) for key in left], items)
        return items

    @operation
    def batch_write(
        self, put: Iterable[M | Mapping[str, Any]] = (), delete: Iterable[Any] = ()
    ) -> Plan[None]:
        """Put and delete many items, each for itself and without conditions."""
        from . import batches

        yield from batches.write(self, list(put), list(delete))

    # Transactions -----------------------------------------------------------------------

    def creating(
        self,
        item: M | Mapping[str, Any],
        if_not_exists: bool = False,
        condition: Condition | None = None,
    ) -> Write:
        """A create, for ``transact_write``."""
        from .writes import creating

        return creating(self, item, if_not_exists=if_not_exists, condition=condition)[0]

    def updating(
        self,
        item: M | Mapping[str, Any],
        fields: Iterable[str] | None = None,
        condition: Condition | None = None,
    ) -> Write:
        """An update, for ``transact_write``."""
        from .writes import updating

        return updating(self, item, fields, condition=condition)

    def modifying(
        self,
        key: Any,
        changes: Sequence[Change],
        version: int | None = None,
        condition: Condition | None = None,
    ) -> Write:
        """A change by expressions, for ``transact_write``."""
        from .writes import modifying

        return modifying(self, key, changes, version=version, condition=condition)

    def deleting(
        self, key: Any, version: int | None = None, condition: Condition | None = None
    ) -> Write:
        """A delete, for ``transact_write``."""
        from .writes import deleting

        return deleting(self, key, version=version, condition=condition)

    def checking(self, key: Any, condition: Condition) -> Write:
        """A condition on an item that stays as it is, for ``transact_write``."""
        from .writes import checking

        return checking(self, key, condition)

    def getting(self, key: Any) -> Read[M]:
        """A get, for ``transact_get``."""
        from .transactions import Read

        return Read(self, self.codec.key(key))

    @operation
    def transact_write(self, writes: Sequence[Write], token: str | None = None) -> Plan[None]:
        """All of these writes, to this and other tables of the backend, or none.

        The same token within ten minutes does the same writes only once.
        """
        from . import transactions

        yield from transactions.write(writes, token)

    @operation
    def transact_get(self, reads: Sequence[Read[Any]]) -> Plan[list[Any]]:
        """Items of this and other tables as they were at one moment; None where there is none."""
        from . import transactions

        found = yield from transactions.get(reads)
        return found

    # Leases and streams -----------------------------------------------------------------

    @operation
    def acquire(self, key: Any, holder: str, seconds: float) -> Plan[Lease]:
        """Hold an item for a time; ConditionFailed while somebody else does."""
        from . import leases

        lease = yield from leases.acquire(self, key, holder, seconds)
        return lease

    @operation
    def renew(self, lease: Lease, seconds: float) -> Plan[Lease]:
        """Hold an item longer; ConditionFailed when the lease was lost."""
        from . import leases

        renewed = yield from leases.renew(self, lease, seconds)
        return renewed

    @operation
    def release(self, lease: Lease) -> Plan[None]:
        """Give an item back before its lease is over."""
        from . import leases

        yield from leases.release(self, lease)

    @operation
    def read_record(self, record: Mapping[str, Any]) -> Plan[Record[M]]:
        """A stream's record, decoded to the model and opened."""
        from . import streams

        found = yield from streams.read_record(self, record)
        return found

    # The table itself -------------------------------------------------------------------

    @operation
    def ensure(self, also: Iterable[Model] = ()) -> Plan[None]:
        """Make the DynamoDB table when it is missing, and turn its TTL on.

        ``also`` names the other models that share the table, so that it gets their indexes.
        """
        from . import creation

        yield from creation.ensure([self.model, *also])

    @operation
    def describe(self) -> Plan[dict[str, Any]]:
        """What DynamoDB says of the table."""
        from . import creation

        description = yield from creation.describe(self.model.table)
        return description

    # Steps of the plans -----------------------------------------------------------------

    def _send(self, name: str, write: Write) -> Plan[dict[str, Any]]:
        request = yield from write.plan()
        if name == "UpdateItem":
            request = {**request, "ReturnValues": "ALL_NEW"}
        try:
            answer = yield Call(name, request)
        except DynamoDBError as error:
            raise as_library_error(error, self.model.table, write.key) from error
        decoded: dict[str, Any] = msgspec.json.decode(answer)
        return decoded

    def _get(self, key: Any, consistent: bool) -> Plan[M | None]:
        request: dict[str, Any] = {"TableName": self.model.table, "Key": self.codec.key(key)}
        if consistent:
            request["ConsistentRead"] = True
        try:
            answer = yield Call("GetItem", request)
        except DynamoDBError as error:
            raise as_library_error(error, self.model.table, request["Key"]) from error
        if not (self.model.encrypted or self.hide_expired):
            return self.codec.read_get(answer)
        attributes = msgspec.json.decode(answer).get("Item")
        if attributes is None:
            return None
        shown = yield from self.shown(attributes)
        return shown

    def _read_page(
        self, name: str, request: dict[str, Any], partial: bool = False
    ) -> Plan[tuple[list[M], Attributes | None]]:
        try:
            answer = yield Call(name, request)
        except DynamoDBError as error:
            raise as_library_error(error, self.model.table, {}) from error
        if not (self.model.encrypted or self.hide_expired):
            return self.codec.read_page(answer, partial=partial)
        decoded = msgspec.json.decode(answer)
        items: list[M] = []
        for attributes in decoded["Items"]:
            item = yield from self.shown(attributes, partial)
            if item is not None:
                items.append(item)
        return items, decoded.get("LastEvaluatedKey")

    def shown(self, attributes: Attributes, partial: bool = False) -> Plan[M | None]:
        """An item as its reader sees it: opened, decoded, and not there when it has expired."""
        if self.hide_expired and is_expired(self.model, attributes, now_ns(self.clock) / 1e9):
            return None
        item = yield from self.opened(attributes, partial)
        return item

    def opened(self, attributes: Attributes, partial: bool = False) -> Plan[M]:
        """An item with its envelopes opened, decoded."""
        opened = yield from open_all(self.model, attributes, self.encryption)
        return self.codec.decode(opened, partial=partial)


def _model_of(item_class: type) -> Model:
    # Loaded only where classes are items: mappings need none of it.
    from .classes import model_of

    return model_of(item_class)


class Table(TableOperations[M]):
    """A model's items on a backend; calls return when they are done."""

    @overload
    def __init__(
        self: Table[dict[str, Any]],
        model: Model,
        backend: Backend,
        clock: Clock | None = None,
        encryption: KeyProvider | None = None,
        *,
        hide_expired: bool = False,
        upcasters: Sequence[Upcaster] = (),
    ) -> None: ...
    @overload
    def __init__(
        self,
        model: type[M],
        backend: Backend,
        clock: Clock | None = None,
        encryption: KeyProvider | None = None,
        *,
        hide_expired: bool = False,
        upcasters: Sequence[Upcaster] = (),
    ) -> None: ...
    def __init__(self, model: Any, backend: Backend, *args: Any, **kwargs: Any) -> None:
        super().__init__(model, backend, *args, **kwargs)

    def each(
        self, partition: Any, sort: Any = None, *, cursor: str | None = None, **options: Any
    ) -> Iterator[M]:
        """Every item of a query, page after page as they are needed; options are query's."""
        while cursor != "":
            page = self.query(partition, sort, cursor=cursor, **options)
            yield from page.items
            cursor = page.cursor


class AsyncTable(TableOperations[M]):
    """A model's items on a backend; calls are awaited."""

    @overload
    def __init__(
        self: AsyncTable[dict[str, Any]],
        model: Model,
        backend: Backend,
        clock: Clock | None = None,
        encryption: KeyProvider | None = None,
        *,
        hide_expired: bool = False,
        upcasters: Sequence[Upcaster] = (),
    ) -> None: ...
    @overload
    def __init__(
        self,
        model: type[M],
        backend: Backend,
        clock: Clock | None = None,
        encryption: KeyProvider | None = None,
        *,
        hide_expired: bool = False,
        upcasters: Sequence[Upcaster] = (),
    ) -> None: ...
    def __init__(self, model: Any, backend: Backend, *args: Any, **kwargs: Any) -> None:
        super().__init__(model, backend, *args, **kwargs)

    async def each(
        self, partition: Any, sort: Any = None, *, cursor: str | None = None, **options: Any
    ) -> AsyncIterator[M]:
        """Every item of a query, page after page as they are needed; options are query's."""
        while cursor != "":
            page = await self.query(partition, sort, cursor=cursor, **options)
            for item in page.items:
                yield item
            cursor = page.cursor


for _name, _value in list(vars(TableOperations).items()):
    if isinstance(_value, operation):
        setattr(Table, _name, _value.method())
        setattr(AsyncTable, _name, _value.coroutine_method())
