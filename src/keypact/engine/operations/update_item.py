"""UpdateItem: an expression applied to one item, which is made if it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..attributes import Attributes, check_attributes
from ..errors import ValidationException
from ..expressions import Update
from ..storage.rows import StoredItem, encode
from ..storage.store import Connection, Job
from ..tables import Table
from .changes import (
    Change,
    Outcome,
    Request,
    Unplaced,
    check_size,
    condition,
    environment,
    returns_old_on_failure,
    run,
)

if TYPE_CHECKING:
    from ..engine import Engine


def prepare(engine: Engine, request: Request) -> Job:
    """Check the request; the job updates the item."""
    place, update = read_update(request)
    change = place(engine.table(request["TableName"]))
    wanted = request.get("ReturnValues", "NONE")

    def run_update(connection: Connection) -> dict[str, Any]:
        outcome, answer = run(connection, change, request)
        attributes = _returned(wanted, outcome, update)
        if attributes:
            answer["Attributes"] = attributes
        return answer

    return run_update


def read_update(request: Request) -> tuple[Unplaced, Update | None]:
    """An update as a change, and its parsed expression."""
    env = environment(request)
    text = request.get("UpdateExpression")
    update = None if text is None else env.update(text)
    parsed = condition(env, request)
    env.finish()
    key = check_attributes(request["Key"]).attributes
    shows_old = returns_old_on_failure(request)

    def place(table: Table) -> Change:
        pk, sk = table.request_key(key)
        if update is not None:
            _refuse_key_changes(table, update)

        def transform(old: StoredItem | None) -> StoredItem:
            before = key if old is None else old.attributes
            return _updated(table, pk, sk, before if update is None else update.apply(before))

        return Change(table, pk, sk, parsed, transform, shows_old)

    return place, update


def _updated(table: Table, pk: bytes, sk: bytes, item: Attributes) -> StoredItem:
    # Checked again, since an update can nest values deeper than each was given.
    attributes, size = check_attributes(item)
    check_size(size, "Item size to update has exceeded the maximum allowed size")
    if table.indexes:
        table.check_index_keys(attributes)
    return StoredItem(pk, sk, attributes, size, encode(attributes))


def _refuse_key_changes(table: Table, update: Update) -> None:
    for name in table.keys.names:
        if name in update.attribute_names():
            raise ValidationException(
                "One or more parameter values were invalid: Cannot update attribute "
                f"{name}. This attribute is part of the key"
            )


def _returned(wanted: str, outcome: Outcome, update: Update | None) -> Attributes | None:
    item = outcome.old if wanted in ("ALL_OLD", "UPDATED_OLD") else outcome.new
    if wanted == "NONE" or item is None:
        return None
    if wanted in ("ALL_OLD", "ALL_NEW"):
        return item.attributes
    return None if update is None else update.pick(item.attributes)
