"""Documents for the tests: the spec's own, a rich one, and every one that can be drawn."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from keypact.errors import InvalidDocument, Problem
from keypact.schema import load_schema
from keypact.schema.checker import check_document
from keypact.schema.document import split_path
from keypact.schema.models import Attribute, Index, KeyPart, Model, Schema, freeze
from keypact.schema.reader import read_data

# The spec's example, word for word.
SPEC_EXAMPLE = """\
dms_version: "0.1"
namespace: "acme.payments"   # optional; used for grouping + codegen
models:
  - name: "User"
    table:
      name: "users"
    naming:
      convention: "camelCase" # camelCase | snake_case
    keys:
      partition: { attribute: "PK", type: "S" }
      sort:      { attribute: "SK", type: "S" } # optional
    attributes:
      - attribute: "PK"
        type: "S"
        required: true
        roles: ["pk"]
      - attribute: "SK"
        type: "S"
        required: true
        roles: ["sk"]
      - attribute: "createdAt"
        type: "S"
        format: "rfc3339nano"
        roles: ["created_at"]
      - attribute: "updatedAt"
        type: "S"
        format: "rfc3339nano"
        roles: ["updated_at"]
      - attribute: "version"
        type: "N"
        format: "int"
        roles: ["version"]
      - attribute: "ttl"
        type: "N"
        format: "unix_seconds"
        roles: ["ttl"]
        optional: true
      - attribute: "tags"
        type: "SS"
        optional: true
        omit_empty: true
    indexes:
      - name: "gsi-email"
        type: "GSI"
        partition: { attribute: "emailHash", type: "S" }
        projection: { type: "ALL" }
"""

# It declares no emailHash, the key of its index; so we do.
COMPLETED_EXAMPLE = SPEC_EXAMPLE.replace(
    "    indexes:",
    """      - attribute: "emailHash"
        type: "S"
    indexes:""",
)

# Every field of DMS, and two models on one table.
RICH: dict[str, Any] = {
    "dms_version": "0.1",
    "namespace": "acme.lockers",
    "models": [
        {
            "name": "Locker",
            "table": {"name": "lockers"},
            "naming": {"convention": "camelCase"},
            "keys": {
                "partition": {"attribute": "PK", "type": "S"},
                "sort": {"attribute": "SK", "type": "S"},
            },
            "attributes": [
                {"attribute": "PK", "type": "S", "required": True, "roles": ["pk"]},
                {"attribute": "SK", "type": "S", "required": True, "roles": ["sk"]},
                {"attribute": "createdAt", "type": "S", "roles": ["created_at"]},
                {
                    "attribute": "updatedAt",
                    "type": "S",
                    "format": "rfc3339nano",
                    "roles": ["updated_at"],
                },
                {"attribute": "version", "type": "N", "format": "int", "roles": ["version"]},
                {
                    "attribute": "expires",
                    "type": "N",
                    "format": "unix_seconds",
                    "roles": ["ttl"],
                    "optional": True,
                },
                {
                    "attribute": "owner",
                    "type": "S",
                    "roles": ["index_pk:by-owner"],
                    "omit_empty": True,
                },
                {
                    "attribute": "size",
                    "type": "N",
                    "roles": ["index_sk:by-owner", "index_sk:local"],
                },
                {"attribute": "pin", "type": "S", "encryption": {}},
                {"attribute": "settings", "type": "S", "json": True, "optional": True},
                {"attribute": "picture", "type": "B", "binary": True},
                {"attribute": "labels", "type": "SS", "tags": {"shown": [True, None, {"a": 1.5}]}},
            ],
            "indexes": [
                {
                    "name": "by-owner",
                    "type": "GSI",
                    "partition": {"attribute": "owner", "type": "S"},
                    "sort": {"attribute": "size", "type": "N"},
                    "projection": {"type": "INCLUDE", "fields": ["labels", "pin"]},
                },
                {
                    "name": "local",
                    "type": "LSI",
                    "partition": {"attribute": "PK", "type": "S"},
                    "sort": {"attribute": "size", "type": "N"},
                    "projection": {"type": "KEYS_ONLY"},
                },
            ],
        },
        {
            "name": "Event",
            "table": {"name": "lockers"},
            "keys": {
                "partition": {"attribute": "PK", "type": "S"},
                "sort": {"attribute": "SK", "type": "S"},
            },
            "attributes": [
                {"attribute": "PK", "type": "S"},
                {"attribute": "SK", "type": "S"},
                {"attribute": "owner", "type": "S"},
                {"attribute": "size", "type": "N"},
                {"attribute": "what happened", "type": "M"},
            ],
            "indexes": [
                {
                    "name": "by-owner",
                    "type": "GSI",
                    "partition": {"attribute": "owner", "type": "S"},
                    "sort": {"attribute": "size", "type": "N"},
                    "projection": {"type": "INCLUDE", "fields": ["what happened"]},
                },
            ],
        },
    ],
}

REMOVED = object()


def changed(document: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A copy with other values at these paths; REMOVED takes one away, a new index appends."""
    document = copy.deepcopy(document)
    for path, value in changes.items():
        *way, last = split_path(path)
        place: Any = document
        for step in way:
            place = place[step]
        if value is REMOVED:
            del place[last]
        elif isinstance(place, list) and last == len(place):
            place.append(copy.deepcopy(value))
        else:
            place[last] = copy.deepcopy(value)
    return document


