"""Problems are told all at once, each with its place and what to do."""

from __future__ import annotations

from typing import Any

import pytest

from keypact.errors import InvalidDocument, InvalidModel
from keypact.schema import load_schema

from .documents import COMPLETED_EXAMPLE, REMOVED, RICH, changed, problems_in, problems_of

ATTRIBUTES = "models[0].attributes"
INDEX = "models[0].indexes[0]"

# Hints ---------------------------------------------------------------------------------------

HINTS: dict[str, tuple[dict[str, Any], str]] = {
    "a version to be quoted": ({"dms_version": 0.1}, 'put it in quotes: dms_version: "0.1"'),
    "a near field": ({"nmespace": "x", "namespace": REMOVED}, "did you mean namespace?"),
    "a field in another style": (
        {f"{ATTRIBUTES}[9].omitEmpty": True},
        "did you mean omit_empty?",
    ),
    "an extension": ({f"{ATTRIBUTES}[9].colour": "red"}, "extensions go under tags"),
    "known fields": ({"models[0].table.region": "eu"}, "known here: name"),
    "a missing space": ({'models[0].table["name:x"]': None}, "put a space after the colon"),
    "a near attribute": (
        {f"{INDEX}.projection.fields": ["lables"]},
        'did you mean "labels"?',
    ),
    "a near index": (
        {f"{ATTRIBUTES}[6].roles": ["index_pk:by_owner"]},
        "did you mean index_pk:by-owner?",
    ),
    "a near role": ({f"{ATTRIBUTES}[2].roles": ["createdAt"]}, "did you mean created_at?"),
    "a near choice": (
        {"models[0].naming.convention": "camelcase"},
        'did you mean "camelCase"?',
    ),
    "a spoken boolean": ({f"{ATTRIBUTES}[0].required": "on"}, "write true, without quotes"),
    "a number for text": ({"models[0].name": 7}, "put it in quotes"),
    "one for a list": ({f"{ATTRIBUTES}[0].roles": "pk"}, "put it in brackets"),
    "a field without value": (
        {"models[0].naming": None},
        "leave the field out, or give it a value",
    ),
    "where the first is": (
        {"models[1].name": "Locker"},
        "the first is models[0].name",
    ),
}


@pytest.mark.parametrize(("changes", "hint"), HINTS.values(), ids=list(HINTS))
def test_a_hint_says_what_to_do(changes: dict[str, Any], hint: str) -> None:
    """A problem comes with its repair."""
    (problem,) = problems_of(changed(RICH, changes))
    assert problem.hint == hint


def test_all_problems_are_told_at_once_in_the_order_of_the_text() -> None:
    """One run shows everything: reader's, structure's and rules' problems together."""
    text = """\
dms_version: 0.1
models:
  - name: User
    table: {name: users}
    keys:
      partition: {attribute: id, type: S}
    attributes:
      - {attribute: id, type: N, required: &yes true, optional: *yes}
      - {attribute: n, typ: S, roles: [version]}
      - {attribute: n, type: S}
    indexs: []
"""
    assert [str(problem) for problem in problems_in(text, "m.yaml")] == [
        (
            "m.yaml:1:14: dms_version: must be a string, not the number 0.1"
            ' (put it in quotes: dms_version: "0.1")'
        ),
        (
            'm.yaml:6:40: models[0].keys.partition: "id" is S here and N under attributes'
            " (give both the same type: S, N or B)"
        ),
        (
            "m.yaml:8:44: models[0].attributes[0].required: anchor &yes is not allowed"
            " (JSON has none; leave it out)"
        ),
        (
            "m.yaml:8:65: models[0].attributes[0].optional: alias *yes is not allowed"
            " (write the value out here)"
        ),
        "m.yaml:9:9: models[0].attributes[1].type: is missing (add type here)",
        "m.yaml:9:24: models[0].attributes[1].typ: unknown field (did you mean type?)",
        (
            'm.yaml:10:21: models[0].attributes[2].attribute: duplicate attribute "n"'
            " (the first is models[0].attributes[1].attribute, line 9)"
        ),
        "m.yaml:11:5: models[0].indexs: unknown field (did you mean indexes?)",
    ]


def test_what_a_merge_key_would_bring_is_not_called_missing() -> None:
    """The merge is the problem; what follows from it is not told."""
    text = COMPLETED_EXAMPLE.replace('        type: "GSI"\n', "        <<: {type: GSI}\n")
    assert [one.message for one in problems_in(text)] == ["merge key << is not allowed"]


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "text", "5", '{"a": 1}', "- dms_version: '0.1'", "{}"]
)
def test_any_other_document_is_no_schema(text: str) -> None:
    """Whatever the text says, the answer is a schema or an InvalidModel."""
    with pytest.raises(InvalidModel) as caught:
        load_schema(text=text)
    assert isinstance(caught.value, InvalidDocument)
    assert caught.value.code == "ErrInvalidModel"
    assert caught.value.problems
