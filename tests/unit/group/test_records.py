"""Records of `__consumer_offsets`, byte for byte as Apache Kafka 4.3.1 wrote them."""

import pytest

from minikafka.common.ids import ZERO_UUID
from minikafka.group.records import (
    GroupRecord,
    OffsetRecord,
    group_key,
    group_value,
    offset_key,
    offset_value,
    parse_record,
)
from minikafka.messages.coordinator.offset_commit import OffsetCommitValue
from minikafka.protocol.primitives import MalformedMessage

OFFSET_KEY = bytes.fromhex("0001 0006 73696d706c65 0002 7474 00000000")
OFFSET_V1 = bytes.fromhex("0001 0000000000000007 0002 6d64 0000000000000001 0000000000000002")
OFFSET_V3 = bytes.fromhex("0003 0000000000000007 00000003 0002 6d64 0000000000000001")
OFFSET_V4 = bytes.fromhex(
    "0004 0000000000000007 00000003 03 6d64 000001a1fd6a03b5 01 00 10"
    "f09598f1c8904465ba9606d361cb6105"
)
EMPTY_GROUP = bytes.fromhex("0003 0000 00000000 ffff ffff 0000000000000001 00000000")


def test_offset_key_is_as_kafka_writes_it():
    assert offset_key("simple", "tt", 0) == OFFSET_KEY


@pytest.mark.parametrize("data", [OFFSET_V1, OFFSET_V4])
def test_offset_value_is_written_in_the_version_that_it_was_read_in(data):
    record = parse_record(OFFSET_KEY, data)
    assert isinstance(record, OffsetRecord)
    assert (record.value.offset, record.value.metadata) == (7, "md")
    assert offset_value(record.value) == data


def test_offset_without_a_topic_id_has_no_tag():
    without = OFFSET_V4[:-19] + b"\0"
    assert parse_record(OFFSET_KEY, without).value.topic_id == ZERO_UUID
    assert offset_value(parse_record(OFFSET_KEY, without).value) == without


def test_offsets_of_older_kafkas_are_read():
    assert parse_record(OFFSET_KEY, OFFSET_V3).value == OffsetCommitValue(7, 3, "md", 1)


def test_empty_group_is_as_kafka_writes_it():
    record = parse_record(group_key("g"), EMPTY_GROUP)
    assert isinstance(record, GroupRecord)
    assert record.key.group == "g"
    assert group_value(record.value) == EMPTY_GROUP


def test_tombstone_has_no_value():
    assert parse_record(OFFSET_KEY, None).value is None
    assert parse_record(group_key("g"), None).value is None


def test_old_offset_keys_are_read():
    assert parse_record(b"\0\0" + OFFSET_KEY[2:], OFFSET_V3).key.topic == "tt"


def test_records_of_other_kinds_of_groups_are_none():
    assert parse_record(b"\x00\x0b\x00\x01g", b"\x00\x00") is None


@pytest.mark.parametrize(
    ("key", "value"), [(b"\0", b""), (OFFSET_KEY, b"\0"), (OFFSET_KEY[:9], None)]
)
def test_bytes_that_are_no_record_are_refused(key, value):
    with pytest.raises(MalformedMessage):
        parse_record(key, value)
