"""What reading and writing transactions share: each item once, and one reason for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..errors import (
    ConditionalCheckFailedException,
    ServiceError,
    TransactionCanceledException,
    ValidationException,
)

T = TypeVar("T")


def all_or_cancel(
    steps: Iterable[Callable[[], T]], refusals: type[ServiceError] = ServiceError
) -> list[T]:
    """What every step gives; if one is refused, the transaction is cancelled with all reasons."""
    results: list[T] = []
    reasons: list[dict[str, Any]] = []
    for step in steps:
        try:
            results.append(step())
            reasons.append({"Code": "None"})
        except refusals as error:
            failed = isinstance(error, ConditionalCheckFailedException)
            code = "ConditionalCheckFailed" if failed else "ValidationError"
            reasons.append({"Code": code, "Message": error.message, **error.payload})
    if len(results) < len(reasons):
        codes = ", ".join(reason["Code"] for reason in reasons)
        raise TransactionCanceledException(
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            f"[{codes}]",
            CancellationReasons=reasons,
        )
    return results


def refuse_repeats(keys: list[tuple[int, bytes, bytes]]) -> None:
    """A transaction names each item once."""
    if len(set(keys)) != len(keys):
        raise ValidationException(
            "Transaction request cannot include multiple operations on one item"
        )
