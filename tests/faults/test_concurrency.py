"""Threads and processes share a store: nothing is lost, halved, or seen out of order."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import keypact

from . import workloads
from .children import Child
from .linearizability import by_register, find_violation
from .programs import run_threads

WORKERS = 4


class Crew:
    """Workers on one store, and a backend to set it up and look at it."""

    def __init__(self, arrangement: str, folder: str) -> None:
        self._arrangement = arrangement
        self._folder = folder
        self.on_disk = arrangement != "threads in memory"
        self.backend = keypact.connect(f"sqlite:{folder}" if self.on_disk else "memory:")

    def run(self, workload: str, **arguments: Any) -> list[Any]:
        """What each of the workers brought back; all run at once."""
        workers = list(range(WORKERS))
        if self._arrangement != "two processes":
            return run_threads(self.backend, getattr(workloads, workload), workers, arguments)
        with ExitStack() as stack:
            children = [
                stack.enter_context(
                    Child(
                        "work",
                        folder=self._folder,
                        workload=workload,
                        workers=half,
                        **arguments,
                    )
                )
                for half in (workers[: WORKERS // 2], workers[WORKERS // 2 :])
            ]
            for child in children:
                assert child.receive() == "ready"
            for child in children:
                child.send("go")
            return [one for child in children for one in child.finish()]


@pytest.fixture(params=["threads in memory", "threads", "two processes"])
def crew(request, tmp_path) -> Iterator[Crew]:
    """Four workers: threads of this process, or two threads each in two others."""
    earlier = sys.getswitchinterval()
    # Threads take turns often, so that they meet in the middle of things.
    sys.setswitchinterval(1e-5)
    crew = Crew(request.param, str(tmp_path))
    yield crew
    crew.backend.close()
    sys.setswitchinterval(earlier)


def many_or_few(*, few: int, many: int) -> pytest.MarkDecorator:
    """How often each worker acts: few times in `make test`, many in `make soak`."""
    return pytest.mark.parametrize("times", [few, pytest.param(many, marks=pytest.mark.soak)])


# Counters --------------------------------------------------------------------------------


@many_or_few(few=100, many=2000)
def test_counting_with_add_loses_nothing(crew, times):
    """Each UpdateItem reads and writes as one."""
    workloads.create_table(crew.backend, "counters")
    crew.run("add_to_counter", times=times)
    item = workloads.get(crew.backend, "counters", "added")
    assert item == {"pk": {"S": "added"}, "amount": {"N": str(WORKERS * times)}}


@many_or_few(few=50, many=500)
def test_counting_by_version_loses_nothing(crew, times):
    """A conditional put fails exactly when somebody was faster, so every success counts once."""
    workloads.create_table(crew.backend, "counters")
    retries = crew.run("count_by_version", times=times)
    item = workloads.get(crew.backend, "counters", "versioned")
    assert item == {"pk": {"S": "versioned"}, "version": {"N": str(WORKERS * times)}}
    assert sum(retries) > 0, "they never met"


@pytest.mark.parametrize("attempt", range(4))
def test_the_first_requests_of_a_process_may_come_together(tmp_path, attempt):
    """What is made on first use is made once, whoever comes first."""
    with keypact.connect(f"sqlite:{tmp_path}") as backend:
        workloads.create_table(backend, "counters")
        with Child(
            "work",
            folder=str(tmp_path),
            workload="add_to_counter",
            workers=list(range(8)),
            times=1,
        ) as child:
            assert child.receive() == "ready"
            child.finish()
        item = workloads.get(backend, "counters", "added")
    assert item == {"pk": {"S": "added"}, "amount": {"N": "8"}}


# Transactions ----------------------------------------------------------------------------


@many_or_few(few=100, many=2000)
def test_transfers_are_all_or_nothing_and_isolated(crew, seed, times):
    """Whoever reads all accounts in a transaction sees the same total at every moment."""
    workloads.open_accounts(crew.backend)
    results = crew.run("transfer_and_watch", seed=seed, times=times)
    seen = [state for result in results for state in result.get("seen", [])]
    for state in [*seen, workloads.balances(crew.backend)]:
        assert sum(state) == workloads.BANK_TOTAL
        assert min(state) >= 0
    assert sum(result.get("moved", 0) for result in results) > 0
    # They watched while it happened: a test of a quiet bank proves nothing.
    assert len(seen) > 5


# Histories -------------------------------------------------------------------------------


def violations(records: list[list[Any]]) -> list[str]:
    """What is wrong with each register's history."""
    found = []
    for name, history in by_register(records).items():
        violation = find_violation(history)
        if violation is not None:
            found.append(f"{name}: {violation}")
    return found


@many_or_few(few=150, many=3000)
def test_single_items_are_linearizable(crew, seed, times):
    """Reads, puts, conditional puts and deletes have an order that explains every answer."""
    workloads.create_table(crew.backend, "registers")
    parts = crew.run("play_registers", seed=seed, times=times)
    records = [one for part in parts for one in part]
    assert violations(records) == []
    if crew.on_disk:
        # A commit takes long enough for others to come; in memory they may all be too fast.
        assert overlapping(records) > 20, "they hardly met"


def overlapping(records: list[list[Any]]) -> int:
    """Calls that began before an earlier one on the same register had been answered."""
    count = 0
    latest: dict[str, int] = {}
    for name, invoked, responded, *_ in sorted(records, key=lambda record: record[1]):
        count += invoked < latest.get(name, 0)
        latest[name] = max(latest.get(name, 0), responded)
    return count


class StaleReads:
    """A backend that answers every other read from memory, as a wrong cache would."""

    def __init__(self, backend: keypact.Backend) -> None:
        self._backend = backend
        self._kept: dict[str, Any] = {}
        self._reads = 0

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation != "GetItem":
            return self._backend.call(operation, request)
        self._reads += 1
        name = request["Key"]["pk"]["S"]
        if self._reads % 2 or name not in self._kept:
            self._kept[name] = self._backend.call(operation, request)
        return self._kept[name]


def test_the_history_of_a_wrong_engine_is_refused():
    """The same calls through a backend with stale reads do not pass: the check can fail."""
    with keypact.connect("memory:") as backend:
        workloads.create_table(backend, "registers")
        parts = run_threads(
            StaleReads(backend),
            workloads.play_registers,
            list(range(WORKERS)),
            {"seed": 1, "times": 80},
        )
    assert violations([one for part in parts for one in part])
