"""A document's structure: fields known, present and of the right kind.

What comes out are models that may have holes: a text that was refused is "". The rules
that follow pass over holes, since their problem is told, and so every problem of a
document is found in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .document import Node, show
from .fields import Check
from .models import DMS_VERSIONS, NOTHING, Attribute, Index, KeyPart, Model, freeze

ATTRIBUTE_TYPES = ("S", "N", "B", "BOOL", "M", "L", "SS", "NS", "BS", "NULL")
KEY_TYPES = ("S", "N", "B")
INDEX_TYPES = ("GSI", "LSI")
PROJECTIONS = ("ALL", "KEYS_ONLY", "INCLUDE")
CONVENTIONS = ("camelCase", "snake_case")
# Each format, and the type it constrains.
FORMATS = {"rfc3339nano": "S", "unix_seconds": "N", "int": "N"}

_ATTRIBUTE_FIELDS = (
    "required",
    "optional",
    "omit_empty",
    "roles",
    "format",
    "json",
    "binary",
    "encryption",
    "tags",
)


class Draft(NamedTuple):
    """A model with holes where the document was refused, and where it was written."""

    model: Model
    node: Node

    def attribute_node(self, number: int) -> Node:
        """Where an attribute was written."""
        return self.node.at("attributes", number)

    def index_node(self, number: int) -> Node:
        """Where an index was written."""
        return self.node.at("indexes", number)


def read_version(node: Node | None, check: Check) -> str:
    """The DMS version, one that is supported."""
    if node is None:
        return ""
    supported = ", ".join(DMS_VERSIONS)
    if node.kind == "number":
        hint = f'put it in quotes: dms_version: "{supported}"'
        check.refuse(node, f"must be a string, not the number {show(node.data)}", hint)
        return ""
    version = check.text(node)
    if version and version not in DMS_VERSIONS:
        check.refuse(
            node, f"DMS version {show(version)} is not supported", f"supported: {supported}"
        )
    return version


def read_models(node: Node | None, namespace: str | None, check: Check) -> list[Draft]:
    """Every model, in order."""
    entries = check.items(node)
    if node is not None and node.kind == "list" and not entries:
        check.refuse(node, "there is no model", "a document describes at least one")
    return [Draft(_model(entry, namespace, check), entry) for entry in entries]


def _model(node: Node, namespace: str | None, check: Check) -> Model:
    fields = check.fields(
        node, required=("name", "table", "keys", "attributes"), optional=("naming", "indexes")
    )
    keys = _members(fields.get("keys"), check, required=("partition",), optional=("sort",))
    naming = _members(fields.get("naming"), check, optional=("convention",))
    table = _members(fields.get("table"), check, required=("name",))
    return Model(
        name=check.text(fields.get("name")),
        table=check.text(table.get("name")),
        partition=_key_part(keys.get("partition"), check),
        sort=_sort_part(fields.get("keys"), check),
        attributes=tuple(_attribute(one, check) for one in check.items(fields.get("attributes"))),
        indexes=tuple(_index(one, check) for one in check.items(fields.get("indexes"))),
        naming=check.choice(naming.get("convention"), CONVENTIONS) or None,
        namespace=namespace,
    )


def _members(
    node: Node | None,
    check: Check,
    *,
    required: tuple[str, ...] = (),
    optional: tuple[str, ...] = (),
) -> dict[str, Node]:
    return {} if node is None else check.fields(node, required=required, optional=optional)


def _key_part(node: Node | None, check: Check) -> KeyPart:
    fields = _members(node, check, required=("attribute", "type"))
    return KeyPart(check.text(fields.get("attribute")), check.choice(fields.get("type"), KEY_TYPES))


def _sort_part(key: Node | None, check: Check) -> KeyPart | None:
    """None where there is no sort key; a hole where there may be one."""
    if key is None or key.kind != "object" or (key.partial and "sort" not in key.fields):
        return KeyPart("", "")
    return _key_part(key.fields["sort"], check) if "sort" in key.fields else None


def _attribute(node: Node, check: Check) -> Attribute:
    fields = check.fields(
        node,
        required=("attribute", "type"),
        optional=_ATTRIBUTE_FIELDS,
        unknown_hint="extensions go under tags",
    )
    encryption, tags = fields.get("encryption"), fields.get("tags")
    return Attribute(
        name=check.text(fields.get("attribute")),
        type=check.choice(fields.get("type"), ATTRIBUTE_TYPES),
        required=check.flag(fields.get("required")),
        optional=check.flag(fields.get("optional")),
        omit_empty=check.flag(fields.get("omit_empty")),
        roles=_texts(fields.get("roles"), check),
        format=check.choice(fields.get("format"), FORMATS) or None,
        json=check.flag(fields.get("json")),
        binary=check.flag(fields.get("binary")),
        encryption=None if encryption is None else _object(encryption, check, "{} encrypts"),
        tags=NOTHING if tags is None else _object(tags, check),
    )


def _index(node: Node, check: Check) -> Index:
    fields = check.fields(
        node, required=("name", "type", "partition"), optional=("sort", "projection")
    )
    projection = "ALL"
    projected: tuple[str, ...] = ()
    if "projection" in fields:
        members = _members(fields["projection"], check, required=("type",), optional=("fields",))
        projection = check.choice(members.get("type"), PROJECTIONS)
        projected = _texts(members.get("fields"), check)
    return Index(
        name=check.text(fields.get("name")),
        type=check.choice(fields.get("type"), INDEX_TYPES),
        partition=_key_part(fields.get("partition"), check),
        sort=_sort_part(node, check),
        projection=projection,
        fields=projected,
    )


def _object(node: Node, check: Check, hint: str = "") -> Mapping[str, Any]:
    """An object whose members are the author's own."""
    frozen: Mapping[str, Any] = NOTHING
    if check.is_kind(node, "object", hint):
        frozen = freeze(node.data)
    return frozen


def _texts(node: Node | None, check: Check) -> tuple[str, ...]:
    return tuple(check.text(item) for item in check.items(node))
