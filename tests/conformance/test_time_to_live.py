"""UpdateTimeToLive and DescribeTimeToLive."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    INVALID,
    NOT_FOUND,
    NOT_SERIALIZED,
    Case,
    Json,
    N,
    S,
    Source,
    at,
    on,
    puts,
)
from tests.conformance.check import Tables, check
from tests.conformance.shapes import definitions, keys

case = Source("time_to_live", "API_UpdateTimeToLive")

CREATE = (
    "CreateTable",
    {
        "TableName": "@new",
        "KeySchema": keys("pk"),
        "AttributeDefinitions": definitions(pk="S"),
        "BillingMode": "PAY_PER_REQUEST",
    },
)


def switch(enabled: Any, attribute: Any = "expires", table: str = "@new") -> Json:
    return on(table, TimeToLiveSpecification={"Enabled": enabled, "AttributeName": attribute})


ON = ("UpdateTimeToLive", switch(enabled=True))

CASES = [
    case(
        "never_switched",
        (
            "DescribeTimeToLive",
            on("@simple"),
            {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}},
        ),
    ),
    case(
        "switched_on",
        (
            *ON,
            {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}},
        ),
        (
            "DescribeTimeToLive",
            on("@new"),
            {
                "TimeToLiveDescription": {
                    "TimeToLiveStatus": "ENABLED",
                    "AttributeName": "expires",
                }
            },
        ),
        given=[CREATE],
        source="majority",
    ),
    case("switched_on_twice", (*ON, INVALID), given=[CREATE, ON]),
    case(
        "switched_on_for_another_attribute",
        ("UpdateTimeToLive", switch(enabled=True, attribute="other"), INVALID),
        given=[CREATE, ON],
    ),
    case(
        "switched_off_when_off",
        ("UpdateTimeToLive", switch(enabled=False), INVALID),
        given=[CREATE],
        source="service",
    ),
    case("no_such_table", ("UpdateTimeToLive", switch(enabled=True), NOT_FOUND)),
    case("describe_no_such_table", ("DescribeTimeToLive", on("@new"), NOT_FOUND)),
    case(
        "no_table_name",
        (
            "UpdateTimeToLive",
            {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "x"}},
            INVALID,
        ),
    ),
    case("describe_no_table_name", ("DescribeTimeToLive", {}, INVALID)),
    case("no_specification", ("UpdateTimeToLive", on("@simple"), INVALID)),
    case(
        "no_attribute",
        ("UpdateTimeToLive", on("@simple", TimeToLiveSpecification={"Enabled": True}), INVALID),
    ),
    case(
        "no_enabled",
        (
            "UpdateTimeToLive",
            on("@simple", TimeToLiveSpecification={"AttributeName": "x"}),
            INVALID,
        ),
    ),
    case(
        "attribute_empty",
        ("UpdateTimeToLive", switch(enabled=True, attribute="", table="@simple"), INVALID),
    ),
    case(
        "attribute_too_long",
        ("UpdateTimeToLive", switch(enabled=True, attribute="x" * 256, table="@simple"), INVALID),
    ),
    case(
        "enabled_as_text",
        ("UpdateTimeToLive", switch(enabled="maybe", table="@simple"), NOT_SERIALIZED),
    ),
    case(
        "expired_items_are_returned_until_deleted",
        (
            "GetItem",
            at("@new", {"pk": S("a")}),
            {"Item": {"pk": S("a"), "expires": N(1_000_000_000)}},
        ),
        given=[CREATE, ON, *puts("@new", {"pk": S("a"), "expires": N(1_000_000_000)})],
        source="ttl-expired-items",
    ),
]


def test_time_to_live(tables: Tables, case: Case) -> None:
    """Time to live is switched and described as DynamoDB does."""
    check(tables, case)
