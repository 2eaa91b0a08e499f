"""The names and values of one request, and its expressions bound to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from ..attributes import Attributes, AttributeValue, check_attributes, check_value
from ..errors import ValidationException
from .conditions import CompiledCondition, Condition
from .key_conditions import CompiledKeyCondition, KeyCondition
from .parser import (
    PARSED_MAX,
    invalid,
    parse_condition,
    parse_projection,
    parse_update,
)
from .paths import resolve
from .projections import Projection
from .syntax import Placeholders
from .updates import CompiledUpdate, Update

# Names longer than this together are not worth keeping an expression for.
_CACHED_NAMES_BYTES_MAX = 4096

_Compiled = TypeVar("_Compiled")
_NO_NAMES: tuple[tuple[str, str], ...] = ()


class Environment:
    """What ``ExpressionAttributeNames`` and ``ExpressionAttributeValues`` say in one request.

    All expressions of the request are bound through it, so that ``finish`` can tell
    what none of them used.
    """

    __slots__ = ("_bound", "_names", "_unused_names", "_unused_values", "_values")

    def __init__(
        self,
        names: Mapping[str, str] | None = None,
        values: Mapping[str, AttributeValue] | None = None,
    ) -> None:
        self._bound = False
        self._names: Mapping[str, str] = {} if names is None else _check_names(names)
        self._values: Attributes = {} if values is None else _check_values(values)
        self._unused_names = set(self._names)
        self._unused_values = set(self._values)

    def condition(self, kind: str, text: str) -> Condition:
        """Bind a ``ConditionExpression`` or ``FilterExpression``."""
        names = self._use(kind, parse_condition(kind, text).placeholders)
        return Condition(_cached(_condition, kind, text, names), self._values)

    def update(self, text: str) -> Update:
        """Bind an ``UpdateExpression``."""
        kind = "UpdateExpression"
        names = self._use(kind, parse_update(kind, text).placeholders)
        return Update(_cached(_update, kind, text, names), self._values)

    def projection(self, text: str) -> Projection:
        """Bind a ``ProjectionExpression``."""
        kind = "ProjectionExpression"
        names = self._use(kind, parse_projection(kind, text).placeholders)
        return _cached(_projection, kind, text, names)

    def key_condition(self, text: str) -> KeyCondition:
        """Bind a ``KeyConditionExpression``."""
        kind = "KeyConditionExpression"
        names = self._use(kind, parse_condition(kind, text).placeholders)
        return KeyCondition(_cached(_key_condition, kind, text, names), self._values)

    def finish(self) -> None:
        """Refuse names and values that no expression used. To be called after all were bound."""
        if self._unused_names:
            raise self._unused("Names", self._names, self._unused_names)
        if self._unused_values:
            raise self._unused("Values", self._values, self._unused_values)

    def _unused(self, what: str, given: Mapping[str, Any], unused: set[str]) -> Exception:
        if not self._bound:
            return ValidationException(
                f"ExpressionAttribute{what} can only be specified when using expressions"
            )
        keys = ", ".join(key for key in given if key in unused)
        return ValidationException(
            f"Value provided in ExpressionAttribute{what} unused in expressions: keys: {{{keys}}}"
        )

    def _use(self, kind: str, placeholders: Placeholders) -> tuple[tuple[str, str], ...]:
        """Note what an expression uses; its placeholders with the names they stand for."""
        self._bound = True
        names = _NO_NAMES
        if placeholders.names:
            for name in placeholders.names:
                if name not in self._names:
                    raise invalid(
                        kind,
                        "An expression attribute name used in the document path is not "
                        f"defined; attribute name: {name}",
                    )
            names = tuple([(name, self._names[name]) for name in placeholders.names])
            self._unused_names.difference_update(placeholders.names)
        for value in placeholders.values:
            if value not in self._values:
                raise invalid(
                    kind,
                    "An expression attribute value used in expression is not defined; "
                    f"attribute value: {value}",
                )
            self._unused_values.discard(value)
        return names


# Expressions with their names filled in ------------------------------------------------


def _cached(
    compile_: Callable[[str, str, tuple[tuple[str, str], ...]], _Compiled],
    kind: str,
    text: str,
    names: tuple[tuple[str, str], ...],
) -> _Compiled:
    if names and sum(len(name) for _, name in names) > _CACHED_NAMES_BYTES_MAX:
        return compile_.__wrapped__(kind, text, names)  # type: ignore[attr-defined,no-any-return]
    return compile_(kind, text, names)


@lru_cache(PARSED_MAX)
def _condition(kind: str, text: str, names: tuple[tuple[str, str], ...]) -> CompiledCondition:
    return CompiledCondition(kind, parse_condition(kind, text).root, dict(names))


@lru_cache(PARSED_MAX)
def _update(kind: str, text: str, names: tuple[tuple[str, str], ...]) -> CompiledUpdate:
    return CompiledUpdate(kind, parse_update(kind, text).actions, dict(names))


@lru_cache(PARSED_MAX)
def _projection(kind: str, text: str, names: tuple[tuple[str, str], ...]) -> Projection:
    known = dict(names)
    return Projection(kind, [resolve(path, known) for path in parse_projection(kind, text).paths])


@lru_cache(PARSED_MAX)
def _key_condition(
    kind: str, text: str, names: tuple[tuple[str, str], ...]
) -> CompiledKeyCondition:
    return CompiledKeyCondition(kind, parse_condition(kind, text).root, dict(names))


# Names and values -----------------------------------------------------------------------

_KEY = re.compile(r"[#:][A-Za-z0-9_]+", re.ASCII)


@lru_cache(4 * PARSED_MAX)
def _is_key(sign: str, key: str) -> bool:
    return key.startswith(sign) and _KEY.fullmatch(key) is not None


def _check_keys(what: str, sign: str, given: Mapping[str, object]) -> None:
    if not given:
        raise ValidationException(f"ExpressionAttribute{what} must not be empty")
    for key in given:
        if not _is_key(sign, key):
            raise ValidationException(
                f'ExpressionAttribute{what} contains invalid key: Syntax error; key: "{key}"'
            )


def _check_names(names: Mapping[str, str]) -> Mapping[str, str]:
    _check_keys("Names", "#", names)
    return names


def _check_values(values: Mapping[str, AttributeValue]) -> Attributes:
    _check_keys("Values", ":", values)
    try:
        return check_attributes(dict(values)).attributes
    except ValidationException:
        for key, value in values.items():
            try:
                check_value(value)
            except ValidationException as error:
                raise ValidationException(
                    "ExpressionAttributeValues contains invalid value: "
                    f"{error.message} for key {key}"
                ) from None
        raise
