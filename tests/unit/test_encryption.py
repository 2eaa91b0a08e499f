"""Envelopes open in every language, and nothing else opens."""

from __future__ import annotations

import asyncio
import base64
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given

from keypact.encryption import CachedKeys, DataKey, edk_of, seal, unseal
from keypact.errors import (
    EncryptionNotConfigured,
    InvalidEncryptedEnvelope,
    Unavailable,
)
from keypact.keyrings import KmsProvider, LocalKeyring
from tests.unit.test_cursor import values

KEY = bytes(range(32))
NONCE = bytes(range(12))

# Plaintexts as the tagged form is specified: {"t": type, member: value}, no spaces.
TAGGED: list[tuple[dict[str, Any], str]] = [
    ({"S": "secret"}, '{"t":"S","s":"secret"}'),
    ({"N": "1.5"}, '{"t":"N","n":"1.5"}'),
    ({"B": "AAEC"}, '{"t":"B","b":"AAEC"}'),
    ({"BOOL": True}, '{"t":"BOOL","bool":true}'),
    ({"NULL": True}, '{"t":"NULL","null":true}'),
    ({"SS": ["a", "b"]}, '{"t":"SS","ss":["a","b"]}'),
    ({"NS": ["1"]}, '{"t":"NS","ns":["1"]}'),
    ({"BS": ["AA=="]}, '{"t":"BS","bs":["AA=="]}'),
    ({"L": [{"S": "a"}]}, '{"t":"L","l":[{"t":"S","s":"a"}]}'),
    ({"M": {"k": {"N": "1"}}}, '{"t":"M","m":{"k":{"t":"N","n":"1"}}}'),
]


@pytest.mark.parametrize(("value", "plaintext"), TAGGED)
def test_envelopes_are_what_the_specification_says(value: dict[str, Any], plaintext: str) -> None:
    """AES-256-GCM, the attribute's name authenticated, the tag at the end of ct."""
    envelope = seal("ssn", value, data_key=KEY, edk=b"wrapped", nonce=NONCE)
    expected = AESGCM(KEY).encrypt(NONCE, plaintext.encode(), b"theorydb:encrypted:v1|attr=ssn")
    assert envelope == {
        "M": {
            "v": {"N": "1"},
            "edk": {"B": base64.b64encode(b"wrapped").decode()},
            "nonce": {"B": base64.b64encode(NONCE).decode()},
            "ct": {"B": base64.b64encode(expected).decode()},
        }
    }
    assert unseal("ssn", envelope, data_key=KEY) == value
    assert edk_of("ssn", envelope) == b"wrapped"


@given(values)
def test_any_value_comes_back(value: dict[str, Any]) -> None:
    """Whatever DynamoDB can hold; and the same value is never sealed alike twice."""
    one = seal("a", value, data_key=KEY, edk=b"e")
    assert unseal("a", one, data_key=KEY) == value
    assert seal("a", value, data_key=KEY, edk=b"e") != one


@pytest.mark.parametrize(
    ("plaintext", "value"), [('{"t":"L"}', {"L": []}), ('{"t":"M"}', {"M": {}})]
)
def test_a_missing_list_or_map_reads_as_empty(plaintext: str, value: dict[str, Any]) -> None:
    """Other languages leave them out."""
    sealed = AESGCM(KEY).encrypt(NONCE, plaintext.encode(), b"theorydb:encrypted:v1|attr=a")
    envelope = seal("a", {"S": ""}, data_key=KEY, edk=b"e", nonce=NONCE)
    envelope["M"]["ct"] = {"B": base64.b64encode(sealed).decode()}
    assert unseal("a", envelope, data_key=KEY) == value


GOOD = seal("a", {"S": "x"}, data_key=KEY, edk=b"e", nonce=NONCE)["M"]
FLIPPED = bytearray(base64.b64decode(GOOD["ct"]["B"]))
FLIPPED[0] ^= 1


@pytest.mark.parametrize(
    "envelope",
    [
        {"S": "x"},
        {"M": {}},
        {"M": GOOD | {"v": {"N": "2"}}},
        {"M": GOOD | {"v": {"S": "1"}}},
        {"M": {k: v for k, v in GOOD.items() if k != "edk"}},
        {"M": {k: v for k, v in GOOD.items() if k != "nonce"}},
        {"M": {k: v for k, v in GOOD.items() if k != "ct"}},
        {"M": GOOD | {"nonce": {"B": "AAAA"}}},
        {"M": GOOD | {"ct": {"B": "not base64"}}},
        {"M": GOOD | {"ct": {"B": base64.b64encode(bytes(FLIPPED)).decode()}}},
    ],
)
def test_what_is_no_envelope_does_not_open(envelope: dict[str, Any]) -> None:
    """Wrong version, missing part, no map, failed tag."""
    with pytest.raises(InvalidEncryptedEnvelope) as raised:
        unseal("a", envelope, data_key=KEY)
    assert raised.value.code == "ErrInvalidEncryptedEnvelope"


