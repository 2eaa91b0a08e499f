"""DynamoDB over HTTP without I/O: what to send, and what an outcome means.

An ``Exchange`` is one call with all its attempts. A transport sends what it is given and
reports what came back, or how far it got; the exchange answers, raises, or says when to
try again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, NoReturn
from zlib import crc32

import msgspec

from ..errors import BackendError, DynamoDBError, OutcomeUnknown, Throttled, Unavailable
from .credentials import Credentials
from .endpoints import Endpoint
from .retries import Budget, Policy, Repeat, repeat_of
from .signing import CONTENT_TYPE, Signer

_TARGET: Final = "DynamoDB_20120810."
_USER_AGENT: Final = "keypact"

# The store asks to slow down; nothing was written.
_THROTTLES: Final = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
# The same token is still being worked on: it may yet succeed.
_IN_PROGRESS: Final = "TransactionInProgressException"
_EXPIRED: Final = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "UnrecognizedClientException"}
)
_SKEWED: Final = frozenset(
    {
        "InvalidSignatureException",
        "RequestExpired",
        "RequestInTheFuture",
        "RequestTimeTooSkewed",
    }
)
# AWS allows five minutes; a smaller difference is not why a signature was refused.
_SKEW_SECONDS_MIN: Final = 240.0
# Answers that hold for every attempt of a request, also for one whose answer was lost.
_SETTLING: Final = frozenset(
    {
        "SerializationException",
        "TransactionCanceledException",
        "UnknownOperationException",
        "ValidationException",
    }
)

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class Limits:
    """What is waited for, and what is taken in."""

    connect_seconds: float = 5.0
    # Between two pieces of an answer. DynamoDB's slowest pages take about a second.
    read_seconds: float = 10.0
    # BatchGetItem gives 16 MB of items, and JSON of the smallest values is seven times that.
    answer_bytes_max: int = 128 * 1024 * 1024
    # Kept for reuse. More may be open at a time: one a thread.
    idle_connections_max: int = 32
    # Below a minute, after which servers close.
    idle_seconds_max: float = 50.0
    # On one event loop; more calls wait their turn.
    loop_connections_max: int = 100


class Answer(NamedTuple):
    """A whole answer. Header names are looked up in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Lost(Exception):
    """No whole answer came. ``sent``: the whole request may have reached the server."""

    def __init__(self, reason: str, *, sent: bool, final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        # Trying again cannot help.
        self.final = final


class Again(NamedTuple):
    """Send the request once more after a pause, perhaps with renewed credentials."""

    pause_seconds: float
    renew: Credentials | None = None


class Client:
    """What all exchanges with an endpoint share. Threads and event loops may share it, too."""

    def __init__(self, endpoint: Endpoint, policy: Policy) -> None:
        self.endpoint = endpoint
        self.policy = policy
        self.budget = Budget(policy.budget_tokens)
        # The server's clock minus ours, once it has complained.
        self.skew_seconds = 0.0
        self._signer = Signer(endpoint.authority, endpoint.region)
        self._fixed = {
            "Host": endpoint.authority,
            "Content-Type": CONTENT_TYPE,
            "Accept-Encoding": "identity",
            "User-Agent": _USER_AGENT,
        }

    def headers(self, operation: str, body: bytes, credentials: Credentials) -> dict[str, str]:
        """All headers of a signed request but Content-Length."""
        target = _TARGET + operation
        signature = self._signer.sign(target, body, credentials, time.time() + self.skew_seconds)
        headers = {
            **self._fixed,
            "X-Amz-Target": target,
            "X-Amz-Date": signature.date,
            "Authorization": signature.authorization,
        }
        if credentials.token:
            headers["X-Amz-Security-Token"] = credentials.token
        return headers


class Exchange:
    """One call: a request, its attempts, and what they came to."""

    __slots__ = (
        "_adjusted",
        "_attempts",
        "_client",
        "_credentials",
        "_doubtful",
        "_renewed",
        "_request",
        "body",
        "deadline",
        "operation",
    )

    def __init__(self, client: Client, operation: str, request: Mapping[str, Any]) -> None:
        if not operation.isalnum() or not operation.isascii():
            # It becomes a header.
            raise DynamoDBError("UnknownOperationException", f"no operation: {operation!r}")
        self._client = client
        self.operation = operation
        self._request = request
        self.body = _encode(request)
        self.deadline = time.monotonic() + client.policy.total_seconds
        self._attempts = 0
        # Whether an attempt may have written.
        self._doubtful = False
        self._renewed = False
        self._adjusted = False
        self._credentials: Credentials | None = None

    @property
    def is_first(self) -> bool:
        """Whether the attempt under way is the first."""
        return self._attempts == 1

    def headers(self, credentials: Credentials) -> dict[str, str]:
        """Begin an attempt: the headers to send with the body."""
        self._attempts += 1
        self._credentials = credentials
        return self._client.headers(self.operation, self.body, credentials)

    # Outcomes ---------------------------------------------------------------------------

    def answered(self, answer: Answer) -> bytes | Again:
        """A whole answer came: its body, or what to do about it."""
        status, headers, body = answer
        checksum = headers.get("x-amz-crc32")
        if checksum is not None and checksum != str(crc32(body)):
            return self.lost(Lost("the answer's checksum is wrong", sent=True))
        if checksum is None and not _tells_its_end(headers):
            return self.lost(Lost("the answer does not tell its end", sent=True))
        if status != 200:
            return self._refused(status, headers, body)
        if body[:1] != b"{" or body[-1:] != b"}":
            return self.lost(Lost("the answer is not JSON", sent=True))
        self._client.budget.give(self._attempts)
        return body

    def lost(self, lost: Lost) -> Again:
        """No whole answer came."""
        if lost.final:
            if lost.sent or self._doubtful:
                self._doubt(lost.reason)
            raise BackendError(f"{self._place()}: {lost.reason}") from None
        return self._retry(lost.reason, may_have_written=lost.sent)

    def _refused(self, status: int, headers: Mapping[str, str], body: bytes) -> Again:
        error = _read_error(status, body, self._credentials)
        code = error.code if error is not None else f"HTTP status {status}"
        if code in _THROTTLES or status == 429:
            return self._retry(str(error or code), throttled=True)
        if code == _IN_PROGRESS or status >= 500:
            return self._retry(str(error or code), may_have_written=True)
        if error is None:
            raise BackendError(
                f"{self._place()} was answered with {code}, and not by DynamoDB"
            ) from None
        if code in _EXPIRED and not self._renewed:
            self._renewed = True
            return Again(0.0, renew=self._credentials)
        if code in _SKEWED and not self._adjusted and self._adjust_clock(headers):
            self._adjusted = True
            return Again(0.0)
        if self._doubtful and code not in _SETTLING:
            # Refused now, but an earlier attempt may have got through.
            self._doubt(str(error))
        raise error

    def _adjust_clock(self, headers: Mapping[str, str]) -> bool:
        # Rarely needed, and slow to load.
        import logging
        from email.utils import parsedate_to_datetime

        try:
            server = parsedate_to_datetime(headers.get("date", "")).timestamp()
        except ValueError:
            return False
        skew = server - time.time()
        if abs(skew - self._client.skew_seconds) < _SKEW_SECONDS_MIN:
            return False
        log = logging.getLogger(__name__)
        log.warning("this machine's clock is %.0f s off; signing by the server's", skew)
        self._client.skew_seconds = skew
        return True

    # Trying again -----------------------------------------------------------------------

    def _retry(
        self, reason: str, *, throttled: bool = False, may_have_written: bool = False
    ) -> Again:
        policy = self._client.policy
        if may_have_written:
            repeat = repeat_of(self.operation, self._request)
            self._doubtful |= repeat is not Repeat.READ
            if repeat is Repeat.UNSAFE:
                self._doubt(reason)
        pause = policy.pause(self._attempts, throttled=throttled)
        if (
            self._attempts >= policy.attempts_max
            or time.monotonic() + pause >= self.deadline
            or not self._client.budget.take()
        ):
            self._give_up(reason, throttled=throttled)
        import logging

        log = logging.getLogger(__name__)
        log.debug("%s: %s; again in %.3f s", self._place(), reason, pause)
        return Again(pause)

    def _give_up(self, reason: str, *, throttled: bool) -> NoReturn:
        if self._doubtful:
            self._doubt(reason)
        times = f"after {self._attempts} attempts" if self._attempts > 1 else "at once"
        if throttled:
            raise Throttled(f"{self._place()} was throttled {times}: {reason}") from None
        raise Unavailable(f"{self._place()} failed {times}: {reason}") from None

    def _doubt(self, reason: str) -> NoReturn:
        raise OutcomeUnknown(
            f"{self._place()} may or may not have been carried out: {reason}; "
            "read what is stored before you try again"
        ) from None

    def _place(self) -> str:
        return f"{self.operation} at {self._client.endpoint.url}"


def _tells_its_end(headers: Mapping[str, str]) -> bool:
    # Otherwise a cut connection looks like the end.
    return "content-length" in headers or "transfer-encoding" in headers


def _read_error(status: int, body: bytes, credentials: Credentials | None) -> DynamoDBError | None:
    """The error in an answer's body, or None when it is not DynamoDB's."""
    try:
        members = _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if type(members) is not dict or type(members.get("__type")) is not str:
        return None
    code = members.pop("__type").rsplit("#", 1)[-1].split(":", 1)[0]
    message = members.pop("message", None)
    # Some errors spell it otherwise, some tell both.
    other = members.pop("Message", None)
    text = str(message or other or "")
    if credentials is not None and credentials.token:
        # A refused signature is answered with all that was signed.
        text = text.replace(credentials.token, "…")
    return DynamoDBError(code or f"HTTP status {status}", text, members)
