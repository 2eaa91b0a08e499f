"""Numbers: which are taken, and how they come back."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import (
    EMPTY,
    INVALID,
    NS,
    Case,
    L,
    M,
    N,
    S,
    Source,
    at,
    on,
    page,
    put,
    puts,
)
from tests.conformance.check import Tables, check

case = Source("numbers", "HowItWorks.NamingRulesDataTypes")

A = {"pk": S("a")}
DIGITS_38 = "12345678901234567890123456789012345678"


def becomes(name: str, given: str, returned: str, source: str = "") -> Case:
    return case(
        f"returned_{name}",
        ("PutItem", put("@simple", {**A, "n": N(given)}), EMPTY),
        ("GetItem", at("@simple", A), {"Item": {**A, "n": N(returned)}}),
        source=source,
    )


def refused(name: str, given: str, source: str = "") -> Case:
    return case(
        f"refused_{name}",
        ("PutItem", put("@simple", {**A, "n": N(given)}), INVALID),
        ("PutItem", put("@simple", {**A, "n": NS(given)}), INVALID),
        ("PutItem", put("@simple", {**A, "n": L(M(n=N(given)))}), INVALID),
        ("GetItem", at("@simple", A), EMPTY),
        source=source,
    )


def adds(name: str, before: str, amount: str, after: Any, source: str = "") -> Case:
    return case(
        f"add_{name}",
        (
            "UpdateItem",
            at(
                "@simple",
                A,
                UpdateExpression="SET n = n + :n",
                ExpressionAttributeValues={":n": N(amount)},
                ReturnValues="UPDATED_NEW",
            ),
            {"Attributes": {"n": N(after)}} if isinstance(after, str) else after,
        ),
        given=puts("@simple", {**A, "n": N(before)}),
        source=source,
    )


CASES = [
    becomes("integer", "42", "42"),
    becomes("negative", "-42", "-42"),
    becomes("zero", "0", "0"),
    becomes("negative_zero", "-0", "0"),
    becomes("zero_with_fraction", "0.000", "0"),
    becomes("zero_with_exponent", "0e10", "0"),
    becomes("leading_zeros", "007", "7"),
    becomes("negative_leading_zeros", "-007.50", "-7.5"),
    becomes("trailing_zeros", "1.500", "1.5"),
    becomes("integer_with_zeros", "1500", "1500"),
    becomes("whole_fraction", "3.0", "3"),
    becomes("without_leading_zero", ".5", "0.5"),
    becomes("plus_sign", "+5", "5"),
    becomes("exponent", "1e3", "1000"),
    becomes("capital_exponent", "1E3", "1000"),
    becomes("signed_exponent", "1.5E+3", "1500"),
    becomes("negative_exponent", "15e-1", "1.5"),
    becomes("small", "0.00001", "0.00001"),
    becomes("small_by_exponent", "1e-5", "0.00001"),
    becomes("digits_38", DIGITS_38, DIGITS_38),
    becomes("negative_digits_38", f"-{DIGITS_38}", f"-{DIGITS_38}"),
    becomes("fraction_of_38_digits", f"0.{DIGITS_38}", f"0.{DIGITS_38}"),
    becomes(
        "digits_38_on_both_sides",
        "1234567890123456789.1234567890123456789",
        "1234567890123456789.1234567890123456789",
    ),
    becomes("zeros_do_not_count", f"{DIGITS_38}000", f"{DIGITS_38}000"),
    becomes("leading_zeros_do_not_count", f"000{DIGITS_38}", DIGITS_38),
    becomes("trailing_zeros_do_not_count", f"0.{DIGITS_38}000", f"0.{DIGITS_38}"),
    becomes("largest", "9." + "9" * 37 + "E125", "9" * 38 + "0" * 88),
    becomes("most_negative", "-9." + "9" * 37 + "E125", "-" + "9" * 38 + "0" * 88),
    becomes("large", "1e125", "1" + "0" * 125),
    becomes("smallest", "1e-130", "0." + "0" * 129 + "1"),
    becomes("smallest_negative", "-1e-130", "-0." + "0" * 129 + "1"),
    refused("text", "abc"),
    refused("empty", ""),
    refused("space", " "),
    refused("leading_space", " 5"),
    refused("trailing_space", "5 "),
    refused("inner_space", "1 000"),
    refused("comma", "1,5"),
    refused("underscore", "1_000"),
    refused("hexadecimal", "0x10"),
    refused("two_points", "1.2.3"),
    refused("two_signs", "--5"),
    refused("only_sign", "-"),
    refused("only_point", "."),
    refused("only_exponent", "e5"),
    refused("open_exponent", "1e"),
    refused("fraction_exponent", "1e1.5"),
    refused("not_a_number", "NaN"),
    refused("infinity", "Infinity"),
    refused("negative_infinity", "-Infinity"),
    refused("other_digits", "\u0665"),
    refused("wide_digits", "\uff15"),
    refused("digits_39", f"{DIGITS_38}9"),
    refused("fraction_of_39_digits", f"0.{DIGITS_38}9"),
    refused("too_large", "1e126"),
    refused("too_negative", "-1e126"),
    refused("too_small", "1e-131"),
    refused("too_small_negative", "-1e-131"),
    refused("huge_exponent", "1e999999999"),
    refused("huge_negative_exponent", "1e-999999999"),
    refused("thousand_digits", "9" * 1000),
    adds("whole", "5", "7", "12"),
    adds("fractions", "0.1", "0.2", "0.3"),
    adds("to_zero", "5", "-5", "0"),
    adds("drops_trailing_zeros", "1.5", "0.5", "2"),
    adds("of_38_digits", DIGITS_38, "1", DIGITS_38[:-1] + "9"),
    adds("carry", "9" * 37, "1", "1" + "0" * 37),
    adds("beyond_the_range", "9." + "9" * 37 + "E125", "9." + "9" * 37 + "E125", INVALID),
    case(
        "set_members_come_back_in_one_form",
        ("PutItem", put("@simple", {**A, "n": NS("1.0", "02", "3e0")}), EMPTY),
        ("GetItem", at("@simple", A), {"Item": {**A, "n": NS(1, 2, 3)}}),
    ),
    case(
        "nested_come_back_in_one_form",
        ("PutItem", put("@simple", {**A, "n": L(N("1.0"), M(x=N("02")))}), EMPTY),
        ("GetItem", at("@simple", A), {"Item": {**A, "n": L(N(1), M(x=N(2)))}}),
    ),
    case(
        "key_comes_back_in_one_form",
        ("PutItem", put("@numbered", {"pk": S("a"), "sk": N("01.50")}), EMPTY),
        ("Scan", on("@numbered"), page({"pk": S("a"), "sk": N("1.5")})),
    ),
    case(
        "start_key_comes_back_in_one_form",
        (
            "Query",
            on(
                "@numbered",
                KeyConditionExpression="pk = :p",
                ExpressionAttributeValues={":p": S("a")},
                Limit=1,
            ),
            page(
                {"pk": S("a"), "sk": N("1.5")},
                LastEvaluatedKey={"pk": S("a"), "sk": N("1.5")},
            ),
        ),
        given=puts("@numbered", {"pk": S("a"), "sk": N("01.50")}),
    ),
]


def test_numbers(tables: Tables, case: Case) -> None:
    """A number comes back in the form DynamoDB gives it, or is refused."""
    check(tables, case)
