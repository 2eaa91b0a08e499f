"""The order of sort keys."""

from __future__ import annotations

from tests.conformance.cases import (
    B,
    Case,
    Json,
    N,
    S,
    Source,
    on,
    page,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("ordering", "HowItWorks.CoreComponents")

QUERY = {
    "KeyConditionExpression": "pk = :p",
    "ExpressionAttributeValues": {":p": S("a")},
}


def ordered(name: str, table: str, *sorts: Json) -> Case:
    """A case: sort keys written in their order, put in another, and read both ways."""
    items = [{"pk": S("a"), "sk": sort} for sort in sorts]
    shuffled = items[1::2] + items[::-2]
    return case(
        name,
        ("Query", on(table, **QUERY), page(*items)),
        ("Query", on(table, ScanIndexForward=False, **QUERY), page(*reversed(items))),
        given=puts(table, *{id(item): item for item in [*shuffled, *items]}.values()),
    )


def texts(name: str, *sorts: str) -> Case:
    return ordered(f"text_{name}", "@sorted", *map(S, sorts))


def numbers(name: str, *sorts: str) -> Case:
    return ordered(f"number_{name}", "@numbered", *map(N, sorts))


def binaries(name: str, *sorts: bytes) -> Case:
    return ordered(f"binary_{name}", "@binary", *map(B, sorts))


CASES = [
    texts("letters", "a", "b", "c", "d", "e"),
    texts("capitals_first", "A", "B", "Z", "a", "b"),
    texts("digits_as_text", "1", "10", "100", "2", "20", "3"),
    texts("shorter_first", "a", "aa", "aaa", "aaaa", "ab"),
    texts("punctuation", " ", "!", "#", "-", "/", "0", ":", "A", "_", "a", "~"),
    texts("control_characters", "\x01", "\x02", "\t", "\n", "\x1f", " "),
    texts("nul", "a", "a\x00", "a\x00\x00", "a\x00b", "a\x01", "ab"),
    texts("accents", "e", "z", "\u00e9", "\u00fc", "\u0100"),
    texts("scripts", "z", "\u00e9", "\u0416", "\u4e2d", "\uac00", "\uffee"),
    # As UTF-8: what UTF-16 writes as surrogates comes after everything else.
    texts(
        "beyond_the_basic_plane",
        "\ud7ff",
        "\ue000",
        "\uffee",
        "\U00010000",
        "\U0001f600",
        "\U0010ffff",
    ),
    texts("composed_and_decomposed", "e", "e\u0301", "f", "\u00e9"),
    numbers("by_value", "-100", "-20", "-3", "0", "1", "2", "10", "30", "200"),
    numbers("fractions", "-1.5", "-1.25", "-0.5", "-0.25", "0", "0.25", "0.5", "1.25", "1.5"),
    numbers("magnitudes", "-1000", "-100", "-10", "-1", "1", "10", "100", "1000"),
    numbers("small", "-0.1", "-0.01", "-0.001", "0", "0.001", "0.01", "0.1"),
    numbers(
        "extremes",
        "-" + "9" * 38 + "0" * 88,
        "-1" + "0" * 125,
        "-0." + "0" * 129 + "1",
        "0",
        "0." + "0" * 129 + "1",
        "1" + "0" * 125,
        "9" * 38 + "0" * 88,
    ),
    numbers(
        "digits_38", "1" + "0" * 37, "1" + "0" * 36 + "1", "1" + "0" * 36 + "2", "2" + "0" * 37
    ),
    numbers("one_digit_more", "1.1", "1.11", "1.111", "1.12", "1.2"),
    numbers("negative_one_digit_more", "-1.2", "-1.12", "-1.111", "-1.11", "-1.1"),
    numbers("around_ten", "9", "9.9", "9.99", "10", "10.01", "11", "99", "100", "101"),
    binaries("unsigned", b"\x00", b"\x01", b"\x7f", b"\x80", b"\xfe", b"\xff"),
    binaries("shorter_first", b"\x01", b"\x01\x00", b"\x01\x00\x00", b"\x01\x01", b"\x02"),
    binaries("all_ones", b"\xff", b"\xff\x00", b"\xff\xff", b"\xff\xff\xff"),
]


def test_ordering(tables: Tables, case: Case) -> None:
    """Items come in DynamoDB's order of their sort keys."""
    check(tables, case)
