"""Where requests go. A backend takes a wire request and gives the wire answer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, Self

from ..errors import InvalidAddress

if TYPE_CHECKING:
    from .dynamodb import HttpBackend
    from .embedded import EmbeddedBackend

__all__ = ["Backend", "EmbeddedBackend", "HttpBackend", "connect"]

# Loaded when first used: a client over HTTP has no use for an engine, nor the other way.
_HOMES = {"EmbeddedBackend": "embedded", "HttpBackend": "dynamodb"}


class Backend(Protocol):
    """Anything that answers DynamoDB requests, at once or awaited."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer as DynamoDB JSON; an error answer raises DynamoDBError."""
        ...

    def answer(self, operation: str, request: dict[str, Any]) -> bytes:
        """The answer as bytes of JSON."""
        ...

    async def acall(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """As ``call``, awaited."""
        ...

    async def aanswer(self, operation: str, request: dict[str, Any]) -> bytes:
        """As ``answer``, awaited."""
        ...

    def close(self) -> None:
        """Give back files and connections."""
        ...

    async def aclose(self) -> None:
        """As ``close``, for use on an event loop."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *exception: object) -> None: ...


def connect(address: str) -> Backend:
    """A backend for an address.

    ``memory:`` ends with the process, ``sqlite:FOLDER`` is kept in a folder,
    ``http://127.0.0.1:8000`` and ``https://…`` speak to a server, ``dynamodb:eu-central-1`` to AWS.
    Over HTTP nothing is sent before the first call. Credentials come from the
    environment, else from botocore's chain; a local engine over plain HTTP needs none.

    >>> with connect("memory:") as backend:
    ...     backend.call("ListTables", {})
    {'TableNames': []}
    """
    scheme, _, rest = address.partition(":")
    if address == "memory:":
        from .embedded import EmbeddedBackend

        return EmbeddedBackend(None)
    if scheme == "sqlite" and rest:
        from pathlib import Path

        from .embedded import EmbeddedBackend

        return EmbeddedBackend(Path(rest))
    if scheme == "dynamodb" or (scheme in {"http", "https"} and rest.startswith("//")):
        from .dynamodb import HttpBackend
        from .endpoints import aws_endpoint, read_endpoint

        endpoint = aws_endpoint(rest) if scheme == "dynamodb" else read_endpoint(address)
        return HttpBackend(endpoint)
    raise InvalidAddress(
        f"cannot connect to {address!r}: write 'memory:' for a store that ends with the process, "
        "'sqlite:FOLDER' for one that is kept in a folder, 'http://127.0.0.1:8000' for a server, "
        "or 'dynamodb:eu-central-1' for AWS"
    )


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)
