"""Every rule of DMS: what breaks it is refused at its path, and nothing else is said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypact.errors import InvalidDocument
from keypact.schema import Schema, check_schema, load_schema
from keypact.schema.document import join_path
from keypact.schema.models import Model

from .documents import (
    COMPLETED_EXAMPLE,
    REMOVED,
    RICH,
    SPEC_EXAMPLE,
    changed,
    found,
    json_values,
    problems_in,
    problems_of,
    schemas,
)

ATTRIBUTES = "models[0].attributes"
INDEX = "models[0].indexes[0]"
LOCAL = "models[0].indexes[1]"
KEYS = "models[0].keys"


def test_the_rich_document_breaks_no_rule() -> None:
    """What the cases below change was good before."""
    assert problems_of(RICH) == []


def test_the_example_of_the_spec_lacks_one_attribute() -> None:
    """As printed, its index is keyed by an attribute that it does not declare."""
    (problem,) = problems_in(SPEC_EXAMPLE, "models.dms.yaml")
    assert str(problem) == (
        "models.dms.yaml:45:33: models[0].indexes[0].partition: "
        'attribute "emailHash" is not declared '
        '(add - { attribute: "emailHash", type: "S" } to the model\'s attributes)'
    )


def test_the_example_of_the_spec_loads_when_it_is_completed() -> None:
    """Everything that the spec writes is understood."""
    schema = load_schema(text=COMPLETED_EXAMPLE)
    user = schema.model("User")
    assert (schema.dms_version, schema.namespace) == ("0.1", "acme.payments")
    assert (user.table, user.naming, user.namespace) == ("users", "camelCase", "acme.payments")
    assert user.key_names == ("PK", "SK")
    assert (user.created_at, user.updated_at) == ("createdAt", "updatedAt")
    assert (user.version, user.ttl) == ("version", "ttl")
    tags = user.attribute("tags")
    assert (tags.type, tags.optional, tags.omit_empty, tags.required) == ("SS", True, True, False)
    assert user.index("gsi-email").partition.attribute == "emailHash"
    assert user.index("gsi-email").projection == "ALL"


def test_a_projection_left_out_is_all() -> None:
    """An index without one holds the whole item."""
    data = changed(RICH, {f"{INDEX}.projection": REMOVED, "models[1].indexes": []})
    assert load_schema(text=json.dumps(data)).models[0].indexes[0].projection == "ALL"


def test_encryption_without_members_encrypts() -> None:
    """An empty object is there; no object is not."""
    model = load_schema(text=json.dumps(RICH)).model("Locker")
    assert model.encrypted == {"pin"}
    assert model.attribute("pin").encryption == {}
    assert model.attribute("owner").encryption is None


# One change of the rich document, and the problems it makes -------------------------------

STRUCTURE: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "version missing": ({"dms_version": REMOVED}, [("dms_version", "is missing")]),
    "version a number": (
        {"dms_version": 0.1},
        [("dms_version", "must be a string, not the number 0.1")],
    ),
    "version unknown": (
        {"dms_version": "0.2"},
        [("dms_version", 'DMS version "0.2" is not supported')],
    ),
    "version longer": (
        {"dms_version": "0.10"},
        [("dms_version", 'DMS version "0.10" is not supported')],
    ),
    "version empty": ({"dms_version": ""}, [("dms_version", "must not be empty")]),
    "no models": ({"models": []}, [("models", "there is no model")]),
    "models missing": ({"models": REMOVED}, [("models", "is missing")]),
    "models null": ({"models": None}, [("models", "must be a list, not null")]),
    "models an object": ({"models": {}}, [("models", "must be a list, not an object")]),
    "model a string": ({"models[2]": "x"}, [("models[2]", 'must be an object, not "x"')]),
    "namespace empty": ({"namespace": ""}, [("namespace", "must not be empty")]),
    "namespace null": ({"namespace": None}, [("namespace", "must be a string, not null")]),
    "name missing": ({"models[0].name": REMOVED}, [("models[0].name", "is missing")]),
    "name empty": ({"models[0].name": ""}, [("models[0].name", "must not be empty")]),
    "name a number": ({"models[0].name": 5}, [("models[0].name", "must be a string, not 5")]),
    "table missing": ({"models[0].table": REMOVED}, [("models[0].table", "is missing")]),
    "table a string": (
        {"models[0].table": "lockers"},
        [("models[0].table", 'must be an object, not "lockers"')],
    ),
    "keys missing": ({KEYS: REMOVED}, [(KEYS, "is missing")]),
    "partition missing": ({f"{KEYS}.partition": REMOVED}, [(f"{KEYS}.partition", "is missing")]),
    "attributes missing": (
        {"models[1].indexes": REMOVED, "models[1].attributes": REMOVED},
        [
            ("models[1].attributes", "is missing"),
            ("models[1].keys.partition", 'attribute "PK" is not declared'),
            ("models[1].keys.sort", 'attribute "SK" is not declared'),
        ],
    ),
    "attribute name missing": (
        {f"{ATTRIBUTES}[10].attribute": REMOVED},
        [(f"{ATTRIBUTES}[10].attribute", "is missing")],
    ),
    "attribute type missing": (
        {f"{ATTRIBUTES}[0].type": REMOVED},
        [(f"{ATTRIBUTES}[0].type", "is missing")],
    ),
    "attribute type unknown": (
        {f"{ATTRIBUTES}[11].type": "s"},
        [
            (
                f"{ATTRIBUTES}[11].type",
                'must be one of S, N, B, BOOL, M, L, SS, NS, BS, NULL, not "s"',
            )
        ],
    ),
    "flag a string": (
        {f"{ATTRIBUTES}[0].required": "yes"},
        [(f"{ATTRIBUTES}[0].required", 'must be true or false, not "yes"')],
    ),
    "roles a string": (
        {f"{ATTRIBUTES}[0].roles": "pk"},
        [(f"{ATTRIBUTES}[0].roles", 'must be a list, not "pk"')],
    ),
    "role a number": (
        {f"{ATTRIBUTES}[0].roles": [1]},
        [(f"{ATTRIBUTES}[0].roles[0]", "must be a string, not 1")],
    ),
    "encryption a flag": (
        {f"{ATTRIBUTES}[8].encryption": True},
        [(f"{ATTRIBUTES}[8].encryption", "must be an object, not true")],
    ),
    "tags a list": (
        {f"{ATTRIBUTES}[8].tags": []},
        [(f"{ATTRIBUTES}[8].tags", "must be an object, not a list")],
    ),
    "index type unknown": (
        {f"{INDEX}.type": "gsi"},
        [(f"{INDEX}.type", 'must be one of GSI, LSI, not "gsi"')],
    ),
    "index without partition": (
        {f"{LOCAL}.partition": REMOVED},
        [(f"{LOCAL}.partition", "is missing")],
    ),
    "index key of another type": (
        {f"{INDEX}.sort.type": "SS"},
        [(f"{INDEX}.sort.type", 'must be one of S, N, B, not "SS"')],
    ),
    "projection without type": (
        {f"{LOCAL}.projection": {}},
        [(f"{LOCAL}.projection.type", "is missing")],
    ),
    "projection unknown": (
        {f"{LOCAL}.projection.type": "SOME"},
        [(f"{LOCAL}.projection.type", 'must be one of ALL, KEYS_ONLY, INCLUDE, not "SOME"')],
    ),
    "convention unknown": (
        {"models[0].naming.convention": "kebab-case"},
        [("models[0].naming.convention", 'must be one of camelCase, snake_case, not "kebab-case"')],
    ),
}

RULES: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "two models of a name": (
        {"models[1].name": "Locker"},
        [("models[1].name", 'duplicate model "Locker"')],
    ),
    "two attributes of a name": (
        {f"{ATTRIBUTES}[12]": {"attribute": "labels", "type": "S"}},
        [(f"{ATTRIBUTES}[12].attribute", 'duplicate attribute "labels"')],
    ),
    "two indexes of a name": (
        {"models[0].indexes[2]": RICH["models"][0]["indexes"][1]},
        [("models[0].indexes[2].name", 'duplicate index "local"')],
    ),
    "table name too short": (
        {"models[0].table.name": "ab", "models[1].table.name": "lo/ckers"},
        [
            ("models[0].table.name", 'DynamoDB takes no name "ab"'),
            ("models[1].table.name", 'DynamoDB takes no name "lo/ckers"'),
        ],
    ),
    "index name too long": (
        {"models[1].indexes[0].name": "x" * 256},
        [("models[1].indexes[0].name", f'DynamoDB takes no name "{"x" * 60}…"')],
    ),
    "name against camelCase": (
        {f"{ATTRIBUTES}[12]": {"attribute": "Not_camel", "type": "S"}},
        [(f"{ATTRIBUTES}[12].attribute", '"Not_camel" is not camelCase')],
    ),
    "name ends in a line break": (
        {f"{ATTRIBUTES}[12]": {"attribute": "camel\n", "type": "S"}},
        [(f"{ATTRIBUTES}[12].attribute", '"camel\\n" is not camelCase')],
    ),
    "name against snake_case": (
        {"models[1].naming": {"convention": "snake_case"}},
        [
            ("models[1].attributes[0].attribute", '"PK" is not snake_case'),
            ("models[1].attributes[1].attribute", '"SK" is not snake_case'),
            ("models[1].attributes[4].attribute", '"what happened" is not snake_case'),
        ],
    ),
    "required and optional": (
        {f"{ATTRIBUTES}[9].required": True},
        [(f"{ATTRIBUTES}[9].optional", "required and optional at once")],
    ),
    "json without S": (
        {f"{ATTRIBUTES}[9].type": "M"},
        [(f"{ATTRIBUTES}[9].json", "json needs type S, not M")],
    ),
    "json with a format": (
        {f"{ATTRIBUTES}[9].format": "rfc3339nano"},
        [(f"{ATTRIBUTES}[9].format", "a JSON blob has no format")],
    ),
    "binary without B": (
        {f"{ATTRIBUTES}[10].type": "S"},
        [(f"{ATTRIBUTES}[10].binary", "binary needs type B, not S")],
    ),
    "format unknown": (
        {f"{ATTRIBUTES}[3].format": "rfc3339"},
        [(
            f"{ATTRIBUTES}[3].format",
            'must be one of rfc3339nano, unix_seconds, int, not "rfc3339"',
        )],
    ),
    "format of another type": (
        {f"{ATTRIBUTES}[11].format": "int"},
        [(f"{ATTRIBUTES}[11].format", "format int needs type N, not SS")],
    ),
    "key not declared": (
        {f"{KEYS}.sort.attribute": "sk", f"{ATTRIBUTES}[1].roles": [], "models[1]": REMOVED},
        [(f"{KEYS}.sort", 'attribute "sk" is not declared')],
    ),
    "key of another type": (
        {f"{ATTRIBUTES}[1].type": "N", "models[1]": REMOVED},
        [(f"{KEYS}.sort", '"SK" is S here and N under attributes')],
    ),
    "one attribute as both keys": (
        {f"{KEYS}.sort.attribute": "PK", f"{ATTRIBUTES}[1].roles": [], "models[1]": REMOVED},
        [(f"{KEYS}.sort", "partition and sort key are the same attribute")],
    ),
    "optional key": (
        {f"{ATTRIBUTES}[0].required": False, f"{ATTRIBUTES}[0].optional": True},
        [(f"{ATTRIBUTES}[0].optional", "a primary key is never optional")],
    ),
    "encrypted key": (
        {f"{ATTRIBUTES}[0].encryption": {}, "models[1]": REMOVED},
        [
            (f"{KEYS}.partition", 'the encrypted attribute "PK" cannot be in a key'),
            (f"{LOCAL}.partition", 'the encrypted attribute "PK" cannot be in a key'),
        ],
    ),
    "index key not declared": (
        {f"{INDEX}.partition.attribute": "tenant", f"{ATTRIBUTES}[6].roles": [],
         "models[1].indexes": REMOVED},
        [(f"{INDEX}.partition", 'attribute "tenant" is not declared')],
    ),
    "index key of another type ": (
        {f"{INDEX}.partition.type": "N", "models[1]": REMOVED},
        [(f"{INDEX}.partition", '"owner" is N here and S under attributes')],
    ),
    "encrypted index key": (
        {f"{ATTRIBUTES}[6].encryption": {}, "models[1]": REMOVED},
        [(f"{INDEX}.partition", 'the encrypted attribute "owner" cannot be in a key')],
    ),
    "one attribute as both index keys": (
        {f"{INDEX}.sort": {"attribute": "owner", "type": "S"}, f"{ATTRIBUTES}[7].roles": [],
         "models[1]": REMOVED},
        [(f"{INDEX}.sort", "partition and sort key are the same attribute")],
    ),
    "key name too long": (
        {
            "models[1]": REMOVED,
            f"{ATTRIBUTES}[6].attribute": "o" * 256,
            f"{INDEX}.partition.attribute": "o" * 256,
        },
        [(f"{INDEX}.partition", "the name is too long")],
    ),
    "attribute name too long": (
        {f"{ATTRIBUTES}[11].attribute": "o" * 65_536, f"{INDEX}.projection.fields": ["pin"]},
        [(f"{ATTRIBUTES}[11].attribute", "the name is too long")],
    ),
    "included name too long": (
        {f"{ATTRIBUTES}[11].attribute": "o" * 256, f"{INDEX}.projection.fields": ["o" * 256]},
        [(f"{INDEX}.projection.fields[0]", "the name is too long")],
    ),
    "INCLUDE without fields": (
        {f"{INDEX}.projection.fields": REMOVED},
        [(f"{INDEX}.projection", "INCLUDE needs fields")],
    ),
    "INCLUDE with no fields": (
        {f"{INDEX}.projection.fields": []},
        [(f"{INDEX}.projection", "INCLUDE needs fields")],
    ),
    "fields without INCLUDE": (
        {f"{LOCAL}.projection.fields": ["pin"]},
        [(f"{LOCAL}.projection.fields", "KEYS_ONLY has no fields")],
    ),
    "fields not declared": (
        {f"{INDEX}.projection.fields": ["pin", "pim"]},
        [(f"{INDEX}.projection.fields[1]", 'attribute "pim" is not declared')],
    ),
    "fields repeated": (
        {f"{INDEX}.projection.fields": ["pin", "pin"]},
        [(f"{INDEX}.projection.fields[1]", 'duplicate field "pin"')],
    ),
    "LSI of another partition": (
        {f"{LOCAL}.partition": {"attribute": "owner", "type": "S"}},
        [(f"{LOCAL}.partition", 'the partition key of an LSI is the table\'s, "PK"')],
    ),
    "LSI without sort": (
        {f"{LOCAL}.sort": REMOVED, f"{ATTRIBUTES}[7].roles": []},
        [(LOCAL, "an LSI needs a sort key")],
    ),
    "LSI on a table without sort": (
        {f"{KEYS}.sort": REMOVED, f"{ATTRIBUTES}[1].roles": [], "models[1]": REMOVED},
        [(LOCAL, "an LSI needs a table with a sort key")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "problems"), STRUCTURE.values(), ids=list(STRUCTURE))
def test_structure(changes: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    """Fields are there, and of their kind."""
    assert found(changes) == problems


@pytest.mark.parametrize(("changes", "problems"), RULES.values(), ids=list(RULES))
def test_rules(changes: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    """Names, keys, indexes and projections agree with each other and with DynamoDB."""
    assert found(changes) == problems


@pytest.mark.parametrize(
    "place",
    ["", "models[0]", "models[0].table", "models[0].naming", KEYS, f"{KEYS}.partition",
     f"{ATTRIBUTES}[0]", INDEX, f"{INDEX}.sort", f"{INDEX}.projection"],
)  # fmt: skip
def test_unknown_fields_are_refused_everywhere(place: str) -> None:
    """A misspelt field would be a rule that nobody keeps."""
    path = f"{place}.surprise" if place else "surprise"
    assert found({path: 1}) == [(path, "unknown field")]


def test_tags_and_encryption_are_the_authors_own() -> None:
    """Whatever JSON stands there is kept as it is."""
    members = {"a": [1, None, {"b c": True}], "type": "S", "": ""}
    data = changed(RICH, {f"{ATTRIBUTES}[8].tags": members, f"{ATTRIBUTES}[8].encryption": members})
    attribute = load_schema(text=json.dumps(data)).models[0].attribute("pin")
    kept = {"a": (1, None, {"b c": True}), "type": "S", "": ""}
    assert attribute.tags == attribute.encryption == kept


@pytest.mark.parametrize("name", ["a", "a1B2", "camelCase", "PK", "SK", "aURL"])
def test_names_in_camel_case(name: str) -> None:
    """The spec's pattern, and PK and SK beside it."""
    data = changed(RICH, {f"{ATTRIBUTES}[12]": {"attribute": name, "type": "S"}})
    if name in ("PK", "SK"):
        del data["models"][0]["attributes"][12]
    assert problems_of(data) == []


