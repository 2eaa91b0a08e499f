"""What a key condition and a start key mean as a range of rows."""

from __future__ import annotations

from typing import NamedTuple

from ..attributes import Attributes, AttributeValue
from ..errors import ValidationException
from ..ordering import after_prefix, join_parts, key_bytes, partition_bytes
from ..storage.rows import Range
from ..tables import Index, KeySchema, Table

INDEX_ORDER = "pk, sk, tpk, tsk"


class Bounds(NamedTuple):
    """A stretch of sort keys; None is open."""

    low: bytes | None = None
    high: bytes | None = None
    includes_low: bool = True
    includes_high: bool = False

    def holds(self, key: bytes) -> bool:
        """Whether a sort key lies within."""
        if self.low is not None and (key < self.low or (key == self.low and not self.includes_low)):
            return False
        return self.high is None or key < self.high or (key == self.high and self.includes_high)


# A whole partition.
EVERYTHING = Bounds()


class StartKey(NamedTuple):
    """Where the last page ended: row key, and in an index the item's own key behind it."""

    pk: bytes
    rest: tuple[bytes, ...]


def sort_bounds(
    equal: list[bytes], operator: str | None, operands: list[bytes], parts: int
) -> Bounds:
    """Bounds of a sort key of so many parts: some equal, then at most one compared."""
    if len(equal) == parts:
        key = join_parts(equal) if equal else b""
        return Bounds(key, key, includes_high=True)
    closed = join_parts([*equal, b""])
    beyond = after_prefix(closed)
    if operator is None:
        return Bounds(closed or None, beyond)
    last = len(equal) == parts - 1
    # A part that is not the last is closed, and what follows it may be anything.
    ends = [closed + (value if last else join_parts([value, b""])) for value in operands]
    past = [None if last else after_prefix(end) for end in ends]
    match operator:
        case "<":
            return Bounds(closed or None, ends[0])
        case "<=":
            return Bounds(closed or None, past[0] or ends[0], includes_high=last)
        case ">":
            return Bounds(past[0] or ends[0], beyond, includes_low=not last)
        case ">=":
            return Bounds(ends[0], beyond)
        case "BETWEEN":
            return Bounds(ends[0], past[1] or ends[1], includes_high=last)
        case _:
            assert operator == "begins_with"
            prefix = closed + (operands[0] if last else operands[0].replace(b"\x00", b"\x00\xff"))
            return Bounds(prefix, after_prefix(prefix))


def query_range(
    tree: str, pk: bytes, bounds: Bounds, start: StartKey | None, *, indexed: bool, forward: bool
) -> Range:
    """The rows of one partition within the bounds, after the start key."""
    where, parameters = ["pk = ?"], [pk]
    low, high, includes_low, includes_high = bounds
    if start is not None:
        # The start lies within the bounds, so it takes the place of the near one.
        columns = "(sk, tpk, tsk)" if indexed else "(sk)"
        marks = "(?, ?, ?)" if indexed else "(?)"
        where.append(f"{columns} {'>' if forward else '<'} {marks}")
        parameters.extend(start.rest)
        if forward:
            low = None
        else:
            high = None
    if low is not None:
        where.append("sk >= ?" if includes_low else "sk > ?")
        parameters.append(low)
    if high is not None:
        where.append("sk <= ?" if includes_high else "sk < ?")
        parameters.append(high)
    return Range(
        tree,
        " AND ".join(where),
        tuple(parameters),
        "sk, tpk, tsk" if indexed else "sk",
        not forward,
    )


def read_start_key(table: Table, index: Index | None, key: Attributes) -> StartKey:
    """An ExclusiveStartKey's place in the tree that is read; the key is checked."""
    keys = table.keys if index is None else index.keys
    expected = {*table.keys.names, *keys.names}
    if key.keys() != expected or any(table.types[name] not in key[name] for name in expected):
        raise ValidationException(
            "The provided starting key is invalid: "
            "The provided key element does not match the schema"
        )
    pk, sk = _row_key(table, keys, key)
    if index is None:
        return StartKey(pk, (sk,))
    return StartKey(pk, (sk, *_row_key(table, table.keys, key)))


def last_key(table: Table, index: Index | None, item: Attributes) -> Attributes:
    """The key from which the next page starts."""
    names = table.keys.names if index is None else (*index.keys.names, *table.keys.names)
    return {name: item[name] for name in names}


def part_bytes(table: Table, name: str, value: AttributeValue) -> bytes:
    """The bytes of one key attribute, whose type is already checked."""
    tag = table.types[name]
    return key_bytes(tag, value[tag])


def _row_key(table: Table, keys: KeySchema, key: Attributes) -> tuple[bytes, bytes]:
    partition = [part_bytes(table, name, key[name]) for name in keys.partition]
    sort = [part_bytes(table, name, key[name]) for name in keys.sort]
    return partition_bytes(join_parts(partition)), join_parts(sort) if sort else b""
