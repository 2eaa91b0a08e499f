"""Deletes items whose time to live is over: some time after, in the background."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread
from typing import TYPE_CHECKING

from .limits import EXPIRY_AGE_SECONDS_MAX, REAPER_FIRST_RUN_SECONDS, REAPER_INTERVAL_SECONDS
from .storage.catalog import redefine_table
from .storage.rows import decode, expiry, load, replace
from .storage.store import Connection
from .tables import Table

if TYPE_CHECKING:
    from .engine import Engine

log = logging.getLogger(__name__)

# Rows in one commit: writers wait for no more than this.
CHUNK_ROWS = 200


class Reaper:
    """One thread an engine; each pass takes expired items in small commits."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="keypact-reaper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the commit it is in."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        wait_seconds = REAPER_FIRST_RUN_SECONDS
        while not self._stopped.wait(wait_seconds):
            wait_seconds = REAPER_INTERVAL_SECONDS
            try:
                self.reap()
            except Exception:
                log.exception("the reaper failed; it tries again in %s s", wait_seconds)

    def reap(self) -> int:
        """Delete what has expired by now; returns how many items went."""
        engine = self._engine
        now = engine.clock()
        engine.store.write(
            lambda connection: connection.execute(
                "DELETE FROM request_tokens WHERE expires <= ?", (now,)
            )
        )
        return sum(self._reap_table(name, now) for name in list(engine.catalog.tables.by_name))

    def _reap_table(self, name: str, now: float) -> int:
        """In small commits, each with the table as it then is: it may change or go at any time."""
        self._repeat(name, _Walk().note_expiries)
        return self._repeat(name, lambda on, table: _delete_chunk(on, table, now))

    def _repeat(self, name: str, chunk: Callable[[Connection, Table], int]) -> int:
        """Run a chunk again and again until one finds less than it could take."""
        catalog = self._engine.catalog

        def job(connection: Connection) -> int:
            table = catalog.tables.by_name.get(name)
            if table is None or table.ttl_attribute is None:
                return 0
            return chunk(connection, table)

        total = 0
        while not self._stopped.is_set():
            # Alone, since the last chunk of a walk changes the table's definition.
            count: int = self._engine.store.write(job, alone=True)
            total += count
            if count < CHUNK_ROWS:
                break
        return total


class _Walk:
    """Notes the expiry of items that were there before the table had its TTL attribute."""

    def __init__(self) -> None:
        self._after = (b"", b"")

    def note_expiries(self, connection: Connection, table: Table) -> int:
        """One chunk; after the last, the definition says that it is done."""
        if not table.definition.get("TimeToLiveUnread"):
            return 0
        rows = connection.execute(
            f"SELECT pk, sk, item FROM {table.tree} WHERE (pk, sk) > (?, ?)"
            " ORDER BY pk, sk LIMIT ?",
            (*self._after, CHUNK_ROWS),
        ).fetchall()
        for pk, sk, raw in rows:
            connection.execute(
                f"UPDATE {table.tree} SET expires = ? WHERE pk = ? AND sk = ?",
                (expiry(table, decode(raw)), pk, sk),
            )
            self._after = (pk, sk)
        if len(rows) < CHUNK_ROWS:
            definition = {k: v for k, v in table.definition.items() if k != "TimeToLiveUnread"}
            redefine_table(connection, table, definition)
        return len(rows)


def _delete_chunk(connection: Connection, table: Table, now: float) -> int:
    if table.definition.get("TimeToLiveUnread"):
        # Another attribute was named just now; what is noted is still the old one's.
        return 0
    keys = connection.execute(
        f"SELECT pk, sk FROM {table.tree} WHERE expires <= ? AND expires > ? LIMIT ?",
        (int(now), int(now) - EXPIRY_AGE_SECONDS_MAX, CHUNK_ROWS),
    ).fetchall()
    for pk, sk in keys:
        replace(connection, table, load(connection, table, pk, sk), None)
    return len(keys)
