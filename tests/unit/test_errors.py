"""Errors: one tree, stable codes, and the drawing of it at the top of the module."""

from __future__ import annotations

import re

import pytest

from keypact import errors
from keypact.errors import KeypactError

# The specification's codes. ErrInvalidTag is for Go's annotations only; what a class
# annotates wrongly is an invalid schema here.
SPECIFIED = {
    "ErrInvalidModel": errors.InvalidModel,
    "ErrMissingPrimaryKey": errors.MissingPrimaryKey,
    "ErrItemNotFound": errors.ItemNotFound,
    "ErrConditionFailed": errors.ConditionFailed,
    "ErrInvalidOperator": errors.InvalidOperator,
    "ErrEncryptedFieldNotQueryable": errors.EncryptedFieldNotQueryable,
    "ErrEncryptionNotConfigured": errors.EncryptionNotConfigured,
    "ErrInvalidEncryptedEnvelope": errors.InvalidEncryptedEnvelope,
}
OURS = {
    "ErrInvalidCursor": errors.InvalidCursor,
    "ErrTransactionCanceled": errors.TransactionCanceled,
    "ErrThrottled": errors.Throttled,
    "ErrUnavailable": errors.Unavailable,
    "ErrOutcomeUnknown": errors.OutcomeUnknown,
    "ErrTableNotFound": errors.TableNotFound,
    "ErrBatchIncomplete": errors.BatchIncomplete,
}


def _classes() -> list[type[KeypactError]]:
    return [
        one
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, KeypactError)
    ]


@pytest.mark.parametrize(("code", "kind"), [*SPECIFIED.items(), *OURS.items()])
def test_every_case_has_a_class_with_its_code(code, kind):
    """Programs may decide by the class or by the code."""
    assert kind.code == code
    assert issubclass(kind, KeypactError)


def test_a_code_belongs_to_one_branch_of_the_tree():
    """Classes that share a code are kinds of one another."""
    by_code: dict[str, list[type[KeypactError]]] = {}
    for kind in _classes():
        by_code.setdefault(kind.code, []).append(kind)
    for kinds in by_code.values():
        assert all(issubclass(one, kinds[0]) for one in kinds)


def test_the_drawing_shows_the_tree():
    """Each class once, under its parent, with its code."""
    assert errors.__doc__
    drawn = re.findall(r"^([│├└─ ]*)(\w+)(?: +(Err\w+))?", errors.__doc__, re.MULTILINE)
    tree = {name: (len(lines) // 4, code) for lines, name, code in drawn if name != "Every"}
    assert tree.keys() == {kind.__name__ for kind in _classes()}
    for kind in _classes():
        depth, code = tree[kind.__name__]
        assert depth == len([one for one in kind.__mro__ if issubclass(one, KeypactError)]) - 1
        assert code in (kind.code, "")


def test_whether_to_try_again_is_said():
    """Throttling, absence and unfinished batches pass; a lost answer does not."""
    retryable = {kind.__name__ for kind in _classes() if kind.retryable}
    assert retryable == {"Throttled", "Unavailable", "BatchIncomplete"}
