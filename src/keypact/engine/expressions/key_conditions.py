"""Key conditions bound to a request: which stretch of which partition a query reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..attributes import AttributeValue
from ..errors import ValidationException
from . import syntax
from .conditions import CompiledCondition
from .paths import Parts, Values, resolve
from .syntax import And, Between, Call, Comparison, In, Not, Operand, Or, Path, Value


class KeyTest(NamedTuple):
    """One attribute against values: =, <, <=, >, >=, BETWEEN or begins_with."""

    name: str
    operator: str
    values: tuple[AttributeValue, ...]


class KeyStretch(NamedTuple):
    """A key condition matched with a key: values that are equal, then one test at most."""

    partition: list[AttributeValue]
    sort: list[AttributeValue]
    compared: KeyTest | None


class KeyCondition:
    """A key condition with the values of one request: at most one test an attribute."""

    __slots__ = ("tests",)

    def __init__(self, compiled: CompiledKeyCondition, values: Values) -> None:
        for check in compiled.checks:
            check(values)
        self.tests = {
            name: KeyTest(name, operator, tuple([values[value] for value in operands]))
            for name, operator, operands in compiled.tests
        }

    def attribute_names(self) -> set[str]:
        """The names of the attributes it tests."""
        return set(self.tests)

    def resolve(
        self, partition: Sequence[str], sort: Sequence[str], types: Mapping[str, str]
    ) -> KeyStretch:
        """The condition in terms of a key.

        All partition attributes must be equal to something; of the sort attributes,
        some from the left may be, and the next one may be compared.
        """
        tests = dict(self.tests)
        equal = [self._partition_value(tests, name) for name in partition]
        sorted_equal: list[AttributeValue] = []
        compared: KeyTest | None = None
        for name in sort:
            if not tests:
                break
            test = tests.pop(name, None)
            if test is None:
                raise _missed(name)
            if test.operator == "=":
                sorted_equal.append(test.values[0])
                continue
            compared = test
            break
        if tests:
            raise _not_supported()
        self._check_types(types)
        return KeyStretch(equal, sorted_equal, compared)

    @staticmethod
    def _partition_value(tests: dict[str, KeyTest], name: str) -> AttributeValue:
        test = tests.pop(name, None)
        if test is None:
            raise _missed(name)
        if test.operator != "=":
            raise _not_supported()
        return test.values[0]

    def _check_types(self, types: Mapping[str, str]) -> None:
        for test in self.tests.values():
            for value in test.values:
                if types[test.name] not in value:
                    raise ValidationException(
                        "One or more parameter values were invalid: "
                        "Condition parameter type does not match schema type"
                    )


class CompiledKeyCondition:
    """A key condition with its names filled in: attribute, operator, value placeholders."""

    __slots__ = ("checks", "tests")

    def __init__(self, kind: str, root: syntax.Condition, names: Mapping[str, str]) -> None:
        # What holds for every condition holds here too.
        self.checks = CompiledCondition(kind, root, names).checks
        self.tests: list[tuple[str, str, list[str]]] = []
        for node in _conjuncts(root):
            operator, operands = _test(node)
            name, values, first = _attribute(operands, names)
            if not first:
                operator = _turned(operator)
            if any(name == other for other, _, _ in self.tests):
                raise ValidationException(
                    "KeyConditionExpressions must only contain one condition per key"
                )
            self.tests.append((name, operator, values))


def _conjuncts(root: syntax.Condition) -> list[syntax.Condition]:
    """The parts of an AND, and of ANDs within it."""
    if not isinstance(root, And):
        return [root]
    return [leaf for part in root.parts for leaf in _conjuncts(part)]


def _test(node: syntax.Condition) -> tuple[str, tuple[Operand, ...]]:
    match node:
        case Comparison(operator, left, right) if operator != "<>":
            return operator, (left, right)
        case Between(operand, low, high):
            return "BETWEEN", (operand, low, high)
        case Call("begins_with", arguments):
            return "begins_with", arguments
        case Comparison(operator):
            unfit = operator
        case Call(name):
            unfit = name
        case In():
            unfit = "IN"
        case Not():
            unfit = "NOT"
        case _:
            assert isinstance(node, Or)
            unfit = "OR"
    raise ValidationException(f"Invalid operator used in KeyConditionExpression: {unfit}")


def _attribute(
    operands: tuple[Operand, ...], names: Mapping[str, str]
) -> tuple[str, list[str], bool]:
    """The attribute that a test is about, the values' names, and whether it stands first."""
    paths: list[Parts] = []
    values: list[str] = []
    for operand in operands:
        if isinstance(operand, Path):
            paths.append(resolve(operand, names))
        elif isinstance(operand, Value):
            values.append(operand.name)
        else:
            raise ValidationException("KeyConditionExpressions cannot contain nested operations")
    if not paths:
        raise _bad_condition("No key attribute specified")
    if len(paths) > 1:
        raise _bad_condition("Multiple attribute names used in one condition")
    (path,) = paths
    if len(path) > 1:
        raise ValidationException(
            "KeyConditionExpressions cannot have conditions on nested attributes"
        )
    return str(path[0]), values, isinstance(operands[0], Path)


_TURNED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _turned(operator: str) -> str:
    """The operator when the attribute stands on its right."""
    if operator not in _TURNED:
        raise _bad_condition(
            f"{operator} operator must have the key attribute as its first operand"
        )
    return _TURNED[operator]


def _bad_condition(problem: str) -> ValidationException:
    return ValidationException(f"Invalid condition in KeyConditionExpression: {problem}")


def _missed(name: str) -> ValidationException:
    return ValidationException(f"Query condition missed key schema element: {name}")


def _not_supported() -> ValidationException:
    return ValidationException("Query key condition not supported")
