"""The `keypact dynamodb` command: what it says, and how it refuses to start."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess

import boto3
import pytest
import typer
from typer.testing import CliRunner

import keypact
from keypact.cli.app import app
from tests.faults.wire import KEYPACT, ask, request, serving

COMMANDS = typer.main.get_group(app).commands
FIXED_OPTIONS = {"--host", "--port", "--data", "--memory", "--no-fsync"}


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, which it is expected to reach at once."""
    return subprocess.run(
        [KEYPACT, *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )


def rest_of(process: subprocess.Popen[str]) -> str:
    """What the server says from here to its end."""
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    return process.stderr.read()


def test_the_version_is_the_packages():
    """`keypact --version` prints it and ends."""
    result = CliRunner().invoke(app, ["--version"])
    assert result.output == f"keypact {keypact.__version__}\n"


def test_every_command_has_examples_in_its_help():
    """Whoever asks for help sees what to type."""
    for name in COMMANDS:
        result = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"})
        assert result.exit_code == 0
        assert re.search(rf"Examples.*keypact {name}", result.output, re.DOTALL)


def test_the_options_others_rely_on_are_there():
    """Names that programs and scripts are written against."""
    parameters = COMMANDS["dynamodb"].params
    assert {option for parameter in parameters for option in parameter.opts} >= FIXED_OPTIONS


def test_it_says_where_it_is_and_how_to_reach_it(tmp_path):
    """The address, the folder, boto3 and the AWS CLI, on standard error."""
    with serving("--data", str(tmp_path / "new")) as (process, url):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
        assert ask(url, request()).status == 200
        text = rest_of(process)
    assert str(tmp_path / "new") in text
    assert f'endpoint_url="{url}"' in text
    assert f"--endpoint-url {url}" in text
    assert "warning" not in text
    assert (tmp_path / "new").is_dir()


def test_the_data_is_in_the_default_folder(tmp_path, monkeypatch):
    """Without --data it is ./keypact-data."""
    monkeypatch.chdir(tmp_path)
    with serving() as (_, url):
        assert ask(url, request()).status == 200
    assert [path.name for path in tmp_path.iterdir()] == ["keypact-data"]


def test_memory_leaves_nothing_behind(tmp_path, monkeypatch):
    """--memory makes no file."""
    monkeypatch.chdir(tmp_path)
    with serving("--memory") as (_, url):
        assert ask(url, request()).status == 200
    assert list(tmp_path.iterdir()) == []


def test_it_warns_when_others_can_reach_it():
    """Listening beyond loopback without keys is allowed, but not in silence."""
    with serving("--memory", "--host", "0.0.0.0") as (process, _):
        assert "warning: whoever reaches 0.0.0.0" in rest_of(process)


def test_with_a_key_only_its_owner_is_served(monkeypatch):
    """The secret comes from the environment, is asked for, and is never printed."""
    monkeypatch.setenv("KEYPACT_SECRET_KEY", "the secret")
    with serving("--memory", "--host", "0.0.0.0", "--access-key", "ann") as (process, url):
        assert ask(url, request()).error == "UnrecognizedClientException"
        client = boto3.client(
            "dynamodb",
            endpoint_url=url.replace("0.0.0.0", "127.0.0.1"),
            aws_access_key_id="ann",
            aws_secret_access_key="the secret",
        )
        assert client.list_tables()["TableNames"] == []
        text = rest_of(process)
    assert "signatures are verified" in text
    assert "warning" not in text
    assert "the secret" not in text


def one_line(result: subprocess.CompletedProcess[str]) -> str:
    """What a command that fails says: one line, on standard error."""
    assert result.returncode == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    return result.stderr


def test_a_key_without_its_secret_is_refused():
    """The line names the variable."""
    result = run("dynamodb", "--memory", "--access-key", "ann", KEYPACT_SECRET_KEY="")
    assert "KEYPACT_SECRET_KEY" in one_line(result)


def test_a_port_in_use_is_told_in_one_line():
    """The line says which, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        line = one_line(run("dynamodb", "--memory", "--port", port))
    assert f"port {port} on 127.0.0.1 is in use" in line


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_a_host_that_is_not_ours_is_told_in_one_line(host):
    """The line says which, and what to do."""
    line = one_line(run("dynamodb", "--memory", "--port", "0", "--host", host))
    assert f"{host} is not an address of this machine" in line


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path):
    """The line says which, and what to do."""
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "folder"
    line = one_line(run("dynamodb", "--port", "0", "--data", str(folder)))
    assert str(folder) in line


def test_data_and_memory_exclude_each_other():
    """One of them would be ignored; so both are refused."""
    result = run("dynamodb", "--memory", "--data", "somewhere")
    assert result.returncode == 2
    assert "not both" in result.stderr
