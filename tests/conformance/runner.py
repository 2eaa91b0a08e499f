"""Runs a case on an engine and says in one line how the answer differs, if it does."""

from __future__ import annotations

import json
import re
import time
import uuid
from typing import TYPE_CHECKING, Any

from tests.conformance.cases import (
    ANYTHING,
    AnyOrder,
    Case,
    Error,
    Excluding,
    Including,
    Json,
    Raw,
    Step,
)
from tests.conformance.shapes import SHAPES
from tests.witnesses.drivers import Answer, Boto3, Engine, Http, open_engine

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = re.compile(r"@[a-z_]+[0-9]*")
ACTIVE_SECONDS = 60
READS = ("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems")
DIFFERENCE_CHARACTERS_MAX = 160


class Tables:
    """The real tables behind the shapes, one of each on an engine, emptied between cases."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._names: dict[str, str] = {}
        self._new: dict[str, str] = {}
        self._tokens: dict[str, str] = {}
        self._stray: list[str] = []

    def ready(self, case: Case) -> dict[str, str]:
        """Shape to name, for every table the case speaks of; each is there and empty."""
        if isinstance(self.engine, Http) and self.engine.ended:
            self._start_again()
        self.drop_new()
        self._tokens = {}
        # New tables of one case stand side by side in ListTables, whoever else makes some.
        prefix = _unique()
        for shape in sorted(set(_shapes_in(case))):
            if shape.startswith("@new"):
                self._new[shape] = f"{prefix}.{shape[1:]}"
            elif shape.startswith("@token"):
                self._tokens[shape] = str(uuid.uuid4())
            else:
                self.emptied(shape)
        return {**self._names, **self._new, **self._tokens}

    def emptied(self, shape: str) -> str:
        """The name of a table of that shape, which is there and empty."""
        if shape in self._names:
            self._empty(shape)
        else:
            self._create(shape)
        return self._names[shape]

    def _start_again(self) -> None:
        """One request that ends an engine must not fail every case after it."""
        self.engine.close()
        self.engine = open_engine(self.engine.name)
        self._names, self._new, self._stray = {}, {}, []

    def drop_new(self) -> None:
        """Delete the tables that the last case made, also those that should not have been."""
        for name in (*self._new.values(), *self._stray):
            self.engine.call("DeleteTable", {"TableName": name})
        self._new, self._stray = {}, []

    def made(self, name: str) -> None:
        """Remember a table that a case made under a name of its own."""
        self._stray.append(name)

    def drop(self) -> None:
        """Delete every table."""
        self.drop_new()
        for name in self._names.values():
            self.engine.call("DeleteTable", {"TableName": name})
        self._names = {}

    def _create(self, shape: str) -> None:
        name = f"{_unique()}.{shape[1:]}"
        answer = self.engine.call("CreateTable", {"TableName": name, **SHAPES[shape]})
        assert answer.ok, f"{self.engine.name} cannot create {shape}: {answer}"
        wait_until_active(self.engine, name)
        self._names[shape] = name

    def _empty(self, shape: str) -> None:
        name = self._names[shape]
        schema = [key["AttributeName"] for key in SHAPES[shape]["KeySchema"]]
        request: Json = {"TableName": name, "ConsistentRead": True}
        while True:
            found = self.engine.call("Scan", request)
            if not found.ok:
                self._create(shape)
                return
            for item in found.body["Items"]:
                key = {attribute: item.get(attribute) for attribute in schema}
                if not self.engine.call("DeleteItem", {"TableName": name, "Key": key}).ok:
                    # An engine may have taken what it cannot delete.
                    self._create(shape)
                    return
            if "LastEvaluatedKey" not in found.body:
                return
            request["ExclusiveStartKey"] = found.body["LastEvaluatedKey"]


def _unique() -> str:
    return uuid.uuid4().hex[:12]


def wait_until_active(engine: Engine, name: str) -> None:
    """Return once the table and its indexes are ready; a table of that name must be there."""
    deadline = time.monotonic() + ACTIVE_SECONDS
    while time.monotonic() < deadline:
        answer = engine.call("DescribeTable", {"TableName": name})
        if not answer.ok or answer.body["Table"]["TableStatus"] in ("ACTIVE", "DELETING"):
            return
        time.sleep(0.02)
    raise AssertionError(f"{engine.name}: {name} is not active after {ACTIVE_SECONDS} s")


def wait_until_gone(engine: Engine, name: str) -> None:
    """Return once the table is not there any more."""
    deadline = time.monotonic() + ACTIVE_SECONDS
    while engine.call("DescribeTable", {"TableName": name}).ok:
        assert time.monotonic() < deadline, f"{engine.name}: {name} is still there"
        time.sleep(0.02)


def _shapes_in(case: Case) -> Iterator[str]:
    for step in case.steps:
        if isinstance(step, Raw):
            yield from TABLE.findall(step.body.decode("utf-8", "replace"))
        else:
            yield from (text for text in _strings(step.request) if TABLE.fullmatch(text))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from _strings(member)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {names.get(name, name): _renamed(member, names) for name, member in value.items()}
    if isinstance(value, list):
        return [_renamed(member, names) for member in value]
    return value


def runs_on(case: Case, engine_name: str) -> bool:
    """Whether the engine can be sent every step: boto3 refuses some, and only HTTP takes bytes."""
    if engine_name == "boto3":
        return all(
            isinstance(step, Step) and Boto3.can_send(step.operation, step.request)
            for step in case.steps
        )
    if engine_name == "embedded":
        return not any(isinstance(step, Raw) for step in case.steps)
    return True


def run(case: Case, tables: Tables, unasked: tuple[str, ...] = ()) -> str:
    """Run the steps. Empty when all answers are as expected, else the first difference.

    Members named in `unasked` are overlooked where nothing was asked of them.
    """
    engine = tables.engine
    names = tables.ready(case)
    shapes = {name: shape for shape, name in names.items()}
    for number, step in enumerate(case.steps, start=1):
        answer = ask(engine, step, names)
        if answer.ok and isinstance(step, Step) and step.operation == "CreateTable":
            tables.made(answer.body["TableDescription"]["TableName"])
        if isinstance(step.expected, dict):
            for name in set(unasked) - set(step.expected):
                answer.body.pop(name, None)
        said = difference(step.expected, answer, shapes)
        if said and engine.name == "endpoint":
            said = _ask_again(engine, step, names, shapes, said)
        if said:
            where = f"step {number}: " if len(case.steps) > 1 else ""
            return (where + said)[:DIFFERENCE_CHARACTERS_MAX]
    return ""


def ask(engine: Engine, step: Step | Raw, names: dict[str, str]) -> Answer:
    """Send the step with the tables' real names, and wait for a table made or deleted by it."""
    if isinstance(step, Raw):
        assert isinstance(engine, Http)
        body = step.body
        for shape, name in names.items():
            body = body.replace(b'"' + shape.encode() + b'"', b'"' + name.encode() + b'"')
        return engine.send(body, target=step.target, headers=dict(step.headers))
    answer = engine.call(step.operation, _renamed(step.request, names))
    if answer.ok and step.operation in ("CreateTable", "UpdateTable"):
        wait_until_active(engine, answer.body["TableDescription"]["TableName"])
    if answer.ok and step.operation == "DeleteTable":
        wait_until_gone(engine, answer.body["TableDescription"]["TableName"])
    return answer