def problems_of(data: Any) -> list[Problem]:
    """What the checker finds in plain data."""
    try:
        check_document(read_data(data))
    except InvalidDocument as error:
        return list(error.problems)
    return []


def found(changes: dict[str, Any]) -> list[tuple[str, str]]:
    """Path and message of what the checker finds in the rich document, so changed."""
    return [(one.path, one.message) for one in problems_of(changed(RICH, changes))]


def problems_in(text: str | bytes, name: str = "<text>") -> list[Problem]:
    """What loading finds in a text."""
    try:
        load_schema(text=text, name=name)
    except InvalidDocument as error:
        return list(error.problems)
    return []


# Drawn documents ---------------------------------------------------------------------

# Every character that UTF-8 can hold, with those more often that readers stumble over.
characters = st.characters(codec="utf-8") | st.sampled_from(
    "\x00\t\n\r\x1b \"'\\/:#{}[],&*!|>%@`-?~<=\x7f\x85\u2028\ufeff\U0001f600"
)
texts = st.text(characters, max_size=20) | st.sampled_from(
    [
        "on",
        "yes",
        "null",
        "true",
        "~",
        "010",
        "0o7",
        "0x1F",
        "1e3",
        ".5",
        "1:30",
        "2026-01-01",
        "<<",
    ]
)
integers = st.integers(-(2**53 - 1), 2**53 - 1)
scalars = st.none() | st.booleans() | integers | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
json_objects = st.dictionaries(texts, json_values, max_size=4)

_names = texts.filter(bool)
_LIFECYCLE = {
    "created_at": ("S", "rfc3339nano"),
    "updated_at": ("S", "rfc3339nano"),
    "version": ("N", "int"),
    "ttl": ("N", "unix_seconds"),
}


@st.composite
def attributes(draw: st.DrawFn, name: str) -> Attribute:
    """An attribute that is in no key."""
    type_ = draw(st.sampled_from(["S", "N", "B", "BOOL", "M", "L", "SS", "NS", "BS", "NULL"]))
    presence = draw(st.sampled_from(["required", "optional", ""]))
    formats = {"S": ["rfc3339nano"], "N": ["int", "unix_seconds"]}.get(type_, [])
    json = type_ == "S" and draw(st.booleans())
    return Attribute(
        name=name,
        type=type_,
        required=presence == "required",
        optional=presence == "optional",
        omit_empty=draw(st.booleans()),
        format=None if json else draw(st.sampled_from([None, *formats])),
        json=json,
        binary=type_ == "B" and draw(st.booleans()),
        encryption=freeze(draw(st.none() | json_objects)),
        tags=freeze(draw(json_objects)),
    )


@st.composite
def models(draw: st.DrawFn, table: str) -> Model:
    """A model that breaks no rule."""
    names = draw(st.lists(_names, min_size=4, max_size=8, unique=True))
    types = [draw(st.sampled_from("SNB")) for _ in range(3)]
    parts = [KeyPart(name, type_) for name, type_ in zip(names, types, strict=False)]
    sort = draw(st.sampled_from([None, parts[1]]))
    index_names = draw(
        st.lists(st.from_regex(r"[A-Za-z0-9_.-]{3,9}", fullmatch=True), max_size=3, unique=True)
    )
    declared = [Attribute(part.attribute, part.type) for part in parts]
    lifecycle = draw(st.permutations(list(_LIFECYCLE)))
    for name, role in zip(names[3:], lifecycle, strict=False):
        if draw(st.booleans()):
            declared.append(draw(attributes(name)))
        else:
            type_, format_ = _LIFECYCLE[role]
            declared.append(
                Attribute(name, type_, roles=(role,), format=draw(st.sampled_from([None, format_])))
            )
    plain = [one.name for one in declared[3:]]
    return Model(
        name=draw(_names),
        table=table,
        partition=parts[0],
        sort=sort,
        attributes=tuple(declared),
        indexes=tuple(draw(indexes(name, parts, sort is not None, plain)) for name in index_names),
    )


@st.composite
def indexes(
    draw: st.DrawFn, name: str, parts: list[KeyPart], may_be_local: bool, plain: list[str]
) -> Index:
    """An index over these parts."""
    is_local = may_be_local and draw(st.booleans())
    projection = draw(st.sampled_from(["ALL", "KEYS_ONLY", "INCLUDE"]))
    included = st.lists(st.sampled_from(plain), min_size=1, max_size=20, unique=True)
    partition, sort = draw(st.permutations(parts))[:2]
    if is_local:
        partition, sort = parts[0], parts[2]
    return Index(
        name=name,
        type="LSI" if is_local else "GSI",
        partition=partition,
        sort=sort if is_local or draw(st.booleans()) else None,
        projection=projection,
        fields=tuple(draw(included)) if projection == "INCLUDE" else (),
    )


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """A schema that breaks no rule, each model on a table of its own."""
    tables = draw(
        st.lists(
            st.from_regex(r"[A-Za-z0-9_.-]{3,9}", fullmatch=True),
            min_size=1,
            max_size=3,
            unique=True,
        )
    )
    drawn = [draw(models(table)) for table in tables]
    by_name = {model.name: model for model in drawn}
    return Schema("0.1", tuple(by_name.values()), draw(st.none() | _names))
