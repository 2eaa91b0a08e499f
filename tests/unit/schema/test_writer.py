"""Models are written back as the document they came from, in canonical form."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from keypact.errors import InvalidModel
from keypact.schema import Attribute, Schema, dump_schema, load_schema
from keypact.schema.models import freeze
from keypact.schema.reader import read_document
from keypact.schema.writer import schema_data

from .documents import COMPLETED_EXAMPLE, RICH, schemas


def test_the_example_of_the_spec_is_written_as_the_spec_writes_it() -> None:
    """Order, quotes and braces are the spec's; only comments and padding are gone."""
    expected = (
        COMPLETED_EXAMPLE.replace("   # optional; used for grouping + codegen", "")
        .replace(" # camelCase | snake_case", "")
        .replace(" # optional", "")
        .replace("sort:      {", "sort: {")
    )
    assert dump_schema(load_schema(text=COMPLETED_EXAMPLE)) == expected


def test_every_field_of_dms_is_written() -> None:
    """A document of all fields comes back as the same data."""
    schema = load_schema(text=json.dumps(RICH))
    assert read_document(dump_schema(schema)).data == RICH


@given(schemas())
def test_what_is_written_loads_to_an_equal_schema(schema: Schema) -> None:
    """From YAML and from JSON, whatever names and tags hold."""
    text = dump_schema(schema)
    loaded = load_schema(text=text)
    assert loaded == schema
    assert load_schema(text=json.dumps(schema_data(schema)), name="a.json") == schema
    assert dump_schema(loaded) == text


def _with_tags(tags: object) -> Schema:
    schema = load_schema(text=COMPLETED_EXAMPLE)
    model = schema.models[0]
    attributes = (*model.attributes, Attribute("more", "S", tags=freeze(tags)))
    return replace(schema, models=(replace(model, attributes=attributes),))


@pytest.mark.parametrize("length", [900, 1000, 1100, 5000])
def test_keys_of_any_length_are_written(length: int) -> None:
    """YAML looks only so far for the colon after a key; longer ones are announced."""
    schema = _with_tags({"k" * length: 1, "é" * length: {"\n" * length: None}})
    assert load_schema(text=dump_schema(schema)) == schema


def test_an_authors_keys_are_quoted() -> None:
    """A reader of YAML 1.1 would take on for a boolean."""
    assert '        tags: { "on": "no", "n": [1, 1.5, true, null] }\n' in dump_schema(
        _with_tags({"on": "no", "n": [1, 1.5, True, None]})
    )


@pytest.mark.parametrize("tags", [{"a": float("nan")}, {"a": {1, 2}}, {1: "a"}, {"a": b"x"}])
def test_what_json_cannot_say_is_not_written(tags: object) -> None:
    """Better no document than one that says something else."""
    with pytest.raises(InvalidModel, match="tags"):
        dump_schema(_with_tags(tags))
