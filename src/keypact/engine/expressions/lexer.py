"""The words and signs of an expression."""

from __future__ import annotations

import re
from typing import NamedTuple

NAME, PLACEHOLDER, VALUE, INDEX, SIGN, JUNK, END = (
    "name",
    "placeholder",
    "value",
    "index",
    "sign",
    "junk",
    "end",
)


class Token(NamedTuple):
    """A piece of the text; junk is kept, for the parser to refuse in its place."""

    kind: str
    text: str
    start: int
    end: int


_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<placeholder>\#[A-Za-z0-9_]+)
      | (?P<value>:[A-Za-z0-9_]+)
      | (?P<index>[0-9]+(?![A-Za-z_]))
      | (?P<sign><>|<=|>=|[=<>()\[\],.+-])
      | (?P<end>\Z)
      | (?P<junk>[0-9A-Za-z_]+|.)
    )""",
    re.VERBOSE | re.DOTALL,
)


def tokenize(text: str) -> list[Token]:
    """The text's tokens; the last one is its end, and there is none after it."""
    tokens: list[Token] = []
    at = 0
    while True:
        match = _TOKEN.match(text, at)
        assert match is not None
        assert match.lastgroup is not None
        kind, at = match.lastgroup, match.end()
        start = match.start(kind)
        tokens.append(Token(kind, text[start:at] or "<EOF>", start, at))
        if kind == END:
            return tokens
