"""What can be written, what cannot, and what DynamoDB says about it."""

from __future__ import annotations

import pytest

from keypact.engine.errors import ValidationException
from keypact.engine.expressions import Environment
from keypact.engine.expressions.reserved import RESERVED_WORDS
from keypact.engine.limits import (
    EXPRESSION_BYTES_MAX,
    EXPRESSION_DEPTH_MAX,
    EXPRESSION_OPERATORS_MAX,
    IN_OPERANDS_MAX,
    NESTING_LEVELS_MAX,
)

KINDS = [
    "ConditionExpression",
    "FilterExpression",
    "KeyConditionExpression",
    "ProjectionExpression",
    "UpdateExpression",
]


def bind(kind: str, text: str) -> None:
    env = Environment({"#n": "n"}, {":v": {"S": "x"}, ":w": {"S": "y"}})
    match kind:
        case "UpdateExpression":
            env.update(text)
        case "ProjectionExpression":
            env.projection(text)
        case "KeyConditionExpression":
            env.key_condition(text)
        case _:
            env.condition(kind, text)


def refusal(kind: str, text: str) -> str:
    with pytest.raises(ValidationException) as caught:
        bind(kind, text)
    return caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "a=:v",
        "a<>:v",
        "\ta\n=\r:v ",
        "_a = :v",
        "a1_B = :v",
        "#n = :v",
        "a . b [ 0 ] . #n = :v",
        "a[0][00] = :v",
        "a BETWEEN :v and :w",
        "a in (:v)",
        "a IN (:v, b, size(c))",
        "attribute_exists (a)",
        "attribute_exists( a )",
        "(a = :v)",
        "((a = :v) AND (b = :v))",
        "(a) = :v",
        "a = (:v)",
        "NOT (a = :v)",
        "size(a) IN (:v)",
        "size(:v) = a",
        "contains(a, size(b))",
        # A function's name is no keyword, unless it is reserved as SIZE is.
        "contains = :v",
        "attribute_exists(begins_with)",
    ],
)
def test_conditions_that_can_be_written(text: str) -> None:
    bind("ConditionExpression", text)


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("a", "<EOF>", "a"),
        (" ", "<EOF>", ""),
        ("a AND b", "AND", "a AND b"),
        ("NOT a", "<EOF>", "a"),
        (":v", "<EOF>", ":v"),
        ("0a = :v", "0a", "0a ="),
        ("a-b = :v", "-", "a-b"),
        ("a == :v", "=", "== :v"),
        ("a != :v", "!", "a !="),
        ("a = 5", "5", "= 5"),
        ("a = 'x'", "'", "= 'x"),
        ("a = :v;", ";", ":v;"),
        ("a = :v AND", "<EOF>", "AND"),
        ("a = :v)", ")", ":v)"),
        ("(a = :v", "<EOF>", ":v"),
        ("a = : v", ":", "= : v"),
        ("# n = :v", "#", "# n"),
        ("a.:v = :v", ":v", ".:v ="),
        ("a..b = :v", ".", "..b"),
        (".a = :v", ".", ".a"),
        ("a[:v] = :v", ":v", "[:v]"),
        ("a[] = :v", "]", "[] ="),
        ("a[-1] = :v", "-", "[-1"),
        ("[0] = :v", "[", "[0"),
        ("a[0]b = :v", "b", "]b ="),
        ("a = :v = :w", "=", ":v = :w"),
        ("a = :v :w", ":w", ":v :w"),
        ("a < :v AND > :w", ">", "AND > :w"),
        ("a IN :v", ":v", "IN :v"),
        ("a IN ()", ")", "()"),
        ("a IN (:v,)", ")", ",)"),
        ("a NOT IN (:v)", "NOT", "a NOT IN"),
        ("a BETWEEN :v", "<EOF>", ":v"),
        ("a BETWEEN :v OR :w", "OR", ":v OR :w"),
        ("Between = :v", "Between", "Between ="),
        ("contains()", ")", "()"),
        ("contains(a :v)", ":v", "a :v)"),
        ("contains(a, :v", "<EOF>", ":v"),
        ("(a = :v) = :w", "=", ") = :w"),
        ("a\u00a0= :v", "\u00a0", "a\u00a0="),
        ("é = :v", "é", "é ="),
        ("a = :v\x00", "\x00", ":v\x00"),
    ],
)
def test_wrong_syntax_in_conditions(text: str, token: str, near: str) -> None:
    """The error shows the token that cannot stand there, between its neighbours."""
    assert refusal("FilterExpression", text) == (
        f'Invalid FilterExpression: Syntax error; token: "{token}", near: "{near}"'
    )


