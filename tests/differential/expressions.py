"""Expressions from their grammar, and how to spoil one.

A Writing is the names and values of one request, which all its expressions share. Paths and
values are drawn so that types mostly fit: `n` is mostly a number, and mostly compared with one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.differential.tables import ATTRIBUTES, Index, Pool
from tests.differential.values import (
    KINDS,
    MEMBER_NAMES,
    SETS,
    Json,
    anything,
    of_kind,
    pick,
    sort_value,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

EXPRESSIONS = (
    "ConditionExpression",
    "FilterExpression",
    "KeyConditionExpression",
    "ProjectionExpression",
    "UpdateExpression",
)
TOKENS = re.compile(r"[#:]?[A-Za-z_0-9]+|<>|<=|>=|\S")
_NEEDS_PLACEHOLDER = {"status", "v.w", "p.q"}
_COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
_DEPTH_MAX = 3


@dataclass
class Writing:
    """The substitutions of one request, filled while its expressions are written."""

    draw: st.DrawFn
    pool: Pool
    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, Json] = field(default_factory=dict)
    # Filters of a query may not name its keys.
    with_keys: bool = True

    def chance(self, once_in: int) -> bool:
        """True once in so many times; smaller examples have it false."""
        return pick(self.draw, range(once_in)) == once_in - 1

    def one_of(self, choices: Sequence[Any]) -> Any:
        """One of these."""
        return pick(self.draw, choices)

    def name(self, name: str) -> str:
        """The name itself or a placeholder for it."""
        if name not in _NEEDS_PLACEHOLDER and not self.chance(4):
            return name
        placeholder = f"#{re.sub('[^a-z0-9]', '_', name)}"
        self.names[placeholder] = name
        return placeholder

    def value(self, value: Json) -> str:
        """A placeholder for the value, the same one for the same value."""
        for placeholder, known in self.values.items():
            if known == value:
                return placeholder
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = value
        return placeholder

    def value_of(self, kind: str) -> str:
        """A placeholder for a value mostly of this type."""
        return self.value(self.draw(anything if self.chance(8) else of_kind(kind)))

    def finish(self, request: Json) -> Json:
        """The request with the substitutions that its expressions use."""
        text = " ".join(request.get(name, "") for name in EXPRESSIONS)
        used = set(TOKENS.findall(text))
        for member, content in (
            ("ExpressionAttributeNames", self.names),
            ("ExpressionAttributeValues", self.values),
        ):
            kept = {name: value for name, value in content.items() if name in used}
            if kept:
                request = {**request, member: kept}
        return request

    # Paths ------------------------------------------------------------------------

    def attribute(self, *, with_keys: bool = True) -> tuple[str, str]:
        """An attribute of the table's items, with the type it mostly has."""
        kinds = dict(ATTRIBUTES)
        if with_keys and self.with_keys:
            kinds |= self.pool.table.types
        else:
            kinds |= {
                name: kind
                for name, kind in self.pool.table.types.items()
                if name not in self.pool.table.key_names
            }
        name = self.one_of(list(kinds))
        return name, kinds[name]

    def path(self, *, with_keys: bool = True) -> tuple[str, str]:
        """A path and the type it mostly leads to."""
        name, kind = self.attribute(with_keys=with_keys)
        text = self.name(name)
        for _ in range(2):
            if kind == "M" and not self.chance(3):
                text += "." + self.name(self.one_of(MEMBER_NAMES))
            elif kind == "L" and not self.chance(3):
                text += f"[{self.one_of([0, 1, 2, 7])}]"
            else:
                break
            kind = self.one_of(["N", "S", "N", "S", "M", "L"])
        return text, kind

    def path_of(self, *kinds: str) -> str:
        """A path that mostly leads to one of these types."""
        names = [name for name, kind in ATTRIBUTES.items() if kind in kinds]
        if not names or self.chance(6):
            return self.path()[0]
        return self.name(self.one_of(names))


# Conditions -----------------------------------------------------------------------


