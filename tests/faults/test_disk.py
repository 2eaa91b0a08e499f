"""A disk that is full or read-only: an error in words, and what was acknowledged is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import keypact

from . import ledger
from .checks import check_file, check_indexes
from .children import Child
from .programs import FAILURES_EACH

IS_ROOT = os.geteuid() == 0
# The user "nobody" of most systems; it needs no account.
NOBODY = 65534
FILE_BYTES_MAX = 700 * 1024

# A disk of its own, in a name space that ends with the process: nothing is left mounted.
NEW_NAMESPACE = ["unshare", "--mount"] if IS_ROOT else ["unshare", "--map-root-user", "--mount"]


def on_small_disk(folder: Path, megabytes: int) -> list[str]:
    """The command that runs another with a small disk mounted on the folder."""
    folder.mkdir(exist_ok=True)
    mount = f'mount -t tmpfs -o size={megabytes}m none "$0" && exec "$@"'
    return [*NEW_NAMESPACE, "sh", "-c", mount, str(folder)]


@cache
def why_no_mount() -> str:
    """Why a disk cannot be mounted here; empty when it can."""
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    with tempfile.TemporaryDirectory() as folder:
        tried = subprocess.run(
            [*on_small_disk(Path(folder), 1), "true"], check=False, capture_output=True
        )
    return f"mounting is not allowed here: {tried.stderr.decode()}" if tried.returncode else ""


needs_mount = pytest.mark.skipif(bool(why_no_mount()), reason=why_no_mount())


# Full ------------------------------------------------------------------------------------


def check_states(report: dict[str, Any]) -> None:
    """Exactly what was acknowledged is there: what failed changed nothing."""
    states: dict[str, ledger.State] = {}
    for worker, table, entry, item in report["states"]:
        states.setdefault(worker, {})[table, entry] = item
    for worker, done in enumerate(report["done"]):
        assert states.get(f"worker{worker}", {}) == ledger.state_after(worker, done)


def check_report(child: Child, words: str, copy: Path) -> None:
    full = child.receive()
    assert sum(full["done"]) > 0, "there was room at first"
    assert [len(failures) for failures in full["failures"]] == [FAILURES_EACH] * 4
    for failure in chain(*full["failures"]):
        assert failure["error"] == "InternalServerError"
        assert words in failure["message"]
    check_states(full)
    again = child.receive()
    assert again["failures"] == [[], [], [], []]
    assert again["done"] == [number + 30 for number in full["done"]]
    check_states(again)
    child.finish()
    (copy / "ballast").unlink(missing_ok=True)
    with keypact.connect(f"sqlite:{copy}") as backend:
        states = ledger.read_states(backend)
        for worker, done in enumerate(again["done"]):
            assert states[f"worker{worker}"] == ledger.state_after(worker, done)
        check_indexes(backend)
    check_file(copy)


def test_a_limit_on_file_size_is_told_and_survived(tmp_path):
    """Writes fail in words while reads go on; with the limit gone, writes work again."""
    folder, copy = tmp_path / "data", tmp_path / "copy"
    with Child(
        "fill_disk", folder=str(folder), limit_bytes=FILE_BYTES_MAX, copy_to=str(copy)
    ) as child:
        check_report(child, "the disk took no more bytes", copy)


@needs_mount
def test_a_full_disk_is_told_and_survived(tmp_path):
    """The same on a disk that is really full, until a file in the way is deleted."""
    folder, copy = tmp_path / "data", tmp_path / "copy"
    with Child(
        "fill_disk",
        under=on_small_disk(folder, 12),
        folder=str(folder),
        limit_bytes=0,
        copy_to=str(copy),
    ) as child:
        check_report(child, "the disk is full", copy)


# Read-only -------------------------------------------------------------------------------


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as parent:
        os.chmod(parent, 0o755)
        folder = Path(parent) / "data"
        folder.mkdir()
        yield folder
        subprocess.run(["chmod", "-R", "u+rwX", parent], check=True)


def try_folder(folder: Path, prepare: list[str], *, under: list[str] | None = None) -> Any:
    """What comes of using the folder after the command, as a user whom permissions bind."""
    user = NOBODY if IS_ROOT and under is None else 0
    arguments = {"folder": str(folder), "prepare": prepare, "user": user}
    with Child("try_folder", under=under or (), **arguments) as child:
        return child.finish()


def test_a_folder_that_may_be_written_can_be_used(open_folder):
    """What the other tests take away is enough: with it everything works."""
    assert try_folder(open_folder, ["chmod", "-R", "a+rwX", str(open_folder)]) == {
        "answer": {"get": {"answer": {"pk": {"S": "before"}}}, "put": {"answer": {}}}
    }


@pytest.mark.parametrize(
    ("modes", "words"),
    [
        ("a-w", "are read-only"),
        ("a-rwx", "make the folder and its disk readable and writable"),
    ],
)
def test_a_folder_without_permission_is_refused_in_words(open_folder, modes, words):
    """The message says where to look; nothing is changed."""
    result = try_folder(open_folder, ["chmod", "-R", modes, str(open_folder)])
    assert result["error"] == "FolderUnusable"
    assert str(open_folder) in result["message"]
    assert words in result["message"]


@needs_mount
def test_a_read_only_disk_is_refused_in_words(tmp_path):
    """The message says what to change, and names the folder."""
    folder = tmp_path / "data"
    result = try_folder(
        folder, ["mount", "-o", "remount,ro", str(folder)], under=on_small_disk(folder, 4)
    )
    assert result["error"] == "FolderUnusable"
    assert "make the folder and its disk readable and writable" in result["message"]
