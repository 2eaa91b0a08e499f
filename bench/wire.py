"""Over HTTP at 32 connections, one request in flight on each, beside the rivals."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import items
from bench.contenders import FSYNC, NO_FSYNC, Contender, all_contenders
from bench.load import CONNECTIONS, Generator, Order, Outcome, WrongAnswer
from bench.report import Ratio, Report, Series, say
from tests.witnesses import drivers, servers

ITEM_COUNT = 10_000
PASSES = 3
WARM_SECONDS = 0.15
# Before the first pass, longer: a rival that compiles as it runs must have done so.
FIRST_WARM_SECONDS = 0.6
PASS_SECONDS = 0.5
OPERATIONS = {
    "get": "get",
    "query": "query 25",
    "put": "put",
    "update": "update (condition + ADD)",
    "transact": "transact 3",
    "get plain": "get, plain item",
    "query plain": "query 25, plain items",
}
READS = ("get", "query", "get plain", "query plain")
READ_TARGET = 1.5
WRITE_TARGET = 1.0
SAMPLE = 20
STOP_SECONDS_MAX = 10


@dataclass
class _Running:
    """A contender that is up, and what it has been made to do."""

    contender: Contender
    server: servers.Running
    client: drivers.Http
    rates: dict[str, list[float]] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    edition: int = 1
    # What the counters of all items must add up to.
    added: int = 0
    # Why it is out of the comparison; empty while it is in.
    out: str = ""

    @property
    def name(self) -> str:
        return self.contender.name

    def offers(self, operation: str) -> bool:
        """Whether the operation is to be timed."""
        return not self.out and (operation != "transact" or self.contender.transacts)


def run() -> Report:
    """Time every operation on every contender that is installed."""
    report = Report(
        "Over the wire",
        f"Operations a second over HTTP on loopback, {CONNECTIONS} keep-alive connections with one "
        f"request in flight on each, {ITEM_COUNT:,} items. Median (lowest to highest) of {PASSES} "
        f"interleaved passes of {PASS_SECONDS} s. The load generator is a Python process with bare "
        "sockets and epoll that sends requests made beforehand; it shares the cores. Each put has "
        "bytes of its own. Every answer must have status 200; samples are compared whole, and in "
        "the end the counters must hold every acknowledged ADD. A plain item is "
        f"{items.PLAIN_IN_WORDS}; reads are judged on both kinds, as the kind weighs more than "
        "most servers' differences.",
    )
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="keypact-bench-")))
        generator = stack.enter_context(Generator())
        running = list(_start(folder, report, stack))
        for one in running:
            _guard(one, lambda one=one: _fill(one, generator))
        for turn in range(PASSES):
            say(f"wire: pass {turn + 1} of {PASSES}")
            for operation in OPERATIONS:
                for one in running:
                    if one.offers(operation):
                        _guard(one, lambda one=one, op=operation: _pass(one, op, generator))
        for one in running:
            _guard(one, lambda one=one: _check_counters(one))
    _conclude(running, report)
    return report


def _start(folder: Path, report: Report, stack: contextlib.ExitStack) -> Iterator[_Running]:
    for contender in all_contenders(folder):
        try:
            server = servers.start_private(contender.server)
        except (servers.Missing, RuntimeError) as error:
            reason = str(error).strip().splitlines()[-1]
            report.notes.append(f"{contender.name}: left out: {reason}")
            say(report.notes[-1])
            continue
        client = drivers.Http(contender.name, server.endpoint, server.release)
        stack.callback(_stop, client, server)
        yield _Running(contender, server, client)


def _stop(client: drivers.Http, server: servers.Running) -> None:
    """Let go of the server and wait until it has ended.

    One that writes its state as it stops would else make our folder anew, after its removal.
    """
    client.close()
    deadline = time.monotonic() + STOP_SECONDS_MAX
    # Its keeper removes this folder when the server is gone.
    while server.folder.exists() and time.monotonic() < deadline:
        time.sleep(0.05)


def _guard(one: _Running, step: Any) -> None:
    """A contender that answers wrongly is out, with the reason told."""
    if one.out:
        return
    try:
        step()
    except (WrongAnswer, OSError) as error:
        one.out = f"{error}".strip().replace("\r\n", " ")[:400]
        say(f"{one.name} is out: {one.out}")


def _order(one: _Running, operation: str) -> Order:
    return Order(
        port=one.server.port,
        operation=operation,
        item_count=ITEM_COUNT,
        warm_seconds=WARM_SECONDS if operation in one.rates else FIRST_WARM_SECONDS,
        seconds=PASS_SECONDS,
        edition=one.edition,
    )


def _fill(one: _Running, generator: Generator) -> None:
    say(f"wire: filling {one.name}")
    for table, order in ((items.TABLE, "load"), (items.PLAIN_TABLE, "load plain")):
        _ask(one, "CreateTable", {**items.CREATE_TABLE, "TableName": table})
        _wait_until_active(one, table)
        generator.send(_order(one, order))
        for number in range(0, ITEM_COUNT, ITEM_COUNT // SAMPLE):
            _expect_query(one, number, table)
    for number in range(0, ITEM_COUNT, ITEM_COUNT // SAMPLE):
        _expect_item(one, number, 0)


def _wait_until_active(one: _Running, table: str) -> None:
    deadline = time.monotonic() + 20
    while _ask(one, "DescribeTable", {"TableName": table})["Table"]["TableStatus"] != "ACTIVE":
        if time.monotonic() > deadline:
            raise WrongAnswer("its table did not become active")
        time.sleep(0.05)


def _pass(one: _Running, operation: str, generator: Generator) -> None:
    outcome = generator.send(_order(one, operation))
    one.edition = outcome.edition
    one.rates.setdefault(operation, []).append(outcome.rate)
    one.outcomes[operation] = outcome
    one.added += {"update": 1, "transact": 2}.get(operation, 0) * outcome.answered
    for number, edition in outcome.last_puts:
        _expect_item(one, number, edition)


def _ask(one: _Running, operation: str, request: dict[str, Any]) -> dict[str, Any]:
    answer = one.client.call(operation, request)
    if not answer.ok:
        raise WrongAnswer(f"{operation} answered {answer.status} {answer.code}")
    return answer.body


def _expect_item(one: _Running, number: int, edition: int) -> None:
    found = _ask(one, "GetItem", items.get(number)).get("Item", {})
    if not items.same_item(found, items.item_of(number, edition)):
        raise WrongAnswer(f"edition {edition} of item {number} is not what was put: {found}")


def _expect_query(one: _Running, number: int, table: str) -> None:
    answer = _ask(one, "Query", items.query(number, table))
    make = items.item_of if table == items.TABLE else items.plain_item_of
    expected = [make(n) for n in items.query_answers(number)]
    if answer["Count"] != items.QUERY_ITEMS or not all(
        items.same_item(a, b) for a, b in zip(answer["Items"], expected, strict=True)
    ):
        raise WrongAnswer(f"Query {number} gave {answer['Count']} items, not the 25 expected")


def _check_counters(one: _Running) -> None:
    total, count, request = 0, 0, {"TableName": items.TABLE}
    for _ in range(ITEM_COUNT):
        page = _ask(one, "Scan", request)
        count += page["Count"]
        total += sum(int(item["version"]["N"]) for item in page["Items"])
        if "LastEvaluatedKey" not in page:
            break
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    if (total, count) != (one.added, ITEM_COUNT):
        raise WrongAnswer(f"{one.added} ADDs acknowledged, {total} kept; {count} items of 10,000")


def _conclude(running: list[_Running], report: Report) -> None:
    rows = []
    for one in running:
        cells = [Series("", one.rates[op]).text() if op in one.rates else "-" for op in OPERATIONS]
        rows.append([one.contender.kind, one.name, *cells])
        if one.out:
            report.notes.append(f"{one.name}: out of the comparison: {one.out}")
        elif not one.contender.transacts:
            report.notes.append(f"{one.name} has no transactions")
    report.tables.append((["kept", "server", *OPERATIONS.values()], rows))
    report.notes.append(_generator_share(running))
    standing = [one for one in running if not one.out]
    for ours in standing:
        if ours.contender.ours:
            for operation in OPERATIONS:
                ratio = _ratio(ours, standing, operation)
                if isinstance(ratio, Ratio):
                    report.ratios.append(ratio)
                else:
                    report.notes.append(ratio)


def _ratio(ours: _Running, standing: list[_Running], operation: str) -> Ratio | str:
    """Against the best peer: for reads any that is on disk as we are, for writes of our kind."""
    read = operation in READS
    disk = (FSYNC, NO_FSYNC)
    kinds = disk if read and ours.contender.kind in disk else (ours.contender.kind,)
    peers = [
        Series(one.name, one.rates[operation])
        for one in standing
        if not one.contender.ours and one.contender.kind in kinds and operation in one.rates
    ]
    what = f"{ours.name}: {OPERATIONS[operation]}"
    if not peers:
        return f"{what}: no peer to compare with"
    best = max(peers, key=lambda peer: peer.median)
    target = READ_TARGET if read else WRITE_TARGET
    return Ratio(what, Series(ours.name, ours.rates[operation]), best, target)


def _generator_share(running: list[_Running]) -> str:
    shares = [o.generator_cores for one in running for o in one.outcomes.values()]
    if not shares:
        return "nothing was timed"
    return (
        f"the generator used {min(shares):.2f} to {max(shares):.2f} of a core; near 1 it is the "
        "generator that is measured, and ratios are closer to 1 than they should be"
    )
