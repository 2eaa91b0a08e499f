"""A server that fails, and the client's word on what that means: the same sync and async."""

from __future__ import annotations

import time
from dataclasses import replace
from email.utils import formatdate

import pytest

from keypact.backends.credentials import Credentials
from keypact.backends.http import Limits
from keypact.errors import (
    BackendError,
    DynamoDBError,
    OutcomeUnknown,
    Throttled,
    Unavailable,
)

from .clients import (
    ATTEMPTS,
    CONDITIONAL,
    ONCE,
    QUICK,
    READ,
    SAFE,
    AtOnce,
    Awaiting,
)
from .fault_server import FaultServer, Reply, chunked, cut, error, message, ok, plain

GOOD = {"Done": {"S": "yes"}}
THROTTLE = error(400, "ProvisionedThroughputExceededException")
BROKEN = replace(error(500, "InternalServerError"), executes=True)


@pytest.fixture
def server():
    with FaultServer() as running:
        yield running


@pytest.fixture(params=["sync", "async"])
def client(request, server):
    """Makes a way to call the server; both ways keep every promise here."""
    with (Awaiting if request.param == "async" else AtOnce)() as caller:
        yield lambda url=server.url, **options: caller.open(url, **options)


# Throttles and failures that are answers ------------------------------------------------


@pytest.mark.parametrize("operation", [READ, SAFE, ONCE, CONDITIONAL], ids=lambda o: o[0])
@pytest.mark.parametrize("code", ["ThrottlingException", "RequestLimitExceeded"])
def test_a_throttled_request_of_any_kind_is_sent_again(server, client, operation, code):
    """Nothing was written, so even an update may be repeated."""
    server.plan(*[error(400, code)] * (ATTEMPTS - 1))
    assert client()(operation) == GOOD
    assert len(server.requests) == ATTEMPTS
    assert server.executions == 1


@pytest.mark.parametrize("operation", [READ, ONCE], ids=lambda o: o[0])
def test_throttles_without_end_are_told_as_throttled(server, client, operation):
    """The caller learns to slow down, not that the store is broken."""
    server.plan(*[THROTTLE] * 20)
    with pytest.raises(Throttled, match="ProvisionedThroughputExceededException") as caught:
        client()(operation)
    assert caught.value.retryable
    assert len(server.requests) == ATTEMPTS
    assert server.executions == 0


@pytest.mark.parametrize("reply", [BROKEN, plain(502), plain(503)], ids=["500", "502", "503"])
@pytest.mark.parametrize("operation", [READ, SAFE], ids=lambda o: o[0])
def test_a_failure_is_survived_where_sending_twice_is_safe(server, client, operation, reply):
    """Reads and plain puts go through on the next attempt."""
    server.plan(reply, reply)
    assert client()(operation) == GOOD
    assert len(server.requests) == 3


def test_a_read_that_keeps_failing_is_unavailable(server, client):
    """After all attempts, and never more of them."""
    server.plan(*[BROKEN] * 20)
    with pytest.raises(Unavailable, match="InternalServerError"):
        client()(READ)
    assert len(server.requests) == ATTEMPTS


def test_a_safe_write_that_keeps_failing_has_an_unknown_outcome(server, client):
    """Each attempt may have written."""
    server.plan(*[BROKEN] * 20)
    with pytest.raises(OutcomeUnknown):
        client()(SAFE)
    assert len(server.requests) == server.executions == ATTEMPTS


@pytest.mark.parametrize("operation", [ONCE, CONDITIONAL], ids=lambda o: o[0])
@pytest.mark.parametrize("reply", [BROKEN, plain(503, executes=True)], ids=["500", "503"])
def test_a_write_that_may_have_happened_is_not_sent_twice(server, client, operation, reply):
    """A 5xx does not say whether the write was made."""
    server.plan(reply)
    with pytest.raises(OutcomeUnknown) as caught:
        client()(operation)
    assert not caught.value.retryable
    assert server.executions == len(server.requests) == 1


def test_doubt_stays_when_a_later_attempt_is_throttled(server, client):
    """The first attempt may have written, whatever the last one says."""
    server.plan(BROKEN, *[THROTTLE] * 20)
    with pytest.raises(OutcomeUnknown):
        client()(SAFE)