def condition(writing: Writing, depth: int = 0) -> str:
    """A condition or filter; its operands mostly fit its operators."""
    if depth < _DEPTH_MAX and writing.chance(3):
        kind = writing.one_of(["AND", "OR", "NOT", "()"])
        inside = condition(writing, depth + 1)
        if kind == "NOT":
            return f"NOT {inside}"
        if kind == "()":
            return f"({inside})"
        return f"{inside} {kind} {condition(writing, depth + 1)}"
    return writing.one_of(_SIMPLE_CONDITIONS)(writing)


def _operands(writing: Writing, count: int, *, ordered: bool = False) -> list[str]:
    """A path, then values or paths mostly of its type; or all of these in another order."""
    if writing.chance(6):
        operands = [f"size({writing.path()[0]})"]
        kind = "N"
    elif ordered and not writing.chance(8):
        kind = writing.one_of("NSNB")
        operands = [writing.path_of(kind)]
    else:
        path, kind = writing.path()
        operands = [path]
    while len(operands) < count:
        operands.append(writing.path()[0] if writing.chance(6) else writing.value_of(kind))
    if writing.chance(6):
        operands.reverse()
    return operands


def _comparison(writing: Writing) -> str:
    operator = writing.one_of(_COMPARATORS)
    left, right = _operands(writing, 2, ordered=operator not in ("=", "<>"))
    return f"{left} {operator} {right}"


def _between(writing: Writing) -> str:
    operand, low, high = _operands(writing, 3, ordered=True)
    return f"{operand} BETWEEN {low} AND {high}"


def _in(writing: Writing) -> str:
    operand, *members = _operands(writing, writing.one_of([2, 3, 4]))
    return f"{operand} IN ({', '.join(members)})"


def _exists(writing: Writing) -> str:
    function = writing.one_of(["attribute_exists", "attribute_not_exists"])
    return f"{function}({writing.path()[0]})"


def _attribute_type(writing: Writing) -> str:
    path, kind = writing.path()
    named = writing.one_of(KINDS) if writing.chance(3) else kind
    return f"attribute_type({path}, {writing.value({'S': named})})"


def _begins_with(writing: Writing) -> str:
    path = writing.path_of("S", "B")
    return f"begins_with({path}, {writing.value_of(writing.one_of(['S', 'S', 'B']))})"


def _contains(writing: Writing) -> str:
    kind = writing.one_of(["S", "L", *SETS])
    member = {"SS": "S", "NS": "N", "BS": "B", "S": "S", "L": writing.one_of(["N", "S"])}[kind]
    return f"contains({writing.path_of(kind)}, {writing.value_of(member)})"


_SIMPLE_CONDITIONS = [
    _comparison,
    _comparison,
    _exists,
    _between,
    _in,
    _attribute_type,
    _begins_with,
    _contains,
]


_KEY_OPERATORS = ("none", "none", "=", "<", "<=", ">", ">=", ">=", "<=", "BETWEEN", "begins_with")


def key_condition(writing: Writing, index: Index | None) -> str:
    """A key condition on the table or an index."""
    table = writing.pool.table
    partition = (table.partition,) if index is None else index.partition
    sort = ((table.sort,) if table.sort else ()) if index is None else index.sort
    parts = [_equals(writing, name) for name in partition]
    for position, name in enumerate(sort):
        operator = writing.one_of(_KEY_OPERATORS)
        if operator == "none":
            break
        if operator == "=" or (operator == "begins_with" and table.types[name] == "N"):
            parts.append(_equals(writing, name))
            continue
        parts.append(_ranged(writing, name, operator))
        assert position < len(sort)
        break
    if writing.chance(6):
        parts.reverse()
    return " AND ".join(f"({part})" if writing.chance(8) else part for part in parts)


def _key_operand(writing: Writing, name: str) -> str:
    return writing.value(writing.pool.key_value(writing.draw, name))


def _equals(writing: Writing, name: str) -> str:
    sides = [writing.name(name), _key_operand(writing, name)]
    if writing.chance(8):
        sides.reverse()
    return " = ".join(sides)


