"""What child processes run: python -m tests.faults.programs PROGRAM ARGUMENTS-AS-JSON."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any

import keypact
from keypact.backends import EmbeddedBackend
from keypact.engine.storage.store import Store
from keypact.errors import DynamoDBError, KeypactError

from . import ledger, workloads
from .checks import check_indexes

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """No child outlives the test run, however that ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def say(value: Any) -> None:
    """One line to the parent, in one write, so that lines of threads do not mix."""
    os.write(1, json.dumps(value).encode() + b"\n")


def hear() -> Any:
    """The next line from the parent; None when it has no more to say."""
    line = sys.stdin.readline()
    return json.loads(line) if line else None


def outcome(call: Callable[[], Any]) -> dict[str, Any]:
    """An answer, or the error it came to."""
    try:
        return {"answer": call()}
    except DynamoDBError as error:
        return {"error": error.code, "message": error.message, "details": error.details}
    except KeypactError as error:
        return {"error": type(error).__name__, "message": str(error)}


def requests() -> None:
    """Do what the parent asks: open or close a folder, or make a request to it."""
    backend: keypact.Backend | None = None
    while (order := hear()) is not None:
        if backend is not None and order[0] in ("open", "close"):
            backend.close()
            backend = None
        if order[0] == "open":
            backend = keypact.connect(f"sqlite:{order[1]}")
        if order[0] in ("open", "close"):
            say("done")
        else:
            assert backend is not None
            say(outcome(partial(backend.call, *order)))
    if backend is not None:
        backend.close()


def work(folder: str, workload: str, workers: list[int], **arguments: Any) -> None:
    """Run a workload on one thread for each worker, when the parent says so."""
    # Threads take turns often, so that they meet in the middle of things.
    sys.setswitchinterval(1e-5)
    with keypact.connect(f"sqlite:{folder}") as backend:
        say("ready")
        hear()
        say(run_threads(backend, getattr(workloads, workload), workers, arguments))


def run_threads(
    backend: workloads.Backend,
    workload: workloads.Workload,
    workers: list[int],
    arguments: dict[str, Any],
) -> list[Any]:
    """What each worker's thread returned; all of them begin together."""
    together = Barrier(len(workers))

    def run(who: int) -> Any:
        together.wait()
        return workload(backend, who, **arguments)

    with ThreadPoolExecutor(len(workers)) as pool:
        return list(pool.map(run, workers))


def write_ledger(folder: str, starts: list[int]) -> None:
    """Write until killed: a thread for each worker, from its number on, each write reported."""

    def write(worker: int) -> None:
        for number in count(starts[worker]):
            backend.call(*ledger.request_of(worker, number))
            say([worker, number])

    with keypact.connect(f"sqlite:{folder}") as backend, ThreadPoolExecutor(len(starts)) as pool:
        for future in [pool.submit(write, worker) for worker in range(len(starts))]:
            future.result()


def make_and_drop_tables(folder: str, seed: str) -> None:
    """Make and delete tables until killed, each reported before and after."""
    rng = random.Random(seed)
    with keypact.connect(f"sqlite:{folder}") as backend:
        while True:
            name = f"table{rng.randrange(4)}"
            there = name in backend.call("ListTables", {})["TableNames"]
            say(["before", name, there])
            if there:
                backend.call("DeleteTable", {"TableName": name})
            else:
                backend.call("CreateTable", {**ledger.TABLES[0], "TableName": name})
                item = ledger.steps_of(0, 0)[0].item
                backend.call("PutItem", {"TableName": name, "Item": item})
            say(["after", name, not there])


def play(folder: str, player: str, times: int) -> None:
    """Call registers, each call reported before and after."""
    with keypact.connect(f"sqlite:{folder}") as backend:
        say("ready")
        hear()
        for call in workloads.register_calls(player, times):
            say(call.make(backend, announce=say))


def serve(folder: str) -> None:
    """The command itself; what it prints goes to the parent."""
    from keypact.cli import main

    os.dup2(1, 2)
    sys.argv = ["keypact", "dynamodb", "--data", folder, "--port", "0"]
    main()


# The disk --------------------------------------------------------------------------------


# How often each writer runs into a full disk.
FAILURES_EACH = 5


def put_things(folder: str, threads: int, each: int, fsync: bool) -> None:
    """Put so many items, no two alike, each reported when it is acknowledged."""

    def put(thread: int) -> None:
        for number in range(each):
            item = {"pk": {"S": f"{thread} {number}"}}
            backend.call("PutItem", {"TableName": "things", "Item": item})
            say(f"acknowledged {thread} {number}")

    with EmbeddedBackend(Path(folder), fsync=fsync) as backend:
        workloads.create_table(backend, "things")
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(put, range(threads)))


