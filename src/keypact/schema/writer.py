"""Models written back as a document: canonical YAML, in the order and style of the spec."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import InvalidModel
from .models import Attribute, Index, KeyPart, Model, Schema

# Written as escapes: YAML cannot hold them as they are, or would take them for a line's end.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
# A YAML parser looks no further than 1,024 characters for the colon after a key.
_SHORT_KEY_CHARACTERS_MAX = 1000
# These stand on lines of their own; everything else is written within one line.
_BLOCKS = frozenset({"models", "table", "naming", "keys", "attributes", "indexes"})
# Keys of DMS itself; an author's own are quoted, so that no reader takes one for a boolean.
_PLAIN_KEYS = frozenset({"attribute", "type", "fields"})


def write_schema(schema: Schema) -> str:
    """The schema as a DMS document, which loads to an equal schema."""
    return "".join(f"{line}\n" for line in _block(schema_data(schema)))


def schema_data(schema: Schema) -> dict[str, Any]:
    """The schema as the plain object that its document parses to."""
    data: dict[str, Any] = {"dms_version": schema.dms_version}
    if schema.namespace is not None:
        data["namespace"] = schema.namespace
    data["models"] = [_model(model) for model in schema.models]
    return data


def _model(model: Model) -> dict[str, Any]:
    data: dict[str, Any] = {"name": model.name, "table": {"name": model.table}}
    if model.naming is not None:
        data["naming"] = {"convention": model.naming}
    data["keys"] = _key(model.partition, model.sort)
    data["attributes"] = [_attribute(attribute) for attribute in model.attributes]
    if model.indexes:
        data["indexes"] = [_index(index) for index in model.indexes]
    return data


def _key(partition: KeyPart, sort: KeyPart | None) -> dict[str, Any]:
    parts = {"partition": partition} if sort is None else {"partition": partition, "sort": sort}
    return {half: {"attribute": part.attribute, "type": part.type} for half, part in parts.items()}


def _attribute(attribute: Attribute) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "required": attribute.required,
        "format": attribute.format,
        "roles": list(attribute.roles),
        "optional": attribute.optional,
        "omit_empty": attribute.omit_empty,
        "json": attribute.json,
        "binary": attribute.binary,
    }
    data: dict[str, Any] = {"attribute": attribute.name, "type": attribute.type}
    data.update((name, value) for name, value in fields.items() if value)
    if attribute.encryption is not None:
        data["encryption"] = attribute.encryption
    if attribute.tags:
        data["tags"] = attribute.tags
    return data


def _index(index: Index) -> dict[str, Any]:
    projection: dict[str, Any] = {"type": index.projection}
    if index.fields:
        projection["fields"] = list(index.fields)
    return {
        "name": index.name,
        "type": index.type,
        **_key(index.partition, index.sort),
        "projection": projection,
    }


def _block(data: Mapping[str, Any]) -> Iterator[str]:
    """An object, a line for each member, and lines below for those that are blocks."""
    for name, value in data.items():
        if name not in _BLOCKS:
            yield f"{name}: {_flow(value)}"
        elif isinstance(value, list):
            yield f"{name}:" if value else f"{name}: []"
            for entry in value:
                for number, line in enumerate(_block(entry)):
                    yield ("    " if number else "  - ") + line
        else:
            yield f"{name}:"
            yield from (f"  {line}" for line in _block(value))


def _flow(value: Any) -> str:
    """A value within one line."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        members = [f"{_flow_key(key)}: {_flow(member)}" for key, member in value.items()]
        return f"{{ {', '.join(members)} }}" if members else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_flow, value))}]"
    if value is None or isinstance(value, (bool, int)) or _is_finite(value):
        return json.dumps(value)
    raise InvalidModel(f"{value!r} cannot stand in a document; tags and encryption are JSON")


def _is_finite(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _flow_key(key: Any) -> str:
    if not isinstance(key, str):
        raise InvalidModel(f"{key!r} cannot be a key of tags or encryption; keys are strings")
    if key in _PLAIN_KEYS:
        return key
    text = _text(key)
    return text if len(text) <= _SHORT_KEY_CHARACTERS_MAX else f"? {text} "


def _text(text: str) -> str:
    return _ESCAPED.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False)
    )
