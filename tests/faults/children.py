"""Processes of our own: started, spoken to in lines of JSON, and never left behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from keypact.errors import DynamoDBError

ROOT = Path(__file__).resolve().parents[2]
END_SECONDS = 60


class ChildFailed(Exception):
    """The child ended in a way it should not have; the text has what it printed."""


class Child:
    """One process running a function of ``programs``; leaving the block kills it."""

    def __init__(self, program: str, *, under: Sequence[str] = (), **arguments: Any) -> None:
        """``under`` is a command that runs the child, such as a tracer."""
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by close()
        self._process = subprocess.Popen(
            [
                *under,
                sys.executable,
                "-m",
                f"{__package__}.programs",
                program,
                json.dumps(arguments),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=ROOT,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout

    def send(self, value: Any) -> None:
        """One line to the child."""
        self._stdin.write(json.dumps(value) + "\n")
        self._stdin.flush()

    def receive(self) -> Any:
        """The next line from the child."""
        return json.loads(self.receive_text())

    def receive_text(self) -> str:
        """The same from a child that does not speak JSON."""
        line = self._stdout.readline()
        if not line.endswith("\n"):
            self._process.wait(END_SECONDS)
            raise ChildFailed(f"exit code {self._process.returncode}\n{line}{self.errors()}")
        return line

    def remaining(self) -> Iterator[Any]:
        """Lines until the child ends or is killed; half a line is none."""
        for line in self._stdout:
            if line.endswith("\n"):
                yield json.loads(line)

    def ask(self, value: Any) -> Any:
        """Send one line and wait for the answer."""
        self.send(value)
        return self.receive()

    def finish(self) -> Any:
        """Wait for the child to end well; gives its last line."""
        self._stdin.close()
        lines = list(self.remaining())
        if self._process.wait(END_SECONDS) != 0:
            raise ChildFailed(f"exit code {self._process.returncode}\n{self.errors()}")
        return lines[-1] if lines else None

    def kill(self) -> None:
        """End the child at once, wherever it is, as a crash would."""
        self._process.kill()
        self._process.wait()
        if self._process.returncode != -signal.SIGKILL:
            raise ChildFailed(f"it had ended before\n{self.errors()}")

    def errors(self) -> str:
        """What the child has written to its standard error."""
        self._errors.seek(0)
        return self._errors.read()

    def close(self) -> None:
        """The child is gone and its pipes are closed."""
        self._process.kill()
        self._process.wait()
        self._stdout.close()
        self._errors.close()
        try:
            self._stdin.close()
        except BrokenPipeError:
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class OtherProcess:
    """A backend in a process of its own."""

    def __init__(self) -> None:
        self._child = Child("requests")

    def open(self, folder: Path) -> None:
        """Use the folder from now on."""
        self.start_opening(folder)
        self.wait_until_open()

    def start_opening(self, folder: Path) -> None:
        """Tell the process to open the folder."""
        self._child.send(["open", str(folder)])

    def wait_until_open(self) -> None:
        """Wait until it has."""
        assert self._child.receive() == "done"

    def release(self) -> None:
        """Close the folder."""
        assert self._child.ask(["close"]) == "done"

    def send(self, operation: str, request: dict[str, Any]) -> None:
        """Make a request without waiting for its answer."""
        self._child.send([operation, request])

    def receive(self) -> dict[str, Any]:
        """The answer to what was sent, or its error raised."""
        outcome = self._child.receive()
        if "error" in outcome:
            raise DynamoDBError(outcome["error"], outcome["message"], outcome["details"])
        answer: dict[str, Any] = outcome["answer"]
        return answer

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer as DynamoDB JSON; an error answer raises DynamoDBError."""
        self.send(operation, request)
        return self.receive()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._child.close()
