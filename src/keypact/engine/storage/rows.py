"""Items as rows: one in the table's tree, one in the tree of each index that holds it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from ..attributes import Attributes, size_of_attributes
from ..tables import Index, Table
from .store import Connection

encode = msgspec.json.Encoder().encode
# Typed, so that decoding need not guess; values stay as they are on the wire.
decode = msgspec.json.Decoder(dict[str, dict[str, object]]).decode


class StoredItem(NamedTuple):
    """An item with its row key, its size as DynamoDB counts, and its wire form."""

    pk: bytes
    sk: bytes
    attributes: Attributes
    size: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class IndexChange:
    """What a write did to one index; a size is None where there was no entry."""

    index: Index
    old_size: int | None
    new_size: int | None
    moved: bool


def find(connection: Connection, table: Table, pk: bytes, sk: bytes) -> tuple[int, bytes] | None:
    """Size and wire form of an item, None when there is none."""
    row: tuple[int, bytes] | None = connection.execute(table.find_sql, (pk, sk)).fetchone()
    return row


def load(connection: Connection, table: Table, pk: bytes, sk: bytes) -> StoredItem | None:
    """The item decoded, None when there is none."""
    row = find(connection, table, pk, sk)
    return None if row is None else StoredItem(pk, sk, decode(row[1]), *row)


def put_unseen(connection: Connection, table: Table, new: StoredItem) -> None:
    """Write an item without looking at what it replaces: for tables without indexes."""
    assert not table.indexes
    connection.execute(
        f"INSERT OR REPLACE INTO {table.tree} (pk, sk, size, expires, item) VALUES (?, ?, ?, ?, ?)",
        (new.pk, new.sk, new.size, expiry(table, new.attributes), new.raw),
    )


def replace(
    connection: Connection, table: Table, old: StoredItem | None, new: StoredItem | None
) -> list[IndexChange]:
    """Put the new item in the old one's place, in the table and in every index."""
    if new is not None:
        connection.execute(
            f"INSERT OR REPLACE INTO {table.tree} (pk, sk, size, expires, item)"
            " VALUES (?, ?, ?, ?, ?)",
            (new.pk, new.sk, new.size, expiry(table, new.attributes), new.raw),
        )
    elif old is not None:
        connection.execute(f"DELETE FROM {table.tree} WHERE pk = ? AND sk = ?", (old.pk, old.sk))
    return [
        change
        for index in table.indexes.values()
        if (change := _replace_entry(connection, table, index, old, new)) is not None
    ]


class _Entry(NamedTuple):
    key: tuple[bytes, bytes, bytes, bytes]
    size: int
    raw: bytes


def _entry(table: Table, index: Index, item: StoredItem | None) -> _Entry | None:
    if item is None:
        return None
    key = table.index_key(index, item.attributes)
    if key is None:
        return None
    row_key = (*key, item.pk, item.sk)
    if index.projection == "ALL":
        return _Entry(row_key, item.size, item.raw)
    projected = index.project(item.attributes)
    return _Entry(row_key, size_of_attributes(projected), encode(projected))


def _replace_entry(
    connection: Connection,
    table: Table,
    index: Index,
    old: StoredItem | None,
    new: StoredItem | None,
) -> IndexChange | None:
    before, after = _entry(table, index, old), _entry(table, index, new)
    if before == after:
        return None
    moved = before is not None and after is not None and before.key != after.key
    if before is not None and (after is None or moved):
        connection.execute(
            f"DELETE FROM {index.tree} WHERE pk = ? AND sk = ? AND tpk = ? AND tsk = ?", before.key
        )
    if after is not None:
        connection.execute(
            f"INSERT OR REPLACE INTO {index.tree} (pk, sk, tpk, tsk, size, item)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (*after.key, after.size, after.raw),
        )
    return IndexChange(
        index,
        None if before is None else before.size,
        None if after is None else after.size,
        moved,
    )


# Ranges ----------------------------------------------------------------------------


class Range(NamedTuple):
    """A stretch of one tree, in key order or against it."""

    tree: str
    where: str = ""
    parameters: tuple[object, ...] = ()
    order: str = "pk, sk"
    descending: bool = False


# Rows fetched at a time: a page of small items takes few steps, and one of the largest
# items does not fill the memory.
CHUNK_ROWS = 64


def read_range(
    connection: Connection, stretch: Range, columns: str, *, rows_max: int | None, bytes_max: int
) -> tuple[list[tuple[Any, ...]], int]:
    """Rows from the range's beginning and their bytes, up to either bound.

    The first column is a row's size. The row that exceeds the bytes is the last.
    """
    order = stretch.order
    if stretch.descending:
        order = ", ".join(f"{name} DESC" for name in order.split(", "))
    cursor = connection.execute(
        f"SELECT {columns} FROM {stretch.tree}"
        f"{' WHERE ' + stretch.where if stretch.where else ''} ORDER BY {order} LIMIT ?",
        (*stretch.parameters, -1 if rows_max is None else rows_max),
    )
    rows: list[tuple[Any, ...]] = []
    total = 0
    while True:
        chunk = cursor.fetchmany(CHUNK_ROWS)
        chunk_bytes = sum([row[0] for row in chunk])
        if total + chunk_bytes > bytes_max:
            break
        rows += chunk
        total += chunk_bytes
        if len(chunk) < CHUNK_ROWS:
            return rows, total
    cursor.close()
    for row in chunk:
        rows.append(row)
        total += row[0]
        if total > bytes_max:
            break
    return rows, total


def collection_bytes(connection: Connection, table: Table, pk: bytes) -> int:
    """Bytes of all items under one partition key, their index entries included."""
    total = 0
    trees = [table.tree, *(i.tree for i in table.indexes.values() if not i.is_global)]
    for tree in trees:
        (size,) = connection.execute(
            f"SELECT coalesce(sum(size), 0) FROM {tree} WHERE pk = ?", (pk,)
        ).fetchone()
        total += size
    return total


def count_tree(connection: Connection, tree: str) -> tuple[int, int]:
    """How many rows a tree has, and their bytes."""
    count, size = connection.execute(
        f"SELECT count(*), coalesce(sum(size), 0) FROM {tree}"
    ).fetchone()
    return int(count), int(size)


# Expiry ----------------------------------------------------------------------------


def expiry(table: Table, attributes: Attributes) -> int | None:
    """Epoch second at which the item expires, where the table has a TTL attribute."""
    name = table.ttl_attribute
    if name is None:
        return None
    value = attributes.get(name)
    if value is None or "N" not in value:
        return None
    text: str = value["N"]
    seconds = int(text) if text.isdigit() else int(Decimal(text))
    # Beyond SQLite's integers: too far in the future ever to expire.
    return seconds if abs(seconds) < 1 << 62 else None
