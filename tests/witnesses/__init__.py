"""Independent engines that speak DynamoDB's protocol, started for tests that compare with them."""
