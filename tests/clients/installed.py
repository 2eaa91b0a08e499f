"""Which clients are installed here; one that is missing is a skip, or a failure where required."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.witnesses.drivers import witnesses_are_required

WITNESSES = Path(__file__).resolve().parents[2] / ".witnesses"


def require(path: Path, name: str) -> Path:
    """The client's file; the test is skipped, or fails, without it."""
    if not path.exists():
        reason = f"{name} is not installed; run tests/witnesses/install"
        if witnesses_are_required():
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return path
