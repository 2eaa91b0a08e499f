"""query and each: a partition's items in order, page by page."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import keypact
from keypact.conditions import F
from keypact.errors import InvalidCursor, InvalidModel, InvalidOperator, MissingPrimaryKey
from tests.operations.tables import Desk

SORTS = ["a#1", "a#2", "a#3", "b#1", "b#2"]


@pytest.fixture
def users(desk: Desk):
    """Five users in one partition, one a second, and a stranger in another."""
    table = desk.table()
    for number, sort in enumerate(SORTS):
        table.create(desk.user(sort, age=10 * number, email=f"{desk.partition}@x"))
        desk.pass_time(1)
    table.create({"PK": desk.partition + "-other", "SK": "a#1", "age": 1})
    desk.backend.sent.clear()
    return table


def _sorts(desk: Desk, items) -> list[str]:
    return [desk.shown(item)["SK"] for item in items]


RANGES = [
    (None, SORTS),
    ("a#2", ["a#2"]),
    (keypact.begins_with("a#"), ["a#1", "a#2", "a#3"]),
    (keypact.between("a#2", "b#1"), ["a#2", "a#3", "b#1"]),
    (keypact.at_least("a#3"), ["a#3", "b#1", "b#2"]),
    (keypact.above("a#3"), ["b#1", "b#2"]),
    (keypact.at_most("a#2"), ["a#1", "a#2"]),
    (keypact.below("a#2"), ["a#1"]),
    (keypact.begins_with("z"), []),
]


@pytest.mark.parametrize(("sort", "expected"), RANGES, ids=[str(one[0]) for one in RANGES])
def test_a_sort_key_is_a_value_or_a_range(desk: Desk, users, sort, expected):
    """Items come in the sort key's order, and the cursor is empty at the end."""
    page = users.query(desk.partition, sort)
    assert _sorts(desk, page.items) == expected
    assert page.cursor == ""
    assert len(page) == len(expected)
    assert list(page) == page.items


def test_descending_reads_from_the_end(desk: Desk, users):
    """The newest first, without reading the oldest."""
    assert _sorts(desk, users.query(desk.partition, descending=True, limit=2)) == ["b#2", "b#1"]
    assert desk.backend.sent[0][1]["ScanIndexForward"] is False


def test_a_query_asks_for_nothing_that_was_not_asked_for(desk: Desk, users):
    """No filter, no projection, no consistency, and never a scan."""
    users.query(desk.partition)
    assert desk.backend.operations == ["Query"]
    assert desk.backend.sent[0][1].keys() == {
        "TableName",
        "KeyConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
    }


def test_a_consistent_query_says_so(desk: Desk, users):
    """On demand."""
    users.query(desk.partition, consistent=True)
    assert desk.backend.sent[0][1]["ConsistentRead"] is True


def test_an_index_has_its_own_key_and_order(desk: Desk, users):
    """A global index by e-mail, ordered by time; a local one ordered by a number."""
    by_email = users.query(f"{desk.partition}@x", index="by-email", descending=True)
    assert _sorts(desk, by_email) == SORTS[::-1]
    by_age = users.query(desk.partition, keypact.between(10, 30), index="by-age")
    assert _sorts(desk, by_age) == SORTS[1:4]


def test_a_bound_may_be_a_part_of_a_time(desk: Desk, users):
    """begins_with and ranges take a prefix of a timestamp."""
    email = f"{desk.partition}@x"
    page = users.query(email, keypact.begins_with("2026-01-16T00:00:0"), index="by-email")
    assert _sorts(desk, page) == SORTS
    page = users.query(email, keypact.at_least("2026-01-16T00:00:03"), index="by-email")
    assert _sorts(desk, page) == SORTS[3:]


def test_a_sparse_projection_reads_as_mappings(desk: Desk):
    """An index of keys gives only keys; what was not projected is not an error."""
    table = desk.table()
    table.create(desk.user(city=desk.partition, nickname="n"))
    (found,) = table.query(desk.partition, index="by-city").items
    values = desk.shown(found)
    assert values == {"PK": desk.partition, "SK": "profile", "city": desk.partition}


def test_pages_follow_each_other_by_cursor(desk: Desk, users):
    """Each item comes once; a limit counts the items of a page."""
    seen: list[str] = []
    cursor = None
    for _ in range(10):
        page = users.query(desk.partition, limit=2, cursor=cursor)
        seen += _sorts(desk, page)
        cursor = page.cursor
        if not cursor:
            break
    assert seen == SORTS


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(("index", "suffix"), [("by-email", "@x"), ("by-age", "")])
def test_pages_of_an_index_follow_each_other(desk: Desk, users, index, suffix, descending):
    """In both directions."""
    options = {"index": index, "descending": descending, "limit": 2}
    first = users.query(desk.partition + suffix, **options)
    second = users.query(desk.partition + suffix, cursor=first.cursor, **options)
    third = users.query(desk.partition + suffix, cursor=second.cursor, **options)
    seen = _sorts(desk, [*first, *second, *third])
    assert seen == (SORTS[::-1] if descending else SORTS)


