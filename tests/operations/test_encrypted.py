"""Encrypted attributes: sealed where they are stored, opened for those who have the key."""

from __future__ import annotations

import base64
import json
import uuid

import pytest

import keypact
from keypact.conditions import F
from keypact.encryption import CachedKeys, DataKey
from keypact.errors import (
    EncryptedFieldNotQueryable,
    EncryptionNotConfigured,
    InvalidEncryptedEnvelope,
    InvalidModel,
)
from tests.operations.models import SCHEMA
from tests.operations.tables import Desk


class Keys:
    """A provider that counts how often it is asked."""

    def __init__(self) -> None:
        self.generated = 0
        self.decrypted = 0

    def generate(self) -> DataKey:
        self.generated += 1
        key = bytes([self.generated % 256]) * 32
        return DataKey(key, b"edk" + key[:1])

    def decrypt(self, edk: bytes) -> bytes:
        self.decrypted += 1
        return edk[3:] * 32

    async def agenerate(self) -> DataKey:
        return self.generate()

    async def adecrypt(self, edk: bytes) -> bytes:
        return self.decrypt(edk)


def test_what_is_stored_is_an_envelope_and_what_is_read_is_the_value(desk: Desk):
    """M of v, edk, nonce and ct; the plaintext is nowhere in the store."""
    table = desk.table("Secret", encryption=Keys())
    item = {"id": desk.partition, "token": "s3cr3t-value", "pins": {1, 2}, "label": "plain"}
    made = table.create(item)
    stored = desk.stored("Secret", {"id": desk.partition})
    assert stored is not None
    for name in ("token", "pins"):
        envelope = stored[name]["M"]
        assert envelope.keys() == {"v", "edk", "nonce", "ct"}
        assert envelope["v"] == {"N": "1"}
        assert len(base64.b64decode(envelope["nonce"]["B"])) == 12
    assert "s3cr3t-value" not in json.dumps(stored)
    assert stored["label"] == {"S": "plain"}
    assert made == table.get(desk.partition) == {**item, "version": 0}


def test_every_way_of_reading_opens(desk: Desk):
    """get, find, query, batch_get, transact_get, update, modify."""
    table = desk.table("Secret", encryption=Keys())
    made = table.create({"id": desk.partition, "token": "t"})
    assert table.find(desk.partition) == made
    assert table.query(desk.partition).items == [made]
    assert table.batch_get([desk.partition]) == [made]
    assert table.transact_get([table.getting(desk.partition)]) == [made]
    updated = table.update({**made, "token": "u"}, fields=["token"])
    assert updated == {**made, "token": "u", "version": 1}
    modified = table.modify(desk.partition, [F("label").set("l")], version=1)
    assert modified == {**made, "token": "u", "label": "l", "version": 2}


def test_every_way_of_writing_seals(desk: Desk):
    """create, update, batch_write, transact_write."""
    table = desk.table("Secret", encryption=Keys())
    names = [f"{desk.partition}-{number}" for number in range(4)]
    made = table.create({"id": names[0], "token": "CLEAR"})
    table.update(made, fields=["token"])
    table.batch_write(put=[{"id": names[1], "token": "CLEAR"}])
    table.transact_write(
        [
            table.creating({"id": names[2], "token": "CLEAR"}),
            table.updating({**made, "version": 1}, fields=["token"]),
        ]
    )
    assert "CLEAR" not in json.dumps(desk.backend.sent)
    for name in names[:3]:
        assert table.get(name)["token"] == "CLEAR"


def test_without_a_provider_every_write_fails_before_any_call(desk: Desk):
    """Fail closed: no plaintext, not even of what is not encrypted."""
    table = desk.table("Secret")
    key = desk.partition
    writes = [
        lambda: table.create({"id": key, "token": "t"}),
        lambda: table.create({"id": key, "label": "l"}),
        lambda: table.update({"id": key, "version": 0, "label": "l"}, fields=["label"]),
        lambda: table.modify(key, [F("label").set("l")], version=0),
        lambda: table.delete(key),
        lambda: table.batch_write(put=[{"id": key}]),
        lambda: table.batch_write(delete=[key]),
        lambda: table.transact_write([table.creating({"id": key})]),
        lambda: table.transact_write([table.deleting(key)]),
    ]
    for write in writes:
        with pytest.raises(EncryptionNotConfigured) as caught:
            write()
        assert caught.value.code == "ErrEncryptionNotConfigured"
    assert not desk.backend.sent


def test_without_a_provider_a_sealed_item_is_not_shown(desk: Desk):
    """An envelope is no value to hand out."""
    desk.table("Secret", encryption=Keys()).create({"id": desk.partition, "token": "t"})
    with pytest.raises(EncryptionNotConfigured):
        desk.table("Secret").get(desk.partition)


