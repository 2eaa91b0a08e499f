"""Providers of data keys: a keyring file for a laptop, AWS KMS for production."""

from __future__ import annotations

import asyncio
import os
import secrets
import stat
import struct
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .encryption import DATA_KEY_BYTES, NONCE_BYTES, DataKey
from .errors import EncryptionNotConfigured, InvalidEncryptedEnvelope, Unavailable

_MARK = b"kpk1"


class _Ring(msgspec.Struct, forbid_unknown_fields=True):
    current: int
    # Base64 of 32 bytes each; old ones stay, to open what they sealed.
    keys: dict[int, str]


class LocalKeyring:
    """Keys in a file that only its owner may read. For development and single machines."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        if not self._path.exists():
            self._make()
        self._ring = self._load()

    def rotate(self) -> None:
        """Add a key and seal with it from now on; older ones still open."""
        number = self._ring.current + 1
        self._ring.keys[number] = _new_key()
        self._ring.current = number
        partial = self._path.with_name(self._path.name + ".new")
        partial.unlink(missing_ok=True)
        self._write(partial, self._ring)
        partial.replace(self._path)

    def generate(self) -> DataKey:
        """A fresh data key, wrapped by the ring's current key."""
        plaintext = secrets.token_bytes(DATA_KEY_BYTES)
        nonce = os.urandom(NONCE_BYTES)
        number = self._ring.current
        head = _MARK + struct.pack(">I", number)
        wrapped = AESGCM(self._key(number)).encrypt(nonce, plaintext, head)
        return DataKey(plaintext, head + nonce + wrapped)

    def decrypt(self, edk: bytes) -> bytes:
        """The data key that some key of the ring has wrapped."""
        if not edk.startswith(_MARK) or len(edk) < len(_MARK) + 4 + NONCE_BYTES:
            raise InvalidEncryptedEnvelope("the data key was not wrapped by a local keyring")
        head, rest = edk[:8], edk[8:]
        (number,) = struct.unpack(">I", head[4:])
        try:
            return AESGCM(self._key(number)).decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], head)
        except InvalidTag:
            raise InvalidEncryptedEnvelope("the data key was wrapped by another keyring") from None

    async def agenerate(self) -> DataKey:
        """Nothing here waits."""
        return self.generate()

    async def adecrypt(self, edk: bytes) -> bytes:
        """Nothing here waits."""
        return self.decrypt(edk)

    def _key(self, number: int) -> bytes:
        text = self._ring.keys.get(number)
        if text is None:
            raise InvalidEncryptedEnvelope(f"the keyring {self._path} has no key {number}")
        return b64decode(text)

    def _make(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._write(self._path, _Ring(1, {1: _new_key()}))
        except FileExistsError:
            return

    @staticmethod
    def _write(path: Path, ring: _Ring) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(ring))
            file.flush()
            os.fsync(file.fileno())

    def _load(self) -> _Ring:
        if os.name == "posix" and stat.S_IMODE(self._path.stat().st_mode) & 0o077:
            raise EncryptionNotConfigured(
                f"others may read the keyring {self._path}; run: chmod 600 {self._path}"
            )
        try:
            ring = msgspec.json.decode(self._path.read_bytes(), type=_Ring)
        except (OSError, msgspec.DecodeError) as error:
            raise EncryptionNotConfigured(
                f"the keyring {self._path} cannot be read: {error}"
            ) from None
        if any(len(b64decode(text)) != DATA_KEY_BYTES for text in ring.keys.values()):
            raise EncryptionNotConfigured(f"the keyring {self._path} holds a key of another length")
        return ring


class KmsProvider:
    """Data keys from AWS KMS; wrap it in ``CachedKeys`` so that a write is not a call."""

    def __init__(self, key_id: str, *, region: str | None = None, client: Any = None) -> None:
        self._key_id = key_id
        self._client = client or _kms_client(region)

    def generate(self) -> DataKey:
        """A fresh data key under the KMS key."""
        answer = self._ask(self._client.generate_data_key, KeySpec="AES_256")
        return DataKey(answer["Plaintext"], answer["CiphertextBlob"])

    def decrypt(self, edk: bytes) -> bytes:
        """The data key, if it was made under this KMS key."""
        answer = self._ask(self._client.decrypt, CiphertextBlob=edk)
        plaintext: bytes = answer["Plaintext"]
        return plaintext

    def _ask(self, method: Callable[..., dict[str, Any]], **arguments: Any) -> dict[str, Any]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return method(KeyId=self._key_id, **arguments)
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            if code in _NOT_OURS:
                raise InvalidEncryptedEnvelope(f"KMS does not open the data key: {code}") from error
            raise Unavailable(f"KMS refused: {code}") from error
        except BotoCoreError as error:
            raise Unavailable(f"KMS could not be asked: {error}") from error

    async def agenerate(self) -> DataKey:
        """The same on a thread."""
        return await asyncio.to_thread(self.generate)

    async def adecrypt(self, edk: bytes) -> bytes:
        """The same on a thread."""
        return await asyncio.to_thread(self.decrypt, edk)


# KMS's words for a data key that was damaged, or made under another key.
_NOT_OURS = frozenset({"InvalidCiphertextException", "IncorrectKeyException"})


def _kms_client(region: str | None) -> Any:
    try:
        from botocore.session import get_session
    except ImportError:
        raise EncryptionNotConfigured("KMS needs botocore; run: pip install keypact[aws]") from None
    return get_session().create_client("kms", region_name=region)


def _new_key() -> str:
    return b64encode(secrets.token_bytes(DATA_KEY_BYTES)).decode()
