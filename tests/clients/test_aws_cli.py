"""The AWS CLI unchanged."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from .installed import WITNESSES, require

Call = Callable[..., Any]
TABLE = ("--table-name", "aws-cli")
KEY = {"customer": {"S": "ann"}, "placed": {"N": "1"}}


@pytest.fixture
def aws(url: str) -> Call:
    """Run `aws dynamodb …`: its answer, or its error's text where one is expected."""
    program = require(WITNESSES / "awscli/bin/aws", "the AWS CLI")

    def call(operation: str, *arguments: str, fails: bool = False, **options: Any) -> Any:
        words = list(arguments)
        for name, value in options.items():
            words += [f"--{name.replace('_', '-')}", json.dumps(value)]
        done = subprocess.run(
            [program, "dynamodb", operation, "--endpoint-url", url, "--output", "json", *words],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "AWS_PAGER": ""},
        )
        if fails:
            assert done.returncode != 0, done.stdout
            return done.stderr
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else {}

    return call


def test_the_command_line_goes_through_a_tables_life(aws: Call) -> None:
    """Create, put, condition, update, query, batch, transact, time to live, delete."""
    make_table(aws)
    write_one_item(aws)
    write_many_and_page_through(aws)
    see_a_transaction_cancelled(aws)
    end_table(aws)


def make_table(aws: Call) -> None:
    aws(
        "create-table",
        *TABLE,
        "--attribute-definitions",
        "AttributeName=customer,AttributeType=S",
        "AttributeName=placed,AttributeType=N",
        "AttributeName=state,AttributeType=S",
        "--key-schema",
        "AttributeName=customer,KeyType=HASH",
        "AttributeName=placed,KeyType=RANGE",
        "--global-secondary-indexes",
        "IndexName=by_state,KeySchema=[{AttributeName=state,KeyType=HASH}],"
        "Projection={ProjectionType=ALL}",
        "--billing-mode",
        "PAY_PER_REQUEST",
    )
    aws("wait", "table-exists", *TABLE)


def write_one_item(aws: Call) -> None:
    first = {**KEY, "state": {"S": "open"}}
    aws("put-item", *TABLE, item=first)
    assert aws("get-item", *TABLE, key=KEY)["Item"] == first
    refused = aws(
        "put-item",
        *TABLE,
        "--condition-expression",
        "attribute_not_exists(customer)",
        item=first,
        fails=True,
    )
    assert "ConditionalCheckFailedException" in refused
    updated = aws(
        "update-item",
        *TABLE,
        "--update-expression",
        "ADD visits :n",
        "--return-values",
        "UPDATED_NEW",
        key=KEY,
        expression_attribute_values={":n": {"N": "2"}},
    )
    assert updated["Attributes"] == {"visits": {"N": "2"}}


def write_many_and_page_through(aws: Call) -> None:
    bob = {"customer": {"S": "bob"}, "state": {"S": "open"}}
    puts = [{"PutRequest": {"Item": {**bob, "placed": {"N": str(n)}}}} for n in range(2, 9)]
    assert aws("batch-write-item", request_items={"aws-cli": puts})["UnprocessedItems"] == {}
    found = aws(
        "query",
        *TABLE,
        "--index-name",
        "by_state",
        "--page-size",
        "3",
        "--key-condition-expression",
        "#s = :open",
        expression_attribute_names={"#s": "state"},
        expression_attribute_values={":open": {"S": "open"}},
    )
    assert {item["placed"]["N"] for item in found["Items"]} == {str(n) for n in range(1, 9)}


def see_a_transaction_cancelled(aws: Call) -> None:
    cancelled = aws(
        "transact-write-items",
        transact_items=[
            {"Delete": {"TableName": "aws-cli", "Key": KEY}},
            {
                "ConditionCheck": {
                    "TableName": "aws-cli",
                    "Key": {"customer": {"S": "bob"}, "placed": {"N": "2"}},
                    "ConditionExpression": "attribute_not_exists(customer)",
                }
            },
        ],
        fails=True,
    )
    assert "TransactionCanceledException" in cancelled
    assert "[None, ConditionalCheckFailed]" in cancelled


def end_table(aws: Call) -> None:
    aws(
        "update-time-to-live",
        *TABLE,
        "--time-to-live-specification",
        "Enabled=true,AttributeName=ends",
    )
    aws("delete-item", *TABLE, key=KEY)
    assert aws("get-item", *TABLE, key=KEY) == {}
    aws("delete-table", *TABLE)
    assert "aws-cli" not in aws("list-tables")["TableNames"]
