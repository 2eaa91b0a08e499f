"""Tokens read one after the other: what all kinds of expressions have in common.

Errors that belong to the text alone are found while it is read. Wrong syntax comes
first; other problems are gathered and the weightiest is told, as DynamoDB does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import ClassVar, NoReturn, TypeVar

from ..errors import ValidationException
from ..limits import (
    EXPRESSION_BYTES_MAX,
    EXPRESSION_DEPTH_MAX,
    EXPRESSION_OPERATORS_MAX,
    NESTING_LEVELS_MAX,
)
from .lexer import END, INDEX, NAME, PLACEHOLDER, VALUE, Token, tokenize
from .reserved import is_reserved
from .syntax import Call, Operand, Path, Placeholders, Value


def invalid(kind: str, problem: str) -> ValidationException:
    """The error for an expression that is wrong in itself."""
    return ValidationException(f"Invalid {kind}: {problem}")


class Problem(IntEnum):
    """What can be wrong beside the syntax, weightiest first."""

    SHAPE = 0
    FUNCTION = 1
    MISUSE = 2
    RESERVED = 3
    OPERANDS = 4


_Node = TypeVar("_Node")


class Parser:
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
        self._problems: list[tuple[Problem, str]] = []
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

    def problem(self, problem: Problem, text: str) -> None:
        """Note what is wrong, to be told when the whole text has been read."""
        self._problems.append((problem, text))

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
            weightiest = min(self._problems, key=lambda noted: noted[0])
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
                Problem.RESERVED, f"Attribute name is a reserved keyword; reserved keyword: {text}"
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
                self.problem(Problem.SHAPE, "The expression has redundant parentheses;")
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
            self.problem(Problem.FUNCTION, f"Invalid function name; function: {name}")
        elif wanted != len(arguments):
            self.problem(
                Problem.OPERANDS,
                "Incorrect number of operands for operator or function; "
                f"operator or function: {name}, number of operands: {len(arguments)}",
            )
        call = Call(name, tuple(arguments))
        for argument in arguments:
            self.check_argument(call, argument)
        return call

    def check_argument(self, call: Call, argument: Operand) -> None:
        """Note an argument that can never be right."""
