"""Scenarios as they stand in the YAML files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..schema.reader import read_file

# The version of DMS that the scenarios are written for.
DMS_VERSION = "0.1"
FOLDER = Path(__file__).parent
METHODS = ("create", "get", "update", "delete")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a driver, and what must be true of its result and of the store after it."""

    method: str
    # The item of a create or update, the key of a get or delete, in plain JSON.
    subject: dict[str, Any]
    options: dict[str, Any]
    now: str
    expected: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scenario:
    """Steps on the items of one model, from a given state of the store."""

    name: str
    dms: dict[str, Any]
    model: str
    encryption: bool
    given: list[dict[str, Any]]
    steps: list[Step]


def load_scenarios(folder: Path = FOLDER / "scenarios") -> list[Scenario]:
    """Every scenario of the suite, in the order of files and lines."""
    return [one for path in sorted(folder.glob("*.yaml")) for one in _read(path)]


def _read(path: Path) -> Iterator[Scenario]:
    data = read_file(path).data
    assert data["dms_version"] == DMS_VERSION, path
    for one in data["scenarios"]:
        dms = {"dms_version": DMS_VERSION, "models": one.get("models", data.get("models"))}
        yield Scenario(
            name=f"{path.stem}: {one['name']}",
            dms=dms,
            model=one.get("model", dms["models"][0]["name"]),
            encryption=one.get("encryption", False),
            given=one.get("given", []),
            steps=[_step(step) for step in one["steps"]],
        )


def _step(data: dict[str, Any]) -> Step:
    (method,) = [name for name in METHODS if name in data]
    return Step(
        method=method,
        subject=data[method],
        options={
            name: data[name] for name in ("if_not_exists", "fields", "version") if name in data
        },
        now=data.get("now", "2026-01-16T00:00:00Z"),
        expected={name: data[name] for name in ("error", "result", "stored") if name in data},
    )
