"""The names and values of one request, and its expressions bound to them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

from ..attributes import Attributes, check_attributes, check_value
from ..errors import ValidationException
from ..limits import EXPRESSION_NAME_BYTES_MAX, SUBSTITUTIONS_BYTES_MAX
from .conditions import CompiledCondition, Condition
from .grammars import PARSED_MAX, parse_condition, parse_projection, parse_update
from .key_conditions import CompiledKeyCondition, KeyCondition
from .parser import invalid
from .paths import Projection, resolve
from .syntax import Placeholders
from .updates import CompiledUpdate, Update

# Names longer than this together are not worth keeping an expression for.
_CACHED_NAMES_MAX = 4096

_Compiled = TypeVar("_Compiled")


class Environment:
    """What ``ExpressionAttributeNames`` and ``ExpressionAttributeValues`` say in one request.

    All expressions of the request are bound through it, so that ``finish`` can tell
    what none of them used.
    """

    __slots__ = ("_names", "_used", "_values")

    def __init__(
        self, names: dict[str, str] | None = None, values: Attributes | None = None
    ) -> None:
        self._names = {} if names is None else _check_names(names)
        self._values = {} if values is None else _check_values(values)
        self._used: list[Placeholders] = []

    def condition(self, kind: str, text: str) -> Condition:
        """Bind a ``ConditionExpression`` or ``FilterExpression``."""
        names = self._use(kind, parse_condition(kind, text).placeholders)
        return Condition(_compiled(_condition, kind, text, names), self._values)

    def update(self, text: str) -> Update:
        """Bind an ``UpdateExpression``."""
        kind = "UpdateExpression"
        names = self._use(kind, parse_update(kind, text).placeholders)
        return Update(_compiled(_update, kind, text, names), self._values)

    def projection(self, text: str) -> Projection:
        """Bind a ``ProjectionExpression``."""
        kind = "ProjectionExpression"
        names = self._use(kind, parse_projection(kind, text).placeholders)
        return _compiled(_projection, kind, text, names)

    def key_condition(self, text: str) -> KeyCondition:
        """Bind a ``KeyConditionExpression``."""
        kind = "KeyConditionExpression"
        names = self._use(kind, parse_condition(kind, text).placeholders)
        return KeyCondition(_compiled(_key_condition, kind, text, names), self._values)

    def finish(self) -> None:
        """Refuse names and values that no expression used. To be called after all were bound."""
        used = self._used
        if len(used) == 1:
            # The commonest case: every placeholder is given, so counting them is enough.
            (only,) = used
            if len(only.names) == len(self._names) and len(only.values) == len(self._values):
                return
        self._refuse_unused("Names", self._names, {name for one in used for name in one.names})
        self._refuse_unused("Values", self._values, {name for one in used for name in one.values})

    def _refuse_unused(self, what: str, given: Mapping[str, object], used: set[str]) -> None:
        unused = [key for key in given if key not in used]
        if not unused:
            return
        if not self._used:
            raise ValidationException(
                f"ExpressionAttribute{what} can only be specified when using expressions"
            )
        raise ValidationException(
            f"Value provided in ExpressionAttribute{what} unused in expressions: "
            f"keys: {{{', '.join(unused)}}}"
        )

    def _use(self, kind: str, placeholders: Placeholders) -> tuple[str, ...]:
        """Note what an expression uses; the names that its placeholders stand for."""
        self._used.append(placeholders)
        names: tuple[str, ...] = ()
        if placeholders.names:
            for name in placeholders.names:
                if name not in self._names:
                    raise invalid(
                        kind,
                        "An expression attribute name used in the document path is not "
                        f"defined; attribute name: {name}",
                    )
            names = tuple([self._names[name] for name in placeholders.names])
        values = self._values
        for value in placeholders.values:
            if value not in values:
                raise invalid(
                    kind,
                    "An expression attribute value used in expression is not defined; "
                    f"attribute value: {value}",
                )
        return names


# Expressions with their names filled in ------------------------------------------------


def _compiled(
    compile_: Callable[[str, str, tuple[str, ...]], _Compiled],
    kind: str,
    text: str,
    names: tuple[str, ...],
) -> _Compiled:
    if names and sum(map(len, names)) > _CACHED_NAMES_MAX:
        compile_ = inspect.unwrap(compile_)
    return compile_(kind, text, names)


@lru_cache(PARSED_MAX)
def _condition(kind: str, text: str, names: tuple[str, ...]) -> CompiledCondition:
    parsed = parse_condition(kind, text)
    return CompiledCondition(kind, parsed.root, parsed.placeholders.named(names))


@lru_cache(PARSED_MAX)
def _update(kind: str, text: str, names: tuple[str, ...]) -> CompiledUpdate:
    parsed = parse_update(kind, text)
    return CompiledUpdate(kind, parsed.actions, parsed.placeholders.named(names))


@lru_cache(PARSED_MAX)
def _projection(kind: str, text: str, names: tuple[str, ...]) -> Projection:
    parsed = parse_projection(kind, text)
    named = parsed.placeholders.named(names)
    return Projection(kind, [resolve(path, named) for path in parsed.paths])


@lru_cache(PARSED_MAX)
def _key_condition(kind: str, text: str, names: tuple[str, ...]) -> CompiledKeyCondition:
    parsed = parse_condition(kind, text)
    return CompiledKeyCondition(kind, parsed.root, parsed.placeholders.named(names))


# Names and values -----------------------------------------------------------------------

_KEYS = {"#": re.compile(r"#[A-Za-z0-9_]+"), ":": re.compile(r":[A-Za-z0-9_]+")}


@lru_cache(4 * PARSED_MAX)
def _key_problem(sign: str, key: str) -> str | None:
    if _KEYS[sign].fullmatch(key) is None:
        return "Syntax error"
    if len(key) > EXPRESSION_NAME_BYTES_MAX:
        return "The expression attribute map contains a key that is too long"
    return None


def _check_keys(what: str, sign: str, given: Mapping[str, object]) -> None:
    if not given:
        raise ValidationException(f"ExpressionAttribute{what} must not be empty")
    for key in given:
        problem = _key_problem(sign, key)
        if problem is not None:
            raise ValidationException(
                f'ExpressionAttribute{what} contains invalid key: {problem}; key: "{key}"'
            )


def _check_names(names: dict[str, str]) -> dict[str, str]:
    _check_keys("Names", "#", names)
    for key, name in names.items():
        if not name:
            raise ValidationException(
                "ExpressionAttributeNames contains invalid value: "
                f"Attribute name must not be empty for key {key}"
            )
    return names


def _check_values(values: Attributes) -> Attributes:
    _check_keys("Values", ":", values)
    try:
        checked, size = check_attributes(values)
    except ValidationException as error:
        raise _invalid_value(values, error) from None
    if size > SUBSTITUTIONS_BYTES_MAX:
        raise ValidationException(
            "ExpressionAttributeValues exceeds max size; "
            f"maximum: {SUBSTITUTIONS_BYTES_MAX}, size: {size}"
        )
    return checked


def _invalid_value(values: Attributes, error: ValidationException) -> ValidationException:
    """The error that one of the values gave, with its key."""
    for key, value in values.items():
        try:
            check_value(value)
        except ValidationException:
            return ValidationException(
                f"ExpressionAttributeValues contains invalid value: {error.message} for key {key}"
            )
    return error
