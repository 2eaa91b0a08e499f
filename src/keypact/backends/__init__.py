"""Where requests go. A backend takes a wire request and gives the wire answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, Self

from ..errors import InvalidAddress
from .embedded import EmbeddedBackend

__all__ = ["Backend", "EmbeddedBackend", "connect"]


class Backend(Protocol):
    """Anything that answers DynamoDB requests."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer as DynamoDB JSON; an error answer raises DynamoDBError."""
        ...

    def close(self) -> None:
        """Give back files and connections."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


def connect(address: str) -> Backend:
    """A backend for ``memory:`` or ``sqlite:FOLDER``.

    >>> with connect("memory:") as backend:
    ...     backend.call("ListTables", {})
    {'TableNames': []}
    """
    scheme, _, rest = address.partition(":")
    if scheme == "memory" and not rest:
        return EmbeddedBackend(None)
    if scheme == "sqlite" and rest:
        return EmbeddedBackend(Path(rest))
    raise InvalidAddress(
        f"cannot connect to {address!r}: write 'memory:' for a store that ends with the process, "
        "or 'sqlite:FOLDER' for one that is kept in a folder"
    )
