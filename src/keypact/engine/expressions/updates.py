"""Updates bound to a request: from an item to the item as it shall be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..attributes import (
    Attributes,
    AttributeValue,
    add_numbers,
    subtract_numbers,
)
from ..errors import ValidationException
from .operands import Binder
from .parser import invalid
from .paths import Parts, Tree, Values, lay_out, lookup, pick
from .syntax import Action, Call, Operand, Path, Sum, Value

# What becomes of the value at a path; None takes it away. It sees the value there
# (None: missing) and the whole item as it was.
Change = Callable[[AttributeValue | None, Attributes, Values], AttributeValue | None]
# The right side of SET. What is missing raises.
Compute = Callable[[Attributes, Values], AttributeValue]


class Update:
    """An update with the values of one request."""

    __slots__ = ("_compiled", "_values")

    def __init__(self, compiled: CompiledUpdate, values: Values) -> None:
        for check in compiled.checks:
            check(values)
        self._compiled = compiled
        self._values = values

    @property
    def paths(self) -> Sequence[Parts]:
        """Every path the update writes to, in the order of the text."""
        return self._compiled.paths

    def attribute_names(self) -> set[str]:
        """The names of the attributes it writes to."""
        return self._compiled.attribute_names

    def apply(self, item: Attributes) -> Attributes:
        """The item after the update. The one given stays as it is; what did not change is shared.

        Every action sees the item as it was before all of them.
        """
        return _change_members(self._compiled.tree, item, item, self._values)

    def pick(self, item: Attributes) -> Attributes:
        """Only the parts of an item that the update writes to."""
        return pick(self._compiled.tree, item)


class CompiledUpdate:
    """An update with its names filled in, to be run with any values."""

    __slots__ = ("attribute_names", "checks", "paths", "tree")

    def __init__(self, kind: str, actions: Sequence[Action], names: Mapping[str, str]) -> None:
        binder = Binder(kind, names)
        self.paths = tuple(binder.parts(action.path) for action in actions)
        self.attribute_names = {str(path[0]) for path in self.paths}
        changes = [_change(binder, action) for action in actions]
        self.tree = lay_out(kind, self.paths, changes)
        self.checks = tuple(binder.checks)


# Actions at their places -------------------------------------------------------------


def _change_members(
    tree: Tree, members: Attributes, item: Attributes, values: Values
) -> Attributes:
    """A map's members after the actions below it."""
    changed = members.copy()
    for name, branch in tree.items():
        assert isinstance(name, str)
        old = members.get(name)
        if isinstance(branch, dict):
            changed[name] = _change_within(branch, old, item, values)
            continue
        new = branch(old, item, values)
        if new is not None:
            changed[name] = new
        elif old is not None:
            del changed[name]
    return changed


def _change_within(
    tree: Tree, value: AttributeValue | None, item: Attributes, values: Values
) -> AttributeValue:
    """A map or list after the actions below it. It must be there and of the right type."""
    if value is not None:
        if isinstance(next(iter(tree)), str):
            if "M" in value:
                return {"M": _change_members(tree, value["M"], item, values)}
        elif "L" in value:
            return {"L": _change_elements(tree, value["L"], item, values)}
    raise ValidationException(
        "The document path provided in the update expression is invalid for update"
    )


def _change_elements(
    tree: Tree, elements: list[AttributeValue], item: Attributes, values: Values
) -> list[AttributeValue]:
    """A list's elements after the actions below it.

    Indexes are those of the list as it was. Beyond its end, elements are appended in
    the order of their indexes, and what is taken away closes up at last.
    """
    changed: list[AttributeValue | None] = [*elements]
    for index in sorted(tree):
        assert isinstance(index, int)
        branch = tree[index]
        inside = index < len(elements)
        old = elements[index] if inside else None
        if isinstance(branch, dict):
            new: AttributeValue | None = _change_within(branch, old, item, values)
        else:
            new = branch(old, item, values)
        if inside:
            changed[index] = new
        else:
            changed.append(new)
    return [element for element in changed if element is not None]


def _change(binder: Binder, action: Action) -> Change:
    value = action.value
    if action.section == "SET":
        assert value is not None
        compute = _compute(binder, value)
        return lambda _old, item, values: compute(item, values)
    if action.section == "REMOVE":
        return lambda _old, _item, _values: None
    assert isinstance(value, Value)
    name = value.name
    if action.section == "ADD":
        _restrict_long(binder, name, _ADDABLE, "ADD")
        return lambda old, _item, values: _added(old, values[name])
    _restrict_long(binder, name, _SETS, "DELETE")
    return lambda old, _item, values: _deleted(old, values[name])


