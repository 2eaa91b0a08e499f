"""CreateTable."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    ANYTHING,
    INVALID,
    NOT_FOUND,
    NOT_SERIALIZED,
    Case,
    Json,
    Source,
    any_order,
    error,
    including,
    on,
)
from tests.conformance.check import Tables, check
from tests.conformance.shapes import definitions, index, keys

case = Source("create_table", "API_CreateTable")

HASH = keys("pk")
BOTH = keys("pk", "sk")
PK = definitions(pk="S")
PK_SK = definitions(pk="S", sk="S")
PK_SK_G = definitions(pk="S", sk="S", g="S")
ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}
UNITS = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}


def table(schema: Any = HASH, types: Any = PK, **more: Any) -> Json:
    request = {
        "TableName": "@new",
        "KeySchema": schema,
        "AttributeDefinitions": types,
        **ON_DEMAND,
        **more,
    }
    return {name: member for name, member in request.items() if member is not None}


def makes(name: str, request: Json, described: Json, source: str = "") -> Case:
    """A case: CreateTable succeeds, and DescribeTable then has these members."""
    return case(
        name,
        ("CreateTable", request, including(TableDescription=including(TableName="@new"))),
        (
            "DescribeTable",
            on("@new"),
            including(
                Table=including(
                    TableName="@new",
                    TableStatus="ACTIVE",
                    ItemCount=0,
                    TableSizeBytes=0,
                    TableArn=ANYTHING,
                    TableId=ANYTHING,
                    CreationDateTime=ANYTHING,
                    **described,
                )
            ),
        ),
        source=source,
    )


def refuses(name: str, expected: Any = INVALID, source: str = "", **more: Any) -> Case:
    """A case: the request is refused, and there is no table."""
    return case(
        name,
        ("CreateTable", table(**more), expected),
        ("DescribeTable", on("@new"), NOT_FOUND),
        source=source,
    )


def global_index(schema: Any = None, name: str = "by_g", **more: Any) -> Json:
    return {**index(name, schema or keys("g")), **more}


def local_index(schema: Any = None, name: str = "by_g", **more: Any) -> Json:
    return {**index(name, schema or keys("pk", "g")), **more}


def with_global(name: str, *indexes: Json, types: Any = PK_SK_G, source: str = "") -> Case:
    return refuses(
        name, schema=BOTH, types=types, GlobalSecondaryIndexes=list(indexes), source=source
    )


def with_local(name: str, *indexes: Json, types: Any = PK_SK_G, source: str = "") -> Case:
    return refuses(
        name, schema=BOTH, types=types, LocalSecondaryIndexes=list(indexes), source=source
    )


def without(described: Json, name: str) -> Json:
    return {member: value for member, value in described.items() if member != name}


CASES = [
    case(
        "answers_before_the_table_is_active",
        (
            "CreateTable",
            table(),
            including(TableDescription=including(TableName="@new", TableStatus="CREATING")),
        ),
    ),
    makes(
        "on_demand",
        table(),
        {
            "KeySchema": HASH,
            "AttributeDefinitions": PK,
            "BillingModeSummary": including(BillingMode="PAY_PER_REQUEST"),
            "ProvisionedThroughput": including(ReadCapacityUnits=0, WriteCapacityUnits=0),
        },
    ),
    makes(
        "provisioned",
        table(BillingMode="PROVISIONED", ProvisionedThroughput=UNITS),
        {"ProvisionedThroughput": including(NumberOfDecreasesToday=0, **UNITS)},
    ),
    makes(
        "provisioned_by_default",
        table(BillingMode=None, ProvisionedThroughput=UNITS),
        {"ProvisionedThroughput": including(NumberOfDecreasesToday=0, **UNITS)},
    ),
    makes(
        "with_sort_key",
        table(BOTH, definitions(pk="N", sk="B")),
        {
            "KeySchema": BOTH,
            "AttributeDefinitions": any_order(*definitions(pk="N", sk="B")),
        },
    ),
    makes(
        "with_global_index",
        table(BOTH, PK_SK_G, GlobalSecondaryIndexes=[global_index()]),
        {
            "GlobalSecondaryIndexes": [
                including(
                    IndexName="by_g",
                    KeySchema=keys("g"),
                    Projection={"ProjectionType": "ALL"},
                    IndexStatus="ACTIVE",
                    ItemCount=0,
                    IndexSizeBytes=0,
                    IndexArn=ANYTHING,
                )
            ]
        },
    ),
    makes(
        "with_global_index_including",
        table(
            BOTH,
            PK_SK_G,
            GlobalSecondaryIndexes=[index("by_g", keys("g", "sk"), "INCLUDE", "a", "b")],
        ),
        {
            "GlobalSecondaryIndexes": [
                including(
                    KeySchema=keys("g", "sk"),
                    Projection={
                        "ProjectionType": "INCLUDE",
                        "NonKeyAttributes": any_order("a", "b"),
                    },
                )
            ]
        },
    ),
    makes(
        "with_local_index",
        table(BOTH, PK_SK_G, LocalSecondaryIndexes=[index("by_g", keys("pk", "g"), "KEYS_ONLY")]),
        {
            "LocalSecondaryIndexes": [
                including(
                    IndexName="by_g",
                    KeySchema=keys("pk", "g"),
                    Projection={"ProjectionType": "KEYS_ONLY"},
                    ItemCount=0,
                    IndexSizeBytes=0,
                    IndexArn=ANYTHING,
                )
            ]
        },
    ),
    makes(
        "provisioned_with_global_index",
        table(
            BOTH,
            PK_SK_G,
            BillingMode=None,
            ProvisionedThroughput=UNITS,
            GlobalSecondaryIndexes=[global_index(ProvisionedThroughput=UNITS)],
        ),
        {"GlobalSecondaryIndexes": [including(ProvisionedThroughput=including(**UNITS))]},
    ),
    makes(
        "without_deletion_protection",
        table(),
        {"DeletionProtectionEnabled": False},
    ),
    makes(
        "five_local_indexes",
        table(
            BOTH,
            PK_SK_G,
            LocalSecondaryIndexes=[local_index(name=f"local{n}") for n in range(5)],
        ),
        {},
    ),
    makes(
        "twenty_global_indexes",
        table(
            BOTH,
            PK_SK_G,
            GlobalSecondaryIndexes=[global_index(name=f"global{n}") for n in range(20)],
        ),
        {},
    ),
    case(
        "already_there",
        ("CreateTable", table(), error("ResourceInUseException")),
        given=[("CreateTable", table())],
    ),
    case(
        "already_there_with_other_keys",
        ("CreateTable", table(BOTH, PK_SK), error("ResourceInUseException")),
        given=[("CreateTable", table())],
    ),
    # Names
    case("no_name", ("CreateTable", table(TableName=None), INVALID)),
    case("name_too_short", ("CreateTable", table(TableName="xy"), INVALID)),
    case("name_too_long", ("CreateTable", table(TableName="y" * 256), INVALID)),
    case("name_with_a_space", ("CreateTable", table(TableName="c d e"), INVALID)),
    case("name_with_a_slash", ("CreateTable", table(TableName="c/d/e"), INVALID)),
    case("name_empty", ("CreateTable", table(TableName=""), INVALID)),
    case("name_a_number", ("CreateTable", table(TableName=456), NOT_SERIALIZED)),
    # Keys
    refuses("no_key_schema", schema=None),
    refuses("empty_key_schema", schema=[]),
    refuses(
        "three_keys", schema=[*BOTH, {"AttributeName": "g", "KeyType": "RANGE"}], types=PK_SK_G
    ),
    refuses("only_a_sort_key", schema=[{"AttributeName": "pk", "KeyType": "RANGE"}]),
    refuses("sort_key_first", schema=list(reversed(BOTH)), types=PK_SK),
    refuses(
        "two_partition_keys",
        schema=[*HASH, {"AttributeName": "sk", "KeyType": "HASH"}],
        types=PK_SK,
    ),
    refuses("same_attribute_twice", schema=keys("pk", "pk")),
    refuses("unknown_key_type", schema=[{"AttributeName": "pk", "KeyType": "PRIMARY"}]),
    refuses("key_without_name", schema=[{"KeyType": "HASH"}]),
    refuses(
        "key_name_empty", schema=keys(""), types=definitions(**{"": "S"}), source="botocore model"
    ),
    refuses(
        "key_name_too_long",
        schema=keys("k" * 256),
        types=definitions(**{"k" * 256: "S"}),
        source="botocore model",
    ),
    # Attribute definitions
    refuses("no_definitions", types=None),
    refuses("empty_definitions", types=[]),
    refuses("definition_missing", types=definitions(x="S")),
    refuses("definition_unused", types=PK_SK),
    refuses("definition_twice", types=[*PK, *PK], source="service"),
    refuses("definition_twice_with_other_type", types=[*PK, *definitions(pk="N")]),
    refuses("definition_of_a_set", types=definitions(pk="SS")),
    refuses("definition_of_boolean", types=definitions(pk="BOOL")),
    refuses("definition_without_type", types=[{"AttributeName": "pk"}]),
    # Capacity
    refuses("no_capacity", BillingMode=None),
    refuses("provisioned_without_capacity", BillingMode="PROVISIONED"),
    refuses("on_demand_with_capacity", ProvisionedThroughput=UNITS),
    refuses("unknown_billing_mode", BillingMode="FREE"),
    refuses(
        "capacity_zero",
        BillingMode=None,
        ProvisionedThroughput={"ReadCapacityUnits": 0, "WriteCapacityUnits": 1},
    ),
    refuses(
        "capacity_without_writes", BillingMode=None, ProvisionedThroughput={"ReadCapacityUnits": 1}
    ),
    refuses(
        "capacity_as_text",
        NOT_SERIALIZED,
        BillingMode=None,
        ProvisionedThroughput={"ReadCapacityUnits": "one", "WriteCapacityUnits": 1},
    ),
    # Global indexes
    with_global("global_indexes_empty", types=PK_SK),
    with_global("global_definition_missing", global_index(), types=PK_SK),
    with_global("global_name_twice", global_index(), global_index(keys("g", "sk"))),
    with_global("global_name_too_short", global_index(name="ab")),
    with_global("global_name_bad", global_index(name="by g")),
    with_global("global_without_name", without(global_index(), "IndexName")),
    with_global("global_without_keys", without(global_index(), "KeySchema")),
    with_global("global_without_projection", without(global_index(), "Projection")),
    with_global("global_empty_projection", global_index(Projection={})),
    with_global("global_unknown_projection", global_index(Projection={"ProjectionType": "SOME"})),
    with_global("global_include_nothing", global_index(Projection={"ProjectionType": "INCLUDE"})),
    with_global(
        "global_all_with_included",
        global_index(Projection={"ProjectionType": "ALL", "NonKeyAttributes": ["a"]}),
    ),
    with_global(
        "global_keys_with_included",
        global_index(Projection={"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["a"]}),
    ),
    with_global(
        "global_include_empty",
        global_index(Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": []}),
    ),
    with_global(
        "global_include_too_many",
        global_index(
            Projection={
                "ProjectionType": "INCLUDE",
                "NonKeyAttributes": [f"a{n}" for n in range(21)],
            }
        ),
        source="botocore model",
    ),
    with_global("global_sort_key_first", global_index(list(reversed(keys("g", "sk"))))),
    with_global("global_same_attribute_twice", global_index(keys("g", "g"))),
    with_global("global_on_demand_with_capacity", global_index(ProvisionedThroughput=UNITS)),
    refuses(
        "global_provisioned_without_capacity",
        schema=BOTH,
        types=PK_SK_G,
        BillingMode=None,
        ProvisionedThroughput=UNITS,
        GlobalSecondaryIndexes=[global_index()],
        source="API_GlobalSecondaryIndex",
    ),
    refuses(
        "global_too_many",
        schema=BOTH,
        types=PK_SK_G,
        GlobalSecondaryIndexes=[global_index(name=f"global{n}") for n in range(21)],
        source="service",
    ),
    # Local indexes
    with_local("local_indexes_empty", types=PK_SK),
    with_local("local_without_sort_key", local_index(keys("pk")), types=PK_SK),
    with_local("local_of_another_partition_key", local_index(keys("g", "sk"))),
    with_local("local_definition_missing", local_index(), types=PK_SK),
    with_local("local_name_twice", local_index(), local_index()),
    with_local("local_without_projection", without(local_index(), "Projection")),
    with_local("local_too_many", *(local_index(name=f"local{n}") for n in range(6))),
    refuses(
        "local_on_a_table_without_sort_key",
        types=definitions(pk="S", g="S"),
        LocalSecondaryIndexes=[local_index()],
    ),
    refuses(
        "local_and_global_of_one_name",
        schema=BOTH,
        types=PK_SK_G,
        GlobalSecondaryIndexes=[global_index()],
        LocalSecondaryIndexes=[local_index()],
    ),
]


def test_create_table(tables: Tables, case: Case) -> None:
    """CreateTable makes the table DynamoDB would make, or refuses."""
    check(tables, case)
