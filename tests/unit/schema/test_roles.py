"""Roles agree with the keys, and with what the library writes."""

from __future__ import annotations

from typing import Any

import pytest

from .documents import REMOVED, found

ATTRIBUTES = "models[0].attributes"
INDEX = "models[0].indexes[0]"
KEYS = "models[0].keys"

ROLES: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "unknown role": (
        {f"{ATTRIBUTES}[11].roles": ["partition"]},
        [(f"{ATTRIBUTES}[11].roles[0]", 'unknown role "partition"')],
    ),
    "role twice": (
        {f"{ATTRIBUTES}[0].roles": ["pk", "pk"]},
        [(f"{ATTRIBUTES}[0].roles[1]", 'duplicate role "pk"')],
    ),
    "pk on another attribute": (
        {f"{ATTRIBUTES}[11].roles": ["pk"]},
        [(f"{ATTRIBUTES}[11].roles[0]", 'role pk contradicts the keys: keys.partition is "PK"')],
    ),
    "sk on the partition key": (
        {f"{ATTRIBUTES}[0].roles": ["sk"]},
        [(f"{ATTRIBUTES}[0].roles[0]", 'role sk contradicts the keys: keys.sort is "SK"')],
    ),
    "sk without a sort key": (
        {f"{KEYS}.sort": REMOVED, "models[1]": REMOVED, "models[0].indexes[1]": REMOVED,
         f"{ATTRIBUTES}[7].roles": []},
        [(f"{ATTRIBUTES}[1].roles[0]", "role sk contradicts the keys: the model has no sort key")],
    ),
    "index role without index": (
        {f"{ATTRIBUTES}[6].roles": ["index_pk:by-owners"]},
        [(f"{ATTRIBUTES}[6].roles[0]", 'there is no index "by-owners"')],
    ),
    "index role without name": (
        {f"{ATTRIBUTES}[6].roles": ["index_pk:"]},
        [(f"{ATTRIBUTES}[6].roles[0]", 'there is no index ""')],
    ),
    "index role without colon": (
        {f"{ATTRIBUTES}[6].roles": ["index_pk"]},
        [(f"{ATTRIBUTES}[6].roles[0]", 'unknown role "index_pk"')],
    ),
    "index_pk on another attribute": (
        {f"{ATTRIBUTES}[11].roles": ["index_pk:by-owner"]},
        [(
            f"{ATTRIBUTES}[11].roles[0]",
            "role index_pk:by-owner contradicts the keys: the index's partition is \"owner\"",
        )],
    ),
    "index_sk on another attribute": (
        {f"{ATTRIBUTES}[11].roles": ["index_sk:by-owner"]},
        [(
            f"{ATTRIBUTES}[11].roles[0]",
            "role index_sk:by-owner contradicts the keys: the index's sort is \"size\"",
        )],
    ),
    "index_sk of an index without sort": (
        {f"{INDEX}.sort": REMOVED, "models[1].indexes": REMOVED},
        [(
            f"{ATTRIBUTES}[7].roles[0]",
            "role index_sk:by-owner contradicts the keys: the index has no sort key",
        )],
    ),
    "two versions": (
        {f"{ATTRIBUTES}[12]": {"attribute": "again", "type": "N", "roles": ["version"]}},
        [(f"{ATTRIBUTES}[12].roles[0]", "a second attribute with role version")],
    ),
    "two ttls": (
        {f"{ATTRIBUTES}[12]": {"attribute": "again", "type": "N", "roles": ["ttl"]}},
        [(f"{ATTRIBUTES}[12].roles[0]", "a second attribute with role ttl")],
    ),
    "two created_at": (
        {f"{ATTRIBUTES}[12]": {"attribute": "again", "type": "S", "roles": ["created_at"]}},
        [(f"{ATTRIBUTES}[12].roles[0]", "a second attribute with role created_at")],
    ),
    "two updated_at": (
        {f"{ATTRIBUTES}[12]": {"attribute": "again", "type": "S", "roles": ["updated_at"]}},
        [(f"{ATTRIBUTES}[12].roles[0]", "a second attribute with role updated_at")],
    ),
    "created_at of type N": (
        {f"{ATTRIBUTES}[2].type": "N"},
        [(f"{ATTRIBUTES}[2].type", "role created_at needs type S, not N")],
    ),
    "updated_at of type N": (
        {f"{ATTRIBUTES}[3].type": "N", f"{ATTRIBUTES}[3].format": REMOVED},
        [(f"{ATTRIBUTES}[3].type", "role updated_at needs type S, not N")],
    ),
    "version of type S": (
        {f"{ATTRIBUTES}[4].type": "S", f"{ATTRIBUTES}[4].format": REMOVED},
        [(f"{ATTRIBUTES}[4].type", "role version needs type N, not S")],
    ),
    "ttl of type S": (
        {f"{ATTRIBUTES}[5].type": "S", f"{ATTRIBUTES}[5].format": REMOVED},
        [(f"{ATTRIBUTES}[5].type", "role ttl needs type N, not S")],
    ),
    "ttl of another format": (
        {f"{ATTRIBUTES}[5].format": "int"},
        [(f"{ATTRIBUTES}[5].format", "role ttl needs format unix_seconds, not int")],
    ),
    "version of another format": (
        {f"{ATTRIBUTES}[4].format": "unix_seconds"},
        [(f"{ATTRIBUTES}[4].format", "role version needs format int, not unix_seconds")],
    ),
    "created_at as JSON": (
        {f"{ATTRIBUTES}[2].json": True},
        [(f"{ATTRIBUTES}[2].json", "role created_at is never stored as JSON")],
    ),
    "encrypted ttl": (
        {f"{ATTRIBUTES}[5].encryption": {}},
        [(f"{ATTRIBUTES}[5].encryption", "role ttl cannot be encrypted")],
    ),
    "version that is left out at 0": (
        {f"{ATTRIBUTES}[4].omit_empty": True},
        [(f"{ATTRIBUTES}[4].omit_empty", "role version contradicts omit_empty")],
    ),
    "two lifecycle roles at once": (
        {f"{ATTRIBUTES}[2].roles": ["created_at", "updated_at"], f"{ATTRIBUTES}[3]": REMOVED},
        [(f"{ATTRIBUTES}[2].roles", "roles created_at and updated_at on one attribute")],
    ),
    "key that changes": (
        {f"{ATTRIBUTES}[1].roles": ["sk", "updated_at"], f"{ATTRIBUTES}[3]": REMOVED},
        [(
            f"{ATTRIBUTES}[1].roles[1]",
            "role updated_at changes at every update, a key never does",
        )],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "problems"), ROLES.values(), ids=list(ROLES))
def test_roles(changes: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    """Roles agree with the keys, and with what the library writes."""
    assert found(changes) == problems
