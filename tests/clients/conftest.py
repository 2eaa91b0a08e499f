"""One server process for all clients; each scenario makes and deletes its own tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.wire import serving


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    with serving("--memory") as (_, url):
        yield url
