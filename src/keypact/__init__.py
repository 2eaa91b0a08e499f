"""Contract-first DynamoDB for Python.

Names are loaded when they are first used: a program that reads one item at its start
does not wait for what it never needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import encryption, errors
    from .backends import Backend, connect
    from .classes import attribute, bind, class_for, index, model, model_of
    from .conditions import F, above, at_least, at_most, begins_with, below, between
    from .cursor import Cursor, decode_cursor, encode_cursor
    from .errors import DynamoDBError, FolderUnusable, InvalidAddress, InvalidModel, KeypactError
    from .generation import generate_module
    from .keyrings import KmsProvider, LocalKeyring
    from .leases import Lease
    from .schema import DMS_VERSIONS, dump_schema, load_schema
    from .schema.models import Model, Schema
    from .table import AsyncTable, Page, Table

__version__ = "0.1.0"

# Where each public name lives.
_HOMES = {
    "AsyncTable": "table",
    "Backend": "backends",
    "Cursor": "cursor",
    "DMS_VERSIONS": "schema",
    "DynamoDBError": "errors",
    "F": "conditions",
    "FolderUnusable": "errors",
    "InvalidAddress": "errors",
    "InvalidModel": "errors",
    "KeypactError": "errors",
    "KmsProvider": "keyrings",
    "Lease": "leases",
    "LocalKeyring": "keyrings",
    "Model": "schema.models",
    "Page": "table",
    "Schema": "schema.models",
    "Table": "table",
    "above": "conditions",
    "at_least": "conditions",
    "at_most": "conditions",
    "attribute": "classes",
    "begins_with": "conditions",
    "below": "conditions",
    "between": "conditions",
    "bind": "classes",
    "class_for": "classes",
    "connect": "backends",
    "decode_cursor": "cursor",
    "dump_schema": "schema",
    "encode_cursor": "cursor",
    "encryption": "",
    "errors": "",
    "generate_module": "generation",
    "index": "classes",
    "load_schema": "schema",
    "model": "classes",
    "model_of": "classes",
}

__all__ = [
    "DMS_VERSIONS",
    "AsyncTable",
    "Backend",
    "Cursor",
    "DynamoDBError",
    "F",
    "FolderUnusable",
    "InvalidAddress",
    "InvalidModel",
    "KeypactError",
    "KmsProvider",
    "Lease",
    "LocalKeyring",
    "Model",
    "Page",
    "Schema",
    "Table",
    "__version__",
    "above",
    "at_least",
    "at_most",
    "attribute",
    "begins_with",
    "below",
    "between",
    "bind",
    "class_for",
    "connect",
    "decode_cursor",
    "dump_schema",
    "encode_cursor",
    "encryption",
    "errors",
    "generate_module",
    "index",
    "load_schema",
    "model",
    "model_of",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'keypact' has no attribute {name!r}")
    value = import_module(f".{name}", __name__) if not home else None
    if value is None:
        value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
