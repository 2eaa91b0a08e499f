"""CreateTable: every rule about keys, indexes and billing is checked before anything is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..errors import LimitExceededException, ResourceInUseException, ValidationException
from ..limits import (
    GLOBAL_INDEXES_MAX,
    INDEX_KEY_ATTRIBUTES_MAX,
    LOCAL_INDEXES_MAX,
    PROJECTED_NAMES_MAX,
    TABLES_MAX,
)
from ..storage.catalog import add_table
from ..storage.store import Connection, Job
from ..tables import Definition, KeySchema, table_name
from .describe_table import describe

if TYPE_CHECKING:
    from ..engine import Engine

Request = dict[str, Any]

# Members kept as they were given.
_KEPT = (
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "DeletionProtectionEnabled",
    "TableClass",
    "Tags",
    "SSESpecification",
)


def prepare(engine: Engine, request: Request) -> Job:
    """Check the definition; the job makes the table."""
    _check_billing(request)
    _check_keys(request)
    _check_attributes(request)
    _check_local_indexes(request)
    _check_global_indexes(request)
    _check_projections(request)
    _check_streams(request)
    name = table_name(request["TableName"])
    if name in engine.catalog.tables.by_name:
        raise ResourceInUseException(f"Table already exists: {name}")
    if len(engine.catalog.tables.by_name) >= TABLES_MAX:
        raise LimitExceededException(
            f"Subscriber limit exceeded: There is a limit of {TABLES_MAX} tables"
        )
    definition = _define(engine, request)

    def create(connection: Connection) -> dict[str, Any]:
        table = add_table(connection, name, definition)
        # It can be used at once, but DynamoDB's answer says that it is being made.
        return {"TableDescription": describe(engine, connection, table, status="CREATING")}

    return create


def _define(engine: Engine, request: Request) -> Definition:
    definition: Definition = {
        name: request[name] for name in _KEPT if request.get(name) is not None
    }
    definition["CreationDateTime"] = engine.clock()
    definition["TableId"] = str(uuid4())
    number = 0
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        indexes = []
        for index in request.get(member) or ():
            number += 1
            indexes.append(index | {"Number": number})
        if indexes:
            definition[member] = indexes
    return definition


def _check_billing(request: Request) -> None:
    throughput = request.get("ProvisionedThroughput")
    if request.get("BillingMode", "PROVISIONED") == "PAY_PER_REQUEST":
        if throughput is not None:
            raise _invalid(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                "BillingMode is PAY_PER_REQUEST"
            )
    elif throughput is None:
        raise _invalid(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode "
            "is PROVISIONED"
        )
    for index in request.get("GlobalSecondaryIndexes") or ():
        own = index.get("ProvisionedThroughput")
        if throughput is None and own is not None:
            raise _invalid(
                "ProvisionedThroughput should not be specified for index: "
                f"{index['IndexName']} when BillingMode is PAY_PER_REQUEST"
            )
        if throughput is not None and own is None:
            raise _invalid(
                f"ProvisionedThroughput must be specified for index: {index['IndexName']}"
            )


def _check_keys(request: Request) -> None:
    _check_key_schema(request["KeySchema"], attributes_max=1)
    for index in request.get("LocalSecondaryIndexes") or ():
        _check_key_schema(index["KeySchema"], attributes_max=1)
    for index in request.get("GlobalSecondaryIndexes") or ():
        _check_key_schema(index["KeySchema"], attributes_max=INDEX_KEY_ATTRIBUTES_MAX)


def _check_key_schema(elements: list[dict[str, str]], *, attributes_max: int) -> None:
    """HASH attributes first, then RANGE attributes, each name once."""
    kinds = [element["KeyType"] for element in elements]
    names = [element["AttributeName"] for element in elements]
    if kinds[0] != "HASH":
        raise ValidationException(
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
        )
    if attributes_max == 1 and len(kinds) > 1 and kinds[1] != "RANGE":
        raise ValidationException(
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
        )
    if kinds != sorted(kinds):
        raise ValidationException("Invalid KeySchema: HASH elements must come before RANGE ones")
    if max(kinds.count("HASH"), kinds.count("RANGE")) > attributes_max:
        raise ValidationException(
            f"Invalid KeySchema: A key has at most {attributes_max} attributes of one kind"
        )
    if len(set(names)) != len(names):
        raise ValidationException(
            "Both the Hash Key and the Range Key element in the KeySchema have the same name"
        )


def _check_attributes(request: Request) -> None:
    """Every key attribute is defined once, and nothing else is."""
    defined = [element["AttributeName"] for element in request["AttributeDefinitions"]]
    if len(set(defined)) != len(defined):
        raise _invalid("Cannot have two attributes with the same name")
    schemas = [request["KeySchema"]]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        schemas += [index["KeySchema"] for index in request.get(member) or ()]
    used: list[str] = []
    for schema in schemas:
        names = [element["AttributeName"] for element in schema]
        if not set(names) <= set(defined):
            raise _invalid(
                "Some index key attributes are not defined in AttributeDefinitions. "
                f"Keys: [{', '.join(names)}], AttributeDefinitions: [{', '.join(defined)}]"
            )
        used += [name for name in names if name not in used]
    if len(used) != len(defined):
        if len(schemas) == 1:
            raise _invalid(
                "Number of attributes in KeySchema does not exactly match number of attributes "
                "defined in AttributeDefinitions"
            )
        raise _invalid(
            "Some AttributeDefinitions are not used. "
            f"AttributeDefinitions: [{', '.join(defined)}], keys used: [{', '.join(used)}]"
        )


def _check_local_indexes(request: Request) -> None:
    indexes = request.get("LocalSecondaryIndexes")
    if indexes is None:
        return
    if not indexes:
        raise _invalid("List of LocalSecondaryIndexes is empty")
    table_keys = KeySchema.read(request["KeySchema"])
    if not table_keys.sort:
        raise _invalid(
            "Table KeySchema does not have a range key, which is required when specifying a "
            "LocalSecondaryIndex"
        )
    if len(indexes) > LOCAL_INDEXES_MAX:
        raise _invalid(
            f"Number of LocalSecondaryIndexes exceeds per-table limit of {LOCAL_INDEXES_MAX}"
        )
    for index in indexes:
        keys = KeySchema.read(index["KeySchema"])
        if not keys.sort:
            raise _invalid(
                f"Index KeySchema does not have a range key for index: {index['IndexName']}"
            )
        if keys.partition != table_keys.partition:
            raise _invalid(
                "Index KeySchema does not have the same leading hash key as table KeySchema for "
                f"index: {index['IndexName']}. index hash key: {keys.partition[0]}, "
                f"table hash key: {table_keys.partition[0]}"
            )
    _refuse_repeated_names(indexes, [])


def _check_global_indexes(request: Request) -> None:
    indexes = request.get("GlobalSecondaryIndexes")
    if indexes is None:
        return
    if not indexes:
        raise _invalid("List of GlobalSecondaryIndexes is empty")
    if len(indexes) > GLOBAL_INDEXES_MAX:
        raise _invalid(
            f"GlobalSecondaryIndex count exceeds the per-table limit of {GLOBAL_INDEXES_MAX}"
        )
    _refuse_repeated_names(indexes, request.get("LocalSecondaryIndexes") or [])


def _refuse_repeated_names(indexes: list[Request], others: list[Request]) -> None:
    seen = {index["IndexName"] for index in others}
    for index in indexes:
        if index["IndexName"] in seen:
            raise _invalid(f"Duplicate index name: {index['IndexName']}")
        seen.add(index["IndexName"])


def _check_projections(request: Request) -> None:
    total = 0
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for index in request.get(member) or ():
            projection = index["Projection"]
            kind, names = projection.get("ProjectionType"), projection.get("NonKeyAttributes")
            if kind is None:
                raise _invalid("Unknown ProjectionType: null")
            if kind == "INCLUDE" and not names:
                raise _invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
            if kind != "INCLUDE" and names is not None:
                raise _invalid(f"ProjectionType is {kind}, but NonKeyAttributes is specified")
            total += len(names or ())
    if total > PROJECTED_NAMES_MAX:
        raise _invalid(
            "Number of NonKeyAttributes across all indexes exceeds the limit of "
            f"{PROJECTED_NAMES_MAX}"
        )


def _check_streams(request: Request) -> None:
    """A table whose stream never gets a record would deceive its readers."""
    if (request.get("StreamSpecification") or {}).get("StreamEnabled"):
        raise ValidationException("keypact has no streams; leave StreamSpecification out")


def _invalid(what: str) -> ValidationException:
    return ValidationException(f"One or more parameter values were invalid: {what}")
