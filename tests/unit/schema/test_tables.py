"""Models may share a table; then they agree on all that the table has once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from keypact.schema import load_schema
from keypact.schema.models import Index, KeyPart
from keypact.schema.tables import merge_indexes

from .documents import COMPLETED_EXAMPLE, REMOVED, RICH, changed, found, problems_of

OTHER = "models[1]"

SHARED: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "another partition key": (
        {f"{OTHER}.keys.partition.attribute": "owner"},
        [(
            f"{OTHER}.keys.partition",
            'table "lockers" has another partition key in model "Locker": "PK", type S',
        )],
    ),
    "another type of key": (
        {
            f"{OTHER}.keys.sort.type": "N",
            f"{OTHER}.attributes[1].type": "N",
        },
        [
            (
                f"{OTHER}.keys.sort",
                'table "lockers" has another sort key in model "Locker": "SK", type S',
            ),
            (f"{OTHER}.attributes[1].type", '"SK" is in the key of model "Locker", with type S'),
        ],
    ),
    "no sort key": (
        {f"{OTHER}.keys.sort": REMOVED},
        [(
            f"{OTHER}.keys",
            'table "lockers" has another sort key in model "Locker": "SK", type S',
        )],
    ),
    "an index of another type": (
        {f"{OTHER}.indexes[0].type": "LSI",
         f"{OTHER}.indexes[0].partition": {"attribute": "PK", "type": "S"}},
        [
            (
                f"{OTHER}.indexes[0].type",
                'index "by-owner" has another type in model "Locker": GSI',
            ),
            (
                f"{OTHER}.indexes[0].partition",
                'index "by-owner" has another partition in model "Locker": "owner", type S',
            ),
        ],
    ),
    "an index without sort": (
        {f"{OTHER}.indexes[0].sort": REMOVED},
        [(
            f"{OTHER}.indexes[0]",
            'index "by-owner" has another sort in model "Locker": "size", type N',
        )],
    ),
    "an index of another projection": (
        {f"{OTHER}.indexes[0].projection": {"type": "ALL"}},
        [(
            f"{OTHER}.indexes[0].projection",
            'index "by-owner" has another projection in model "Locker": INCLUDE',
        )],
    ),
    "an index key of another type": (
        {f"{OTHER}.indexes": REMOVED, f"{OTHER}.attributes[3].type": "S"},
        [(
            f"{OTHER}.attributes[3].type",
            '"size" is in index "by-owner" of model "Locker", with type N',
        )],
    ),
    "an index key encrypted": (
        {f"{OTHER}.indexes": REMOVED, f"{OTHER}.attributes[2].encryption": {}},
        [(
            f"{OTHER}.attributes[2].encryption",
            '"owner" is in index "by-owner" of model "Locker", and cannot be encrypted',
        )],
    ),
    "another ttl": (
        {f"{OTHER}.attributes[5]": {"attribute": "until", "type": "N", "roles": ["ttl"]}},
        [(
            f"{OTHER}.attributes[5].roles",
            'items of table "lockers" expire by "expires" in model "Locker"',
        )],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "problems"), SHARED.values(), ids=list(SHARED))
def test_models_on_one_table_agree(
    changes: dict[str, Any], problems: list[tuple[str, str]]
) -> None:
    """The table has one key, one index of a name, one ttl, and one type for each key attribute."""
    assert found(changes) == problems


@pytest.mark.parametrize(("changes", "_problems"), SHARED.values(), ids=list(SHARED))
def test_models_on_their_own_tables_need_not_agree(
    changes: dict[str, Any], _problems: list[tuple[str, str]]
) -> None:
    """The same differences are nobody's business when tables differ."""
    assert found({**changes, f"{OTHER}.table.name": "events"}) == []


def test_a_model_may_leave_out_what_another_declares() -> None:
    """Items without an index's key attributes are not in the index; a model may be of such."""
    assert found({f"{OTHER}.indexes": REMOVED, f"{OTHER}.attributes[3]": REMOVED}) == []


def test_the_same_ttl_may_be_declared_twice() -> None:
    """A table expires items of several models by one attribute."""
    ttl = {"attribute": "expires", "type": "N", "roles": ["ttl"]}
    assert found({f"{OTHER}.attributes[5]": ttl}) == []


def test_a_shared_index_includes_what_each_model_asks_for() -> None:
    """Every model names fields of its own; the table's index has all of them."""
    schema = load_schema(text=json.dumps(RICH))
    by_owner, local = merge_indexes(schema.models)
    assert by_owner == Index(
        "by-owner",
        "GSI",
        KeyPart("owner", "S"),
        KeyPart("size", "N"),
        "INCLUDE",
        ("labels", "pin", "what happened"),
    )
    assert local == schema.models[0].indexes[1]


def _gsi(number: int, fields: int = 0) -> dict[str, Any]:
    projection: dict[str, Any] = {"type": "KEYS_ONLY"}
    if fields:
        projection = {"type": "INCLUDE", "fields": [f"f{one}" for one in range(fields)]}
    return {
        "name": f"gsi{number}",
        "type": "GSI",
        "partition": {"attribute": "owner", "type": "S"},
        "projection": projection,
    }


def _with_indexes(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> dict[str, Any]:
    """The rich document with other indexes, and fields to include."""
    fields = [{"attribute": f"f{number}", "type": "S"} for number in range(40)]
    document = changed(RICH, {"models[0].indexes": first, "models[1].indexes": second})
    for model in document["models"]:
        model["attributes"] = [
            {**one, "roles": []} for one in model["attributes"] if "omit_empty" not in one
        ]
        if not any(one["attribute"] == "owner" for one in model["attributes"]):
            model["attributes"].append({"attribute": "owner", "type": "S"})
        model["attributes"] += fields
    return document


def _lsi(number: int) -> dict[str, Any]:
    return {
        "name": f"lsi{number}",
        "type": "LSI",
        "partition": {"attribute": "PK", "type": "S"},
        "sort": {"attribute": "size", "type": "N"},
    }


# The numbers are DynamoDB's, from its table of quotas.
@pytest.mark.parametrize(
    ("most", "more", "message"),
    [
        (
            ([_gsi(n) for n in range(20)], [_gsi(n) for n in range(20)]),
            ([_gsi(n) for n in range(20)], [_gsi(20)]),
            'table "lockers" has 21 indexes of type GSI',
        ),
        (
            ([_lsi(n) for n in range(5)], []),
            ([_lsi(n) for n in range(5)], [_lsi(5)]),
            'table "lockers" has 6 indexes of type LSI',
        ),
        (
            ([_gsi(0, 20)], []),
            ([_gsi(0, 21)], []),
            'index "gsi0" of table "lockers" includes 21 fields',
        ),
        (
            ([_gsi(n, 20) for n in range(5)], []),
            ([_gsi(n, 20) for n in range(5)], [_gsi(5, 1)]),
            'the indexes of table "lockers" include 101 fields',
        ),
    ],
    ids=["GSIs", "LSIs", "fields of an index", "fields of a table"],
)
def test_a_table_keeps_to_dynamodbs_limits(most: Any, more: Any, message: str) -> None:
    """Counted over all models of the table; as many as allowed are accepted."""
    assert problems_of(_with_indexes(*most)) == []
    assert [problem.message for problem in problems_of(_with_indexes(*more))] == [message]


def test_the_completed_example_shares_nothing() -> None:
    """A table of one model has that model's indexes."""
    model = load_schema(text=COMPLETED_EXAMPLE).models[0]
    assert merge_indexes([model]) == model.indexes
