"""One way to ask any engine: engine.call(operation, request) -> Answer.

HTTP engines are spoken to without an SDK, so that requests an SDK would refuse reach them.
"""

from __future__ import annotations

import base64
import datetime
import http.client
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.witnesses import servers

if TYPE_CHECKING:
    from collections.abc import Callable

TARGET = "DynamoDB_20120810."
REGION = "us-east-1"
ACCESS_KEY = "AKIAIOSFODNN7EXAMPLE"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
TIMEOUT_SECONDS = 30

# What the driver answers with when the engine hangs up instead of answering.
NO_ANSWER = "NoAnswer"


@dataclass(frozen=True)
class Answer:
    """What an engine said. `code` is the short name of the error, empty on success."""

    status: int
    body: dict[str, Any]
    code: str = ""

    @property
    def ok(self) -> bool:
        """Whether the operation succeeded."""
        return not self.code


class Embedded:
    """The engine in this process, through keypact.connect("memory:")."""

    name = "embedded"

    def __init__(self) -> None:
        import keypact

        self._backend = keypact.connect("memory:")

    def call(self, operation: str, request: Any) -> Answer:
        """Run the operation in process."""
        from keypact.errors import DynamoDBError

        try:
            return Answer(200, self._backend.call(operation, request))
        except DynamoDBError as error:
            return Answer(400, dict(error.details), error.code)

    def close(self) -> None:
        """Close the backend."""
        self._backend.close()


class Http:
    """An engine behind HTTP, asked without an SDK over one connection kept alive.

    `ended` turns true when the engine has hung up instead of answering.
    """

    def __init__(self, name: str, endpoint: str, release: Callable[[], None] | None = None) -> None:
        self.name = name
        self.endpoint = endpoint
        self.ended = False
        self._release = release
        url = urlsplit(endpoint)
        kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(url.hostname or "", url.port, timeout=TIMEOUT_SECONDS)

    def call(self, operation: str, request: Any) -> Answer:
        """Send the request as JSON 1.0, escaped to ASCII so that any string can be sent."""
        return self.send(json.dumps(request).encode(), target=TARGET + operation)

    def send(
        self,
        body: bytes,
        *,
        target: str | None = None,
        headers: dict[str, str] | None = None,
        method: str = "POST",
    ) -> Answer:
        """Send these very bytes. A header given as an empty string is left out."""
        sent = {"Content-Type": "application/x-amz-json-1.0", **self._signature(body)}
        if target is not None:
            sent["X-Amz-Target"] = target
        sent.update(headers or {})
        sent = {name: value for name, value in sent.items() if value}
        for attempt in (1, 2):
            try:
                self._connection.request(method, "/", body, sent)
                response = self._connection.getresponse()
                text = response.read()
                break
            except (http.client.HTTPException, OSError):
                # A server may close an idle connection, but not twice in a row.
                self._connection.close()
                if attempt == 2:
                    self.ended = True
                    return Answer(0, {}, NO_ANSWER)
        return _read_answer(response.status, text)

    def _signature(self, body: bytes) -> dict[str, str]:
        if self.name == "endpoint":
            return _signed(self.endpoint, body)
        return dict(_DUMMY_SIGNATURE)

    def close(self) -> None:
        """Close the connection and let go of the server."""
        self._connection.close()
        if self._release:
            self._release()


# Well formed, and of a key nobody has: local engines read it, and check nothing.
_DUMMY_SIGNATURE = {
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": (
        f"AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/20260101/{REGION}/dynamodb/aws4_request, "
        f"SignedHeaders=host;x-amz-date;x-amz-target, Signature={'0' * 64}"
    ),
}


