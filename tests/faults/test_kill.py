"""A process is killed at any moment: what it acknowledged is there, and nothing is halved.

A kill takes the process and leaves the operating system, which still writes what it was
given. So these tests would pass without any sync; that a commit is synced before it is
acknowledged is for test_sync.py to show.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import keypact

from . import ledger, workloads
from .checks import check_file, check_indexes
from .children import Child
from .linearizability import FOREVER, by_register, find_violation

WORKERS = 4
SHORT_KILLS = 8
SOAK_KILLS = 100
KILLS = [SHORT_KILLS, pytest.param(SOAK_KILLS, marks=pytest.mark.soak)]


def kill_while_writing(folder: Path, starts: list[int], rng: random.Random) -> list[int]:
    """How many writes of each worker had been acknowledged when the process was killed."""
    acknowledged = list(starts)

    def note(line: Any) -> None:
        worker, number = line
        assert number == acknowledged[worker], "acknowledged out of order"
        acknowledged[worker] = number + 1

    with Child("write_ledger", folder=str(folder), starts=starts) as child:
        if rng.random() < 0.75:
            for _ in range(rng.randint(1, 60)):
                note(child.receive())
            time.sleep(rng.uniform(0, 0.03))
        else:
            # Somewhere in its start: while it opens the folder, or before, or after.
            time.sleep(rng.uniform(0.1, 0.6))
        child.kill()
        for line in child.remaining():
            note(line)
    return acknowledged


@pytest.mark.parametrize("kills", KILLS)
def test_what_was_acknowledged_survives_kills(tmp_path, seed, kills):
    """Four threads write through one commit after the other, and the process is killed.

    Every acknowledged write is there, whole; of each thread's write in flight there is
    all or nothing; every index agrees with its table; and the next process goes on.
    """
    rng = random.Random(seed)
    with keypact.connect(f"sqlite:{tmp_path}") as backend:
        ledger.create_tables(backend)
    done = [0] * WORKERS
    for _ in range(kills):
        acknowledged = kill_while_writing(tmp_path, done, rng)
        with keypact.connect(f"sqlite:{tmp_path}") as backend:
            states = ledger.read_states(backend)
            done = [
                ledger.count_done(states.get(f"worker{worker}", {}), worker, acknowledged[worker])
                for worker in range(WORKERS)
            ]
            check_indexes(backend)
        check_file(tmp_path)
    assert min(done) > 0


@pytest.mark.parametrize("kills", KILLS)
def test_tables_are_made_and_deleted_whole(tmp_path, seed, kills):
    """After a kill a table is there with all its indexes or not at all, as acknowledged."""
    rng = random.Random(seed)
    there: dict[str, bool] = {}
    for number in range(kills):
        unsure: str | None = None
        arguments = {"folder": str(tmp_path), "seed": f"{seed} {number}"}
        with Child("make_and_drop_tables", **arguments) as child:
            lines = [child.receive() for _ in range(rng.randint(1, 12))]
            time.sleep(rng.uniform(0, 0.01))
            child.kill()
            lines += child.remaining()
        for when, name, now in lines:
            unsure = name if when == "before" else None
            if when == "after":
                there[name] = now
        with keypact.connect(f"sqlite:{tmp_path}") as backend:
            listed = backend.call("ListTables", {})["TableNames"]
            for name in {*there, *listed} - {unsure}:
                assert there.get(name, False) == (name in listed), name
            there = {name: name in listed for name in {*there, *listed}}
            check_indexes(backend)
        check_file(tmp_path)


def test_the_survivors_go_on_when_one_process_is_killed(tmp_path, seed):
    """A killed process holds nothing up: the others write on at once."""
    rng = random.Random(seed)
    with keypact.connect(f"sqlite:{tmp_path}") as backend:
        ledger.create_tables(backend)
        workloads.create_table(backend, "counters")
        workloads.add_to_counter(backend, 0, times=1)
        done = [0] * WORKERS
        for _ in range(4):
            acknowledged = kill_while_writing(tmp_path, done, rng)
            workloads.add_to_counter(backend, 0, times=20)
            states = ledger.read_states(backend)
            done = [
                ledger.count_done(states.get(f"worker{worker}", {}), worker, acknowledged[worker])
                for worker in range(WORKERS)
            ]
        item = workloads.get(backend, "counters", "added")
        assert item is not None
        assert item["amount"] == {"N": "81"}
        check_indexes(backend)


@pytest.mark.parametrize("kills", [4, pytest.param(40, marks=pytest.mark.soak)])
def test_histories_with_kills_are_linearizable(tmp_path, seed, kills):
    """Calls that a kill cut off happened at one moment or never, and all others as answered."""
    rng = random.Random(seed)
    with keypact.connect(f"sqlite:{tmp_path}") as backend:
        workloads.create_table(backend, "registers")
    records: list[list[Any]] = []
    killed = cut_off = 0
    with Child("play", folder=str(tmp_path), player=f"{seed} survivor", times=150) as survivor:
        assert survivor.receive() == "ready"
        survivor.send("go")
        # A kill may come between two calls; at least one has to cut a call off.
        while killed < kills or cut_off == 0:
            calls = _play_until_killed(tmp_path, f"{seed} {killed}", rng)
            killed += 1
            cut_off += any(responded == FOREVER for _, _, responded, *_ in calls)
            records += calls
        records += _merge(survivor.remaining())
    for name, history in by_register(records).items():
        violation = find_violation(history)
        assert violation is None, f"{name}: {violation}"


def _play_until_killed(folder: Path, player: str, rng: random.Random) -> list[list[Any]]:
    with Child("play", folder=str(folder), player=player, times=100_000) as child:
        assert child.receive() == "ready"
        child.send("go")
        lines = [child.receive() for _ in range(rng.randint(1, 120))]
        time.sleep(rng.uniform(0, 0.01))
        child.kill()
        return _merge([*lines, *child.remaining()])


def _merge(lines: Iterable[list[Any]]) -> list[list[Any]]:
    """Each call once: with its answer, or as announced where none came."""
    calls = {(name, invoked): [name, invoked, *rest] for name, invoked, *rest in lines}
    return list(calls.values())
