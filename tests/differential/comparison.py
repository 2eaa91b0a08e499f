"""The same steps on our engine and on the witnesses, and who agrees with whom.

What an engine shows in one step is seen in facets: the error code, the answer, its consumed
capacity, its item collection metrics, and what the table holds afterwards. Each facet is
put to the vote by itself. We differ when three witnesses agree and we do not, or when
dynoxide and ministack, which follow DynamoDB closest, agree and we do not.

A witness that differs from us and is not in the majority is brought back: its table is made
to hold what ours holds, so that the next step is asked of all engines alike.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.conformance.runner import wait_until_active
from tests.differential.requests import Scenario, Step
from tests.differential.tables import TABLE, Table
from tests.witnesses import servers
from tests.witnesses.drivers import NO_ANSWER, Answer, Embedded, Engine, Http

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.differential.values import Json

MAJORITY = 3
CLOSEST = {"dynoxide", "ministack"}
PAGES_MAX = 100
# A witness that takes longer has lost its way.
PATIENCE_SECONDS = 3
FACETS = ("code", "answer", "capacity", "metrics", "contents")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
# No vote: the witness failed or does not have the operation.
NO_VOTES = (NO_ANSWER, "UnknownOperationException", "InternalServerError", "InternalFailure")


@dataclass(frozen=True)
class Observation:
    """What one engine showed in one step; each facet is text that equals what is alike."""

    code: str
    answer: str = ""
    capacity: str = ""
    metrics: str = ""
    contents: str = ""

    @property
    def counts(self) -> bool:
        """Whether the engine has a vote."""
        return self.code not in NO_VOTES and not self.code.startswith("HTTP 5")


@dataclass(frozen=True)
class Difference:
    """Some witnesses agree with each other, and not with us, in one facet of one step."""

    table: Table
    step: Step
    facet: str
    ours: Observation
    theirs: dict[str, Observation]
    against: tuple[str, ...]

    def other(self) -> Observation:
        """What those against us showed."""
        return self.theirs[self.against[0]]

    def text(self) -> str:
        """For a person who decides who is right."""
        shown = {"ours": self.ours, **self.theirs}
        lines = [f"{self.step.operation} {json.dumps(self.step.request, sort_keys=True)}"]
        lines += [f"  {name:10}{getattr(seen, self.facet)}" for name, seen in shown.items()]
        return f"{self.facet} differs from {', '.join(self.against)}\n" + "\n".join(lines)


def differences(
    table: Table, step: Step, ours: Observation, theirs: dict[str, Observation]
) -> Iterator[Difference]:
    """Every facet in which the witnesses outvote us."""
    voters = {name: seen for name, seen in theirs.items() if seen.counts}
    for facet in FACETS:
        mine = getattr(ours, facet)
        votes = {name: getattr(seen, facet) for name, seen in voters.items()}
        for value, count in Counter(votes.values()).items():
            against = tuple(name for name, vote in votes.items() if vote == value)
            if value != mine and (count >= MAJORITY or set(against) >= CLOSEST):
                yield Difference(table, step, facet, ours, theirs, against)
        # An error and an answer are not compared any further.
        if facet == "code":
            voters = {name: seen for name, seen in voters.items() if seen.code == ours.code}


# What is alike ------------------------------------------------------------------------


def observe(engine: Engine, step: Step, table: Table, name: str) -> Observation:
    """Make the request of an engine whose table has this name."""
    answer = _ask(engine, step, name)
    contents = _contents(engine, name) if step.operation in WRITES else ()
    body = dict(answer.body)
    capacity = body.pop("ConsumedCapacity", None)
    metrics = body.pop("ItemCollectionMetrics", None)
    if not _asked(step, "ReturnConsumedCapacity") or step.pages:
        capacity = None
    return Observation(
        answer.code,
        _text(_in_one_order(step, table, _without_messages(body))),
        _text(capacity),
        _text(metrics),
        _text(sorted(contents, key=_text)),
    )


def _observe_as(step: Step, table: Table, name: str, engine: Engine) -> Observation:
    return observe(engine, step, table, name)


def _asked(step: Step, member: str) -> bool:
    return step.request.get(member, "NONE") != "NONE"


def _ask(engine: Engine, step: Step, name: str) -> Answer:
    request = renamed(step.request, TABLE, name)
    if not step.pages:
        answer = engine.call(step.operation, request)
        return Answer(answer.status, renamed(answer.body, name, TABLE), answer.code)
    whole: Json = {"Count": 0, "ScannedCount": 0}
    for _ in range(PAGES_MAX):
        answer = engine.call(step.operation, request)
        if not answer.ok:
            return answer
        for member in ("Count", "ScannedCount"):
            whole[member] += answer.body.get(member, 0)
        if "Items" in answer.body:
            whole["Items"] = whole.get("Items", []) + answer.body["Items"]
        if "ConsumedCapacity" in answer.body:
            whole["ConsumedCapacity"] = renamed(answer.body["ConsumedCapacity"], name, TABLE)
        if "LastEvaluatedKey" not in answer.body:
            return Answer(200, whole)
        request = {**request, "ExclusiveStartKey": answer.body["LastEvaluatedKey"]}
    return Answer(200, {"Pages": "no end"})


def renamed(value: Any, old: str, new: str) -> Any:
    """The same structure with one text in the place of another."""
    if isinstance(value, str):
        return new if value == old else value
    if isinstance(value, dict):
        return {renamed(name, old, new): renamed(one, old, new) for name, one in value.items()}
    if isinstance(value, list):
        return [renamed(one, old, new) for one in value]
    return value


def _contents(engine: Engine, name: str) -> list[Json]:
    """Every item of a table, which is small enough for one page."""
    items: list[Json] = engine.call("Scan", {"TableName": name, "ConsistentRead": True}).body.get(
        "Items", []
    )
    return items


def _without_messages(body: Json) -> Json:
    reasons = body.get("CancellationReasons")
    if not reasons:
        return body
    kept = [
        {name: value for name, value in reason.items() if name != "Message"} for reason in reasons
    ]
    return {**body, "CancellationReasons": kept}


def _in_one_order(step: Step, table: Table, body: Json) -> Json:
    """Items sorted where DynamoDB promises no order."""
    if step.operation == "BatchGetItem" and "Responses" in body:
        responses = {name: sorted(items, key=_text) for name, items in body["Responses"].items()}
        return {**body, "Responses": responses}
    if "Items" not in body:
        return body
    items = body["Items"]
    if step.operation == "Scan":
        return {**body, "Items": sorted(items, key=_text)}
    index = next((one for one in table.indexes if one.name == step.request.get("IndexName")), None)
    if index is None:
        return body
    # Items with one sort key come in any order; the sort keys themselves do not.
    order = [[item.get(name) for name in index.sort] for item in items]
    return {**body, "Items": sorted(items, key=_text), "Order": order}


def _definition(described: Json) -> Json:
    """A table's description without names, dates and sizes, and with lists in one order."""
    definition: Json = {"KeySchema": described.get("KeySchema")}
    definition["AttributeDefinitions"] = sorted(
        described.get("AttributeDefinitions", []), key=_text
    )
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        definition[member] = sorted(
            (
                {name: index.get(name) for name in ("IndexName", "KeySchema", "Projection")}
                for index in described.get(member) or []
            ),
            key=_text,
        )
    return definition


