"""Where each witness is installed, and how it is started, shared and stopped.

A server is started once for a whole test run, by whichever worker needs it first. The
others find its address in a folder named after the run.
"""

from __future__ import annotations

import contextlib
import fcntl
import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".witnesses"
START_SECONDS = 60
POLL_SECONDS = 0.05


class Missing(Exception):
    """The server is not installed here; the text says what to run."""


@dataclass(frozen=True)
class Server:
    """How one server is started: the file that must be there, and the command for a port."""

    name: str
    installed: Path
    command: Callable[[int], list[str]]
    environment: Callable[[int], dict[str, str]] = lambda port: {}

    def missing(self) -> str:
        """Why the server cannot be started; empty when it can."""
        if self.installed.exists():
            return ""
        return f"{self.name} is not installed; run tests/witnesses/install"


_DYNOXIDE = HOME / "node/node_modules/@dynoxide/linux-x64/dynoxide"
_DYNALITE = HOME / "node/node_modules/dynalite/cli.js"
# Node.js is the machine's own, or the one installed beside the witnesses.
_PATH = os.pathsep.join([str(HOME / "bin"), os.environ.get("PATH", os.defpath)])
_NODE = shutil.which("node", path=_PATH) or "node"
_MINISTACK = HOME / "ministack/bin/ministack"
_MOTO = HOME / "moto/bin/moto_server"
_KEYPACT = Path(sys.prefix) / "bin/keypact"

WITNESSES = {
    server.name: server
    for server in (
        Server(
            "dynoxide",
            _DYNOXIDE,
            lambda port: [str(_DYNOXIDE), "--host", "127.0.0.1", "--port", str(port)],
        ),
        Server(
            "ministack",
            _MINISTACK,
            lambda port: [str(_MINISTACK)],
            lambda port: {
                "SERVICES": "dynamodb",
                "GATEWAY_PORT": str(port),
                "BIND_HOST": "127.0.0.1",
            },
        ),
        Server(
            "dynalite",
            _DYNALITE,
            lambda port: [
                _NODE,
                str(_DYNALITE),
                "--host=127.0.0.1",
                f"--port={port}",
                "--createTableMs=0",
                "--deleteTableMs=0",
                "--updateTableMs=0",
            ],
        ),
        Server(
            "moto",
            _MOTO,
            lambda port: [str(_MOTO), "-H", "127.0.0.1", "-p", str(port)],
            lambda port: {"MOTO_ALLOW_NONEXISTENT_REGION": "true"},
        ),
    )
}

KEYPACT = Server(
    "keypact",
    _KEYPACT,
    lambda port: [str(_KEYPACT), "dynamodb", "--memory", "--port", str(port)],
)


@dataclass
class Running:
    """A server that answers. It stays up until every user has released it."""

    server: Server
    port: int
    folder: Path
    _users: IO[str] = field(repr=False)

    @property
    def endpoint(self) -> str:
        """The URL a client is given."""
        return f"http://127.0.0.1:{self.port}"

    def output(self) -> str:
        """What the server has printed so far."""
        with contextlib.suppress(OSError):
            return (self.folder / "output").read_text(errors="replace")
        return ""

    def release(self) -> None:
        """Let go of the server; the last one to do so stops it."""
        self._users.close()


def start(server: Server, *, run: str | None = None) -> Running:
    """The server of this test run, started if nobody has yet.

    Servers of different runs never meet. Raises Missing when it is not installed.
    """
    reason = server.missing()
    if reason:
        raise Missing(reason)
    folder = _folder(server.name, run or _run_id())
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with open(folder / "starting", "a") as starting:
                fcntl.flock(starting, fcntl.LOCK_EX)
                users = open(folder / "users", "a")  # noqa: SIM115  # held while in use
                fcntl.flock(users, fcntl.LOCK_SH)
                if not _same_file(users, folder / "users"):
                    # The keeper of an earlier server removed the folder meanwhile.
                    users.close()
                    continue
                port = _read_port(folder)
                if port is None or not _answers(port):
                    port = _launch(server, folder)
                return Running(server, port, folder, users)
        except FileNotFoundError:
            continue


def start_private(server: Server) -> Running:
    """A server nobody else uses, for a request that may end it."""
    return start(server, run=f"{os.getpid()}-{time.monotonic_ns()}")


# A keeper outlives the call that started it.
_KEEPERS: list[subprocess.Popen[bytes]] = []


def _run_id() -> str:
    return os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())


def _folder(name: str, run: str) -> Path:
    return Path(tempfile.gettempdir()) / f"keypact-servers-{os.getuid()}" / run / name


def _same_file(opened: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(opened.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _read_port(folder: Path) -> int | None:
    try:
        return int((folder / "address").read_text())
    except FileNotFoundError:
        return None


def free_port() -> int:
    """A port of the loopback interface that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _launch(server: Server, folder: Path) -> int:
    port = free_port()
    (folder / "ended").unlink(missing_ok=True)
    keeper = subprocess.Popen(
        [
            sys.executable,
            str(Path(__file__).with_name("keeper.py")),
            str(folder),
            *server.command(port),
        ],
        env={**os.environ, **server.environment(port)},
        stdin=subprocess.DEVNULL,
        # Its own session: an interrupt at the terminal reaches the tests, which let
        # go of the server, and not the keeper, which has to stop it.
        start_new_session=True,
    )
    _KEEPERS.append(keeper)
    deadline = time.monotonic() + START_SECONDS
    while not _answers(port):
        ended = keeper.poll() is not None or (folder / "ended").exists()
        if ended or time.monotonic() > deadline:
            output = (folder / "output").read_text(errors="replace")[-2000:]
            shutil.rmtree(folder, ignore_errors=True)
            raise RuntimeError(f"{server.name} did not start on port {port}:\n{output}")
        time.sleep(POLL_SECONDS)
    (folder / "address").write_text(str(port))
    return port


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    else:
        return True
    finally:
        connection.close()
