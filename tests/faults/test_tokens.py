"""A ClientRequestToken makes a transaction happen once, for ten minutes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from keypact.engine import Engine
from keypact.engine.errors import IdempotentParameterMismatchException, TransactionCanceledException
from keypact.errors import DynamoDBError

from . import workloads
from .children import OtherProcess

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
TOKEN_SECONDS = 600


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(tmp_path, clock) -> Iterator[Engine]:
    engine = Engine(tmp_path, clock=clock)
    workloads.create_table(EngineBackend(engine), "counters")
    yield engine
    engine.close()


class EngineBackend:
    """An engine with a clock of its own, called as a backend is."""

    def __init__(self, engine: Engine) -> None:
        self.call = engine.execute


def add(amount: int, token: str, **members: Any) -> dict[str, Any]:
    """A transaction that shows how often it happened."""
    update = {
        "TableName": "counters",
        "Key": {"pk": {"S": "sum"}},
        "UpdateExpression": "ADD amount :n",
        "ExpressionAttributeValues": {":n": {"N": str(amount)}},
    }
    return {"TransactItems": [{"Update": update | members}], "ClientRequestToken": token}


def total(engine: Engine) -> int:
    item = workloads.get(EngineBackend(engine), "counters", "sum")
    return 0 if item is None else int(item["amount"]["N"])


def test_the_same_request_happens_once(engine):
    """The second call succeeds and changes nothing."""
    for _ in range(3):
        assert engine.execute("TransactWriteItems", add(1, "t")) == {}
    assert total(engine) == 1


def test_another_token_is_another_request(engine):
    """Tokens are told apart, and a call without one always happens."""
    for token in ("a", "b"):
        engine.execute("TransactWriteItems", add(1, token))
    request = add(1, "unused")
    del request["ClientRequestToken"]
    engine.execute("TransactWriteItems", request)
    engine.execute("TransactWriteItems", request)
    assert total(engine) == 4


def test_a_token_used_for_another_request_is_refused(engine):
    """Nothing of the second request happens."""
    engine.execute("TransactWriteItems", add(1, "t"))
    with pytest.raises(IdempotentParameterMismatchException):
        engine.execute("TransactWriteItems", add(2, "t"))
    assert total(engine) == 1


def test_a_token_lasts_ten_minutes(engine, clock):
    """Just before the end the request is the same one; after it, a new one."""
    engine.execute("TransactWriteItems", add(1, "t"))
    clock.now += TOKEN_SECONDS - 1
    engine.execute("TransactWriteItems", add(1, "t"))
    assert total(engine) == 1
    clock.now += 2
    engine.execute("TransactWriteItems", add(1, "t"))
    assert total(engine) == 2
    # And that one lasts ten minutes again.
    clock.now += TOKEN_SECONDS - 1
    engine.execute("TransactWriteItems", add(1, "t"))
    assert total(engine) == 2


def test_after_ten_minutes_a_token_is_free_for_another_request(engine, clock):
    """What it was used for before is forgotten."""
    engine.execute("TransactWriteItems", add(1, "t"))
    clock.now += TOKEN_SECONDS + 1
    engine.execute("TransactWriteItems", add(10, "t"))
    assert total(engine) == 11


def test_a_repeat_does_not_check_its_conditions_again(engine):
    """It answers as the first call did, though its condition would fail now."""
    request = add(1, "t", ConditionExpression="attribute_not_exists(pk)")
    engine.execute("TransactWriteItems", request)
    assert engine.execute("TransactWriteItems", request) == {}
    assert total(engine) == 1


def test_a_cancelled_request_may_be_tried_again_with_its_token(engine):
    """Only what happened is remembered."""
    request = add(1, "t", ConditionExpression="attribute_exists(pk)")
    with pytest.raises(TransactionCanceledException):
        engine.execute("TransactWriteItems", request)
    engine.execute("PutItem", {"TableName": "counters", "Item": {"pk": {"S": "sum"}}})
    engine.execute("TransactWriteItems", request)
    engine.execute("TransactWriteItems", request)
    assert total(engine) == 1


def test_a_token_outlives_the_process(tmp_path, engine, clock):
    """A client that retries after our restart is still told apart from a new request."""
    engine.execute("TransactWriteItems", add(1, "t"))
    engine.close()
    again = Engine(tmp_path, clock=clock)
    again.execute("TransactWriteItems", add(1, "t"))
    assert total(again) == 1
    again.close()


def test_threads_with_one_token_do_it_once(engine):
    """All of them succeed, however they meet."""
    with ThreadPoolExecutor(8) as pool:
        for number in range(20):
            requests = [add(1, f"t{number}") for _ in range(8)]
            list(pool.map(engine.execute, ["TransactWriteItems"] * 8, requests))
    assert total(engine) == 20


def test_processes_with_one_token_do_it_once(tmp_path):
    """Two processes, each told at the same time, again and again."""
    with ExitStack() as stack:
        others = [stack.enter_context(OtherProcess()) for _ in range(2)]
        for other in others:
            other.open(tmp_path)
        workloads.create_table(others[0], "counters")
        for number in range(20):
            for other in others:
                other.send("TransactWriteItems", add(1, f"t{number}"))
            assert [other.receive() for other in others] == [{}, {}]
        with pytest.raises(DynamoDBError, match="IdempotentParameterMismatchException"):
            others[0].call("TransactWriteItems", add(2, "t0"))
        item = workloads.get(others[1], "counters", "sum")
    assert item == {"pk": {"S": "sum"}, "amount": {"N": "20"}}
