"""Expressions drawn at random: their syntax, their text, and near misses of it."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from keypact.engine.expressions.syntax import (
    Action,
    And,
    Between,
    Call,
    Comparison,
    Condition,
    In,
    Not,
    Operand,
    Or,
    Path,
    Sum,
    Value,
)

# Few names, so that they meet each other and the items that are drawn beside them.
NAMES = ["a", "b", "c", "m", "#n"]
RESOLVED = {"#n": "n"}
VALUES: dict[str, dict] = {
    ":s": {"S": "ab"},
    ":e": {"S": ""},
    ":n": {"N": "2"},
    ":o": {"N": "-1.5"},
    ":b": {"B": "YWI="},
    ":t": {"BOOL": True},
    ":z": {"NULL": True},
    ":ss": {"SS": ["a", "ab"]},
    ":ns": {"NS": ["2", "3"]},
    ":l": {"L": [{"S": "ab"}, {"N": "2"}]},
    ":m": {"M": {"a": {"N": "2"}}},
}
ORDERED = [":s", ":e", ":n", ":o", ":b"]
TEXTUAL = [":s", ":e", ":b"]

_names = st.sampled_from(NAMES)
paths = st.one_of(
    _names.map(lambda name: Path((name,))),
    # As the items are: a map in m, a list in b.
    st.builds(lambda name: Path(("m", name)), _names),
    st.builds(lambda index: Path(("b", index)), st.integers(0, 4)),
    st.builds(
        lambda first, rest: Path((first, *rest)),
        _names,
        st.lists(st.one_of(_names, st.integers(0, 2)), min_size=1, max_size=2),
    ),
)
values = st.sampled_from(sorted(VALUES)).map(Value)
sizes = st.builds(lambda path: Call("size", (path,)), paths)


def _distinct(pair: tuple[Operand, Operand]) -> bool:
    """Whether no attribute is compared with itself, which is refused."""
    left, right = (resolved(one) for one in pair)
    return left is None or left != right


def resolved(operand: Operand) -> tuple[str | int, ...] | None:
    if not isinstance(operand, Path):
        return None
    return tuple(
        RESOLVED.get(part, part) if isinstance(part, str) else part for part in operand.parts
    )


def _operands(names: Iterable[str], *, sized: bool = True) -> st.SearchStrategy[Operand]:
    chosen = [paths, st.sampled_from(sorted(names)).map(Value)]
    return st.one_of(*chosen, sizes) if sized else st.one_of(*chosen)


any_operands = _operands(VALUES)
ordered_operands = _operands(ORDERED)
textual_operands = _operands(TEXTUAL, sized=False)
# Bounds that are both values have their own rules; one of them is a path here.
bounds = st.one_of(st.tuples(paths, ordered_operands), st.tuples(ordered_operands, paths))

simple_conditions: st.SearchStrategy[Condition] = st.one_of(
    st.builds(
        lambda sign, pair: Comparison(sign, *pair),
        st.sampled_from(["=", "<>"]),
        st.tuples(any_operands, any_operands).filter(_distinct),
    ),
    st.builds(
        lambda sign, pair: Comparison(sign, *pair),
        st.sampled_from(["<", "<=", ">", ">="]),
        st.tuples(ordered_operands, ordered_operands).filter(_distinct),
    ),
    st.builds(lambda operand, pair: Between(operand, *pair), ordered_operands, bounds),
    st.builds(
        lambda operand, options: In(operand, tuple(options)),
        any_operands,
        st.lists(any_operands, min_size=1, max_size=3),
    ),
    st.builds(
        lambda name, path: Call(name, (path,)),
        st.sampled_from(["attribute_exists", "attribute_not_exists"]),
        paths,
    ),
    st.tuples(textual_operands, textual_operands)
    .filter(_distinct)
    .map(lambda pair: Call("begins_with", pair)),
    st.tuples(_operands(VALUES, sized=False), any_operands)
    .filter(_distinct)
    .map(lambda pair: Call("contains", pair)),
)


def _join(node: type[And | Or], parts: list[Condition]) -> Condition:
    # Parts of one kind stand beside each other, however they were nested.
    flat = [leaf for part in parts for leaf in (part.parts if isinstance(part, node) else [part])]
    return node(tuple(flat))


conditions: st.SearchStrategy[Condition] = st.recursive(
    simple_conditions,
    lambda inner: st.one_of(
        st.builds(Not, inner).map(lambda node: node.part if isinstance(node.part, Not) else node),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: _join(And, parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: _join(Or, parts)),
    ),
    max_leaves=6,
)

scalars = st.sampled_from(
    [VALUES[name] for name in (":s", ":e", ":n", ":o", ":b", ":t", ":z", ":ss", ":ns")]
    + [{"S": "abc"}, {"N": "3"}, {"B": "YQ=="}, {"SS": ["a"]}, {"NS": ["3", "2"]}]
)
item_values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda elements: {"L": elements}),
        st.dictionaries(st.sampled_from(["a", "b", "n"]), inner, max_size=3).map(
            lambda members: {"M": members}
        ),
    ),
    max_leaves=5,
)
_maps = st.dictionaries(st.sampled_from(["a", "b", "n"]), item_values, max_size=3)
_listed = st.lists(item_values, max_size=3)
items = st.fixed_dictionaries(
    {"a": item_values, "m": _maps.map(lambda members: {"M": members})},
    optional={
        "b": _listed.map(lambda elements: {"L": elements}),
        "c": item_values,
        "n": st.sampled_from([VALUES[":n"], VALUES[":o"], VALUES[":ss"]]),
    },
)

# Updates --------------------------------------------------------------------------

_numbers = st.one_of(paths, st.sampled_from([":n", ":o"]).map(Value))
_lists = st.one_of(paths, st.just(Value(":l")))


def _defaulted(inner: st.SearchStrategy[Operand]) -> st.SearchStrategy[Operand]:
    chosen = st.builds(lambda path, default: Call("if_not_exists", (path, default)), paths, inner)
    return st.one_of(inner, chosen)


set_operands: st.SearchStrategy[Operand] = st.one_of(
    _defaulted(st.one_of(paths, values)),
    st.builds(Sum, st.sampled_from("+-"), _defaulted(_numbers), _defaulted(_numbers)),
    st.builds(lambda *both: Call("list_append", both), _defaulted(_lists), _defaulted(_lists)),
)
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(lambda path, value: Action("SET", path, value), paths, set_operands),
    st.builds(lambda path: Action("REMOVE", path, None), paths),
    st.builds(
        lambda path, name: Action("ADD", path, Value(name)),
        paths,
        st.sampled_from([":n", ":o", ":ss", ":ns"]),
    ),
    st.builds(
        lambda path, name: Action("DELETE", path, Value(name)),
        paths,
        st.sampled_from([":ss", ":ns"]),
    ),
)


def _apart(chosen: list[Action]) -> list[Action]:
    """The actions whose paths do not get in the way of one before."""
    kept: list[Action] = []
    for action in chosen:
        if not any(_clash(resolved(action.path), resolved(other.path)) for other in kept):
            kept.append(action)
    # The text has one section of each kind.
    return sorted(kept, key=lambda action: action.section)


def _clash(one: tuple | None, two: tuple | None) -> bool:
    for left, right in zip(one or (), two or (), strict=False):
        if left != right:
            return type(left) is not type(right)
    return True


updates = st.lists(actions, min_size=1, max_size=5).map(_apart)

# Text -----------------------------------------------------------------------------


def write_operand(operand: Operand) -> str:
    match operand:
        case Path(parts):
            text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
            return text[1:]
        case Value(name):
            return name
        case Sum(sign, left, right):
            return f"{write_operand(left)} {sign} {write_operand(right)}"
        case Call(name, arguments):
            return f"{name}({', '.join(map(write_operand, arguments))})"


_BINDING = {Or: 0, And: 1, Not: 2}


def write_condition(node: Condition, within: int = 0) -> str:
    """The condition's text, with parentheses only where they are needed."""
    match node:
        case Or(parts):
            text = " OR ".join(write_condition(part, 1) for part in parts)
        case And(parts):
            text = " AND ".join(write_condition(part, 2) for part in parts)
        case Not(part):
            text = f"NOT {write_condition(part, 2)}"
        case Comparison(sign, left, right):
            text = f"{write_operand(left)} {sign} {write_operand(right)}"
        case Between(operand, low, high):
            text = " ".join(
                [write_operand(operand), "BETWEEN", write_operand(low), "AND", write_operand(high)]
            )
        case In(operand, options):
            text = f"{write_operand(operand)} IN ({', '.join(map(write_operand, options))})"
        case Call():
            text = write_operand(node)
    return f"({text})" if _BINDING.get(type(node), 3) < within else text


def write_update(chosen: list[Action]) -> str:
    sections: dict[str, list[str]] = {}
    for action in chosen:
        text = write_operand(action.path)
        if action.value is not None:
            sign = " = " if action.section == "SET" else " "
            text += sign + write_operand(action.value)
        sections.setdefault(action.section, []).append(text)
    return " ".join(f"{section} {', '.join(texts)}" for section, texts in sections.items())


def used(text: str, given: dict) -> dict | None:
    """Of the names or values, those that a text mentions."""
    words = set(
        text.replace("(", " ").replace(")", " ").replace(",", " ").replace(".", " ").split()
    )
    words |= {word.partition("[")[0] for word in words}
    return {key: value for key, value in given.items() if key in words} or None
