"""The `keypact` command: parse, call, print."""

from __future__ import annotations

import sys

# What the `server` extra brings and the command cannot do without.
_NEEDED = frozenset({"httptools", "rich", "typer"})


def main() -> None:
    """Run the command, or say in one line what is not installed."""
    try:
        from .app import app
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _NEEDED:
            raise
        sys.exit(f"keypact: {missing} is missing; run: pip install 'keypact[server]'")
    app(prog_name="keypact")
