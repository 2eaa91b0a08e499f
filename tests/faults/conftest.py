"""Seeds: fixed in `make test`, new in `make soak`, and printed with every failure."""

from __future__ import annotations

import os
import secrets

import pytest


@pytest.fixture
def seed(request) -> int:
    """What the test's random choices follow from; KEYPACT_SEED brings a failure back."""
    given = os.environ.get("KEYPACT_SEED")
    if given is not None:
        drawn = int(given)
    elif request.node.get_closest_marker("soak"):
        drawn = secrets.randbelow(2**32)
    else:
        drawn = 1
    # Shown by pytest when the test fails.
    print(f"KEYPACT_SEED={drawn}")
    return drawn
