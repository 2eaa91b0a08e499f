"""Projections bound to a request: which parts of an item to return."""

from __future__ import annotations

from collections.abc import Sequence

from ..attributes import Attributes
from .paths import Parts, lay_out, pick


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
