"""Records of Kafka's other subsystems in the metadata log are kept in our snapshots (R1)."""

import pytest

from minikafka.common.ids import Uuid
from minikafka.messages.metadata_records.access_control_entry_record import AccessControlEntryRecord
from minikafka.messages.metadata_records.client_quota_record import ClientQuotaRecord, EntityData
from minikafka.messages.metadata_records.delegation_token_record import DelegationTokenRecord
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.messages.metadata_records.remove_access_control_entry_record import (
    RemoveAccessControlEntryRecord,
)
from minikafka.messages.metadata_records.remove_delegation_token_record import (
    RemoveDelegationTokenRecord,
)
from minikafka.messages.metadata_records.remove_user_scram_credential_record import (
    RemoveUserScramCredentialRecord,
)
from minikafka.messages.metadata_records.topic_record import TopicRecord
from minikafka.messages.metadata_records.user_scram_credential_record import (
    UserScramCredentialRecord,
)
from minikafka.metadata.carried import carried_change
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.snapshot import snapshot_records


def quota(key, value=1.0, *, user="alice", client="c", remove=False, reverse=False):
    entity = [EntityData("user", user), EntityData("client-id", client)]
    return ClientQuotaRecord(entity[::-1] if reverse else entity, key, value, remove)


ACL = AccessControlEntryRecord(id=Uuid.of(1, 2), resource_type=2, resource_name="t", host="*")
SCRAM = UserScramCredentialRecord(name="alice", mechanism=1, salt=b"s", iterations=4096)
TOKEN = DelegationTokenRecord(owner="User:alice", token_id="x", renewers=["User:bob"])
SET_AND_REMOVED = (
    (ACL, RemoveAccessControlEntryRecord(id=ACL.id)),
    (SCRAM, RemoveUserScramCredentialRecord(name="alice", mechanism=1)),
    (TOKEN, RemoveDelegationTokenRecord(token_id="x")),
    (quota("rate"), quota("rate", remove=True)),
)


def image_of(*records):
    rows = list(enumerate(records))
    return MetadataLoader().load_batch(rows, last_offset=max(len(rows) - 1, 0), epoch=1)


@pytest.mark.parametrize(("record", "removal"), SET_AND_REMOVED)
def test_a_record_is_in_the_snapshot_as_it_was_until_it_is_removed(record, removal):
    assert list(snapshot_records(image_of(record))) == [record]
    assert list(snapshot_records(image_of(record, removal))) == []
    assert list(snapshot_records(image_of(removal))) == []
    assert list(snapshot_records(image_of(record, removal, record))) == [record]


def test_the_last_record_of_something_counts():
    changed = UserScramCredentialRecord(name="alice", mechanism=1, salt=b"t", iterations=8192)
    other = UserScramCredentialRecord(name="alice", mechanism=2, salt=b"u")
    assert list(snapshot_records(image_of(SCRAM, other, changed))) == [changed, other]


def test_quotas_differ_by_entity_in_any_order_and_key():
    twice = quota("rate", 2.0, reverse=True)
    default = quota("rate", 3.0, client=None)
    named_as_nothing = quota("rate", 4.0, client="")
    other = quota("other", 5.0)
    kept = list(snapshot_records(image_of(quota("rate"), default, named_as_nothing, other, twice)))
    assert kept == [twice, default, named_as_nothing, other]


def test_supported_records_are_not_carried():
    for record in (NoOpRecord(), TopicRecord(name="t", topic_id=Uuid.of(1, 1))):
        assert carried_change(record) is None


def test_an_unchanged_image_shares_its_carried_records():
    loader = MetadataLoader(image_of(ACL))
    before = loader.image.carried
    assert loader.load_batch([(9, NoOpRecord())], last_offset=9, epoch=1).carried is before
