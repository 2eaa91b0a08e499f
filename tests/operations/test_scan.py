"""scan: only by an explicit opt-in that is logged."""

from __future__ import annotations

import logging

import pytest

from keypact.conditions import F
from keypact.errors import InvalidCursor, InvalidModel
from tests.operations.tables import Desk


def test_a_scan_needs_a_reason(desk: Desk):
    """Without one, nothing is sent."""
    table = desk.table("Counter")
    with pytest.raises(TypeError):
        table.scan()
    with pytest.raises(InvalidModel, match="reason"):
        table.scan(reason="")
    assert not desk.backend.sent


def test_a_scan_is_logged_with_its_reason(desk: Desk, caplog: pytest.LogCaptureFixture):
    """Whoever reads the log sees who reads everything, and why."""
    with caplog.at_level(logging.WARNING, "keypact"):
        desk.table("Counter").scan(reason="nightly export", limit=1)
    (record,) = [one for one in caplog.records if one.name.startswith("keypact")]
    assert "nightly export" in record.getMessage()
    assert desk.table("Counter").model.table in record.getMessage()


def test_a_scan_goes_page_by_page_through_everything(desk: Desk):
    """Its cursor has no direction."""
    table = desk.table("Counter")
    names = {f"{desk.partition}-{number}" for number in range(5)}
    table.batch_write(put=[{"name": name, "owner": desk.partition} for name in names])
    seen: list[str] = []
    cursor = None
    while cursor != "":
        page = table.scan(
            reason="test", limit=3, cursor=cursor, filter=F("owner") == desk.partition
        )
        seen += [item["name"] for item in page]
        cursor = page.cursor
    assert sorted(seen) == sorted(names)


def test_a_query_s_cursor_is_none_of_a_scan(desk: Desk):
    """ErrInvalidCursor, and nothing is sent."""
    table = desk.table()
    table.create(desk.user("a"))
    table.create(desk.user("b"))
    cursor = table.query(desk.partition, limit=1).cursor
    desk.backend.sent.clear()
    with pytest.raises(InvalidCursor):
        table.scan(reason="test", cursor=cursor)
    assert not desk.backend.sent
