"""Series of passes, ratios with their targets, and how both are printed."""

from __future__ import annotations

import datetime
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any

# Passes that differ by more than this factor are no ground for a verdict.
UNSTEADY = 2


@dataclass(frozen=True)
class Series:
    """What one contender reached in each pass; the median counts."""

    name: str
    passes: list[float]
    unit: str = "/s"

    @property
    def median(self) -> float:
        """The middle pass."""
        return statistics.median(self.passes)

    def text(self) -> str:
        """The median with the lowest and the highest pass."""
        return (
            f"{_number(self.median)} ({_number(min(self.passes))} to {_number(max(self.passes))})"
        )


@dataclass(frozen=True)
class Ratio:
    """Ours over the rival's, and what it must reach.

    `at_most` is for costs, where the ratio must stay below its target.
    """

    what: str
    ours: Series
    rival: Series
    target: float
    at_most: bool = False

    @property
    def value(self) -> float:
        """The ratio of the medians."""
        return self.ours.median / self.rival.median

    @property
    def by_pass(self) -> list[float]:
        """The ratio in each pass, in which both ran within seconds of each other."""
        return [a / b for a, b in zip(self.ours.passes, self.rival.passes, strict=True)]

    @property
    def reached(self) -> bool:
        """Whether the target is met."""
        return self.value <= self.target if self.at_most else self.value >= self.target

    @property
    def undecided(self) -> bool:
        """Whether passes on both sides of the target differ by more than a factor of two.

        Then the median is chance, whichever side it falls on: the machine was busy.
        """
        low, high = min(self.by_pass), max(self.by_pass)
        return low < self.target < high and high > UNSTEADY * low

    @property
    def verdict(self) -> str:
        """Whether the target is met, and whether every pass says so."""
        if self.undecided:
            return "undecided"
        word = "reached" if self.reached else "NOT reached"
        every = all((one <= self.target) == (self.value <= self.target) for one in self.by_pass)
        return word if every else f"{word}, not in every pass"

    def row(self) -> list[str]:
        """The cells of the table of ratios."""
        sign = "≤" if self.at_most else "≥"
        low, high = min(self.by_pass), max(self.by_pass)
        return [
            self.what,
            f"{self.ours.name} {self.ours.text()} {self.ours.unit}",
            f"{self.rival.name} {self.rival.text()} {self.rival.unit}",
            f"{self.value:.2f} ({low:.2f} to {high:.2f})",
            f"{sign} {self.target:g}",
            self.verdict,
        ]


@dataclass
class Report:
    """What one benchmark found."""

    title: str
    how: str
    ratios: list[Ratio] = field(default_factory=list)
    tables: list[tuple[list[str], list[list[str]]]] = field(default_factory=list)
    # What a reader must know: a rival that is missing, an answer that was wrong.
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def markdown(self) -> str:
        """The report as a section."""
        parts = [f"## {self.title}", self.how]
        parts += [table(head, rows) for head, rows in self.tables]
        if self.ratios:
            head = ["", "ours", "beside it", "ratio (passes)", "target", ""]
            parts.append(table(head, [ratio.row() for ratio in self.ratios]))
        if self.notes:
            parts.append("\n".join(f"- {note}" for note in self.notes))
        return "\n\n".join(parts)

    def plain(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "title": self.title,
            "how": self.how,
            "seconds": round(self.seconds, 1),
            "notes": self.notes,
            "tables": [{"head": head, "rows": rows} for head, rows in self.tables],
            "ratios": [
                {
                    "what": ratio.what,
                    "ours": {"name": ratio.ours.name, "passes": ratio.ours.passes},
                    "rival": {"name": ratio.rival.name, "passes": ratio.rival.passes},
                    "unit": ratio.ours.unit,
                    "ratio": ratio.value,
                    "by_pass": ratio.by_pass,
                    "target": ratio.target,
                    "at_most": ratio.at_most,
                    "verdict": ratio.verdict,
                }
                for ratio in self.ratios
            ],
        }


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table that is aligned for the terminal, too."""
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]

    def line(cells: list[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return "| " + " | ".join(padded) + " |"

    return "\n".join([line(head), line(["-" * width for width in widths]), *map(line, rows)])


def machine() -> dict[str, str]:
    """What the numbers depend on besides the code."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "commit": _commit(),
        "cores": str(os.cpu_count()),
        "processor": _processor(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }


def busy_cores() -> float:
    """How many cores others keep busy, watched for two seconds in which we do nothing."""
    before, started = _busy_seconds(), time.monotonic()
    time.sleep(2)
    return (_busy_seconds() - before) / (time.monotonic() - started)


def _busy_seconds() -> float:
    try:
        with open("/proc/stat") as lines:
            user, nice, system = map(int, lines.readline().split()[1:4])
    except OSError:
        return 0.0
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def say(text: str) -> None:
    """Progress, on stderr so that stdout holds the report alone."""
    print(text, file=sys.stderr, flush=True)
