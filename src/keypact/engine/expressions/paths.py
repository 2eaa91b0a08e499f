"""Document paths with their names filled in: looked up, laid out as a tree, picked from items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..attributes import Attributes, AttributeValue
from .parser import invalid
from .syntax import Path

# A path of attribute names and list indexes; the first part is a name.
Parts = tuple[str | int, ...]
# Values by their placeholders, as the request gave them.
Values = Mapping[str, AttributeValue]
# A branch for each part. What ends a path is a leaf: anything but a dict.
Tree = dict[str | int, Any]


def resolve(path: Path, names: Mapping[str, str]) -> Parts:
    """The path's parts, each placeholder replaced by the name it stands for."""
    return tuple(
        names[part] if isinstance(part, str) and part[0] == "#" else part for part in path.parts
    )


def lookup(parts: Parts) -> Callable[[Attributes], AttributeValue | None]:
    """A function that finds the path's value in an item; None when there is none."""
    first, *rest = parts
    assert isinstance(first, str)
    if not rest:
        return lambda item: item.get(first)

    def find(item: Attributes) -> AttributeValue | None:
        value = item.get(first)
        for part in rest:
            if value is None:
                return None
            if isinstance(part, str):
                value = value["M"].get(part) if "M" in value else None
            else:
                members = value.get("L", ())
                value = members[part] if part < len(members) else None
        return value

    return find


def lay_out(kind: str, paths: Sequence[Parts], leaves: Sequence[object]) -> Tree:
    """A tree with the leaves at the ends of their paths.

    Refused when a path leads to or through another one's end, or when two of them
    take the same value for a map and for a list.
    """
    tree: Tree = {}
    for position, (parts, leaf) in enumerate(zip(paths, leaves, strict=True)):
        branch = tree
        for part in parts[:-1]:
            _check_branch(kind, branch, part, paths, position)
            branch = branch.setdefault(part, {})
            if not isinstance(branch, dict):
                raise _clash(kind, "overlap", paths, position)
        last = parts[-1]
        _check_branch(kind, branch, last, paths, position)
        if last in branch:
            raise _clash(kind, "overlap", paths, position)
        branch[last] = leaf
    return tree


def _check_branch(
    kind: str, branch: Tree, part: str | int, paths: Sequence[Parts], position: int
) -> None:
    if branch and type(next(iter(branch))) is not type(part):
        raise _clash(kind, "conflict", paths, position)


def _clash(kind: str, verb: str, paths: Sequence[Parts], position: int) -> Exception:
    two = paths[position]
    one = next(path for path in paths[:position] if _clashes(path, two))
    return invalid(
        kind,
        f"Two document paths {verb} with each other; must remove or rewrite one of these "
        f"paths; path one: {describe(one)}, path two: {describe(two)}",
    )


def _clashes(one: Parts, two: Parts) -> bool:
    for left, right in zip(one, two, strict=False):
        if left != right:
            return type(left) is not type(right)
    return True


def describe(parts: Parts) -> str:
    """The path as errors show it: ``[a, [0], b]``."""
    shown = (part if isinstance(part, str) else f"[{part}]" for part in parts)
    return f"[{', '.join(shown)}]"


def pick(tree: Tree, item: Attributes) -> Attributes:
    """What the item has at the tree's paths, and nothing else.

    Elements of a list close up, in the order they have in the item.
    """
    picked: Attributes = {}
    for name, branch in tree.items():
        value = item.get(name)  # type: ignore[arg-type]  # names at the top
        if value is not None:
            part = _pick_value(branch, value) if isinstance(branch, dict) else value
            if part is not None:
                picked[name] = part  # type: ignore[index]
    return picked


def _pick_value(tree: Tree, value: AttributeValue) -> AttributeValue | None:
    if isinstance(next(iter(tree)), str):
        members = pick(tree, value["M"]) if "M" in value else None
        return {"M": members} if members else None
    elements = value.get("L", ())
    picked = []
    for index in sorted(tree):
        if index < len(elements):  # type: ignore[operator]  # indexes, as the first one is
            branch, element = tree[index], elements[index]
            part = _pick_value(branch, element) if isinstance(branch, dict) else element
            if part is not None:
                picked.append(part)
    return {"L": picked} if picked else None


class Projection:
    """Paths that were asked for."""

    __slots__ = ("_names", "_tree")

    def __init__(self, kind: str, paths: Sequence[Parts]) -> None:
        self._tree = lay_out(kind, paths, [None] * len(paths))
        self._names = {str(path[0]) for path in paths}

    def pick(self, item: Attributes) -> Attributes:
        """The item's parts at the paths; what the item does not have is left out."""
        return pick(self._tree, item)

    def attribute_names(self) -> set[str]:
        """The names of the attributes that the paths begin with."""
        return self._names
