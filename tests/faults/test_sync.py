"""A commit is on the disk before it is acknowledged: seen from outside, as system calls.

Only a power cut loses what was not synced, and no test here cuts the power. What can be
seen is the order of system calls: the log's last write, its sync, then the acknowledgement.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from .children import Child


def _why_no_tracer() -> str:
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], check=False, capture_output=True)
    return "strace is not allowed here" if tried.returncode else ""


pytestmark = pytest.mark.skipif(bool(_why_no_tracer()), reason=_why_no_tracer())


def trace(folder: Path, *, threads: int, each: int, fsync: bool) -> list[str]:
    """What the process did, in order: "log" written, "sync" of it, and each acknowledgement."""
    output = folder / "trace"
    command = ["strace", "-f", "-qq", "-y", "-e", "trace=pwrite64,fdatasync,fsync,write"]
    with Child(
        "put_things",
        under=[*command, "-o", str(output)],
        folder=str(folder / "data"),
        threads=threads,
        each=each,
        fsync=fsync,
    ) as child:
        child.finish()
    return [event for line in output.read_text().splitlines() if (event := _event(line))]


def _event(line: str) -> str | None:
    if "keypact.sqlite-wal>" in line and "pwrite64(" in line:
        return "log"
    # A call that another thread's call interrupted is told in two lines; its end counts.
    if "sync resumed" in line or ("keypact.sqlite-wal>" in line and "sync(" in line):
        return None if "unfinished" in line else "sync"
    acknowledged = re.search(r'write\(1<.*"\\"(acknowledged \d+ \d+)', line)
    return acknowledged[1] if acknowledged else None


def test_every_acknowledgement_follows_a_sync_of_the_log(tmp_path):
    """Between the last write to the log and the acknowledgement there is a sync, each time."""
    events = trace(tmp_path, threads=1, each=30, fsync=True)
    acknowledged = [place for place, event in enumerate(events) if event.startswith("ack")]
    assert len(acknowledged) == 30
    for place in acknowledged:
        before = [event for event in events[:place] if not event.startswith("ack")]
        assert before[-1] == "sync", events[:place][-6:]
    written = [events[start:end] for start, end in pairwise(acknowledged)]
    assert all("log" in part for part in written), "an item was acknowledged and not written"


def test_threads_share_syncs(tmp_path):
    """Eight writers need fewer syncs than writes: that is what sharing a commit is for."""
    events = trace(tmp_path, threads=8, each=20, fsync=True)
    acknowledged = sum(event.startswith("ack") for event in events)
    assert acknowledged == 160
    assert 0 < events.count("sync") < acknowledged / 2


def test_without_fsync_nothing_is_synced(tmp_path):
    """Whoever gives up the sync gets none; it also shows that the others are counted."""
    events = trace(tmp_path, threads=1, each=10, fsync=False)
    assert events.count("sync") == 0
    assert events.count("log") > 0
