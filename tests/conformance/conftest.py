"""Every case on every engine: engines are started when first needed, tables kept between cases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tests.conformance.runner import Tables, runs_on
from tests.witnesses import drivers, servers

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Bench:
    """The engines this worker has opened, with the tables it made there."""

    tables: dict[str, Tables] = field(default_factory=dict)

    def open(self, name: str) -> Tables:
        """The tables of the engine, opened at the first asking."""
        if name not in self.tables:
            self.tables[name] = Tables(drivers.open_engine(name))
        return self.tables[name]

    def close(self) -> None:
        """Drop the tables, as an endpoint may outlive us, and let go of the engines."""
        for tables in self.tables.values():
            tables.drop()
            tables.engine.close()


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    opened = Bench()
    yield opened
    opened.close()


@pytest.fixture
def tables(request: pytest.FixtureRequest, bench: Bench) -> Tables:
    """The tables of the engine that the test is parametrised with."""
    name = request.param
    try:
        return bench.open(name)
    except servers.Missing as missing:
        if drivers.witnesses_are_required() or name in drivers.OURS:
            pytest.fail(str(missing), pytrace=False)
        pytest.skip(str(missing))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `tables` and `case` runs every case of its module on every engine."""
    if not {"tables", "case"} <= set(metafunc.fixturenames):
        return
    pairs = [
        pytest.param(name, case, id=f"{name}-{case.id.split('/', 1)[1]}")
        for name in drivers.engine_names()
        for case in metafunc.module.CASES
        if runs_on(case, name)
    ]
    metafunc.parametrize(("tables", "case"), pairs, indirect=["tables"])
