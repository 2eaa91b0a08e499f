"""One write to one item as a value: sent alone, or as part of a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .conditions import Condition, F, Placeholders, render_condition
from .effects import Plan
from .errors import InvalidModel
from .lifecycle import format_rfc3339nano, now_ns, owned, stamp_create
from .schema.models import Model
from .sealing import require_provider, seal_all
from .updates import Change, render_update
from .values import Attributes, AttributeValue

if TYPE_CHECKING:
    from .table import TableOperations

Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Write:
    """A checked write that waits to be sent.

    ``kind`` is the member it has in a transaction: Put, Update, Delete or ConditionCheck.
    """

    table: TableOperations[Any]
    kind: str
    key: Attributes
    # Gives the wire request; sealing may need a data key on the way.
    plan: Callable[[], Plan[Request]]


def creating(
    table: TableOperations[Any],
    item: Any,
    *,
    if_not_exists: bool,
    condition: Condition | None,
) -> tuple[Write, Attributes]:
    """A put of a whole item with its lifecycle stamped, and what it stores before sealing."""
    model = table.model
    require_provider(model, table.encryption)
    values = dict(table.codec.values_of(item))
    stamp_create(model, values, now_ns(table.clock))
    attributes = table.codec.encode(values)
    key = table.codec.key(values)
    if if_not_exists:
        condition = _all(F(model.partition.attribute).not_exists(), condition)

    def plan() -> Plan[Request]:
        sealed = yield from seal_all(model, attributes, table.encryption)
        return _conditioned(model, {"TableName": model.table, "Item": sealed}, condition)

    return Write(table, "Put", key, _once(plan)), attributes


def updating(
    table: TableOperations[Any],
    item: Any,
    fields: Iterable[str] | None,
    *,
    condition: Condition | None,
) -> Write:
    """An update of some of an item's attributes, under the version that the item carries."""
    model = table.model
    values = table.codec.values_of(item)
    key = table.codec.key(values)
    names = _updated_names(
        model, values, None if fields is None else table.codec.attribute_names(fields)
    )
    written = {name: _written(table, values, name) for name in names}
    version = values.get(model.version) if model.version else None
    return _updating(table, key, written, (), version, condition)


def modifying(
    table: TableOperations[Any],
    key: Any,
    changes: Sequence[Change],
    *,
    version: int | None,
    condition: Condition | None,
) -> Write:
    """An update by expressions: set, add, remove, append."""
    model = table.model
    for change in changes:
        _refuse_owned(model, change.name)
        if change.name in model.encrypted:
            raise InvalidModel(
                f"{change.name} is encrypted and can only be written whole: use update()"
            )
    return _updating(table, table.codec.key(key), {}, tuple(changes), version, condition)


def deleting(
    table: TableOperations[Any], key: Any, *, version: int | None, condition: Condition | None
) -> Write:
    """A delete, under a version when one is given."""
    model = table.model
    require_provider(model, table.encryption)
    checked = table.codec.key(key)
    if version is not None:
        condition = _all(F(_version_name(model)) == version, condition)

    request = _conditioned(model, {"TableName": model.table, "Key": checked}, condition)
    return Write(table, "Delete", checked, lambda: _ready(request))


def checking(table: TableOperations[Any], key: Any, condition: Condition) -> Write:
    """A condition on an item that the transaction does not change."""
    model = table.model
    checked = table.codec.key(key)

    request = _conditioned(model, {"TableName": model.table, "Key": checked}, condition)
    return Write(table, "ConditionCheck", checked, lambda: _ready(request))


def _once(plan: Callable[[], Plan[Request]]) -> Callable[[], Plan[Request]]:
    """The plan, with one result: sealed anew, a write would be another under the same token."""
    made: list[Request] = []

    def plan_once() -> Plan[Request]:
        if not made:
            request = yield from plan()
            made.append(request)
        return made[0]

    return plan_once


def _ready(request: Request) -> Plan[Request]:
    """A plan with nothing to wait for."""
    yield from ()
    return request


# Updates ----------------------------------------------------------------------------------


def _updating(
    table: TableOperations[Any],
    key: Attributes,
    written: Mapping[str, AttributeValue | None],
    changes: tuple[Change, ...],
    version: Any,
    condition: Condition | None,
) -> Write:
    model = table.model
    require_provider(model, table.encryption)
    # An update never makes an item: what it would make lacks everything else.
    guard: Condition = F(model.partition.attribute).exists()
    if model.version is not None:
        if version is None:
            raise InvalidModel(
                f"an update of model {model.name} needs the item's current {model.version}; "
                "read the item first"
            )
        guard = guard & (F(model.version) == version)
    condition = _all(guard, condition)
    now = format_rfc3339nano(now_ns(table.clock))

    def plan() -> Plan[Request]:
        kept = {name: value for name, value in written.items() if value is not None}
        sealed = yield from seal_all(model, kept, table.encryption)
        placeholders = Placeholders(model)
        whole = [F(name).put(value) for name, value in sealed.items()]
        whole += [F(name).remove() for name, value in written.items() if value is None]
        if model.updated_at is not None:
            whole.append(F(model.updated_at).set(now))
        if model.version is not None:
            whole.append(F(model.version).add(1))
        request: Request = {
            "TableName": model.table,
            "Key": key,
            "UpdateExpression": render_update([*changes, *whole], placeholders),
            "ConditionExpression": render_condition(condition, placeholders),
        }
        placeholders.merge_into(request)
        return request

    return Write(table, "Update", key, _once(plan))


def _written(
    table: TableOperations[Any], values: Mapping[str, Any], name: str
) -> AttributeValue | None:
    """One attribute as the update writes it; None for one that is removed."""
    if name in values:
        return table.codec.encode_attribute(name, values[name])
    if table.model.attribute(name).required:
        raise InvalidModel(f"attribute {name} is required, and has no value")
    return None


def _updated_names(
    model: Model, values: Mapping[str, Any], fields: Iterable[str] | None
) -> list[str]:
    """What an update writes: the fields named, or all that the item has."""
    if fields is None:
        skipped = owned(model) | set(model.key_names)
        return [name for name in values if name not in skipped]
    names = list(fields)
    for name in names:
        model.attribute(name)
        _refuse_owned(model, name)
    if not names:
        raise InvalidModel("an update with no fields changes nothing; name some")
    return names


def _refuse_owned(model: Model, name: str) -> None:
    if name in owned(model):
        raise InvalidModel(f"{name} is set by the library; leave it out of the update")
    if name in model.key_names:
        raise InvalidModel(f"{name} is part of the key, which an update cannot change")


def _version_name(model: Model) -> str:
    if model.version is None:
        raise InvalidModel(f"model {model.name} has no version; delete without one")
    return model.version


def _all(first: Condition, second: Condition | None) -> Condition:
    return first if second is None else first & second


def _conditioned(model: Model, request: Request, condition: Condition | None) -> Request:
    if condition is not None:
        placeholders = Placeholders(model)
        request["ConditionExpression"] = render_condition(condition, placeholders)
        placeholders.merge_into(request)
    return request
