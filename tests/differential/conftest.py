"""Under `make soak` every property of this folder runs long; otherwise each runs short."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.differential.properties import SOAKS

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The same tests are the long ones when the profile is."""
    for item in items:
        if SOAKS and HERE in item.path.parents:
            item.add_marker(pytest.mark.soak)
