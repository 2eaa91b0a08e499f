"""Drivers: how the suite talks to an implementation, and the driver of this library."""

from __future__ import annotations

import contextlib
import json
import subprocess
from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Protocol

import keypact
from keypact.encryption import DataKey
from keypact.errors import KeypactError
from keypact.lifecycle import parse_rfc3339_ns

# The one data key of the suite, and the encrypted form that stands for it.
DATA_KEY = bytes(range(32))
EDK = b"keypact-portable-edk"


@dataclass(frozen=True, slots=True)
class Call:
    """What every method is told: the schema, the model, the time, and whether keys are there."""

    dms: dict[str, Any]
    model: str
    now: str
    encryption: bool


class Refused(Exception):
    """The implementation refused; ``code`` is the specification's, such as ErrInvalidModel."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code


class Driver(Protocol):
    """Four methods. Items and keys are plain JSON, as README.md says."""

    def create(self, call: Call, item: dict[str, Any], if_not_exists: bool) -> None:
        """Store a whole item."""
        ...

    def get(self, call: Call, key: dict[str, Any]) -> dict[str, Any]:
        """Read an item."""
        ...

    def update(self, call: Call, item: dict[str, Any], fields: list[str]) -> None:
        """Write some fields of an item, which carries its key and version."""
        ...

    def delete(self, call: Call, key: dict[str, Any], version: int | None) -> None:
        """Delete an item, under its version when one is given."""
        ...


# This library -----------------------------------------------------------------------------


class KeypactDriver:
    """The suite's way into this library."""

    def __init__(self, backend: keypact.Backend) -> None:
        self._backend = backend

    def create(self, call: Call, item: dict[str, Any], if_not_exists: bool) -> None:
        """As ``Table.create``."""
        self._do(call, "create", item, if_not_exists=if_not_exists)

    def get(self, call: Call, key: dict[str, Any]) -> dict[str, Any]:
        """As ``Table.get``."""
        values: dict[str, Any] = self._do(call, "get", key)
        return values

    def update(self, call: Call, item: dict[str, Any], fields: list[str]) -> None:
        """As ``Table.update``."""
        self._do(call, "update", item, fields=fields)

    def delete(self, call: Call, key: dict[str, Any], version: int | None) -> None:
        """As ``Table.delete``."""
        self._do(call, "delete", key, version=version)

    def _do(self, call: Call, method: str, subject: dict[str, Any], **options: Any) -> Any:
        try:
            model = keypact.load_schema(text=json.dumps(call.dms)).model(call.model)
            table = keypact.Table(
                model,
                self._backend,
                clock=lambda: parse_rfc3339_ns(call.now),
                encryption=FixedKey() if call.encryption else None,
            )
            found = getattr(table, method)(_read(model, subject), **options)
        except KeypactError as error:
            raise Refused(error.code, str(error)) from error
        return _written(found) if isinstance(found, dict) else None


class FixedKey:
    """A provider with one data key, so that envelopes can be made and opened anywhere."""

    def generate(self) -> DataKey:
        """The suite's key."""
        return DataKey(DATA_KEY, EDK)

    def decrypt(self, edk: bytes) -> bytes:
        """The suite's key, for the one encrypted form that it has."""
        if edk != EDK:
            raise keypact.errors.InvalidEncryptedEnvelope("not a data key of the suite")
        return DATA_KEY

    async def agenerate(self) -> DataKey:
        """Nothing here waits."""
        return self.generate()

    async def adecrypt(self, edk: bytes) -> bytes:
        """Nothing here waits."""
        return self.decrypt(edk)


def _read(model: keypact.Model, values: dict[str, Any]) -> dict[str, Any]:
    """Plain JSON as Python values, by the attribute's type."""
    types = {one.name: one.type for one in model.attributes if not one.json}
    return {name: _from_json(types.get(name, ""), value) for name, value in values.items()}


def _written(values: dict[str, Any]) -> dict[str, Any]:
    """Python values as plain JSON."""
    return {name: _to_json(value) for name, value in values.items()}


def _from_json(kind: str, value: Any) -> Any:
    if kind == "B" and isinstance(value, str):
        return b64decode(value)
    if kind == "BS" and isinstance(value, list):
        return [b64decode(member) for member in value]
    if kind == "N" and isinstance(value, str):
        return Decimal(value)
    if kind == "NS" and isinstance(value, list):
        return [Decimal(member) if isinstance(member, str) else member for member in value]
    return value


def _to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, set):
        # A set has no order; a text does, and the same one every time.
        return sorted((_to_json(member) for member in value), key=lambda one: (str(type(one)), one))
    if isinstance(value, dict):
        return {name: _to_json(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_to_json(member) for member in value]
    return value


# Another program ----------------------------------------------------------------------------


class ProcessDriver:
    """An implementation in any language: a program that answers a line of JSON by a line."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - the user's own command
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def create(self, call: Call, item: dict[str, Any], if_not_exists: bool) -> None:
        """Ask the program."""
        self._ask(call, "create", item=item, if_not_exists=if_not_exists)

    def get(self, call: Call, key: dict[str, Any]) -> dict[str, Any]:
        """Ask the program."""
        values: dict[str, Any] = self._ask(call, "get", key=key)
        return values

    def update(self, call: Call, item: dict[str, Any], fields: list[str]) -> None:
        """Ask the program."""
        self._ask(call, "update", item=item, fields=fields)

    def delete(self, call: Call, key: dict[str, Any], version: int | None) -> None:
        """Ask the program."""
        self._ask(call, "delete", key=key, version=version)

    def _ask(self, call: Call, method: str, **arguments: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = json.dumps({"method": method, **asdict(call), **arguments})
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            text = self._process.stdout.readline()
        except BrokenPipeError:
            text = ""
        if not text:
            raise Refused("NoAnswer", "the driver's program has ended")
        answer = json.loads(text)
        if "error" in answer:
            raise Refused(answer["error"], answer.get("message", ""))
        return answer.get("result")

    def close(self) -> None:
        """Let the program end: its input is over."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