def test_doubt_stays_when_a_later_attempt_is_refused_for_another_reason(server, client):
    """A permission taken away in between says nothing about the first attempt."""
    server.plan(BROKEN, error(400, "AccessDeniedException"))
    with pytest.raises(OutcomeUnknown, match="AccessDeniedException"):
        client()(SAFE)


def test_a_transaction_in_progress_is_asked_for_again(server, client):
    """The token makes it the same transaction; it is carried out once."""
    request = {"TransactItems": [], "ClientRequestToken": "once"}
    server.plan(error(400, "TransactionInProgressException"), ok())
    assert client()(("TransactWriteItems", request)) == GOOD
    server.plan(*[error(400, "TransactionInProgressException")] * 20)
    with pytest.raises(OutcomeUnknown):
        client()(("TransactWriteItems", request))


def test_an_error_answer_keeps_code_message_and_members(server, client):
    """As DynamoDB told them; it is not tried again."""
    item = {"pk": {"S": "a"}}
    server.plan(error(400, "ConditionalCheckFailedException", "no", Item=item))
    with pytest.raises(DynamoDBError) as caught:
        client()(CONDITIONAL)
    assert caught.value.code == "ConditionalCheckFailedException"
    assert caught.value.message == "no"
    assert caught.value.details == {"Item": item}
    assert len(server.requests) == 1


def test_an_answer_from_something_else_is_told_as_such(server, client):
    """A page that refuses is not DynamoDB's error, and is not retried."""
    server.plan(plain(403))
    with pytest.raises(BackendError, match="not by DynamoDB") as caught:
        client()(READ)
    assert not caught.value.retryable
    assert len(server.requests) == 1


# Connections that break -----------------------------------------------------------------


@pytest.mark.parametrize("resets", [False, True], ids=["closed", "reset"])
def test_a_read_cut_off_at_any_byte_is_read_again(server, client, resets):
    """Half an answer is never taken for one."""
    ask = client()
    whole = ok()
    for length in range(len(whole.data)):
        server.plan(cut(whole, length, resets=resets))
        assert ask(READ) == GOOD, length
        assert len(server.requests) == 2, length


@pytest.mark.parametrize("operation", [ONCE, CONDITIONAL], ids=lambda o: o[0])
def test_a_write_cut_off_at_any_byte_has_an_unknown_outcome(server, client, operation):
    """It was carried out, and once."""
    ask = client()
    whole = ok()
    for length in range(len(whole.data)):
        server.plan(cut(whole, length))
        with pytest.raises(OutcomeUnknown):
            ask(operation)
        assert server.executions == 1, length
        assert len(server.requests) == 1, length
    server.plan(replace(whole, closes=True))
    assert ask(operation) == GOOD


def test_an_error_answer_cut_off_at_any_byte_leaves_doubt(server, client):
    """Only a whole refusal is a refusal."""
    ask = client()
    whole = error(400, "ConditionalCheckFailedException")
    for length in range(0, len(whole.data), 3):
        server.plan(cut(whole, length))
        with pytest.raises(OutcomeUnknown):
            ask(CONDITIONAL)


def test_chunked_answers_cut_off_at_any_byte_are_read_again(server, client):
    """Chunks tell their end, too."""
    ask = client()
    whole = chunked(b'{"Done":{"S":"yes"}}', [1, 7, 3])
    server.plan(whole)
    assert ask(READ) == GOOD
    for length in range(len(whole.data)):
        server.plan(cut(whole, length))
        assert ask(READ) == GOOD, length
        assert len(server.requests) == 2, length


@pytest.mark.parametrize("operation", [READ, SAFE, ONCE], ids=lambda o: o[0])
def test_a_server_that_cannot_be_reached_leaves_no_doubt(client, operation):
    """Nothing was sent, so nothing was written."""
    with FaultServer() as gone:
        url = gone.url
    with pytest.raises(Unavailable):
        client(url=url)(operation)


@pytest.mark.parametrize("kind", [AtOnce, Awaiting])
def test_a_server_that_closes_after_each_answer_costs_only_connections(server, kind):
    """With or without saying so, no write is doubted for it."""
    with kind() as caller:
        _check_closing(server, caller)


