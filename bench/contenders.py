"""The servers that are compared over the wire: ours, and the rivals as the witnesses have them."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.witnesses import servers

# How an acknowledged write is kept. Only peers of one kind are compared for writes.
FSYNC = "on disk, flushed before the answer"
NO_FSYNC = "on disk, not flushed"
MEMORY = "in memory"


@dataclass(frozen=True)
class Contender:
    """A server to be started on a folder of its own."""

    name: str
    kind: str
    server: servers.Server
    ours: bool = False
    transacts: bool = True


def all_contenders(folder: Path) -> list[Contender]:
    """Every contender, ours first in each kind; its data go below the folder."""
    dynalite_disk = _with("dynalite", f"--path={folder / 'dynalite'}")
    dynoxide_disk = _with("dynoxide", "--db-path", str(folder / "dynoxide.db"))
    ministack = servers.WITNESSES["ministack"]
    return [
        _keypact("keypact", FSYNC, "--data", str(folder / "fsync")),
        Contender("dynoxide on disk", FSYNC, dynoxide_disk),
        _keypact("keypact --no-fsync", NO_FSYNC, "--data", str(folder / "no-fsync"), "--no-fsync"),
        Contender("dynalite on disk", NO_FSYNC, dynalite_disk, transacts=False),
        Contender("ministack, kept on disk", NO_FSYNC, _persistent(ministack, folder)),
        _keypact("keypact --memory", MEMORY, "--memory"),
        Contender("dynoxide", MEMORY, servers.WITNESSES["dynoxide"]),
        Contender("dynalite", MEMORY, servers.WITNESSES["dynalite"], transacts=False),
        Contender("ministack", MEMORY, ministack),
    ]


def _keypact(name: str, kind: str, *flags: str) -> Contender:
    program = Path(sys.prefix) / "bin/keypact"
    server = servers.Server(
        "keypact",
        program,
        lambda port: [str(program), "dynamodb", *flags, "--port", str(port)],
    )
    return Contender(name, kind, server, ours=True)


def _with(name: str, *flags: str) -> servers.Server:
    witness = servers.WITNESSES[name]
    return dataclasses.replace(witness, command=lambda port: [*witness.command(port), *flags])


def _persistent(witness: servers.Server, folder: Path) -> servers.Server:
    """Told to keep its state, which it writes when it stops."""
    return dataclasses.replace(
        witness,
        environment=lambda port: {
            **witness.environment(port),
            "PERSIST_STATE": "1",
            "STATE_DIR": str(folder / "ministack"),
        },
    )
