"""How the house is kept: who imports whom, how big things get, and what is written down."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "keypact"

# Who may import whom among the rooms of the package: a room knows its own floor and those
# below it. A room that is not listed may not exist. Only a backend, and the command that
# serves it, know the engine, which knows none of them.
FLOORS: list[set[str]] = [
    {"errors"},
    {"blobs", "gojson"},
    {"schema"},
    {"lifecycle"},
    # How Python values become items, and items values.
    {
        "adapters",
        "annotations",
        "classes",
        "codec_source",
        "codecs",
        "generation",
        "names",
        "records",
        "values",
    },
    {"cursor", "encryption", "keyrings"},
    {"conditions", "queries", "updates"},
    {"backends"},
    # What a table does, operation by operation.
    {
        "answers",
        "batches",
        "creation",
        "effects",
        "leases",
        "sealing",
        "streams",
        "table",
        "transactions",
        "writes",
    },
    {"contracts"},
    # The package's own __init__: the public names.
    {"keypact"},
    {"apps", "portable"},
    {"cli"},
]
MAY_IMPORT: dict[str, set[str]] = {
    room: set().union(*FLOORS[: number + 1])
    for number, floor in enumerate(FLOORS)
    for room in floor
} | {"engine": set()}
for _room_above in ("backends", "cli"):
    MAY_IMPORT[_room_above].add("engine")

# The engine's own floors: what lies below has never heard of what lies above.
KEPT_APART = {
    "keypact.engine.expressions": {"storage", "operations", "engine", "server"},
    "keypact.engine.storage": {"expressions", "operations", "engine", "server"},
    "keypact.engine.operations": {"server"},
}

# Which room needs which distribution. Whatever is not listed is the standard library.
MAY_REQUIRE = {
    "aiohttp": {"backends"},
    "botocore": {"backends", "keyrings"},
    "cryptography": {"encryption", "keyrings"},
    "msgspec": set(MAY_IMPORT),
    "pydantic": {"adapters"},
    "pydantic_core": {"adapters"},
    "yaml": {"schema"},
    "yarl": {"backends"},
    "httptools": {"engine"},
    "uvloop": {"engine"},
    "rich": {"cli"},
    "typer": {"cli"},
}

MODULE_LINES_MAX = 600
FUNCTION_LINES_MAX = 80
PAGE_LINES_MAX = 60
MAP_LINES_MAX = 120

DECISION_SECTIONS = ["Question", "Decision", "Rejected", "Consequences"]
VAGUE_NAMES = re.compile(r"utils?$|helpers?$|Utils?$|Helpers?$|Managers?$|Impl$")

# Written with a bracket in each word, so that this file does not contain them.
NOTES_TO_SELF = re.compile(r"\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b")
MACHINE_PATHS = re.compile(r"(?<![\w./-])/(?:[r]oot|[h]ome|[U]sers|[w]ork|[w]orkspace)/\w")


# --- What is looked at ---------------------------------------------------------------


def _python_files(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


SOURCES = _python_files(PACKAGE)
ALL_PYTHON = _python_files(PACKAGE, ROOT / "tests", ROOT / "bench", ROOT / "tools")
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
LOCKS = [ROOT / "requirements.lock", *(ROOT / "tests/witnesses/locks").iterdir()]


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _text_files() -> Iterator[tuple[Path, str]]:
    """Every file of the project that can be read, but for what tools make."""
    folders = ["src", "tests", "bench", "tools", "docs", ".ci"]
    candidates = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    candidates += [path for path in ROOT.iterdir() if not path.name.startswith(".git")]
    for path in sorted(candidates):
        if path.is_file() and path.suffix != ".pyc" and "__pycache__" not in path.parts:
            yield path, path.read_text(errors="replace")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


@cache
def _settings() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


# --- Imports -------------------------------------------------------------------------


def _room(module: str) -> str:
    """The room a dotted module name is in: keypact.engine.limits is in engine."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else _leaf(parts)


def _leaf(parts: list[str]) -> str:
    if len(parts) > 1 and (PACKAGE / f"{parts[1]}.py").exists():
        return parts[1]
    return "keypact"


