"""DynamoDB's JSON protocol: what the server answers to right and wrong requests.

The order in which faults are found is what dynalite and dynoxide agree on.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from keypact.engine import Engine, server
from keypact.engine.server import running

SIGNED = {
    "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=b",
    "X-Amz-Date": "20260101T000000Z",
}
JSON = {"Content-Type": "application/x-amz-json-1.0"}
LIST = {"X-Amz-Target": "DynamoDB_20120810.ListTables"}
WHOLE = SIGNED | JSON | LIST


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def error(self) -> str:
        return self.json["__type"].rpartition("#")[2]


def ask(
    url: str,
    body: str | bytes | None = "{}",
    headers: dict[str, str] = WHOLE,
    *,
    method: str = "POST",
    path: str = "/",
) -> Answer:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return Answer(response.status, dict(response.getheaders()), response.read().decode())
    finally:
        connection.close()


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def url(engine: Engine) -> Iterator[str]:
    with running(engine) as url:
        yield url


def test_an_operation_is_answered(url):
    """A POST with a target and a JSON object gets the engine's answer."""
    answer = ask(url)
    assert (answer.status, answer.json) == (200, {"TableNames": []})
    assert answer.headers["Content-Type"] == "application/x-amz-json-1.0"


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/x-amz-json-1.0; charset=utf-8", "Application/JSON"],
)
def test_content_types_that_are_json(url, content_type):
    """Both names of JSON are taken, with parameters or without."""
    assert ask(url, headers=WHOLE | {"Content-Type": content_type}).status == 200


def test_the_path_does_not_matter(url):
    """Operations are chosen by the target alone."""
    assert ask(url, path="/any/path").status == 200


def test_a_browser_or_a_probe_sees_health(url):
    """GET answers that the service is there, signed or not."""
    answer = ask(url, None, {}, method="GET")
    assert answer.status == 200
    assert answer.text.startswith("healthy: dynamodb.")


