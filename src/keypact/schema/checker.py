"""The rules of DMS: one function a rule, every problem told, a schema when there is none."""

from __future__ import annotations

import re
from collections.abc import Callable

from .document import Document, Node, show
from .drafts import FORMATS, Draft, read_models, read_version
from .fields import Check, closest
from .limits import ATTRIBUTE_NAME_BYTES_MAX, KEY_NAME_BYTES_MAX
from .models import Attribute, Index, KeyPart, Model, Schema
from .roles import check_roles
from .tables import check_tables

_CONVENTIONS = {
    "camelCase": re.compile(r"[a-z][A-Za-z0-9]*|PK|SK"),
    "snake_case": re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*"),
}
_RESOURCE_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")
_RESOURCE_NAME_HINT = "3 to 255 letters, digits, and the signs _ . -"


def check_document(document: Document) -> Schema:
    """The document's schema; InvalidDocument with every problem if there is any."""
    check = Check(document)
    schema = Schema("", ())
    if document.root is not None:
        fields = check.fields(
            document.root, required=("dms_version", "models"), optional=("namespace",)
        )
        namespace = check.text(fields.get("namespace")) or None
        version = read_version(fields.get("dms_version"), check)
        drafts = read_models(fields.get("models"), namespace, check)
        schema = Schema(version, tuple(draft.model for draft in drafts), namespace)
        for draft in drafts:
            for rule in _MODEL_RULES:
                rule(draft, check)
        _check_repeated(
            [(draft.model.name, draft.node.at("name")) for draft in drafts], "model", check
        )
        check_tables(drafts, check)
    check.raise_problems()
    return schema


def _check_repeated(names: list[tuple[str, Node]], what: str, check: Check) -> None:
    """Each name once; "" is a hole."""
    seen: dict[str, Node] = {}
    for name, node in names:
        if name and seen.setdefault(name, node) is not node:
            first = seen[name]
            hint = f"the first is {first.path}" + (f", line {first.line}" if first.line else "")
            check.refuse(node, f"duplicate {what} {show(name)}", hint)


def _check_names(draft: Draft, check: Check) -> None:
    """Names are unique, fit the naming convention, and are such as DynamoDB takes."""
    model, node = draft
    attributes = [
        (one.name, draft.attribute_node(number).at("attribute"))
        for number, one in enumerate(model.attributes)
    ]
    indexes = [
        (one.name, draft.index_node(number).at("name")) for number, one in enumerate(model.indexes)
    ]
    _check_repeated(attributes, "attribute", check)
    _check_repeated(indexes, "index", check)
    for name, where in [(model.table, node.at("table", "name")), *indexes]:
        if name and not _RESOURCE_NAME.fullmatch(name):
            check.refuse(where, f"DynamoDB takes no name {show(name)}", _RESOURCE_NAME_HINT)
    for name, where in attributes:
        if len(name.encode()) > ATTRIBUTE_NAME_BYTES_MAX:
            check.refuse(where, "the name is too long", f"{ATTRIBUTE_NAME_BYTES_MAX} bytes at most")
        if name and model.naming and not _CONVENTIONS[model.naming].fullmatch(name):
            hint = f"naming.convention is {model.naming}; rename it or leave naming out"
            check.refuse(where, f"{show(name)} is not {model.naming}", hint)


def _check_attributes(draft: Draft, check: Check) -> None:
    """What an attribute says about itself does not contradict itself."""
    for number, attribute in enumerate(draft.model.attributes):
        node = draft.attribute_node(number)
        if attribute.required and attribute.optional:
            check.refuse(node.at("optional"), "required and optional at once", "keep one of them")
        _check_needed_type(attribute, "json", attribute.json, "S", node, check)
        _check_needed_type(attribute, "binary", attribute.binary, "B", node, check)
        if attribute.format is not None:
            needed = FORMATS[attribute.format]
            _check_needed_type(attribute, f"format {attribute.format}", True, needed, node, check)
            if attribute.json:
                hint = "leave one of them out"
                check.refuse(node.at("format"), "a JSON blob has no format", hint)


def _check_needed_type(
    attribute: Attribute, what: str, declared: bool, needed: str, node: Node, check: Check
) -> None:
    if declared and attribute.type not in ("", needed):
        where = node.at(what.split(maxsplit=1)[0])
        hint = f"write type: {show(needed)}, or leave it out"
        check.refuse(where, f"{what} needs type {needed}, not {attribute.type}", hint)