@pytest.mark.parametrize(
    ("name", "fits"),
    [("a", True), ("a_b", True), ("a1_2b", True), ("a__b", False), ("a_", False), ("_a", False),
     ("1a", False), ("aB", False), ("PK", False), ("é", False)],
)  # fmt: skip
def test_names_in_snake_case(name: str, fits: bool) -> None:
    """The spec's pattern; it makes no allowance for PK."""
    data = {
        "dms_version": "0.1",
        "models": [
            {
                "name": "M",
                "table": {"name": "table"},
                "naming": {"convention": "snake_case"},
                "keys": {"partition": {"attribute": name, "type": "S"}},
                "attributes": [{"attribute": name, "type": "S"}],
            }
        ],
    }
    assert (problems_of(data) == []) is fits


# Whatever comes --------------------------------------------------------------------------------


def _paths(data: Any, steps: tuple[str | int, ...] = ()) -> list[str]:
    members: list[tuple[str | int, Any]] = []
    if isinstance(data, dict):
        members = list(data.items())
    elif isinstance(data, list):
        members = list(enumerate(data))
    found = []
    for step, value in members:
        way = (*steps, step)
        found += [join_path(way), *_paths(value, way)]
    return found


# Below tags everything is the author's own.
PATHS = [path for path in _paths(RICH) if "tags" not in path]


