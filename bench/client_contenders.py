"""The clients that are compared, each doing the same three things its own way.

A contender is made in a process of its own, which imports nothing of the others.
`get`, `put` and `query` are one operation each, plain or awaited; `seen` takes what `get`
or an item of `query` gave to a few of its values.
"""

from __future__ import annotations

from typing import Any

from bench.client_item import KEY, PK, QUERY_ITEMS, SK, TABLE, VALUES, typed_item, typed_key

REGION = "us-east-1"


class Boto3:
    """boto3's client, with DynamoDB JSON as it takes and gives it."""

    def __init__(self, endpoint: str) -> None:
        import boto3

        self.client = boto3.client("dynamodb", region_name=REGION, endpoint_url=endpoint)
        self._key, self._item = typed_key(), typed_item()
        # The client takes and gives bytes where the wire has base64.
        self._item["token"] = {"B": VALUES["token"]}
        self._values = {":pk": {"S": PK}}

    def get(self) -> Any:
        return self.client.get_item(TableName=TABLE, Key=self._key)["Item"]

    def put(self) -> Any:
        return self.client.put_item(TableName=TABLE, Item=self._item)

    def query(self) -> Any:
        return self.client.query(
            TableName=TABLE,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues=self._values,
            Limit=QUERY_ITEMS,
        )["Items"]

    def seen(self, item: Any) -> list[Any]:
        return [item["note"]["S"], int(item["quantity"]["N"]), item["token"]["B"]]

    def codec(self) -> tuple[Any, Any]:
        """From Python values to the body of a PutItem, and from a GetItem's answer back.

        All that a boto3 program does on the way but for sending: values are typed, checked
        and written by the client's own serializer; answers are read by its own parser.
        """
        from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

        from bench.client_endpoint import get_body

        serializer, parser = self.client._serializer, self.client._response_parser
        put = self.client.meta.service_model.operation_model("PutItem")
        shape = self.client.meta.service_model.operation_model("GetItem").output_shape
        serialize, deserialize = TypeSerializer().serialize, TypeDeserializer().deserialize
        answer = {"status_code": 200, "headers": {}, "body": get_body()}

        def encode() -> Any:
            item = {name: serialize(value) for name, value in VALUES.items()}
            return serializer.serialize_to_request({"TableName": TABLE, "Item": item}, put)["body"]

        def decode() -> Any:
            item = parser.parse(answer, shape)["Item"]
            return {name: deserialize(value) for name, value in item.items()}

        return encode, decode


class Boto3OnDynoxide(Boto3):
    """The same against a real engine, which has the item."""

    page_items = 1

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint)
        self.client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in KEY],
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
        )
        self.put()


class PynamoDB:
    """A model of PynamoDB's."""

    def __init__(self, endpoint: str) -> None:
        from pynamodb import attributes as a
        from pynamodb.models import Model

        class Address(a.MapAttribute):
            street = a.UnicodeAttribute()
            city = a.UnicodeAttribute()
            zip = a.UnicodeAttribute()

        class Order(Model):
            class Meta:
                table_name = TABLE
                region = REGION
                host = endpoint

            pk = a.UnicodeAttribute(hash_key=True)
            sk = a.UnicodeAttribute(range_key=True)
            name = a.UnicodeAttribute()
            email = a.UnicodeAttribute()
            status = a.UnicodeAttribute()
            country = a.UnicodeAttribute()
            currency = a.UnicodeAttribute()
            channel = a.UnicodeAttribute()
            note = a.UnicodeAttribute()
            quantity = a.NumberAttribute()
            version = a.NumberAttribute()
            placed = a.NumberAttribute()
            total = a.NumberAttribute()
            weight = a.NumberAttribute()
            paid = a.BooleanAttribute()
            gift = a.BooleanAttribute()
            tags = a.UnicodeSetAttribute()
            ratings = a.ListAttribute(of=a.NumberAttribute)
            address = Address()
            token = a.BinaryAttribute(legacy_encoding=False)

        self._order = Order
        values = {**VALUES, "total": 129.95, "weight": 4.25}
        self._item = Order(**{**values, "address": Address(**VALUES["address"])})

    def get(self) -> Any:
        return self._order.get(PK, SK)

    def put(self) -> Any:
        return self._item.save()

    def query(self) -> Any:
        return list(self._order.query(PK, limit=QUERY_ITEMS))

    def seen(self, item: Any) -> list[Any]:
        return [item.note, item.quantity, item.token]


