"""Writers share commits; one that fails, breaks or leaves does the others no harm."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from keypact.engine.errors import (
    ConditionalCheckFailedException,
    InternalServerError,
)
from keypact.engine.storage import store as store_module
from keypact.engine.storage.store import Connection, Job, Store, Ticket, snapshot

# A wait that ends by itself only when something hangs.
HANG_SECONDS = 20


@pytest.fixture(params=["folder", "memory"])
def store(request, tmp_path) -> Iterator[Store]:
    """A store with one plain SQL table of names."""
    opened = Store(tmp_path if request.param == "folder" else None)
    opened.write(lambda on: on.execute("CREATE TABLE names (name TEXT PRIMARY KEY) STRICT"))
    yield opened
    opened.close()


@pytest.fixture
def on_disk(tmp_path) -> Iterator[Store]:
    """The same, in a folder."""
    opened = Store(tmp_path)
    opened.write(lambda on: on.execute("CREATE TABLE names (name TEXT PRIMARY KEY) STRICT"))
    yield opened
    opened.close()


def add(name: str) -> Job:
    return lambda on: on.execute("INSERT INTO names VALUES (?)", (name,)).rowcount


def names(store: Store) -> list[str]:
    return store.read(
        lambda on: [name for (name,) in on.execute("SELECT name FROM names ORDER BY name")]
    )


@contextmanager
def counted_commits(store: Store) -> Iterator[list[str]]:
    """The COMMIT statements that the writer's connection runs."""
    seen: list[str] = []

    def note(statement: str) -> None:
        if statement in ("COMMIT", "ROLLBACK"):
            seen.append(statement)

    store._writer.set_trace_callback(note)
    try:
        yield seen
    finally:
        store._writer.set_trace_callback(None)


def start(work: Callable[[], Any]) -> Future:
    """Run it on a thread; the future has what it returns or raises, interrupts included."""
    future: Future = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


class HeldLeader:
    """A writer that leads and holds its commit open until it is let go."""

    def __init__(self, store: Store, ending: BaseException | None = None) -> None:
        self.store = store
        self._inside, self._go = threading.Event(), threading.Event()
        self._ending = ending
        self.outcome = start(lambda: store.write(self._job))
        assert self._inside.wait(HANG_SECONDS)

    def _job(self, connection: Connection) -> str:
        connection.execute("INSERT INTO names VALUES ('leader')")
        self._inside.set()
        assert self._go.wait(HANG_SECONDS)
        if self._ending is not None:
            raise self._ending
        return "led"

    def queue(self, job: Job, *, alone: bool = False) -> Future:
        """Another writer; returns once it stands in the queue."""
        before = len(self.store._queue)
        future = start(lambda: self.store.write(job, alone=alone))
        wait_for(lambda: len(self.store._queue) > before)
        return future

    def let_go(self) -> None:
        self._go.set()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + HANG_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.001)


# Sharing ---------------------------------------------------------------------------------


def test_a_lone_writer_needs_one_commit_on_its_own_thread(store):
    """Nothing is handed over and no thread is woken."""
    threads = []
    with counted_commits(store) as commits:
        store.write(lambda on: threads.append(threading.current_thread()))
    assert commits == ["COMMIT"]
    assert threads == [threading.current_thread()]


def test_writers_who_wait_share_the_next_commit(store):
    """Ten that queue up behind a commit are served by one, in the order they came."""
    with counted_commits(store) as commits:
        leader = HeldLeader(store)
        others = [leader.queue(add(f"n{number}")) for number in range(10)]
        assert commits == []
        leader.let_go()
        assert leader.outcome.result(HANG_SECONDS) == "led"
        assert [other.result(HANG_SECONDS) for other in others] == [1] * 10
    assert commits == ["COMMIT", "COMMIT"]
    assert names(store) == ["leader", *(f"n{number}" for number in range(10))]


def test_a_write_is_answered_only_after_its_commit(on_disk, tmp_path):
    """When write returns, another connection sees what it wrote."""
    other = sqlite3.connect(tmp_path / "keypact.sqlite")
    for number in range(20):
        on_disk.write(add(f"n{number:02}"))
        assert other.execute("SELECT max(name) FROM names").fetchone() == (f"n{number:02}",)
    other.close()


def test_a_batch_is_bounded(store, monkeypatch):
    """The first of many does not wait for all of them."""
    monkeypatch.setattr(store_module, "BATCH_JOBS_MAX", 4)
    with counted_commits(store) as commits:
        leader = HeldLeader(store)
        others = [leader.queue(add(f"n{number}")) for number in range(10)]
        leader.let_go()
        for other in others:
            other.result(HANG_SECONDS)
    assert commits == ["COMMIT"] * 4


