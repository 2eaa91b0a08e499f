"""boto3 unchanged: the client and the resource go through a table's whole life."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary
from botocore.exceptions import ClientError

DEFINITION: dict[str, Any] = {
    "KeySchema": [
        {"AttributeName": "customer", "KeyType": "HASH"},
        {"AttributeName": "placed", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "customer", "AttributeType": "S"},
        {"AttributeName": "placed", "AttributeType": "N"},
        {"AttributeName": "state", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_state",
            "KeySchema": [
                {"AttributeName": "state", "KeyType": "HASH"},
                {"AttributeName": "placed", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


NAME = "boto3-client"
KEY = {"customer": {"S": "ann"}, "placed": {"N": "1"}}


def test_the_client_goes_through_a_tables_life(url):
    """Create, put, condition, update, query, batch, transact, time to live, delete."""
    client = boto3.client("dynamodb", endpoint_url=url)
    make_table(client)
    write_one_item(client)
    write_many_and_page_through(client)
    see_a_transaction_cancelled(client)
    end_table(client)


def make_table(client: Any) -> None:
    client.create_table(TableName=NAME, **DEFINITION)
    client.get_waiter("table_exists").wait(TableName=NAME, WaiterConfig={"Delay": 1})
    described = client.describe_table(TableName=NAME)["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["GlobalSecondaryIndexes"][0]["IndexName"] == "by_state"


def write_one_item(client: Any) -> None:
    first = {**KEY, "state": {"S": "open"}, "data": {"B": b"\x00\xff"}}
    client.put_item(TableName=NAME, Item=first)
    got = client.get_item(TableName=NAME, Key=KEY, ConsistentRead=True)
    assert got["Item"] == first

    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as refused:
        client.put_item(
            TableName=NAME,
            Item=first,
            ConditionExpression="attribute_not_exists(customer)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert refused.value.response["Item"] == first

    updated = client.update_item(
        TableName=NAME,
        Key=KEY,
        UpdateExpression="SET amount = if_not_exists(amount, :zero) + :n REMOVE #d",
        ExpressionAttributeNames={"#d": "data"},
        ExpressionAttributeValues={":zero": {"N": "0"}, ":n": {"N": "12.5"}},
        ReturnValues="ALL_NEW",
        ReturnConsumedCapacity="TOTAL",
    )
    assert updated["Attributes"] == {**KEY, "state": {"S": "open"}, "amount": {"N": "12.5"}}
    assert updated["ConsumedCapacity"]["TableName"] == NAME


def write_many_and_page_through(client: Any) -> None:
    writes = [
        {
            "PutRequest": {
                "Item": {"customer": {"S": "bob"}, "placed": {"N": str(n)}, "state": {"S": "open"}}
            }
        }
        for n in range(2, 12)
    ]
    assert client.batch_write_item(RequestItems={NAME: writes})["UnprocessedItems"] == {}
    pages = client.get_paginator("query").paginate(
        TableName=NAME,
        IndexName="by_state",
        KeyConditionExpression="#s = :open",
        ExpressionAttributeNames={"#s": "state"},
        ExpressionAttributeValues={":open": {"S": "open"}},
        PaginationConfig={"PageSize": 3},
    )
    found = [[item["placed"]["N"] for item in page["Items"]] for page in pages]
    assert [len(page) for page in found if page] == [3, 3, 3, 2]
    assert [number for page in found for number in page] == [str(n) for n in range(1, 12)]


def see_a_transaction_cancelled(client: Any) -> None:
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(
            TransactItems=[
                {"Delete": {"TableName": NAME, "Key": KEY}},
                {
                    "ConditionCheck": {
                        "TableName": NAME,
                        "Key": {"customer": {"S": "bob"}, "placed": {"N": "2"}},
                        "ConditionExpression": "attribute_not_exists(customer)",
                    }
                },
            ]
        )
    reasons = cancelled.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed"]
    assert client.transact_get_items(TransactItems=[{"Get": {"TableName": NAME, "Key": KEY}}])[
        "Responses"
    ][0]["Item"]["amount"] == {"N": "12.5"}


def end_table(client: Any) -> None:
    client.update_time_to_live(
        TableName=NAME, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"}
    )
    described = client.describe_time_to_live(TableName=NAME)["TimeToLiveDescription"]
    assert described["AttributeName"] == "ends"

    client.delete_item(TableName=NAME, Key=KEY)
    assert "Item" not in client.get_item(TableName=NAME, Key=KEY)
    client.delete_table(TableName=NAME)
    client.get_waiter("table_not_exists").wait(TableName=NAME, WaiterConfig={"Delay": 1})
    assert NAME not in client.list_tables()["TableNames"]


def test_the_resource_goes_through_a_tables_life(url):
    """The same with Python values, condition objects and the batch writer."""
    resource = boto3.resource("dynamodb", endpoint_url=url)
    table = resource.create_table(TableName="boto3-resource", **DEFINITION)
    table.wait_until_exists()
    item = {
        "customer": "ann",
        "placed": Decimal(1),
        "state": "open",
        "tags": {"a", "b"},
        "parts": [{"sku": "x", "price": Decimal("9.99")}, None, True],
        "blob": Binary(b"\x00\x01"),
    }
    table.put_item(Item=item)
    key = {"customer": "ann", "placed": 1}
    assert table.get_item(Key=key)["Item"] == item

    with pytest.raises(ClientError, match="ConditionalCheckFailedException"):
        table.put_item(Item=item, ConditionExpression=Attr("customer").not_exists())

    updated = table.update_item(
        Key=key,
        UpdateExpression="SET parts[0].price = :p ADD visits :one DELETE tags :gone",
        ExpressionAttributeValues={":p": Decimal("1.50"), ":one": 1, ":gone": {"a"}},
        ReturnValues="UPDATED_NEW",
    )
    assert updated["Attributes"]["visits"] == 1
    assert updated["Attributes"]["tags"] == {"b"}

    with table.batch_writer(overwrite_by_pkeys=["customer", "placed"]) as batch:
        for number in range(2, 40):
            batch.put_item({"customer": "bob", "placed": number, "state": "open"})
        batch.delete_item({"customer": "bob", "placed": 39})

    found: list[int] = []
    arguments: dict[str, Any] = {}
    while True:
        page = table.query(
            IndexName="by_state",
            KeyConditionExpression=Key("state").eq("open") & Key("placed").between(2, 100),
            FilterExpression=Attr("customer").eq("bob"),
            ScanIndexForward=False,
            Limit=10,
            **arguments,
        )
        found += [int(item["placed"]) for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            break
        arguments["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    assert found == list(range(38, 1, -1))
    assert table.scan(Select="COUNT")["Count"] == 38

    got = resource.batch_get_item(RequestItems={table.name: {"Keys": [key]}})
    assert got["Responses"][table.name][0]["visits"] == 1
    assert table.delete_item(Key=key, ReturnValues="ALL_OLD")["Attributes"]["visits"] == 1
    table.delete()
    table.wait_until_not_exists()
