"""The AWS SDK for JavaScript, version 3, unchanged."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from .installed import WITNESSES, require


def test_the_javascript_sdk_goes_through_a_tables_life(url):
    """Both of its clients: the plain one, and the one that takes JavaScript values."""
    modules = require(WITNESSES / "node/node_modules/@aws-sdk/lib-dynamodb", "the JavaScript SDK")
    node = require(Path(shutil.which("node") or "node"), "Node.js")
    done = subprocess.run(
        [node, Path(__file__).with_name("scenario.mjs"), url, modules],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "done"
