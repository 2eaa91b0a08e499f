"""Every error of the library, in one tree.

KeypactError
├── InvalidAddress      connect() cannot read where to connect to
├── FolderUnusable      the data folder cannot be made, opened, or understood
└── DynamoDBError       DynamoDB answered with an error; ``code`` is its own name for it
"""

from __future__ import annotations

from typing import Any


class KeypactError(Exception):
    """Base of all. ``code`` is stable: programs may decide by it."""

    code: str = "ErrKeypact"


class InvalidAddress(KeypactError):
    """The text given to ``connect`` names no backend."""

    code = "ErrInvalidAddress"


class FolderUnusable(KeypactError):
    """The data folder cannot be used; the message says why and what to do."""

    code = "ErrFolderUnusable"


class DynamoDBError(KeypactError):
    """An error that DynamoDB gave as its answer.

    ``code`` is DynamoDB's name, such as ``ConditionalCheckFailedException``; ``details``
    holds the answer's further members, such as ``CancellationReasons`` or ``Item``.
    """

    def __init__(self, code: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.message = message
        self.details = details or {}
