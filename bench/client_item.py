"""The item that clients are compared with: 20 attributes, 399 bytes.

Read by every contender's process, so it imports next to nothing.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

TABLE = "bench_clients"
QUERY_ITEMS = 25
IN_WORDS = (
    "20 attributes and 399 bytes as DynamoDB counts them: 9 S (two of them the key), 5 N, 2 BOOL, "
    "an SS of 2, an L of 3 N, an M of 3, a B of 16 bytes"
)

PK, SK = "customer#000042", "order#00000017"
KEY = {"pk": PK, "sk": SK}
VALUES: dict[str, Any] = {
    **KEY,
    "name": "Ann van der Berg",
    "email": "ann.vandenberg@example.com",
    "status": "SHIPPED",
    "country": "NL",
    "currency": "EUR",
    "channel": "web",
    "note": "Leave it with the neighbours at number 12 when nobody answers the door. "
    "Ring twice; thank you",
    "quantity": 12,
    "version": 7,
    "placed": 1767225600,
    "total": Decimal("129.95"),
    "weight": Decimal("4.25"),
    "paid": True,
    "gift": False,
    "tags": {"express", "warehouse-7"},
    "ratings": [5, 4, 3],
    "address": {"street": "221 Long Acre", "city": "Rotterdam", "zip": "3011 AB"},
    "token": b"0123456789abcdef",
}
TOKEN_TEXT = "MDEyMzQ1Njc4OWFiY2RlZg=="


def typed(value: Any) -> dict[str, Any]:
    """A value as DynamoDB JSON."""
    match value:
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": value}
        case int() | Decimal():
            return {"N": str(value)}
        case set():
            return {"SS": sorted(value)}
        case list():
            return {"L": [typed(one) for one in value]}
        case dict():
            return {"M": {name: typed(one) for name, one in value.items()}}
        case _:
            assert value == VALUES["token"], value
            return {"B": TOKEN_TEXT}


def typed_key() -> dict[str, Any]:
    """The key as DynamoDB JSON."""
    return {name: typed(value) for name, value in KEY.items()}


def typed_item(number: int | None = None) -> dict[str, Any]:
    """The item as DynamoDB JSON; with a number, one of those that a query gives."""
    item = {name: typed(value) for name, value in VALUES.items()}
    if number is not None:
        item["sk"] = {"S": sk_of(number)}
    return item


def sk_of(number: int) -> str:
    """The sort key of one of a query's items."""
    return f"order#{number:08d}"


def same(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Whether two items are one: a set has no order, a number many spellings."""
    return _plain({"M": left}) == _plain({"M": right})


def _plain(value: dict[str, Any]) -> Any:
    ((kind, content),) = value.items()
    match kind:
        case "N":
            return Decimal(content)
        case "SS":
            return sorted(content)
        case "L":
            return [_plain(one) for one in content]
        case "M":
            return {name: _plain(one) for name, one in content.items()}
    return content


_TYPES = {str: "S", int: "N", Decimal: "N", bool: "BOOL", set: "SS", list: "L", dict: "M"}
_ROLES = {"pk": ", required: true, roles: [pk]", "sk": ", required: true, roles: [sk]"}
DOCUMENT = "\n".join(
    [
        'dms_version: "0.1"',
        "models:",
        "  - name: Order",
        f"    table: {{ name: {TABLE} }}",
        "    naming: { convention: snake_case }",
        "    keys:",
        "      partition: { attribute: pk, type: S }",
        "      sort: { attribute: sk, type: S }",
        "    attributes:",
        *(
            f"      - {{ attribute: {name}, type: {_TYPES.get(type(value), 'B')}"
            f"{_ROLES.get(name, '')} }}"
            for name, value in VALUES.items()
        ),
    ]
)
