"""Signatures: botocore signs, the server verifies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from keypact.engine.errors import (
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    UnrecognizedClientException,
)
from keypact.engine.http import Request
from keypact.engine.signature import Verifier, require_signature

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"


def signed(
    body: bytes = b"{}",
    *,
    path: str = "/",
    key: str = KEY,
    secret: str = SECRET,
    token: str | None = None,
    region: str = "eu-central-1",
    service: str = "dynamodb",
    headers: dict[str, str] | None = None,
) -> Request:
    """A request as botocore signs it and as it arrives."""
    request = AWSRequest(
        "POST",
        f"http://127.0.0.1:8000{path}",
        data=body,
        headers={
            "X-Amz-Target": "DynamoDB_20120810.ListTables",
            "Content-Type": "application/x-amz-json-1.0",
            **(headers or {}),
        },
    )
    SigV4Auth(Credentials(key, secret, token), service, region).add_auth(request)
    prepared = request.prepare()
    arrived = {
        name.lower().encode(): value.encode() if isinstance(value, str) else value
        for name, value in prepared.headers.items()
    }
    return Request(b"POST", path.encode(), {b"host": b"127.0.0.1:8000", **arrived}, body)


def signed_at(request: Request) -> datetime:
    text = request.headers[b"x-amz-date"].decode()
    return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


def verify(request: Request, *, later: timedelta = timedelta()) -> None:
    """Verify as if it arrived that much after it was signed."""
    Verifier({KEY: SECRET}, clock=(signed_at(request) + later).timestamp).verify(request)


# What is accepted -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"body": b""},
        {"body": '{"TableName":"Größe"}'.encode()},
        {"token": "a-session-token"},
        {"region": "us-gov-west-1"},
        {"path": "/some/path"},
        {"path": "/?b=2&a=1&a=0"},
        {"headers": {"X-Amz-Extra": "  several   spaces  "}},
    ],
    ids=str,
)
def test_what_botocore_signs_is_accepted(options):
    """Every form of request that the SDK can send."""
    verify(signed(**options))


@given(body=st.binary(max_size=200), value=st.text("abc XYZ019;,=/+", max_size=30))
def test_any_body_and_header_botocore_signs_is_accepted(body, value):
    """The signature is computed as botocore's, whatever it covers."""
    verify(signed(body, headers={"X-Amz-Meta": value}))


@pytest.mark.parametrize("minutes", [-5, 5])
def test_clocks_may_differ_by_five_minutes(minutes):
    """Either way."""
    verify(signed(), later=timedelta(minutes=minutes))


# What is refused --------------------------------------------------------------------------


def changed(request: Request, **headers: str) -> Request:
    new = {name.replace("_", "-").encode(): text.encode() for name, text in headers.items()}
    return Request(request.method, request.url, {**request.headers, **new}, request.body)


@pytest.mark.parametrize(
    "request_",
    [
        Request(b"POST", b"/", signed().headers, b'{"Limit":1}'),
        Request(b"PUT", b"/", signed().headers, b"{}"),
        Request(b"POST", b"/other", signed().headers, b"{}"),
        Request(b"POST", b"/?a=1", signed().headers, b"{}"),
        changed(signed(), x_amz_target="DynamoDB_20120810.DeleteTable"),
        changed(signed(), host="elsewhere:8000"),
        signed(secret="another"),
    ],
    ids=["body", "method", "path", "query", "target", "host", "secret"],
)
def test_a_signature_fits_one_request_and_one_secret(request_):
    """Whatever is changed after signing, the request is refused."""
    with pytest.raises(InvalidSignatureException, match="does not match"):
        verify(request_)


def test_an_unknown_key_is_refused():
    """As DynamoDB does, without saying more."""
    with pytest.raises(UnrecognizedClientException):
        verify(signed(key="AKIDOTHER"))