def test_a_head_request_has_no_body(url):
    """A probe by HEAD sees the same status, and the connection stays in step."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    for method in ("HEAD", "GET"):
        connection.request(method, "/")
        response = connection.getresponse()
        assert response.status == 200
        response.read()
    connection.close()


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("PUT", WHOLE),
        ("DELETE", WHOLE),
        ("OPTIONS", {"Origin": "http://example.com"}),
        ("POST", SIGNED | LIST | {"Content-Type": "text/plain"}),
        ("POST", SIGNED | LIST),
    ],
    ids=["put", "delete", "options", "text", "no content type"],
)
def test_what_is_not_the_protocol_is_not_found(url, method, headers):
    """404, and nothing that lets a web page read the data."""
    answer = ask(url, "{}", headers, method=method)
    assert answer.status == 404
    assert "UnknownOperationException" in answer.text
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize(
    ("body", "headers", "error"),
    [
        # JSON is read first,
        ("{", WHOLE, "SerializationException"),
        ("{", JSON, "SerializationException"),
        ("", WHOLE, "SerializationException"),
        # then the target is looked at,
        ("", {}, "UnknownOperationException"),
        ("{}", JSON | SIGNED, "UnknownOperationException"),
        ("{}", JSON, "UnknownOperationException"),
        ("{}", WHOLE | {"X-Amz-Target": "ListTables"}, "UnknownOperationException"),
        ("{}", WHOLE | {"X-Amz-Target": "DynamoDB_20110810.Scan"}, "UnknownOperationException"),
        ("{}", WHOLE | {"X-Amz-Target": "DynamoDB_20120810.Nope"}, "UnknownOperationException"),
        ("{}", WHOLE | {"X-Amz-Target": "DynamoDB_20120810."}, "UnknownOperationException"),
        ("{}", WHOLE | {"X-Amz-Target": "DynamoDB_20120810.\xff"}, "UnknownOperationException"),
        # then the signature,
        ("{}", JSON | LIST, "MissingAuthenticationTokenException"),
        ("{}", WHOLE | {"Authorization": "AWS4-HMAC-SHA256"}, "IncompleteSignatureException"),
        # then what the object says.
        ("[]", WHOLE, "SerializationException"),
        ("null", WHOLE, "SerializationException"),
        ('"text"', WHOLE, "SerializationException"),
    ],
)
def test_a_fault_is_named_in_the_order_dynamodb_looks(url, body, headers, error):
    """400 with the name of the first fault."""
    answer = ask(url, body, headers)
    assert (answer.status, answer.error) == (400, error)


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe",
        b'{"TableName": "\xff"}',
        b'{"TableName": "a\x00b"}',
        b'{"TableName": "\\ud800"}',
        b'{"Limit": 1e999999}',
        b'{"Limit": 01}',
        b'{"Limit": NaN}',
        b"{} {}",
        b"{'a': 1}",
        b"[" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"\x00" * 100,
    ],
    ids=range(12),
)
def test_a_body_that_is_not_json_is_a_serialization_error(url, body):
    """400, and the server goes on."""
    answer = ask(url, body)
    assert (answer.status, answer.error) == (400, "SerializationException")
    assert ask(url).status == 200


def test_an_error_carries_its_further_members(url):
    """Code, message and payload are where SDKs look for them."""
    client = boto3.client("dynamodb", endpoint_url=url, config=Config(retries={"max_attempts": 1}))
    with pytest.raises(ClientError) as caught:
        client.describe_table(TableName="missing")
    assert caught.value.response["Error"]["Code"] == "ResourceNotFoundException"
    assert caught.value.response["Error"]["Message"]
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


class Broken:
    """An engine with a bug."""

    region = "local"

    def __init__(self, *, writes: bool) -> None:
        self.writes = writes

    def prepare(self, operation: str, request: dict[str, Any]) -> Broken:
        return self

    def run_read(self, prepared: Broken) -> bytes:
        raise RuntimeError("a bug")

    def run_writes(self, batch: list[Broken]) -> list[bytes]:
        raise RuntimeError("a bug")


@pytest.mark.parametrize("commit_on_loop", [False, True])
@pytest.mark.parametrize("writes", [False, True])
def test_a_bug_of_ours_is_an_internal_error(writes, commit_on_loop, caplog):
    """500, in the log with its traceback, and the server goes on."""
    engine: Any = Broken(writes=writes)
    with (
        running(engine, commit_on_loop=commit_on_loop) as url,
        caplog.at_level(logging.ERROR),
    ):
        for _ in range(2):
            answer = ask(url)
            assert (answer.status, answer.error) == (500, "InternalServerError")
            assert "a bug" not in answer.text
    assert "a bug" in caplog.text


# Keys -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def guarded(engine: Engine) -> Iterator[str]:
    with running(engine, keys={"ann": "her secret"}) as url:
        yield url


def client_of(url: str, key: str, secret: str) -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name="eu-west-3",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        config=Config(retries={"max_attempts": 1}),
    )


def test_with_keys_the_right_one_opens(guarded):
    """boto3 with the key and its secret is served."""
    assert client_of(guarded, "ann", "her secret").list_tables()["TableNames"] == []


@pytest.mark.parametrize(
    ("key", "secret", "code"),
    [
        ("ann", "a guess", "InvalidSignatureException"),
        ("bob", "her secret", "UnrecognizedClientException"),
    ],
)
def test_with_keys_others_stay_outside(guarded, key, secret, code):
    """A wrong secret and an unknown key are refused, each with DynamoDB's own error."""
    with pytest.raises(ClientError) as caught:
        client_of(guarded, key, secret).list_tables()
    assert caught.value.response["Error"]["Code"] == code


# Starting ---------------------------------------------------------------------------------


def test_a_port_in_use_is_an_error(engine):
    """Two servers never share a port by accident."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use"), running(engine, port=port):
            pass


def test_plain_asyncio_will_do(engine, monkeypatch):
    """Where there is no uvloop the server runs without."""
    monkeypatch.setattr(server, "new_event_loop", asyncio.new_event_loop)
    with running(engine) as url:
        assert ask(url).json == {"TableNames": []}


def test_an_ipv6_address_is_written_as_one(engine):
    """The URL that is given can be used as it is."""
    try:
        with running(engine, host="::1") as url:
            assert url.startswith("http://[::1]:")
            assert ask(url).status == 200
    except OSError as error:
        pytest.skip(f"no IPv6 here: {error}")
