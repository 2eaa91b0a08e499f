"""transact_write and transact_get: all or nothing, over several tables."""

from __future__ import annotations

import uuid

import pytest

from keypact.conditions import F
from keypact.errors import InvalidModel, TransactionCanceled
from tests.operations.tables import Desk


def test_writes_to_several_tables_happen_together(desk: Desk):
    """Create, update, modify, delete and check in one transaction."""
    users, counters = desk.table(), desk.table("Counter")
    made = users.create(desk.user("old", age=1))
    users.create(desk.user("gone"))
    for name in ("a", "b"):
        counters.create({"name": f"{desk.partition}-{name}", "owner": "o", "count": 1})
    desk.backend.sent.clear()
    desk.pass_time(1)
    users.transact_write(
        [
            users.creating(desk.user("new"), if_not_exists=True),
            users.updating({**desk.shown(made), "age": 2}, fields=["age"]),
            users.deleting((desk.partition, "gone"), version=0),
            counters.modifying(f"{desk.partition}-a", [F("count").add(5)]),
            counters.checking(f"{desk.partition}-b", F("count") == 1),
        ]
    )
    assert desk.backend.operations == ["TransactWriteItems"]
    assert desk.shown(users.get((desk.partition, "new")))["version"] == 0
    old = desk.shown(users.get((desk.partition, "old")))
    assert (old["age"], old["version"], old["updatedAt"]) == (2, 1, "2026-01-16T00:00:01Z")
    assert users.find((desk.partition, "gone")) is None
    assert counters.get(f"{desk.partition}-a")["count"] == 6


def test_one_refusal_cancels_all_with_a_reason_for_each(desk: Desk):
    """Reasons are in the order of the writes; nothing is written."""
    users, counters = desk.table(), desk.table("Counter")
    users.create(desk.user("there"))
    with pytest.raises(TransactionCanceled) as caught:
        users.transact_write(
            [
                counters.creating({"name": desk.partition, "owner": "o"}),
                users.creating(desk.user("there"), if_not_exists=True),
                users.updating(desk.user("none", version=0, age=1), fields=["age"]),
            ]
        )
    error = caught.value
    assert error.code == "ErrTransactionCanceled"
    assert [reason.code for reason in error.reasons] == [
        "None",
        "ConditionalCheckFailed",
        "ConditionalCheckFailed",
    ]
    assert "item 1" in str(error)
    assert "item 2" in str(error)
    assert counters.find(desk.partition) is None


def test_a_token_makes_the_same_writes_once(desk: Desk):
    """Sent again under its token, an increment does not happen twice."""
    counters = desk.table("Counter")
    counters.create({"name": desk.partition, "owner": "o", "count": 1})
    writes = [counters.modifying(desk.partition, [F("count").add(1)])]
    token = str(uuid.uuid4())
    counters.transact_write(writes, token=token)
    counters.transact_write(writes, token=token)
    assert [request["ClientRequestToken"] for _, request in desk.backend.sent[1:]] == [token] * 2
    assert counters.get(desk.partition)["count"] == 2


def test_there_is_always_a_token_and_never_the_same(desk: Desk):
    """So that a retry on the way cannot write twice."""
    counters = desk.table("Counter")
    for number in range(2):
        counters.transact_write(
            [counters.creating({"name": f"{desk.partition}-{number}", "owner": "o"})]
        )
    tokens = {request["ClientRequestToken"] for _, request in desk.backend.sent}
    assert len(tokens) == 2
    assert all(1 <= len(token) <= 36 for token in tokens)


def test_items_are_read_together_in_order(desk: Desk):
    """Each decoded by its own table; None where there is none."""
    users, counters = desk.table(), desk.table("Counter")
    made = users.create(desk.user(age=1))
    counter = counters.create({"name": desk.partition, "owner": "o"})
    found = users.transact_get(
        [
            counters.getting(desk.partition),
            users.getting((desk.partition, "none")),
            users.getting(made),
        ]
    )
    assert found == [counter, None, made]


@pytest.mark.parametrize("count", [0, 101])
def test_a_transaction_has_1_to_100_items(desk: Desk, count):
    """DynamoDB's bound, told before any call."""
    counters = desk.table("Counter")
    items = [{"name": f"{desk.partition}-{number}", "owner": "o"} for number in range(count)]
    with pytest.raises(InvalidModel, match="100"):
        counters.transact_write([counters.creating(item) for item in items])
    with pytest.raises(InvalidModel, match="100"):
        counters.transact_get([counters.getting(item["name"]) for item in items])
    assert not desk.backend.sent
