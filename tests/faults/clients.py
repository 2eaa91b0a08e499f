"""The client under test, asked at once or awaited, with pauses that tests can afford."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Self

from keypact.backends import HttpBackend
from keypact.backends.credentials import Credentials, CredentialSource, FixedSource
from keypact.backends.endpoints import read_endpoint
from keypact.backends.http import Limits
from keypact.backends.retries import Policy

Operation = tuple[str, dict[str, Any]]
Ask = Callable[[Operation], dict[str, Any]]

ATTEMPTS = 4
QUICK = Policy(
    attempts_max=ATTEMPTS,
    failure_pause_seconds=0.0005,
    throttle_pause_seconds=0.0005,
    pause_seconds_max=0.002,
)
KEY = {"pk": {"S": "a"}}
READ = ("GetItem", {"TableName": "t", "Key": KEY})
# A write that is the same once or twice, and writes that are not.
SAFE = ("PutItem", {"TableName": "t", "Item": KEY})
ONCE = ("UpdateItem", {"TableName": "t", "Key": KEY, "UpdateExpression": "ADD n :one"})
CONDITIONAL = (
    "PutItem",
    {"TableName": "t", "Item": KEY, "ConditionExpression": "attribute_not_exists(pk)"},
)


def backend_for(
    url: str,
    policy: Policy = QUICK,
    limits: Limits | None = None,
    credentials: CredentialSource | None = None,
) -> HttpBackend:
    """A backend with a made-up key, unless one is given."""
    return HttpBackend(
        read_endpoint(url),
        credentials=credentials or FixedSource(Credentials("AKIDEXAMPLE", "secret", "")),
        policy=policy,
        limits=limits,
    )


class AtOnce:
    """Calls and waits. Leaving the block closes the backends."""

    def __init__(self) -> None:
        self._backends: list[HttpBackend] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for backend in self._backends:
            backend.close()

    def open(self, url: str, **options: Any) -> Ask:
        """A way to put an operation to the server at the URL."""
        backend = backend_for(url, **options)
        self._backends.append(backend)
        return lambda operation: self.ask(backend, operation)

    def ask(self, backend: HttpBackend, operation: Operation) -> dict[str, Any]:
        return backend.call(*operation)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


class Awaiting(AtOnce):
    """Awaits on an event loop of its own, the same for every call."""

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()

    def __exit__(self, *exception: object) -> None:
        for backend in self._backends:
            self._runner.run(backend.aclose())
        self._runner.close()

    def ask(self, backend: HttpBackend, operation: Operation) -> dict[str, Any]:
        return self._runner.run(backend.acall(*operation))

    def wait(self, seconds: float) -> None:
        # The loop runs on, as it does in a program.
        self._runner.run(asyncio.sleep(seconds))
