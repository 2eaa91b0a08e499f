"""The definitions of all tables: kept in the file, cached in the process.

Several processes share a folder, so every change counts up a version in the file.
Writers compare it once a commit; readers when something they looked for is missing.
"""

from __future__ import annotations

from threading import Lock

import msgspec

from ..tables import Definition, Index, Table, Tables
from .files import STORE_FAILURES, FolderError, in_words, store_failure
from .store import Connection, Store


class Catalog:
    """The current tables, as a value that is replaced whole."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._replacing = Lock()
        try:
            self.tables = store.read(_load)
        except STORE_FAILURES as error:
            store.close()
            raise FolderError(f"cannot read the tables' definitions: {in_words(error)}") from error

    def refresh(self) -> bool:
        """Read the tables again if another process changed them; whether it had."""
        try:
            return self._store.read(self.refresh_on)
        except STORE_FAILURES as error:
            raise store_failure(error) from error

    def refresh_on(self, connection: Connection) -> bool:
        """The same, within a transaction that is under way."""
        if _version(connection) == self.tables.version:
            return False
        loaded = _load(connection)
        with self._replacing:
            # Another thread may have loaded a later state meanwhile.
            if loaded.version > self.tables.version:
                self.tables = loaded
        return True


def add_table(connection: Connection, name: str, definition: Definition) -> Table:
    """Keep a new table's definition and make its trees."""
    cursor = connection.execute(
        "INSERT INTO tables (name, definition) VALUES (?, ?)",
        (name, msgspec.json.encode(definition)),
    )
    assert cursor.lastrowid is not None
    table = Table(cursor.lastrowid, name, definition)
    # Rows stand in key order, so a page of a query is one range of the file.
    connection.execute(
        f"CREATE TABLE {table.tree} (pk BLOB NOT NULL, sk BLOB NOT NULL, size INTEGER NOT NULL,"
        " expires INTEGER, item BLOB NOT NULL, PRIMARY KEY (pk, sk)) WITHOUT ROWID"
    )
    connection.execute(
        f"CREATE INDEX {table.tree}_expires ON {table.tree} (expires) WHERE expires IS NOT NULL"
    )
    for index in table.indexes.values():
        _add_tree(connection, index)
    _count_up(connection)
    return table


def _add_tree(connection: Connection, index: Index) -> None:
    connection.execute(
        f"CREATE TABLE {index.tree} (pk BLOB NOT NULL, sk BLOB NOT NULL, tpk BLOB NOT NULL,"
        " tsk BLOB NOT NULL, size INTEGER NOT NULL, item BLOB NOT NULL,"
        " PRIMARY KEY (pk, sk, tpk, tsk)) WITHOUT ROWID"
    )


def remove_table(connection: Connection, table: Table) -> None:
    """Forget a table and everything in it."""
    for index in table.indexes.values():
        connection.execute(f"DROP TABLE {index.tree}")
    connection.execute(f"DROP TABLE {table.tree}")
    connection.execute("DELETE FROM tables WHERE id = ?", (table.id,))
    _count_up(connection)


def redefine_table(connection: Connection, table: Table, definition: Definition) -> None:
    """Keep a changed definition."""
    connection.execute(
        "UPDATE tables SET definition = ? WHERE id = ?",
        (msgspec.json.encode(definition), table.id),
    )
    _count_up(connection)


def _count_up(connection: Connection) -> None:
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'tables_version'")


def _version(connection: Connection) -> int:
    (version,) = connection.execute(
        "SELECT value FROM meta WHERE key = 'tables_version'"
    ).fetchone()
    return int(version)


def _load(connection: Connection) -> Tables:
    # The version first: a change between the two reads then shows as a newer version.
    version = _version(connection)
    rows = connection.execute("SELECT id, name, definition FROM tables ORDER BY name")
    return Tables(
        version,
        [Table(number, name, msgspec.json.decode(text)) for number, name, text in rows.fetchall()],
    )