@pytest.mark.parametrize(
    "text",
    [
        "set a = :v",
        "SET a=:v,b=:v remove c, d[0] Add e :v DELETE f :v",
        "REMOVE a SET b = :v",
        "SET a = b + :v",
        "SET a = (b + :v)",
        "SET a = ((b) - (:v))",
        "SET a = if_not_exists(b, if_not_exists(c, :v))",
        "SET a = if_not_exists(b, :v) + if_not_exists(c, :v)",
        "SET a = list_append(if_not_exists(b, c), d)",
        "SET #n.b[1] = a",
        "SET list_append = :v",
    ],
)
def test_updates_that_can_be_written(text: str) -> None:
    env = Environment({"#n": "n"}, {":v": {"NS": ["1"]}})
    if "+" in text or "-" in text:
        env = Environment(None, {":v": {"N": "1"}})
    env.update(text)


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("SET", "<EOF>", "SET"),
        (" ", "<EOF>", ""),
        ("a = :v", "a", "a ="),
        ("FOO a :v", "FOO", "FOO a"),
        ("SET a = :v,", "<EOF>", ","),
        ("SET a = :v REMOVE", "<EOF>", "REMOVE"),
        ("SET a = b + :v + :w", "+", ":v + :w"),
        ("SET a = (b + :v) + :w", "+", ") + :w"),
        ("SET a = b + (:v + :w)", "+", ":v + :w"),
        ("SET a = -:v", "-", "= -:v"),
        ("SET a = b * :v", "*", "b * :v"),
        ("SET (a) = :v", "(", "SET (a"),
        ("SET :v = a", ":v", "SET :v ="),
        ("SET a == :v", "=", "== :v"),
        ("SET a = if_not_exists(b, :v + :w)", "+", ":v + :w"),
        ("SET a = :v AND b = :w", "AND", ":v AND b"),
        ("SET set = :v", "set", "SET set ="),
        ("REMOVE :v", ":v", "REMOVE :v"),
        ("ADD a = :v", "=", "a = :v"),
        ("ADD a b", "b", "a b"),
        ("ADD a (:v)", "(", "a (:v"),
        ("ADD a :v b :w", "b", ":v b :w"),
        ("DELETE a", "<EOF>", "a"),
    ],
)
def test_wrong_syntax_in_updates(text: str, token: str, near: str) -> None:
    assert refusal("UpdateExpression", text) == (
        f'Invalid UpdateExpression: Syntax error; token: "{token}", near: "{near}"'
    )


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("a,", "<EOF>", ","),
        ("a b", "b", "a b"),
        (",a", ",", ",a"),
        ("a = b", "=", "a = b"),
        ("(a)", "(", "(a"),
        ("size(a)", "(", "size(a"),
        (":v", ":v", ":v"),
    ],
)
def test_wrong_syntax_in_projections(text: str, token: str, near: str) -> None:
    assert refusal("ProjectionExpression", text) == (
        f'Invalid ProjectionExpression: Syntax error; token: "{token}", near: "{near}"'
    )


