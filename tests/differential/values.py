"""Attribute values of every type, drawn small and often equal, as DynamoDB JSON.

Values come from few, so that conditions hold about as often as they fail; now and then one
is drawn from all there are: 38 digits, exponents, any text that UTF-8 can write.
"""

from __future__ import annotations

import base64
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Json = dict[str, Any]
T = TypeVar("T")

SCALARS = ("S", "N", "B", "BOOL", "NULL")
SETS = ("SS", "NS", "BS")
KINDS = (*SCALARS, *SETS, "L", "M")


def base64_text(data: bytes) -> str:
    """Bytes as the protocol carries them."""
    return base64.b64encode(data).decode()


def plain_number(number: Decimal) -> str:
    """A number as DynamoDB writes it: no exponent, no idle zeros, no sign of nothing."""
    if not number:
        return "0"
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


@st.composite
def _wide_numbers(draw: st.DrawFn) -> Decimal:
    """Up to 38 digits at any magnitude that DynamoDB holds."""
    count = draw(st.integers(1, 38))
    digits = draw(st.integers(10 ** (count - 1), 10**count - 1).map(str)).rstrip("0")
    adjusted = draw(st.integers(-130, 125) | st.integers(-3, 40))
    # Built from its parts, for arithmetic would round it.
    return Decimal((draw(st.integers(0, 1)), tuple(map(int, digits)), adjusted - len(digits) + 1))


# Texts whose order by UTF-8, by UTF-16 and by ASCII differ.
_TEXTS = ["a", "b", "ab", "aa", "A", "~", "é", "\uff5e", "\U0001f600", "10", "9", " ", "a\x00b"]
_BYTES = [b"a", b"\x00", b"\x00\x01", b"\x7f", b"\x80", b"\xff", b"\xff\xff", b"ab"]
_NUMBERS = ["0", "1", "2", "3", "-1", "10", "0.5", "-0.5", "100", "1.5", "-10"]

few_texts = st.sampled_from(_TEXTS)
few_bytes = st.sampled_from(_BYTES)
few_numbers = st.sampled_from(_NUMBERS)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
any_bytes = st.binary(max_size=6)
wide_numbers = _wide_numbers()
any_number = wide_numbers.map(plain_number) | st.integers(-1000, 1000).map(str)
# The same numbers as people may write them.
written_numbers = st.sampled_from(
    ["1.0", "+1", "1e0", "01", "-0", "0.0", "1E2", "10e-1", ".5", "5.", "1E-130", "9.9E125"]
)


@cache
def _below(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


def pick(draw: st.DrawFn, choices: Sequence[T]) -> T:
    """One of these, the first in the smallest example.

    Faster than sampled_from(), since no strategy is made for the choices.
    """
    return choices[draw(_below(len(choices)))]


def often(usual: st.SearchStrategy[Any], *rare: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The usual four times of five."""
    # Not one_of(), which would count every choice inside the rare ones as one more.
    others = st.one_of(*rare)

    @st.composite
    def draw_often(draw: st.DrawFn) -> Any:
        return draw(others if draw(_below(5)) == 4 else usual)

    return draw_often()


texts = often(few_texts, any_text)
binaries = often(few_bytes, any_bytes).map(base64_text)
numbers = often(few_numbers, any_number, written_numbers)


def _set_of(
    members: st.SearchStrategy[str], unique_by: Callable[[str], Any] = str
) -> st.SearchStrategy[list[str]]:
    return st.lists(members, min_size=1, max_size=3, unique_by=unique_by)


_CONTENTS: dict[str, st.SearchStrategy[Any]] = {
    "S": texts,
    "N": numbers,
    "B": binaries,
    "BOOL": st.booleans(),
    "NULL": st.just(True),
    "SS": _set_of(texts),
    "NS": _set_of(numbers, Decimal),
    "BS": _set_of(binaries),
}
# Names inside maps; some need a placeholder in expressions.
MEMBER_NAMES = ["x", "y", "z", "status", "p.q"]


_INSIDE = ("S", "N", "N", "S", "BOOL", "NULL", "SS", "NS", "B")


@st.composite
def _nested(draw: st.DrawFn, depth: int = 2, kinds: str = "LM") -> Json:
    """A list or map, which may be empty, of scalars, sets and the like of itself."""
    members = []
    for _ in range(pick(draw, (0, 1, 2, 3))):
        if depth and draw(_below(5)) == 4:
            members.append(draw(_NESTED[depth - 1]))
        else:
            members.append(draw(_KINDS[pick(draw, _INSIDE)]))
    if pick(draw, kinds) == "L":
        return {"L": members}
    return {"M": {pick(draw, MEMBER_NAMES): member for member in members}}


def _tagged(kind: str, content: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return content.map(lambda it: {kind: it})


_KINDS: dict[str, st.SearchStrategy[Json]] = {
    kind: _tagged(kind, content) for kind, content in _CONTENTS.items()
}
_NESTED = [_nested(depth=depth) for depth in range(2)]
_KINDS |= {"L": _nested(kinds="L"), "M": _nested(kinds="M")}


def of_kind(kind: str) -> st.SearchStrategy[Json]:
    """Values of one type."""
    return _KINDS[kind]


def of_kinds(kinds: Iterable[str]) -> st.SearchStrategy[Json]:
    """Values of some types."""
    return st.one_of(*(_KINDS[kind] for kind in kinds))


anything = of_kinds(KINDS)


# Keys -----------------------------------------------------------------------------

_KEY_CONTENTS: dict[str, st.SearchStrategy[Any]] = {
    "S": often(few_texts, any_text.filter(bool)),
    "N": often(few_numbers, any_number),
    "B": often(few_bytes, any_bytes.filter(bool)).map(base64_text),
}
_WIDE_KEY_CONTENTS: dict[str, st.SearchStrategy[Any]] = {
    "S": few_texts | any_text.filter(bool),
    "N": few_numbers | any_number | written_numbers,
    "B": (few_bytes | any_bytes.filter(bool)).map(base64_text),
}


def keys_of_kind(kind: str, *, wide: bool = False) -> st.SearchStrategy[Json]:
    """Values that a key of that type may have."""
    contents = (_WIDE_KEY_CONTENTS if wide else _KEY_CONTENTS)[kind]
    return contents.map(lambda it: {kind: it})


def canonical(value: Any) -> Any:
    """The value as DynamoDB gives it back: its numbers in one way of writing."""
    if isinstance(value, list):
        return [canonical(member) for member in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and isinstance(value.get("N"), str):
        return {"N": plain_number(Decimal(value["N"]))}
    if len(value) == 1 and isinstance(value.get("NS"), list):
        return {"NS": [plain_number(Decimal(number)) for number in value["NS"]]}
    return {name: canonical(member) for name, member in value.items()}


def sort_value(value: Json) -> Decimal | bytes:
    """What a key value is ordered by."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    return content.encode() if kind == "S" else base64.b64decode(content)
