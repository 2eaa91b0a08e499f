"""Encrypted attributes: envelopes that any language's implementation opens, and their keys."""

from __future__ import annotations

import binascii
import os
import threading
import time
from base64 import b64decode, b64encode
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .errors import InvalidEncryptedEnvelope
from .gojson import write_bool, write_list, write_map, write_struct, write_text
from .values import AttributeValue

ENVELOPE_VERSION = "1"
NONCE_BYTES = 12
DATA_KEY_BYTES = 32


def seal(
    attribute: str,
    value: AttributeValue,
    *,
    data_key: bytes,
    edk: bytes,
    nonce: bytes | None = None,
) -> AttributeValue:
    """The envelope of a typed value. A nonce is drawn anew, unless a test gives one."""
    nonce = nonce or os.urandom(NONCE_BYTES)
    sealed = AESGCM(data_key).encrypt(nonce, _write(value).encode(), _bound_to(attribute))
    return {
        "M": {
            "v": {"N": ENVELOPE_VERSION},
            "edk": {"B": b64encode(edk).decode()},
            "nonce": {"B": b64encode(nonce).decode()},
            "ct": {"B": b64encode(sealed).decode()},
        }
    }


def unseal(attribute: str, envelope: AttributeValue, *, data_key: bytes) -> AttributeValue:
    """The typed value in an envelope; one of another attribute does not open."""
    parts = _parts(attribute, envelope)
    try:
        text = AESGCM(data_key).decrypt(parts["nonce"], parts["ct"], _bound_to(attribute))
    except (InvalidTag, ValueError):
        raise _invalid(attribute, "it was damaged, or sealed for another attribute") from None
    try:
        return _read(msgspec.json.decode(text))
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, TypeError, RecursionError):
        raise _invalid(attribute, "what is in it is no attribute value") from None


def edk_of(attribute: str, envelope: AttributeValue) -> bytes:
    """The encrypted data key that an envelope carries."""
    return _parts(attribute, envelope)["edk"]


def _bound_to(attribute: str) -> bytes:
    return f"theorydb:encrypted:v1|attr={attribute}".encode()


def _parts(attribute: str, envelope: AttributeValue) -> dict[str, bytes]:
    members = envelope.get("M")
    if not isinstance(members, dict):
        raise _invalid(attribute, "it is not a map")
    if members.get("v") != {"N": ENVELOPE_VERSION}:
        raise _invalid(attribute, f"its v is {members.get('v')!r}, and only 1 is known")
    parts: dict[str, bytes] = {}
    for name in ("edk", "nonce", "ct"):
        member = members.get(name)
        text = member.get("B") if isinstance(member, dict) else None
        try:
            parts[name] = b64decode(text, validate=True) if isinstance(text, str) else b""
        except binascii.Error:
            parts[name] = b""
        if not parts[name]:
            raise _invalid(attribute, f"it has no {name}")
    if len(parts["nonce"]) != NONCE_BYTES:
        raise _invalid(attribute, f"its nonce has not {NONCE_BYTES} bytes")
    return parts


def _invalid(attribute: str, why: str) -> InvalidEncryptedEnvelope:
    return InvalidEncryptedEnvelope(f"the envelope of {attribute} does not open: {why}")


# Plaintext: a tagged JSON form of typed values ----------------------------------------------

_MEMBERS = {
    "S": "s",
    "N": "n",
    "B": "b",
    "BOOL": "bool",
    "NULL": "null",
    "SS": "ss",
    "NS": "ns",
    "BS": "bs",
    "L": "l",
    "M": "m",
}


def _write(value: AttributeValue) -> str:
    ((tag, content),) = value.items()
    if tag == "L":
        text = write_list([_write(member) for member in content])
    elif tag == "M":
        text = write_map({name: _write(content[name]) for name in content})
    elif tag in ("SS", "NS", "BS"):
        text = write_list([write_text(member) for member in content])
    elif tag in ("BOOL", "NULL"):
        text = write_bool(content)
    else:
        text = write_text(content)
    return write_struct([("t", write_text(tag)), (_MEMBERS[tag], text)])