FUNCTION = "Invalid function name; function: "
MISUSE = "The function is not allowed to be used this way in an expression; function: "
RESERVED = "Attribute name is a reserved keyword; reserved keyword: "
PATH = "Operator or function requires a document path; operator or function: "
COUNT = "Incorrect number of operands for operator or function; operator or function: "
PARENTHESES = "The expression has redundant parentheses;"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("((a = :v))", PARENTHESES),
        ("NOT ((a = :v AND b = :v))", PARENTHESES),
        ("a = :v AND ((b = :v))", PARENTHESES),
        ("((a)) = :v", PARENTHESES),
        ("a > ((b))", PARENTHESES),
        ("foo(a)", FUNCTION + "foo"),
        ("foo(a, b) = :v", FUNCTION + "foo"),
        ("SIZE(a) = :v", FUNCTION + "SIZE"),
        ("Attribute_exists(a)", FUNCTION + "Attribute_exists"),
        ("if_not_exists(a, b) = :v", FUNCTION + "if_not_exists"),
        ("attribute_exists(a) = :v", MISUSE + "attribute_exists"),
        ("a = contains(b, :v)", MISUSE + "contains"),
        ("a IN (contains(b, :v))", MISUSE + "contains"),
        ("attribute_exists(attribute_exists(a))", MISUSE + "attribute_exists"),
        ("size(a)", MISUSE + "size"),
        ("NOT size(a)", MISUSE + "size"),
        ("a = :v OR size(a)", MISUSE + "size"),
        ("size = :v", RESERVED + "size"),
        ("a.Name = :v", RESERVED + "Name"),
        ("a[0].TTL = :v", RESERVED + "TTL"),
        ("attribute_exists(year)", RESERVED + "year"),
        ("attribute_exists(:v)", PATH + "attribute_exists"),
        ("attribute_not_exists(size(a))", PATH + "attribute_not_exists"),
        ("attribute_exists(a, b)", COUNT + "attribute_exists, number of operands: 2"),
        ("begins_with(a)", COUNT + "begins_with, number of operands: 1"),
        ("size(a, b) = :v", COUNT + "size, number of operands: 2"),
        # The weightiest problem is told, wherever it stands.
        ("size = :v AND ((a = :v))", PARENTHESES),
        ("size = :v AND foo(a)", FUNCTION + "foo"),
        ("size = :v AND size(a)", MISUSE + "size"),
        ("begins_with(a) AND size = :v", RESERVED + "size"),
        ("a = :none AND size = :v", RESERVED + "size"),
    ],
)
def test_what_is_written_well_but_means_nothing(text: str, problem: str) -> None:
    assert refusal("ConditionExpression", text) == f"Invalid ConditionExpression: {problem}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("SET a = foo(b)", FUNCTION + "foo"),
        ("SET a = size(b)", FUNCTION + "size"),
        ("SET a = IF_NOT_EXISTS(b, :v)", FUNCTION + "IF_NOT_EXISTS"),
        ("SET a = if_not_exists(:v, b)", PATH + "if_not_exists"),
        ("SET a = if_not_exists(b)", COUNT + "if_not_exists, number of operands: 1"),
        ("SET a = list_append(b, c, d)", COUNT + "list_append, number of operands: 3"),
        ("SET size = :v", RESERVED + "size"),
        ("SET a = size", RESERVED + "size"),
        ("REMOVE a.size", RESERVED + "size"),
        ("ADD size :v", RESERVED + "size"),
    ],
)
def test_what_means_nothing_in_updates(text: str, problem: str) -> None:
    assert refusal("UpdateExpression", text) == f"Invalid UpdateExpression: {problem}"


@pytest.mark.parametrize("section", ["SET a = :v", "REMOVE a", "ADD a :v", "DELETE a :v"])
def test_a_section_is_used_once(section: str) -> None:
    word = section.split(maxsplit=1)[0]
    assert refusal("UpdateExpression", f"{section} {section.lower()}") == (
        f'Invalid UpdateExpression: The "{word}" section can only be used once in an update '
        "expression;"
    )


def test_reserved_words_are_those_of_aws() -> None:
    """573 words; among them everyday names that people trip over."""
    assert len(RESERVED_WORDS) == 573
    everyday = {"NAME", "STATUS", "TTL", "TYPE", "DATE", "COUNT", "SIZE", "VALUE", "USER", "YEAR"}
    assert everyday <= RESERVED_WORDS
    assert not {"ID", "PK", "SK", "VERSION", "EMAIL", "CREATED"} & RESERVED_WORDS
    assert all(word.isascii() and word.isupper() for word in RESERVED_WORDS)


@pytest.mark.parametrize("word", sorted(RESERVED_WORDS))
def test_a_reserved_word_is_no_name_in_any_case(word: str) -> None:
    for name in (word, word.lower()):
        assert RESERVED + name in refusal("ProjectionExpression", f"a, {name}")


