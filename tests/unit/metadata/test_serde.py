"""Metadata records as the values of the metadata log."""

import pytest

from minikafka.messages.metadata_records.broker_registration_change_record import (
    BrokerRegistrationChangeRecord,
)
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.messages.metadata_records.partition_record import PartitionRecord
from minikafka.messages.metadata_records.record_types import (
    MetadataRecordType,
    metadata_record_class,
)
from minikafka.messages.metadata_records.register_broker_record import RegisterBrokerRecord
from minikafka.metadata.serde import decode_record, encode_record, record_version
from minikafka.protocol.primitives import MalformedMessage


@pytest.mark.parametrize("kind", list(MetadataRecordType), ids=lambda kind: kind.name)
def test_every_record_survives_the_log(kind):
    record = metadata_record_class(kind)()
    assert kind == record.API_KEY
    version = record_version(record, 30)
    assert decode_record(encode_record(record, version)) == record


def test_the_frame_is_version_type_and_record_version():
    assert encode_record(NoOpRecord(), 0) == bytes((1, 20, 0, 0))


@pytest.mark.parametrize(
    ("record", "level", "version"),
    [
        (PartitionRecord(), 30, 2),
        (PartitionRecord(), 22, 1),
        (PartitionRecord(), 7, 0),
        (RegisterBrokerRecord(), 30, 4),
        (RegisterBrokerRecord(), 25, 3),
        (RegisterBrokerRecord(), 7, 1),
        (NoOpRecord(), 30, 0),
        (BrokerRegistrationChangeRecord(fenced=1), 30, 0),
        (BrokerRegistrationChangeRecord(in_controlled_shutdown=1), 30, 1),
        (BrokerRegistrationChangeRecord(cordoned_log_dirs=[]), 30, 3),
    ],
)
def test_the_version_follows_the_metadata_version(record, level, version):
    assert record_version(record, level) == version


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "no value"),
        (b"", "no value"),
        (bytes((2, 20, 0, 0)), "frame version 2"),
        (bytes((1, 99, 0, 0)), "unknown metadata record type 99"),
        (bytes((1, 20, 9, 0)), "no version 9"),
        (bytes((1, 20, 0, 0, 7)), "1 bytes after a NoOpRecord"),
        (bytes((1, 20)), "varint"),
    ],
)
def test_bytes_that_are_no_record_are_refused(value, words):
    with pytest.raises(MalformedMessage, match=words):
        decode_record(value)