def _module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that the file imports, wherever in it, with the line."""
    package = path.relative_to(PACKAGE.parent).parent.parts
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def test_every_room_is_listed():
    """A new room says first whom it may import."""
    rooms = {_room(_module_name(path)) for path in SOURCES}
    assert rooms <= set(MAY_IMPORT)


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_imports_go_one_way(path):
    """apps, contracts, table, backends, engine: each knows only those below it."""
    room = _room(_module_name(path))
    allowed = MAY_IMPORT.get(room, set()) | {room}
    wrong = [
        f"line {line}: {room} may not import {module}"
        for line, module in _imported(path)
        if module.split(".")[0] == "keypact" and _room(module) not in allowed
    ]
    assert not wrong


@pytest.mark.parametrize("floor", KEPT_APART)
def test_the_engine_has_floors(floor):
    """Expressions know no storage, storage no operations, and operations no server."""
    above = {f"keypact.engine.{name}" for name in KEPT_APART[floor]}
    wrong = [
        f"{_name(path)}, line {line}: {module}"
        for path in SOURCES
        if f"{_module_name(path)}.".startswith(f"{floor}.")
        for line, module in _imported(path)
        if any(f"{module}.".startswith(f"{name}.") for name in above)
    ]
    assert not wrong


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_a_dependency_is_imported_only_where_it_is_needed(path):
    """The library runs on its core dependencies; an extra is needed by its own room only."""
    room = _room(_module_name(path))
    wrong = [
        f"line {line}: {room} may not import {module}"
        for line, module in _imported(path)
        if (top := module.split(".")[0]) not in sys.stdlib_module_names | {"keypact"}
        and room not in MAY_REQUIRE.get(top, set())
    ]
    assert not wrong


def _run_without(missing: set[str], code: str) -> subprocess.CompletedProcess[str]:
    """Run the code in an interpreter where these modules cannot be imported."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({sorted(missing)!r}));"
    return subprocess.run(
        [sys.executable, "-c", blocked + code],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )


OPTIONAL_MODULES = {
    "aiohttp",
    "boto3",
    "botocore",
    "httptools",
    "pydantic",
    "rich",
    "typer",
    "uvloop",
}


def test_the_library_needs_no_extra():
    """connect() and call() work on the core dependencies alone."""
    result = _run_without(
        OPTIONAL_MODULES,
        "import keypact\n"
        "with keypact.connect('memory:') as backend:\n"
        "    print(backend.call('ListTables', {}))",
    )
    assert result.stdout.strip() == "{'TableNames': []}", result.stderr


def test_the_command_names_the_extra_it_misses():
    """Without the server extra the command says what to install, not where it stumbled."""
    result = _run_without(OPTIONAL_MODULES, "from keypact.cli import main; main()")
    assert result.returncode != 0
    assert "keypact[server]" in result.stderr
    assert "Traceback" not in result.stderr


# --- Size and names ------------------------------------------------------------------


def _is_data(tree: ast.Module) -> bool:
    """Whether the module only names literals, as a list of reserved words does."""
    return all(
        isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Import, ast.ImportFrom))
        for node in tree.body
    )


@pytest.mark.parametrize("path", ALL_PYTHON, ids=_name)
def test_a_module_is_about_one_noun(path):
    """Beyond this length there is a second noun in it; plain data may be longer."""
    lines = len(path.read_text().splitlines())
    assert lines <= MODULE_LINES_MAX or _is_data(_tree(path))


