"""The same operations on 10,000 and on 1,000,000 items, and the memory they take."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import items
from bench.report import Ratio, Report, Series, say
from keypact.backends import EmbeddedBackend

SMALL = 10_000
LARGE = 1_000_000
PASSES = 5
CALLS = {"get": 6000, "query": 1500, "update": 2500, "update, fsync": 400}
TARGET = 1.3
# Items are put in an order of their own, as they come in life: half-filled pages and all.
FILL_SEED = 7
FILL_SECONDS_MAX = 240


def run() -> Report:
    """Cost at both sizes, each in a process of its own, in turns."""
    report = Report(
        "Growth",
        f"Microseconds a call in process on a folder of {SMALL:,} and of {LARGE:,} items, keys at "
        f"random. Median (lowest to highest) of {PASSES} interleaved passes. The update is judged "
        "without fsync, which would cover what grows; with fsync it stands beside it.",
    )
    with tempfile.TemporaryDirectory(prefix="keypact-bench-") as folder:
        for count in (SMALL, LARGE):
            say(f"growth: filling {count:,}")
            _order_once("fill", Path(folder) / str(count), count)
        workers = {count: _Worker(Path(folder) / str(count), count) for count in (SMALL, LARGE)}
        try:
            _measure(workers, report)
        finally:
            for worker in workers.values():
                worker.close()
    return report


def _measure(workers: dict[int, _Worker], report: Report) -> None:
    costs: dict[tuple[str, int], list[float]] = {}
    for number in range(-1, PASSES):
        say(f"growth: pass {number + 1} of {PASSES}")
        for what, calls in CALLS.items():
            for count, worker in workers.items():
                cost = worker.ask(what, calls)
                # The first pass warms caches and is not counted.
                if number >= 0:
                    costs.setdefault((what, count), []).append(cost)
    for what in CALLS:
        large, small = (Series(f"{n:,}", costs[what, n], "µs") for n in (LARGE, SMALL))
        report.ratios.append(Ratio(what, large, small, TARGET, at_most=True))
    rows = []
    for count, worker in workers.items():
        memory = worker.memory()
        rows.append([f"{count:,}", *(f"{memory[name]:.0f} MB" for name in _MEMORY)])
    report.tables.append((["items", *_MEMORY.values()], rows))


# Pages of a mapped file count as memory of the process, though the kernel may take them back.
_MEMORY = {"RssAnon": "own memory", "RssFile": "mapped files", "VmHWM": "highest, both"}


class _Worker:
    """A process that has the folder open and times what it is asked."""

    def __init__(self, folder: Path, count: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.growth", "serve", str(folder), str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _send(self, order: list[Any]) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(order) + "\n")
        stdin.flush()
        return json.loads(stdout.readline())

    def ask(self, what: str, calls: int) -> float:
        """Microseconds a call."""
        return float(self._send([what, calls]))

    def memory(self) -> dict[str, float]:
        """Megabytes by kind."""
        answer: dict[str, float] = self._send(["memory", 0])
        return answer

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(20)


def _order_once(order: str, folder: Path, count: int) -> None:
    command = [sys.executable, "-m", "bench.growth", order, str(folder), str(count)]
    subprocess.run(command, check=True, timeout=FILL_SECONDS_MAX)


def _fill(folder: Path, count: int) -> None:
    with EmbeddedBackend(folder, fsync=False) as backend:
        backend.call("CreateTable", items.CREATE_TABLE)
        starts = list(range(0, count, 25))
        random.Random(FILL_SEED).shuffle(starts)
        for start in starts:
            backend.call("BatchWriteItem", items.batch(range(start, start + 25)))


def _serve(folder: Path, count: int) -> None:
    with EmbeddedBackend(folder, fsync=False) as backend, EmbeddedBackend(folder) as durable:
        chance = random.Random(count)
        makers = {
            "get": ("GetItem", items.get, backend),
            "query": ("Query", items.query, backend),
            "update": ("UpdateItem", items.update, backend),
            "update, fsync": ("UpdateItem", items.update, durable),
        }
        for line in sys.stdin:
            what, calls = json.loads(line)
            if what == "memory":
                print(json.dumps(_memory()), flush=True)
                continue
            operation, make, side = makers[what]
            requests = [make(chance.randrange(count)) for _ in range(calls)]
            started = time.perf_counter()
            for request in requests:
                answer = side.call(operation, request)
            seconds = time.perf_counter() - started
            assert what != "get" or answer["Item"]["sk"] == requests[-1]["Key"]["sk"], answer
            assert what != "query" or answer["Count"] == items.QUERY_ITEMS, answer
            print(seconds / calls * 1e6, flush=True)


def _memory() -> dict[str, float]:
    with open("/proc/self/status") as lines:
        fields = dict(line.split(":", 1) for line in lines)
    return {name: int(fields[name].split()[0]) / 1024 for name in _MEMORY}


if __name__ == "__main__":
    {"fill": _fill, "serve": _serve}[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
