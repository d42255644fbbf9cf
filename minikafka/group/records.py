"""Encoding and decoding of the records of `__consumer_offsets`, as Kafka 4 writes them.

A key starts with its record type, a value with its version, both as 16-bit numbers. Groups are
written in value version 3. Offsets are written in version 4, which has the topic id, or in version
1, the only one with an expiry time, if the client set one. Older versions are read.

Source: `GroupCoordinatorRecordSerde`, `GroupCoordinatorRecordHelpers`.
"""

from typing import NamedTuple

from minikafka.coordinator.numbered_message import encode_key, encode_value, number_of, reader_of
from minikafka.group.consumer.records import KINDS, ConsumerKey, ConsumerRecord, ConsumerValue
from minikafka.messages.coordinator.group_metadata import GroupMetadataKey, GroupMetadataValue
from minikafka.messages.coordinator.offset_commit import OffsetCommitKey, OffsetCommitValue
from minikafka.messages.coordinator.record_types import GroupRecordType

_KEY_VERSION = 0
_OFFSET_VERSION = 4
_OFFSET_VERSION_WITH_EXPIRY = 1
_GROUP_VERSION = 3
_CONSUMER_VERSION = 0
_NO_EXPIRY = -1
_CONSUMER_KINDS = {int(key.API_KEY): (key, value) for key, value in KINDS}


class OffsetRecord(NamedTuple):
    """A committed offset, or (`value` None) its tombstone."""

    key: OffsetCommitKey
    value: OffsetCommitValue | None


class GroupRecord(NamedTuple):
    """The membership of a classic group, or (`value` None) its tombstone."""

    key: GroupMetadataKey
    value: GroupMetadataValue | None


def offset_key(group_id: str, topic: str, partition: int) -> bytes:
    """Encode the key of a committed offset."""
    return encode_key(GroupRecordType.OFFSET_COMMIT, OffsetCommitKey(group_id, topic, partition))


def offset_value(value: OffsetCommitValue) -> bytes:
    """Encode the value of a committed offset, in the version that Kafka 4.3 chooses."""
    has_expiry = value.expire_timestamp != _NO_EXPIRY
    version = _OFFSET_VERSION_WITH_EXPIRY if has_expiry else _OFFSET_VERSION
    return encode_value(value, version)


def group_key(group_id: str) -> bytes:
    """Encode the key of a group's membership."""
    return encode_key(GroupRecordType.GROUP_METADATA, GroupMetadataKey(group_id))


def group_value(value: GroupMetadataValue) -> bytes:
    """Encode the value of a group's membership."""
    return encode_value(value, _GROUP_VERSION)


def consumer_key(key: ConsumerKey) -> bytes:
    """Encode the key of a record of a consumer group."""
    return encode_key(key.API_KEY, key)


def consumer_value(value: ConsumerValue | None) -> bytes | None:
    """Encode the value of a record of a consumer group; None is its tombstone."""
    if value is None:
        return None
    return encode_value(value, _CONSUMER_VERSION)


def parse_record(
    key: bytes, value: bytes | None
) -> OffsetRecord | GroupRecord | ConsumerRecord | None:
    """Decode a record; None for a record type that neither kind of group uses.

    Raises:
        MalformedMessage: the bytes are not a valid record.
    """
    kind = number_of(key)
    if kind in (GroupRecordType.LEGACY_OFFSET_COMMIT, GroupRecordType.OFFSET_COMMIT):
        offset_of = OffsetCommitKey.decode(reader_of(key), _KEY_VERSION)
        if value is None:
            return OffsetRecord(offset_of, None)
        return OffsetRecord(offset_of, OffsetCommitValue.decode(reader_of(value), number_of(value)))
    if kind == GroupRecordType.GROUP_METADATA:
        group = GroupMetadataKey.decode(reader_of(key), _KEY_VERSION)
        if value is None:
            return GroupRecord(group, None)
        return GroupRecord(group, GroupMetadataValue.decode(reader_of(value), number_of(value)))
    found = _CONSUMER_KINDS.get(kind)
    if found is None:
        return None
    key_type, value_type = found
    of = key_type.decode(reader_of(key), _KEY_VERSION)
    if value is None:
        return ConsumerRecord(of, None)
    return ConsumerRecord(of, value_type.decode(reader_of(value), number_of(value)))
