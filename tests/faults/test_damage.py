"""A damaged file: an error in words where the damage is, and everything else goes on."""

from __future__ import annotations

import shutil
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import keypact
from keypact.errors import DynamoDBError, FolderUnusable

from . import workloads
from .programs import outcome

PAGE_BYTES = 4096
ITEMS = 400


@pytest.fixture(scope="module")
def undamaged(tmp_path_factory) -> Path:
    """Two tables of many pages, closed."""
    folder: Path = tmp_path_factory.mktemp("undamaged")
    with keypact.connect(f"sqlite:{folder}") as backend:
        for table in ("damaged", "healthy"):
            workloads.create_table(backend, table)
            for start in range(0, ITEMS, 25):
                puts = [
                    {"PutRequest": {"Item": _item(table, number)}}
                    for number in range(start, start + 25)
                ]
                backend.call("BatchWriteItem", {"RequestItems": {table: puts}})
    return folder


@pytest.fixture
def folder(undamaged, tmp_path) -> Path:
    """A copy to be damaged."""
    shutil.copy(undamaged / "keypact.sqlite", tmp_path)
    return Path(tmp_path)


def _item(table: str, number: int) -> workloads.Item:
    return {"pk": {"S": f"{table}{number}"}, "load": {"S": table * 20}}


def pages_of(folder: Path, mark: bytes) -> list[int]:
    """Pages that hold this text, from 0 on."""
    content = (folder / "keypact.sqlite").read_bytes()
    pages = range(len(content) // PAGE_BYTES)
    return [page for page in pages if mark in content[page * PAGE_BYTES : (page + 1) * PAGE_BYTES]]


def root_of(folder: Path, name: str) -> int:
    """The first page of a tree, from 0 on."""
    connection = sqlite3.connect(folder / "keypact.sqlite")
    found = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,))
    (page,) = found.fetchone()
    connection.close()
    return int(page) - 1


def overwrite(folder: Path, page: int, *, offset: int = 0, content: bytes = b"\xff") -> None:
    """Damage a page from the offset to its end."""
    with open(folder / "keypact.sqlite", "r+b") as file:
        file.seek(page * PAGE_BYTES + offset)
        file.write((content * PAGE_BYTES)[: PAGE_BYTES - offset])


def error_of(backend: keypact.Backend, operation: str, request: dict[str, Any]) -> DynamoDBError:
    with pytest.raises(DynamoDBError) as raised:
        backend.call(operation, request)
    return raised.value


def check_healthy(folder: Path, backend: keypact.Backend) -> None:
    """The other table reads and writes, and keeps what it writes."""
    items = list(workloads.all_items(backend, "Scan", {"TableName": "healthy"}))
    assert len(items) == ITEMS
    new = {"pk": {"S": "new"}, "load": {"S": "n" * 10_000}}
    backend.call("PutItem", {"TableName": "healthy", "Item": new})
    with keypact.connect(f"sqlite:{folder}") as again:
        assert workloads.get(again, "healthy", "new") == new


# zeros: what is left of a page that was never written; bits: what a bad cable makes.
DAMAGES = {"bits": b"\xff", "zeros": b"\x00", "text": b"text of some other file "}


@pytest.mark.parametrize("content", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_page_spoils_only_what_is_on_it(folder, content):
    """Reads and writes that meet it say so; other items and other tables go on."""
    pages = pages_of(folder, b'"S":"damageddamaged')
    overwrite(folder, pages[len(pages) // 2], content=content)
    lost: list[workloads.Item] = []
    with keypact.connect(f"sqlite:{folder}") as backend:
        for number in range(ITEMS):
            item = _item("damaged", number)
            result = outcome(partial(workloads.get, backend, "damaged", item["pk"]["S"]))
            if result != {"answer": item}:
                assert result["error"] == "InternalServerError"
                assert "the file is damaged; restore" in result["message"]
                lost.append(item)
        assert 0 < len(lost) < ITEMS / 2
        for item in lost:
            error = error_of(backend, "PutItem", {"TableName": "damaged", "Item": item})
            assert "the file is damaged" in error.message
        error = error_of(backend, "Scan", {"TableName": "damaged"})
        assert "the file is damaged" in error.message
        check_healthy(folder, backend)


def test_a_damaged_table_can_be_read_by_no_transaction_and_spoils_none(folder):
    """A transaction that meets the damage writes nothing anywhere."""
    overwrite(folder, root_of(folder, "items_1"))
    with keypact.connect(f"sqlite:{folder}") as backend:
        puts = [
            {"Put": {"TableName": table, "Item": {"pk": {"S": "together"}}}}
            for table in ("healthy", "damaged")
        ]
        error = error_of(backend, "TransactWriteItems", {"TransactItems": puts})
        assert error.code == "InternalServerError"
        batch = {
            table: [{"PutRequest": {"Item": {"pk": {"S": "together"}}}}]
            for table in ("healthy", "damaged")
        }
        error = error_of(backend, "BatchWriteItem", {"RequestItems": batch})
        assert "nothing was changed" in error.message
        assert workloads.get(backend, "healthy", "together") is None
        check_healthy(folder, backend)


def test_an_item_that_is_not_json_any_more_is_told(folder):
    """SQLite does not notice bytes that change within an item; whoever works with it does."""
    path = folder / "keypact.sqlite"
    content = path.read_bytes()
    assert content.count(b'"damaged7"') == 1
    path.write_bytes(content.replace(b'"damaged7"', b'"damag\x00d7"'))
    update = {
        "TableName": "damaged",
        "Key": {"pk": {"S": "damaged7"}},
        "UpdateExpression": "ADD amount :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    scan: dict[str, Any] = {
        "TableName": "damaged",
        "FilterExpression": "attribute_exists(pk)",
    }
    with keypact.connect(f"sqlite:{folder}") as backend:
        get = {"TableName": "damaged", "Key": update["Key"]}
        for operation, request in (("UpdateItem", update), ("Scan", scan), ("GetItem", get)):
            error = error_of(backend, operation, request)
            assert error.code == "InternalServerError"
            assert "an item in it is not JSON" in error.message
        assert workloads.get(backend, "damaged", "damaged8") == _item("damaged", 8)
        check_healthy(folder, backend)


def test_a_file_cut_short_is_refused(folder):
    """Half a copy is no copy."""
    path = folder / "keypact.sqlite"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(FolderUnusable, match="the file is damaged"):
        keypact.connect(f"sqlite:{folder}")


@pytest.mark.parametrize("tree", ["meta", "tables", "sqlite_sequence"])
def test_damaged_definitions_refuse_the_folder_or_do_no_harm(folder, tree):
    """Without its tables' definitions a folder cannot be used, and that is said at once."""
    overwrite(folder, root_of(folder, tree))
    if tree == "sqlite_sequence":
        with keypact.connect(f"sqlite:{folder}") as backend:
            check_healthy(folder, backend)
            with pytest.raises(DynamoDBError, match="the file is damaged"):
                workloads.create_table(backend, "another")
    else:
        with pytest.raises(FolderUnusable, match="damaged"):
            keypact.connect(f"sqlite:{folder}")


@pytest.mark.parametrize("offset", [0, 100], ids=["header", "schema"])
def test_a_damaged_first_page_refuses_the_folder(folder, offset):
    """The message names what to do, and the file is left as it is."""
    overwrite(folder, 0, offset=offset)
    before = (folder / "keypact.sqlite").read_bytes()
    with pytest.raises(FolderUnusable, match="restore the folder from a copy"):
        keypact.connect(f"sqlite:{folder}")
    assert (folder / "keypact.sqlite").read_bytes() == before