@pytest.mark.parametrize("path", ALL_PYTHON, ids=_name)
def test_a_function_fits_a_screen(path):
    """Nobody has to scroll within one function."""
    long = [
        f"line {node.lineno}: {node.name} has {lines} lines"
        for node in ast.walk(_tree(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > FUNCTION_LINES_MAX
    ]
    assert not long


@pytest.mark.parametrize("path", ALL_PYTHON, ids=_name)
def test_names_say_what_a_thing_is(path):
    """No module or class is named after being useful in general."""
    names = [path.stem, path.parent.name]
    names += [node.name for node in ast.walk(_tree(path)) if isinstance(node, ast.ClassDef)]
    assert not [name for name in names if VAGUE_NAMES.search(name)]


# --- What is written down ------------------------------------------------------------


def _undocumented(node: ast.Module | ast.ClassDef, prefix: str) -> Iterator[str]:
    if not ast.get_docstring(node):
        yield prefix
    for child in node.body:
        if not isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if child.name.startswith("_"):
            continue
        name = f"{prefix}.{child.name}"
        if isinstance(child, ast.ClassDef):
            yield from _undocumented(child, name)
        elif not ast.get_docstring(child) and not _repeats_another(child):
            yield name


def _repeats_another(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Overloads and overrides promise what the first of their name promised."""
    names = {ast.unparse(decorator).rsplit(".", 1)[-1] for decorator in node.decorator_list}
    return bool(names & {"overload", "override", "setter"})


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_every_public_name_has_a_docstring(path):
    """Modules, classes, functions and methods state their promise."""
    assert not list(_undocumented(_tree(path), _module_name(path)))


def test_what_is_exported_is_there_and_documented():
    """keypact.__all__ names existing things, each with a docstring of its own."""
    import keypact

    assert keypact.__all__
    for name in keypact.__all__:
        thing = getattr(keypact, name)
        if callable(thing):
            assert thing.__doc__, name


@pytest.mark.parametrize("path", [p for p in SOURCES if ">>> " in p.read_text()], ids=_name)
def test_examples_in_docstrings_are_true(path):
    """What a docstring shows is what happens."""
    module = importlib.import_module(_module_name(path))
    assert doctest.testmod(module).failed == 0


def test_nothing_is_left_as_a_note_to_self():
    """What is still to do stands in an issue."""
    found = [_name(path) for path, text in _text_files() if NOTES_TO_SELF.search(text)]
    assert not found


def test_no_file_knows_the_machine_it_was_written_on():
    """No path of anybody's machine, this one included."""
    here = {str(ROOT), str(Path.home())} - {"/"}
    found = [
        _name(path)
        for path, text in _text_files()
        if MACHINE_PATHS.search(text) or any(f"{place}/" in text for place in here)
    ]
    assert not found


@pytest.mark.parametrize("path", LOCKS, ids=_name)
def test_locks_name_no_index(path):
    """A lock holds versions; whoever installs decides where they come from."""
    leak = r'"resolved"' if path.suffix == ".json" else r"://|--(extra-)?index-url|--find-links"
    assert not re.search(leak, path.read_text())


def test_the_lock_fits_the_declared_dependencies():
    """requirements.lock holds a version that pyproject.toml allows, for each dependency."""
    locked = {}
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)==(\S+)", line):
            locked[canonicalize_name(match[1])] = match[2]
    for requirement in _requirements():
        name = canonicalize_name(requirement.name)
        if name != "keypact":
            assert locked[name] in requirement.specifier, f"run make lock: {requirement}"


def test_upper_bounds_have_a_reason():
    """A bound that keeps others from upgrading says why, on its own line."""
    reasons = [
        line for line in (ROOT / "pyproject.toml").read_text().splitlines() if "  # " in line
    ]
    bounded = [
        requirement
        for requirement in _requirements()
        if any(part.operator in {"<", "<=", "==", "~="} for part in requirement.specifier)
    ]
    assert not [
        str(requirement)
        for requirement in bounded
        if not any(f'"{requirement.name}' in line for line in reasons)
    ]


def _requirements() -> list[Requirement]:
    project = _settings()["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    return [Requirement(text) for group in groups for text in group]


def test_the_changelog_knows_the_version():
    """Whoever upgrades finds what changed."""
    import keypact

    version = _settings()["project"]["version"]
    assert version == keypact.__version__
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("path", DECISIONS, ids=_name)
def test_a_decision_tells_what_was_rejected(path):
    """A page each: the question, the decision, what was rejected, what follows."""
    text = path.read_text()
    assert re.fullmatch(r"\d{4}(-[a-z0-9]+)+", path.stem)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == DECISION_SECTIONS
    assert len(text.splitlines()) <= PAGE_LINES_MAX


def test_decisions_are_numbered_without_gaps():
    """Each number stands for one decision."""
    numbers = [int(path.stem[:4]) for path in DECISIONS]
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_map_shows_every_room():
    """docs/architecture.md is one page and names each module and folder of the first two floors."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    assert len(text.splitlines()) <= MAP_LINES_MAX
    for floor in (PACKAGE, PACKAGE / "engine"):
        for path in floor.iterdir():
            if path.suffix == ".py" and path.name != "__init__.py":
                assert path.name in text, path
            if path.is_dir() and path.name != "__pycache__":
                assert f"{path.name}/" in text, path


@pytest.mark.parametrize("path", DOCUMENTS, ids=_name)
def test_links_between_documents_lead_somewhere(path):
    """A relative link names a file that exists."""
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if not target.startswith(("http://", "https://", "#", "mailto:")):
            assert (path.parent / target.split("#")[0]).exists(), target


@pytest.mark.parametrize("name", [".ci/run", "tests/witnesses/install"])
def test_scripts_can_be_run(name):
    """A clone keeps them executable."""
    assert os.access(ROOT / name, os.X_OK)
