"""Models that share a table: they agree on its key, its indexes and its time to live."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from .document import Node, show
from .drafts import Draft
from .fields import Check
from .limits import (
    GLOBAL_INDEXES_MAX,
    INDEX_PROJECTED_NAMES_MAX,
    LOCAL_INDEXES_MAX,
    PROJECTED_NAMES_MAX,
)
from .models import Index, KeyPart, Model


def merge_indexes(models: Iterable[Model]) -> tuple[Index, ...]:
    """The indexes that one table needs for all these models, which share it.

    An index that several models name is one index. Each names the fields it wants
    included, and the table's index includes them all.
    """
    merged: dict[str, Index] = {}
    for model in models:
        for index in model.indexes:
            first = merged.setdefault(index.name, index)
            if first is not index:
                fields = dict.fromkeys([*first.fields, *index.fields])
                merged[index.name] = replace(first, fields=tuple(fields))
    return tuple(merged.values())


def check_tables(drafts: list[Draft], check: Check) -> None:
    """For each table, the rules of all its models together."""
    tables: dict[str, list[Draft]] = {}
    for draft in drafts:
        if draft.model.table:
            tables.setdefault(draft.model.table, []).append(draft)
    for sharing in tables.values():
        for draft in sharing[1:]:
            _check_same_key(sharing[0], draft, check)
        _check_same_indexes(sharing, check)
        _check_key_types(sharing, check)
        _check_same_ttl(sharing, check)
        _check_limits(sharing, check)


def _check_same_key(first: Draft, other: Draft, check: Check) -> None:
    for half, theirs, ours in (
        ("partition", first.model.partition, other.model.partition),
        ("sort", first.model.sort, other.model.sort),
    ):
        if _has_hole(theirs) or _has_hole(ours) or theirs == ours:
            continue
        check.refuse(
            other.node.at("keys", half),
            f"table {show(other.model.table)} has another {half} key in model "
            f"{show(first.model.name)}: {_told(theirs)}",
            "models on one table have the same key",
        )


def _has_hole(part: KeyPart | None) -> bool:
    return part is not None and not (part.attribute and part.type)


def _told(part: KeyPart | None) -> str:
    return "none" if part is None else f"{show(part.attribute)}, type {part.type}"


def _check_same_indexes(sharing: list[Draft], check: Check) -> None:
    seen: dict[str, tuple[Index, Model]] = {}
    for draft in sharing:
        for number, index in enumerate(draft.model.indexes):
            first, model = seen.setdefault(index.name, (index, draft.model))
            if model is draft.model or not index.name:
                continue
            node = draft.index_node(number)
            for field in ("type", "partition", "sort", "projection"):
                theirs, ours = getattr(first, field), getattr(index, field)
                if theirs == ours or _is_hole(theirs) or _is_hole(ours):
                    continue
                told = _told(theirs) if field in ("partition", "sort") else theirs
                check.refuse(
                    node.at(field),
                    f"index {show(index.name)} has another {field} in model "
                    f"{show(model.name)}: {told}",
                    "an index of one table is the same in all its models",
                )


def _is_hole(value: KeyPart | str | None) -> bool:
    return value == "" or (isinstance(value, KeyPart) and _has_hole(value))


class _Use(NamedTuple):
    """A key of the table that an attribute is part of."""

    part: KeyPart
    what: str
    model: Model


def _check_key_types(sharing: list[Draft], check: Check) -> None:
    """What is a key of the table in one model can be nothing else in another.

    DynamoDB refuses an item whose index key attribute has another type.
    """
    uses: dict[str, _Use] = {}
    for draft in sharing:
        for use in _uses(draft.model):
            if not _has_hole(use.part):
                uses.setdefault(use.part.attribute, use)
    for draft in sharing:
        for number, attribute in enumerate(draft.model.attributes):
            found = uses.get(attribute.name)
            if found is None or found.model is draft.model:
                continue
            node = draft.attribute_node(number)
            told = f"{show(attribute.name)} is in {found.what} of model {show(found.model.name)}"
            if attribute.type not in ("", found.part.type):
                check.refuse(
                    node.at("type"),
                    f"{told}, with type {found.part.type}",
                    "DynamoDB would refuse such items; give it that type or another name",
                )
            if attribute.is_encrypted:
                hint = "encrypt another attribute"
                check.refuse(node.at("encryption"), f"{told}, and cannot be encrypted", hint)


def _uses(model: Model) -> Iterable[_Use]:
    yield _Use(model.partition, "the key", model)
    if model.sort is not None:
        yield _Use(model.sort, "the key", model)
    for index in model.indexes:
        yield _Use(index.partition, f"index {show(index.name)}", model)
        if index.sort is not None:
            yield _Use(index.sort, f"index {show(index.name)}", model)


def _check_same_ttl(sharing: list[Draft], check: Check) -> None:
    expiring = [draft for draft in sharing if draft.model.ttl]
    for draft in expiring[1:]:
        first = expiring[0].model
        if draft.model.ttl == first.ttl:
            continue
        names = [attribute.name for attribute in draft.model.attributes]
        node = draft.attribute_node(names.index(str(draft.model.ttl)))
        check.refuse(
            node.at("roles"),
            f"items of table {show(first.table)} expire by {show(first.ttl)} "
            f"in model {show(first.name)}",
            "a table has one ttl attribute; use the same name",
        )


def _check_limits(sharing: list[Draft], check: Check) -> None:
    indexes = merge_indexes(draft.model for draft in sharing)
    node = sharing[-1].node.at("indexes")
    table = show(sharing[0].model.table)
    for type_, most in (("GSI", GLOBAL_INDEXES_MAX), ("LSI", LOCAL_INDEXES_MAX)):
        count = sum(index.type == type_ for index in indexes)
        _check_limit(node, f"table {table} has {count} indexes of type {type_}", count, most, check)
    for index in indexes:
        count = len(index.fields)
        told = f"index {show(index.name)} of table {table} includes {count} fields"
        _check_limit(node, told, count, INDEX_PROJECTED_NAMES_MAX, check)
    count = sum(len(index.fields) for index in indexes)
    told = f"the indexes of table {table} include {count} fields"
    _check_limit(node, told, count, PROJECTED_NAMES_MAX, check)


def _check_limit(node: Node, told: str, count: int, most: int, check: Check) -> None:
    if count > most:
        check.refuse(node, told, f"DynamoDB takes {most} at most")
