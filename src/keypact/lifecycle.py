"""What the library itself writes: when an item was made and changed, its version, its expiry."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

from .errors import InvalidValue
from .schema.models import Model

# An aware datetime, or nanoseconds since the epoch.
Clock = Callable[[], "datetime | int"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND_NS = 1_000_000_000


def system_clock() -> int:
    """The machine's time in nanoseconds."""
    return time.time_ns()


def now_ns(clock: Clock) -> int:
    """What a clock says, in nanoseconds since the epoch."""
    now = clock()
    return now if isinstance(now, int) else datetime_ns(now)


def datetime_ns(moment: datetime) -> int:
    """Nanoseconds since the epoch; a datetime without its offset is refused."""
    if moment.tzinfo is None:
        raise InvalidValue(f"{moment!r} has no time zone; use datetime.now(UTC), or add one")
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


# Timestamps -------------------------------------------------------------------------------


def format_rfc3339nano(nanoseconds: int) -> str:
    """As Go prints RFC3339Nano: UTC, ``Z``, the fraction without idle zeros."""
    seconds, fraction = divmod(nanoseconds, _SECOND_NS)
    text = _whole_second(seconds)
    if not fraction:
        return text + "Z"
    return f"{text}.{fraction:09d}".rstrip("0") + "Z"


@lru_cache(16)
def _whole_second(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")


_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))",
    re.ASCII,
)


def parse_rfc3339_ns(text: str) -> int:
    """Nanoseconds since the epoch, from any precision and offset."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise InvalidValue(f"{text!r} is no RFC 3339 time, such as 2026-01-16T00:00:00.12Z")
    *parts, fraction, sign, hours, minutes = match.groups()
    year, month, day, hour, minute, second = map(int, parts)
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    zone = timezone(-offset if sign == "-" else offset)
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=zone)
    except ValueError as error:
        raise InvalidValue(f"{text!r} is no RFC 3339 time: {error}") from None
    seconds = (moment - _EPOCH) // timedelta(seconds=1)
    return seconds * _SECOND_NS + int((fraction or "0")[:9].ljust(9, "0"))


def parse_rfc3339(text: str) -> datetime:
    """An aware datetime in UTC; Python's datetimes end at microseconds."""
    return _EPOCH + timedelta(microseconds=parse_rfc3339_ns(text) // 1000)


# Writing ----------------------------------------------------------------------------------


@lru_cache(256)
def owned(model: Model) -> frozenset[str]:
    """Attributes that only the library writes: created_at, updated_at, version."""
    names = (model.created_at, model.updated_at, model.version)
    return frozenset(name for name in names if name is not None)


def stamp_create(model: Model, values: dict[str, Any], nanoseconds: int) -> None:
    """Set what a new item's lifecycle says; times given by the caller are replaced."""
    now = format_rfc3339nano(nanoseconds)
    if model.created_at is not None:
        values[model.created_at] = now
    if model.updated_at is not None:
        values[model.updated_at] = now
    if model.version is not None and values.get(model.version) is None:
        values[model.version] = 0


# Expiry -----------------------------------------------------------------------------------


def ttl_seconds(value: object) -> int:
    """Epoch seconds of an expiry: a whole number, or an aware datetime rounded down."""
    if isinstance(value, datetime):
        return datetime_ns(value) // _SECOND_NS
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise InvalidValue(f"{value!r} is no time to live: give epoch seconds or an aware datetime")


def is_expired(model: Model, attributes: Mapping[str, Any], now_seconds: float) -> bool:
    """Whether a stored item's time to live is over; DynamoDB deletes it some time later."""
    if model.ttl is None:
        return False
    text = attributes.get(model.ttl, {}).get("N")
    return text is not None and float(text) <= now_seconds