def _text(value: Any) -> str:
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    """Sets in one order, and members that are null left out."""
    if isinstance(value, dict):
        return {
            name: sorted(one, key=str)
            if name in ("SS", "NS", "BS") and isinstance(one, list)
            else _plain(one)
            for name, one in value.items()
            if one is not None
        }
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value


# Running a scenario -------------------------------------------------------------------


class Court:
    """Our engine and the witnesses, opened once for many scenarios.

    The witnesses are servers of our own: some requests end them, or keep them busy for
    ever, and nobody else shall notice.
    """

    def __init__(self) -> None:
        self.ours = Embedded()
        self.witnesses: dict[str, Engine] = {}
        self._threads = ThreadPoolExecutor(len(servers.WITNESSES))
        for name in servers.WITNESSES:
            self._open(name)

    def _open(self, name: str) -> None:
        running = servers.start_private(servers.WITNESSES[name])
        engine = Http(name, running.endpoint, running.release)
        engine._connection.timeout = PATIENCE_SECONDS
        self.witnesses[name] = engine

    def close(self) -> None:
        """Let go of all engines."""
        self._threads.shutdown()
        for engine in (self.ours, *self.witnesses.values()):
            engine.close()

    def _reopen(self, name: str) -> None:
        self.witnesses.pop(name).close()
        self._open(name)

    def run(self, scenario: Scenario) -> Iterator[Difference]:
        """Every step in turn; yields where we are outvoted."""
        name = f"d{uuid.uuid4().hex[:16]}"
        present = self._prepare(scenario, name)
        try:
            for step in scenario.steps:
                ours = observe(self.ours, step, scenario.table, name)
                seen = self._each(present, partial(_observe_as, step, scenario.table, name))
                yield from differences(scenario.table, step, ours, seen)
                present = self._brought_back(scenario.table, name, ours, seen)
        finally:
            drop = {"TableName": name}
            self.ours.call("DeleteTable", drop)
            self._each(present, lambda engine: engine.call("DeleteTable", drop))

    def _each(self, names: list[str], ask: Callable[[Engine], Any]) -> dict[str, Any]:
        asked = {name: self._threads.submit(ask, self.witnesses[name]) for name in names}
        return {name: future.result() for name, future in asked.items()}

    def create(self, request: Json) -> Iterator[Difference]:
        """Make a table and let it go again; yields where we are outvoted."""
        step = Step("CreateTable", request)
        name = f"d{uuid.uuid4().hex[:16]}"

        def make(engine: Engine) -> Observation:
            answer = engine.call("CreateTable", renamed(request, TABLE, name))
            if answer.ok:
                wait_until_active(engine, name)
                engine.call("DeleteTable", {"TableName": name})
            described = answer.body.get("TableDescription", {})
            return Observation(answer.code, _text(_definition(described)))

        ours, seen = make(self.ours), self._each(list(self.witnesses), make)
        for witness, observed in seen.items():
            if observed.code == NO_ANSWER:
                self._reopen(witness)
        yield from differences(Table("", "", {}), step, ours, seen)

    def _prepare(self, scenario: Scenario, name: str) -> list[str]:
        """Make the table with its items; the witnesses that hold the same afterwards."""

        def prepare(engine: Engine) -> str:
            engine.call("CreateTable", scenario.table.creation(name))
            wait_until_active(engine, name)
            puts = {
                _text(scenario.table.key_of(item)): {"PutRequest": {"Item": item}}
                for item in scenario.items
            }
            if puts:
                engine.call("BatchWriteItem", {"RequestItems": {name: list(puts.values())}})
            return _text(sorted(_contents(engine, name), key=_text))

        mine = prepare(self.ours)
        ready = self._each(list(self.witnesses), prepare)
        ours = Observation("", contents=mine)
        seen = {witness: Observation("", contents=held) for witness, held in ready.items()}
        return self._brought_back(scenario.table, name, ours, seen)

    def _brought_back(
        self, table: Table, name: str, ours: Observation, seen: dict[str, Observation]
    ) -> list[str]:
        """The witnesses whose tables hold what ours holds, mended where they did not."""
        kept = []
        for witness, observed in seen.items():
            if observed.code == NO_ANSWER:
                self._reopen(witness)
                continue
            if observed.contents == ours.contents or self._mend(witness, table, name):
                kept.append(witness)
        return kept

    def _mend(self, witness: str, table: Table, name: str) -> bool:
        engine = self.witnesses[witness]
        wanted = _contents(self.ours, name)
        for item in _contents(engine, name):
            if not set(table.key_names) <= item.keys():
                return False
            if item not in wanted:
                engine.call("DeleteItem", {"TableName": name, "Key": table.key_of(item)})
        for item in wanted:
            engine.call("PutItem", {"TableName": name, "Item": item})
        held = sorted(_contents(engine, name), key=_text)
        return _text(held) == _text(sorted(wanted, key=_text))
