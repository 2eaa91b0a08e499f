"""Leases: an item held by one owner for a time, with a token that only grows.

A model takes part when three of its attributes say so in their tags: ``lease: holder``
(S), ``lease: token`` (N) and ``lease: until`` (N, epoch milliseconds). Whoever acts on a
lease passes its token along, and the receiver refuses a smaller token than it has seen:
so a holder that was away too long cannot do harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from .answers import as_library_error
from .conditions import Condition, F, Placeholders, render_condition
from .effects import Call, Plan
from .errors import DynamoDBError, InvalidModel
from .lifecycle import format_rfc3339nano, now_ns
from .schema.models import Model
from .sealing import require_provider
from .updates import Change, render_update
from .values import Attributes

if TYPE_CHECKING:
    from .table import TableOperations

_TYPES = {"holder": "S", "token": "N", "until": "N"}


@dataclass(frozen=True, slots=True)
class Lease:
    """An item held: by whom, under which token, until when."""

    key: Attributes
    holder: str
    token: int
    until_ms: int


def acquire(table: TableOperations[Any], key: Any, holder: str, seconds: float) -> Plan[Lease]:
    """Hold an item that nobody holds, or whose lease is over; else ConditionFailed."""
    names = _names(table.model)
    now_ms = now_ns(table.clock) // 1_000_000
    free = F(names["until"]).not_exists() | (F(names["until"]) <= now_ms)
    changes = [
        F(names["holder"]).set(holder),
        F(names["until"]).set(now_ms + int(seconds * 1000)),
        F(names["token"]).add(1),
    ]
    if table.model.created_at is not None:
        # The first to hold an item makes it.
        changes.append(F(table.model.created_at).set_if_not_exists(_now(table)))
    checked = table.codec.key(key)
    held = yield from _change(table, checked, changes, free)
    return _lease(names, checked, held)


def renew(table: TableOperations[Any], lease: Lease, seconds: float) -> Plan[Lease]:
    """Hold it longer; ConditionFailed when it was lost or is over."""
    names = _names(table.model)
    now_ms = now_ns(table.clock) // 1_000_000
    ours = (F(names["token"]) == lease.token) & (F(names["until"]) > now_ms)
    changes = [F(names["until"]).set(now_ms + int(seconds * 1000))]
    held = yield from _change(table, lease.key, changes, ours)
    return _lease(names, lease.key, held)


def release(table: TableOperations[Any], lease: Lease) -> Plan[None]:
    """Give it back; ConditionFailed when somebody else has held it since."""
    names = _names(table.model)
    changes = [F(names["holder"]).remove(), F(names["until"]).remove()]
    yield from _change(table, lease.key, changes, F(names["token"]) == lease.token)


def _names(model: Model) -> dict[str, str]:
    """The attributes that hold the lease, by what they are for."""
    if model.version is not None:
        raise InvalidModel(
            f"model {model.name} has a version, which leases do not keep; "
            "put leases in a model of their own"
        )
    names = {one.tags["lease"]: one.name for one in model.attributes if "lease" in one.tags}
    for purpose, kind in _TYPES.items():
        if purpose not in names or model.by_name[names[purpose]].type != kind:
            raise InvalidModel(
                f"model {model.name} cannot be leased: tag an attribute of type {kind} with "
                f"lease: {purpose}"
            )
    return names


def _change(
    table: TableOperations[Any], key: Attributes, changes: list[Change], condition: Condition
) -> Plan[Attributes]:
    require_provider(table.model, table.encryption)
    if table.model.updated_at is not None:
        changes = [*changes, F(table.model.updated_at).set(_now(table))]
    placeholders = Placeholders(table.model)
    request: dict[str, Any] = {
        "TableName": table.model.table,
        "Key": key,
        "UpdateExpression": render_update(changes, placeholders),
        "ConditionExpression": render_condition(condition, placeholders),
        "ReturnValues": "ALL_NEW",
    }
    placeholders.merge_into(request)
    try:
        answer = yield Call("UpdateItem", request)
    except DynamoDBError as error:
        raise as_library_error(error, table.model.table, key) from error
    attributes: Attributes = msgspec.json.decode(answer)["Attributes"]
    return attributes


def _now(table: TableOperations[Any]) -> str:
    return format_rfc3339nano(now_ns(table.clock))


def _lease(names: dict[str, str], key: Attributes, held: Attributes) -> Lease:
    return Lease(
        key=key,
        holder=held[names["holder"]]["S"],
        token=int(held[names["token"]]["N"]),
        until_ms=int(held[names["until"]]["N"]),
    )
