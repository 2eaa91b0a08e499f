"""Leases: one holder at a time, with a token that only grows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from keypact.errors import ConditionFailed, InvalidModel
from tests.operations.models import SCHEMA
from tests.operations.tables import SECOND_NS, START_NS, Desk

START_MS = START_NS // (SECOND_NS // 1000)


def test_a_lease_says_who_holds_what_until_when(desk: Desk):
    """The first to hold an item makes it, stamped as any item."""
    lease = desk.table("Lock").acquire(desk.partition, "ann", seconds=10)
    assert (lease.holder, lease.token, lease.until_ms) == ("ann", 1, START_MS + 10_000)
    assert desk.stored("Lock", {"id": desk.partition}) == {
        "id": {"S": desk.partition},
        "holder": {"S": "ann"},
        "fence": {"N": "1"},
        "until": {"N": str(START_MS + 10_000)},
        "createdAt": {"S": "2026-01-16T00:00:00Z"},
        "updatedAt": {"S": "2026-01-16T00:00:00Z"},
    }


def test_what_is_held_cannot_be_acquired(desk: Desk):
    """Not by others, until it is over."""
    table = desk.table("Lock")
    table.acquire(desk.partition, "ann", seconds=10)
    desk.pass_time(9.9)
    with pytest.raises(ConditionFailed):
        table.acquire(desk.partition, "bob", seconds=10)
    desk.pass_time(0.1)
    assert table.acquire(desk.partition, "bob", seconds=10).holder == "bob"


def test_tokens_grow_over_every_holder(desk: Desk):
    """Expired or released, the next token is larger: a late holder is known by its own."""
    table = desk.table("Lock")
    tokens = []
    for number in range(4):
        lease = table.acquire(desk.partition, f"holder {number}", seconds=10)
        tokens.append(lease.token)
        if number % 2:
            desk.pass_time(11)
        else:
            table.release(lease)
    assert tokens == [1, 2, 3, 4]


def test_a_lease_can_be_held_longer(desk: Desk):
    """Renewing keeps the token, and moves updated_at."""
    table = desk.table("Lock")
    lease = table.acquire(desk.partition, "ann", seconds=10)
    desk.pass_time(9)
    renewed = table.renew(lease, seconds=10)
    assert renewed == replace(lease, until_ms=START_MS + 19_000)
    stored = desk.stored("Lock", {"id": desk.partition})
    assert stored is not None
    assert stored["createdAt"] == {"S": "2026-01-16T00:00:00Z"}
    assert stored["updatedAt"] == {"S": "2026-01-16T00:00:09Z"}
    desk.pass_time(9)
    with pytest.raises(ConditionFailed):
        table.acquire(desk.partition, "bob", seconds=10)


def test_a_lease_that_is_over_or_lost_cannot_be_renewed(desk: Desk):
    """Even if nobody has taken it: somebody may have looked and seen it free."""
    table = desk.table("Lock")
    lease = table.acquire(desk.partition, "ann", seconds=10)
    desk.pass_time(10)
    with pytest.raises(ConditionFailed):
        table.renew(lease, seconds=10)
    table.acquire(desk.partition, "bob", seconds=10)
    with pytest.raises(ConditionFailed):
        table.renew(lease, seconds=10)
    with pytest.raises(ConditionFailed):
        table.release(lease)
    stored = desk.stored("Lock", {"id": desk.partition})
    assert stored is not None
    assert stored["holder"] == {"S": "bob"}


def test_what_was_given_back_is_free_at_once(desk: Desk):
    """The item stays, with its token and without a holder."""
    table = desk.table("Lock")
    table.release(table.acquire(desk.partition, "ann", seconds=10))
    stored = desk.stored("Lock", {"id": desk.partition})
    assert stored is not None
    assert not stored.keys() & {"holder", "until"}
    assert stored["fence"] == {"N": "1"}
    assert table.acquire(desk.partition, "bob", seconds=10).token == 2


@pytest.mark.parametrize("name", ["User", "Counter"])
def test_a_model_that_declares_no_lease_cannot_be_leased(desk: Desk, name):
    """The error says which tags are missing, or that a version is in the way."""
    with pytest.raises(InvalidModel, match="lease"):
        desk.table(SCHEMA.model(name)).acquire("x", "ann", seconds=1)
    assert not desk.backend.sent