def _signed(endpoint: str, body: bytes) -> dict[str, str]:
    """A true signature, for an endpoint that checks it."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.session import Session

    session = Session()
    region = session.get_config_variable("region") or REGION
    request = AWSRequest("POST", endpoint, data=body)
    SigV4Auth(session.get_credentials(), "dynamodb", region).add_auth(request)
    return dict(request.headers)


def _read_answer(status: int, text: bytes) -> Answer:
    try:
        body = json.loads(text) if text else {}
    except ValueError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    if status == 200:
        return Answer(200, body)
    code = str(body.pop("__type", "") or f"HTTP {status}").rsplit("#", 1)[-1]
    body.pop("message", None)
    body.pop("Message", None)
    return Answer(status, body, code)


class Boto3:
    """boto3 on an engine behind HTTP. B is base64 text here as everywhere in these tests."""

    def __init__(self, name: str, endpoint: str, release: Callable[[], None] | None = None) -> None:
        import boto3
        from botocore.config import Config

        self.name = name
        self._release = release
        self._client = boto3.client(
            "dynamodb",
            endpoint_url=endpoint,
            region_name=REGION,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
            config=Config(retries={"max_attempts": 0}, read_timeout=TIMEOUT_SECONDS),
        )

    def call(self, operation: str, request: Any) -> Answer:
        """Call the client's method for the operation."""
        from botocore import xform_name
        from botocore.exceptions import ClientError

        method = getattr(self._client, xform_name(operation))
        try:
            body = method(**_binary(request, _decode))
        except ClientError as error:
            body = _from_boto3(error.response)
            body.pop("message", None)
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            return Answer(status, body, error.response["Error"]["Code"])
        return Answer(200, _from_boto3(body))

    @staticmethod
    def can_send(operation: str, request: Any) -> bool:
        """Whether botocore's own validation lets the request through."""
        from botocore.validate import ParamValidator

        model = _service_model()
        if operation not in model.operation_names or not isinstance(request, dict):
            return False
        try:
            json.dumps(request, ensure_ascii=False).encode()
            shape = model.operation_model(operation).input_shape
            report = ParamValidator().validate(_binary(request, _decode), shape)
        except (ValueError, TypeError, AttributeError):
            return False
        return not report.has_errors()

    def close(self) -> None:
        """Close the client and let go of the server."""
        self._client.close()
        if self._release:
            self._release()


def _decode(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


_SERVICE_MODELS: list[Any] = []


def _service_model() -> Any:
    if not _SERVICE_MODELS:
        from botocore.session import Session

        _SERVICE_MODELS.append(Session().get_service_model("dynamodb"))
    return _SERVICE_MODELS[0]


def _from_boto3(body: Any) -> Any:
    body = {
        name: value for name, value in body.items() if name not in ("ResponseMetadata", "Error")
    }
    return _plain(_binary(body, lambda data: base64.b64encode(data).decode()))


def _plain(value: Any) -> Any:
    """Dates as the seconds they were on the wire."""
    if isinstance(value, datetime.datetime):
        return value.timestamp()
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return value


def _binary(value: Any, convert: Callable[[Any], Any]) -> Any:
    """The same structure with every B and BS converted."""
    if isinstance(value, list):
        return [_binary(member, convert) for member in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        if isinstance(value.get("B"), (str, bytes)):
            return {"B": convert(value["B"])}
        if isinstance(value.get("BS"), list):
            return {"BS": [convert(member) for member in value["BS"]]}
    return {name: _binary(member, convert) for name, member in value.items()}


Engine = Embedded | Http | Boto3

OURS = ("embedded", "wire", "boto3")
ENDPOINT_VARIABLE = "KEYPACT_DYNAMODB_ENDPOINT"
REQUIRED_VARIABLE = "KEYPACT_WITNESSES"


def engine_names() -> list[str]:
    """Every engine the tests compare, ours first."""
    names = [*OURS, *servers.WITNESSES]
    if os.environ.get(ENDPOINT_VARIABLE):
        names.append("endpoint")
    return names


def open_engine(name: str) -> Engine:
    """The engine of that name, started if need be. Raises servers.Missing."""
    if name == "embedded":
        return Embedded()
    if name == "endpoint":
        return Http(name, os.environ[ENDPOINT_VARIABLE])
    server = servers.KEYPACT if name in OURS else servers.WITNESSES[name]
    running = servers.start(server)
    if name == "boto3":
        return Boto3(name, running.endpoint, running.release)
    return Http(name, running.endpoint, running.release)


def witnesses_are_required() -> bool:
    """Whether a witness that is not installed is a failure rather than a skip."""
    return os.environ.get(REQUIRED_VARIABLE) == "required"
