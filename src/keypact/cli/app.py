"""The commands together, and what belongs to all of them."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from . import dynamodb

app = typer.Typer(
    name="keypact",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    # A traceback with local variables could show a secret.
    pretty_exceptions_show_locals=False,
)
app.command(name="dynamodb", epilog=dynamodb.EXAMPLES)(dynamodb.run)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"keypact {__version__}")
        raise typer.Exit


@app.callback(epilog="Example: [bold]keypact dynamodb --memory[/bold]")
def keypact(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print it."),
    ] = False,
) -> None:
    """DynamoDB without AWS, Java or Docker."""
