"""DynamoDB's error answers as the library's errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import (
    ConditionFailed,
    DynamoDBError,
    KeypactError,
    Reason,
    TableNotFound,
    TransactionCanceled,
)
from .values import from_value


def as_library_error(error: DynamoDBError, table: str, key: Mapping[str, Any]) -> KeypactError:
    """The error of our tree that an answer means; one that means no other stays as it is."""
    if error.code == "ConditionalCheckFailedException":
        return ConditionFailed(table, plain(key), plain(error.details.get("Item")) or None)
    if error.code == "ResourceNotFoundException":
        return TableNotFound(f"table {table} does not exist on this backend; ensure() makes it")
    if error.code == "TransactionCanceledException":
        reasons = error.details.get("CancellationReasons", ())
        return TransactionCanceled(
            [
                Reason(
                    one.get("Code") or "None",
                    one.get("Message") or "",
                    plain(one.get("Item")) or None,
                )
                for one in reasons
            ]
        )
    return error


def plain(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    """Typed values as Python's, without a schema: for people who read an error."""
    return {name: from_value(value) for name, value in (attributes or {}).items()}
