"""Runs the benchmarks and prints what they found.

python -m bench [name...] [--json FILE] [--write]
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from pathlib import Path

from bench.report import UNSTEADY, Ratio, Report, busy_cores, machine, say

# Each is a module with run() -> Report; imported when asked for.
BENCHMARKS = {
    "process": "bench.in_process",
    "wire": "bench.wire",
    "growth": "bench.growth",
    "start": "bench.start",
    "client": "bench.client",
}
INTRODUCTION = (
    "Made by `python -m bench --write`. Ratios count, absolutes do not: contenders, load "
    "generator and whatever else runs share the cores."
)
BUSY_CORES_MAX = 0.3
# Not noise but a bias: a process that waits for a core after each flush seems to have a slow
# disk, beside which our own cost vanishes and sharing a commit gains more than it would.
BUSY = (
    "The machine was busy with other work: ratios of flushed writes come out too good, and all "
    "are less steady. Run this again on a quiet machine."
)
RESULTS = Path(__file__).with_name("results.md")


def main() -> int:
    """Run what was asked for; 0 even when a target is not reached, since machines differ."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BENCHMARKS)}; all by default")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the passes to a file, too")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name} anew")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        parser.error(
            f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}"
        )
    if arguments.write and arguments.names:
        parser.error("--write takes all benchmarks: a file of some would pass for the whole")
    facts = machine()
    before = busy_cores()
    if arguments.write and before > BUSY_CORES_MAX:
        say(f"nothing is written: others keep {before:.1f} cores busy. {BUSY}")
        return 1
    reports = [_run(name) for name in arguments.names or BENCHMARKS]
    after = busy_cores()
    facts["cores kept busy by others"] = f"{before:.1f} before, {after:.1f} after"
    text = _text(facts, reports, warning=BUSY if max(before, after) > BUSY_CORES_MAX else "")
    print(text)
    if arguments.json:
        whole = {"machine": facts, "reports": [report.plain() for report in reports]}
        arguments.json.write_text(json.dumps(whole, indent=2) + "\n")
    if arguments.write:
        RESULTS.write_text(text + "\n")
    return 0


def _run(name: str) -> Report:
    say(f"{name}…")
    started = time.monotonic()
    report: Report = importlib.import_module(BENCHMARKS[name]).run()
    report.seconds = time.monotonic() - started
    return report


def _text(facts: dict[str, str], reports: list[Report], *, warning: str) -> str:
    from bench.items import ITEM_IN_WORDS

    ratios = [ratio for report in reports for ratio in report.ratios]
    parts = [
        "# Speed, with rivals in the same run",
        INTRODUCTION,
        "; ".join(f"{name} {value}" for name, value in facts.items()),
        f"An item is {ITEM_IN_WORDS}.",
        *([f"**{warning}**"] if warning else []),
        _summary(ratios),
        *(report.markdown() for report in reports),
    ]
    return "\n\n".join(parts)


def _summary(ratios: list[Ratio]) -> str:
    undecided = [ratio for ratio in ratios if ratio.undecided]
    missed = [ratio for ratio in ratios if not ratio.undecided and not ratio.reached]
    reached = len(ratios) - len(undecided) - len(missed)
    head = (
        f"Of {len(ratios)} targets {reached} are reached, {len(missed)} are not, and "
        f"{len(undecided)} are undecided (passes fell on both sides of the target and differ by "
        f"more than a factor of {UNSTEADY})."
    )
    lines = [
        f"- {ratio.what}: {ratio.value:.2f} for {ratio.target:g}, {ratio.verdict}"
        for ratio in missed + undecided
    ]
    return "\n\n".join([head, "\n".join(lines)] if lines else [head])


if __name__ == "__main__":
    sys.exit(main())
