"""Page tokens are to the byte what Go's pkg/query.EncodeCursor writes."""

from __future__ import annotations

import base64
import contextlib
import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keypact
from keypact.cursor import CURSOR_CHARACTERS_MAX, decode_cursor, encode_cursor
from keypact.errors import InvalidCursor

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = st.one_of(
    st.builds(lambda v: {"S": v}, texts),
    st.builds(lambda v: {"N": str(v)}, st.integers()),
    st.builds(lambda v: {"B": base64.b64encode(v).decode()}, st.binary(max_size=6)),
    st.builds(lambda v: {"BOOL": v}, st.booleans()),
    st.just({"NULL": True}),
    st.builds(lambda v: {"SS": v}, st.lists(texts, min_size=1, max_size=3)),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.builds(lambda v: {"L": v}, st.lists(inner, max_size=3)),
        st.builds(lambda v: {"M": v}, st.dictionaries(texts, inner, max_size=3)),
    ),
    max_leaves=6,
)
keys = st.dictionaries(texts, values, min_size=1, max_size=3)


def go_cursor(last_key: dict[str, Any], index: str, sort: str) -> str:
    """The same token by another road: Python's json, then Go's escapes put in by hand."""

    def ordered(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: ordered(value[k]) for k in sorted(value, key=lambda name: name.encode())}
        return [ordered(one) for one in value] if isinstance(value, list) else value

    document: dict[str, Any] = {"lastKey": ordered(last_key)}
    if index:
        document["index"] = index
    if sort:
        document["sort"] = sort
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return base64.urlsafe_b64encode(text.encode()).decode()


@given(keys, st.sampled_from(["", "gsi-email", "a<b"]), st.sampled_from(["", "ASC", "DESC"]))
def test_tokens_equal_an_independent_encoder(key: dict[str, Any], index: str, sort: str) -> None:
    """No spaces, sorted maps, Go's escapes, base64url with padding."""
    token = encode_cursor(key, index=index, sort=sort)
    assert token == go_cursor(key, index, sort)
    cursor = decode_cursor(token)
    assert (cursor.last_key, cursor.index, cursor.sort) == (key, index, sort)
    assert decode_cursor(token.rstrip("=")) == cursor


def test_a_token_written_out() -> None:
    """Key order at the top is lastKey, index, sort, whatever the alphabet says."""
    token = keypact.encode_cursor({"SK": {"S": "b&c"}, "PK": {"S": "A"}}, index="gsi", sort="DESC")
    assert base64.urlsafe_b64decode(token) == (
        b'{"lastKey":{"PK":{"S":"A"},"SK":{"S":"b\\u0026c"}},"index":"gsi","sort":"DESC"}'
    )


def test_no_last_key_is_the_end() -> None:
    """The last page's cursor is empty, and an empty cursor is no cursor to decode."""
    assert encode_cursor({}) == ""
    with pytest.raises(InvalidCursor):
        decode_cursor("")


def token_of(document: object) -> str:
    """Any JSON as a token."""
    return base64.urlsafe_b64encode(json.dumps(document).encode()).decode()


KEY = {"PK": {"S": "A"}}


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "not base64!",
        token_of(KEY)[:-5],
        "////",
        token_of([]),
        token_of({"lastKey": {}}),
        token_of({"lastKey": KEY, "more": 1}),
        token_of({"lastKey": KEY, "sort": "UP"}),
        token_of({"lastKey": KEY, "index": 1}),
        token_of({"lastKey": {"PK": {"S": 1}}}),
        token_of({"lastKey": {"PK": {"S": "a", "N": "1"}}}),
        token_of({"lastKey": {"PK": {"X": "a"}}}),
        token_of({"lastKey": {"PK": {"SS": [1]}}}),
        token_of({"lastKey": {"PK": "A"}}),
        "A" * (CURSOR_CHARACTERS_MAX + 1),
        base64.urlsafe_b64encode(b'{"lastKey":' + b'{"a":{"M":' * 5000).decode(),
    ],
)
def test_what_is_no_token_is_refused(text: str) -> None:
    """With a typed error, whatever it is."""
    with pytest.raises(InvalidCursor) as raised:
        decode_cursor(text)
    assert raised.value.code == "ErrInvalidCursor"


@given(st.text(alphabet=string.ascii_letters + string.digits + "-_=", max_size=60))
def test_any_text_is_a_cursor_or_refused(text: str) -> None:
    """Nothing but InvalidCursor comes out of a stranger's token."""
    with contextlib.suppress(InvalidCursor):
        assert decode_cursor(text).last_key
