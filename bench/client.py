"""What a call costs the process that makes it, beside the other clients."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import IO, Any

from bench import client_item
from bench.client_contenders import CONTENDERS
from bench.client_endpoint import LAST_PUT
from bench.client_worker import AT_ONCE
from bench.report import Ratio, Report, Series, say
from tests.witnesses import servers

PASSES = 5
PASS_CPU_SECONDS = 0.1
# Connections, caches and code made at first use are there before the first pass.
WARM_CPU_SECONDS = 0.1
OPERATIONS = {"get": "get", "put": "put", "query": f"query {client_item.QUERY_ITEMS}"}
CODEC = ("encode", "decode")
FIRST = "first get"
RIVALS = servers.HOME / "clients/bin/python"
# Installed beside the witnesses; the rest comes with the development extra.
RIVAL_NAMES = ("PynamoDB", "pydynox", "aiodynamo, 32 at once", "pydynox, 32 at once")
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "AWS_EC2_METADATA_DISABLED": "true",
    # Nobody's own settings, and no proxy on the way to loopback.
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
    # Else what pip installed is compiled, and what is edited in place never is.
    "PYTHONDONTWRITEBYTECODE": "",
}
TYPED, DICTS, AWAITED = "keypact, typed", "keypact, dicts", "keypact, 32 at once"
EMBEDDED, ON_DYNOXIDE = "keypact, in process", "boto3 on dynoxide"
# Ours, the rival, and what both do: the rival's cost must be at least so many times ours.
TARGETS = [
    *((TYPED, "boto3", what, times) for what, times in (("get", 5), ("put", 5), ("query", 8))),
    *((DICTS, "boto3", what, 5) for what in ("get", "put")),
    *((ours, "pydynox", what, 1) for ours in (TYPED, DICTS) for what in OPERATIONS),
    *((AWAITED, "aiodynamo, 32 at once", what, 1) for what in OPERATIONS),
    *((AWAITED, "pydynox, 32 at once", what, 1) for what in OPERATIONS),
    *((ours, "boto3", what, 15) for ours in (TYPED, DICTS) for what in CODEC),
    *((ours, "boto3", FIRST, 3) for ours in (TYPED, DICTS)),
    (EMBEDDED, ON_DYNOXIDE, "get", 30),
]
IN_PROCESS_TARGET = 30


class Left(Exception):
    """A contender cannot be timed; the text says why."""


class Times(Ratio):
    """How many times our cost the rival's is."""

    @property
    def value(self) -> float:
        return self.rival.median / self.ours.median

    @property
    def by_pass(self) -> list[float]:
        return [b / a for a, b in zip(self.ours.passes, self.rival.passes, strict=True)]


