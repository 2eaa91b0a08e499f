"""python -m tests.conformance: how every engine fares, as a table.

--engine NAME and --case TEXT choose; --answers shows what each engine says to each step;
--differences lists what is unlike; --record writes departures.toml anew.
"""

from __future__ import annotations

import argparse
import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conformance import departures
from tests.conformance.check import find, known_departures
from tests.conformance.runner import Tables, ask, runs_on
from tests.witnesses import drivers, servers

if TYPE_CHECKING:
    from tests.conformance.cases import Case

_FOLDER = Path(__file__).parent


def all_cases() -> list[Case]:
    """The cases of every file here."""
    modules = [
        importlib.import_module(f"tests.conformance.{path.stem}")
        for path in sorted(_FOLDER.glob("test_*.py"))
    ]
    return [case for module in modules for case in getattr(module, "CASES", ())]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--case", default="")
    parser.add_argument("--answers", action="store_true")
    parser.add_argument("--differences", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    cases = [case for case in all_cases() if options.case in case.id]
    names = options.engine or drivers.engine_names()
    if options.answers:
        for case in cases:
            _print_answers(case, names)
        return
    found = {}
    for name in names:
        differences = _differences(name, cases)
        if differences is not None:
            found[name] = differences
    _print_table(found)
    if options.differences:
        for name, differences in found.items():
            for case_id, said in differences.items():
                if said:
                    print(f"{name:10} {case_id:55} {said}")
    if options.record:
        _record(cases, found)


def _differences(name: str, cases: list[Case]) -> dict[str, str] | None:
    """The difference on each case the engine can be sent, or None when it is not installed."""
    try:
        tables = Tables(drivers.open_engine(name))
    except (servers.Missing, ImportError, AttributeError, RuntimeError) as missing:
        print(f"{name}: {missing}")
        return None
    known = known_departures(name)
    found = {}
    for case in cases:
        if not runs_on(case, name):
            continue
        if case.id in known.hangs:
            found[case.id] = departures.ENDS
            continue
        found[case.id] = find(tables, case)
    tables.drop()
    tables.engine.close()
    return found


def _print_table(found: dict[str, dict[str, str]]) -> None:
    print("| engine | cases | as DynamoDB | otherwise |")
    print("|---|---:|---:|---:|")
    for name, differences in found.items():
        otherwise = sum(1 for said in differences.values() if said)
        total = len(differences)
        print(f"| {name} | {total} | {total - otherwise} | {otherwise} |")


def _print_answers(case: Case, names: list[str]) -> None:
    print(f"\n{case.id} ({case.source})")
    for step in case.steps:
        print(f"  {step}"[:400])
    for name in names:
        if not runs_on(case, name):
            continue
        try:
            tables = Tables(drivers.open_engine(name))
        except (servers.Missing, ImportError, AttributeError, RuntimeError):
            continue
        real = tables.ready(case)
        for step in case.steps:
            answer = ask(tables.engine, step, real)
            print(f"  {name:10} {answer.code or 'ok'} {json.dumps(answer.body)[:600]}")
        tables.drop()
        tables.engine.close()


def _record(cases: list[Case], found: dict[str, dict[str, str]]) -> None:
    """Write what witnesses were found to answer; what was not run stays as listed."""
    known = departures.read()
    sources = {case.id: case.source for case in cases}
    by_id = {case.id: case for case in cases}
    for name in sorted(set(found) & set(servers.WITNESSES)):
        before = known.get(name, departures.Departures())
        answers = {case: listed for case, listed in before.answers.items() if case not in sources}
        for case, said in found[name].items():
            if case in before.hangs:
                continue
            if before.answers.get(case, ("", ""))[0] == departures.VARIES:
                answers[case] = before.answers[case]
                continue
            if said and said != departures.lacking(by_id[case], before.lacks):
                answers[case] = (said, sources[case])
        known[name] = replace(before, answers=answers)
    departures.write(known)


if __name__ == "__main__":
    main()
