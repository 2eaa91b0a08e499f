"""What the README says is run: its commands in a shell, its examples with their output.

With KEYPACT_README=full the commands run in a copy of the repository that is set up from
nothing, as a newcomer would; otherwise in this one, as it is installed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.witnesses.drivers import witnesses_are_required
from tests.witnesses.servers import HOME, free_port

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PORT = "8000"
START_SECONDS = 60
FULL = os.environ.get("KEYPACT_README") == "full"

pytestmark = [
    # One worker runs them all: in full mode they share a copy that takes long to set up.
    pytest.mark.xdist_group("readme"),
    pytest.mark.timeout(600),
]


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


COMMANDS = [line for block in _blocks("sh") for line in block.splitlines() if line.strip()]
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", README, re.DOTALL | re.M)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands are run: set up from nothing by `make install`, or this repository."""
    if not FULL:
        return ROOT
    folder = tmp_path_factory.mktemp("readme") / "keypact"
    folder.mkdir()
    listed = _run(["git", "ls-files", "-co", "--exclude-standard"], ROOT).stdout.splitlines()
    for name in listed:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    _run(["make", "install"], folder)
    return folder


def _new_shell(**variables: str) -> dict[str, str]:
    """The environment of a new shell: what `make test` adds to its own is left out."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return {**mine, **variables}


def _run(command: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=_new_shell(**variables),
        check=True,
        capture_output=True,
        text=True,
        timeout=540,
    )


@contextlib.contextmanager
def _answering(command: str, port: int, folder: Path) -> Iterator[None]:
    """Start the command, wait until it answers at the port, and stop it as Ctrl-C does."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}"],
        cwd=folder,
        env=_new_shell(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _answers(port):
            assert process.poll() is None, process.stdout and process.stdout.read()
            assert time.monotonic() < deadline, f"{command} does not answer"
            time.sleep(0.05)
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise


def _answers(port: int) -> bool:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/",
        b"{}",
        {
            "X-Amz-Target": "DynamoDB_20120810.ListTables",
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Date": "20260101T000000Z",
            "Authorization": "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/"
            "aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=" + "0" * 64,
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            return bool(json.load(response) == {"TableNames": []})
    except urllib.error.HTTPError:
        raise
    except OSError:
        return False


@contextlib.contextmanager
def _served(clone: Path, data: Path) -> Iterator[int]:
    """A server that was started by `make serve`, on a port and with data of its own."""
    port = free_port()
    with _answering(f'make serve ARGS="--data {data} --port {port}"', port, clone):
        yield port


# --- The commands --------------------------------------------------------------------


def _check_make_serve(clone: Path, tmp_path: Path, command: str) -> None:
    assert command == "make serve"
    with _served(clone, tmp_path):
        pass


def _check_server(clone: Path, tmp_path: Path, command: str) -> None:
    port = free_port()
    command = command.replace("./keypact-data", str(tmp_path)).replace(PORT, str(port))
    with _answering(command, port, clone):
        pass


def _check_install(clone: Path, tmp_path: Path, command: str) -> None:
    _run(command.split(), clone)
    assert os.access(clone / ".venv/bin/keypact", os.X_OK)


def _check_that_ci_runs_it(clone: Path, tmp_path: Path, command: str) -> None:
    """From within the tests it would not end, or change what they run with."""
    assert re.search(rf"^{re.escape(command)}\b", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    if command.startswith("make"):
        assert "pytest" in _run([*command.split(), "--dry-run"], clone).stdout


def _check_conformance(clone: Path, tmp_path: Path, command: str) -> None:
    """On one engine and one operation: on all of them it is what tests/conformance does."""
    table = _run([*command.split(), "--engine", "embedded", "--case", "get_item"], clone).stdout
    assert re.search(r"^\| embedded \|", table, re.MULTILINE)


def _check_bench(clone: Path, tmp_path: Path, command: str) -> None:
    """The shortest benchmark where there is time, else that the command can be started."""
    answer = _run([*command.split(), f"ARGS={'start' if FULL else '--help'}"], clone)
    assert ("ratio" if FULL else "usage") in answer.stdout


def _check_aws(clone: Path, tmp_path: Path, command: str) -> None:
    """The block as a whole: its first line sets what the second needs."""
    aws = HOME / "awscli/bin"
    if not (aws / "aws").exists():
        if witnesses_are_required():
            pytest.fail("the AWS CLI is not installed; run tests/witnesses/install")
        pytest.skip("the AWS CLI is not installed; run tests/witnesses/install")
    block = next(block for block in _blocks("sh") if command in block)
    with _served(clone, tmp_path) as port:
        answer = _run(
            ["bash", "-ec", block.replace(PORT, str(port))],
            clone,
            PATH=f"{aws}{os.pathsep}{os.environ['PATH']}",
        )
    assert json.loads(answer.stdout) == {"TableNames": []}


# By how a command begins.
CHECKS = {
    "make install": _check_install,
    "make serve": _check_make_serve,
    "make test": _check_that_ci_runs_it,
    "make bench": _check_bench,
    "tests/witnesses/install": _check_that_ci_runs_it,
    ".venv/bin/python -m tests.conformance": _check_conformance,
    ".venv/bin/keypact dynamodb": _check_server,
    "export AWS_": _check_aws,
    "aws ": _check_aws,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_works(command, clone, tmp_path):
    """Whoever types it gets what the README promises."""
    checks = [check for start, check in CHECKS.items() if command.startswith(start)]
    assert checks, "the README has a command that nothing runs; add it to CHECKS"
    checks[0](clone, tmp_path, command)


# --- The examples --------------------------------------------------------------------


def test_every_example_shows_its_output():
    """No example stands in the README without what it prints."""
    assert len(EXAMPLES) == len(_blocks("python")) > 0


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_of_the_readme_prints_what_it_says(number, clone, tmp_path):
    """The examples run as they stand, but for the port."""
    code, output = EXAMPLES[number]
    with contextlib.ExitStack() as stack:
        if PORT in code:
            port = stack.enter_context(_served(clone, tmp_path))
            code = code.replace(PORT, str(port))
        assert _run([sys.executable, "-c", code], ROOT).stdout == output
