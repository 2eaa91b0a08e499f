"""From the start of a Python process to the first answer in it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import keypact
from bench import items
from bench.report import Ratio, Report, Series, say

PASSES = 9
TARGET_SECONDS = 0.5
ITEM_COUNT = 10_000

# {folder} is filled in; each prints one line once it has its answer.
PROGRAMS = {
    "memory:": """
import keypact
print(keypact.connect("memory:").call("ListTables", {}))
""",
    "a new folder": """
import keypact
print(keypact.connect("sqlite:{folder}/new-{turn}").call("ListTables", {}))
""",
    f"a folder of {ITEM_COUNT:,} items": """
import keypact
print(keypact.connect("sqlite:{folder}/full").call("GetItem", {request})["Item"])
""",
    "import sqlite3": """
import sqlite3
print(sqlite3.connect("{folder}/raw-{turn}.db").execute("SELECT 1").fetchone())
""",
    "nothing": "print(1)",
}


def run() -> Report:
    """Time every program in turns."""
    report = Report(
        "Start",
        "Seconds from starting a Python process to its first answer: ListTables, or GetItem on a "
        f"folder that is there. Median (lowest to highest) of {PASSES} interleaved passes; beside "
        "it the target of half a second, and what Python takes for less.",
    )
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="keypact-bench-") as folder:
        _fill(Path(folder) / "full")
        for turn in range(-1, PASSES):
            say(f"start: pass {turn + 1} of {PASSES}")
            for name, program in PROGRAMS.items():
                seconds = _first_answer(_filled(program, folder, turn))
                # The first pass writes the compiled modules and is not counted.
                if turn >= 0:
                    times.setdefault(name, []).append(seconds)
    target = Series("target", [TARGET_SECONDS] * PASSES, "s")
    for name, program in PROGRAMS.items():
        series = Series(name, times[name], "s")
        if "keypact" in program:
            report.ratios.append(Ratio(f"start on {name}", series, target, 1, at_most=True))
        else:
            report.notes.append(f"{name}: {series.text()} s")
    return report


def _fill(folder: Path) -> None:
    with keypact.connect(f"sqlite:{folder}") as backend:
        backend.call("CreateTable", items.CREATE_TABLE)
        for first in range(0, ITEM_COUNT, 25):
            backend.call("BatchWriteItem", items.batch(range(first, first + 25)))


def _filled(program: str, folder: str, turn: int) -> str:
    # Not format(): the programs have braces of their own.
    for name, value in (
        ("{folder}", folder),
        ("{turn}", str(turn)),
        ("{request}", repr(items.get(ITEM_COUNT // 2))),
    ):
        program = program.replace(name, value)
    return program


def _first_answer(program: str) -> float:
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    seconds = time.perf_counter() - started
    process.communicate(timeout=20)
    if not line or process.returncode:
        raise RuntimeError(f"no answer from:\n{program}")
    return seconds
