"""AWS Signature Version 4 for one kind of request: a POST to DynamoDB's root."""

from __future__ import annotations

import time
from hashlib import sha256
from hmac import digest
from typing import Final, NamedTuple

from .credentials import Credentials

ALGORITHM: Final = "AWS4-HMAC-SHA256"
CONTENT_TYPE: Final = "application/x-amz-json-1.0"
SERVICE: Final = "dynamodb"

_SIGNED: Final = "content-type;host;x-amz-date;x-amz-target"
_SIGNED_TEMPORARY: Final = "content-type;host;x-amz-date;x-amz-security-token;x-amz-target"


class Signature(NamedTuple):
    """The two headers that signing adds; a session token is a third."""

    date: str
    authorization: str


class _Key(NamedTuple):
    """A signing key, and what it was derived from."""

    day: str
    credentials: Credentials
    scope: str
    key: bytes


class Signer:
    """Signs for one host and region. Threads may share it: each cache is one value."""

    def __init__(self, host: str, region: str) -> None:
        self._host = host
        self._region = region
        self._second = (0, "")
        self._key: _Key | None = None

    def sign(self, target: str, body: bytes, credentials: Credentials, now: float) -> Signature:
        """Sign a body for an X-Amz-Target, at ``now`` in seconds since the epoch."""
        second, date = self._second
        if second != int(now):
            second = int(now)
            date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
            self._second = second, date
        key = self._key
        if key is None or key.credentials is not credentials or not date.startswith(key.day):
            key = self._key = self._derive(date[:8], credentials)
        if credentials.token:
            signed = _SIGNED_TEMPORARY
            token = f"x-amz-security-token:{credentials.token}\n"
        else:
            signed = _SIGNED
            token = ""
        canonical = (
            f"POST\n/\n\ncontent-type:{CONTENT_TYPE}\nhost:{self._host}\nx-amz-date:{date}\n"
            f"{token}x-amz-target:{target}\n\n{signed}\n{sha256(body).hexdigest()}"
        )
        digested = sha256(canonical.encode()).hexdigest()
        text = f"{ALGORITHM}\n{date}\n{key.scope}\n{digested}"
        return Signature(
            date,
            f"{ALGORITHM} Credential={credentials.access_key}/{key.scope}, "
            f"SignedHeaders={signed}, Signature={digest(key.key, text.encode(), 'sha256').hex()}",
        )

    def _derive(self, day: str, credentials: Credentials) -> _Key:
        """Four rounds of HMAC, made once a day."""
        key = f"AWS4{credentials.secret_key}".encode()
        for part in (day, self._region, SERVICE, "aws4_request"):
            key = digest(key, part.encode(), "sha256")
        return _Key(day, credentials, f"{day}/{self._region}/{SERVICE}/aws4_request", key)
