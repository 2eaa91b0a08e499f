"""Capacity units as DynamoDB charges them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .storage.rows import IndexChange

READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024
# A transaction prepares and commits each item.
TRANSACTION_FACTOR = 2.0


def read_units(size: int, *, consistent: bool) -> float:
    """For so many bytes read: a read that finds nothing costs as one of 4 KB."""
    units = max(1, -(-size // READ_UNIT_BYTES))
    return float(units) if consistent else units / 2


def write_units(*sizes: int) -> float:
    """For an item written: the larger of what was there and what is there now."""
    return float(max(1, -(-max(sizes, default=0) // WRITE_UNIT_BYTES)))


def index_write_units(change: IndexChange) -> float:
    """For what a write did to an index: an entry that moves is deleted and put."""
    sizes = [size for size in (change.old_size, change.new_size) if size is not None]
    if change.moved:
        return sum(map(write_units, sizes))
    return write_units(*sizes)


class Bill:
    """The capacity that one request used of one table and its indexes."""

    __slots__ = ("indexes", "kind", "table_name", "units")

    def __init__(self, table_name: str, kind: str) -> None:
        self.table_name = table_name
        # "Read" or "Write": transactions tell the two apart.
        self.kind = kind
        self.units = 0.0
        self.indexes: dict[tuple[bool, str], float] = {}

    def charge(
        self, units: float, changes: Iterable[IndexChange] = (), factor: float = 1.0
    ) -> None:
        """Add the table's units and those of the indexes that a write changed."""
        self.units += units * factor
        for change in changes:
            self.charge_index(
                change.index.name,
                index_write_units(change) * factor,
                is_global=change.index.is_global,
            )

    def charge_index(self, name: str, units: float, *, is_global: bool) -> None:
        """Add units of one index."""
        key = (is_global, name)
        self.indexes[key] = self.indexes.get(key, 0.0) + units

    def consumed(self, detail: str, *, in_transaction: bool = False) -> dict[str, Any]:
        """The ConsumedCapacity member for TOTAL or INDEXES."""
        total = self.units + sum(self.indexes.values())
        answer: dict[str, Any] = {"TableName": self.table_name} | self._units(total, in_transaction)
        if detail == "INDEXES":
            answer["Table"] = self._units(self.units, in_transaction)
            for member, wanted in _MEMBERS:
                of_kind = {
                    name: self._units(units, in_transaction)
                    for (is_global, name), units in self.indexes.items()
                    if is_global is wanted
                }
                if of_kind:
                    answer[member] = of_kind
        return answer

    def _units(self, units: float, in_transaction: bool) -> dict[str, float]:
        answer = {"CapacityUnits": units}
        if in_transaction:
            answer[f"{self.kind}CapacityUnits"] = units
        return answer


_MEMBERS = (("GlobalSecondaryIndexes", True), ("LocalSecondaryIndexes", False))