def _ask_again(
    engine: Engine, step: Step | Raw, names: dict[str, str], shapes: dict[str, str], said: str
) -> str:
    """A cloud's indexes and eventual reads lag behind its writes, so reads get more time."""
    for _ in range(10 if isinstance(step, Step) and step.operation in READS else 0):
        time.sleep(0.3)
        said = difference(step.expected, ask(engine, step, names), shapes)
        if not said:
            break
    return said


def difference(expected: Any, answer: Answer, shapes: dict[str, str]) -> str:
    """How the answer differs from the expected one: a code, or the first member unlike."""
    body = _renamed(answer.body, shapes)
    if isinstance(expected, Error):
        if answer.code != expected.code:
            return answer.code or "succeeds"
        said = _unlike(dict(expected.members), body, "")
        return f"{answer.code}, {said}" if said else ""
    if answer.code:
        return answer.code
    if expected is ANYTHING:
        return ""
    return _unlike(expected, body, "")


def _unlike(expected: Any, found: Any, path: str) -> str:
    """The first place where what was found is unlike what was expected, and what is there."""
    if _alike(expected, found):
        return ""
    if isinstance(found, dict):
        if isinstance(expected, Excluding):
            return f"{path} has " + ", ".join(name for name in expected.names if name in found)
        if isinstance(expected, Including):
            return _unlike_member(expected.members, found, sorted(expected.members), path)
        if isinstance(expected, dict):
            return _unlike_member(expected, found, sorted(set(expected) | set(found)), path)
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = zip(expected, found, strict=True)
        return next(
            filter(None, (_unlike(*pair, f"{path}[{at}]") for at, pair in enumerate(pairs)))
        )
    return f"{path} is {_shown(found)}"


def _unlike_member(expected: Json, found: Json, names: list[str], path: str) -> str:
    for name in names:
        inside = f"{path}.{name}" if path else name
        if name not in found:
            return f"no {inside}"
        if name not in expected:
            return f"{inside} is {_shown(found[name])}"
        said = _unlike(expected[name], found[name], inside)
        if said:
            return said
    raise AssertionError("only asked about objects that differ")


def _alike(expected: Any, found: Any) -> bool:
    """Equal, but for the order of sets and of what is marked AnyOrder."""
    if expected is ANYTHING:
        return found is not None
    if isinstance(expected, AnyOrder):
        return isinstance(found, list) and _alike_in_any_order(list(expected.members), found)
    if isinstance(expected, Including):
        return isinstance(found, dict) and all(
            name in found and _alike(member, found[name])
            for name, member in expected.members.items()
        )
    if isinstance(expected, Excluding):
        return isinstance(found, dict) and not any(name in found for name in expected.names)
    if isinstance(expected, dict):
        if not isinstance(found, dict) or set(expected) != set(found):
            return False
        return all(
            _alike_in_any_order(member, found[name])
            if name in ("SS", "NS", "BS")
            else _alike(member, found[name])
            for name, member in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(expected) == len(found)
            and all(_alike(one, other) for one, other in zip(expected, found, strict=True))
        )
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    return bool(expected == found)


def _alike_in_any_order(expected: list[Any], found: Any) -> bool:
    if not isinstance(found, list) or len(expected) != len(found):
        return False
    left = list(found)
    for member in expected:
        for position, candidate in enumerate(left):
            if _alike(member, candidate):
                del left[position]
                break
        else:
            return False
    return True


def _shown(value: Any) -> str:
    return json.dumps(_sorted_sets(value), sort_keys=True, ensure_ascii=True)


def _sorted_sets(value: Any) -> Any:
    """The value with sets in one order, and without texts meant for people."""
    if isinstance(value, dict):
        return {
            name: sorted(member, key=str)
            if name in ("SS", "NS", "BS") and isinstance(member, list)
            else _sorted_sets(member)
            for name, member in value.items()
            if name != "Message"
        }
    if isinstance(value, list):
        return [_sorted_sets(member) for member in value]
    return value