@pytest.mark.parametrize(
    ("seconds", "text"), [(301, "Signature expired"), (-301, "Signature not yet current")]
)
def test_an_old_or_future_signature_is_refused(seconds, text):
    """A recorded request cannot be sent again later."""
    with pytest.raises(InvalidSignatureException, match=text):
        verify(signed(), later=timedelta(seconds=seconds))


def test_a_signature_for_another_service_is_refused():
    """It was made for someone else."""
    with pytest.raises(InvalidSignatureException, match="correct service"):
        verify(signed(service="s3"))


@pytest.mark.parametrize("name", ["host", "x-amz-target"])
def test_what_decides_must_be_signed(name):
    """A signature that leaves out the host or the operation could be put on another request."""
    request = signed()
    authorization = request.headers[b"authorization"].decode()
    with pytest.raises(InvalidSignatureException, match=f"'{name}' must be a 'SignedHeader'"):
        verify(changed(request, authorization=authorization.replace(name, "x-other")))


def test_a_signature_of_another_day_is_refused():
    """The day in the scope is the day of the date header."""
    request = signed()
    day = signed_at(request).strftime("/%Y%m%d/")
    authorization = request.headers[b"authorization"].decode().replace(day, "/20200101/")
    with pytest.raises(InvalidSignatureException, match="Credential scope"):
        verify(changed(request, authorization=authorization))


@pytest.mark.parametrize(
    "authorization",
    [
        "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Signature=b",
        "AWS4-HMAC-SHA256 Credential=a/b/c, SignedHeaders=host, Signature=b",
        "AWS4-HMAC-SHA256 Credential=, SignedHeaders=, Signature=",
        "AWS4-HMAC-SHA256 Credential=é/1/2/3/4/5, SignedHeaders=é, Signature=é",
    ],
)
def test_a_credential_that_cannot_be_read_is_refused(authorization):
    """Malformed is an answer, not a crash."""
    with pytest.raises(IncompleteSignatureException):
        verify(changed(signed(), authorization=authorization))


@pytest.mark.parametrize("date", ["", "yesterday", "20250230T000000Z", "2025-01-01T00:00:00Z"])
def test_a_date_that_cannot_be_read_is_refused(date):
    """Malformed is an answer, not a crash."""
    with pytest.raises(IncompleteSignatureException, match="Date must be"):
        Verifier({KEY: SECRET}).verify(changed(signed(), x_amz_date=date))


def test_a_signature_that_is_not_ascii_is_refused():
    """The comparison takes any bytes."""
    request = signed()
    authorization = request.headers[b"authorization"].decode("latin-1")
    start = authorization.partition("Signature=")[0]
    with pytest.raises(InvalidSignatureException):
        verify(changed(request, authorization=f"{start}Signature=éé"))


# Without keys -----------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [{}, {b"authorization": b"Bearer abc"}])
def test_a_request_must_be_signed_by_someone(headers):
    """As DynamoDB does, even where nobody verifies."""
    with pytest.raises(MissingAuthenticationTokenException):
        require_signature(headers)


@pytest.mark.parametrize("part", ["Credential", "SignedHeaders", "Signature"])
def test_a_signature_must_have_its_parts(part):
    """The message names the part that is missing."""
    request = signed()
    authorization = request.headers[b"authorization"].replace(f"{part}=".encode(), b"Other=")
    headers = {**request.headers, b"authorization": authorization}
    with pytest.raises(IncompleteSignatureException, match=f"requires '{part}' parameter"):
        require_signature(headers)


def test_a_signature_must_have_a_date():
    """In one of the two headers that can carry it."""
    headers = dict(signed().headers)
    del headers[b"x-amz-date"]
    with pytest.raises(IncompleteSignatureException, match="'X-Amz-Date' or a 'Date'"):
        require_signature(headers)


def test_any_signature_will_do_without_keys():
    """Nothing is verified."""
    require_signature(signed(secret="whatever").headers)


def test_a_verifier_shows_no_secret():
    """Printed or logged, it says nothing of its keys."""
    assert SECRET not in repr(Verifier({KEY: SECRET}))
