"""Which requests may be sent twice, and how long is waited."""

from __future__ import annotations

import pytest
from botocore.session import Session

from keypact.backends.retries import RULES, Budget, Policy, Repeat, repeat_of

KEY = {"pk": {"S": "a"}}


@pytest.mark.parametrize("operation", ["GetItem", "Query", "Scan", "BatchGetItem", "ListTables"])
def test_reads_change_nothing(operation):
    """Whatever is in them."""
    assert repeat_of(operation, {}) is Repeat.READ


@pytest.mark.parametrize(
    ("operation", "request_", "expected"),
    [
        ("PutItem", {"Item": KEY}, Repeat.SAFE),
        ("PutItem", {"Item": KEY, "ReturnValues": "NONE"}, Repeat.SAFE),
        ("PutItem", {"Item": KEY, "ReturnConsumedCapacity": "TOTAL"}, Repeat.SAFE),
        # The old item of the second attempt is the new one.
        ("PutItem", {"Item": KEY, "ReturnValues": "ALL_OLD"}, Repeat.UNSAFE),
        ("PutItem", {"Item": KEY, "ConditionExpression": "a = :b"}, Repeat.UNSAFE),
        ("PutItem", {"Item": KEY, "Expected": {"a": {"Exists": False}}}, Repeat.UNSAFE),
        ("DeleteItem", {"Key": KEY}, Repeat.SAFE),
        ("DeleteItem", {"Key": KEY, "ReturnValues": "ALL_OLD"}, Repeat.UNSAFE),
        ("DeleteItem", {"Key": KEY, "ConditionExpression": "a = :b"}, Repeat.UNSAFE),
        ("UpdateItem", {"Key": KEY, "UpdateExpression": "SET a = :b"}, Repeat.UNSAFE),
        ("BatchWriteItem", {"RequestItems": {}}, Repeat.SAFE),
        ("TransactWriteItems", {"TransactItems": []}, Repeat.UNSAFE),
        ("TransactWriteItems", {"ClientRequestToken": "x"}, Repeat.SAFE),
        ("ExecuteTransaction", {}, Repeat.UNSAFE),
        ("ExecuteStatement", {"Statement": " select * from t"}, Repeat.READ),
        ("ExecuteStatement", {"Statement": "INSERT INTO t"}, Repeat.UNSAFE),
        ("ExecuteStatement", {"Statement": "SELECTED"}, Repeat.UNSAFE),
        ("CreateTable", {}, Repeat.UNSAFE),
        ("NoSuchOperation", {}, Repeat.UNSAFE),
    ],
)
def test_a_write_is_repeated_only_where_twice_is_as_once(operation, request_, expected):
    """The request decides, not the operation alone."""
    assert repeat_of(operation, request_) is expected


def test_every_rule_is_about_an_operation_that_exists():
    """In botocore's model of DynamoDB."""
    assert set(RULES) <= set(Session().get_service_model("dynamodb").operation_names)


def test_pauses_are_drawn_from_nothing_up_to_a_doubling_bound():
    """Full jitter: clients that failed together do not return together."""
    policy = Policy(failure_pause_seconds=0.1, throttle_pause_seconds=1, pause_seconds_max=0.5)
    for attempts, bound in ((1, 0.1), (2, 0.2), (3, 0.4), (4, 0.5), (30, 0.5)):
        pauses = [policy.pause(attempts, throttled=False) for _ in range(300)]
        assert 0 <= min(pauses) < bound / 4
        assert bound * 3 / 4 < max(pauses) <= bound
    assert max(policy.pause(1, throttled=True) for _ in range(300)) > 0.3


def test_the_budget_bounds_retries_and_fills_with_successes():
    """A hundred retries at first; then one for five first successes."""
    budget = Budget(500)
    assert sum(budget.take() for _ in range(200)) == 100
    for _ in range(4):
        budget.give(1)
    assert not budget.take()
    budget.give(1)
    assert budget.take()
    for _ in range(1000):
        budget.give(2)
    assert budget.tokens == 500
