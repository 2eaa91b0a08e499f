"""The same operations on every engine, sync and async, with mappings and instances."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

import keypact
from keypact.backends import Backend
from tests.operations import models
from tests.operations.tables import Desk, Recording
from tests.witnesses import drivers, servers

# Every way of working in process; over the wire one sync and one async way show the rest.
WAYS = ("sync-mappings", "async-mappings", "sync-instances", "async-instances")
ENGINES = {
    "embedded": WAYS,
    "wire": ("sync-mappings", "async-instances"),
    "dynoxide": ("sync-mappings", "async-instances"),
    "ministack": ("sync-mappings", "async-instances"),
}
_NUMBERS = itertools.count()


@dataclass
class Engines:
    """The backends that this worker has opened, with all tables made."""

    runner: asyncio.Runner
    backends: dict[str, Backend] = field(default_factory=dict)
    running: list[servers.Running] = field(default_factory=list)

    def open(self, name: str) -> Backend:
        """The backend of that engine, opened and furnished at the first asking."""
        if name not in self.backends:
            backend = keypact.connect(self._address(name))
            self.backends[name] = backend
            for model in models.SCHEMA.models:
                keypact.Table(model, backend).ensure()
        return self.backends[name]

    def _address(self, name: str) -> str:
        if name == "embedded":
            return "memory:"
        server = servers.KEYPACT if name == "wire" else servers.WITNESSES[name]
        self.running.append(servers.start(server))
        return self.running[-1].endpoint

    def close(self) -> None:
        """Close connections on the loop that opened them, and let go of the servers."""
        for backend in self.backends.values():
            closing: Any = backend
            self.runner.run(closing.aclose())
        for running in self.running:
            running.release()


@pytest.fixture(scope="session")
def engines() -> Iterator[Engines]:
    with asyncio.Runner() as runner:
        opened = Engines(runner)
        yield opened
        opened.close()


def _open(engines: Engines, name: str) -> Backend:
    try:
        return engines.open(name)
    except servers.Missing as missing:
        if drivers.witnesses_are_required() or name in drivers.OURS:
            pytest.fail(str(missing), pytrace=False)
        pytest.skip(str(missing))


@pytest.fixture
def desk(request: pytest.FixtureRequest, engines: Engines) -> Iterator[Desk]:
    """A desk on the engine and in the way that the test is parametrised with."""
    name, way = request.param
    made = Desk(
        Recording(_open(engines, name)),
        engines.runner if way.startswith("async") else None,
        is_typed=way.endswith("instances"),
        partition=f"{request.node.originalname}-{next(_NUMBERS)}",
    )
    yield made
    # True of every test: names never stand in an expression, and nothing scans unasked.
    assert not made.backend.names_in_the_clear()
    assert "Scan" not in made.backend.operations or "scan" in request.node.originalname


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `desk` runs on every engine, in every way."""
    if "desk" in metafunc.fixturenames:
        pairs = [(engine, way) for engine, ways in ENGINES.items() for way in ways]
        metafunc.parametrize(
            "desk", pairs, indirect=True, ids=[f"{engine}-{way}" for engine, way in pairs]
        )
