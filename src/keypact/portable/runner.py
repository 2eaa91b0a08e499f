"""Running scenarios: each step through the driver, and the store looked at past it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import keypact
from keypact.errors import DynamoDBError

from .drivers import Call, Driver, Refused
from .scenarios import Scenario, Step

_ENVELOPE = {"v": "N", "edk": "B", "nonce": "B", "ct": "B"}


@dataclass(frozen=True, slots=True)
class Failure:
    """What went otherwise than a scenario says."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


@dataclass(slots=True)
class Report:
    """How many passed, and why others did not."""

    passed: int = 0
    failures: list[Failure] = field(default_factory=list)

    def note(self, name: str, reason: str) -> None:
        """One check more; an empty reason is a pass."""
        if reason:
            self.failures.append(Failure(name, reason))
        else:
            self.passed += 1

    def __str__(self) -> str:
        lines = [f"FAILED {failure}" for failure in self.failures]
        return "\n".join([*lines, f"{self.passed} passed, {len(self.failures)} failed"])


def run_scenarios(
    scenarios: Iterable[Scenario], driver: Driver, store: keypact.Backend, report: Report
) -> None:
    """Run each on empty tables. ``store`` is the DynamoDB that the driver writes to."""
    for scenario in scenarios:
        _prepare(scenario, store)
        reasons = (_run(scenario, step, driver, store) for step in scenario.steps)
        report.note(scenario.name, next((one for one in reasons if one), ""))


def _model(scenario: Scenario) -> dict[str, Any]:
    found: dict[str, Any] = next(
        one for one in scenario.dms["models"] if one["name"] == scenario.model
    )
    return found


def _prepare(scenario: Scenario, store: keypact.Backend) -> None:
    """An empty table with the model's key, and the items that are given."""
    model = _model(scenario)
    table, keys = model["table"]["name"], list(model["keys"].values())
    try:
        store.call("DeleteTable", {"TableName": table})
    except DynamoDBError as error:
        if error.code != "ResourceNotFoundException":
            raise
    store.call(
        "CreateTable",
        {
            "TableName": table,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [
                {"AttributeName": key["attribute"], "KeyType": kind}
                for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
            ],
            "AttributeDefinitions": [
                {"AttributeName": key["attribute"], "AttributeType": key["type"]} for key in keys
            ],
        },
    )
    for item in scenario.given:
        store.call("PutItem", {"TableName": table, "Item": item})


def _run(scenario: Scenario, step: Step, driver: Driver, store: keypact.Backend) -> str:
    """Why the step failed; "" when all was as it says."""
    call = Call(scenario.dms, scenario.model, step.now, scenario.encryption)
    error, result = "", None
    try:
        result = _ask(driver, call, step)
    except Refused as refused:
        error = refused.code
    expected = step.expected
    if error != expected.get("error", ""):
        return f"{step.method} gave {error or 'no error'}, not {expected.get('error', 'success')}"
    if "result" in expected and result != expected["result"]:
        return f"{step.method} gave {result!r}, not {expected['result']!r}"
    if "stored" in expected:
        found = _stored(scenario, step, store)
        if not _equal(found, expected["stored"]):
            return f"after {step.method} there is {found!r}, not {expected['stored']!r}"
    return ""


def _ask(driver: Driver, call: Call, step: Step) -> Any:
    match step.method:
        case "create":
            return driver.create(call, step.subject, step.options.get("if_not_exists", False))
        case "get":
            return driver.get(call, step.subject)
        case "update":
            return driver.update(call, step.subject, step.options["fields"])
    return driver.delete(call, step.subject, step.options.get("version"))


def _stored(scenario: Scenario, step: Step, store: keypact.Backend) -> Any:
    """The item under the step's key, or None."""
    model = _model(scenario)
    keys = model["keys"].values()
    key = {one["attribute"]: {one["type"]: str(step.subject[one["attribute"]])} for one in keys}
    request = {"TableName": model["table"]["name"], "Key": key, "ConsistentRead": True}
    return store.call("GetItem", request).get("Item")


def _equal(found: Any, expected: Any) -> bool:
    """Whether stored values are the expected ones; sets have no order, envelopes only a shape."""
    if expected == {"envelope": True}:
        return _is_envelope(found)
    if not isinstance(found, dict) or not isinstance(expected, dict):
        if isinstance(found, list) and isinstance(expected, list):
            return len(found) == len(expected) and all(map(_equal, found, expected))
        return type(found) is type(expected) and bool(found == expected)
    if found.keys() != expected.keys():
        return False
    return all(
        sorted(value) == sorted(expected[name])
        if name in ("SS", "NS", "BS") and isinstance(value, list)
        else _equal(value, expected[name])
        for name, value in found.items()
    )


def _is_envelope(found: Any) -> bool:
    members = found.get("M") if isinstance(found, dict) else None
    if not isinstance(members, dict):
        return False
    types = {name: next(iter(value)) for name, value in members.items()}
    return types == _ENVELOPE and members["v"] == {"N": "1"}
