"""Times as Go prints and reads them; versions and expiry."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypact.errors import InvalidValue
from keypact.lifecycle import (
    format_rfc3339nano,
    is_expired,
    now_ns,
    owned,
    parse_rfc3339,
    parse_rfc3339_ns,
    stamp_create,
    ttl_seconds,
)
from keypact.schema.models import Attribute, KeyPart, Model

MODEL = Model(
    name="Note",
    table="notes",
    partition=KeyPart("PK", "S"),
    sort=None,
    attributes=(
        Attribute("PK", "S", required=True, roles=("pk",)),
        Attribute("createdAt", "S", format="rfc3339nano", roles=("created_at",)),
        Attribute("updatedAt", "S", format="rfc3339nano", roles=("updated_at",)),
        Attribute("version", "N", format="int", roles=("version",)),
        Attribute("ttl", "N", format="unix_seconds", roles=("ttl",), optional=True),
    ),
)

# By Go's time.RFC3339Nano: 2006-01-02T15:04:05.999999999Z07:00.
PRINTED = [
    (0, "1970-01-01T00:00:00Z"),
    (1_768_521_600_120_000_000, "2026-01-16T00:00:00.12Z"),
    (1_768_521_600_000_000_001, "2026-01-16T00:00:00.000000001Z"),
    (1_768_521_600_100_000_000, "2026-01-16T00:00:00.1Z"),
    (-1, "1969-12-31T23:59:59.999999999Z"),
]


@pytest.mark.parametrize(("nanoseconds", "text"), PRINTED)
def test_times_print_as_go_prints_them(nanoseconds: int, text: str) -> None:
    """UTC, Z, idle zeros of the fraction trimmed, no fraction when it is zero."""
    assert format_rfc3339nano(nanoseconds) == text
    assert parse_rfc3339_ns(text) == nanoseconds


@given(st.integers(-(10**18), 4 * 10**18))
def test_times_come_back(nanoseconds: int) -> None:
    """To the nanosecond."""
    assert parse_rfc3339_ns(format_rfc3339nano(nanoseconds)) == nanoseconds


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-16T01:00:00+01:00", datetime(2026, 1, 16, tzinfo=UTC)),
        ("2026-01-15t19:30:00.5-04:30", datetime(2026, 1, 16, 0, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-01-16T00:00:00.1234567899z", datetime(2026, 1, 16, 0, 0, 0, 123_456, tzinfo=UTC)),
    ],
)
def test_any_precision_and_offset_is_read(text: str, moment: datetime) -> None:
    """What other writers store is read too."""
    assert parse_rfc3339(text) == moment


@pytest.mark.parametrize(
    "text",
    ["", "2026-01-16", "2026-01-16T00:00:00", "2026-13-01T00:00:00Z", "2026-01-16 00:00:00Z"],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    """With what a time looks like."""
    with pytest.raises(InvalidValue, match="RFC 3339"):
        parse_rfc3339(text)


def test_clocks_give_datetimes_or_nanoseconds() -> None:
    """A naive datetime is no moment."""
    assert now_ns(lambda: 5) == 5
    assert now_ns(lambda: datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)) == 10**9
    with pytest.raises(InvalidValue, match="time zone"):
        now_ns(lambda: datetime(2026, 1, 1))  # noqa: DTZ001 - the mistake itself


def test_create_stamps_replace_what_was_given() -> None:
    """Times are the library's; a version that was given is kept, an empty one is 0."""
    values = {"PK": "a", "createdAt": "x", "version": None}
    stamp_create(MODEL, values, 0)
    assert values == {
        "PK": "a",
        "createdAt": "1970-01-01T00:00:00Z",
        "updatedAt": "1970-01-01T00:00:00Z",
        "version": 0,
    }
    given = {"PK": "a", "version": 7}
    stamp_create(MODEL, given, 0)
    assert given["version"] == 7
    assert owned(MODEL) == {"createdAt", "updatedAt", "version"}


def test_expiry_is_whole_seconds() -> None:
    """A datetime is rounded down; half a second does not lengthen a life."""
    late = datetime(2026, 1, 1, 0, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=1)))
    assert ttl_seconds(late) == int(datetime(2025, 12, 31, 23, tzinfo=UTC).timestamp())
    assert ttl_seconds(12) == 12
    for wrong in (True, 1.5, "12", datetime(2026, 1, 1)):  # noqa: DTZ001 - the mistake itself
        with pytest.raises(InvalidValue):
            ttl_seconds(wrong)


def test_an_item_is_expired_from_its_second_on() -> None:
    """And one without a time to live never is."""
    assert is_expired(MODEL, {"ttl": {"N": "100"}}, 100)
    assert not is_expired(MODEL, {"ttl": {"N": "100"}}, 99.9)
    assert not is_expired(MODEL, {}, 10**12)
