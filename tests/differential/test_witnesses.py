"""Our engine answers as the witnesses do, to sequences of random requests on random tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.differential import requests
from tests.differential.comparison import Court
from tests.differential.definitions import definitions
from tests.differential.departures import DEPARTURES, Departure, known
from tests.differential.properties import holds_for
from tests.differential.requests import Scenario, scenarios
from tests.witnesses import drivers, servers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.differential.comparison import Difference
    from tests.differential.values import Json

# One worker runs them all, since a second court would double the servers.
pytestmark = pytest.mark.xdist_group("witnesses")


@pytest.fixture(scope="module")
def court() -> Iterator[Court]:
    try:
        opened = Court()
    except servers.Missing as missing:
        if drivers.witnesses_are_required():
            pytest.fail(str(missing), pytrace=False)
        pytest.skip(str(missing))
    yield opened
    opened.close()


def _check(differences: Iterable[Difference]) -> None:
    for difference in differences:
        assert known(difference), difference.text()


@holds_for(scenarios(requests.SINGLE), short=40, soak=400, variations=False)
def test_single_items(example: Scenario, court: Court) -> None:
    """Puts, gets, updates and deletes, with conditions, projections and return values."""
    _check(court.run(example))


@holds_for(scenarios(requests.PAGES), short=40, soak=400, variations=False)
def test_queries_and_scans(example: Scenario, court: Court) -> None:
    """Tables and indexes, filters, projections, limits, both directions."""
    _check(court.run(example))


@holds_for(scenarios(requests.SEVERAL), short=35, soak=300, variations=False)
def test_batches_and_transactions(example: Scenario, court: Court) -> None:
    """All or nothing where it is promised, and the same reasons for nothing."""
    _check(court.run(example))


@holds_for(scenarios(requests.EVERY, spoil_once_in=2), short=40, soak=400, variations=False)
def test_nearly_valid_requests(example: Scenario, court: Court) -> None:
    """What breaks a rule is refused with the same code, and changes nothing."""
    _check(court.run(example))


@holds_for(definitions(), short=150, soak=2000, variations=False)
def test_tables(example: Json, court: Court) -> None:
    """The same definitions are taken and refused, and described alike."""
    _check(court.create(example))


@pytest.mark.parametrize("departure", DEPARTURES, ids=lambda one: one.name.replace(" ", "_"))
def test_a_departure_still_happens(departure: Departure, court: Court) -> None:
    """A departure that is listed explains a difference that is there."""
    example = departure.example
    found = list(court.run(example) if isinstance(example, Scenario) else court.create(example))
    assert [one.name for one in map(known, found) if one] == [departure.name] * len(found)
    assert found