def _check_closing(server, caller):
    ask = caller.open(server.url)
    for reply in (replace(ok(), closes=True), replace(ok(b"{}", "Connection: close"), closes=True)):
        for _ in range(20):
            server.plan(reply)
            ask(ONCE)
            assert server.executions == 1
            # The close arrives.
            caller.wait(0.01)


def test_connections_are_kept(server, client):
    """Calls one after the other use one."""
    ask = client()
    for _ in range(10):
        ask(READ)
    assert server.connections == 1


# Answers that are wrong -----------------------------------------------------------------

WRONG = {
    "checksum": ok(checksum=1),
    "no number as checksum": Reply(message(200, b"{}", ["x-amz-crc32: many"])),
    "not HTTP": Reply(b"SSH-2.0-OpenSSH_9.7\r\n\r\n", closes=True),
    "not JSON": ok(b"<html></html>"),
    "half JSON": ok(b'{"Item":'),
    "compressed though not asked": ok(b"\x1f\x8b\x08\x00", "Content-Encoding: gzip"),
    "an end that is not told": Reply(b"HTTP/1.1 200 OK\r\n\r\n{}", closes=True),
    "two lengths": Reply(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
    "a length that is none": Reply(b"HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\n{}"),
    "a chunk that is none": Reply(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}"),
    "a status that is none": Reply(b"HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\n{}"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_is_none(server, client, name):
    """A read is asked again; a write that is not safe to repeat is in doubt."""
    ask = client()
    server.plan(replace(WRONG[name], closes=True))
    assert ask(READ) == GOOD
    assert len(server.requests) == 2
    server.plan(replace(WRONG[name], closes=True))
    with pytest.raises(OutcomeUnknown):
        ask(ONCE)
    assert server.executions == 1


def test_a_checksum_vouches_for_an_answer_that_does_not_tell_its_end(server, client):
    """As HTTP/1.0 servers send it."""
    body = b'{"Done":{"S":"yes"}}'
    checksum = message(200, body).partition(b"\r\n")[0] + b"\r\n"
    good = ok(body).data.replace(b"Content-Length: 20\r\n", b"")
    assert good.startswith(checksum)
    server.plan(Reply(good, closes=True))
    assert client()(ONCE) == GOOD


@pytest.mark.parametrize("operation", [READ, ONCE], ids=lambda o: o[0])
@pytest.mark.parametrize("kind", ["told", "chunked", "endless"])
def test_an_answer_beyond_the_limit_is_not_taken_in(server, client, operation, kind):
    """It would be as large the next time, so it is not asked for again."""
    body = b'{"Large":{"S":"' + b"x" * 100_000 + b'"}}'
    endless = Reply(b"HTTP/1.1 200 OK\r\n\r\n" + body, closes=True)
    replies = {"told": ok(body), "chunked": chunked(body, [5000] * 30), "endless": endless}
    server.plan(replies[kind])
    expected = BackendError if operation is READ else OutcomeUnknown
    with pytest.raises(expected, match="50000 bytes"):
        client(limits=Limits(answer_bytes_max=50_000))(operation)
    assert len(server.requests) == 1


def test_a_large_answer_within_the_limit_comes_whole(server, client):
    """Whatever pieces it comes in."""
    body = b'{"Large":{"S":"' + b"x" * 3_000_000 + b'"}}'
    server.plan(ok(body), chunked(body, [1, 70_000, 100_000]))
    ask = client()
    for _ in range(2):
        assert len(ask(READ)["Large"]["S"]) == 3_000_000


def test_a_large_request_is_sent_whole(server, client):
    """Larger than any socket's buffer."""
    request = {"TableName": "t", "Item": {"pk": {"S": "x" * 8_000_000}}}
    assert client()(("PutItem", request)) == GOOD
    assert len(server.requests[0].body) > 8_000_000


# Answers that are late ------------------------------------------------------------------


def test_an_answer_that_is_late_is_not_waited_for(server, client):
    """A read is asked again, a write is in doubt."""
    ask = client(limits=Limits(read_seconds=0.1))
    server.plan(replace(ok(), wait_seconds=0.5))
    assert ask(READ) == GOOD
    assert len(server.requests) == 2
    server.plan(replace(ok(), wait_seconds=0.5))
    with pytest.raises(OutcomeUnknown, match="in time"):
        ask(ONCE)
    assert server.executions == 1


def test_an_answer_that_trickles_ends_with_the_total_time(server, client):
    """A byte now and then does not hold the caller for ever."""
    policy = replace(QUICK, total_seconds=0.4)
    server.plan(*[replace(ok(), trickle_seconds=0.05)] * 10)
    with pytest.raises(Unavailable):
        client(policy=policy)(READ)
    assert len(server.requests) <= 2


def test_pauses_stay_within_the_total_time(server, client):
    """A pause that would end after it is not begun."""
    policy = replace(QUICK, throttle_pause_seconds=1000, pause_seconds_max=1000, total_seconds=0.2)
    server.plan(*[THROTTLE] * 10)
    with pytest.raises(Throttled):
        client(policy=policy)(READ)


# The budget -----------------------------------------------------------------------------


def test_retries_share_a_budget(server, client):
    """Once it is used up, a failing store is asked once a call; successes fill it again."""
    ask = client(policy=replace(QUICK, budget_tokens=10))
    server.plan(*[THROTTLE] * 100)
    for _ in range(5):
        with pytest.raises(Throttled):
            ask(READ)
    assert len(server.requests) == 5 + 2
    server.plan()
    for _ in range(5):
        ask(READ)
    server.plan(THROTTLE)
    assert ask(READ) == GOOD


# Credentials and clocks -----------------------------------------------------------------


class Rotating:
    """Credentials that change when they are renewed."""

    def __init__(self, *keys):
        self.keys = list(keys)

    def cached(self):
        return Credentials(self.keys[0], "secret", "token")

    load = cached

    def renew(self, refused):
        assert refused.access_key == self.keys[0]
        if len(self.keys) > 1:
            self.keys.pop(0)


def test_expired_credentials_are_renewed_once(server, client):
    """Even a write is sent again: it was refused."""
    server.plan(error(400, "ExpiredTokenException"))
    assert client(credentials=Rotating("OLD", "NEW"))(ONCE) == GOOD
    old, new = (request.headers["authorization"] for request in server.requests)
    assert "Credential=OLD/" in old
    assert "Credential=NEW/" in new


def test_credentials_that_stay_expired_are_told(server, client):
    """Renewed once, not for ever."""
    server.plan(*[error(400, "ExpiredTokenException")] * 5)
    with pytest.raises(DynamoDBError, match="ExpiredTokenException"):
        client(credentials=Rotating("OLD", "NEW", "NEWER"))(ONCE)
    assert len(server.requests) == 2


def test_a_wrong_clock_is_put_right_by_the_servers(server, client):
    """For this call and those after it."""
    ahead = formatdate(time.time() + 3600, usegmt=True)
    ask = client()
    server.plan(error(400, "InvalidSignatureException", "Signature expired", f"Date: {ahead}"))
    assert ask(ONCE) == GOOD
    ask(READ)
    dates = [request.headers["x-amz-date"] for request in server.requests]
    hours = [time.strftime("%Y%m%dT%H", time.gmtime(time.time() + s)) for s in (0, 3600, 3600)]
    assert [date[:11] for date in dates] == hours


def test_a_wrong_key_is_not_taken_for_a_wrong_clock(server, client):
    """When the clocks agree, the refusal stands."""
    now = formatdate(usegmt=True)
    server.plan(error(400, "InvalidSignatureException", "no match", f"Date: {now}"))
    with pytest.raises(DynamoDBError, match="InvalidSignatureException"):
        client()(READ)
    assert len(server.requests) == 1


def test_a_session_token_is_not_repeated_in_errors(server, client):
    """DynamoDB tells what should have been signed; the token is part of that."""
    server.plan(error(400, "InvalidSignatureException", "x-amz-security-token:token was signed"))
    with pytest.raises(DynamoDBError) as caught:
        client(credentials=Rotating("KEY"))(READ)
    assert "token:token" not in str(caught.value)
