"""`keypact dynamodb`: the engine over the wire."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from .. import __version__
from ..engine import Engine, FolderError
from ..engine.server import serve

DATA_FOLDER = Path("keypact-data")
SECRET_VARIABLE = "KEYPACT_SECRET_KEY"  # noqa: S105  # the variable's name
# Room for all the connections the server takes, and for the store's own files.
OPEN_FILES = 4096

# Blank lines between: typer would put them on one line otherwise.
EXAMPLES = "\n\n".join(
    (
        "[bold]Examples[/bold]",
        "Keep the data in ./keypact-data:  [bold]keypact dynamodb[/bold]",
        "For a test run, on a free port:  [bold]keypact dynamodb --memory --port 0[/bold]",
        "For others on the network, with a key:",
        f"[bold]{SECRET_VARIABLE}=… keypact dynamodb --host 0.0.0.0 --access-key ann[/bold]",
    )
)


def run(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 picks a free one.")
    ] = 8000,
    data: Annotated[
        Path | None,
        typer.Option(
            help="The folder that keeps the data.",
            show_default=f"./{DATA_FOLDER}",
            file_okay=False,
        ),
    ] = None,
    memory: Annotated[
        bool, typer.Option("--memory", help="Keep nothing: the data ends with the process.")
    ] = False,
    no_fsync: Annotated[
        bool,
        typer.Option(
            "--no-fsync", help="Faster writes; the last of them may be lost in a power cut."
        ),
    ] = False,
    access_key: Annotated[
        str | None,
        typer.Option(
            help="Take only requests signed with this access key; "
            f"its secret is read from {SECRET_VARIABLE}.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve DynamoDB's wire protocol to boto3, the AWS CLI and every other client."""
    if memory and data is not None:
        raise typer.BadParameter("give --data or --memory, not both")
    keys = _read_keys(access_key)
    folder = None if memory else (data or DATA_FOLDER)
    _allow_open_files()
    try:
        engine = Engine(folder, fsync=not no_fsync)
    except FolderError as error:
        _fail(str(error))
    try:
        serve(
            engine,
            host,
            port,
            keys=keys,
            commit_on_loop=memory,
            on_listening=lambda url: _greet(url, host, folder, fsync=not no_fsync, keys=keys),
        )
    except OSError as error:
        _fail(_why_not_listening(error, host, port))
    finally:
        engine.close()


def _read_keys(access_key: str | None) -> Mapping[str, str] | None:
    if access_key is None:
        return None
    secret = os.environ.get(SECRET_VARIABLE)
    if not secret:
        _fail(f"--access-key needs its secret in the environment variable {SECRET_VARIABLE}")
    return {access_key: secret}


def _greet(
    url: str, host: str, folder: Path | None, *, fsync: bool, keys: Mapping[str, str] | None
) -> None:
    """Say where the server listens and how clients find it."""
    if folder is None:
        store = "in memory, gone when the server stops"
    else:
        synced = "synced on every commit" if fsync else "not synced: a power cut may lose writes"
        store = f"{folder.resolve()} ({synced})"
    credentials = "any credentials do" if keys is None else "signatures are verified"
    lines = [
        f"keypact {__version__} serves DynamoDB at {url}",
        f"  data     {store}",
        f'  boto3    boto3.client("dynamodb", endpoint_url="{url}", region_name="us-east-1")',
        f"  AWS CLI  aws dynamodb list-tables --endpoint-url {url} --region us-east-1",
        f"  access   {credentials}; stop with Ctrl-C",
    ]
    if keys is None and not _is_loopback(host):
        lines.append(
            f"warning: whoever reaches {host} can read and change everything; "
            "give --access-key, or listen on 127.0.0.1"
        )
    print("\n".join(lines), file=sys.stderr, flush=True)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _why_not_listening(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; choose another with --port, or 0 for a free one"
    if error.errno == errno.EACCES:
        return f"port {port} is not allowed to this user; choose one above 1023 with --port"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine; choose another with --host"
    return f"cannot listen on {host}, port {port}: {error.strerror or error}"


def _allow_open_files() -> None:
    """Ask the system for as many open files as the server may need."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _fail(message: str) -> NoReturn:
    print(f"keypact: {message}", file=sys.stderr)
    raise typer.Exit(1)
