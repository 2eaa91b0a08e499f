"""Run the suite: on this library, or on a driver program in any language."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from typing import Any

import keypact

from .cursors import check_cursors
from .drivers import Driver, KeypactDriver, ProcessDriver
from .runner import Report, run_scenarios
from .scenarios import DMS_VERSION, load_scenarios


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when everything passed."""
    parser = argparse.ArgumentParser(prog="python -m keypact.portable", description=__doc__)
    parser.add_argument("--store", default="memory:", help="the DynamoDB that is written to")
    parser.add_argument("--driver", help="a program that speaks the protocol of README.md")
    chosen = parser.parse_args(arguments)
    if chosen.driver and chosen.store == "memory:":
        parser.error("another program cannot reach memory: give --store http://HOST:PORT")
    report = Report()
    with keypact.connect(chosen.store) as store:
        if chosen.driver:
            program = ProcessDriver(shlex.split(chosen.driver))
            try:
                run_scenarios(load_scenarios(), program, store, report)
            finally:
                program.close()
        else:
            driver: Driver = KeypactDriver(store)
            run_scenarios(load_scenarios(), driver, store, report)
            check_cursors(keypact.encode_cursor, _decode, report)
    print(f"DMS {DMS_VERSION}\n{report}")  # noqa: T201 - what the command is for
    return 1 if report.failures else 0


def _decode(token: str) -> tuple[dict[str, Any], str, str]:
    cursor = keypact.decode_cursor(token)
    return cursor.last_key, cursor.index, cursor.sort


if __name__ == "__main__":
    sys.exit(main())