class Aiodynamo:
    """aiodynamo on aiohttp, awaited."""

    def __init__(self, endpoint: str) -> None:
        import aiohttp
        from aiodynamo.client import Client  # type: ignore[import-not-found,unused-ignore]
        from aiodynamo.credentials import Key, StaticCredentials  # type: ignore[import-not-found,unused-ignore]
        from aiodynamo.expressions import HashKey  # type: ignore[import-not-found,unused-ignore]
        from aiodynamo.http.aiohttp import AIOHTTP  # type: ignore[import-not-found,unused-ignore]
        from yarl import URL

        self._session = aiohttp.ClientSession()
        credentials = StaticCredentials(Key("AKIAIOSFODNN7EXAMPLE", "secret"))
        self._client = Client(AIOHTTP(self._session), credentials, REGION, URL(endpoint))
        self._hash_key = HashKey

    async def get(self) -> Any:
        return await self._client.get_item(TABLE, KEY)

    async def put(self) -> Any:
        return await self._client.put_item(TABLE, VALUES)

    async def query(self) -> Any:
        found = self._client.query(TABLE, self._hash_key("pk", PK), limit=QUERY_ITEMS)
        return [item async for item in found]

    def seen(self, item: Any) -> list[Any]:
        return [item["note"], item["quantity"], item["token"]]

    async def close(self) -> None:
        await self._session.close()


class Pydynox:
    """pydynox's client, whose core is Rust."""

    def __init__(self, endpoint: str) -> None:
        from pydynox import DynamoDBClient  # type: ignore[import-not-found,unused-ignore]

        self._client = DynamoDBClient(
            region=REGION,
            access_key="AKIAIOSFODNN7EXAMPLE",
            secret_key="secret",
            endpoint_url=endpoint,
        )
        # It takes no Decimal.
        self._item = {**VALUES, "total": 129.95, "weight": 4.25}

    def get(self) -> Any:
        return self._client.sync_get_item(TABLE, KEY)

    def put(self) -> Any:
        return self._client.sync_put_item(TABLE, self._item)

    def query(self) -> Any:
        return list(self._client.sync_query(TABLE, "pk = :pk", **self._options()))

    def _options(self) -> dict[str, Any]:
        return {"expression_attribute_values": {":pk": PK}, "limit": QUERY_ITEMS}

    def seen(self, item: Any) -> list[Any]:
        return [item["note"], item["quantity"], bytes(item["token"])]


class PydynoxAwaited(Pydynox):
    """The same, awaited."""

    async def get(self) -> Any:
        return await self._client.get_item(TABLE, KEY)

    async def put(self) -> Any:
        return await self._client.put_item(TABLE, self._item)

    async def query(self) -> Any:
        return [item async for item in self._client.query(TABLE, "pk = :pk", **self._options())]


class KeypactDicts:
    """A table of a DMS document, with dicts."""

    def __init__(self, endpoint: str) -> None:
        import keypact
        from bench.client_item import DOCUMENT

        model = keypact.load_schema(text=DOCUMENT).model("Order")
        self.table: Any = keypact.Table(model, keypact.connect(endpoint))
        self.item: Any = VALUES

    def get(self) -> Any:
        return self.table.get((PK, SK))

    def put(self) -> Any:
        return self.table.create(self.item)

    def query(self) -> Any:
        return self.table.query(PK, limit=QUERY_ITEMS).items

    def seen(self, item: Any) -> list[Any]:
        return [item["note"], item["quantity"], item["token"]]

    def codec(self) -> tuple[Any, Any]:
        """From an item to the body of a PutItem, and from a GetItem's answer back."""
        import msgspec

        from bench.client_endpoint import get_body

        codec, item, answer = self.table.codec, self.item, get_body()
        to_json = msgspec.json.Encoder().encode

        def encode() -> Any:
            return to_json({"TableName": TABLE, "Item": codec.encode(item)})

        def decode() -> Any:
            return codec.read_get(answer)

        return encode, decode


class KeypactTyped(KeypactDicts):
    """A table of a declared class."""

    def __init__(self, endpoint: str) -> None:
        import keypact
        from bench.client_order import Order, order

        self.table = keypact.Table(Order, keypact.connect(endpoint))
        self.item = order()

    def seen(self, item: Any) -> list[Any]:
        return [item.note, item.quantity, item.token]


class KeypactEmbedded(KeypactTyped):
    """The same on the engine in the process, which has the item."""

    page_items = 1

    def __init__(self, endpoint: str) -> None:
        super().__init__("memory:")
        self.table.ensure()
        self.put()


class KeypactAwaited(KeypactTyped):
    """A table of a declared class, awaited."""

    def __init__(self, endpoint: str) -> None:
        import keypact
        from bench.client_order import Order, order

        self.table = keypact.AsyncTable(Order, keypact.connect(endpoint))
        self.item = order()

    async def get(self) -> Any:
        return await self.table.get((PK, SK))

    async def put(self) -> Any:
        return await self.table.create(self.item)

    async def query(self) -> Any:
        return (await self.table.query(PK, limit=QUERY_ITEMS)).items

    async def close(self) -> None:
        await self.table.backend.aclose()


CONTENDERS: dict[str, type[Any]] = {
    "boto3": Boto3,
    "boto3 on dynoxide": Boto3OnDynoxide,
    "PynamoDB": PynamoDB,
    "pydynox": Pydynox,
    "keypact, dicts": KeypactDicts,
    "keypact, typed": KeypactTyped,
    "keypact, in process": KeypactEmbedded,
    "aiodynamo, 32 at once": Aiodynamo,
    "pydynox, 32 at once": PydynoxAwaited,
    "keypact, 32 at once": KeypactAwaited,
}