def test_a_cursor_is_the_one_other_languages_write(desk: Desk, users):
    """base64url of lastKey, index, sort, in this order and without spaces."""
    page = users.query(desk.partition, limit=1)
    text = json.dumps(
        {"lastKey": {"PK": {"S": desk.partition}, "SK": {"S": "a#1"}}, "sort": "ASC"},
        separators=(",", ":"),
    )
    assert page.cursor == base64.urlsafe_b64encode(text.encode()).decode()


def _token(content: dict) -> str:
    text = json.dumps(content, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode()


def _content(token: str) -> dict:
    return json.loads(base64.urlsafe_b64decode(token))


def test_a_cursor_without_direction_fits_an_ascending_query_only(desk: Desk, users):
    """Go writes none by default."""
    token = _token({"lastKey": {"PK": {"S": desk.partition}, "SK": {"S": "a#3"}}})
    assert _sorts(desk, users.query(desk.partition, cursor=token)) == ["b#1", "b#2"]
    with pytest.raises(InvalidCursor):
        users.query(desk.partition, cursor=token, descending=True)


def test_a_cursor_of_another_query_is_refused_before_any_call(desk: Desk, users):
    """Another partition, index or direction: ErrInvalidCursor."""
    cursor = users.query(desk.partition, limit=1).cursor
    of_index = users.query(desk.partition, index="by-age", limit=1).cursor
    desk.backend.sent.clear()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"partition": desk.partition + "-other"}, cursor),
        ({"partition": desk.partition, "descending": True}, cursor),
        ({"partition": desk.partition, "index": "by-age"}, cursor),
        ({"partition": desk.partition}, of_index),
        ({"partition": desk.partition, "index": "by-age", "descending": True}, of_index),
        # The same key attributes, and only the index's name to tell them apart.
        ({"partition": desk.partition}, _token({**_content(cursor), "index": "by-age"})),
        (
            {"partition": desk.partition, "index": "by-age"},
            _token({**_content(of_index), "index": "by-email"}),
        ),
    ]
    for query, token in wrong:
        with pytest.raises(InvalidCursor) as caught:
            users.query(cursor=token, **query)
        assert caught.value.code == "ErrInvalidCursor"
    assert not desk.backend.sent


def test_what_is_no_cursor_of_the_table_is_refused_before_any_call(desk: Desk, users):
    """Damage, another table's key, a key of another type."""
    desk.backend.sent.clear()
    tokens = [
        "not a token",
        "e30=",
        _token({"lastKey": {"PK": {"S": desk.partition}}}),
        _token({"lastKey": {"PK": {"S": desk.partition}, "SK": {"N": "1"}}}),
        _token({"lastKey": {"PK": {"S": desk.partition}, "SK": {"S": "a"}, "x": {"S": "y"}}}),
    ]
    for token in tokens:
        with pytest.raises(InvalidCursor):
            users.query(desk.partition, cursor=token)
    assert not desk.backend.sent


def test_a_filter_is_sent_when_it_is_asked_for(desk: Desk, users):
    """It is DynamoDB's filter: read and charged, then dropped."""
    page = users.query(desk.partition, filter=(F("age") >= 20) & ~(F("age") == 30))
    assert _sorts(desk, page) == ["a#3", "b#2"]
    assert "FilterExpression" in desk.backend.sent[0][1]


def test_each_asks_for_a_page_when_it_is_needed(desk: Desk, users):
    """Lazy: whoever stops early does not pay for the rest."""
    items = users.each(desk.partition, limit=2)
    assert not desk.backend.sent
    assert desk.shown(next(items))["SK"] == "a#1"
    assert desk.shown(next(items))["SK"] == "a#2"
    assert desk.backend.operations == ["Query"]
    assert desk.shown(next(items))["SK"] == "a#3"
    assert desk.backend.operations == ["Query", "Query"]
    assert _sorts(desk, items) == ["b#1", "b#2"]


def test_each_takes_what_query_takes(desk: Desk, users):
    """A range, an index, a direction, and where to start."""
    start = users.query(desk.partition, limit=3).cursor
    assert _sorts(desk, users.each(desk.partition, cursor=start)) == ["b#1", "b#2"]
    items = users.each(desk.partition, keypact.begins_with("a"), descending=True, limit=1)
    assert _sorts(desk, items) == ["a#3", "a#2", "a#1"]


def test_a_query_needs_its_keys(desk: Desk):
    """An empty partition, an unknown index, a sort where there is none, a prefix of a number."""
    table = desk.table()
    with pytest.raises(MissingPrimaryKey):
        table.query("")
    with pytest.raises(MissingPrimaryKey):
        table.query(desk.partition, "")
    with pytest.raises(InvalidModel, match="by-nothing"):
        table.query(desk.partition, index="by-nothing")
    with pytest.raises(InvalidModel, match="sort"):
        table.query(desk.partition, "x", index="by-city")
    with pytest.raises(InvalidOperator):
        table.query(desk.partition, keypact.begins_with("1"), index="by-age")
    assert not desk.backend.sent
