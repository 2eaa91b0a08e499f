"""A process that forks with a store open: the parent goes on, the child is refused.

SQLite keeps a file's locks by process. A forked child would believe in locks that only
its parent holds, and could lose what it or others write. So it gets an error in words.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import keypact

from . import ledger
from .checks import check_file
from .children import Child

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

EMPTY: dict[str, Any] = {"answer": {"TableNames": []}}


def fork(tmp_path: Path, folder: str, method: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the forked child could do, and what its parent."""
    with Child(
        "fork_with_store",
        folder=folder,
        other_folder=str(tmp_path / "other"),
        fork_method=method,
    ) as child:
        return child.receive(), child.finish()


@pytest.mark.parametrize("method", ["os.fork", "multiprocessing"])
def test_a_forked_child_is_refused_in_words(tmp_path, method):
    """Neither the inherited store nor the folder can be used there; other folders can."""
    here, parent = fork(tmp_path, str(tmp_path / "data"), method)
    for use in ("get", "put"):
        assert here[use]["error"] == "InternalServerError"
        assert "was open when this process was forked" in here[use]["message"]
    assert here["same folder"]["error"] == "FolderUnusable"
    assert "was open when this process was forked" in here["same folder"]["message"]
    assert here["other folder"] == EMPTY
    assert here["memory"] == EMPTY
    assert parent == {
        "parent": ["after", "before"],
        "again": {"answer": {"TableNames": ["things"]}},
    }


def test_a_store_in_memory_is_not_shared_with_a_forked_child(tmp_path):
    """It would be a copy that looks like the same store."""
    here, parent = fork(tmp_path, "", "os.fork")
    for use in ("get", "put"):
        assert "was open when this process was forked" in here[use]["message"]
    assert here["memory"] == EMPTY
    assert parent["parent"] == ["after", "before"]


def test_the_end_of_a_forked_child_deletes_nobodys_log(tmp_path):
    """What another process left in the log when it was killed is still there afterwards.

    The last to close a file deletes its log. The child inherits connections, is the last
    in its own eyes, and must not close them.
    """
    with keypact.connect(f"sqlite:{tmp_path}") as backend:
        ledger.create_tables(backend)
    with Child("fork_and_close", folder=str(tmp_path)) as child:
        assert child.receive() == "closed"
        with Child("write_ledger", folder=str(tmp_path), starts=[0]) as writer:
            acknowledged = [writer.receive() for _ in range(20)]
            writer.kill()
            acknowledged += writer.remaining()
        assert (tmp_path / "keypact.sqlite-wal").stat().st_size > 0
        child.send("end")
        child.finish()
    with keypact.connect(f"sqlite:{tmp_path}") as backend:
        state = ledger.read_states(backend)["worker0"]
        ledger.count_done(state, 0, len(acknowledged))
    check_file(tmp_path)
