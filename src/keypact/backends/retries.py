"""When a request is sent again: which ones may be, how often, and after what pause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from threading import Lock
from typing import Any, Final

Request = Mapping[str, Any]


class Repeat(Enum):
    """What sending a request twice does."""

    # Nothing is changed by it.
    READ = "read"
    # It writes, and twice leaves the same as once.
    SAFE = "safe"
    # Twice may differ from once.
    UNSAFE = "unsafe"


def _always(request: Request) -> bool:  # noqa: ARG001
    return True


def _has_token(request: Request) -> bool:
    return bool(request.get("ClientRequestToken"))


def _is_plain(request: Request) -> bool:
    # A condition may fail on the item that the lost attempt wrote, and the old
    # item would be the new one.
    return not (
        request.get("ConditionExpression")
        or request.get("Expected")
        or request.get("ReturnValues", "NONE") != "NONE"
    )


def _is_select(request: Request) -> bool:
    return str(request.get("Statement", "")).lstrip()[:7].upper().rstrip() == "SELECT"


@dataclass(frozen=True, slots=True)
class Rule:
    """When an operation may be sent again after its answer was lost, and why."""

    allowed: Callable[[Request], bool]
    repeat: Repeat
    reason: str


_READ: Final = Rule(_always, Repeat.READ, "changes nothing")

# Whatever is not here is sent once: UpdateItem adds and appends, and creating or
# deleting a table answers differently the second time.
RULES: Final[Mapping[str, Rule]] = {
    "BatchGetItem": _READ,
    "DescribeContinuousBackups": _READ,
    "DescribeEndpoints": _READ,
    "DescribeLimits": _READ,
    "DescribeTable": _READ,
    "DescribeTimeToLive": _READ,
    "GetItem": _READ,
    "ListTables": _READ,
    "ListTagsOfResource": _READ,
    "Query": _READ,
    "Scan": _READ,
    "TransactGetItems": _READ,
    "ExecuteStatement": Rule(_is_select, Repeat.READ, "a SELECT changes nothing"),
    "PutItem": Rule(
        _is_plain, Repeat.SAFE, "the same item is put in place; no condition, no old item asked for"
    ),
    "DeleteItem": Rule(
        _is_plain, Repeat.SAFE, "what is gone stays gone; no condition, no old item asked for"
    ),
    "BatchWriteItem": Rule(_always, Repeat.SAFE, "only whole puts and deletes without conditions"),
    "TransactWriteItems": Rule(
        _has_token, Repeat.SAFE, "DynamoDB knows the ClientRequestToken and writes once"
    ),
    "ExecuteTransaction": Rule(
        _has_token, Repeat.SAFE, "DynamoDB knows the ClientRequestToken and writes once"
    ),
}


def repeat_of(operation: str, request: Request) -> Repeat:
    """What sending this request twice does."""
    rule = RULES.get(operation)
    return rule.repeat if rule is not None and rule.allowed(request) else Repeat.UNSAFE


@dataclass(frozen=True, slots=True)
class Policy:
    """How often and how long. Pauses are drawn from nothing up to a bound that doubles."""

    attempts_max: int = 8
    # From the call to its result, pauses included.
    total_seconds: float = 60.0
    # A connection that broke is soon replaced; a partition that is too hot stays so a while.
    failure_pause_seconds: float = 0.025
    throttle_pause_seconds: float = 0.1
    pause_seconds_max: float = 5.0
    # Five tokens a retry: a hundred retries in a row, then one for every five successes.
    budget_tokens: int = 500

    def pause(self, attempts: int, *, throttled: bool) -> float:
        """How long to wait after so many attempts: full jitter, so that clients spread."""
        # Loaded when something has failed; the first call of a program does not wait for it.
        import random

        base = self.throttle_pause_seconds if throttled else self.failure_pause_seconds
        bound = min(self.pause_seconds_max, base * 2 ** (attempts - 1))
        return random.uniform(0, bound)  # noqa: S311 - no secret


_RETRY_TOKENS: Final = 5


class Budget:
    """Retries that everyone on a backend shares: a store in trouble is not flooded."""

    def __init__(self, tokens: int) -> None:
        self._tokens_max = tokens
        self._tokens = tokens
        self._lock = Lock()

    @property
    def tokens(self) -> int:
        """What is left."""
        return self._tokens

    def take(self) -> bool:
        """Pay for a retry, if there is enough left."""
        with self._lock:
            if self._tokens < _RETRY_TOKENS:
                return False
            self._tokens -= _RETRY_TOKENS
            return True

    def give(self, attempts: int) -> None:
        """Pay back after a success: the last retry's price, or a little for a first attempt."""
        if self._tokens >= self._tokens_max:
            return
        with self._lock:
            back = _RETRY_TOKENS if attempts > 1 else 1
            self._tokens = min(self._tokens_max, self._tokens + back)
