"""Encoding and decoding of the records of `__consumer_offsets`, as Kafka 4 writes them.

A key starts with its record type, a value with its version, both as 16-bit numbers. Groups are
written in value version 3. Offsets are written in version 4, which has the topic id, or in version
1, the only one with an expiry time, if the client set one. Older versions are read.

Source: `GroupCoordinatorRecordSerde`, `GroupCoordinatorRecordHelpers`.
"""

from struct import Struct
from typing import NamedTuple

from minikafka.group.consumer.records import KINDS, ConsumerKey, ConsumerRecord, ConsumerValue
from minikafka.messages.coordinator.group_metadata import GroupMetadataKey, GroupMetadataValue
from minikafka.messages.coordinator.offset_commit import OffsetCommitKey, OffsetCommitValue
from minikafka.messages.coordinator.record_types import GroupRecordType
from minikafka.protocol.primitives import MalformedMessage, Reader, Writer

_SHORT = Struct(">h")
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
    writer = _typed(GroupRecordType.OFFSET_COMMIT)
    OffsetCommitKey(group_id, topic, partition).encode(writer, _KEY_VERSION)
    return bytes(writer.buf)


def offset_value(value: OffsetCommitValue) -> bytes:
    """Encode the value of a committed offset, in the version that Kafka 4.3 chooses."""
    has_expiry = value.expire_timestamp != _NO_EXPIRY
    version = _OFFSET_VERSION_WITH_EXPIRY if has_expiry else _OFFSET_VERSION
    writer = _typed(version)
    value.encode(writer, version)
    return bytes(writer.buf)


def group_key(group_id: str) -> bytes:
    """Encode the key of a group's membership."""
    writer = _typed(GroupRecordType.GROUP_METADATA)
    GroupMetadataKey(group_id).encode(writer, _KEY_VERSION)
    return bytes(writer.buf)


def group_value(value: GroupMetadataValue) -> bytes:
    """Encode the value of a group's membership."""
    writer = _typed(_GROUP_VERSION)
    value.encode(writer, _GROUP_VERSION)
    return bytes(writer.buf)


def consumer_key(key: ConsumerKey) -> bytes:
    """Encode the key of a record of a consumer group."""
    writer = _typed(key.API_KEY)
    key.encode(writer, _KEY_VERSION)
    return bytes(writer.buf)


def consumer_value(value: ConsumerValue | None) -> bytes | None:
    """Encode the value of a record of a consumer group; None is its tombstone."""
    if value is None:
        return None
    writer = _typed(_CONSUMER_VERSION)
    value.encode(writer, _CONSUMER_VERSION)
    return bytes(writer.buf)


def parse_record(
    key: bytes, value: bytes | None
) -> OffsetRecord | GroupRecord | ConsumerRecord | None:
    """Decode a record; None for a record type that neither kind of group uses.

    Raises:
        MalformedMessage: the bytes are not a valid record.
    """
    kind = _number(key)
    if kind in (GroupRecordType.LEGACY_OFFSET_COMMIT, GroupRecordType.OFFSET_COMMIT):
        offset_of = OffsetCommitKey.decode(Reader(key, _SHORT.size), _KEY_VERSION)
        if value is None:
            return OffsetRecord(offset_of, None)
        reader = Reader(value, _SHORT.size)
        return OffsetRecord(offset_of, OffsetCommitValue.decode(reader, _number(value)))
    if kind == GroupRecordType.GROUP_METADATA:
        group = GroupMetadataKey.decode(Reader(key, _SHORT.size), _KEY_VERSION)
        if value is None:
            return GroupRecord(group, None)
        reader = Reader(value, _SHORT.size)
        return GroupRecord(group, GroupMetadataValue.decode(reader, _number(value)))
    found = _CONSUMER_KINDS.get(kind)
    if found is None:
        return None
    key_type, value_type = found
    of = key_type.decode(Reader(key, _SHORT.size), _KEY_VERSION)
    if value is None:
        return ConsumerRecord(of, None)
    reader = Reader(value, _SHORT.size)
    return ConsumerRecord(of, value_type.decode(reader, _number(value)))


def _typed(number: int) -> Writer:
    writer = Writer()
    writer.buf += _SHORT.pack(number)
    return writer


def _number(data: bytes) -> int:
    if len(data) < _SHORT.size:
        raise MalformedMessage("a coordinator's key or value must start with a 16-bit number")
    number: int = _SHORT.unpack_from(data)[0]
    return number
