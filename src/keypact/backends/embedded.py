"""The embedded engine as a backend."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from ..engine import Engine, FolderError, ServiceError
from ..errors import DynamoDBError, FolderUnusable


class EmbeddedBackend:
    """Requests answered in this process, from a folder or from memory."""

    def __init__(self, folder: Path | None, *, fsync: bool = True) -> None:
        try:
            self.engine = Engine(folder, fsync=fsync)
        except FolderError as error:
            raise FolderUnusable(str(error)) from error

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer as DynamoDB JSON; an error answer raises DynamoDBError."""
        try:
            return self.engine.execute(operation, request)
        except ServiceError as error:
            raise DynamoDBError(error.code, error.message, error.payload) from None

    def close(self) -> None:
        """Close the engine; what was acknowledged is in the folder."""
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
