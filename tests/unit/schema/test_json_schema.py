"""The JSON Schema that editors use: it accepts good documents and refuses nothing we accept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from keypact.schema import DMS_VERSIONS, Schema, json_schema
from keypact.schema.drafts import (
    ATTRIBUTE_TYPES,
    CONVENTIONS,
    FORMATS,
    INDEX_TYPES,
    KEY_TYPES,
    PROJECTIONS,
)
from keypact.schema.reader import read_document
from keypact.schema.writer import schema_data

from . import test_checker, test_roles, test_tables
from .documents import (
    COMPLETED_EXAMPLE,
    REMOVED,
    RICH,
    SPEC_EXAMPLE,
    changed,
    json_values,
    problems_of,
    schemas,
)

VALIDATOR = Draft202012Validator(json_schema())


def accepts(data: Any) -> bool:
    return bool(VALIDATOR.is_valid(data))


def test_it_is_a_json_schema() -> None:
    """Of draft 2020-12, by the draft's own schema."""
    Draft202012Validator.check_schema(json_schema())
    assert json_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_field_is_described() -> None:
    """An editor shows what a field is for; the name of a thing may speak for itself."""
    definitions = json_schema()["$defs"]
    for name in ("attribute", "index"):
        for field, schema in definitions[name]["properties"].items():
            assert schema.get("description"), f"{name}.{field}"


def test_it_knows_the_words_that_the_checker_knows() -> None:
    """Versions, types, formats, projections and conventions are the same in both."""
    definitions = json_schema()["$defs"]
    attribute, index = definitions["attribute"]["properties"], definitions["index"]["properties"]
    assert (json_schema()["properties"]["dms_version"]["const"],) == DMS_VERSIONS
    assert tuple(attribute["type"]["enum"]) == ATTRIBUTE_TYPES
    assert attribute["format"]["enum"] == list(FORMATS)
    assert tuple(index["type"]["enum"]) == INDEX_TYPES
    assert tuple(index["projection"]["properties"]["type"]["enum"]) == PROJECTIONS
    assert tuple(definitions["keyPart"]["properties"]["type"]["enum"]) == KEY_TYPES
    conventions = definitions["model"]["properties"]["naming"]["properties"]["convention"]["enum"]
    assert tuple(conventions) == CONVENTIONS


@pytest.mark.parametrize("text", [SPEC_EXAMPLE, COMPLETED_EXAMPLE, json.dumps(RICH)])
def test_it_accepts_good_documents(text: str) -> None:
    """The spec's example too: that an attribute is missing elsewhere is beyond JSON Schema."""
    assert [error.message for error in VALIDATOR.iter_errors(read_document(text).data)] == []


@given(schemas())
def test_it_accepts_every_schema_that_we_accept(schema: Schema) -> None:
    """No editor marks what loads."""
    assert accepts(json.loads(json.dumps(schema_data(schema))))


# What needs a look at two places of a document that JSON Schema cannot compare.
BEYOND = {
    "two models of a name",
    "two attributes of a name",
    "two indexes of a name",
    "key not declared",
    "key of another type",
    "one attribute as both keys",
    "optional key",
    "encrypted key",
    "index key not declared",
    "index key of another type ",
    "encrypted index key",
    "one attribute as both index keys",
    "key name too long",
    "attribute name too long",
    "included name too long",
    "fields not declared",
    "LSI of another partition",
    "pk on another attribute",
    "sk on the partition key",
    "index role without index",
    "index_pk on another attribute",
    "index_sk on another attribute",
    "index_sk of an index without sort",
    "two lifecycle roles at once",
    "key that changes",
    # A line break at the end is where Python's patterns differ from JavaScript's.
    "name ends in a line break",
}

MISTAKES = {**test_checker.STRUCTURE, **test_checker.RULES, **test_roles.ROLES}


@pytest.mark.parametrize("name", sorted(MISTAKES))
def test_it_refuses_mistakes_of_structure(name: str) -> None:
    """Every mistake that the checker finds, but for those listed as beyond it."""
    changes, _ = MISTAKES[name]
    assert accepts(changed(RICH, changes)) == (name in BEYOND)


def test_what_is_beyond_it_is_listed_by_name() -> None:
    """A mistake that was renamed does not stay on the list."""
    assert set(MISTAKES) >= BEYOND


@pytest.mark.parametrize("count", [21, 6])
def test_it_counts_indexes(count: int) -> None:
    """Twenty GSIs and five LSIs in a model."""
    make = test_tables._gsi if count == 21 else test_tables._lsi
    assert accepts(changed(RICH, {"models[0].indexes": [make(n) for n in range(count - 1)]}))
    assert not accepts(changed(RICH, {"models[0].indexes": [make(n) for n in range(count)]}))


@given(st.data())
def test_it_refuses_nothing_that_we_accept(data: st.DataObject) -> None:
    """However a document is changed: where an editor complains, loading does too."""
    document = RICH
    paths = st.sampled_from(test_checker.PATHS)
    path = data.draw(paths)
    value = data.draw(json_values | st.sampled_from([REMOVED, "S", "N", "PK", True, False, [], {}]))
    document = changed(document, {path: value})
    if not accepts(document):
        assert problems_of(document)
