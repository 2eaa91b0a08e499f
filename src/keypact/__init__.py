"""Contract-first DynamoDB for Python."""

from .backends import Backend, connect
from .errors import DynamoDBError, FolderUnusable, InvalidAddress, KeypactError

__version__ = "0.1.0"

__all__ = [
    "Backend",
    "DynamoDBError",
    "FolderUnusable",
    "InvalidAddress",
    "KeypactError",
    "__version__",
    "connect",
]
