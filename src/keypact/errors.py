"""Every error of the library, in one tree. ``code`` is stable: programs may decide by it.

KeypactError
├── InvalidModel                 ErrInvalidModel               a schema or item breaks a rule
│   ├── InvalidDocument          ErrInvalidModel               all problems of a document at once
│   └── InvalidValue             ErrInvalidModel               a value no attribute can hold
├── MissingPrimaryKey            ErrMissingPrimaryKey          no key, or an empty one
├── InvalidOperator              ErrInvalidOperator            a condition that cannot be expressed
├── InvalidCursor                ErrInvalidCursor              a page token of another query
├── EncryptedFieldNotQueryable   ErrEncryptedFieldNotQueryable ciphertext cannot be compared
├── EncryptionNotConfigured      ErrEncryptionNotConfigured    no key provider: nothing was sent
├── InvalidEncryptedEnvelope     ErrInvalidEncryptedEnvelope   not sealed, or not for this attribute
├── ItemNotFound                 ErrItemNotFound               the table is there, the item is not
├── ItemNotReadable              ErrItemNotReadable            a stored item that fits no longer
├── TableNotFound                ErrTableNotFound              the table itself is missing
├── ConditionFailed              ErrConditionFailed            nothing was written
├── TransactionCanceled          ErrTransactionCanceled        one reason for each item
├── BatchIncomplete              ErrBatchIncomplete            what is left after all attempts
├── BackendError                                               the way to the store
│   ├── Throttled                ErrThrottled                  retryable: slow down
│   ├── Unavailable              ErrUnavailable                retryable: nothing was written
│   └── OutcomeUnknown           ErrOutcomeUnknown             a write may or may not have happened
├── DynamoDBError                DynamoDB's own code           any other error answer
├── InvalidAddress               ErrInvalidAddress             connect() cannot read its address
└── FolderUnusable               ErrFolderUnusable             the data folder cannot be used
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class KeypactError(Exception):
    """Base of all."""

    code: str = "ErrKeypact"
    # Whether the same call may succeed later without any change.
    retryable: bool = False


# The author's mistakes ----------------------------------------------------------------


class InvalidModel(KeypactError):
    """A schema, a model, or an item that does not fit its model."""

    code = "ErrInvalidModel"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a document: where it is, what it is, what to do."""

    path: str
    message: str
    hint: str = ""
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        path = f"{self.path}: " if self.path else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{path}{self.message}{hint}"


class InvalidDocument(InvalidModel):
    """A document with problems, all of them told."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


class InvalidValue(InvalidModel):
    """A value that cannot be stored as its attribute declares, or not at all."""


class MissingPrimaryKey(KeypactError):
    """A key attribute is missing or empty; nothing was sent."""

    code = "ErrMissingPrimaryKey"


class InvalidOperator(KeypactError):
    """A condition or update that DynamoDB has no way to express."""

    code = "ErrInvalidOperator"


class InvalidCursor(KeypactError):
    """A page token that cannot be read, or belongs to another query."""

    code = "ErrInvalidCursor"


# Encryption -----------------------------------------------------------------------------


class EncryptedFieldNotQueryable(KeypactError):
    """An encrypted attribute in a key, condition or filter."""

    code = "ErrEncryptedFieldNotQueryable"


class EncryptionNotConfigured(KeypactError):
    """The model has encrypted attributes and no key provider was given; nothing was sent."""

    code = "ErrEncryptionNotConfigured"


class InvalidEncryptedEnvelope(KeypactError):
    """A stored value that is no envelope, is damaged, or was sealed for another attribute."""

    code = "ErrInvalidEncryptedEnvelope"


# Expected answers -----------------------------------------------------------------------


class ItemNotFound(KeypactError):
    """There is no item with this key."""

    code = "ErrItemNotFound"

    def __init__(self, table: str, key: Mapping[str, Any]) -> None:
        super().__init__(f"no item in table {table} with key {dict(key)!r}")
        self.table = table
        self.key = dict(key)


class ItemNotReadable(KeypactError):
    """A stored item that no longer fits its model; names item, attribute, and what to do."""

    code = "ErrItemNotReadable"


class TableNotFound(KeypactError):
    """The table is missing; ``ensure()`` makes it."""

    code = "ErrTableNotFound"


class ConditionFailed(KeypactError):
    """The condition was false and nothing was written; ``item`` is what failed it, if asked for."""

    code = "ErrConditionFailed"

    def __init__(
        self, table: str, key: Mapping[str, Any], item: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(f"the condition on table {table}, key {dict(key)!r} did not hold")
        self.table = table
        self.key = dict(key)
        self.item = item


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one item of a transaction was refused; code ``None`` for one that was not."""

    code: str
    message: str = ""
    item: Any = None


class TransactionCanceled(KeypactError):
    """Nothing of the transaction was written; ``reasons`` has one entry an item, in order."""

    code = "ErrTransactionCanceled"

    def __init__(self, reasons: Sequence[Reason]) -> None:
        told = "; ".join(
            f"item {number}: {reason.code} {reason.message}".rstrip()
            for number, reason in enumerate(reasons)
            if reason.code != "None"
        )
        super().__init__(f"the transaction was cancelled: {told}")
        self.reasons = tuple(reasons)


class BatchIncomplete(KeypactError):
    """Some of a batch was not processed after all attempts; ``unprocessed`` is what is left."""

    code = "ErrBatchIncomplete"
    retryable = True

    def __init__(self, unprocessed: Sequence[Any], done: Sequence[Any] = ()) -> None:
        super().__init__(f"{len(unprocessed)} of the batch were not processed; try these again")
        self.unprocessed = list(unprocessed)
        self.done = list(done)


# The way to the store --------------------------------------------------------------------


class BackendError(KeypactError):
    """The store could not be asked, or did not answer properly."""


class Throttled(BackendError):
    """The store asked us to slow down until attempts were used up; nothing was written."""

    code = "ErrThrottled"
    retryable = True


class Unavailable(BackendError):
    """The store could not be reached or failed; nothing was written."""

    code = "ErrUnavailable"
    retryable = True


class OutcomeUnknown(BackendError):
    """A write was sent and its answer lost: it may or may not have happened."""

    code = "ErrOutcomeUnknown"


class DynamoDBError(KeypactError):
    """An error that DynamoDB gave as its answer.

    ``code`` is DynamoDB's name, such as ``ValidationException``; ``details`` holds the
    answer's further members, such as ``CancellationReasons`` or ``Item``.
    """

    def __init__(self, code: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.message = message
        self.details = details or {}


# Where to connect -------------------------------------------------------------------------


class InvalidAddress(KeypactError):
    """The text given to ``connect`` names no backend."""

    code = "ErrInvalidAddress"


class FolderUnusable(KeypactError):
    """The data folder cannot be used; the message says why and what to do."""

    code = "ErrFolderUnusable"
