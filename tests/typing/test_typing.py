"""Types that actually check: what is right passes, what is wrong is caught."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("program.py")
MISTAKE = re.compile(r"  # type: ignore\[([a-z, -]+)\]")
ERROR = re.compile(r"^[^:]+:(\d+): error: .*\[([a-z-]+)\]$", re.MULTILINE)


@pytest.fixture(scope="module")
def caught(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[int, str]]:
    """What strict mypy says of the program when nothing is ignored."""
    folder = tmp_path_factory.mktemp("typing")
    path = folder / "program.py"
    path.write_text(MISTAKE.sub("", PROGRAM.read_text()))
    result = subprocess.run(
        [
            sys.executable,
            *("-m", "mypy", "--strict", "--config-file=", "--no-error-summary"),
            *("--hide-error-context", "--no-pretty", "--cache-dir", str(folder / "cache")),
            str(path),
        ],
        cwd=folder,
        env={"MYPYPATH": str(ROOT / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not result.stderr
    return [(int(line), code) for line, code in ERROR.findall(result.stdout)]


def test_every_mistake_is_caught_and_nothing_else(caught):
    """Line by line: each mistake with its error, and no error where there is no mistake."""
    expected = [
        (number, code)
        for number, line in enumerate(PROGRAM.read_text().splitlines(), 1)
        if (match := MISTAKE.search(line))
        for code in match[1].split(", ")
    ]
    assert len(expected) > 30
    assert sorted(caught) == sorted(expected)