class Worker:
    """The process of one contender."""

    def __init__(self, name: str, endpoint: str, stack: contextlib.ExitStack) -> None:
        self.name = name
        self.operations = ("get",) if name in (EMBEDDED, ON_DYNOXIDE) else tuple(OPERATIONS)
        if name in (TYPED, DICTS, "boto3"):
            self.operations += CODEC
        errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - the stack closes it
        self._errors: IO[str] = stack.enter_context(errors)
        self._process = stack.enter_context(
            subprocess.Popen(
                [_python(name), "-m", "bench.client_worker", name, endpoint],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                env={**os.environ, **ENVIRONMENT},
                cwd=servers.ROOT,
            )
        )
        stack.callback(self._process.kill)
        self._answer()

    def time(self, operation: str, cpu_seconds: float) -> tuple[float, float]:
        """CPU microseconds an operation, and operations a second."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{operation} {cpu_seconds}\n")
        self._process.stdin.flush()
        found = self._answer()
        return found["cpu"] / found["count"] * 1e6, found["count"] / found["seconds"]

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            raise Left(_last_line(self._errors.read()))
        found: dict[str, Any] = json.loads(line)
        return found


def run() -> Report:
    """Time every client that is installed."""
    report = Report(
        "Clients",
        "CPU microseconds of the client's process per operation, threads included, against an "
        "endpoint on loopback that answers canned bytes; each client in a process of its own, "
        f"with the same loop. Median (lowest to highest) of {PASSES} interleaved passes of "
        f"{PASS_CPU_SECONDS} s of CPU. An item here is {client_item.IN_WORDS}. boto3's client "
        "takes and gives DynamoDB JSON, the others Python values. Encode and decode are between "
        "Python values and the bytes of a request or an answer; for boto3 that is TypeSerializer, "
        "botocore's validation and JSON, and TypeDeserializer. The first get is a fresh process: "
        "CPU milliseconds for Python, imports, model, connection and one get. In process is "
        "`Table.get` of a declared class on `memory:`; beside it boto3's client against dynoxide, "
        "also in memory. A ratio says how many times our cost the other's is, or how many times "
        "its operations a second ours are.",
    )
    costs: dict[tuple[str, str], list[float]] = {}
    rates: dict[str, list[float]] = {}
    with contextlib.ExitStack() as stack:
        endpoint = stack.enter_context(_endpoint())
        workers = list(_start(endpoint, report, stack))
        for turn in range(PASSES):
            say(f"client: pass {turn + 1} of {PASSES}")
            for operation in (*OPERATIONS, *CODEC):
                for worker in workers:
                    if operation in worker.operations:
                        cost, rate = worker.time(operation, PASS_CPU_SECONDS)
                        costs.setdefault((worker.name, operation), []).append(cost)
                        if worker.name in (EMBEDDED, ON_DYNOXIDE):
                            rates.setdefault(worker.name, []).append(rate)
        names = [one.name for one in workers if one.name not in (EMBEDDED, ON_DYNOXIDE)]
        for turn in range(-1, PASSES):
            say(f"client: start {turn + 1} of {PASSES}")
            for name in names:
                milliseconds = _first_get(name, endpoint)
                # The first pass writes the compiled modules and is not counted.
                if turn >= 0:
                    costs.setdefault((name, FIRST), []).append(milliseconds)
    _conclude(costs, rates, report)
    return report


@contextlib.contextmanager
def _endpoint() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-m", "bench.client_endpoint"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


def _start(endpoint: str, report: Report, stack: contextlib.ExitStack) -> Iterator[Worker]:
    for name in CONTENDERS:
        try:
            place = _dynoxide(stack) if name == ON_DYNOXIDE else endpoint
            worker = Worker(name, place, stack)
            if "put" in worker.operations:
                _expect_put(endpoint)
            for operation in worker.operations:
                worker.time(operation, WARM_CPU_SECONDS)
        except (Left, OSError, servers.Missing, RuntimeError) as error:
            report.notes.append(f"{name}: left out: {str(error).strip().splitlines()[-1]}")
            say(report.notes[-1])
            continue
        yield worker


def _dynoxide(stack: contextlib.ExitStack) -> str:
    server = servers.start_private(servers.WITNESSES["dynoxide"])
    stack.callback(server.release)
    return server.endpoint


def _expect_put(endpoint: str) -> None:
    """What arrived last is the item, whole; raises Left."""
    connection = http.client.HTTPConnection(endpoint.removeprefix("http://"), timeout=10)
    with contextlib.closing(connection):
        connection.request("POST", "/", b"{}", {"X-Amz-Target": LAST_PUT})
        put = json.loads(connection.getresponse().read())
    if not client_item.same(put.get("Item", {}), client_item.typed_item()):
        raise Left(f"it put another item than it was given: {put}")


def _python(name: str) -> str:
    if name not in RIVAL_NAMES:
        return sys.executable
    if not RIVALS.exists():
        raise Left("it is not installed; run tests/witnesses/install")
    return str(RIVALS)


def _first_get(name: str, endpoint: str) -> float:
    program = f"from bench.client_worker import first_get; first_get({name!r}, {endpoint!r})"
    found = subprocess.run(
        [_python(name), "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, **ENVIRONMENT},
        cwd=servers.ROOT,
    )
    if found.returncode:
        raise RuntimeError(f"no first get by {name}: {_last_line(found.stderr)}")
    return float(found.stdout) * 1000


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it ended without a word"])[-1]


def _conclude(
    costs: dict[tuple[str, str], list[float]], rates: dict[str, list[float]], report: Report
) -> None:
    columns = [*OPERATIONS, *CODEC, FIRST]
    head = ["µs of CPU", *(OPERATIONS.get(one, one) for one in columns)]
    head[-1] += ", ms"
    rows = [
        [name, *(Series("", costs[name, c]).text() if (name, c) in costs else "-" for c in columns)]
        for name in CONTENDERS
        if (name, "get") in costs
    ]
    report.tables.append((head, rows))
    for ours, rival, what, target in TARGETS:
        if (ours, what) in costs and (rival, what) in costs:
            unit = "ms" if what == FIRST else "µs"
            pair = [Series(name, costs[name, what], unit) for name in (ours, rival)]
            report.ratios.append(Times(_words(ours, what), pair[0], pair[1], target))
    if {EMBEDDED, ON_DYNOXIDE} <= set(rates):
        pair = [Series(name, rates[name]) for name in (EMBEDDED, ON_DYNOXIDE)]
        words = "get in process, operations a second"
        report.ratios.append(Ratio(words, pair[0], pair[1], IN_PROCESS_TARGET))


def _words(ours: str, what: str) -> str:
    if ours == EMBEDDED:
        return "get in process, CPU"
    how = {TYPED: "typed", DICTS: "dicts", AWAITED: f"{AT_ONCE} at once"}[ours]
    return f"{OPERATIONS.get(what, what)}, {how}"