def _read(tagged: Any) -> AttributeValue:
    tag = tagged["t"] if isinstance(tagged, dict) and "t" in tagged else ""
    if tag not in _MEMBERS:
        raise ValueError(tag)
    content = tagged.get(_MEMBERS[tag])
    if tag == "L":
        return {"L": [_read(member) for member in content or ()]}
    if tag == "M":
        return {"M": {str(name): _read(member) for name, member in (content or {}).items()}}
    if not isinstance(content, _TYPES.get(tag, str)):
        raise TypeError(tag)
    return {tag: content}


_TYPES: dict[str, type] = {"BOOL": bool, "NULL": bool, "SS": list, "NS": list, "BS": list}


# Data keys ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DataKey:
    """A key to seal with, and its encrypted form to store beside what it sealed."""

    # Kept out of reprs, and so out of logs.
    plaintext: bytes = field(repr=False)
    edk: bytes


class KeyProvider(Protocol):
    """Where data keys come from. The async twins must not block the event loop."""

    def generate(self) -> DataKey:
        """A data key to seal with."""
        ...

    def decrypt(self, edk: bytes) -> bytes:
        """The data key behind its encrypted form."""
        ...

    async def agenerate(self) -> DataKey:
        """A data key to seal with."""
        ...

    async def adecrypt(self, edk: bytes) -> bytes:
        """The data key behind its encrypted form."""
        ...


class CachedKeys:
    """A provider's keys, used again for a bounded count and time.

    A write then does not cost a call to the provider, at the price that a stolen data
    key opens as many values as it sealed.
    """

    def __init__(
        self,
        provider: KeyProvider,
        *,
        uses_max: int = 1000,
        keys_max: int = 1000,
        age_seconds_max: float = 300.0,
    ) -> None:
        self._provider = provider
        self._uses_max = uses_max
        self._keys_max = keys_max
        self._age_seconds_max = age_seconds_max
        self._lock = threading.Lock()
        self._current: tuple[float, DataKey] | None = None
        self._uses = 0
        self._opened: OrderedDict[bytes, tuple[float, bytes]] = OrderedDict()

    def generate(self) -> DataKey:
        """The current key, or a new one when it is used up or too old."""
        return self._take() or self._keep(self._provider.generate())

    async def agenerate(self) -> DataKey:
        """The same, without blocking."""
        return self._take() or self._keep(await self._provider.agenerate())

    def decrypt(self, edk: bytes) -> bytes:
        """A key that was opened lately, or asked for now."""
        return self._recall(edk) or self._remember(edk, self._provider.decrypt(edk))

    async def adecrypt(self, edk: bytes) -> bytes:
        """The same, without blocking."""
        return self._recall(edk) or self._remember(edk, await self._provider.adecrypt(edk))

    def _take(self) -> DataKey | None:
        with self._lock:
            if self._current is None or self._uses >= self._uses_max:
                return None
            made, key = self._current
            if time.monotonic() - made > self._age_seconds_max:
                return None
            self._uses += 1
            return key

    def _keep(self, key: DataKey) -> DataKey:
        with self._lock:
            self._current, self._uses = (time.monotonic(), key), 1
        self._remember(key.edk, key.plaintext)
        return key

    def _recall(self, edk: bytes) -> bytes | None:
        with self._lock:
            found = self._opened.get(edk)
            if found is None or time.monotonic() - found[0] > self._age_seconds_max:
                return None
            self._opened.move_to_end(edk)
            return found[1]

    def _remember(self, edk: bytes, plaintext: bytes) -> bytes:
        with self._lock:
            self._opened[edk] = (time.monotonic(), plaintext)
            while len(self._opened) > self._keys_max:
                self._opened.popitem(last=False)
        return plaintext
