"""What each kind of expression may say: conditions, updates and projections."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from ..limits import IN_OPERANDS_MAX
from .parser import Parser, Problem, invalid
from .syntax import (
    Action,
    And,
    Between,
    Call,
    Comparison,
    Condition,
    ConditionText,
    In,
    Not,
    Operand,
    Or,
    Path,
    ProjectionText,
    Sum,
    UpdateText,
    Value,
)

# Texts kept parsed. Programs use few, each of them often.
PARSED_MAX = 512


@lru_cache(PARSED_MAX)
def parse_condition(kind: str, text: str) -> ConditionText:
    """Read a condition, filter or key condition; ``kind`` is its name in errors."""
    parser = _ConditionParser(kind, text)
    root = parser.condition()
    parser.finish()
    return ConditionText(parser.placeholders(), root)


@lru_cache(PARSED_MAX)
def parse_update(kind: str, text: str) -> UpdateText:
    """Read an update."""
    parser = _UpdateParser(kind, text)
    actions = parser.actions()
    parser.finish()
    return UpdateText(parser.placeholders(), actions)


@lru_cache(PARSED_MAX)
def parse_projection(kind: str, text: str) -> ProjectionText:
    """Read a projection."""
    parser = Parser(kind, text)
    paths = [parser.path()]
    while parser.accept(","):
        paths.append(parser.path())
    parser.finish()
    return ProjectionText(parser.placeholders(), tuple(paths))


_COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_JOINTS = ("AND", "OR")
_PATH_ONLY = frozenset({"attribute_exists", "attribute_not_exists"})


class _ConditionParser(Parser):
    keywords = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"})
    functions: ClassVar = {
        "attribute_exists": 1,
        "attribute_not_exists": 1,
        "attribute_type": 2,
        "begins_with": 2,
        "contains": 2,
        "size": 1,
    }

    def condition(self) -> Condition:
        """A whole condition: NOT binds closest, then AND, then OR."""
        return self._truth(self._joined())

    def _joined(self) -> Condition | Operand:
        """Parts joined by AND and OR. One part alone may be an operand in parentheses."""
        node = self._one()
        if self.keyword() not in _JOINTS:
            return node
        alternatives = [[self._truth(node)]]
        while (joint := self.keyword()) in _JOINTS:
            self.count_operator()
            self._at += 1
            part = self._truth(self._one())
            if joint == "AND":
                alternatives[-1].append(part)
            else:
                alternatives.append([part])
        joined = [parts[0] if len(parts) == 1 else And(tuple(parts)) for parts in alternatives]
        return joined[0] if len(joined) == 1 else Or(tuple(joined))

    def _one(self) -> Condition | Operand:
        negations = 0
        while self.keyword() == "NOT":
            self.count_operator()
            negations += 1
            self._at += 1
        if self.token.text == "(":
            node = self.parenthesised(self._joined)
        else:
            node = self.operand()
        if not isinstance(node, _TRUTHS):
            node = self._compared(node)
        if not negations:
            return node
        # Every two more cancel each other, and nothing nests deeper for them.
        negated = Not(self._truth(node))
        return negated if negations % 2 else Not(negated)

    def _compared(self, left: Operand) -> Condition | Operand:
        """The comparison that the operand begins, or the operand if none follows."""
        sign, word = self.token.text, self.keyword()
        if sign in _COMPARATORS:
            self._begin_comparison(left)
            return Comparison(sign, left, self._compared_operand())
        if word == "BETWEEN":
            self._begin_comparison(left)
            low = self._compared_operand()
            if self.keyword() != "AND":
                self.refuse()
            self._at += 1
            return Between(left, low, self._compared_operand())
        if word == "IN":
            self._begin_comparison(left)
            return In(left, self._options())
        return left

    def _begin_comparison(self, left: Operand) -> None:
        self._refuse_truth(left)
        self.count_operator()
        self._at += 1

    def _compared_operand(self) -> Operand:
        operand = self.operand()
        self._refuse_truth(operand)
        return operand

    def _options(self) -> tuple[Operand, ...]:
        self.expect("(")
        options = [self._compared_operand()]
        while self.accept(","):
            options.append(self._compared_operand())
        self.expect(")")
        if len(options) > IN_OPERANDS_MAX:
            raise invalid(
                self._kind,
                "The IN operator is provided with too many operands; "
                f"number of operands: {len(options)}",
            )
        return tuple(options)

    def _truth(self, node: Condition | Operand) -> Condition:
        """The node as a condition. An operand that is not compared is wrong syntax."""
        if isinstance(node, Call):
            if node.name == "size":
                self._misuse(node)
            return node
        if isinstance(node, Path | Value | Sum):
            self.refuse()
        return node

    def _refuse_truth(self, operand: Operand) -> None:
        if isinstance(operand, Call) and operand.name != "size":
            self._misuse(operand)

    def _misuse(self, call: Call) -> None:
        self.problem(
            Problem.MISUSE,
            "The function is not allowed to be used this way in an expression; "
            f"function: {call.name}",
        )

    def check_argument(self, call: Call, argument: Operand) -> None:
        self._refuse_truth(argument)
        if call.name in _PATH_ONLY and not isinstance(argument, Path):
            self.problem(Problem.OPERANDS, _path_needed(call.name))


_TRUTHS = (Comparison, Between, In, And, Or, Not)


class _UpdateParser(Parser):
    keywords = frozenset({"SET", "REMOVE", "ADD", "DELETE"})
    redundancy = False
    functions: ClassVar = {"if_not_exists": 2, "list_append": 2}

    def actions(self) -> tuple[Action, ...]:
        """Sections in any order, each once, each of one or more actions."""
        actions: list[Action] = []
        seen: set[str] = set()
        if not self.keyword():
            self.refuse()
        while section := self.keyword():
            if section in seen:
                self.problem(
                    Problem.SHAPE,
                    f'The "{section}" section can only be used once in an update expression;',
                )
            seen.add(section)
            self._at += 1
            actions.append(self._action(section))
            while self.accept(","):
                actions.append(self._action(section))
        return tuple(actions)

    def _action(self, section: str) -> Action:
        path = self.path()
        if section == "REMOVE":
            return Action(section, path, None)
        if section != "SET":
            return Action(section, path, self.value())
        self.expect("=")
        return Action(section, path, self._sum())

    def _sum(self) -> Operand:
        """An operand, or two with a sign between them; it may stand in parentheses."""
        if self.token.text == "(":
            left = self.parenthesised(self._sum)
        else:
            left = self.operand()
        sign = self.token.text
        # A sum is no operand of another one.
        if sign not in ("+", "-") or isinstance(left, Sum):
            return left
        self.count_operator()
        self._at += 1
        return Sum(sign, left, self.operand())

    def check_argument(self, call: Call, argument: Operand) -> None:
        if (
            call.name == "if_not_exists"
            and argument is call.arguments[0]
            and not isinstance(argument, Path)
        ):
            self.problem(Problem.OPERANDS, _path_needed(call.name))


def _path_needed(function: str) -> str:
    return f"Operator or function requires a document path; operator or function: {function}"
