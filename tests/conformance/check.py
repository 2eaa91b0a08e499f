"""The one assertion of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance import departures
from tests.conformance.runner import Tables, run
from tests.witnesses import drivers, servers

if TYPE_CHECKING:
    from tests.conformance.cases import Case

__all__ = ["Tables", "check", "find", "known_departures"]

_KNOWN = departures.read()
_NONE = departures.Departures()


def known_departures(name: str) -> departures.Departures:
    """What the engine is known to answer otherwise; nothing at all for our own."""
    return _NONE if name in drivers.OURS else _KNOWN.get(name, _NONE)


def check(tables: Tables, case: Case) -> None:
    """The engine answers as DynamoDB does, or departs from it exactly as listed."""
    engine = tables.engine
    known = known_departures(engine.name)
    if case.id in known.hangs:
        pytest.skip(f"{engine.name} does not come back from {case.id}")
    listed = known.expected(case)
    if listed == departures.VARIES:
        pytest.skip(f"what {engine.name} answers to {case.id} depends on what else it holds")
    found = find(tables, case)
    if found == listed:
        return
    if listed and not found:
        raise AssertionError(
            f"{engine.name} no longer departs on {case.id}: remove it from departures.toml"
        )
    raise AssertionError(
        f"{engine.name} on {case.id}: {found}\n"
        f"listed departure: {listed or 'none'}; expected, after {case.source}:\n"
        + "\n".join(f"step {number}: {step}" for number, step in enumerate(case.steps, start=1))
    )


def find(tables: Tables, case: Case) -> str:
    """How the engine differs on the case; a witness that may end over it has its own server."""
    name = tables.engine.name
    known = known_departures(name)
    if departures.ENDS in known.expected(case):
        return run_alone(name, case)
    found = run(case, tables, known.unasked)
    if departures.ENDS in found and name in servers.WITNESSES:
        # It may still be dying of an earlier case.
        return run_alone(name, case)
    return found


def run_alone(name: str, case: Case) -> str:
    """Run the case on a server of its own, which it may end."""
    running = servers.start_private(servers.WITNESSES[name])
    engine = drivers.Http(name, running.endpoint, running.release)
    try:
        return run(case, Tables(engine), known_departures(name).unasked)
    finally:
        engine.close()
