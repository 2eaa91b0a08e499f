"""The embedded DynamoDB: one dispatch table, and the way of a request through it.

A request is prepared (checked, parsed, encoded) on the caller's thread, which gives a
job. A read's job runs at once on a pooled connection; a write's job runs in the next
commit, together with everyone else's.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from . import shapes
from .errors import (
    InternalServerError,
    ServiceError,
    UnknownOperationException,
    ValidationException,
)
from .operations import (
    batch_get_item,
    batch_write_item,
    create_table,
    delete_item,
    delete_table,
    describe_table,
    describe_time_to_live,
    get_item,
    list_tables,
    put_item,
    query,
    scan,
    transact_get_items,
    transact_write_items,
    update_item,
    update_time_to_live,
)
from .reaper import Reaper
from .storage.catalog import Catalog
from .storage.files import STORE_FAILURES, store_failure
from .storage.store import Connection, Job, Store, Ticket
from .tables import Table, Tables, present

log = logging.getLogger(__name__)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode

Request = dict[str, Any]
Answer = dict[str, Any]


class Operation(NamedTuple):
    """How an operation is prepared, and what its job needs."""

    prepare: Callable[[Engine, Request], Job]
    writes: bool = False
    # It changes tables, so it has a commit of its own.
    alone: bool = False


class Prepared:
    """A request that is checked and ready to run."""

    __slots__ = ("job", "name", "operation", "request", "tables", "writes")

    def __init__(
        self, name: str, operation: Operation, request: Request, tables: Tables, job: Job
    ) -> None:
        self.name = name
        self.operation = operation
        self.request = request
        # What it was prepared against: if that has changed, it is prepared again.
        self.tables = tables
        self.job = job
        # Whether it goes through a commit.
        self.writes = operation.writes


class Engine:
    """A durable DynamoDB in this process; several may share one folder."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        fsync: bool = True,
        clock: Callable[[], float] = time.time,
        region: str = "local",
    ) -> None:
        self.clock = clock
        self.region = region
        self.store = Store(folder, fsync=fsync)
        self.catalog = Catalog(self.store)
        self.store.on_begin = self.catalog.refresh_on
        self.counts = describe_table.Counts()
        self._reaper = Reaper(self)

    def close(self) -> None:
        """Stop the reaper and close the files."""
        self._reaper.stop()
        self.store.close()

    # What operations ask for ----------------------------------------------------------

    def table(self, name: str) -> Table:
        """The table of that name."""
        return self.catalog.tables.table(name)

    # Running requests -----------------------------------------------------------------

    def execute(self, operation: str, request: Request) -> Answer:
        """The answer as DynamoDB gives it, or a ServiceError raised."""
        return self.read_answer(self.execute_bytes(operation, request))

    @staticmethod
    def read_answer(answer: bytes) -> Answer:
        """An answer's bytes as Python's dicts; stored bytes that are damaged show here."""
        try:
            decoded: Answer = _decode(answer)
        except msgspec.DecodeError as error:
            raise store_failure(error) from error
        return decoded

    def execute_bytes(self, operation: str, request: Request) -> bytes:
        """The answer as JSON, ready for the wire."""
        prepared = self.prepare(operation, request)
        if not prepared.writes:
            return self.run_read(prepared)
        answer = self.store.write(
            partial(self._run_write, prepared),
            alone=prepared.operation.alone,
        )
        if prepared.operation.alone:
            self.catalog.refresh()
        return _encode(answer)

    def prepare(self, name: str, request: Request) -> Prepared:
        """Check a request and make it ready to run; nothing is read or written yet."""
        operation = OPERATIONS.get(name)
        if operation is None:
            raise UnknownOperationException(f"keypact has no operation {name!r}")
        if not shapes.check(name, request):
            request = present(request)
        if not _OLDER_FORMS.isdisjoint(request):
            raise _older_forms(request)
        tables = self.catalog.tables
        try:
            return Prepared(name, operation, request, tables, operation.prepare(self, request))
        except ServiceError:
            # Another process may have made what seems to be missing. Another thread may
            # have noticed before this one, so the tables themselves are compared.
            self.catalog.refresh()
            if self.catalog.tables is tables:
                raise
        tables = self.catalog.tables
        return Prepared(name, operation, request, tables, operation.prepare(self, request))

    def run_read(self, prepared: Prepared) -> bytes:
        """Run a read."""
        try:
            return _encode(self.store.read(prepared.job))
        except STORE_FAILURES as error:
            # The table may be gone, dropped by another process.
            self.catalog.refresh()
            if self.catalog.tables is prepared.tables:
                raise store_failure(error) from error
        return self.run_read(self.prepare(prepared.name, prepared.request))

    def run_writes(self, batch: Sequence[Prepared]) -> list[bytes | ServiceError]:
        """Run several writes in one commit; each gets its own answer or error."""
        tickets = [
            Ticket(partial(self._run_write, prepared), alone=prepared.operation.alone)
            for prepared in batch
        ]
        self.store.write_all(tickets)
        if any(prepared.operation.alone for prepared in batch):
            self.catalog.refresh()
        return [_outcome(ticket) for ticket in tickets]

    def _run_write(self, prepared: Prepared, connection: Connection) -> Answer:
        if prepared.tables is not self.catalog.tables:
            prepared = self.prepare(prepared.name, prepared.request)
        answer: Answer = prepared.job(connection)
        return answer


def _outcome(ticket: Ticket) -> bytes | ServiceError:
    error = ticket.error
    if error is None:
        return _encode(ticket.answer)
    if isinstance(error, ServiceError):
        return error
    log.error("a write failed", exc_info=error)
    return InternalServerError("The request processing has failed")


OPERATIONS: dict[str, Operation] = {
    "BatchGetItem": Operation(batch_get_item.prepare),
    "BatchWriteItem": Operation(batch_write_item.prepare, writes=True),
    "CreateTable": Operation(create_table.prepare, writes=True, alone=True),
    "DeleteItem": Operation(delete_item.prepare, writes=True),
    "DeleteTable": Operation(delete_table.prepare, writes=True, alone=True),
    "DescribeTable": Operation(describe_table.prepare),
    "DescribeTimeToLive": Operation(describe_time_to_live.prepare),
    "GetItem": Operation(get_item.prepare),
    "ListTables": Operation(list_tables.prepare),
    "PutItem": Operation(put_item.prepare, writes=True),
    "Query": Operation(query.prepare),
    "Scan": Operation(scan.prepare),
    "TransactGetItems": Operation(transact_get_items.prepare),
    "TransactWriteItems": Operation(transact_write_items.prepare, writes=True),
    "UpdateItem": Operation(update_item.prepare, writes=True),
    "UpdateTimeToLive": Operation(update_time_to_live.prepare, writes=True, alone=True),
}

# Members of requests as they were before expressions. To leave one unread would turn
# a conditional write into an unconditional one, so they are refused.
_OLDER_FORMS = frozenset(
    {
        "AttributeUpdates",
        "AttributesToGet",
        "ConditionalOperator",
        "Expected",
        "KeyConditions",
        "QueryFilter",
        "ScanFilter",
    }
)


def _older_forms(request: Request) -> ValidationException:
    names = ", ".join(sorted(_OLDER_FORMS.intersection(request)))
    return ValidationException(f"keypact does not take {names}; use expressions instead")
