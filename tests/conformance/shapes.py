"""The shapes of tables that cases name, such as "@simple"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.conformance.cases import Json


def keys(partition: str, sort: str = "") -> list[Json]:
    schema = [{"AttributeName": partition, "KeyType": "HASH"}]
    if sort:
        schema.append({"AttributeName": sort, "KeyType": "RANGE"})
    return schema


def definitions(**types: str) -> list[Json]:
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def index(name: str, schema: list[Json], projection: str = "ALL", *included: str) -> Json:
    described: Json = {"ProjectionType": projection}
    if included:
        described["NonKeyAttributes"] = list(included)
    return {"IndexName": name, "KeySchema": schema, "Projection": described}


def table(schema: list[Json], types: dict[str, str], **more: Any) -> Json:
    return {
        "KeySchema": schema,
        "AttributeDefinitions": definitions(**types),
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }


SHAPES: dict[str, Json] = {
    "@simple": table(keys("pk"), {"pk": "S"}),
    "@other": table(keys("pk"), {"pk": "S"}),
    "@sorted": table(keys("pk", "sk"), {"pk": "S", "sk": "S"}),
    "@numbered": table(keys("pk", "sk"), {"pk": "S", "sk": "N"}),
    "@binary": table(keys("pk", "sk"), {"pk": "S", "sk": "B"}),
    "@numeric_pk": table(keys("pk"), {"pk": "N"}),
    "@binary_pk": table(keys("pk"), {"pk": "B"}),
    # One index of each kind, with every projection.
    "@indexed": table(
        keys("pk", "sk"),
        {"pk": "S", "sk": "S", "g": "S", "h": "N", "l": "S"},
        GlobalSecondaryIndexes=[
            index("all", keys("g", "h")),
            index("keys", keys("g"), "KEYS_ONLY"),
            index("some", keys("g", "sk"), "INCLUDE", "a", "b"),
        ],
        LocalSecondaryIndexes=[
            index("local_all", keys("pk", "l")),
            index("local_keys", keys("pk", "l"), "KEYS_ONLY"),
            index("local_some", keys("pk", "l"), "INCLUDE", "a", "b"),
        ],
    ),
    # A single index of one kind, so that capacity is plain to read.
    "@one_global": table(
        keys("pk"),
        {"pk": "S", "g": "S"},
        GlobalSecondaryIndexes=[index("by_g", keys("g"))],
    ),
    "@one_local": table(
        keys("pk", "sk"),
        {"pk": "S", "sk": "S", "l": "S"},
        LocalSecondaryIndexes=[index("by_l", keys("pk", "l"))],
    ),
    "@inverted": table(
        keys("pk", "sk"),
        {"pk": "S", "sk": "S"},
        GlobalSecondaryIndexes=[index("inverted", keys("sk", "pk"))],
    ),
}
