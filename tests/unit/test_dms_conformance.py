"""docs/dms-conformance.md: no sentence of the specification without a test that exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "dms-conformance.md").read_text()

# Every sentence of the specification, version 0.1, that says MUST or MUST NOT.
SENTENCES = """
a DMS file MUST parse to the same JSON object shape in Go/TypeScript/Python.
Serialization MUST be deterministic (no insignificant whitespace; object keys sorted recursively).
`null` values MUST be stored as DynamoDB `NULL` (not as the string `"null"`).
Every implementation MUST resolve to the **same DynamoDB attribute names** for a given DMS.
If `naming.convention` is present, implementations MUST validate attribute names to that convention:
Implementations MUST treat these as library-owned fields (no silent partial updates).
Implementations MAY accept convenience input types (Go `time.Time`, TS `Date`) but MUST serialize to epoch seconds.
if the model has a version field and it is “empty”, it MUST be written as `0`.
implementations MUST add a condition expression requiring `version == currentVersion` (from the provided model state)
implementations MUST atomically increment version by `+1` as part of the update (DynamoDB `ADD`).
If `omit_empty: true`, an attribute MUST be omitted from the write when its value is empty by these rules:
empty sets MUST be encoded as `NULL` and then omitted if `omit_empty` is true.
Cursor MUST be stable across languages so pagination can be handed between services (Go → TS, TS → Go).
JSON serialization MUST match Go’s output:
top-level key order MUST be: `lastKey`, then `index` (if present), then `sort` (if present)
for all map/object values (including `lastKey` and maps nested under `M`), keys MUST be sorted lexicographically
Encrypted attributes MUST NOT be used as primary keys or index keys.
Encrypted attributes MUST NOT be queryable/filterable (ciphertext is non-deterministic).
If a model contains any encrypted attributes and encryption is not configured, implementations MUST **fail closed** before writing (no plaintext fallback).
Implementations MUST expose typed errors (or stable error codes) for these cases:
Every implementation MUST: declare supported DMS versions
Every implementation MUST: pin a DMS version in CI contract tests
""".strip().splitlines()  # noqa: E501, RUF001 - the specification's own lines and letters


def _rows(section: str) -> dict[str, list[str]]:
    """The rows of a section: what is said, and the tests that are named for it."""
    text = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").rsplit(" | ", 1) for line in text.splitlines() if line[:1] == "|"]
    return {said: re.findall(r"`([\w/]+\.py::\w+)`", tests) for said, tests in rows[2:]}


SPECIFIED = _rows("The specification")
SETTLED = _rows("What the specification leaves open")


def test_every_sentence_that_says_must_is_listed():
    """In the specification's order, and nothing else."""
    assert list(SPECIFIED) == SENTENCES


@pytest.mark.parametrize(("said", "tests"), [*SPECIFIED.items(), *SETTLED.items()])
def test_every_rule_has_tests_that_exist(said, tests):
    """A rule without a test is a wish."""
    assert tests, said
    for name in tests:
        file, test = name.split("::")
        assert test in _tests(file), name


@cache
def _tests(file: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / file).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
