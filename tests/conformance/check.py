"""The one assertion of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conformance import departures
from tests.conformance.runner import Tables, run
from tests.witnesses import drivers, servers

if TYPE_CHECKING:
    from tests.conformance.cases import Case

__all__ = ["Tables", "check", "known_departures", "run_alone"]

_KNOWN = departures.read()
_NONE = departures.Departures()


def known_departures(name: str) -> departures.Departures:
    """What the engine is known to answer otherwise; nothing at all for our own."""
    return _NONE if name in drivers.OURS else _KNOWN.get(name, _NONE)


def check(tables: Tables, case: Case) -> None:
    """The engine answers as DynamoDB does, or departs from it exactly as listed."""
    engine = tables.engine
    known = known_departures(engine.name)
    listed = known.expected(case)
    if departures.ENDS in listed:
        found = run_alone(engine.name, case)
    else:
        found = run(case, tables, known.unasked)
    if found == listed:
        return
    if listed and not found:
        raise AssertionError(
            f"{engine.name} no longer departs on {case.id}: remove it from departures.toml"
        )
    raise AssertionError(
        f"{engine.name} on {case.id}: {found}\n"
        f"listed departure: {listed or 'none'}\n"
        f"expected ({case.source}): {case.steps[-1].expected}"
    )


def run_alone(name: str, case: Case) -> str:
    """Run the case on a server of its own, which it may end."""
    running = servers.start_private(servers.WITNESSES[name])
    engine = drivers.Http(name, running.endpoint, running.release)
    try:
        return run(case, Tables(engine), known_departures(name).unasked)
    finally:
        engine.close()