def _ranged(writing: Writing, name: str, operator: str) -> str:
    first = _key_operand(writing, name)
    if operator == "begins_with":
        return f"begins_with({writing.name(name)}, {first})"
    if operator == "BETWEEN":
        bounds = [first, _key_operand(writing, name)]
        if not writing.chance(8):
            bounds.sort(key=lambda bound: sort_value(writing.values[bound]))
        return f"{writing.name(name)} BETWEEN {bounds[0]} AND {bounds[1]}"
    return f"{writing.name(name)} {operator} {first}"


# Projections and updates ------------------------------------------------------------


def projection(writing: Writing, index: Index | None = None) -> str:
    """One to three paths, which seldom overlap, and which an index mostly projects."""
    count = writing.one_of([1, 2, 3])
    if index is None or index.projection == "ALL" or writing.chance(4):
        paths = [writing.path()[0] for _ in range(count)]
    else:
        names = [*writing.pool.table.key_names, *index.key_names, *index.included]
        paths = [writing.name(writing.one_of(names)) for _ in range(count)]
    return ", ".join(_apart(writing, paths))


def _apart(writing: Writing, paths: list[str]) -> list[str]:
    """The paths that begin with different attributes; now and then all of them."""
    if writing.chance(10):
        return paths
    kept: dict[str, str] = {}
    for path in paths:
        kept.setdefault(_first_name(writing, path), path)
    return list(kept.values())


def _first_name(writing: Writing, path: str) -> str:
    first = re.split(r"[.\[]", path, maxsplit=1)[0]
    return writing.names.get(first, first)


def update(writing: Writing) -> str:
    """One to three actions in clauses, whose targets seldom overlap."""
    targets = [_target(writing) for _ in range(writing.one_of([1, 1, 2, 3]))]
    kept = _apart(writing, [path for path, _ in targets])
    clauses: dict[str, list[str]] = {}
    for path, kind in targets:
        if path in kept:
            kept.remove(path)
            clause, action = _action(writing, path, kind)
            clauses.setdefault(clause, []).append(action)
    written = [f"{clause} {', '.join(actions)}" for clause, actions in clauses.items()]
    return " ".join(written)


def _target(writing: Writing) -> tuple[str, str]:
    return writing.path(with_keys=writing.chance(20))


def _action(writing: Writing, path: str, kind: str) -> tuple[str, str]:
    choices = ["SET", "SET", "REMOVE"]
    if kind in SETS:
        choices += ["ADD", "DELETE"] * 2
    elif kind == "N":
        choices += ["ADD"]
    clause = writing.one_of(choices)
    if clause == "REMOVE":
        return clause, path
    if clause == "SET":
        return clause, f"{path} = {_assigned(writing, path, kind)}"
    return clause, f"{path} {writing.value_of(kind)}"


def _assigned(writing: Writing, path: str, kind: str) -> str:
    form = writing.one_of(["value", "value", "path", "if_not_exists", "arithmetic", "list_append"])
    if kind == "L" and not writing.chance(3):
        form = "list_append"
    if kind == "N" and not writing.chance(2):
        form = "arithmetic"
    if form == "path":
        return writing.path_of(kind)
    if form == "if_not_exists":
        return f"if_not_exists({writing.path_of(kind)}, {writing.value_of(kind)})"
    if form == "arithmetic":
        sides = [_number(writing, path), _number(writing, path)]
        return f" {writing.one_of('+-')} ".join(sides)
    if form == "list_append":
        sides = [_list(writing, path), writing.value_of("L")]
        if writing.chance(2):
            sides.reverse()
        return f"list_append({', '.join(sides)})"
    return writing.value_of(kind)


def _number(writing: Writing, path: str) -> str:
    form = writing.one_of(["value", "value", "itself", "path", "if_not_exists"])
    if form == "itself":
        return path
    if form == "path":
        return writing.path_of("N")
    if form == "if_not_exists":
        return f"if_not_exists({writing.path_of('N')}, {writing.value_of('N')})"
    return writing.value_of("N")


def _list(writing: Writing, path: str) -> str:
    form = writing.one_of(["itself", "if_not_exists", "path"])
    if form == "if_not_exists":
        return f"if_not_exists({path}, {writing.value_of('L')})"
    return path if form == "itself" else writing.path_of("L")
