// A table's life through the AWS SDK for JavaScript.
// Usage: node scenario.mjs URL FOLDER, where FOLDER is any package beside the SDK's.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [url, beside] = process.argv.slice(2);
const require = createRequire(`${beside}/`);
const sdk = require("@aws-sdk/client-dynamodb");
const documents = require("@aws-sdk/lib-dynamodb");

const client = new sdk.DynamoDBClient({
  endpoint: url,
  region: "us-east-1",
  credentials: { accessKeyId: "any", secretAccessKey: "any" },
});
const values = documents.DynamoDBDocumentClient.from(client);
const TableName = "javascript";
const key = { customer: { S: "ann" }, placed: { N: "1" } };

await client.send(
  new sdk.CreateTableCommand({
    TableName,
    KeySchema: [
      { AttributeName: "customer", KeyType: "HASH" },
      { AttributeName: "placed", KeyType: "RANGE" },
    ],
    AttributeDefinitions: [
      { AttributeName: "customer", AttributeType: "S" },
      { AttributeName: "placed", AttributeType: "N" },
      { AttributeName: "state", AttributeType: "S" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "by_state",
        KeySchema: [
          { AttributeName: "state", KeyType: "HASH" },
          { AttributeName: "placed", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ],
    BillingMode: "PAY_PER_REQUEST",
  }),
);
await sdk.waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });
const described = await client.send(new sdk.DescribeTableCommand({ TableName }));
assert.ok(described.Table.CreationDateTime instanceof Date);

const first = { ...key, state: { S: "open" }, data: { B: new Uint8Array([0, 255]) } };
await client.send(new sdk.PutItemCommand({ TableName, Item: first }));
const got = await client.send(new sdk.GetItemCommand({ TableName, Key: key }));
assert.deepEqual(got.Item, first);

await assert.rejects(
  client.send(
    new sdk.PutItemCommand({
      TableName,
      Item: first,
      ConditionExpression: "attribute_not_exists(customer)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    }),
  ),
  (error) => {
    assert.ok(error instanceof sdk.ConditionalCheckFailedException);
    assert.deepEqual(error.Item, first);
    return true;
  },
);

const updated = await values.send(
  new documents.UpdateCommand({
    TableName,
    Key: { customer: "ann", placed: 1 },
    UpdateExpression: "SET parts = :parts ADD visits :one",
    ExpressionAttributeValues: { ":parts": [{ sku: "x" }, null, true], ":one": 1 },
    ReturnValues: "UPDATED_NEW",
  }),
);
assert.deepEqual(updated.Attributes, { parts: [{ sku: "x" }, null, true], visits: 1 });

const puts = Array.from({ length: 20 }, (_, n) => ({
  PutRequest: { Item: { customer: "bob", placed: n + 2, state: "open" } },
}));
const written = await values.send(
  new documents.BatchWriteCommand({ RequestItems: { [TableName]: puts } }),
);
assert.deepEqual(written.UnprocessedItems, {});

const found = [];
const pages = documents.paginateQuery(
  { client: values, pageSize: 6 },
  {
    TableName,
    IndexName: "by_state",
    KeyConditionExpression: "#s = :open",
    ExpressionAttributeNames: { "#s": "state" },
    ExpressionAttributeValues: { ":open": "open" },
  },
);
for await (const page of pages) {
  assert.ok(page.Items.length <= 6);
  found.push(...page.Items.map((item) => item.placed));
}
assert.deepEqual(
  found,
  Array.from({ length: 21 }, (_, n) => n + 1),
);

await assert.rejects(
  client.send(
    new sdk.TransactWriteItemsCommand({
      TransactItems: [
        { Delete: { TableName, Key: key } },
        {
          ConditionCheck: {
            TableName,
            Key: { customer: { S: "bob" }, placed: { N: "2" } },
            ConditionExpression: "attribute_not_exists(customer)",
          },
        },
      ],
    }),
  ),
  (error) => {
    assert.equal(error.name, "TransactionCanceledException");
    assert.deepEqual(
      error.CancellationReasons.map((reason) => reason.Code),
      ["None", "ConditionalCheckFailed"],
    );
    return true;
  },
);

await client.send(
  new sdk.UpdateTimeToLiveCommand({
    TableName,
    TimeToLiveSpecification: { Enabled: true, AttributeName: "ends" },
  }),
);
const expiry = await client.send(new sdk.DescribeTimeToLiveCommand({ TableName }));
assert.equal(expiry.TimeToLiveDescription.AttributeName, "ends");

await client.send(new sdk.DeleteItemCommand({ TableName, Key: key }));
const gone = await client.send(new sdk.GetItemCommand({ TableName, Key: key }));
assert.equal(gone.Item, undefined);
await client.send(new sdk.DeleteTableCommand({ TableName }));
await sdk.waitUntilTableNotExists({ client, maxWaitTime: 30 }, { TableName });
console.log("done");