def test_a_job_that_must_be_alone_is_alone(store):
    """It shares its commit neither with those before nor with those after it."""
    commits_before: dict[str, int] = {}
    with counted_commits(store) as commits:

        def note(name: str) -> Job:
            return lambda _on: commits_before.update({name: len(commits)})

        leader = HeldLeader(store)
        waiting = [
            leader.queue(note("before")),
            leader.queue(note("alone"), alone=True),
            leader.queue(note("after")),
            leader.queue(note("after too")),
        ]
        leader.let_go()
        for one in waiting:
            one.result(HANG_SECONDS)
    assert commits_before == {"before": 1, "alone": 2, "after": 3, "after too": 3}


def test_a_given_batch_runs_in_one_commit(store):
    """write_all, which the server's writer thread uses, splits only around lone jobs."""
    tickets = [Ticket(add("a")), Ticket(add("b")), Ticket(add("c"), alone=True), Ticket(add("d"))]
    with counted_commits(store) as commits:
        store.write_all(tickets)
    assert commits == ["COMMIT"] * 3
    assert [ticket.result() for ticket in tickets] == [1] * 4
    assert names(store) == ["a", "b", "c", "d"]


# Failing ---------------------------------------------------------------------------------


def refuse(_connection: Connection) -> None:
    raise ConditionalCheckFailedException("no")


def write_then_break(error: Exception) -> Job:
    def job(connection: Connection) -> None:
        connection.execute("INSERT INTO names VALUES ('half')")
        raise error

    return job


def break_in_sql(connection: Connection) -> None:
    connection.execute("INSERT INTO names VALUES ('half')")
    connection.execute("INSERT INTO nowhere VALUES (1)")


def test_a_refused_job_does_not_disturb_its_batch(store):
    """A false condition is an answer; the others are committed in the same commit."""
    with counted_commits(store) as commits:
        leader = HeldLeader(store)
        first, refused, last = (leader.queue(job) for job in (add("a"), refuse, add("b")))
        leader.let_go()
        assert (first.result(HANG_SECONDS), last.result(HANG_SECONDS)) == (1, 1)
        with pytest.raises(ConditionalCheckFailedException):
            refused.result(HANG_SECONDS)
    assert commits == ["COMMIT", "COMMIT"]
    assert names(store) == ["a", "b", "leader"]


@pytest.mark.parametrize("through", ["queue", "write_all"])
@pytest.mark.parametrize(
    ("job", "raised", "text"),
    [
        (write_then_break(RuntimeError("a bug")), RuntimeError, "a bug"),
        (write_then_break(sqlite3.OperationalError("odd")), InternalServerError, "odd"),
        (break_in_sql, InternalServerError, "no such table: nowhere"),
    ],
    ids=["bug", "sqlite", "sql"],
)
def test_a_job_that_breaks_is_undone_and_its_batch_goes_on(store, through, job, raised, text):
    """Its half-made write is rolled back; who shared the commit succeeds all the same."""
    if through == "queue":
        leader = HeldLeader(store)
        first, broken, last = (leader.queue(one) for one in (add("a"), job, add("b")))
        leader.let_go()
        assert (first.result(HANG_SECONDS), last.result(HANG_SECONDS)) == (1, 1)
        with pytest.raises(raised, match=text):
            broken.result(HANG_SECONDS)
    else:
        tickets = [Ticket(add("a")), Ticket(job), Ticket(add("b"))]
        store.write_all(tickets)
        assert [tickets[0].result(), tickets[2].result()] == [1, 1]
        with pytest.raises(raised, match=text):
            tickets[1].result()
    assert [name for name in names(store) if name != "leader"] == ["a", "b"]


def test_a_lone_job_that_breaks_is_undone(store):
    """Nothing of it is kept, and the next write works."""
    with pytest.raises(RuntimeError, match="a bug"):
        store.write(write_then_break(RuntimeError("a bug")))
    store.write(add("next"))
    assert names(store) == ["next"]


def write_half(connection: Connection) -> None:
    connection.execute("INSERT INTO names VALUES ('half')")


def refuse_if_half_is_there(connection: Connection) -> str:
    if connection.execute("SELECT 1 FROM names WHERE name = 'half'").fetchone():
        raise ConditionalCheckFailedException("it is there")
    return "absent"


def test_what_a_job_saw_in_a_broken_commit_is_not_its_answer(store):
    """A refusal because of a write that was rolled back is none: the job runs again."""
    runs: list[Connection] = []

    def write_half_once(connection: Connection) -> None:
        runs.append(connection)
        if len(runs) > 1:
            raise sqlite3.OperationalError("broken")
        write_half(connection)

    tickets = [Ticket(job) for job in (write_half_once, refuse_if_half_is_there, break_in_sql)]
    store.write_all(tickets)
    assert len(runs) == 2
    assert tickets[1].result() == "absent"
    assert names(store) == []