def _check_primary_key(draft: Draft, check: Check) -> None:
    """Key attributes are declared with the key's type, and always there."""
    model, node = draft
    keys = node.at("keys")
    _check_key(draft, model.partition, model.sort, keys, check)
    for number, attribute in enumerate(model.attributes):
        if attribute.optional and attribute.name in model.key_names:
            where = draft.attribute_node(number).at("optional")
            check.refuse(where, "a primary key is never optional", "leave optional out")


def _check_indexes(draft: Draft, check: Check) -> None:
    """Index keys are declared; a local index shares the table's partition key."""
    for number, index in enumerate(draft.model.indexes):
        node = draft.index_node(number)
        _check_key(draft, index.partition, index.sort, node, check)
        if index.type == "LSI":
            _check_local_index(draft.model, index, node, check)
        _check_projection(draft.model, index, node, check)


def _check_local_index(model: Model, index: Index, node: Node, check: Check) -> None:
    table_key = model.partition.attribute
    if table_key and index.partition.attribute not in ("", table_key):
        check.refuse(
            node.at("partition"),
            f"the partition key of an LSI is the table's, {show(table_key)}",
            "make it a GSI, or give it that partition key",
            place=node.at("partition", "attribute").place,
        )
    if index.sort is None:
        check.refuse(node, "an LSI needs a sort key", "add sort, or make it a GSI")
    if model.sort is None and table_key:
        check.refuse(node, "an LSI needs a table with a sort key", "make it a GSI")


def _check_projection(model: Model, index: Index, node: Node, check: Check) -> None:
    where = node.at("projection")
    fields = where.at("fields")
    if index.projection == "INCLUDE" and (fields is where or fields.data == []):
        check.refuse(where, "INCLUDE needs fields", 'fields: ["..."] names what it includes')
    if index.projection in ("ALL", "KEYS_ONLY") and fields is not where:
        check.refuse(fields, f"{index.projection} has no fields", "leave them out, or use INCLUDE")
    for number, name in enumerate(index.fields):
        if name and name not in model.by_name:
            check.refuse(fields.at(number), *_undeclared(model, name))
        elif len(name.encode()) > KEY_NAME_BYTES_MAX:
            hint = f"{KEY_NAME_BYTES_MAX} bytes at most in a projection"
            check.refuse(fields.at(number), "the name is too long", hint)
    _check_repeated(
        [(name, fields.at(number)) for number, name in enumerate(index.fields)], "field", check
    )


def _check_key(
    draft: Draft, partition: KeyPart, sort: KeyPart | None, node: Node, check: Check
) -> None:
    """A key's parts are two declared attributes of the same type, in the clear."""
    _check_key_part(draft, partition, node.at("partition"), check)
    if sort is None:
        return
    _check_key_part(draft, sort, node.at("sort"), check)
    if sort.attribute and sort.attribute == partition.attribute:
        hint = "choose another attribute, or leave sort out"
        check.refuse(node.at("sort"), "partition and sort key are the same attribute", hint)


def _check_key_part(draft: Draft, part: KeyPart, node: Node, check: Check) -> None:
    if not part.attribute:
        return
    place = node.at("attribute").place
    if len(part.attribute.encode()) > KEY_NAME_BYTES_MAX:
        hint = f"{KEY_NAME_BYTES_MAX} bytes at most in a key"
        check.refuse(node, "the name is too long", hint, place=place)
    attribute = draft.model.by_name.get(part.attribute)
    if attribute is None:
        message, hint = _undeclared(draft.model, part.attribute, part.type)
        check.refuse(node, message, hint, place=place)
        return
    if part.type and attribute.type not in ("", part.type):
        check.refuse(
            node,
            f"{show(part.attribute)} is {part.type} here and {attribute.type} under attributes",
            "give both the same type: S, N or B",
            place=node.at("type").place,
        )
    if attribute.is_encrypted:
        check.refuse(
            node,
            f"the encrypted attribute {show(part.attribute)} cannot be in a key",
            "ciphertext differs at every write; use a hash of the value in another attribute",
            place=place,
        )


def _undeclared(model: Model, name: str, type_: str = "") -> tuple[str, str]:
    if near := closest(name, [one.name for one in model.attributes if one.name]):
        hint = f"did you mean {show(near)}?"
    else:
        kind = f", type: {show(type_)}" if type_ else ""
        hint = f"add - {{ attribute: {show(name)}{kind} }} to the model's attributes"
    return f"attribute {show(name)} is not declared", hint


_MODEL_RULES: tuple[Callable[[Draft, Check], None], ...] = (
    _check_names,
    _check_attributes,
    _check_primary_key,
    check_roles,
    _check_indexes,
)
