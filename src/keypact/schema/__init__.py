"""DMS documents: read strictly, checked, held as frozen models, and written back."""

from __future__ import annotations

from os import PathLike
from typing import Any

# Whoever has models needs no reader: what reads and writes is imported when it is used.
from .models import DMS_VERSIONS, Attribute, Index, KeyPart, Model, Schema

__all__ = [
    "DMS_VERSIONS",
    "Attribute",
    "Index",
    "KeyPart",
    "Model",
    "Schema",
    "check_schema",
    "dump_schema",
    "json_schema",
    "load_schema",
]


def load_schema(
    path: str | PathLike[str] | None = None,
    *,
    text: str | bytes | None = None,
    name: str = "<text>",
) -> Schema:
    """The schema in a DMS file, YAML or JSON; or in a text, which problems call by ``name``.

    InvalidDocument, an InvalidModel, tells every problem at once, each with its place.
    """
    from .checker import check_document
    from .reader import read_document, read_file

    if (path is None) == (text is None):
        raise TypeError("load_schema takes a path or a text")
    if text is not None:
        return check_document(read_document(text, file=name))
    assert path is not None
    return check_document(read_file(path))


def check_schema(schema: Schema) -> Schema:
    """The same schema, if a document of it would load; else InvalidDocument.

    For models that were built in Python: their problems have a path and no line.
    """
    from .checker import check_document
    from .reader import read_data
    from .writer import schema_data

    return check_document(read_data(schema_data(schema)))


def dump_schema(schema: Schema) -> str:
    """The schema as a DMS document in canonical YAML, which loads to an equal schema."""
    from .writer import write_schema

    return write_schema(schema)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of DMS, for editors; the checker knows more rules than it can say."""
    import json
    from importlib.resources import files

    text = files(__package__).joinpath("dms.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
