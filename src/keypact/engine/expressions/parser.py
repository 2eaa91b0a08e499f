"""From text to syntax: one grammar for conditions, one for updates, one for projections.

Errors that belong to the text alone are found here. Wrong syntax comes first; other
problems are gathered and the weightiest is told, as DynamoDB does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import ClassVar, NoReturn, TypeVar

from ..errors import ValidationException
from ..limits import (
    EXPRESSION_BYTES_MAX,
    EXPRESSION_DEPTH_MAX,
    EXPRESSION_OPERATORS_MAX,
    IN_OPERANDS_MAX,
    NESTING_LEVELS_MAX,
)
from .lexer import END, INDEX, NAME, PLACEHOLDER, VALUE, Token, tokenize
from .reserved import is_reserved
from .syntax import (
    Action,
    And,
    Between,
    Call,
    Comparison,
    Condition,
    ConditionText,
    In,
    Not,
    Operand,
    Or,
    Path,
    Placeholders,
    ProjectionText,
    Sum,
    UpdateText,
    Value,
)

# Texts kept parsed. Programs use few, each of them often.
PARSED_MAX = 512


@lru_cache(PARSED_MAX)
def parse_condition(kind: str, text: str) -> ConditionText:
    """Read a condition, filter or key condition; ``kind`` is its name in errors."""
    parser = _ConditionParser(kind, text)
    root = parser.condition()
    parser.finish()
    return ConditionText(parser.placeholders(), root)


@lru_cache(PARSED_MAX)
def parse_update(kind: str, text: str) -> UpdateText:
    """Read an update."""
    parser = _UpdateParser(kind, text)
    actions = parser.actions()
    parser.finish()
    return UpdateText(parser.placeholders(), actions)


@lru_cache(PARSED_MAX)
def parse_projection(kind: str, text: str) -> ProjectionText:
    """Read a projection."""
    parser = _Parser(kind, text)
    paths = [parser.path()]
    while parser.accept(","):
        paths.append(parser.path())
    parser.finish()
    return ProjectionText(parser.placeholders(), tuple(paths))


def invalid(kind: str, problem: str) -> ValidationException:
    """The error for an expression that is wrong in itself."""
    return ValidationException(f"Invalid {kind}: {problem}")


# Problems other than wrong syntax, weightiest first.
_SHAPE, _FUNCTION, _MISUSE, _RESERVED, _OPERANDS = range(5)

_Node = TypeVar("_Node")


class _Parser:
    """Tokens read one after the other, and what all expressions have in common."""

    # Words that cannot be a name here, reserved or not.
    keywords: frozenset[str] = frozenset()
    # Whether parentheses around parentheses are a problem.
    redundancy = True
    # Functions, and how many arguments each takes.
    functions: ClassVar[dict[str, int]] = {}

    def __init__(self, kind: str, text: str) -> None:
        self._kind = kind
        self._text = text
        if not text:
            raise invalid(kind, "The expression can not be empty;")
        size = len(text.encode(errors="surrogatepass"))
        if size > EXPRESSION_BYTES_MAX:
            raise invalid(
                kind,
                f"Expression size has exceeded the maximum allowed size; expression size: {size}",
            )
        self._tokens = tokenize(text)
        self._at = 0
        self._depth = 0
        self._operators = 0
        self._problems: list[tuple[int, str]] = []
        # Where the last group in parentheses began and ended.
        self._group = (-1, -1)
        # Dicts, since they keep the order in which names were met.
        self._names: dict[str, None] = {}
        self._values: dict[str, None] = {}

    # Tokens

    @property
    def token(self) -> Token:
        """The token to be read next."""
        return self._tokens[self._at]

    def advance(self) -> Token:
        """Take the next token. The end is never taken."""
        token = self._tokens[self._at]
        self._at += 1
        return token

    def accept(self, sign: str) -> bool:
        """Take the next token if it is this sign."""
        if self.token.text != sign:
            return False
        self._at += 1
        return True

    def expect(self, sign: str) -> None:
        """Take this sign; anything else is wrong syntax."""
        if not self.accept(sign):
            self.refuse()

    def keyword(self) -> str:
        """The next token in capitals if it is a keyword here, else empty."""
        token = self.token
        if token.kind == NAME:
            word = token.text.upper()
            if word in self.keywords:
                return word
        return ""

    def refuse(self) -> NoReturn:
        """Tell that the next token cannot stand where it does."""
        at, tokens = self._at, self._tokens
        start = tokens[max(at - 1, 0)].start
        end = tokens[min(at + 1, len(tokens) - 1)].end
        near = self._text[start:end].strip()
        raise invalid(self._kind, f'Syntax error; token: "{self.token.text}", near: "{near}"')

    # Bookkeeping

    def problem(self, weight: int, text: str) -> None:
        """Note what is wrong, to be told when the whole text has been read."""
        self._problems.append((weight, text))

    def count_operator(self) -> None:
        """One more operator or function."""
        self._operators += 1
        if self._operators > EXPRESSION_OPERATORS_MAX:
            raise invalid(
                self._kind,
                "The expression contains more than the maximum number of operators; "
                f"maximum: {EXPRESSION_OPERATORS_MAX}",
            )

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level of nesting, within the bound."""
        self._depth += 1
        if self._depth > EXPRESSION_DEPTH_MAX:
            raise invalid(self._kind, "The expression has too many nesting levels;")
        yield
        self._depth -= 1

    def finish(self) -> None:
        """Nothing may follow; then the weightiest problem is told."""
        if self.token.kind != END:
            self.refuse()
        if self._problems:
            weightiest = min(self._problems, key=lambda problem: problem[0])
            raise invalid(self._kind, weightiest[1])

    def placeholders(self) -> Placeholders:
        """What the expression takes from the request."""
        return Placeholders(tuple(self._names), tuple(self._values))

    # Operands

    def path(self) -> Path:
        """``a``, ``#a``, then any number of ``.b`` and ``[0]``."""
        parts: list[str | int] = [self._path_name()]
        while True:
            if self.accept("."):
                parts.append(self._path_name())
            elif self.accept("["):
                if self.token.kind != INDEX:
                    self.refuse()
                # Cut to a length that int() takes and no list has.
                parts.append(int(self.advance().text.lstrip("0")[:20] or "0"))
                self.expect("]")
            else:
                break
        if len(parts) > NESTING_LEVELS_MAX:
            raise invalid(
                self._kind,
                f"The document path has too many nesting elements; nesting levels: {len(parts)}",
            )
        return Path(tuple(parts))

    def _path_name(self) -> str:
        kind, text = self.token.kind, self.token.text
        if kind == PLACEHOLDER:
            self._names[text] = None
        elif kind != NAME or self.keyword():
            self.refuse()
        elif is_reserved(text):
            self.problem(
                _RESERVED, f"Attribute name is a reserved keyword; reserved keyword: {text}"
            )
        self._at += 1
        return text

    def value(self) -> Value:
        """``:name``."""
        if self.token.kind != VALUE:
            self.refuse()
        name = self.advance().text
        self._values[name] = None
        return Value(name)

    def operand(self) -> Operand:
        """A path, a value, or a function of operands; it may stand in parentheses."""
        token = self.token
        if token.kind == VALUE:
            return self.value()
        if token.text == "(":
            return self.parenthesised(self.operand)
        if self._calls():
            return self.call()
        return self.path()

    def parenthesised(self, read: Callable[[], _Node]) -> _Node:
        """What ``read`` reads, between parentheses."""
        opened = self._at
        with self.deeper():
            self._at += 1
            node = read()
            if self.redundancy and self._group == (opened + 1, self._at - 1):
                self.problem(_SHAPE, "The expression has redundant parentheses;")
            self._group = (opened, self._at)
            self.expect(")")
        return node

    def _calls(self) -> bool:
        """Whether a function's name and its parenthesis come next."""
        return (
            self.token.kind == NAME
            and self._tokens[self._at + 1].text == "("
            and not self.keyword()
        )

    def call(self) -> Call:
        """A function with its arguments."""
        name = self.advance().text
        self.count_operator()
        arguments: list[Operand] = []
        with self.deeper():
            self.expect("(")
            arguments.append(self.operand())
            while self.accept(","):
                arguments.append(self.operand())
            self.expect(")")
        wanted = self.functions.get(name)
        if wanted is None:
            self.problem(_FUNCTION, f"Invalid function name; function: {name}")
        elif wanted != len(arguments):
            self.problem(
                _OPERANDS,
                "Incorrect number of operands for operator or function; "
                f"operator or function: {name}, number of operands: {len(arguments)}",
            )
        call = Call(name, tuple(arguments))
        for argument in arguments:
            self.check_argument(call, argument)
        return call

    def check_argument(self, call: Call, argument: Operand) -> None:
        """Note an argument that can never be right."""


_COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_PATH_ONLY = frozenset({"attribute_exists", "attribute_not_exists", "if_not_exists"})


class _ConditionParser(_Parser):
    keywords = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"})
    functions: ClassVar = {
        "attribute_exists": 1,
        "attribute_not_exists": 1,
        "attribute_type": 2,
        "begins_with": 2,
        "contains": 2,
        "size": 1,
    }

    def condition(self) -> Condition:
        """A whole condition: NOT binds closest, then AND, then OR."""
        return self._truth(self._any())

    def _any(self) -> Condition | Operand:
        """Parts joined by OR. One part alone may be an operand in parentheses."""
        node = self._all()
        if self.keyword() != "OR":
            return node
        parts = [self._truth(node)]
        while self.keyword() == "OR":
            self.count_operator()
            self._at += 1
            parts.append(self._truth(self._all()))
        return Or(tuple(parts))

    def _all(self) -> Condition | Operand:
        node = self._one()
        if self.keyword() != "AND":
            return node
        parts = [self._truth(node)]
        while self.keyword() == "AND":
            self.count_operator()
            self._at += 1
            parts.append(self._truth(self._one()))
        return And(tuple(parts))

    def _one(self) -> Condition | Operand:
        negations = 0
        while self.keyword() == "NOT":
            self.count_operator()
            negations += 1
            self._at += 1
        node = self._group_or_operand()
        if not isinstance(node, _TRUTHS):
            node = self._compared(node)
        if negations:
            node = self._truth(node)
            # Two cancel each other.
            return Not(node) if negations % 2 else node
        return node

    def _group_or_operand(self) -> Condition | Operand:
        if self.token.text == "(":
            return self.parenthesised(self._any)
        return self.operand()

    def _compared(self, left: Operand) -> Condition | Operand:
        """The comparison that the operand begins, or the operand if none follows."""
        sign, word = self.token.text, self.keyword()
        if sign in _COMPARATORS:
            self._begin_comparison(left)
            return Comparison(sign, left, self._compared_operand())
        if word == "BETWEEN":
            self._begin_comparison(left)
            low = self._compared_operand()
            if self.keyword() != "AND":
                self.refuse()
            self._at += 1
            return Between(left, low, self._compared_operand())
        if word == "IN":
            self._begin_comparison(left)
            return In(left, self._options())
        return left

    def _begin_comparison(self, left: Operand) -> None:
        self._refuse_truth(left)
        self.count_operator()
        self._at += 1

    def _compared_operand(self) -> Operand:
        operand = self.operand()
        self._refuse_truth(operand)
        return operand

    def _options(self) -> tuple[Operand, ...]:
        self.expect("(")
        options = [self._compared_operand()]
        while self.accept(","):
            options.append(self._compared_operand())
        self.expect(")")
        if len(options) > IN_OPERANDS_MAX:
            raise invalid(
                self._kind,
                "The IN operator is provided with too many operands; "
                f"number of operands: {len(options)}",
            )
        return tuple(options)

    def _truth(self, node: Condition | Operand) -> Condition:
        """The node as a condition. An operand that is not compared is wrong syntax."""
        if isinstance(node, Call):
            if node.name == "size":
                self._misuse(node)
            return node
        if isinstance(node, Path | Value | Sum):
            self.refuse()
        return node

    def _refuse_truth(self, operand: Operand) -> None:
        if isinstance(operand, Call) and operand.name != "size":
            self._misuse(operand)

    def _misuse(self, call: Call) -> None:
        self.problem(
            _MISUSE,
            "The function is not allowed to be used this way in an expression; "
            f"function: {call.name}",
        )

    def check_argument(self, call: Call, argument: Operand) -> None:
        self._refuse_truth(argument)
        if call.name in _PATH_ONLY and not isinstance(argument, Path):
            self.problem(_OPERANDS, _path_needed(call.name))


