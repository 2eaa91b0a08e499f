"""Our signature is botocore's, whatever is signed."""

from __future__ import annotations

import datetime

import botocore.auth
import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotocoreCredentials
from hypothesis import given
from hypothesis import strategies as st

from keypact.backends.credentials import Credentials
from keypact.backends.endpoints import Endpoint, aws_endpoint, read_endpoint
from keypact.backends.http import Client
from keypact.backends.retries import Policy
from keypact.backends.signing import Signer

ENDPOINTS = [
    aws_endpoint("eu-central-1"),
    aws_endpoint("cn-north-1"),
    read_endpoint("http://127.0.0.1:8000"),
    read_endpoint("http://[::1]:8000"),
    read_endpoint("https://dynamodb.us-gov-west-1.amazonaws.com"),
]
TOKENS = st.text("abcXYZ0189+/=", min_size=1, max_size=200)
CREDENTIALS = st.builds(Credentials, TOKENS, TOKENS, st.just("") | TOKENS)
# 2001 to 2096, in seconds since the epoch.
MOMENTS = st.integers(1_000_000_000, 4_000_000_000)


def _by_botocore(
    endpoint: Endpoint, sent: dict[str, str], body: bytes, credentials: Credentials, now: float
) -> dict[str, str]:
    """The headers that botocore adds to the same request at the same moment."""
    moment = datetime.datetime.fromtimestamp(now, datetime.UTC)

    unsigned = ("Authorization", "X-Amz-Date", "X-Amz-Security-Token", "Accept-Encoding", "Host")
    headers = {name: value for name, value in sent.items() if name not in unsigned}
    request = AWSRequest("POST", endpoint.url, headers, body)
    key = BotocoreCredentials(
        credentials.access_key, credentials.secret_key, credentials.token or None
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(botocore.auth, "get_current_datetime", lambda **_: moment)
        botocore.auth.SigV4Auth(key, "dynamodb", endpoint.region).add_auth(request)
    return dict(request.headers)


@given(
    st.sampled_from(ENDPOINTS),
    st.sampled_from(["GetItem", "PutItem", "TransactWriteItems", "Query"]),
    st.binary(max_size=300),
    CREDENTIALS,
    MOMENTS,
)
def test_every_signature_equals_botocores(endpoint, operation, body, credentials, now):
    """Endpoint, operation, body, key, token and time: the same three headers come out."""
    client = Client(endpoint, Policy())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("keypact.backends.http.time.time", lambda: now)
        ours = client.headers(operation, body, credentials)
    theirs = _by_botocore(endpoint, ours, body, credentials, now)
    for name in ("Authorization", "X-Amz-Date", "X-Amz-Security-Token"):
        assert ours.get(name) == theirs.get(name)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=8))
def test_a_cached_key_signs_as_a_fresh_one(steps):
    """Day and credentials may change at any call; no signature is made with a stale key."""
    keys = [Credentials("A", "one"), Credentials("A", "two"), Credentials("B", "one", "token")]
    signer = Signer("host", "eu-west-1")
    for day, key in steps:
        now = 1_700_000_000 + day * 86_400
        fresh = Signer("host", "eu-west-1").sign("target", b"{}", keys[key], now)
        assert signer.sign("target", b"{}", keys[key], now) == fresh
