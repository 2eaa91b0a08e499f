"""Whether a store is whole: every index agrees with its table, and the file with itself."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from .workloads import Backend, Item, all_items


def check_indexes(backend: Backend) -> None:
    """Each index holds exactly what the table's items imply, seen through Scan alone."""
    for name in backend.call("ListTables", {})["TableNames"]:
        table = backend.call("DescribeTable", {"TableName": name})["Table"]
        items = list(all_items(backend, "Scan", {"TableName": name}))
        for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
            for index in table.get(member, ()):
                request = {"TableName": name, "IndexName": index["IndexName"]}
                found = list(all_items(backend, "Scan", request))
                expected = [_project(item, table, index) for item in items if _is_in(item, index)]
                assert _sorted(found) == _sorted(expected), f"{name}, {index['IndexName']}"


def _is_in(item: Item, index: dict[str, Any]) -> bool:
    return all(element["AttributeName"] in item for element in index["KeySchema"])


def _project(item: Item, table: dict[str, Any], index: dict[str, Any]) -> Item:
    projection = index["Projection"]
    if projection["ProjectionType"] == "ALL":
        return item
    keys = [*table["KeySchema"], *index["KeySchema"]]
    names = {element["AttributeName"] for element in keys}
    names.update(projection.get("NonKeyAttributes", ()))
    return {name: value for name, value in item.items() if name in names}


def _sorted(items: list[Item]) -> list[str]:
    return sorted(json.dumps(item, sort_keys=True) for item in items)


def check_file(folder: Path) -> None:
    """SQLite finds nothing wrong, and there is a tree for every table and index, no more."""
    connection = sqlite3.connect(folder / "keypact.sqlite", timeout=60)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        expected = set()
        for number, text in connection.execute("SELECT id, definition FROM tables"):
            definition = json.loads(text)
            expected.add(f"items_{number}")
            for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
                for index in definition.get(member, ()):
                    expected.add(f"index_{number}_{index['Number']}")
        trees = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
            " AND (name LIKE 'items~_%' ESCAPE '~' OR name LIKE 'index~_%' ESCAPE '~')"
        )
        assert {name for (name,) in trees} == expected
    finally:
        connection.close()
