"""Where witnesses answer otherwise than DynamoDB: the list in departures.toml.

A line there is: case = [what the witness answers, where the expectation stands]. `lacks`
names operations a witness does not have; it answers UnknownOperationException to them.
`unasked` names members it returns though the request did not ask; they are overlooked.
`hangs` names cases it does not come back from; it is spared them.
The engines of this project are not in the list, and may not be.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conformance.cases import Case, Step

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = Path(__file__).with_suffix(".toml")
HEADER = """\
# Where witnesses answer otherwise than DynamoDB does. A line is
#   case = [what the witness answers, where the expectation stands].
# A departure that is listed and no longer happens fails its test.
# `python -m tests.conformance --record` writes this file; read the difference it makes.
"""

# The witness ends instead of answering; it is asked on a server of its own.
ENDS = "NoAnswer"
# What it answers depends on what else it holds; it is spared the case.
VARIES = "varies"


@dataclass(frozen=True)
class Departures:
    """What one witness is known to answer otherwise."""

    lacks: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    hangs: tuple[str, ...] = ()
    answers: dict[str, tuple[str, str]] = field(default_factory=dict)

    def expected(self, case: Case) -> str:
        """The difference the witness will show on this case; empty when none is listed."""
        if case.id in self.answers:
            return self.answers[case.id][0]
        return lacking(case, self.lacks)


def lacking(case: Case, lacks: Iterable[str]) -> str:
    """The difference a witness shows that does not have the operation."""
    for number, step in enumerate(case.steps, start=1):
        if isinstance(step, Step) and step.operation in lacks:
            where = f"step {number}: " if len(case.steps) > 1 else ""
            return where + "UnknownOperationException"
    return ""


def read() -> dict[str, Departures]:
    """Departures by witness."""
    if not FILE.exists():
        return {}
    content = tomllib.loads(FILE.read_text())
    return {
        witness: Departures(
            tuple(section.pop("lacks", ())),
            tuple(section.pop("unasked", ())),
            tuple(section.pop("hangs", ())),
            {case: (answer, source) for case, (answer, source) in section.items()},
        )
        for witness, section in content.items()
    }


def write(departures: dict[str, Departures]) -> None:
    """Replace the list."""
    lines = [HEADER]
    for witness, known in sorted(departures.items()):
        lines.append(f"[{witness}]")
        lines += [
            f"{name} = {json.dumps(list(members))}"
            for name in ("lacks", "unasked", "hangs")
            if (members := getattr(known, name))
        ]
        lines += [
            f"{json.dumps(case)} = {json.dumps([answer, source])}"
            for case, (answer, source) in sorted(known.answers.items())
        ]
        lines.append("")
    FILE.write_text("\n".join(lines).rstrip("\n") + "\n")