def test_an_envelope_opens_only_as_its_own_attribute() -> None:
    """Two sealed values cannot be swapped."""
    envelope = seal("a", {"S": "x"}, data_key=KEY, edk=b"e")
    with pytest.raises(InvalidEncryptedEnvelope):
        unseal("b", envelope, data_key=KEY)
    with pytest.raises(InvalidEncryptedEnvelope):
        unseal("a", envelope, data_key=bytes(32))


def test_the_keyring_is_its_owners_alone(tmp_path: Path) -> None:
    """Made with mode 0600; one that others may read is refused."""
    path = tmp_path / "keys" / "ring.json"
    ring = LocalKeyring(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = ring.generate()
    assert LocalKeyring(path).decrypt(key.edk) == key.plaintext
    assert key.plaintext.hex() not in repr(key)
    path.chmod(0o644)
    with pytest.raises(EncryptionNotConfigured, match="chmod 600"):
        LocalKeyring(path)


def test_old_keys_open_after_a_rotation(tmp_path: Path) -> None:
    """And new data keys are wrapped by the new one."""
    ring = LocalKeyring(tmp_path / "ring.json")
    before = ring.generate()
    ring.rotate()
    after = ring.generate()
    again = LocalKeyring(tmp_path / "ring.json")
    assert again.decrypt(before.edk) == before.plaintext
    assert asyncio.run(again.adecrypt(after.edk)) == after.plaintext
    assert before.edk[:8] != after.edk[:8]


@pytest.mark.parametrize("edk", [b"", b"other", b"kpk1\x00\x00\x00\x09" + bytes(40)])
def test_data_keys_of_others_do_not_open(tmp_path: Path, edk: bytes) -> None:
    """A typed error, not a crash."""
    ring = LocalKeyring(tmp_path / "ring.json")
    with pytest.raises(InvalidEncryptedEnvelope):
        ring.decrypt(edk)
    with pytest.raises(InvalidEncryptedEnvelope):
        LocalKeyring(tmp_path / "another.json").decrypt(ring.generate().edk)


class Counting:
    """A provider that counts what it is asked."""

    def __init__(self) -> None:
        self.generated = 0
        self.decrypted = 0

    def generate(self) -> DataKey:
        self.generated += 1
        return DataKey(os.urandom(32), f"edk{self.generated}".encode())

    def decrypt(self, edk: bytes) -> bytes:
        self.decrypted += 1
        return edk.ljust(32, b"\0")

    async def agenerate(self) -> DataKey:
        return self.generate()

    async def adecrypt(self, edk: bytes) -> bytes:
        return self.decrypt(edk)


def test_cached_keys_are_bounded_by_uses_and_age(monkeypatch: pytest.MonkeyPatch) -> None:
    """A write does not cost a call, and a key is not used for ever."""
    now = [0.0]
    monkeypatch.setattr("keypact.encryption.time.monotonic", lambda: now[0])
    provider = Counting()
    keys = CachedKeys(provider, uses_max=3, keys_max=2, age_seconds_max=10)
    assert len({keys.generate().edk for _ in range(3)}) == 1
    assert provider.generated == 1
    keys.generate()
    assert provider.generated == 2
    now[0] = 11
    asyncio.run(keys.agenerate())
    assert provider.generated == 3
    for edk in (b"a", b"a", b"b", b"c", b"a"):
        keys.decrypt(edk)
    # "a" was pushed out by "b" and "c": two are kept.
    assert provider.decrypted == 4


class FakeKms:
    """KMS's two calls, with the errors it gives."""

    def __init__(self, code: str = "") -> None:
        self.code = code

    def generate_data_key(self, **arguments: Any) -> dict[str, bytes]:
        self._fail("GenerateDataKey")
        assert arguments == {"KeyId": "alias/k", "KeySpec": "AES_256"}
        return {"Plaintext": KEY, "CiphertextBlob": b"wrapped"}

    def decrypt(self, **arguments: Any) -> dict[str, bytes]:
        self._fail("Decrypt")
        assert arguments == {"KeyId": "alias/k", "CiphertextBlob": b"wrapped"}
        return {"Plaintext": KEY}

    def _fail(self, operation: str) -> None:
        from botocore.exceptions import ClientError

        if self.code:
            raise ClientError({"Error": {"Code": self.code, "Message": ""}}, operation)


def test_kms_makes_and_opens_data_keys() -> None:
    """By the key's id, sync and async."""
    provider = KmsProvider("alias/k", client=FakeKms())
    key = asyncio.run(provider.agenerate())
    assert (key.plaintext, key.edk) == (KEY, b"wrapped")
    assert provider.decrypt(b"wrapped") == KEY


def test_kms_refusals_are_told_apart() -> None:
    """A data key that is not ours, and a KMS that is away."""
    with pytest.raises(InvalidEncryptedEnvelope):
        KmsProvider("alias/k", client=FakeKms("InvalidCiphertextException")).decrypt(b"x")
    with pytest.raises(Unavailable) as raised:
        KmsProvider("alias/k", client=FakeKms("ThrottlingException")).generate()
    assert raised.value.retryable
