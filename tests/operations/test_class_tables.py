"""A table of instances speaks in the class's own names and types."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import pytest

import keypact


class Kind(StrEnum):
    """What a note may be."""

    TEXT = "text"


@keypact.model(table="notes")
class Note:
    """An item whose fields are named otherwise than its attributes."""

    owner: str = keypact.attribute(name="PK", roles=("pk",))
    kind: Kind = keypact.attribute(name="SK", roles=("sk",))
    body: str = keypact.attribute(name="noteBody", default="")


@pytest.fixture
def notes() -> Iterator[keypact.Table[Note]]:
    """A table with one note."""
    with keypact.connect("memory:") as backend:
        table = keypact.Table(Note, backend)
        table.ensure()
        table.create(Note(owner="ann", kind=Kind.TEXT, body="first"))
        yield table


def test_an_update_names_fields_as_the_class_does(notes: keypact.Table[Note]) -> None:
    """And the attribute's own name does, too."""
    changed = Note(owner="ann", kind=Kind.TEXT, body="second")
    assert notes.update(changed, fields=["body"]) == changed
    assert notes.update(changed, fields=["noteBody"]) == changed
    with pytest.raises(keypact.InvalidModel, match="bodi"):
        notes.update(changed, fields=["bodi"])


def test_a_query_takes_keys_as_the_class_has_them(notes: keypact.Table[Note]) -> None:
    """A member of an enumeration is a key as good as text."""
    page = notes.query("ann", Kind.TEXT)
    assert page.items == [Note(owner="ann", kind=Kind.TEXT, body="first")]


def test_what_the_class_cannot_hold_is_not_written(notes: keypact.Table[Note]) -> None:
    """A mapping that fits the model but not the class is refused before it is sent."""
    with pytest.raises(keypact.KeypactError):
        notes.create({"PK": "ann", "SK": "no kind", "noteBody": "x"})
    assert len(notes.scan(reason="to see everything").items) == 1