def fill_disk(folder: str, limit_bytes: int, copy_to: str) -> None:
    """Write until the disk takes no more, look, make room, write again; report it all.

    Without a limit the folder stands on a small disk of its own, with a file in the way
    that makes room when it goes.
    """
    workers = range(4)
    done = [0] * len(workers)
    failures: list[list[dict[str, Any]]] = [[] for _ in workers]

    def write(worker: int, until: Callable[[], bool]) -> None:
        """Write on and on; what fails is tried again."""
        while not until():
            result = outcome(partial(backend.call, *ledger.request_of(worker, done[worker])))
            if "error" in result:
                failures[worker].append(result)
            else:
                done[worker] += 1

    def write_into_the_wall(worker: int) -> None:
        # After the first failure a smaller write may still fit.
        write(worker, lambda: len(failures[worker]) == FAILURES_EACH)

    def write_some_more(worker: int) -> None:
        goal = done[worker] + 30
        write(worker, lambda: done[worker] == goal or bool(failures[worker]))

    ballast = Path(folder) / "ballast"
    if limit_bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, resource.RLIM_INFINITY))
    else:
        ballast.write_bytes(bytes(9 * 1024 * 1024))
    with keypact.connect(f"sqlite:{folder}") as backend, ThreadPoolExecutor(4) as pool:
        ledger.create_tables(backend)
        list(pool.map(write_into_the_wall, workers))
        say({"done": done, "failures": failures, "states": _states(backend)})
        if limit_bytes:
            unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        else:
            ballast.unlink()
        failures = [[] for _ in workers]
        list(pool.map(write_some_more, workers))
        check_indexes(backend)
        say({"done": done, "failures": failures, "states": _states(backend)})
    shutil.copytree(folder, copy_to)


def _states(backend: keypact.Backend) -> list[Any]:
    """All items, as lists that JSON can carry."""
    states = ledger.read_states(backend)
    return [
        [worker, table, entry, item]
        for worker, state in states.items()
        for (table, entry), item in state.items()
    ]


def try_folder(folder: str, prepare: list[str], user: int) -> None:
    """Fill a folder, prepare it with a command, become another user, and use it."""
    with keypact.connect(f"sqlite:{folder}") as backend:
        workloads.create_table(backend, "things")
        backend.call("PutItem", {"TableName": "things", "Item": {"pk": {"S": "before"}}})
    if prepare:
        subprocess.run(prepare, check=True)
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)

    def use() -> dict[str, Any]:
        with keypact.connect(f"sqlite:{folder}") as backend:
            item = {"pk": {"S": "after"}}
            return {
                "get": outcome(lambda: workloads.get(backend, "things", "before")),
                "put": outcome(
                    lambda: backend.call("PutItem", {"TableName": "things", "Item": item})
                ),
            }

    say(outcome(use))


# Forks -----------------------------------------------------------------------------------


def fork_with_store(folder: str, other_folder: str, fork_method: str) -> None:
    """Fork with a store open, and report what each of the two processes can still do."""
    backend = keypact.connect(f"sqlite:{folder}" if folder else "memory:")
    workloads.create_table(backend, "things")
    item = {"pk": {"S": "before"}}
    backend.call("PutItem", {"TableName": "things", "Item": item})

    def use(address: str) -> dict[str, Any]:
        def connect_and_list() -> dict[str, Any]:
            with keypact.connect(address) as another:
                return another.call("ListTables", {})

        return outcome(connect_and_list)

    def report_from_child() -> None:
        put = {"TableName": "things", "Item": {"pk": {"S": "forked"}}}
        report = {
            "get": outcome(lambda: workloads.get(backend, "things", "before")),
            "put": outcome(lambda: backend.call("PutItem", put)),
            "other folder": use(f"sqlite:{other_folder}"),
            "memory": use("memory:"),
        }
        if folder:
            report["same folder"] = use(f"sqlite:{folder}")
        backend.close()
        say(report)

    if fork_method == "multiprocessing":
        process = multiprocessing.get_context("fork").Process(target=report_from_child)
        process.start()
        process.join()
    else:
        number = os.fork()
        if number == 0:
            die_with_parent()
            report_from_child()
            # Out through the end of the interpreter, which deletes everything it made.
            sys.exit(0)
        os.waitpid(number, 0)
    backend.call("PutItem", {"TableName": "things", "Item": {"pk": {"S": "after"}}})
    answer = backend.call("Scan", {"TableName": "things"})
    backend.close()
    say(
        {
            "parent": sorted(one["pk"]["S"] for one in answer["Items"]),
            "again": use(f"sqlite:{folder}") if folder else None,
        }
    )


def fork_and_close(folder: str) -> None:
    """Fork with a store open and close it; the forked process ends when it is told to."""
    # A store alone: an engine's own thread would keep it from ever being deleted.
    store = Store(Path(folder))
    store.read(lambda connection: connection.execute("SELECT * FROM tables").fetchall())
    number = os.fork()
    if number == 0:
        die_with_parent()
        hear()
        del store
        sys.exit(0)
    store.close()
    say("closed")
    os.waitpid(number, 0)


PROGRAMS: dict[str, Callable[..., None]] = {
    program.__name__: program
    for program in (
        fill_disk,
        fork_and_close,
        fork_with_store,
        make_and_drop_tables,
        play,
        put_things,
        requests,
        serve,
        try_folder,
        work,
        write_ledger,
    )
}

if __name__ == "__main__":
    die_with_parent()
    PROGRAMS[sys.argv[1]](**json.loads(sys.argv[2]))
