"""Rules of roles: they agree with the keys, and their types with what the library writes."""

from __future__ import annotations

from .document import Node, show
from .drafts import Draft
from .fields import Check, closest
from .models import Attribute, Index, Model

# Each lifecycle role, with the type and format it is stored in.
LIFECYCLE = {
    "created_at": ("S", "rfc3339nano"),
    "updated_at": ("S", "rfc3339nano"),
    "version": ("N", "int"),
    "ttl": ("N", "unix_seconds"),
}
_INDEX_ROLES = ("index_pk", "index_sk")
_ROLES = ("pk", "sk", *LIFECYCLE)


def check_roles(draft: Draft, check: Check) -> None:
    """Every role is known, fits its attribute, and is given once."""
    holders: dict[str, Node] = {}
    for number, attribute in enumerate(draft.model.attributes):
        node = draft.attribute_node(number)
        told: set[str] = set()
        for position, role in enumerate(attribute.roles):
            where = node.at("roles", position)
            if role in told:
                check.refuse(where, f"duplicate role {show(role)}", "keep one of them")
            elif role in LIFECYCLE:
                _check_lifecycle(draft.model, attribute, role, node, where, check)
                if holders.setdefault(role, node) is not node:
                    hint = f"the first is {holders[role].path}; a model has one"
                    check.refuse(where, f"a second attribute with role {role}", hint)
            elif role:
                _check_key_role(draft.model, attribute, role, where, check)
            told.add(role)
        _check_one_lifecycle_role(attribute, node, check)


def _check_key_role(
    model: Model, attribute: Attribute, role: str, where: Node, check: Check
) -> None:
    kind, colon, index_name = role.partition(":")
    if kind in _INDEX_ROLES and colon:
        _check_index_role(model, attribute, kind, index_name, where, check)
    elif role == "pk":
        expected = model.partition.attribute
        if expected and attribute.name not in ("", expected):
            _contradict(where, role, f"keys.partition is {show(expected)}", check)
    elif role == "sk":
        if model.sort is None:
            _contradict(where, role, "the model has no sort key", check)
        elif model.sort.attribute and attribute.name not in ("", model.sort.attribute):
            _contradict(where, role, f"keys.sort is {show(model.sort.attribute)}", check)
    else:
        near = closest(role, _ROLES)
        hint = f"did you mean {near}?" if near else f"known: {', '.join(_ROLES)}"
        if kind in _INDEX_ROLES:
            hint = f"write {kind}:<name of the index>"
        elif not near:
            hint += ", index_pk:<name>, index_sk:<name>"
        check.refuse(where, f"unknown role {show(role)}", hint)


def _check_index_role(
    model: Model, attribute: Attribute, kind: str, name: str, where: Node, check: Check
) -> None:
    index = next((one for one in model.indexes if name and one.name == name), None)
    if index is None:
        names = [one.name for one in model.indexes if one.name]
        near = closest(name, names)
        hint = f"did you mean {kind}:{near}?" if near else "add the index, or leave the role out"
        check.refuse(where, f"there is no index {show(name)}", hint)
        return
    part, half = _half(index, kind)
    if part is None:
        _contradict(where, f"{kind}:{name}", "the index has no sort key", check)
    elif part and attribute.name not in ("", part):
        _contradict(where, f"{kind}:{name}", f"the index's {half} is {show(part)}", check)


def _half(index: Index, kind: str) -> tuple[str | None, str]:
    if kind == "index_pk":
        return index.partition.attribute, "partition"
    return (None if index.sort is None else index.sort.attribute), "sort"


def _contradict(where: Node, role: str, fact: str, check: Check) -> None:
    check.refuse(where, f"role {role} contradicts the keys: {fact}", "change one of them")


def _check_lifecycle(
    model: Model, attribute: Attribute, role: str, node: Node, where: Node, check: Check
) -> None:
    """The library writes these attributes, so they are what the library writes."""
    type_, format_ = LIFECYCLE[role]
    if attribute.type not in ("", type_):
        hint = f"write type: {show(type_)}"
        check.refuse(node.at("type"), f"role {role} needs type {type_}, not {attribute.type}", hint)
    if attribute.format not in (None, format_):
        hint = f"write format: {show(format_)}, or leave it out"
        message = f"role {role} needs format {format_}, not {attribute.format}"
        check.refuse(node.at("format"), message, hint)
    if attribute.json:
        check.refuse(node.at("json"), f"role {role} is never stored as JSON", "leave json out")
    if attribute.is_encrypted:
        hint = "leave encryption out"
        check.refuse(node.at("encryption"), f"role {role} cannot be encrypted", hint)
    if role == "version" and attribute.omit_empty:
        hint = "version 0 is written, never omitted; leave omit_empty out"
        check.refuse(node.at("omit_empty"), "role version contradicts omit_empty", hint)
    if role in ("version", "updated_at") and attribute.name in model.key_names:
        hint = "use another attribute for the role"
        check.refuse(where, f"role {role} changes at every update, a key never does", hint)


def _check_one_lifecycle_role(attribute: Attribute, node: Node, check: Check) -> None:
    roles = list(dict.fromkeys(role for role in attribute.roles if role in LIFECYCLE))
    if len(roles) > 1:
        hint = "give each role an attribute of its own"
        check.refuse(node.at("roles"), f"roles {' and '.join(roles)} on one attribute", hint)
