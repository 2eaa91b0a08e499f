"""In process, through backend.call, beside raw sqlite3 with the same settings."""

from __future__ import annotations

import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keypact
from bench import items
from bench.report import Ratio, Report, Series, say
from keypact.engine.storage.files import open_connection

ITEM_COUNT = 10_000
PASSES = 5
SLICES = 8
SLICE_SECONDS = 0.06
WRITERS = 32
REQUESTS = 2000
# More than a checkpoint's worth, so that passes overwrite the log instead of growing it.
WARM_PUTS = 1500
FLUSHES = 200

Step = Callable[[int], object]


# Others' flushes may be joined with ours into one.
FLUSHED_SHARE_MIN = 0.8


class NotFlushed(Exception):
    """The disk flushed less often than we put: what was timed is not a durable put."""


class Keypact:
    """Our side: one request a step, made beforehand."""

    name = "keypact"

    def __init__(self, folder: Path) -> None:
        self.backend = keypact.connect(f"sqlite:{folder}")
        self.backend.call("CreateTable", items.CREATE_TABLE)
        for first in range(0, ITEM_COUNT, 25):
            self.backend.call("BatchWriteItem", items.batch(range(first, first + 25)))
        numbers = [turn * 7919 % ITEM_COUNT for turn in range(REQUESTS)]
        self._gets = [items.get(number) for number in numbers]
        self._queries = [items.query(number) for number in numbers]
        self._puts = [items.put(number, 0) for number in numbers]
        self._notes = [put["Item"]["note"]["S"][items.MARK_BYTES :] for put in self._puts]
        self._call = self.backend.call

    def get(self, turn: int) -> object:
        return self._call("GetItem", self._gets[turn % REQUESTS])["Item"]

    def query(self, turn: int) -> object:
        return self._call("Query", self._queries[turn % REQUESTS])["Items"]

    def put(self, turn: int) -> object:
        at = turn % REQUESTS
        request = self._puts[at]
        item = {**request["Item"], "note": {"S": f"{turn:012d}{self._notes[at]}"}}
        return self._call("PutItem", {**request, "Item": item})

    def check(self, turn: int) -> None:
        """The put of that turn is there, whole; so are a query's 25 items."""
        number = turn % REQUESTS * 7919 % ITEM_COUNT
        found = self._call("GetItem", items.get(number))["Item"]
        assert items.same_item(found, items.item_of(number, turn)), found
        page = self._call("Query", items.query(number))["Items"]
        expected = [items.key_of(n)["sk"] for n in items.query_answers(number)]
        assert [item["sk"] for item in page] == expected, page

    def close(self) -> None:
        self.backend.close()


class Raw:
    """The floor: a 400-byte blob by two keys, in the plainest table, by sqlite3 alone."""

    name = "sqlite3"

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        # Opened as the engine opens its own: the same pragmas by construction.
        self.connection = open_connection(folder, fsync=True)
        self._execute = self.connection.execute
        self._execute(
            "CREATE TABLE blobs (pk TEXT, sk TEXT, item BLOB, PRIMARY KEY (pk, sk)) WITHOUT ROWID"
        )
        self._tail = os.urandom(items.ITEM_BYTES - items.MARK_BYTES)
        self._execute("BEGIN")
        for number in range(ITEM_COUNT):
            row = (items.pk_of(number), items.sk_of(number), self._blob(0))
            self._execute("INSERT INTO blobs VALUES (?, ?, ?)", row)
        self._execute("COMMIT")
        numbers = [turn * 7919 % ITEM_COUNT for turn in range(REQUESTS)]
        self._keys = [(items.pk_of(number), items.sk_of(number)) for number in numbers]
        self._starts = [
            (items.pk_of(number), items.sk_of(items.query_answers(number)[0])) for number in numbers
        ]

    def _blob(self, turn: int) -> bytes:
        return b"%012d" % turn + self._tail

    def get(self, turn: int) -> object:
        return self._execute(
            "SELECT item FROM blobs WHERE pk = ? AND sk = ?", self._keys[turn % REQUESTS]
        ).fetchone()

    def query(self, turn: int) -> object:
        return self._execute(
            "SELECT item FROM blobs WHERE pk = ? AND sk >= ? ORDER BY sk LIMIT 25",
            self._starts[turn % REQUESTS],
        ).fetchall()

    def put(self, turn: int) -> object:
        return self._execute(
            "INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)",
            (*self._keys[turn % REQUESTS], self._blob(turn)),
        )

    def check(self, turn: int) -> None:
        """The put of that turn is there; a range has 25."""
        row: Any = self.get(turn)
        assert row == (self._blob(turn),), row
        rows: Any = self.query(turn)
        assert len(rows) == items.QUERY_ITEMS, len(rows)

    def close(self) -> None:
        self.connection.close()