# ADD and DELETE ----------------------------------------------------------------------

_SETS = frozenset({"SS", "NS", "BS"})
_ADDABLE = _SETS | {"N"}
# These two sections call types by their long names.
_LONG_NAMES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "SS": "STRING_SET",
    "NS": "NUMBER_SET",
    "BS": "BINARY_SET",
    "L": "LIST",
    "M": "MAP",
}


def _restrict_long(binder: Binder, name: str, allowed: frozenset[str], section: str) -> None:
    def check(values: Values) -> None:
        tag = next(iter(values[name]))
        if tag not in allowed:
            raise invalid(
                binder.kind,
                "Incorrect operand type for operator or function; "
                f"operator: {section}, operand type: {_LONG_NAMES[tag]}, "
                f"typeSet: ALLOWED_FOR_{section}_OPERAND",
            )

    binder.checks.append(check)


def _added(old: AttributeValue | None, value: AttributeValue) -> AttributeValue:
    if old is None:
        return value
    ((tag, content),) = value.items()
    if tag not in old:
        raise _wrong_type()
    if tag == "N":
        return {"N": add_numbers(old["N"], content)}
    members = old[tag]
    present = set(members)
    return {tag: members + [member for member in content if member not in present]}


def _deleted(old: AttributeValue | None, value: AttributeValue) -> AttributeValue | None:
    if old is None:
        return None
    ((tag, content),) = value.items()
    if tag not in old:
        raise _wrong_type()
    rest = [member for member in old[tag] if member not in content]
    # No set is ever empty: with its last members the attribute goes.
    return {tag: rest} if rest else None


# The right side of SET ---------------------------------------------------------------


def _compute(binder: Binder, operand: Operand) -> Compute:
    match operand:
        case Value(name):
            return lambda _item, values: values[name]
        case Path():
            return _required(binder, operand)
        case Sum():
            return _sum(binder, operand)
        case Call("if_not_exists", (path, default)):
            assert isinstance(path, Path)
            found = lookup(binder.parts(path))
            otherwise = _compute(binder, default)

            def choose(item: Attributes, values: Values) -> AttributeValue:
                value = found(item)
                return otherwise(item, values) if value is None else value

            return choose
        case _:
            assert operand.name == "list_append"
            return _list_append(binder, operand)


def _required(binder: Binder, path: Path) -> Compute:
    found = lookup(binder.parts(path))

    def compute(item: Attributes, _values: Values) -> AttributeValue:
        value = found(item)
        if value is None:
            raise ValidationException(
                "The provided expression refers to an attribute that does not exist in the item"
            )
        return value

    return compute


def _sum(binder: Binder, node: Sum) -> Compute:
    what = f"operator or function: {node.operator}"
    _restrict_results(binder, node.left, "N", what)
    _restrict_results(binder, node.right, "N", what)
    left, right = _compute(binder, node.left), _compute(binder, node.right)
    calculate = add_numbers if node.operator == "+" else subtract_numbers

    def compute(item: Attributes, values: Values) -> AttributeValue:
        ours, theirs = _content("N", left(item, values)), _content("N", right(item, values))
        return {"N": calculate(ours, theirs)}

    return compute


def _list_append(binder: Binder, call: Call) -> Compute:
    for operand in call.arguments:
        _restrict_results(binder, operand, "L", "operator or function: list_append")
    first, second = (_compute(binder, operand) for operand in call.arguments)

    def compute(item: Attributes, values: Values) -> AttributeValue:
        head, tail = _content("L", first(item, values)), _content("L", second(item, values))
        return {"L": head + tail}

    return compute


def _restrict_results(binder: Binder, operand: Operand, tag: str, what: str) -> None:
    """Refuse an operand whose type is known before any item is, and wrong."""
    if isinstance(operand, Sum) and tag != "N":
        raise binder.wrong_type(what, "N")
    if isinstance(operand, Call) and operand.name == "list_append" and tag != "L":
        raise binder.wrong_type(what, "L")
    binder.restrict(operand, frozenset({tag}), what)


def _content(tag: str, value: AttributeValue) -> Any:
    if tag not in value:
        raise _wrong_type()
    return value[tag]


def _wrong_type() -> ValidationException:
    return ValidationException("An operand in the update expression has an incorrect data type")