def test_swapped_envelopes_are_refused(desk: Desk):
    """Each is bound to its attribute's name."""
    table = desk.table("Secret", encryption=Keys())
    table.create({"id": desk.partition, "token": "t", "pins": {1}})
    stored = desk.stored("Secret", {"id": desk.partition})
    assert stored is not None
    stored["token"], stored["pins"] = stored["pins"], stored["token"]
    request = {"TableName": SCHEMA.model("Secret").table, "Item": stored}
    desk.backend.call("PutItem", request)
    with pytest.raises(InvalidEncryptedEnvelope) as caught:
        table.get(desk.partition)
    assert caught.value.code == "ErrInvalidEncryptedEnvelope"


@pytest.mark.parametrize("value", [{"S": "in the clear"}, {"NULL": True}, {"M": {"v": {"N": "1"}}}])
def test_what_is_no_envelope_is_refused(desk: Desk, value):
    """A plaintext that somebody wrote past the library is not passed off as sealed."""
    item = {"id": {"S": desk.partition}, "version": {"N": "0"}, "token": value}
    desk.backend.call("PutItem", {"TableName": SCHEMA.model("Secret").table, "Item": item})
    with pytest.raises(InvalidEncryptedEnvelope):
        desk.table("Secret", encryption=Keys()).get(desk.partition)


def test_conditions_filters_and_changes_cannot_see_into_an_envelope(desk: Desk):
    """ErrEncryptedFieldNotQueryable, before any call."""
    table = desk.table("Secret", encryption=Keys())
    key = desk.partition
    tries = [
        lambda: table.create({"id": key}, condition=F("token") == "t"),
        lambda: table.update(
            {"id": key, "version": 0, "label": "l"}, condition=F("token").exists()
        ),
        lambda: table.delete(key, condition=F("label") == F("token")),
        lambda: table.query(key, filter=F("pins").contains(1)),
        lambda: table.scan(reason="test", filter=F("token").size() > 1),
        lambda: table.transact_write([table.checking(key, ~F("token")["v"].exists())]),
    ]
    for attempt in tries:
        with pytest.raises(EncryptedFieldNotQueryable) as caught:
            attempt()
        assert caught.value.code == "ErrEncryptedFieldNotQueryable"
    with pytest.raises(InvalidModel, match="token"):
        table.modify(key, [F("token").set("t")], version=0)
    assert not desk.backend.sent


def test_one_item_needs_one_data_key(desk: Desk):
    """Its attributes share it on writing and on reading; each has its own nonce."""
    keys = Keys()
    table = desk.table("Secret", encryption=keys)
    table.create({"id": desk.partition, "token": "t", "pins": {1}})
    table.get(desk.partition)
    assert (keys.generated, keys.decrypted) == (1, 1)
    stored = desk.stored("Secret", {"id": desk.partition})
    assert stored is not None
    assert stored["token"]["M"]["nonce"] != stored["pins"]["M"]["nonce"]


def test_cached_keys_spare_the_provider(desk: Desk):
    """A key seals a bounded count; what was opened once needs no second call."""
    keys = Keys()
    table = desk.table("Secret", encryption=CachedKeys(keys, uses_max=3))
    items = [{"id": f"{desk.partition}-{number}", "token": "t"} for number in range(6)]
    table.batch_write(put=items)
    assert keys.generated == 2
    assert [item["token"] for item in table.batch_get([one["id"] for one in items])] == ["t"] * 6
    assert keys.decrypted == 0


def test_a_token_covers_sealed_writes(desk: Desk):
    """The same writes sent again are the same bytes, fresh nonces notwithstanding."""
    table = desk.table("Secret", encryption=Keys())
    writes = [table.creating({"id": desk.partition, "token": "t"})]
    # Servers are shared and remember tokens for ten minutes: never the same one twice.
    token = str(uuid.uuid4())
    table.transact_write(writes, token=token)
    table.transact_write(writes, token=token)
    first, second = (request for _, request in desk.backend.sent)
    assert first == second


def test_a_local_keyring_seals_and_opens(desk: Desk, tmp_path):
    """The embedded default: a file that only its owner reads."""
    path = tmp_path / "keyring"
    table = desk.table("Secret", encryption=keypact.LocalKeyring(path))
    made = table.create({"id": desk.partition, "token": "t"})
    again = desk.table("Secret", encryption=keypact.LocalKeyring(path))
    assert again.get(desk.partition) == made
    other = desk.table("Secret", encryption=keypact.LocalKeyring(tmp_path / "other"))
    with pytest.raises(InvalidEncryptedEnvelope):
        other.get(desk.partition)
