"""The same requests on every engine, with the answers DynamoDB gives written beside them."""
