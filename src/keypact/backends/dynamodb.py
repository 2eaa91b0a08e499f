"""DynamoDB, or anything that speaks its protocol, as a backend."""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

import msgspec

from ..errors import BackendError
from .credentials import CredentialSource, find_source
from .endpoints import Endpoint, proxy_for
from .http import Again, Client, Exchange, Limits, Lost
from .retries import Policy
from .sync_http import Pool

if TYPE_CHECKING:
    from .async_http import Sessions


class HttpBackend:
    """Requests answered over HTTP. Threads and event loops may share one."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        credentials: CredentialSource | None = None,
        policy: Policy | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.endpoint = endpoint
        self._policy = policy or Policy()
        self._limits = limits or Limits()
        self._client = Client(endpoint, self._policy)
        local = endpoint.is_loopback and not endpoint.secure
        self._credentials = credentials or find_source(local=local)
        self._proxy = proxy_for(endpoint)
        self._pool = Pool(endpoint, self._proxy, self._limits)
        self._sessions: Sessions | None = None
        self._lock = Lock()
        self._closed = False

    def __repr__(self) -> str:
        return f"HttpBackend({self.endpoint.url!r}, region={self.endpoint.region!r})"

    # At once ----------------------------------------------------------------------------

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer as DynamoDB JSON; an error answer raises DynamoDBError."""
        answer: dict[str, Any] = msgspec.json.decode(self.answer(operation, request))
        return answer

    def answer(self, operation: str, request: Mapping[str, Any]) -> bytes:
        """The answer as bytes of JSON."""
        self._require_open()
        exchange = Exchange(self._client, operation, request)
        source = self._credentials
        while True:
            headers = exchange.headers(source.cached() or source.load())
            try:
                answer = self._pool.exchange(headers, exchange.body, exchange.deadline)
            except Lost as lost:
                outcome: bytes | Again = exchange.lost(lost)
            else:
                outcome = exchange.answered(answer)
            if type(outcome) is bytes:
                return outcome
            assert isinstance(outcome, Again)
            if outcome.renew is not None:
                source.renew(outcome.renew)
            time.sleep(outcome.pause_seconds)

    # Awaited ----------------------------------------------------------------------------

    async def acall(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """As ``call``, awaited."""
        answer: dict[str, Any] = msgspec.json.decode(await self.aanswer(operation, request))
        return answer

    async def aanswer(self, operation: str, request: Mapping[str, Any]) -> bytes:
        """As ``answer``, awaited."""
        self._require_open()
        sessions = self._sessions or self._open_sessions()
        exchange = Exchange(self._client, operation, request)
        source = self._credentials
        while True:
            credentials = source.cached()
            if credentials is None:
                credentials = await sessions.run_aside(source.load)
            headers = exchange.headers(credentials)
            try:
                answer = await sessions.exchange(
                    headers, exchange.body, None if exchange.is_first else exchange.deadline
                )
            except Lost as lost:
                outcome: bytes | Again = exchange.lost(lost)
            else:
                outcome = exchange.answered(answer)
            if type(outcome) is bytes:
                return outcome
            assert isinstance(outcome, Again)
            if outcome.renew is not None:
                await sessions.run_aside(source.renew, outcome.renew)
            await sessions.pause(outcome.pause_seconds)

    def _open_sessions(self) -> Sessions:
        from .async_http import Sessions

        with self._lock:
            if self._sessions is None:
                self._sessions = Sessions(
                    self.endpoint, self._proxy, self._limits, self._policy.total_seconds
                )
            return self._sessions

    # The end ----------------------------------------------------------------------------

    def _require_open(self) -> None:
        if self._closed:
            raise BackendError(f"the backend for {self.endpoint.url} is closed")

    def close(self) -> None:
        """Close all connections."""
        self._closed = True
        self._pool.forget()
        if self._sessions is not None:
            self._sessions.close()

    async def aclose(self) -> None:
        """As ``close``, and this event loop's connections are gone when it returns."""
        self._closed = True
        self._pool.forget()
        if self._sessions is not None:
            await self._sessions.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()
