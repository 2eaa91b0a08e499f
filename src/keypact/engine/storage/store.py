"""Connections to the file, and writers that share a commit.

One fsync costs more than many writes. So writers queue their jobs, and one of them,
the leader, runs everything queued in a single transaction while the others wait for
their answer. A lone writer leads itself: no thread is woken and nothing is handed over.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock, RLock
from typing import Any, TypeVar
from weakref import WeakSet

from ..errors import InternalServerError, ServiceError
from .files import (
    BUSY_SECONDS,
    STORE_FAILURES,
    is_busy,
    leave_to_parent,
    open_connection,
    open_folder,
    store_failure,
)

T = TypeVar("T")
Connection = sqlite3.Connection
Job = Callable[[Connection], Any]

# Jobs in one transaction: bounds how long the first waits for the last.
BATCH_JOBS_MAX = 512
# Idle connections kept for readers; more are opened while more threads read at once.
READERS_IDLE_MAX = 16
# A process that writes all the time frees the lock for about a tenth of it. Who looks
# this often gets it within milliseconds.
LOCK_POLL_SECONDS = 0.0005


class Ticket:
    """One write in the queue, and what became of it."""

    __slots__ = ("alone", "answer", "done", "error", "job", "leads", "turn")

    def __init__(self, job: Job, *, alone: bool = False) -> None:
        self.job = job
        # A job that changes tables is a batch of its own.
        self.alone = alone
        self.answer: Any = None
        self.error: Exception | None = None
        self.done = False
        # Its owner was told to lead.
        self.leads = False
        # Held until the ticket is done, or until its owner is to lead.
        self.turn = Lock()
        self.turn.acquire()

    def wait(self) -> BaseException | None:
        """Wait until the ticket is done or its owner is to lead; gives what interrupted it.

        An interruption is kept for later. Whoever left the queue at once could have been
        told to lead meanwhile, and everyone behind would wait for ever.
        """
        interruption: BaseException | None = None
        while not (self.done or self.leads):
            try:
                self.turn.acquire()
            except BaseException as error:  # noqa: BLE001 - raised by the caller, later
                interruption = error
        return interruption

    def settle(self) -> None:
        """Nothing more happens to the ticket; if nothing has, it was interrupted."""
        if not self.done and self.error is None:
            self.error = InternalServerError(
                "The write was interrupted, and whether it was kept is not known"
            )
        self.done = True

    def result(self) -> Any:
        """The job's answer, or its error raised."""
        if self.error is not None:
            raise self.error
        return self.answer


