"""The table, the items and the requests that every benchmark uses.

An item is an order of a customer: pk, sk and eight further attributes (S, N, BOOL, N, SS,
M, B, S), 400 bytes as DynamoDB counts them. A customer has 100 orders.
"""

from __future__ import annotations

import base64
import random
from typing import Any

TABLE = "bench_orders"
PLAIN_TABLE = "bench_plain"
ITEM_BYTES = 400
ORDERS_EACH = 100
QUERY_ITEMS = 25
# A note begins with the edition in this many digits, and nothing else tells editions apart.
MARK_BYTES = 12

ITEM_IN_WORDS = (
    f"{ITEM_BYTES} bytes as DynamoDB counts them: pk, sk, status (S), total (N), paid (BOOL), "
    "version (N), tags (SS), address (M of 3), token (B), note (S)"
)

# A server that takes items apart is several times slower on the rich item than on this one,
# so a ratio on one of them alone would say more about the item than about the server.
PLAIN_IN_WORDS = f"{ITEM_BYTES} bytes of pk, sk and one string"

CREATE_TABLE: dict[str, Any] = {
    "TableName": TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
}

_LETTERS = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789"
_PROSE = "".join(random.Random(400).choices(_LETTERS, k=4096))


def pk_of(number: int) -> str:
    """The partition of the item of that number."""
    return f"customer#{number // ORDERS_EACH:06d}"


def sk_of(number: int) -> str:
    """The sort key of the item of that number."""
    return f"order#{number % ORDERS_EACH:08d}"


def key_of(number: int) -> dict[str, Any]:
    """The whole key."""
    return {"pk": {"S": pk_of(number)}, "sk": {"S": sk_of(number)}}


def item_of(number: int, edition: int = 0) -> dict[str, Any]:
    """The item of that number. Every edition has other bytes.

    SQLite writes nothing, and flushes nothing, when a row is overwritten with the bytes it
    has: a benchmark that puts one item twice would time an empty commit.
    """
    mark = f"{edition:0{MARK_BYTES}d}"
    offset = number * 31 % 3500
    token = base64.b64encode(f"{number:024d}".encode()).decode()
    return {
        **key_of(number),
        "status": {"S": ("NEW", "PAID", "SHIPPED", "CLOSED")[number % 4].ljust(8, ".")},
        # Without trailing zeros and of one length, so that all items have one size.
        "total": {"N": f"{100 + number % 900}.{11 + number % 8}"},
        "paid": {"BOOL": number % 2 == 0},
        "version": {"N": "0"},
        "tags": {"SS": ["express", f"warehouse-{number % 10}"]},
        "address": {
            "M": {
                "street": {"S": f"{100 + number % 900} Long Acre"},
                "city": {"S": "Rotterdam"},
                "zip": {"N": str(11111 + number % 8 * 11111)},
            }
        },
        "token": {"B": token},
        "note": {"S": mark + _PROSE[offset : offset + _NOTE_BYTES - len(mark)]},
    }


def size_of(item: dict[str, Any]) -> int:
    """An item's size by DynamoDB's published rules, for the types used here."""
    return sum(len(name) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: dict[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "N":
        digits = content.replace(".", "").strip("0")
        return (len(digits) + 1) // 2 + 1
    if kind == "B":
        return len(base64.b64decode(content))
    if kind == "SS":
        return sum(len(member.encode()) for member in content)
    if kind == "M":
        return 3 + sum(len(k) + 1 + _value_bytes(v) for k, v in content.items())
    assert kind == "BOOL", kind
    return 1


_NOTE_BYTES = MARK_BYTES
_NOTE_BYTES += ITEM_BYTES - size_of(item_of(0))


def plain_item_of(number: int) -> dict[str, Any]:
    """An item of the same key and size with one string in it."""
    key = key_of(number)
    length = ITEM_BYTES - size_of(key) - len("data")
    return {**key, "data": {"S": _PROSE[number % 3500 :][:length]}}


# Requests -----------------------------------------------------------------------------


def get(number: int, table: str = TABLE) -> dict[str, Any]:
    """GetItem of one item."""
    return {"TableName": table, "Key": key_of(number)}


def query(number: int, table: str = TABLE) -> dict[str, Any]:
    """Query of 25 items of the item's partition, from some order on."""
    first = number % (ORDERS_EACH - QUERY_ITEMS)
    return {
        "TableName": table,
        "KeyConditionExpression": "pk = :pk AND sk >= :sk",
        "ExpressionAttributeValues": {":pk": {"S": pk_of(number)}, ":sk": {"S": sk_of(first)}},
        "Limit": QUERY_ITEMS,
    }


def query_answers(number: int) -> list[int]:
    """The numbers of the items which `query` must give, in order."""
    start = number // ORDERS_EACH * ORDERS_EACH + number % (ORDERS_EACH - QUERY_ITEMS)
    return list(range(start, start + QUERY_ITEMS))


def put(number: int, edition: int) -> dict[str, Any]:
    """PutItem of a new edition."""
    return {"TableName": TABLE, "Item": item_of(number, edition)}


def update(number: int) -> dict[str, Any]:
    """UpdateItem with a condition and an ADD."""
    return {
        "TableName": TABLE,
        "Key": key_of(number),
        "UpdateExpression": "SET #status = :status ADD version :one",
        "ConditionExpression": "attribute_exists(pk) AND version >= :zero",
        "ExpressionAttributeNames": {"#status": "status"},
        "ExpressionAttributeValues": {
            ":status": {"S": "UPDATED."},
            ":one": {"N": "1"},
            ":zero": {"N": "0"},
        },
    }


def transact(numbers: tuple[int, int, int], edition: int) -> dict[str, Any]:
    """TransactWriteItems of three: a Put, and two Updates with condition and ADD."""
    return {
        "TransactItems": [
            {"Put": put(numbers[0], edition)},
            {"Update": update(numbers[1])},
            {"Update": update(numbers[2])},
        ]
    }


def batch(numbers: range, table: str = TABLE) -> dict[str, Any]:
    """BatchWriteItem of the first editions of up to 25 items."""
    make = item_of if table == TABLE else plain_item_of
    return {"RequestItems": {table: [{"PutRequest": {"Item": make(n)}} for n in numbers]}}


def same_item(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Whether two items are equal; a set has no order."""
    return _plain(left) == _plain(right)


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {"SS": sorted(value["SS"])} if "SS" in value else value
        for name, value in item.items()
    }
