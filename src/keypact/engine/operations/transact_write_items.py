"""TransactWriteItems: up to 100 changes, all or none, once for each request token."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ..attributes import check_attributes
from ..capacity import TRANSACTION_FACTOR, Bill, read_units
from ..errors import (
    IdempotentParameterMismatchException,
    SchemaMismatch,
    SerializationException,
    TransactionCanceledException,
    ValidationException,
)
from ..limits import REQUEST_TOKEN_SECONDS, TRANSACTION_BYTES_MAX
from ..storage.rows import find
from ..storage.store import Connection, Job
from ..tables import Table, present
from .changes import (
    Change,
    Outcome,
    Request,
    Unplaced,
    apply,
    charge,
    collection_metrics,
    condition,
    decide,
    environment,
    returns_old_on_failure,
)
from .delete_item import read_delete
from .put_item import read_put
from .transactions import all_or_cancel, refuse_repeats
from .update_item import read_update

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: Request) -> Job:
    """Check every change; the job makes all of them or none."""
    unplaced = [_read(one) for one in request["TransactItems"]]
    token = request.get("ClientRequestToken")
    digest = b"" if token is None else _digest(request)
    try:
        changes = _place(engine, unplaced)
    except TransactionCanceledException as cancelled:
        if token is None:
            raise
        return _refuse(engine, token, digest, cancelled)
    refuse_repeats([(change.table.id, change.pk, change.sk) for _, change in changes])

    def write(connection: Connection) -> dict[str, Any]:
        if token is not None and _seen(connection, token, digest, engine.clock()):
            return _answer_again(connection, changes, request)
        answer = _write_all(connection, changes, request)
        if token is not None:
            _remember(connection, token, digest, engine.clock())
        return answer

    return write


def _refuse(
    engine: Engine, token: str, digest: bytes, cancelled: TransactionCanceledException
) -> Job:
    """A token that was used for another request is told before what cancels this one."""

    def refuse(connection: Connection) -> dict[str, Any]:
        _seen(connection, token, digest, engine.clock())
        raise cancelled

    return refuse


def _read(one: Request) -> tuple[str, Unplaced]:
    """The one member that says what to do, and its table's name."""
    kinds = [kind for kind in _READERS if one.get(kind) is not None]
    if len(kinds) != 1:
        raise ValidationException(
            "TransactItems can only contain one of Check, Put, Update or Delete"
        )
    part = present(one[kinds[0]])
    return part["TableName"], _READERS[kinds[0]](part)


def _read_check(part: Request) -> Unplaced:
    env = environment(part)
    parsed = condition(env, part)
    env.finish()
    key = check_attributes(part["Key"]).attributes
    shows_old = returns_old_on_failure(part)

    def place(table: Table) -> Change:
        pk, sk = table.request_key(key)
        return Change(table, pk, sk, parsed, lambda old: old, shows_old, writes=False)

    return place


_READERS: dict[str, Callable[[Request], Unplaced]] = {
    "ConditionCheck": _read_check,
    "Put": read_put,
    "Delete": read_delete,
    "Update": lambda part: read_update(part)[0],
}


def _place(engine: Engine, unplaced: list[tuple[str, Unplaced]]) -> list[tuple[str, Change]]:
    """Every change held against its table; keys that do not fit cancel the transaction."""
    tables = [engine.table(name) for name, _ in unplaced]
    placed = all_or_cancel(
        (partial(place, table) for (_, place), table in zip(unplaced, tables, strict=True)),
        SchemaMismatch,
    )
    return [(name, change) for (name, _), change in zip(unplaced, placed, strict=True)]


def _write_all(
    connection: Connection, changes: list[tuple[str, Change]], request: Request
) -> dict[str, Any]:
    outcomes = _decide_all(connection, changes)
    bills: dict[str, Bill] = {}
    metrics: dict[str, list[dict[str, Any]]] = {}
    with_metrics = request.get("ReturnItemCollectionMetrics") == "SIZE"
    for (name, change), outcome in zip(changes, outcomes, strict=True):
        index_changes = apply(connection, outcome)
        charge(
            bills.setdefault(name, Bill(name, "Write")), outcome, index_changes, TRANSACTION_FACTOR
        )
        item = outcome.new or outcome.old
        if with_metrics and change.writes and change.table.has_local_indexes and item is not None:
            metrics.setdefault(name, []).append(collection_metrics(connection, change.table, item))
    answer: dict[str, Any] = {}
    if metrics:
        answer["ItemCollectionMetrics"] = metrics
    return answer | _consumed(bills, request)


def _decide_all(connection: Connection, changes: list[tuple[str, Change]]) -> list[Outcome]:
    """Every outcome before the first write; one refusal cancels all."""
    outcomes = all_or_cancel(partial(decide, connection, change) for _, change in changes)
    if sum(outcome.new.size for outcome in outcomes if outcome.new) > TRANSACTION_BYTES_MAX:
        raise ValidationException("Collection size of all items exceeds 4 MB")
    return outcomes


def _consumed(bills: dict[str, Bill], request: Request) -> dict[str, Any]:
    detail = request.get("ReturnConsumedCapacity", "NONE")
    if detail == "NONE":
        return {}
    return {
        "ConsumedCapacity": [bill.consumed(detail, in_transaction=True) for bill in bills.values()]
    }


# Tokens -------------------------------------------------------------------------------


def _digest(request: Request) -> bytes:
    """Two requests are the same when their items are."""
    # Members that nobody reads are in it, too: any text, and nested as deep as anybody likes.
    try:
        text = json.dumps(request["TransactItems"], sort_keys=True)
    except RecursionError:
        raise ValidationException("Nesting Levels have exceeded supported limits") from None
    except TypeError:
        # In process anything may be handed in; over the wire it is JSON already.
        raise SerializationException("TransactItems holds what is not JSON") from None
    return sha256(text.encode()).digest()


def _seen(connection: Connection, token: str, digest: bytes, now: float) -> bool:
    row = connection.execute(
        "SELECT digest FROM request_tokens WHERE token = ? AND expires > ?", (token, now)
    ).fetchone()
    if row is not None and row[0] != digest:
        raise IdempotentParameterMismatchException(
            "The request uses the same client token as a previous, but non-identical request. "
            "Do not reuse a client token with different requests, unless the requests are "
            "identical"
        )
    return row is not None


def _remember(connection: Connection, token: str, digest: bytes, now: float) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO request_tokens VALUES (?, ?, ?)",
        (token, digest, now + REQUEST_TOKEN_SECONDS),
    )


def _answer_again(
    connection: Connection, changes: list[tuple[str, Change]], request: Request
) -> dict[str, Any]:
    """A repeated request changes nothing and is charged as reads."""
    bills: dict[str, Bill] = {}
    for name, change in changes:
        row = find(connection, change.table, change.pk, change.sk)
        bill = bills.setdefault(name, Bill(name, "Read"))
        size = 0 if row is None else row[0]
        bill.charge(read_units(size, consistent=True), factor=TRANSACTION_FACTOR)
    return _consumed(bills, request)
