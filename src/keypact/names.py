"""Names of attributes in Python, and names of fields in DynamoDB."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable
from unicodedata import normalize

from .schema.models import Model

# Where a word begins: after a small letter or digit, and before the last capital of several.
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Names that a generated class uses itself; a field of that name would hide them.
_USED = frozenset({"keypact", "datetime", "Decimal", "Any", *dir(builtins)})


def camel_case(name: str) -> str:
    """``created_at`` as ``createdAt``.

    >>> camel_case("created_at"), camel_case("name")
    ('createdAt', 'name')
    """
    first, *others = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def snake_case(name: str) -> str:
    """``createdAt`` as ``created_at``; a Python name whatever it was.

    >>> snake_case("createdAt"), snake_case("PK"), snake_case("userID"), snake_case("a-b c")
    ('created_at', 'pk', 'user_id', 'a_b_c')
    >>> snake_case("class"), snake_case("2nd"), snake_case("str"), snake_case("ﬁx")
    ('class_', 'field_2nd', 'str_', 'fix')
    """
    words = "_".join(_WORD.sub("_", word) for word in _words(name)).lower()
    return _python_name(words, "field_")


def class_case(name: str) -> str:
    """A model's name as that of a class; a Python name whatever it was.

    >>> class_case("User"), class_case("order-line"), class_case("2nd")
    ('User', 'OrderLine', 'Model2nd')
    """
    return _python_name("".join(word[:1].upper() + word[1:] for word in _words(name)), "Model")


def _words(name: str) -> list[str]:
    """What is left of a name when all that Python names cannot have is taken for spaces."""
    normal = normalize("NFKC", name)
    spaced = "".join(one if f"a{one}".isidentifier() and one != "_" else " " for one in normal)
    return spaced.split()


def _python_name(words: str, prefix: str) -> str:
    # Python compares names after this normalization.
    name = normalize("NFKC", words)
    if not name.isidentifier():
        name = f"{prefix}{name}"
    if not name.isidentifier():
        name = prefix.strip("_")
    return f"{name}_" if keyword.iskeyword(name) or name in _USED else name


def python_names(model: Model) -> dict[str, str]:
    """For each attribute a Python name, each once."""
    return distinct((one.name, snake_case(one.name)) for one in model.attributes)


def distinct(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The pairs as a dict whose values differ: the second of two gets a number."""
    made: dict[str, str] = {}
    taken: set[str] = set()
    for key, wanted in pairs:
        name, number = wanted, 1
        while name in taken:
            number += 1
            name = f"{wanted}_{number}"
        taken.add(name)
        made[key] = name
    return made