def run() -> Report:
    """Get, query, put, and 32 writers against one."""
    report = Report(
        "In process",
        f"Calls a second through `backend.call` on a folder, {ITEM_COUNT:,} items, every put "
        "flushed and with bytes of its own; beside it sqlite3 with the same pragmas, reading and "
        f"writing a {items.ITEM_BYTES}-byte blob by two keys. Median (lowest to highest) of "
        f"{PASSES} passes, in which the sides alternate every {SLICE_SECONDS * 1000:.0f} ms.",
    )
    rates: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="keypact-bench-") as folder:
        flushes = []
        sides: list[Keypact | Raw] = [Keypact(Path(folder) / "ours"), Raw(Path(folder) / "raw")]
        turns = {side.name: _warm(side) for side in sides}
        for number in range(PASSES):
            say(f"process: pass {number + 1} of {PASSES}")
            flushes.append(_flush_seconds(Path(folder)))
            for key, rate in _pass(sides, turns).items():
                rates.setdefault(key, []).append(rate)
        report.notes.append(_expect_flushed(sides, turns, Path(folder)))
        for side in sides:
            side.close()
    for what, words, target in (
        ("get", "get", 0.35),
        ("query", "query 25", 0.4),
        ("put", "put with fsync", 0.8),
    ):
        ours, raw = (Series(side.name, rates[what, side.name]) for side in sides)
        report.ratios.append(Ratio(words, ours, raw, target))
    many = Series(f"{WRITERS} threads", rates["writers", "keypact"])
    report.ratios.append(
        Ratio("put with fsync, writers", many, Series("one", rates["put", "keypact"]), 4)
    )
    report.notes.append(
        f"flushing 4 KB alone took {min(flushes) * 1e6:.0f} to {max(flushes) * 1e6:.0f} µs "
        f"(medians of {FLUSHES} in each pass)"
    )
    return report


def _warm(side: Keypact | Raw) -> int:
    for turn in range(1, WARM_PUTS):
        side.put(turn)
        side.get(turn)
    for turn in range(200):
        side.query(turn)
    side.check(WARM_PUTS - 1)
    return WARM_PUTS


def _pass(sides: list[Keypact | Raw], turns: dict[str, int]) -> dict[tuple[str, str], float]:
    """The rates of one pass. Sides alternate in slices, so that a disturbance meets both."""
    done: dict[tuple[str, str], int] = {}
    seconds: dict[tuple[str, str], float] = {}

    def add(key: tuple[str, str], count: int, spent: float) -> None:
        done[key] = done.get(key, 0) + count
        seconds[key] = seconds.get(key, 0) + spent

    ours = sides[0]
    for what, every in (("get", 50), ("query", 10), ("put", 1)):
        for _ in range(SLICES):
            for side in sides:
                count, spent = _slice(getattr(side, what), turns[side.name], every)
                turns[side.name] += count
                add((what, side.name), count, spent)
                if what == "put":
                    side.check(turns[side.name] - 1)
            if what == "put":
                count, spent, turns[ours.name] = _slice_of_writers(ours.put, turns[ours.name])
                add(("writers", ours.name), count, spent)
    return {key: done[key] / seconds[key] for key in done}


def _slice(step: Step, turn: int, every: int) -> tuple[int, float]:
    """Steps done and the seconds they took, with a look at the clock once in `every` steps."""
    clock = time.perf_counter
    first = turn
    started = clock()
    until = started + SLICE_SECONDS
    while (now := clock()) < until:
        for _ in range(every):
            step(turn)
            turn += 1
    return turn - first, now - started


def _slice_of_writers(put: Step, turn: int) -> tuple[int, float, int]:
    """Puts of all threads together, each on turns of its own; seconds; and the next turn."""
    counts = [0] * WRITERS
    failures: list[BaseException] = []
    gate = threading.Barrier(WRITERS + 1)

    def write(writer: int) -> None:
        mine = turn + writer
        gate.wait()
        until = time.perf_counter() + SLICE_SECONDS
        try:
            while time.perf_counter() < until:
                put(mine)
                mine += WRITERS
                counts[writer] += 1
        except BaseException as failure:
            failures.append(failure)
            raise

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    gate.wait()
    started = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - started
    if failures:
        raise failures[0]
    return sum(counts), seconds, turn + WRITERS * (max(counts) + 1)


def _flush_seconds(folder: Path) -> float:
    """What the disk takes to flush 4 KB over bytes that are already there."""
    path = folder / "flush"
    path.write_bytes(bytes(4096))
    times = []
    with open(path, "r+b", buffering=0) as file:
        for _ in range(FLUSHES):
            file.seek(0)
            file.write(os.urandom(4096))
            started = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - started)
    return statistics.median(times)


def _device_flushes(folder: Path) -> int:
    """How many flushes the folder's disk has completed since the system started; 0 if unknown."""
    device = folder.stat().st_dev
    try:
        text = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat").read_text()
        return int(text.split()[15])
    except (OSError, IndexError):
        return 0


def _expect_flushed(sides: list[Keypact | Raw], turns: dict[str, int], folder: Path) -> str:
    """Every put made the disk flush, for each side; in words for the report.

    Others' flushes are counted, too, so a busy machine may hide a put that was not flushed;
    a quiet one does not.
    """
    before = _device_flushes(folder)
    _flush_seconds(folder)
    if _device_flushes(folder) - before < FLUSHES * FLUSHED_SHARE_MIN:
        return "the kernel does not count this disk's flushes, so nobody checked that puts flush"
    words = []
    for side in sides:
        before = _device_flushes(folder)
        for _ in range(FLUSHES):
            side.put(turns[side.name])
            turns[side.name] += 1
        flushes = _device_flushes(folder) - before
        words.append(f"{side.name} {flushes}")
        if flushes < FLUSHES * FLUSHED_SHARE_MIN:
            raise NotFlushed(f"{side.name}: {flushes} flushes of the disk for {FLUSHES} puts")
    return f"flushes of the disk for {FLUSHES} puts, others' included: {', '.join(words)}"
