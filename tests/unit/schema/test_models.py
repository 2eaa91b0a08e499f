"""Models are values: they cannot change, and can be compared, hashed, copied and sent."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle

import pytest

from keypact.errors import InvalidModel
from keypact.schema import Schema, load_schema
from keypact.schema.models import FrozenObject, freeze

from .documents import RICH


@pytest.fixture
def schema() -> Schema:
    return load_schema(text=json.dumps(RICH))


def test_equal_documents_make_equal_models(schema: Schema) -> None:
    """Models can be keys of a cache."""
    again = load_schema(text=json.dumps(RICH, indent=2))
    assert schema == again
    assert hash(schema) == hash(again)
    assert {model: model.name for model in schema.models}[again.models[1]] == "Event"


def test_models_can_be_copied_and_sent(schema: Schema) -> None:
    """To another process, or into a plain dictionary."""
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert copy.deepcopy(schema) == schema
    labels = dataclasses.asdict(schema)["models"][0]["attributes"][11]
    assert labels["tags"] == {"shown": (True, None, {"a": 1.5})}


def test_nothing_of_a_model_can_be_changed(schema: Schema) -> None:
    """Neither its fields nor what its tags hold."""
    attribute = schema.models[0].attribute("labels")
    with pytest.raises(dataclasses.FrozenInstanceError):
        attribute.name = "other"  # type: ignore[misc]
    tags = attribute.tags
    assert isinstance(tags, FrozenObject)
    for change in (
        lambda: tags.update(a=1),
        lambda: tags.pop("shown"),
        tags.clear,
        lambda: tags.setdefault("a", 1),
        tags.popitem,
        lambda: tags.__setitem__("a", 1),
        lambda: tags.__delitem__("shown"),
        lambda: tags.__ior__({"a": 1}),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert attribute.tags == {"shown": (True, None, {"a": 1.5})}


def test_freezing_leaves_the_original_alone() -> None:
    """What the author passed in stays the author's."""
    original = {"a": [1, {"b": []}]}
    frozen = freeze(original)
    original["a"].append(2)
    assert frozen == {"a": (1, {"b": ()})}


def test_asking_for_what_is_not_there_names_what_is(schema: Schema) -> None:
    """A misspelt model, index or attribute is an InvalidModel that helps."""
    with pytest.raises(InvalidModel, match="'Loker'; it has: Locker, Event"):
        schema.model("Loker")
    with pytest.raises(InvalidModel, match="'by_owner'; it has: by-owner, local"):
        schema.model("Locker").index("by_owner")
    with pytest.raises(InvalidModel, match="no attribute 'pim'"):
        schema.model("Locker").attribute("pim")
