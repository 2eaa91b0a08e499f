"""What every test may rely on: where Node.js is found, whom AWS clients are, how properties run."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import settings
from hypothesis.internal.conjecture import providers

ROOT = Path(__file__).resolve().parents[1]

# Node.js comes from here on a machine that has none of its own.
os.environ["PATH"] = f"{ROOT / '.witnesses/bin'}{os.pathsep}{os.environ['PATH']}"

# No test reads a developer's AWS account, unless an endpoint was named to be tested.
if "KEYPACT_DYNAMODB_ENDPOINT" not in os.environ:
    os.environ.pop("AWS_PROFILE", None)
    os.environ.pop("AWS_SESSION_TOKEN", None)
    os.environ.update(
        AWS_ACCESS_KEY_ID="AKIAIOSFODNN7EXAMPLE",
        AWS_SECRET_ACCESS_KEY="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        AWS_DEFAULT_REGION="us-east-1",
        AWS_CONFIG_FILE=os.devnull,
        AWS_SHARED_CREDENTIALS_FILE=os.devnull,
        AWS_EC2_METADATA_DISABLED="true",
    )

# `make test` draws the same examples every time. `make soak` draws new ones, and a
# failure prints what brings its example back.
settings.register_profile(
    "short", derandomize=True, max_examples=50, deadline=None, print_blob=True
)
settings.register_profile("soak", max_examples=2000, deadline=None, print_blob=True)
_PROFILE = os.environ.get("KEYPACT_PROPERTIES", "short")
settings.load_profile(_PROFILE)

# Hypothesis also tries constants that it finds in whatever modules are loaded. Which are,
# differs from worker to worker, and the examples would too.
if _PROFILE == "short":
    assert hasattr(providers, "is_local_module_file")
    providers.is_local_module_file = lambda _path: False
