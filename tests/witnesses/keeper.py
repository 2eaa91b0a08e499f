"""Runs one server for as long as anybody uses it: python keeper.py FOLDER COMMAND...

Every process using the server holds a shared lock on FOLDER/users. The keeper waits for
the exclusive lock, which the kernel grants once the last user has let go or died, and
then stops the server. So no server outlives a test run, however that run ended.

This file is run as a script and imports nothing of the project.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

STOP_SECONDS = 5
_PR_SET_PDEATHSIG = 1


def _die_with_keeper() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class ServerEnded(Exception):
    """The server ended while it was still in use."""


def keep(folder: Path, command: list[str]) -> None:
    """Start the command, wait until nobody uses it, stop it, and remove the folder.

    When the server ends by itself the folder says so, and its output stays there until
    nobody who may ask why is left.
    """
    with open(folder / "users", "a") as users, open(folder / "output", "ab") as output:
        server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            preexec_fn=_die_with_keeper,  # noqa: PLW1509  # this process has one thread
        )

        def ended(*_: Any) -> None:
            if server.poll() is not None:
                raise ServerEnded

        signal.signal(signal.SIGCHLD, ended)
        try:
            ended()
            fcntl.flock(users, fcntl.LOCK_EX)
        except ServerEnded:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            (folder / "address").unlink(missing_ok=True)
            (folder / "ended").touch()
            fcntl.flock(users, fcntl.LOCK_EX)
        finally:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            server.terminate()
            try:
                server.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        # Removed while the lock is held: a user who comes now finds no address
        # and starts another server.
        (folder / "address").unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        folder.parent.rmdir()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep(Path(sys.argv[1]), sys.argv[2:])