_TRUTHS = (Comparison, Between, In, And, Or, Not)


class _UpdateParser(_Parser):
    keywords = frozenset({"SET", "REMOVE", "ADD", "DELETE"})
    redundancy = False
    functions: ClassVar = {"if_not_exists": 2, "list_append": 2}

    def actions(self) -> tuple[Action, ...]:
        """Sections in any order, each once, each of one or more actions."""
        actions: list[Action] = []
        seen: set[str] = set()
        while section := self.keyword():
            if section in seen:
                self.problem(
                    _SHAPE,
                    f'The "{section}" section can only be used once in an update expression;',
                )
            seen.add(section)
            self._at += 1
            actions.append(self._action(section))
            while self.accept(","):
                actions.append(self._action(section))
        return tuple(actions)

    def _action(self, section: str) -> Action:
        path = self.path()
        if section == "REMOVE":
            return Action(section, path, None)
        if section != "SET":
            return Action(section, path, self.value())
        self.expect("=")
        return Action(section, path, self._sum())

    def _sum(self) -> Operand:
        """An operand, or two with a sign between them; more need parentheses."""
        left = self._sum_operand()
        sign = self.token.text
        if sign not in ("+", "-"):
            return left
        self.count_operator()
        self._at += 1
        return Sum(sign, left, self._sum_operand())

    def _sum_operand(self) -> Operand:
        if self.token.text == "(":
            return self.parenthesised(self._sum)
        return self.operand()

    def check_argument(self, call: Call, argument: Operand) -> None:
        if (
            call.name == "if_not_exists"
            and argument is call.arguments[0]
            and not isinstance(argument, Path)
        ):
            self.problem(_OPERANDS, _path_needed(call.name))


def _path_needed(function: str) -> str:
    return f"Operator or function requires a document path; operator or function: {function}"
