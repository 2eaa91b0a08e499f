"""What an expression says, once read: nodes that never change, so that texts can share them."""

from __future__ import annotations

from dataclasses import dataclass

# Operands ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Path:
    """A document path: names (or ``#`` placeholders) and list indexes, a name first."""

    parts: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """A ``:`` placeholder of a value."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function; in a condition it may stand for a truth or, ``size``, for a number."""

    name: str
    arguments: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """Two numbers added or subtracted, in the SET section only."""

    operator: str
    left: Operand
    right: Operand


Operand = Path | Value | Call | Sum

# Conditions ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two operands under ``=``, ``<>``, ``<``, ``<=``, ``>`` or ``>=``."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between:
    """An operand within two bounds, both included."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In:
    """An operand equal to one of several."""

    operand: Operand
    options: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class And:
    """All of the parts hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of the parts holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition


Condition = Comparison | Between | In | And | Or | Not | Call

# Updates -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Action:
    """One change: its section (SET, REMOVE, ADD or DELETE), where, and with what."""

    section: str
    path: Path
    value: Operand | None


# Whole expressions ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Placeholders:
    """The ``#`` names and ``:`` values an expression uses, each once, in its order."""

    names: tuple[str, ...]
    values: tuple[str, ...]

    def named(self, names: tuple[str, ...]) -> dict[str, str]:
        """The attribute names, given in order, by their placeholders."""
        return dict(zip(self.names, names, strict=True))


@dataclass(frozen=True, slots=True)
class ConditionText:
    """A condition, filter or key condition."""

    placeholders: Placeholders
    root: Condition


@dataclass(frozen=True, slots=True)
class UpdateText:
    """An update's actions in the order of the text."""

    placeholders: Placeholders
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class ProjectionText:
    """A projection's paths in the order of the text."""

    placeholders: Placeholders
    paths: tuple[Path, ...]
