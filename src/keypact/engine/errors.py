"""Every error the engine answers with, under DynamoDB's own names.

ServiceError
├── ValidationException                       the request breaks a rule
│   └── SchemaMismatch                        the item does not fit its table
├── SerializationException                    the request is not of the protocol
├── UnknownOperationException                 no such operation
├── ConditionalCheckFailedException           the condition was false
├── TransactionCanceledException              one reason for each item
├── IdempotentParameterMismatchException      a token used again for another request
├── ResourceNotFoundException                 no such table or index
├── ResourceInUseException                    the table is there already
├── ItemCollectionSizeLimitExceededException  more than 10 GB under one partition key
├── LimitExceededException                    too many tables or control operations
├── MissingAuthenticationTokenException       the request is not signed
├── IncompleteSignatureException              the signature header cannot be read
├── UnrecognizedClientException               the access key is not known
├── InvalidSignatureException                 the signature is not right
└── InternalServerError                       the store failed; says what to do
"""

from __future__ import annotations

from typing import Any, ClassVar

_DYNAMODB = "com.amazonaws.dynamodb.v20120810#"
_CORAL_VALIDATE = "com.amazon.coral.validate#"
_CORAL_SERVICE = "com.amazon.coral.service#"


class ServiceError(Exception):
    """An answer of DynamoDB that is an error: code, message, and further members."""

    namespace: ClassVar[str] = _DYNAMODB
    status: ClassVar[int] = 400

    def __init__(self, message: str = "", **payload: Any) -> None:
        super().__init__(message)
        self.message = message
        self.payload = payload

    @property
    def code(self) -> str:
        """The error's name as SDKs see it, such as ``ValidationException``."""
        return type(self).__name__

    def body(self) -> dict[str, Any]:
        """The error as the JSON protocol carries it."""
        # SerializationException and friends spell the member with a capital M.
        name = "Message" if self.namespace == _CORAL_SERVICE else "message"
        body: dict[str, Any] = {"__type": self.namespace + self.code}
        if self.message:
            body[name] = self.message
        body.update(self.payload)
        return body


class ValidationException(ServiceError):
    """The request breaks one of DynamoDB's rules."""

    namespace = _CORAL_VALIDATE


class SchemaMismatch(ValidationException):
    """An item or key that does not fit its table; in a transaction, a reason to cancel it."""

    @property
    def code(self) -> str:
        """DynamoDB has no name of its own for it."""
        return ValidationException.__name__


class SerializationException(ServiceError):
    """The request cannot be read as the JSON protocol."""

    namespace = _CORAL_SERVICE


class UnknownOperationException(ServiceError):
    """The operation does not exist, or the engine does not have it."""

    namespace = _CORAL_SERVICE


class ConditionalCheckFailedException(ServiceError):
    """The condition was false; nothing was written."""


class TransactionCanceledException(ServiceError):
    """The transaction wrote nothing; ``CancellationReasons`` has one entry an item."""


class IdempotentParameterMismatchException(ServiceError):
    """The client request token was used within ten minutes for another request."""


class ResourceNotFoundException(ServiceError):
    """The table or index is not there."""


class ResourceInUseException(ServiceError):
    """The table is there already, or is being changed."""


class ItemCollectionSizeLimitExceededException(ServiceError):
    """The items under one partition key of a table with local indexes exceed 10 GB."""


class LimitExceededException(ServiceError):
    """Too many tables, or too many changes to them at once."""


class MissingAuthenticationTokenException(ServiceError):
    """The request carries no signature."""

    namespace = _CORAL_SERVICE


class IncompleteSignatureException(ServiceError):
    """The Authorization header lacks a part."""

    namespace = _CORAL_SERVICE


class UnrecognizedClientException(ServiceError):
    """The access key is not one of the keys given to the server."""

    namespace = _CORAL_SERVICE


class InvalidSignatureException(ServiceError):
    """The signature does not match the request."""

    namespace = _CORAL_SERVICE


class InternalServerError(ServiceError):
    """The store failed: disk full, file read-only, page damaged. Nothing was changed."""

    status = 500