@pytest.mark.parametrize("value", [None, True, 0, 0.1, "", "x", [], [None], {}, {"a": 1}, REMOVED])
def test_no_value_in_any_place_breaks_the_checker(value: Any) -> None:
    """A wrong value is a problem in words, with a path and with what to do."""
    for path in PATHS:
        for problem in problems_of(changed(RICH, {path: value})):
            assert problem.path
            assert problem.message
            assert problem.hint, problem


@given(json_values)
def test_arbitrary_data_is_a_schema_or_invalid(data: Any) -> None:
    """Never another error."""
    assert isinstance(problems_of(data), list)


@given(st.data())
def test_a_few_changes_make_a_schema_or_invalid(data: st.DataObject) -> None:
    """YAML and JSON of the same data have the same problems, with the same words."""
    document = RICH
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([path for path in _paths(document) if "tags" not in path]))
        document = changed(document, {path: data.draw(json_values | st.just("PK"))})
    plain = {(one.path, one.message, one.hint.split(", line")[0]) for one in problems_of(document)}
    text = json.dumps(document)
    in_text = {(one.path, one.message, one.hint.split(", line")[0]) for one in problems_in(text)}
    assert in_text == plain


@given(schemas())
def test_a_schema_that_breaks_no_rule_is_accepted(schema: Schema) -> None:
    """Any names, any types, any tags: no rule of ours is in the way."""
    assert check_schema(schema) == schema


def test_models_built_in_python_are_checked_by_the_same_rules() -> None:
    """Without a text, problems have a path and no line."""
    model = load_schema(text=COMPLETED_EXAMPLE).models[0]
    broken = Model(
        model.name, "x", model.partition, model.sort, model.attributes[:-1], model.indexes
    )
    with pytest.raises(InvalidDocument) as caught:
        check_schema(Schema("0.1", (broken,)))
    assert [str(problem) for problem in caught.value.problems] == [
        (
            'models[0].table.name: DynamoDB takes no name "x"'
            " (3 to 255 letters, digits, and the signs _ . -)"
        ),
        (
            'models[0].indexes[0].partition: attribute "emailHash" is not declared'
            ' (add - { attribute: "emailHash", type: "S" } to the model\'s attributes)'
        ),
    ]