def test_a_commit_that_cannot_begin_fails_all_at_once(on_disk, tmp_path, monkeypatch):
    """With the file locked by someone else nobody waits once for each job of the batch."""
    monkeypatch.setattr(store_module, "BUSY_SECONDS", 0)
    attempts: list[str] = []
    other = sqlite3.connect(tmp_path / "keypact.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    on_disk._writer.set_trace_callback(attempts.append)
    tickets = [Ticket(add(f"n{number}")) for number in range(5)]
    on_disk.write_all(tickets)
    on_disk._writer.set_trace_callback(None)
    other.execute("ROLLBACK")
    other.close()
    assert len(attempts) == 1
    for ticket in tickets:
        with pytest.raises(InternalServerError, match="another process held the folder"):
            ticket.result()
    on_disk.write(add("later"))
    assert names(on_disk) == ["later"]


def test_a_writer_waits_for_another_process(on_disk, tmp_path):
    """Somebody else's commit is not an error."""
    other = sqlite3.connect(
        tmp_path / "keypact.sqlite", isolation_level=None, check_same_thread=False
    )
    other.execute("BEGIN IMMEDIATE")
    waiting = start(lambda: on_disk.write(add("patient")))
    with pytest.raises(TimeoutError):
        waiting.result(0.1)
    other.execute("ROLLBACK")
    assert waiting.result(HANG_SECONDS) == 1
    other.close()


# Interruptions ---------------------------------------------------------------------------


class Interrupted(BaseException):
    """What Ctrl-C or a timeout raises in the main thread."""


def test_an_interrupted_leader_leaves_nobody_waiting(store):
    """Its own write is undone; those in the queue are served by the next to lead."""
    leader = HeldLeader(store, ending=Interrupted())
    others = [leader.queue(add(name)) for name in ("a", "b")]
    leader.let_go()
    with pytest.raises(Interrupted):
        leader.outcome.result(HANG_SECONDS)
    assert [other.result(HANG_SECONDS) for other in others] == [1, 1]
    assert names(store) == ["a", "b"]


def test_an_interrupted_leader_tells_those_it_led(store):
    """Who shared the interrupted commit learns that it was, and can try again."""

    def interrupt(_connection: Connection) -> None:
        raise Interrupted

    leader = HeldLeader(store)
    first, interrupted, last = (leader.queue(job) for job in (add("a"), interrupt, add("b")))
    leader.let_go()
    # The first of the three leads the second commit, so it is the one interrupted.
    with pytest.raises(Interrupted):
        first.result(HANG_SECONDS)
    for one in (interrupted, last):
        with pytest.raises(InternalServerError, match="interrupted"):
            one.result(HANG_SECONDS)
    store.write(add("c"))
    assert names(store) == ["c", "leader"]


def test_a_leader_interrupted_before_its_commit_leaves_nobody_waiting(store, monkeypatch):
    """Those it had taken out of the queue learn of it, and the next write finds the lead free."""
    take = store._take

    def take_and_be_interrupted(batch: list[Ticket]) -> None:
        take(batch)
        raise Interrupted

    leader = HeldLeader(store)
    first, last = leader.queue(add("a")), leader.queue(add("b"))
    monkeypatch.setattr(store, "_take", take_and_be_interrupted)
    leader.let_go()
    with pytest.raises(Interrupted):
        first.result(HANG_SECONDS)
    with pytest.raises(InternalServerError, match="interrupted"):
        last.result(HANG_SECONDS)
    monkeypatch.undo()
    assert start(lambda: store.write(add("c"))).result(HANG_SECONDS) == 1
    assert names(store) == ["c", "leader"]


def test_what_a_job_saw_in_an_interrupted_commit_is_not_its_answer(store):
    """A refusal because of a write that was rolled back is not given to anybody."""

    def interrupt(_connection: Connection) -> None:
        raise Interrupted

    tickets = [Ticket(job) for job in (write_half, refuse_if_half_is_there, interrupt)]
    with pytest.raises(Interrupted):
        store.write_all(tickets)
    with pytest.raises(InternalServerError, match="interrupted"):
        tickets[1].result()


@pytest.fixture
def interrupting_signal() -> Iterator[int]:
    """A signal that raises in the main thread, as Ctrl-C does."""

    def raise_it(*_: object) -> None:
        raise Interrupted

    earlier = signal.signal(signal.SIGUSR1, raise_it)
    yield signal.SIGUSR1
    signal.signal(signal.SIGUSR1, earlier)


def test_an_interrupted_follower_does_not_take_the_lead_away(store, interrupting_signal):
    """Ctrl-C while waiting in the queue ends the wait; everyone behind is still served."""
    leader = HeldLeader(store)
    behind: list[Future] = []

    def interrupt_main_thread() -> None:
        wait_for(lambda: len(store._queue) == 1)
        behind.append(leader.queue(add("behind")))
        os.kill(os.getpid(), interrupting_signal)
        # Long enough for the signal to reach the wait; the promise holds without it.
        time.sleep(0.05)
        leader.let_go()

    start(interrupt_main_thread)
    with pytest.raises(Interrupted):
        store.write(add("main"))
    assert behind[0].result(HANG_SECONDS) == 1
    assert start(lambda: store.write(add("later"))).result(HANG_SECONDS) == 1
    # It had been queued before the interruption, so it was written with the others.
    assert names(store) == ["behind", "later", "leader", "main"]


# Reading ---------------------------------------------------------------------------------


def test_a_snapshot_is_one_state(on_disk):
    """Reads within a snapshot do not see what is committed meanwhile; the next read does."""

    def count(connection: Connection) -> int:
        (found,) = connection.execute("SELECT count(*) FROM names").fetchone()
        return int(found)

    def count_twice(connection: Connection) -> tuple[int, int]:
        def both() -> tuple[int, int]:
            first = count(connection)
            start(lambda: on_disk.write(add("meanwhile"))).result(HANG_SECONDS)
            return first, count(connection)

        return snapshot(connection, both)

    assert on_disk.read(count_twice) == (0, 0)
    assert on_disk.read(count) == 1


def test_a_reader_left_in_a_transaction_is_not_used_again(on_disk):
    """The next reader would see the old state for ever."""

    def leave_open(connection: Connection) -> None:
        connection.execute("BEGIN")
        connection.execute("SELECT * FROM names").fetchall()

    on_disk.read(leave_open)
    on_disk.write(add("new"))
    assert names(on_disk) == ["new"]


def test_a_write_may_read(store):
    """A write that reads through the store does not wait for itself."""

    def job(_connection: Connection) -> int:
        return store.read(lambda on: on.execute("SELECT 1").fetchone()[0])

    assert start(lambda: store.write(job)).result(HANG_SECONDS) == 1


def test_idle_readers_are_bounded(on_disk, monkeypatch):
    """Connections opened for many readers at once are not kept for ever."""
    monkeypatch.setattr(store_module, "READERS_IDLE_MAX", 2)
    together = threading.Barrier(5)

    def meet(_connection: Connection) -> None:
        together.wait(HANG_SECONDS)

    for reader in [start(lambda: on_disk.read(meet)) for _ in range(5)]:
        reader.result(HANG_SECONDS)
    assert len(on_disk._readers) == 2


# Closing ---------------------------------------------------------------------------------


def test_a_closed_store_says_so(store):
    """Reads, writes and batches after close are refused in words; closing again is allowed."""
    store.close()
    store.close()
    for use in (
        lambda: store.read(lambda on: on.execute("SELECT 1")),
        lambda: store.write(add("late")),
        lambda: store.write_all([Ticket(add("late"))]),
    ):
        with pytest.raises(InternalServerError, match="store is closed"):
            use()


def test_closing_finishes_the_commit_under_way_and_refuses_the_queue(on_disk, tmp_path):
    """What was acknowledged is there, and nobody waits for ever."""
    leader = HeldLeader(on_disk)
    waiting = leader.queue(add("waiting"))
    closing = start(on_disk.close)
    wait_for(lambda: on_disk._refusal is not None)
    leader.let_go()
    assert leader.outcome.result(HANG_SECONDS) == "led"
    closing.result(HANG_SECONDS)
    with pytest.raises(InternalServerError, match="store is closed"):
        waiting.result(HANG_SECONDS)
    again = Store(tmp_path)
    assert names(again) == ["leader"]
    again.close()


def test_a_reader_at_work_closes_its_connection_when_the_store_closes(on_disk, tmp_path):
    """No connection outlives the store, so SQLite can fold its log into the file."""
    reading, go = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        connection.execute("SELECT * FROM names").fetchall()
        reading.set()
        assert go.wait(HANG_SECONDS)

    on_disk.write(add("a"))
    reader = start(lambda: on_disk.read(slow))
    assert reading.wait(HANG_SECONDS)
    on_disk.close()
    go.set()
    reader.result(HANG_SECONDS)
    assert files_in(tmp_path) == ["keypact.sqlite"]


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