class Store:
    """The data folder, or a store in memory, shared by threads and processes."""

    def __init__(self, folder: Path | None, *, fsync: bool = True) -> None:
        # Called first thing in every write transaction.
        self.on_begin: Callable[[Connection], object] = lambda _connection: None
        self._folder = folder
        self._fsync = fsync
        # Why the store takes no more requests, once that is so.
        self._refusal: str | None = None
        self._writer = open_folder(folder, fsync=fsync)
        # SQLite would wait longer and longer for the lock, and between two busy processes
        # one could starve; see _begin.
        self._writer.execute("PRAGMA busy_timeout = 0").close()
        # Held while the writer's connection is used; in memory it serves readers too,
        # and a write may read.
        self._writing = RLock()
        self._readers: deque[Connection] = deque()
        self._queue: deque[Ticket] = deque()
        # Held by whoever leads, or on behalf of the one told to.
        self._leading = Lock()
        _open_stores.add(self)

    def close(self) -> None:
        """Refuse what comes now, then close every connection; SQLite folds its log into the file.

        The commit that is under way is finished; writes that wait for the next are refused.
        """
        if self._refusal is not None:
            return
        self._refusal = "The store is closed; open it again to use it"
        self._close_idle()
        with self._writing:
            self._writer.close()
        _open_stores.discard(self)

    def _close_idle(self) -> None:
        while True:
            try:
                self._readers.pop().close()
            except IndexError:
                return

    def leave_to_parent(self) -> None:
        """Called in a forked process: the connections stay the parent's, and are never closed."""
        self._refusal = (
            "The store was open when this process was forked; connect after the fork "
            "and not before, or start processes with the spawn method"
        )
        leave_to_parent(self._folder, [self._writer, *self._readers])

    def _refuse(self) -> None:
        if self._refusal is not None:
            raise InternalServerError(self._refusal)

    # Reading -----------------------------------------------------------------------

    def read(self, job: Callable[[Connection], T]) -> T:
        """Run a read on the latest committed state."""
        if self._refusal is not None:
            self._refuse()
        if self._folder is None:
            with self._writing:
                return job(self._writer)
        try:
            connection = self._readers.pop()
        except IndexError:
            connection = open_connection(self._folder, fsync=self._fsync)
        try:
            return job(connection)
        finally:
            # One that is still in a transaction has failed, and would show an old state.
            if connection.in_transaction or len(self._readers) >= READERS_IDLE_MAX:
                connection.close()
            else:
                self._readers.append(connection)
                if self._refusal is not None:
                    self._close_idle()

    # Writing -----------------------------------------------------------------------

    def write(self, job: Job, *, alone: bool = False) -> Any:
        """Run a write; when this returns, what it did is on the disk."""
        self._refuse()
        ticket = Ticket(job, alone=alone)
        self._queue.append(ticket)
        interruption: BaseException | None = None
        if self._leading.acquire(blocking=False):
            self._lead()
        else:
            interruption = ticket.wait()
            if ticket.leads:
                self._lead()
        if interruption is not None:
            raise interruption
        return ticket.result()

    def write_all(self, tickets: Sequence[Ticket]) -> None:
        """Run several writes in as few commits as may be; each ticket holds its outcome."""
        self._refuse()
        batch: list[Ticket] = []
        for ticket in tickets:
            if batch and (ticket.alone or batch[-1].alone):
                self._run(batch)
                batch = []
            batch.append(ticket)
        if batch:
            self._run(batch)

    def _lead(self) -> None:
        batch: list[Ticket] = []
        try:
            self._take(batch)
            if batch:
                self._run(batch)
        finally:
            for ticket in batch:
                ticket.settle()
            self._hand_over()
            for ticket in batch:
                # Free already where an interrupted owner learnt of its lead another way.
                if ticket.turn.locked():
                    ticket.turn.release()

    def _take(self, batch: list[Ticket]) -> None:
        """Move everything queued into the batch, up to the next job that must be alone."""
        queue = self._queue
        while queue and len(batch) < BATCH_JOBS_MAX:
            if batch and (queue[0].alone or batch[0].alone):
                break
            batch.append(queue.popleft())

    def _hand_over(self) -> None:
        """Let the next in the queue lead; with nobody there, leave the lead free."""
        while True:
            try:
                successor = self._queue[0]
            except IndexError:
                self._leading.release()
                # Someone may have queued between the look and the release.
                if not self._queue or not self._leading.acquire(blocking=False):
                    return
            else:
                successor.leads = True
                successor.turn.release()
                return

    def _run(self, batch: list[Ticket]) -> None:
        with self._writing:
            try:
                self._transact(batch)
            except Exception as error:  # noqa: BLE001 - raised to those whose job it was
                if len(batch) > 1:
                    # One job spoilt the transaction for all: find it by running each alone.
                    for ticket in batch:
                        self._run_single(ticket)
                else:
                    batch[0].error = _as_service_error(error)
            finally:
                for ticket in batch:
                    ticket.settle()

    def _run_single(self, ticket: Ticket) -> None:
        try:
            self._transact([ticket])
        except Exception as error:  # noqa: BLE001 - raised to the one whose job it was
            ticket.error = _as_service_error(error)

    def _transact(self, batch: list[Ticket]) -> None:
        connection = self._writer
        try:
            # The store may have been closed while the batch waited.
            self._refuse()
            _begin(connection)
        except (ServiceError, sqlite3.Error) as error:
            # No job is at fault, so none is tried alone.
            for ticket in batch:
                ticket.error = _as_service_error(error)
            return
        try:
            self.on_begin(connection)
            for ticket in batch:
                ticket.error = None
                try:
                    ticket.answer = ticket.job(connection)
                except ServiceError as error:
                    # Jobs check everything before their first write.
                    ticket.error = error
            connection.execute("COMMIT")
        except BaseException:
            for ticket in batch:
                # What a job found here, another's write perhaps, was never committed.
                ticket.error = None
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        for ticket in batch:
            ticket.done = True


def _begin(connection: Connection) -> None:
    """Take the file's write lock, once no other process holds it."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(LOCK_POLL_SECONDS)
        else:
            return


def snapshot(connection: Connection, job: Callable[[], T]) -> T:
    """Run several reads on one state of the store."""
    connection.execute("BEGIN")
    try:
        return job()
    finally:
        connection.execute("COMMIT")


_open_stores: WeakSet[Store] = WeakSet()


def _after_fork() -> None:
    for store in _open_stores:
        store.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _as_service_error(error: Exception) -> Exception:
    return store_failure(error) if isinstance(error, STORE_FAILURES) else error
