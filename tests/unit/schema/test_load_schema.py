"""load_schema takes a file or a text, YAML or JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from keypact.errors import InvalidDocument, InvalidModel
from keypact.schema import DMS_VERSIONS, load_schema

from .documents import COMPLETED_EXAMPLE, RICH, SPEC_EXAMPLE


def test_version_0_1_is_declared() -> None:
    """An implementation says which versions of DMS it supports."""
    assert DMS_VERSIONS == ("0.1",)


def test_a_file_loads_as_its_text_does(tmp_path: Path) -> None:
    """A path may be a string or a Path, YAML or JSON; the schema is the same."""
    yaml_path, json_path = tmp_path / "models.dms.yaml", tmp_path / "models.dms.json"
    yaml_path.write_text(json.dumps(RICH, indent=2))
    json_path.write_text(json.dumps(RICH))
    schema = load_schema(text=json.dumps(RICH))
    assert load_schema(yaml_path) == load_schema(str(json_path)) == schema
    yaml_path.write_bytes(COMPLETED_EXAMPLE.encode("utf-8-sig"))
    assert load_schema(yaml_path) == load_schema(text=COMPLETED_EXAMPLE)
    assert load_schema(text=COMPLETED_EXAMPLE.encode()) == load_schema(text=COMPLETED_EXAMPLE)


def test_problems_name_the_file(tmp_path: Path) -> None:
    """As the caller wrote it, so that an editor can jump there."""
    path = tmp_path / "models.dms.yaml"
    path.write_text(SPEC_EXAMPLE)
    with pytest.raises(InvalidModel) as caught:
        load_schema(path)
    assert str(caught.value).startswith(f"{path}:45:33: models[0].indexes[0].partition: ")
    with pytest.raises(InvalidModel, match=r"^my models:45:33: "):
        load_schema(text=SPEC_EXAMPLE, name="my models")


def test_a_missing_file_is_an_invalid_model(tmp_path: Path) -> None:
    """The error says which file, and chains the system's own."""
    with pytest.raises(InvalidDocument, match=r"cannot read .*none\.yaml: No such file") as caught:
        load_schema(tmp_path / "none.yaml")
    assert isinstance(caught.value.__cause__, FileNotFoundError)


@pytest.mark.parametrize("arguments", [{}, {"path": "a", "text": "b"}])
def test_a_path_or_a_text_is_needed(arguments: dict[str, str]) -> None:
    """Neither, or both, is a mistake of the caller."""
    with pytest.raises(TypeError, match="a path or a text"):
        load_schema(**arguments)


def test_models_are_imported_without_a_reader() -> None:
    """A program that declares its models in Python does not pay for YAML."""
    code = (
        "import sys, keypact.schema.models\n"
        "print([name for name in ('yaml', 'difflib', 'keypact.schema.checker')"
        " if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert result.stdout.strip() == "[]"
