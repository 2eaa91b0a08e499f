"""Connections to the file, and writers that share a commit.

One fsync costs more than many writes. So writers queue their jobs, and one of them,
the leader, runs everything queued in a single transaction while the others wait for
their answer. A lone writer leads itself: no thread is woken and nothing is handed over.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from ..errors import InternalServerError, ServiceError
from .files import open_connection, open_folder, store_failure

T = TypeVar("T")
Connection = sqlite3.Connection
Job = Callable[[Connection], Any]

# Jobs in one transaction: bounds how long the first waits for the last.
BATCH_JOBS_MAX = 512
# Idle connections kept for readers; more are opened while more threads read at once.
READERS_IDLE_MAX = 32


class Ticket:
    """One write in the queue, and what became of it."""

    __slots__ = ("alone", "answer", "done", "error", "job", "turn")

    def __init__(self, job: Job, *, alone: bool = False) -> None:
        self.job = job
        # A job that changes tables is a batch of its own.
        self.alone = alone
        self.answer: Any = None
        self.error: Exception | None = None
        self.done = False
        # Held until the ticket is served, or until its owner is to lead.
        self.turn = Lock()
        self.turn.acquire()

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
        self._writer = open_folder(folder, fsync=fsync)
        # Held while the writer's connection is used; in memory it serves readers too.
        self._writing = Lock()
        self._readers: deque[Connection] = deque()
        self._queue: deque[Ticket] = deque()
        # Held by whoever leads, or on behalf of the one told to.
        self._leading = Lock()

    def close(self) -> None:
        """Close every connection; SQLite folds its log into the file."""
        while self._readers:
            self._readers.pop().close()
        with self._writing:
            self._writer.close()

    # Reading -----------------------------------------------------------------------

    def read(self, job: Callable[[Connection], T]) -> T:
        """Run a read on the latest committed state."""
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
            if len(self._readers) < READERS_IDLE_MAX:
                self._readers.append(connection)
            else:
                connection.close()

    # Writing -----------------------------------------------------------------------

    def write(self, job: Job, *, alone: bool = False) -> Any:
        """Run a write; when this returns, what it did is on the disk."""
        ticket = Ticket(job, alone=alone)
        self._queue.append(ticket)
        if not self._leading.acquire(blocking=False):
            ticket.turn.acquire()
            if ticket.done:
                return ticket.result()
        self._lead()
        return ticket.result()

    def write_all(self, tickets: Sequence[Ticket]) -> None:
        """Run several writes in as few commits as may be; each ticket holds its outcome."""
        batch: list[Ticket] = []
        for ticket in tickets:
            if batch and (ticket.alone or batch[-1].alone):
                self._run(batch)
                batch = []
            batch.append(ticket)
        if batch:
            self._run(batch)

    def _lead(self) -> None:
        batch = self._take()
        try:
            if batch:
                self._run(batch)
        finally:
            self._hand_over()
            for ticket in batch:
                ticket.turn.release()

    def _take(self) -> list[Ticket]:
        """Everything queued up to the next job that must be alone."""
        batch: list[Ticket] = []
        queue = self._queue
        while queue and len(batch) < BATCH_JOBS_MAX:
            if batch and (queue[0].alone or batch[0].alone):
                break
            batch.append(queue.popleft())
        return batch

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
                successor.turn.release()
                return

    def _run(self, batch: list[Ticket]) -> None:
        with self._writing:
            try:
                self._transact(batch)
            except Exception as error:
                if len(batch) > 1:
                    # One job spoilt the transaction for all: find it by running each alone.
                    for ticket in batch:
                        self._run_single(ticket)
                else:
                    batch[0].error = _as_service_error(error)
            finally:
                for ticket in batch:
                    if not ticket.done and ticket.error is None:
                        ticket.error = InternalServerError("The write was interrupted")
                    ticket.done = True

    def _run_single(self, ticket: Ticket) -> None:
        try:
            self._transact([ticket])
        except Exception as error:
            ticket.error = _as_service_error(error)

    def _transact(self, batch: list[Ticket]) -> None:
        connection = self._writer
        connection.execute("BEGIN IMMEDIATE")
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
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        for ticket in batch:
            ticket.done = True


def snapshot(connection: Connection, job: Callable[[], T]) -> T:
    """Run several reads on one state of the store."""
    connection.execute("BEGIN")
    try:
        return job()
    finally:
        connection.execute("COMMIT")


def _as_service_error(error: Exception) -> Exception:
    return store_failure(error) if isinstance(error, sqlite3.Error) else error
