"""The list of departures itself, and that cases can be told apart."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.conformance import departures
from tests.conformance.__main__ import all_cases
from tests.conformance.cases import Case
from tests.witnesses.servers import WITNESSES

SOURCES = {case.id: case.source for case in all_cases()}
KNOWN = departures.read()


def test_only_witnesses_may_depart() -> None:
    """No engine of this project has a departure listed."""
    assert set(KNOWN) <= set(WITNESSES)


def test_no_two_cases_share_an_id() -> None:
    """A departure names one case."""
    counts = Counter(case.id for case in all_cases())
    assert [case for case, count in counts.items() if count > 1] == []


@pytest.mark.parametrize(
    "case", [case for case in all_cases() if case.source == "majority"], ids=lambda case: case.id
)
def test_a_majority_is_one(case: Case) -> None:
    """More witnesses agree with such a case than agree on anything else."""
    votes = Counter(KNOWN[witness].expected(case) for witness in WITNESSES)
    agreeing = votes.pop("", 0)
    assert agreeing >= 2
    assert agreeing > max(votes.values(), default=0)


@pytest.mark.parametrize("witness", sorted(KNOWN))
def test_departures_name_cases_and_their_sources(witness: str) -> None:
    """Every line of the list is about a case that is there, with the case's own source."""
    listed = {case: source for case, (_, source) in KNOWN[witness].answers.items()}
    assert listed == {case: SOURCES.get(case) for case in listed}
    assert set(KNOWN[witness].hangs) <= set(SOURCES)
