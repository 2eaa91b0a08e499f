"""Stream records, as Lambda and GetRecords give them, decoded to items."""

from __future__ import annotations

import pytest

from keypact.errors import EncryptionNotConfigured, InvalidModel, ItemNotReadable
from tests.operations.tables import Desk
from tests.operations.test_encrypted import Keys


def _record(kind: str, **body) -> dict:
    return {
        "eventID": "1",
        "eventName": kind,
        "eventSource": "aws:dynamodb",
        "dynamodb": {"SequenceNumber": "111", "StreamViewType": "NEW_AND_OLD_IMAGES", **body},
    }


def _image(desk: Desk, **attributes) -> dict:
    return {"PK": {"S": desk.partition}, "SK": {"S": "s"}, **attributes}


def test_a_record_becomes_a_change_of_items(desk: Desk):
    """Kind, key, both images and the sequence number."""
    table = desk.table()
    keys = _image(desk)
    record = table.read_record(
        _record(
            "MODIFY",
            Keys=keys,
            OldImage=_image(desk, age={"N": "1"}, photo={"B": "AP8="}, version={"N": "0"}),
            NewImage=_image(desk, age={"N": "2"}, settings={"S": '{"a":1}'}, version={"N": "1"}),
        )
    )
    assert (record.kind, record.sequence, record.by_expiry) == ("MODIFY", "111", False)
    assert record.key == {"PK": desk.partition, "SK": "s"}
    old, new = desk.shown(record.old), desk.shown(record.new)
    assert (old["age"], old["photo"], old["version"]) == (1, b"\x00\xff", 0)
    assert (new["age"], new["settings"], new["version"]) == (2, {"a": 1}, 1)
    assert not desk.backend.sent


@pytest.mark.parametrize("kind", ["INSERT", "REMOVE"])
def test_images_that_the_stream_does_not_carry_are_none(desk: Desk, kind):
    """KEYS_ONLY streams, and the old image of an insert."""
    record = desk.table().read_record(_record(kind, Keys=_image(desk)))
    assert (record.kind, record.old, record.new) == (kind, None, None)


def test_a_delete_by_expiry_can_be_told_from_others(desk: Desk):
    """By the identity that DynamoDB gives its own deletes."""
    gone = _record("REMOVE", Keys=_image(desk))
    service = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
    assert desk.table().read_record({**gone, "userIdentity": service}).by_expiry
    assert not desk.table().read_record(gone).by_expiry
    person = {"type": "IAMUser", "principalId": "dynamodb.amazonaws.com"}
    assert not desk.table().read_record({**gone, "userIdentity": person}).by_expiry


def test_sealed_attributes_are_opened(desk: Desk):
    """With a provider; without one the record is refused."""
    table = desk.table("Secret", encryption=Keys())
    made = table.create({"id": desk.partition, "token": "t"})
    image = desk.stored("Secret", {"id": desk.partition})
    record = _record("INSERT", Keys={"id": {"S": desk.partition}}, NewImage=image)
    assert table.read_record(record).new == made
    with pytest.raises(EncryptionNotConfigured):
        desk.table("Secret").read_record(record)


def test_what_is_no_record_is_refused(desk: Desk):
    """A batch of records, or an event of another source."""
    wrongs: list[dict] = [{}, {"Records": []}, {"eventName": "INSERT"}, _record("OTHER")]
    for wrong in wrongs:
        with pytest.raises(InvalidModel):
            desk.table().read_record(wrong)


def test_an_image_that_does_not_fit_is_told(desk: Desk):
    """As on reading."""
    image = {"name": {"S": "x"}, "owner": {"N": "1"}}
    with pytest.raises(ItemNotReadable, match="owner"):
        desk.table("Counter").read_record(_record("INSERT", NewImage=image))