@pytest.mark.parametrize("kind", KINDS)
def test_an_expression_is_not_empty(kind: str) -> None:
    assert refusal(kind, "") == f"Invalid {kind}: The expression can not be empty;"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("ConditionExpression", "a = :v"),
        ("KeyConditionExpression", "a = :v"),
        ("ProjectionExpression", "a, b"),
        ("UpdateExpression", "SET a = :v"),
    ],
)
def test_an_expression_has_at_most_4096_bytes(kind: str, text: str) -> None:
    bind(kind, text.ljust(EXPRESSION_BYTES_MAX))
    assert "Expression size has exceeded the maximum allowed size" in refusal(
        kind, text.ljust(EXPRESSION_BYTES_MAX + 1)
    )


def test_bytes_are_counted_and_not_characters() -> None:
    assert "Expression size" in refusal(
        "ProjectionExpression", "é" * (EXPRESSION_BYTES_MAX // 2 + 1)
    )


def test_operators_are_counted() -> None:
    """Each comparison, function, AND, OR and NOT counts; in an update, each + and function."""
    one_less = " AND ".join(["a=:v"] * (EXPRESSION_OPERATORS_MAX // 2))
    bind("ConditionExpression", f"NOT {one_less}")
    assert "operators" in refusal("ConditionExpression", f"NOT NOT {one_less}")
    env = Environment(None, {":v": {"N": "1"}})
    sums = [f"a{index}=b+:v" for index in range(EXPRESSION_OPERATORS_MAX)]
    env.update("SET " + ",".join(sums))
    with pytest.raises(ValidationException, match="operators"):
        env.update("SET " + ",".join([*sums, "x=b+:v"]))


def test_in_takes_a_hundred_operands() -> None:
    bind("ConditionExpression", f"a IN ({','.join([':v'] * IN_OPERANDS_MAX)})")
    assert "too many operands; number of operands: 101" in refusal(
        "ConditionExpression", f"a IN ({','.join([':v'] * (IN_OPERANDS_MAX + 1))})"
    )


@pytest.mark.parametrize("step", [".a", "[0]"])
def test_a_path_is_as_deep_as_an_item(step: str) -> None:
    bind("ProjectionExpression", "a" + step * (NESTING_LEVELS_MAX - 1))
    assert "nesting" in refusal("ProjectionExpression", "a" + step * NESTING_LEVELS_MAX)


@pytest.mark.parametrize(
    ("kind", "start", "opening", "core"),
    [
        ("ConditionExpression", "", "(NOT ", "a = :v"),
        ("ConditionExpression", "", "(a = :v OR b = :v AND ", "a = :v"),
        ("ConditionExpression", "", "(", "a = :v"),
        ("ConditionExpression", "a = ", "(", ":v"),
        ("ConditionExpression", "a = ", "size(", "a"),
        ("KeyConditionExpression", "", "(a = :v AND ", "a = :v"),
        ("UpdateExpression", "SET a = ", "(", "b"),
        ("UpdateExpression", "SET a = ", "list_append(b, ", "b"),
    ],
)
def test_nesting_is_bounded(kind: str, start: str, opening: str, core: str) -> None:
    """As deep as the text is long, the answer is an error and not an exhausted stack."""
    room = EXPRESSION_BYTES_MAX - len(start + core)
    for depth in (EXPRESSION_DEPTH_MAX + 1, room // len(opening + ")")):
        closed = start + opening * depth + core + ")" * depth
        assert refusal(kind, closed).startswith("Invalid")
        assert refusal(kind, start + opening * depth).startswith("Invalid")


def test_negations_do_not_nest() -> None:
    bind("ConditionExpression", "NOT " * (EXPRESSION_OPERATORS_MAX - 1) + "a = :v")


def test_the_deepest_condition_allowed_is_evaluated() -> None:
    depth = EXPRESSION_DEPTH_MAX
    text = "(a = :v AND " * depth + "b = :v" + ")" * depth
    env = Environment(None, {":v": {"S": "x"}})
    condition = env.condition("ConditionExpression", text)
    assert condition.matches({"a": {"S": "x"}, "b": {"S": "x"}})
    assert not condition.matches({"a": {"S": "x"}})
