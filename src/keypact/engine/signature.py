"""AWS Signature Version 4 on incoming requests: read always, verified when keys are given."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Final, NamedTuple, NoReturn
from urllib.parse import quote, unquote_to_bytes

from .errors import (
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    UnrecognizedClientException,
)
from .http import Request

ALGORITHM: Final = b"AWS4-HMAC-SHA256"
SKEW_MAX: Final = timedelta(minutes=5)
# A signature over less could be taken from one request and put on another.
_MUST_BE_SIGNED: Final = (b"host", b"x-amz-target")
_MISMATCH: Final = (
    "The request signature we calculated does not match the signature you provided. "
    "Check your AWS Secret Access Key and signing method. "
    "Consult the service documentation for details."
)


class Signature(NamedTuple):
    """The parts of an Authorization header."""

    access_key: str
    scope: str
    signed_headers: bytes
    value: str


def require_signature(headers: Mapping[bytes, bytes]) -> None:
    """Refuse a request that no SDK has signed; whether rightly is not looked at."""
    authorization = headers.get(b"authorization")
    if authorization is None or not authorization.startswith(ALGORITHM):
        raise MissingAuthenticationTokenException("Request is missing Authentication Token")
    if (
        b"Credential=" in authorization
        and b"Signature=" in authorization
        and b"SignedHeaders=" in authorization
        and (b"x-amz-date" in headers or b"date" in headers)
    ):
        return
    _refuse_incomplete(authorization, headers)


def _refuse_incomplete(authorization: bytes, headers: Mapping[bytes, bytes]) -> NoReturn:
    missing = [
        f"Authorization header requires '{part}' parameter."
        for part in ("Credential", "Signature", "SignedHeaders")
        if f"{part}=".encode() not in authorization
    ]
    if b"x-amz-date" not in headers and b"date" not in headers:
        missing.append(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header."
        )
    # What the client sent goes back to the client alone; it is in no log.
    raise IncompleteSignatureException(
        f"{' '.join(missing)} Authorization={authorization.decode('latin-1')}"
    )


class Verifier:
    """Checks signatures against a set of keys. Secrets stay in here."""

    def __init__(self, keys: Mapping[str, str], *, clock: Callable[[], float] = time.time) -> None:
        self._secrets = dict(keys)
        self._clock = clock
        # One entry a key, day and region; clients use very few.
        self._signing_key = lru_cache(maxsize=64)(self._make_signing_key)

    def verify(self, request: Request) -> None:
        """Raise unless the request was signed with one of the keys, not long ago."""
        require_signature(request.headers)
        signature = _read(request.headers[b"authorization"])
        if signature.access_key not in self._secrets:
            raise UnrecognizedClientException(
                "The security token included in the request is invalid."
            )
        moment = _moment(request.headers)
        stamp = moment.strftime("%Y%m%dT%H%M%SZ")
        self._check_age(moment, stamp)
        self._check_scope(signature.scope, stamp)
        text = "\n".join(
            (
                ALGORITHM.decode(),
                stamp,
                signature.scope,
                hashlib.sha256(_canonical(request, signature.signed_headers)).hexdigest(),
            )
        )
        key = self._signing_key(signature.access_key, signature.scope)
        expected = hmac.digest(key, text.encode(), "sha256").hex()
        if not hmac.compare_digest(expected.encode(), signature.value.encode()):
            raise InvalidSignatureException(_MISMATCH)

    def _check_age(self, moment: datetime, stamp: str) -> None:
        now = datetime.fromtimestamp(self._clock(), UTC)
        earliest, latest = now - SKEW_MAX, now + SKEW_MAX
        if moment < earliest:
            raise InvalidSignatureException(
                f"Signature expired: {stamp} is now earlier than "
                f"{earliest:%Y%m%dT%H%M%SZ} ({now:%Y%m%dT%H%M%SZ} - 5 min.)"
            )
        if moment > latest:
            raise InvalidSignatureException(
                f"Signature not yet current: {stamp} is still later than "
                f"{latest:%Y%m%dT%H%M%SZ} ({now:%Y%m%dT%H%M%SZ} + 5 min.)"
            )

    def _check_scope(self, scope: str, stamp: str) -> None:
        # Any region will do: this server stands for whichever the client wants.
        day, _, service, end = scope.split("/")
        if service != "dynamodb":
            raise InvalidSignatureException(
                "Credential should be scoped to correct service: 'dynamodb'."
            )
        if end != "aws4_request":
            raise InvalidSignatureException(
                "Credential should be scoped with a valid terminator: 'aws4_request'."
            )
        if day != stamp[:8]:
            raise InvalidSignatureException(
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
                f"from HTTP: '{day}' != '{stamp[:8]}', from '{stamp}'."
            )

    def _make_signing_key(self, access_key: str, scope: str) -> bytes:
        key = b"AWS4" + self._secrets[access_key].encode()
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        return key


def _read(authorization: bytes) -> Signature:
    text = authorization.decode("latin-1")
    parts: dict[str, str] = {}
    for part in text[len(ALGORITHM) :].split(","):
        name, _, value = part.strip().partition("=")
        parts[name] = value
    credential = parts.get("Credential", "")
    access_key, _, scope = credential.partition("/")
    if scope.count("/") != 3:
        raise IncompleteSignatureException(
            "Credential must have exactly 5 slash-delimited elements, e.g. "
            f"keyid/date/region/service/term, got '{credential}'"
        )
    signed_headers = parts.get("SignedHeaders", "").lower().encode("latin-1")
    return Signature(access_key, scope, signed_headers, parts.get("Signature", ""))


def _moment(headers: Mapping[bytes, bytes]) -> datetime:
    """When the request says it was signed."""
    text = headers.get(b"x-amz-date", headers.get(b"date", b"")).decode("latin-1")
    try:
        if b"x-amz-date" in headers:
            return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return parsedate_to_datetime(text).astimezone(UTC)
    except ValueError:
        raise IncompleteSignatureException(
            "Date must be in ISO-8601 'basic format'. "
            f"Got '{text}'. See http://en.wikipedia.org/wiki/ISO_8601"
        ) from None


def _canonical(request: Request, signed_headers: bytes) -> bytes:
    """The canonical request, as AWS's documentation of Signature Version 4 defines it."""
    names = signed_headers.split(b";")
    for name in _MUST_BE_SIGNED:
        if name not in names:
            raise InvalidSignatureException(
                f"'{name.decode()}' must be a 'SignedHeader' in the AWS Authorization."
            )
    path, _, query = request.url.partition(b"?")
    lines = [request.method, quote(path or b"/", safe="/~").encode(), _canonical_query(query)]
    for name in names:
        value = request.headers.get(name)
        if value is None:
            raise InvalidSignatureException(_MISMATCH)
        lines.append(name + b":" + b" ".join(value.split()))
    lines += (b"", signed_headers, hashlib.sha256(request.body).hexdigest().encode())
    return b"\n".join(lines)


def _canonical_query(query: bytes) -> bytes:
    pairs = []
    for part in query.split(b"&"):
        if part:
            name, _, value = part.partition(b"=")
            pairs.append((_requote(name), _requote(value)))
    return "&".join(f"{name}={value}" for name, value in sorted(pairs)).encode()


def _requote(text: bytes) -> str:
    return quote(unquote_to_bytes(text), safe="-_.~")
