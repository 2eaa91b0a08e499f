"""The embedded engine: a durable DynamoDB in process. It knows nothing of the rest."""

from .engine import Engine
from .errors import ServiceError
from .storage.files import FolderError

__all__ = ["Engine", "FolderError", "ServiceError"]
